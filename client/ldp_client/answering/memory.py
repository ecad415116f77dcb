"""Memory of answers, so that a device never gives fresh noise on the same one.

- a secret, drawn once, under which memo keys are hashed;
- its cohort for each question that has cohorts;
- permanent responses, under keys that are BLAKE2b hashes of question, collector and
  answer with the secret;
- which of them was reported last;
- which questions of a draw it answers (`ldp.survey.draws`).

What was charged for all this is in `ldp_client.answering.budget`, and what the person
said in `answering.consent`. Nothing that is kept for one collector serves another
(`keeping.scope`).

No answer is stored. But the secret is part of the state, unless it is sealed
(`keeping.vault`), so who holds the state can test guesses against the keys: it belongs
in the app's private storage.
"""

from __future__ import annotations

from typing import cast

from ldp.answers.domain import Value
from ldp.mechanisms.contract import Memoized
from ldp.numbers.randomness import Random
from ldp.survey.survey import Question
from ldp_client.answering.ledger import EVENT, today
from ldp_client.keeping.scope import Scope
from ldp_client.keeping.store import DeviceStore
from ldp_client.keeping.tapes import SECRET_SIZE
from ldp_client.keeping.vault import Vault

SECRET, COHORT, DRAW = "secret", "cohort", "draw"
_PERMANENT, _LAST = "permanent", "last"


class Memory:
    """The memory that a store holds, under a scope; its secret is sealed as the vault
    can.

    Methods are called in a transaction of the store.
    """

    __slots__ = ("_vault", "scope", "store")

    def __init__(
        self, store: DeviceStore, scope: Scope, vault: Vault | None = None
    ) -> None:
        self.store = store
        self.scope = scope
        self._vault = vault or Vault()

    def secret(self, random: Random) -> bytes:
        """The device's secret, drawn when it is asked for first.

        Raises `StateError` if it is sealed and cannot be opened.
        """
        record = self.store.get(SECRET, b"")
        secret = random(SECRET_SIZE) if record is None else self._vault.open(record)
        if record is None or self._vault.would_seal(record):
            self.store.put(SECRET, b"", self._vault.seal(secret, random))
        return secret

    def cohort(self, question: Question, random: Random) -> int:
        """The cohort of the device, drawn when it is asked for first."""
        key = self.scope.key(question)
        record = self.store.get(COHORT, key)
        if record is None:
            record = (cast(Memoized, question.randomizer).draw_cohort(random),)
            self.store.put(COHORT, key, record)
        return cast(int, record[0])

    def memo_key(
        self, question: Question, cohort: int, value: Value, random: Random
    ) -> bytes:
        """The key under which the permanent response to a value is kept.

        It begins with that of the question.
        """
        import hashlib

        memo_value = cast(Memoized, question.randomizer).memo_value(value, cohort)
        if not isinstance(memo_value, bytes):
            memo_value = memo_value.to_bytes(4, "little")
        of_question = self.scope.key(question)
        message = of_question + cohort.to_bytes(8, "little") + memo_value
        digest = hashlib.blake2b(
            message, key=self.secret(random), digest_size=16
        ).digest()
        return of_question + digest

    def permanent(self, key: bytes) -> int | None:
        """The permanent response under a memo key; None if there is none yet."""
        record = self.store.get(_PERMANENT, key)
        if record is None:
            return None
        return int.from_bytes(cast(bytes, record[0]), "little")

    def keep_permanent(self, key: bytes, response: int) -> None:
        """Remember a permanent response."""
        content = response.to_bytes((response.bit_length() + 7) // 8, "little")
        self.store.put(_PERMANENT, key, (content,))

    def last(self, question: Question) -> bytes:
        """The memo key of the permanent response that was reported last."""
        record = self.store.get(_LAST, self.scope.key(question))
        if record is None:
            return b""
        return cast(bytes, record[0])

    def keep_last(self, question: Question, key: bytes) -> None:
        """Remember which permanent response is reported now."""
        if key != self.last(question):
            self.store.put(_LAST, self.scope.key(question), (key,))

    def drawn_questions(self, key: bytes) -> tuple[str, ...] | None:
        """The questions that were drawn, of several; None if none were yet."""
        record = self.store.get(DRAW, key)
        if record is None:
            return None
        return cast("tuple[str, ...]", tuple(record))

    def keep_drawn(self, key: bytes, names: tuple[str, ...]) -> None:
        """Remember which they are: for good, since others would cost as much again."""
        self.store.put(DRAW, key, names)

    def erase(self, reason: str) -> None:
        """Forget secret, cohorts and permanent responses, and note it in the ledger.

        What was charged stays charged.

        What may be charged for new responses is for `ldp_client.answering.budget.renew`
        to say.
        """
        for kind in (SECRET, COHORT, _PERMANENT, _LAST):
            for key in [key for key, _ in self.store.records(kind)]:
                self.store.drop(kind, key)
        number = sum(1 for _ in self.store.records(EVENT))
        self.store.put(EVENT, number.to_bytes(4, "big"), (reason, today()))
