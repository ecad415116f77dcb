"""Screening: which payloads are batches that can be counted, and why the others are
not.

Rules
- Every payload gets one answer, in order; none raises an error.
- A batch is counted whole or not at all: one impossible report refuses its batch, and
  nothing else.
- Rows are checked in bulk, those of one question together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from ldp.errors import WireError
from ldp.survey.attributes import size_of
from ldp.survey.survey import Envelope
from ldp.wire.wire import MOST_REPORTS, Batch, Damage, decode_batch
from ldp_aggregator.numerics.arrays import Rows
from ldp_aggregator.tallies.counting.counting import faults
from ldp_aggregator.tallies.counting.joint_counting import parts

UNKNOWN = "fingerprint"
"""The reason to refuse a batch of no question that is known."""


class Rejection(NamedTuple):
    """Why a payload cannot be counted, by a name in `ldp.wire.wire.REASONS`.

    And the known question that it is for; or, of one that is not known, how many
    reports it has.
    """

    reason: str
    fingerprint: bytes | None = None
    size: int = 0


def screen(
    payloads: Iterable[bytes | Damage],
    envelopes: Mapping[bytes, Envelope],
    most: Iterable[int] = repeat(MOST_REPORTS),
) -> list[Batch | Rejection]:
    """Screen each payload.

    `envelopes` are the questions and groups that are known, by fingerprint; `most` is
    how many reports each payload may have.
    """
    items = [
        _fitting(payload, envelopes, most=limit)
        for payload, limit in zip(payloads, most, strict=False)
    ]
    for fingerprint, places in by_fingerprint(items).items():
        batches = [
            batch for place in places if isinstance(batch := items[place], Batch)
        ]
        for index, reason in _impossible(envelopes[fingerprint], batches):
            items[places[index]] = Rejection(reason, fingerprint)
    return items


def by_combination(batches: Iterable[Batch]) -> dict[tuple[bytes, int], list[Batch]]:
    """Batches that are counted as one: of one question, from devices of one
    combination.
    """
    alike: dict[tuple[bytes, int], list[Batch]] = {}
    for batch in batches:
        alike.setdefault((batch.fingerprint, batch.combination), []).append(batch)
    return alike


def by_fingerprint(items: Iterable[Batch | Rejection | None]) -> dict[bytes, list[int]]:
    """Where the batches of each question stand."""
    places: dict[bytes, list[int]] = {}
    for place, item in enumerate(items):
        if isinstance(item, Batch):
            places.setdefault(item.fingerprint, []).append(place)
    return places


def rows_of(batches: Iterable[Batch], width: int) -> Rows:
    """The rows of batches of one question, end to end, of shape (reports, width)."""
    content = b"".join([batch.rows for batch in batches])
    return np.frombuffer(content, dtype=np.uint8).reshape(-1, width)


def _fitting(
    payload: bytes | Damage, envelopes: Mapping[bytes, Envelope], most: int
) -> Batch | Rejection:
    """The payload as a batch of a known question and of its width.

    The rows are not looked at yet.
    """
    if isinstance(payload, Damage):
        return Rejection("frame-damaged")
    try:
        batch = decode_batch(payload)
    except WireError as error:
        return Rejection(error.reason)
    envelope = envelopes.get(batch.fingerprint)
    if envelope is None:
        if batch.size > most:
            return Rejection("batch-size")
        return Rejection(UNKNOWN, size=batch.size)
    if len(batch.rows) != batch.size * envelope.width:
        return Rejection("report-width", batch.fingerprint)
    if batch.size > most:
        return Rejection("batch-size", batch.fingerprint)
    if batch.combination and batch.combination >= size_of(envelope.attributes):
        return Rejection("attribute-range", batch.fingerprint)
    return batch


def _impossible(
    envelope: Envelope, batches: Sequence[Batch]
) -> Iterable[tuple[int, str]]:
    """The places of batches with impossible reports, and the first reason for each."""
    split = parts(envelope, rows_of(batches, envelope.width))
    wrong = [
        fault for question, part in split for fault in faults(part, question.layout)
    ]
    if not wrong:
        return ()
    reasons: dict[int, str] = {}
    # Where the rows of each batch begin, (batches,).
    starts = np.cumsum([0, *(batch.size for batch in batches[:-1])])
    for reason, rows in wrong:
        # From which rows are wrong, (reports,), to which batches have one, (batches,).
        for place in np.flatnonzero(np.logical_or.reduceat(rows, starts)):
            reasons.setdefault(int(place), reason)
    return reasons.items()
