"""What a device remembers of a person's answers, so that it never gives fresh noise on one that it randomized before.

- a secret, drawn once, under which memo keys are hashed;
- its cohort for each question that has cohorts;
- permanent responses, under keys that are BLAKE2b hashes of question and answer with the secret;
- what was charged for all this, and what else a ledger must know (`ldp_client.ledger`);
- whether the person agrees.

No answer is stored. Whoever holds the state holds the secret too, and can test guesses against the keys: it belongs in
the app's private storage.
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import cast

from ldp.domain import Value
from ldp.errors import AlreadyAnsweredError, BudgetError
from ldp.mechanisms.contract import Memoized
from ldp.randomness import Random
from ldp.survey import Question, Survey
from ldp_client.ledger import CHARGE, DAY, EVENT, within
from ldp_client.store import Store

_SECRET, _COHORT, _PERMANENT, _CONSENT = "secret", "cohort", "permanent", "consent"
_SECRET_SIZE = 32

ON, OFF, FORGET = "on", "off", "forget"


def today() -> int:
    """The day, counted from the first of 1970 (UTC): as closely as a device remembers when it did something."""
    return int(time.time()) // DAY


class Memory:
    """The memory that a store holds; `cap` is the largest ratio that an app lets all surveys in it spend together.

    Methods are called in a transaction of the store.
    """

    __slots__ = ("cap", "store")

    def __init__(self, store: Store, cap: Fraction | None = None) -> None:
        self.store = store
        self.cap = cap

    def charge(self, survey: Survey, question: Question) -> None:
        """Spend the price of a question. Raises `AlreadyAnsweredError` if its one report was made before, `BudgetError`
        if the price is more than the survey, or the app, lets the device spend; then nothing is spent.
        """
        store, key = self.store, question.fingerprint
        if store.get(CHARGE, key) is not None:
            if not question.memoizes:
                raise AlreadyAnsweredError(
                    f"question {question.name!r} was answered on this device before, and one report spends its whole "
                    f"epsilon of {question.declared.text}; send that report's bytes again, or ask a question with "
                    "memoized responses"
                )
            number = sum(1 for _ in store.records(CHARGE, question.fingerprint))
            key += number.to_bytes(2, "big")
        if (survey.lifetime is not None or self.cap is not None) and not self.affordable(survey, question):
            raise BudgetError(
                f"question {question.name!r} costs more than is left of what this device may spend "
                f"(see the ledger, and lifetime_epsilon of survey {survey.name!r})"
            )
        store.put(CHARGE, key, (survey.name, question.name, question.price_text, today()))

    def affordable(self, survey: Survey, question: Question) -> bool:
        """Whether one more charge stays within what the survey, and the app, lets the device spend."""
        own, cap = survey.lifetime, self.cap
        return (own is None or within(own.bound, self.store, survey.name, question.price)) and (
            cap is None or within(cap, self.store, None, question.price)
        )

    def cohort(self, question: Question, random: Random) -> int:
        """The cohort of the device, drawn when it is asked for first."""
        kept = self.store.get(_COHORT, question.fingerprint)
        if kept is None:
            kept = (cast(Memoized, question.randomizer).draw_cohort(random),)
            self.store.put(_COHORT, question.fingerprint, kept)
        return cast(int, kept[0])

    def memo_key(self, question: Question, cohort: int, value: Value, random: Random) -> bytes:
        """The key under which the permanent response to a value is kept; it begins with the question's fingerprint."""
        import hashlib

        kept_for = cast(Memoized, question.randomizer).memo_value(value, cohort)
        told = kept_for if isinstance(kept_for, bytes) else kept_for.to_bytes(4, "little")
        message = question.fingerprint + cohort.to_bytes(8, "little") + told
        return question.fingerprint + hashlib.blake2b(message, key=self._secret(random), digest_size=16).digest()

    def permanent(self, key: bytes) -> int | None:
        """The permanent response under a memo key; None if there is none yet."""
        kept = self.store.get(_PERMANENT, key)
        return None if kept is None else int.from_bytes(cast(bytes, kept[0]), "little")

    def keep_permanent(self, key: bytes, response: int) -> None:
        """Remember a permanent response."""
        self.store.put(_PERMANENT, key, (response.to_bytes((response.bit_length() + 7) // 8, "little"),))

    def kept(self, question: Question, *, apart_from: bytes) -> int:
        """How many permanent responses to a question are kept, one of them left out."""
        return sum(key != apart_from for key, _ in self.store.records(_PERMANENT, question.fingerprint))

    def consent(self, if_never_asked: str = ON) -> str:
        """What the person last said: `on` or `off`."""
        kept = self.store.get(_CONSENT, b"")
        return if_never_asked if kept is None else cast(str, kept[0])

    def keep_consent(self, said: str) -> None:
        """Remember `on` or `off`."""
        self.store.put(_CONSENT, b"", (said,))

    def erase(self, reason: str) -> None:
        """Forget secret, cohorts and permanent responses, and note it in the ledger; what was charged stays charged."""
        for kind in (_SECRET, _COHORT, _PERMANENT):
            for key in [key for key, _ in self.store.records(kind)]:
                self.store.drop(kind, key)
        number = sum(1 for _ in self.store.records(EVENT))
        self.store.put(EVENT, number.to_bytes(4, "big"), (reason, today()))

    def _secret(self, random: Random) -> bytes:
        kept = self.store.get(_SECRET, b"")
        if kept is None:
            kept = (random(_SECRET_SIZE),)
            self.store.put(_SECRET, b"", kept)
        return cast(bytes, kept[0])
