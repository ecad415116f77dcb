"""Scopes of records: a record kept for one collector is of no use to another.

Not even if both ask the same.

A scope is a collector, by the address (or the name) that reports go to, or by its key
where they go through a relay; nothing for a client that hands them over. Under it a
question has records of its own: charges, a cohort, permanent responses. So two
collectors that ask the same questions, in surveys of one name, cannot tell that they
have the same device. A survey has a queue of its own for each collector, so that none
gets what was meant for another. What was recorded for no collector yet has an heir
(`ldp_client.embedding.adoption`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ldp.survey.survey import FINGERPRINT_SIZE

if TYPE_CHECKING:
    from ldp.survey.draws import Draw
    from ldp.survey.survey import Question, Survey

OWNER_SIZE = 8
KEY_SIZE = FINGERPRINT_SIZE + OWNER_SIZE


class Scope(NamedTuple):
    """A collector, and the bytes that stand for it in keys."""

    collector: str
    owner: bytes

    @classmethod
    def of(cls, collector: str) -> Scope:
        """Return the scope of a collector."""
        return cls(collector, _digest(collector))

    def key(self, question: Question) -> bytes:
        """Return the first bytes of the keys of a question's records."""
        return question.fingerprint + self.owner

    def draw_key(self, survey: Survey, draw: Draw) -> bytes:
        """The key of what was drawn of several questions."""
        return _digest(survey.name, draw.text, self.collector)

    def survey_key(self, survey: Survey) -> bytes:
        """Return the first bytes of the keys of a survey's records, and of its
        queue.
        """
        return _digest(survey.name, self.collector)


@lru_cache(maxsize=256)
def _digest(*names: str) -> bytes:
    # Imported here, as it takes longer to load than the rest of a client.
    import hashlib

    texts = [name.encode() for name in names]
    message = b"".join(b"%d:%b," % (len(text), text) for text in texts)
    return hashlib.blake2b(message, digest_size=OWNER_SIZE).digest()


NO_COLLECTOR = Scope.of("")
"""That of reports that are handed over, or wait for an app to name a collector."""
