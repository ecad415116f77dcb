"""The ids of batches: that they tell nothing but the epoch, and that a batch has one
report.

Of each envelope and answer there are counts, arrays by name:

    batches  how many came, and `asked`, of how many devices: more where they draw their
             question
    reports  as many as batches, since a device that is asked once has one
    ids      how often each bit of an id was 1
    alike    how often two bits of an id were equal
    beside   how often a bit of an id was equal to one of the first bits of its report
    bytes    how often each byte of an id had each of its values

An id whose every bit looks random may still tell an answer by two of them, beside the
report, or by all bits of one byte, such as their parity. What takes three bits of
several bytes, or a key, is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations

import numpy as np

from ldp.numbers.epochs import NUMBER_SIZE, epoch_at
from ldp.survey.survey import Envelope
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers, Rows
from ldp_simulations.audit.bounds import binomial_chances
from ldp_simulations.audit.counting import Arrays
from ldp_simulations.audit.parts import bits_of, number_of
from ldp_simulations.audit.statistical_tests import (
    Bound,
    CountTest,
    Tallied,
    best_bit,
    worst_of,
)

_BYTE = 256
MOST_BESIDE = 8
"""Bytes of a report that are compared with its id."""


def first_random(envelope: Envelope) -> int:
    """The first bit of an id that is drawn: before it stands the epoch, if there are
    any.
    """
    if envelope.epoch is not None:
        return 8 * NUMBER_SIZE
    return 0


def of_other_epochs(
    envelope: Envelope, ids: Rows, began: float, *, ended: float
) -> int:
    """How many ids name another epoch than one of the time in which they were made."""
    if envelope.epoch is None:
        return 0
    numbers = number_of(ids[:, :NUMBER_SIZE])
    first, last = (epoch_at(seconds, envelope.epoch) for seconds in (began, ended))
    return int(((numbers < first) | (numbers > last)).sum())


def count_ids(ids: Rows, rows: Rows, asked: int) -> Arrays:
    """Counts of some ids, (batches, 16), of their reports, (reports, width), and of
    devices.
    """
    own = _signs(ids)
    reports = rows[:, :MOST_BESIDE]
    if len(rows) != len(ids):
        # Which report belongs to which id is not known here; that there are more is an
        # alarm.
        reports = np.zeros((len(ids), reports.shape[1]), np.uint8)
    return {
        "batches": np.array([len(ids)]),
        "asked": np.array([asked]),
        "reports": np.array([len(rows)]),
        "ids": bits_of(ids).sum(axis=0, dtype=np.int64),
        "alike": _equal(own, own)[_pairs(own.shape[1])],
        "beside": _equal(own, _signs(reports)).ravel(),
        "bytes": np.bincount(
            (ids + _BYTE * np.arange(ids.shape[1])).ravel(),
            minlength=_BYTE * ids.shape[1],
        ),
    }


def _signs(rows: Rows) -> Floats:
    """Bits as 1 and -1, (batches, bits)."""
    return 2 * bits_of(np.ascontiguousarray(rows)).astype(np.float64) - 1


def _equal(first: Floats, second: Floats) -> Counts:
    """How often each bit of the one was equal to each bit of the other, (bits,
    bits).
    """
    # A product of signs is 1 where they are equal, else -1; sums of whole numbers are
    # exact.
    counts: Counts = ((len(first) + first.T @ second) / 2).astype(np.int64)
    return counts


def _pairs(size: int) -> tuple[Integers, Integers]:
    """All pairs of bits, the earlier one first."""
    earlier, later = np.triu_indices(size, 1)
    return earlier, later


def id_tests(
    name: str, number: int, counts: Tallied, *, first: int
) -> Iterator[CountTest]:
    """Whether the ids of batches look random from their bit `first` on."""
    draws = int(counts["batches"][0])
    if not draws:
        return
    where = f"{name}, answer {number + 1}"
    size = len(counts["ids"])
    chances = binomial_chances(counts["ids"][first:], draws, 0.5)
    yield worst_of(where, [f"bit {at} of ids" for at in range(first, size)], chances)
    earlier, later = _pairs(size)
    # One random bit of two is enough for them to be equal in half of the ids.
    yield _together(
        where,
        counts["alike"],
        draws=draws,
        places=(later, earlier),
        first=first,
        beside="ids",
    )
    own, others = np.divmod(
        np.arange(len(counts["beside"])), len(counts["beside"]) // size
    )
    yield _together(
        where,
        counts["beside"],
        draws=draws,
        places=(own, others),
        first=first,
        beside="its report",
    )
    chances = binomial_chances(counts["bytes"][first // 8 * _BYTE :], draws, 1 / _BYTE)
    byte, value = divmod(int(np.argmin(chances)) + first // 8 * _BYTE, _BYTE)
    p_value = min(float(chances.min()) * len(chances), 1.0)
    yield CountTest(where, f"byte {byte} of ids is {value}", p_value)


def _together(
    where: str,
    counts: Counts,
    draws: int,
    places: tuple[Integers, Integers],
    *,
    first: int,
    beside: str,
) -> CountTest:
    """The least likely of many pairs of bits, which share what one test has of the
    alarm rate.
    """
    is_random = places[0] >= first
    chances = binomial_chances(counts[is_random], draws, 0.5)
    worst = int(np.argmin(chances))
    one, other = (int(place[is_random][worst]) for place in places)
    p_value = min(float(chances[worst]) * len(chances), 1.0)
    return CountTest(where, f"bit {one} of ids with bit {other} of {beside}", p_value)


def id_bounds(
    name: str, allowed: float, counts: Mapping[int, Tallied], *, first: int
) -> Iterator[Bound]:
    """Bounds from the bits of ids, which must tell nothing."""
    for pair in permutations(sorted(counts), 2):
        one, other = (counts[number] for number in pair)
        draws = (int(one["batches"][0]), int(other["batches"][0]))
        if min(draws):
            names = [f"bit {at} of ids" for at in range(first, len(one["ids"]))]
            ones = (one["ids"][first:], other["ids"][first:])
            best = best_bit(ones, draws, names)
            yield Bound(
                name, *best, draws, False, allowed, answers=pair, tests=2 * len(names)
            )
