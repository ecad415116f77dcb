"""What a device remembers of answers, so that it never gives fresh noise on the same one.

- a secret, drawn once, under which memo keys are hashed;
- its cohort for each question that has cohorts;
- permanent responses, under keys that are BLAKE2b hashes of question, collector and answer with the
  secret;
- which of them was reported last;
- which questions of a draw it answers (`ldp.draws`);
- whether the person agrees.

What was charged for all this is in `ldp_client.budget`. Nothing that is kept for one collector
serves another (`ldp_client.scope`).

No answer is stored. But the secret is part of the state, so who holds the state can test guesses
against the keys: it belongs in the app's private storage.
"""

from __future__ import annotations

from typing import cast

from ldp.domain import Value
from ldp.mechanisms.contract import Memoized
from ldp.randomness import Random
from ldp.survey import Question
from ldp_client.ledger import EVENT, today
from ldp_client.scope import Scope
from ldp_client.store import Store

_SECRET, _COHORT, _PERMANENT, _LAST, _CONSENT = "secret", "cohort", "permanent", "last", "consent"
_DRAW = "draw"
_SECRET_SIZE = 32

ON, OFF, FORGET = "on", "off", "forget"


class Memory:
    """The memory that a store holds, under a scope.

    Methods are called in a transaction of the store.
    """

    __slots__ = ("scope", "store")

    def __init__(self, store: Store, scope: Scope) -> None:
        self.store = store
        self.scope = scope

    def cohort(self, question: Question, random: Random) -> int:
        """The cohort of the device, drawn when it is asked for first."""
        key = self.scope.key(question)
        record = self.store.get(_COHORT, key)
        if record is None:
            record = (cast(Memoized, question.randomizer).draw_cohort(random),)
            self.store.put(_COHORT, key, record)
        return cast(int, record[0])

    def memo_key(self, question: Question, cohort: int, value: Value, random: Random) -> bytes:
        """The key under which the permanent response to a value is kept.

        It begins with that of the question.
        """
        import hashlib

        memo_value = cast(Memoized, question.randomizer).memo_value(value, cohort)
        if not isinstance(memo_value, bytes):
            memo_value = memo_value.to_bytes(4, "little")
        of_question = self.scope.key(question)
        message = of_question + cohort.to_bytes(8, "little") + memo_value
        digest = hashlib.blake2b(message, key=self._secret(random), digest_size=16).digest()
        return of_question + digest

    def permanent(self, key: bytes) -> int | None:
        """The permanent response under a memo key; None if there is none yet."""
        record = self.store.get(_PERMANENT, key)
        return None if record is None else int.from_bytes(cast(bytes, record[0]), "little")

    def keep_permanent(self, key: bytes, response: int) -> None:
        """Remember a permanent response."""
        content = response.to_bytes((response.bit_length() + 7) // 8, "little")
        self.store.put(_PERMANENT, key, (content,))

    def last(self, question: Question) -> bytes:
        """The memo key of the permanent response that was reported last."""
        record = self.store.get(_LAST, self.scope.key(question))
        return b"" if record is None else cast(bytes, record[0])

    def keep_last(self, question: Question, key: bytes) -> None:
        """Remember which permanent response is reported now."""
        if key != self.last(question):
            self.store.put(_LAST, self.scope.key(question), (key,))

    def drawn(self, key: bytes) -> tuple[str, ...] | None:
        """The questions that were drawn, of several; None if none were yet."""
        record = self.store.get(_DRAW, key)
        return None if record is None else cast("tuple[str, ...]", tuple(record))

    def keep_drawn(self, key: bytes, names: tuple[str, ...]) -> None:
        """Remember which they are: for good, since others would cost as much again."""
        self.store.put(_DRAW, key, names)

    def consent(self, if_never_asked: str = ON) -> str:
        """What the person last said: `on` or `off`."""
        record = self.store.get(_CONSENT, b"")
        return if_never_asked if record is None else cast(str, record[0])

    def keep_consent(self, consent: str) -> None:
        """Remember `on` or `off`."""
        self.store.put(_CONSENT, b"", (consent,))

    def erase(self, reason: str) -> None:
        """Forget secret, cohorts and permanent responses, and note it in the ledger.

        What was charged stays charged.

        What may be charged for new responses is for `ldp_client.budget.renew` to say.
        """
        for kind in (_SECRET, _COHORT, _PERMANENT, _LAST):
            for key in [key for key, _ in self.store.records(kind)]:
                self.store.drop(kind, key)
        number = sum(1 for _ in self.store.records(EVENT))
        self.store.put(EVENT, number.to_bytes(4, "big"), (reason, today()))

    def _secret(self, random: Random) -> bytes:
        record = self.store.get(_SECRET, b"")
        if record is None:
            record = (random(_SECRET_SIZE),)
            self.store.put(_SECRET, b"", record)
        return cast(bytes, record[0])
