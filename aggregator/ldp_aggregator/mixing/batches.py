"""Batches of a relay: what a collector keeps of each, and what it was worth, in words.

For someone new to it: mixing protects against whoever sees the batch alone. If the relay and the
collector put together what they know, nothing remains of it but what each report had from the
start. So there are two figures, and both are said, always.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ldp.exact import log_text
from ldp.survey import Envelope
from ldp.wire import pack_array, unpack_array

MOST_NAME = 200
_MOST_CONTENT = 1 << 10


class MixedPart(NamedTuple):
    """What is kept of one part of a batch.

    The relay by the name of its token, the least number of reports that it waits for, how many the
    whole batch has by its word, and how many of this part were counted.
    """

    relay: str
    least: int
    size: int
    counted: int


class MixedBatch(NamedTuple):
    """A batch of one question or group: `counted` of its `size` reports have come and are sound."""

    question: str
    relay: str
    least: int
    size: int
    counted: int
    epoch: int | None = None
    """Its number, of a survey with epochs."""

    @property
    def crowd(self) -> int:
        """How many reports may be relied upon to be mixed: those that came and are sound."""
        return min(self.size, self.counted)


def pack_part(part: MixedPart) -> bytes:
    """A part as the content of a record."""
    return pack_array([part.relay, part.least, part.size, part.counted])


def read_part(content: bytes) -> MixedPart:
    """The same, read. Raises `WireError`."""
    return MixedPart(*unpack_array(content, _MOST_CONTENT, "not-a-batch"))


def joined(question: str, parts: Iterable[MixedPart], epoch: int | None = None) -> MixedBatch:
    """The batch that parts are of."""
    those = list(parts)
    first = those[0]
    counted = sum(part.counted for part in those)
    return MixedBatch(
        question, first.relay, first.least, size=first.size, counted=counted, epoch=epoch
    )


def worth(batch: MixedBatch, envelope: Envelope) -> str:
    """What a batch was worth, in a sentence: if relay and collector are apart, and if not."""
    local = _local(envelope)
    together = f"{local} if relay and collector work together"
    apart = _apart(batch, envelope)
    reports = f"{batch.crowd:,} reports, mixed by {batch.relay}"
    if apart is None:
        return f"{reports} (at least {batch.least:,}): {together}"
    return f"{reports}: {apart} if relay and collector are apart, {together}"


def worth_of(
    batches: Sequence[MixedBatch], envelopes: Iterable[Envelope]
) -> list[tuple[MixedBatch, str]]:
    """The same of many, of the questions and groups that are known."""
    by_name = {envelope.name: envelope for envelope in envelopes}
    return [
        (batch, worth(batch, by_name[batch.question]))
        for batch in batches
        if batch.question in by_name
    ]


def _apart(batch: MixedBatch, envelope: Envelope) -> str | None:  # noqa: ARG001
    """The (epsilon, delta) of the batch, in words; None where no bound of it is known.

    The one place in which the bound of a batch is asked for: the name of the question, how many
    reports were mixed, and which share of them may be of those who would tell.
    """
    return None


def _local(envelope: Envelope) -> str:
    """The epsilon of one message, in words: of a group that of all its questions."""
    if len(envelope.members) == 1:
        return f"epsilon {envelope.members[0].declared.text}"
    ratio = math.prod(question.price for question in envelope.members)
    return f"epsilon {log_text(Fraction(ratio), 4)}"
