"""Counts of what left a client: as large as the reports are wide, however many there
are.

Of each part and answer, arrays by name:

    draws     how many reports
    columns   how often each report came, where there are few that can
    bits      how often each bit of the row was 1
    pairs     how often a bit and the next were
    distant   how often two bits that are no neighbours were, of the first of a row
    events    how often each declared event happened
    learned   how often each learned one did, of `after` reports behind the first half
    cohorts   where there are cohorts and no columns, how often each came, and
    within    how often each bit of the answer's own was 1 in each, as a cohort with noise of its
              own hides behind the others

Of runs of reports long enough that no two are equal by chance, hashes are kept
(`ReportRuns`). What is counted of batches and their ids is in `ids`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ldp.numbers.randomness import Random
from ldp.survey.survey import Question
from ldp_aggregator.numerics.arrays import Counts, Integers, Rows
from ldp_simulations.audit.learning import Learned
from ldp_simulations.audit.parts import (
    MOST_PAIRED,
    EnvelopePart,
    bits_of,
    distant_places,
    number_of,
    value_of,
)
from ldp_simulations.reports.bulk import draw_rows

_AT_ONCE = 1 << 22
"""Bits that are unpacked together."""
MOST_RUNS = 1 << 16
_MOST_HASHED = 1 << 28
"""Bytes of the runs from each report on, of one process."""
_SURELY_DIFFERENT = 128.0
"""Bits: two runs are equal by chance once in 2^this."""

Arrays = dict[str, Counts]


def count(part: EnvelopePart, rows: Rows, learned: Sequence[Learned] = ()) -> Arrays:
    """Counts of some reports: rows, (reports, width of the part)."""
    places = 8 * part.width
    bits = np.zeros(places, dtype=np.int64)
    pairs = np.zeros(max(places - 1, 0), dtype=np.int64)
    paired = min(places, MOST_PAIRED)
    together = np.zeros((paired, paired), dtype=np.int64)
    step = max(1, _AT_ONCE // places)
    for start in range(0, len(rows), step):
        # shape: reports, bits
        shown = bits_of(rows[start : start + step])
        bits += shown.sum(axis=0)
        pairs += (shown[:, 1:] & shown[:, :-1]).sum(axis=0)
        # Whole numbers of up to 2^22 are exact in these.
        first = shown[:, :paired].astype(np.float32)
        together += (first.T @ first).astype(np.int64)
    arrays = {
        "draws": np.array([len(rows)]),
        "bits": bits,
        "pairs": pairs,
        "distant": together[distant_places(places)],
        "events": np.array(
            [event.happens(rows).sum() for event in part.events], dtype=np.int64
        ),
    }
    if part.columns is not None:
        columns = part.columns.shape[1]
        arrays["columns"] = np.bincount(part.column_of(rows), minlength=columns)
    if part.counts_within:
        arrays |= _within(part, rows)
    if learned:
        arrays["after"] = np.array([len(rows)])
        happened = [event.happens(part, rows).sum() for event in learned]
        arrays["learned"] = np.array(happened, dtype=np.int64)
    return arrays


def drawn_rows(
    question: Question, answer: object, reports: int, *, random: Random
) -> Rows:
    """The core's own reports of an answer, (reports, width)."""
    values = [value_of(question, answer) for _ in range(reports)]
    return draw_rows(question, values, random)


def _within(part: EnvelopePart, rows: Rows) -> Arrays:
    """Counts by cohort, and by cohort and bit, of the answer's own."""
    layout = part.question.layout
    cohorts = number_of(rows[:, : layout.prefix_width])
    own = bits_of(np.ascontiguousarray(rows[:, layout.prefix_width :]))

    def by_cohort(chosen: Integers) -> Counts:
        return np.bincount(chosen, minlength=layout.cohorts)

    # One bit behind the other, and of each all cohorts.
    ones = [by_cohort(cohorts[own[:, at]]) for at in range(own.shape[1])]
    return {
        "cohorts": by_cohort(cohorts),
        "within": np.concatenate(ones),
    }


def add(total: Arrays, further: Arrays) -> None:
    """Add counts to others, in place."""
    for name, counts in further.items():
        total[name] = total[name] + counts if name in total else counts


def as_json(arrays: Mapping[str, Counts]) -> dict[str, list[int]]:
    """Counts ready for JSON."""
    return {name: counts.tolist() for name, counts in arrays.items()}


def read(record: Mapping[str, Any]) -> Arrays:
    """Counts from JSON."""
    return {name: np.array(counts, dtype=np.int64) for name, counts in record.items()}


class ReportRuns:
    """Runs of reports that came one after the other, from the start of each process on.

    Two equal ones are the same randomness, used twice, however many reports later. Kept
    are those that lie end to end, and looked for is the run from each report on.
    """

    def __init__(self) -> None:
        self._seen: set[bytes] = set()
        self.equal = 0

    def add(self, rows: Rows, bits_each: float) -> None:
        """Note the runs in rows of which each surprises by so many bits at least."""
        if bits_each <= 0:
            return
        length = math.ceil(_SURELY_DIFFERENT / bits_each)
        width, content = rows.shape[1], rows.tobytes()
        is_affordable = length * len(content) <= _MOST_HASHED
        for start in range(0, len(rows) - length + 1, 1 if is_affordable else length):
            run = content[start * width : (start + length) * width]
            key = hashlib.blake2b(run, digest_size=16).digest()
            self.equal += key in self._seen
            if start % length == 0 and len(self._seen) < MOST_RUNS:
                self._seen.add(key)


def least_surprise(part: EnvelopePart, number: int) -> float:
    """Bits by which any report of an answer surprises at least, by its law; 0 if
    unknown.
    """
    layout = part.question.layout
    if part.columns is not None:
        return -math.log2(part.columns[number].max())
    if layout.modulus or layout.codewords:
        return 31.0
    if part.bits is not None and not layout.ones:
        rates = part.bits[number, : layout.bits]
        return float(-np.log2(np.maximum(rates, 1 - rates)).sum())
    return 0.0
