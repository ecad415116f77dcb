"""Batches of a relay: what a collector keeps of each, and what it was worth, in words.

For someone new to it: mixing protects against whoever sees the batch alone. If the
relay and the collector put together what they know, nothing remains of it but what each
report had from the start. So there are two figures, and both are said, always
(`ldp.privacy.batches`).

A batch counts as its reports that came and are sound, at most as many as the relay says
there are, rounded down to two digits: a smaller batch is worth less, so nothing is
claimed that does not hold, and batches of nearly one size are worked out once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ldp.privacy.batches import USUAL_DELTA, BatchPrivacy, batch_privacy
from ldp.survey.survey import Envelope, Survey
from ldp.wire.sealed import MOST_MIXED
from ldp.wire.wire import pack_array, unpack_array
from ldp_aggregator.output.files import FileError

MOST_NAME = 200
NOBODY = Fraction(0)
"""A share of colluders."""
MOST_FILE = 1 << 26
_MOST_CONTENT = 1 << 10
_NO_BATCHES = (
    "expected a store's URL, such as sqlite:///ldp.db, or a file with the batches of "
    "this survey as a service shows them at /v1/surveys/NAME/batches, got {what}"
)


class MixedPart(NamedTuple):
    """Record of one part of a batch.

    The relay by the name of its token, the least number of reports that it waits for,
    how many the whole batch has by its word, and how many of this part were counted.
    """

    relay: str
    least: int
    size: int
    counted: int


class MixedBatch(NamedTuple):
    """A batch of one question or group: `counted` of its `size` reports have come and
    are sound.
    """

    question: str
    relay: str
    least: int
    size: int
    counted: int
    epoch: int | None = None
    """Its number, of a survey with epochs."""

    @property
    def crowd(self) -> int:
        """How many reports may be relied upon to be mixed: those that came and are
        sound.
        """
        return min(self.size, self.counted)


def pack_part(part: MixedPart) -> bytes:
    """A part as the content of a record."""
    return pack_array([part.relay, part.least, part.size, part.counted])


def read_part(content: bytes) -> MixedPart:
    """Read a part. Raises `WireError`."""
    return MixedPart(*unpack_array(content, _MOST_CONTENT, "not-a-batch"))


def join_parts(
    question: str, parts: Iterable[MixedPart], epoch: int | None = None
) -> MixedBatch:
    """The batch that parts are of."""
    those = list(parts)
    first = those[0]
    counted = sum(part.counted for part in those)
    return MixedBatch(
        question,
        first.relay,
        first.least,
        size=first.size,
        counted=counted,
        epoch=epoch,
    )


def privacy_of(
    batch: MixedBatch,
    envelope: Envelope,
    delta: Fraction = USUAL_DELTA,
    colluding: Fraction = NOBODY,
) -> BatchPrivacy:
    """Return the privacy of a batch, `colluding` the share of its reports that are no
    cover.
    """
    honest = math.floor(batch.crowd * (1 - colluding))
    return batch_privacy(
        envelope, _round_down(honest), delta, mixed_by=batch.relay
    )._replace(reports=honest)


def worth(batch: MixedBatch, envelope: Envelope) -> str:
    """Describe the privacy in a sentence: if relay and collector are apart, and if
    not.
    """
    return privacy_of(batch, envelope).text


def worth_of(
    batches: Sequence[MixedBatch], envelopes: Iterable[Envelope]
) -> list[tuple[MixedBatch, str]]:
    """Worth of many, of the questions and groups that are known."""
    by_name = {envelope.name: envelope for envelope in envelopes}
    return [
        (batch, worth(batch, by_name[batch.question]))
        for batch in batches
        if batch.question in by_name
    ]


def least_worth(
    batches: Iterable[tuple[MixedBatch, Envelope]],
    delta: Fraction = USUAL_DELTA,
    colluding: Fraction = NOBODY,
) -> BatchPrivacy:
    """Return the least privacy of some batches; of the same question, the smallest
    batch.
    """
    smallest: dict[bytes, tuple[MixedBatch, Envelope]] = {}
    for batch, envelope in batches:
        before = smallest.setdefault(envelope.fingerprint, (batch, envelope))
        if batch.crowd < before[0].crowd:
            smallest[envelope.fingerprint] = batch, envelope
    privacies = [
        privacy_of(batch, envelope, delta=delta, colluding=colluding)
        for batch, envelope in smallest.values()
    ]
    return max(privacies, key=lambda privacy: privacy.epsilon)


def batches_text(batches: Sequence[MixedBatch], least: BatchPrivacy) -> str:
    """One batch or several, in a sentence: what is said of all holds for the one worth
    least.
    """
    if len(batches) == 1:
        return least.text
    reports = sum(batch.crowd for batch in batches)
    relays = ", ".join(sorted({batch.relay for batch in batches}))
    return (
        f"{len(batches):,} batches of {reports:,} reports together, mixed by {relays}; "
        f"the one that is worth least: {least.text}; who is in several adds them up"
    )


def read_batches(survey: Survey, content: bytes) -> list[MixedBatch]:
    """The batches of a survey in the JSON of a service's `/v1/surveys/NAME/batches`.

    Raises `FileError`.
    """
    try:
        said = json.loads(content)
        names = {envelope.name for envelope in survey.envelopes}
        fingerprint, rows = said["fingerprint"], said["batches"]
        batches = [
            MixedBatch(*(row[name] for name in MixedBatch._fields)) for row in rows
        ]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError(_NO_BATCHES.format(what="something else")) from None
    if fingerprint != survey.fingerprint.hex():
        raise FileError(
            "expected batches of this version of the survey, got those of another; ask "
            "the service with ?version= for them"
        )
    for batch in batches:
        if batch.question not in names or not _is_sound(batch):
            raise FileError(
                _NO_BATCHES.format(what=f"a batch of {str(batch.question)[:40]!r}")
            )
    return batches


def _is_sound(batch: MixedBatch) -> bool:
    numbers = (batch.least, batch.size, batch.counted)
    is_number = all(
        type(number) is int and 0 < number < MOST_MIXED for number in numbers
    )
    return is_number and type(batch.relay) is str and len(batch.relay) <= MOST_NAME


def _round_down(number: int) -> int:
    """A number with two digits, rounded down."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return number // unit * unit
