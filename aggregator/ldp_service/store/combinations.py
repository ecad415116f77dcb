"""Tallies by combination of attributes, under fingerprints of their own.

A store keeps tallies by the fingerprint of a question or group. That of a combination
of public attributes (`ldp.survey.attributes`) is kept under the fingerprint whose last
two bytes, as a number, are those of the question plus 1 plus the combination, exclusive
or. So it is never the question's own, stands beside it in the order of keys, and says
what it is of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ldp.survey.attributes import size_of
from ldp.survey.survey import FINGERPRINT_SIZE, Envelope

_NUMBER = 2
PREFIX = FINGERPRINT_SIZE - _NUMBER
"""Bytes that the fingerprints of a question and of all its combinations share."""


def of_combination(fingerprint: bytes, combination: int) -> bytes:
    """The fingerprint of a combination of a question or group."""
    own = int.from_bytes(fingerprint[PREFIX:], "big")
    return fingerprint[:PREFIX] + (own ^ (combination + 1)).to_bytes(_NUMBER, "big")


def combination_in(fingerprint: bytes, envelope: Envelope) -> int | None:
    """The combination of a question or group that a fingerprint is of; None if it is of
    none.
    """
    if fingerprint[:PREFIX] != envelope.fingerprint[:PREFIX]:
        return None
    own = int.from_bytes(envelope.fingerprint[PREFIX:], "big")
    number = (int.from_bytes(fingerprint[PREFIX:], "big") ^ own) - 1
    if envelope.attributes and 0 <= number < size_of(envelope.attributes):
        return number
    return None


class KnownQuestions:
    """Questions and groups by fingerprint, those of their combinations included."""

    def __init__(self, envelopes: Iterable[Envelope]) -> None:
        self._by_prefix: dict[bytes, Envelope] = {
            envelope.fingerprint[:PREFIX]: envelope for envelope in envelopes
        }

    @classmethod
    def of(cls, envelopes: Mapping[bytes, Envelope]) -> KnownQuestions:
        """Make one from a mapping."""
        return cls(envelopes.values())

    def get(self, fingerprint: bytes) -> Envelope | None:
        """Return the envelope that a tally under a fingerprint counts; None if not
        known.
        """
        envelope = self._by_prefix.get(fingerprint[:PREFIX])
        if envelope is None or fingerprint == envelope.fingerprint:
            return envelope
        if combination_in(fingerprint, envelope) is None:
            return None
        return envelope
