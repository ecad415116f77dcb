"""Events learned from the first half of the draws, for what no law declares.

For two answers, from how often each report came, or each bit was 1:

    columns  the reports that came more often with the one, as many as give the best
             bound
    bit      the one bit whose state tells most
    score    the sum over bits of the logarithms of ratios (naive Bayes), beyond its
             mean with the one answer, and beyond one and two standard deviations more

They are tried on the second half alone: what was chosen by looking says nothing by
itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Counts, Flags, Floats, Rows
from ldp_simulations.audit.bounds import FALSE_ALARMS, least_epsilon
from ldp_simulations.audit.parts import EnvelopePart, best_columns, bits_of, in_columns

COLUMNS, BIT, SCORE = "columns", "bit", "score"
_CLEAR = 4.0
"""Standard errors by which a bit has to differ to count in a score."""
_DEVIATIONS = (0.0, 1.0, 2.0)
_SMOOTH = 0.5
_AT_ONCE = 1 << 22


class Learned(NamedTuple):
    """An event that speaks for one answer against another, by their places."""

    one: int
    other: int
    kind: str
    numbers: tuple[float, ...]
    """Columns, or the weight of each bit; behind these, of bits, the least sum."""

    def happens(self, part: EnvelopePart, rows: Rows) -> Flags:
        """Whether it does, of rows, (reports, width)."""
        if self.kind == COLUMNS:
            chosen = np.zeros(
                0 if part.columns is None else part.columns.shape[1], dtype=bool
            )
            chosen[np.array(self.numbers, dtype=int)] = True
            return in_columns(part, chosen, rows)
        *weights, least = self.numbers
        asked = np.array(weights)
        step = max(1, _AT_ONCE // len(asked))
        sums = [
            bits_of(rows[start : start + step]) @ asked
            for start in range(0, len(rows), step)
        ]
        flags: Flags = np.concatenate(sums or [np.empty(0)]) >= least
        return flags

    @property
    def what(self) -> str:
        """In words."""
        if self.kind == COLUMNS:
            return f"learned: {len(self.numbers)} reports"
        if self.kind == BIT:
            place = int(np.flatnonzero(self.numbers[:-1])[0])
            return f"learned: bit {place} is {int(self.numbers[place] > 0)}"
        return "learned: a score of bits"


def learn(
    part: EnvelopePart, counts: Mapping[int, Mapping[str, Counts]]
) -> list[Learned]:
    """Events from counts by the places of answers."""
    learned: list[Learned] = []
    for one, other in permutations(range(len(part.answers)), 2):
        first, second = counts.get(one), counts.get(other)
        if (
            first is None
            or second is None
            or not (first["draws"][0] and second["draws"][0])
        ):
            continue
        if part.columns is not None:
            learned += _columns(one, other, first["columns"], second=second["columns"])
        else:
            learned += _of_bits(part, (one, other), first, second=second)
    return learned


def _columns(one: int, other: int, first: Counts, second: Counts) -> list[Learned]:
    total, columns = int(first.sum()), len(first)
    # What came once more or less by chance is not to look like an infinite ratio.
    chances = [
        (counts + _SMOOTH) / (counts.sum() + _SMOOTH * columns)
        for counts in (first, second)
    ]
    chosen = best_columns(chances[0], chances[1], total)
    if not chosen.any():
        return []
    return [
        Learned(one, other, COLUMNS, numbers=tuple(np.flatnonzero(chosen).tolist()))
    ]


def _of_bits(
    part: EnvelopePart,
    pair: tuple[int, int],
    first: Mapping[str, Counts],
    second: Mapping[str, Counts],
) -> list[Learned]:
    draws = (int(first["draws"][0]), int(second["draws"][0]))
    rates = [
        np.asarray(
            (counts["bits"] + _SMOOTH) / (number + 2 * _SMOOTH), dtype=np.float64
        )
        for counts, number in zip((first, second), draws, strict=True)
    ]
    learned = [_bit(pair, first["bits"], second["bits"], draws=draws)]
    spread = sum(
        rate * (1 - rate) / number for rate, number in zip(rates, draws, strict=True)
    )
    clear = np.abs(rates[0] - rates[1]) > _CLEAR * np.sqrt(spread)
    if clear.sum() < 2 or 8 * part.width > _AT_ONCE:
        return learned
    # ln P[bit | one] / P[bit | other] of a 1, less that of a 0.
    weights = np.where(clear, _logits(rates), 0.0)
    mean = float(weights @ rates[0])
    deviation = float(np.sqrt(weights**2 @ (rates[0] * (1 - rates[0]))))
    for more in _DEVIATIONS:
        numbers = (*weights.tolist(), mean + more * deviation)
        learned.append(Learned(*pair, SCORE, numbers=numbers))
    return learned


def _bit(
    pair: tuple[int, int], first: Counts, second: Counts, draws: tuple[int, int]
) -> Learned:
    ones = least_epsilon((first, second), draws, FALSE_ALARMS)
    zeros = least_epsilon((draws[0] - first, draws[1] - second), draws, FALSE_ALARMS)
    weights = np.zeros(len(first))
    if ones.max() >= zeros.max():
        weights[int(ones.argmax())] = 1.0
        return Learned(*pair, BIT, numbers=(*weights.tolist(), 1.0))
    weights[int(zeros.argmax())] = -1.0
    return Learned(*pair, BIT, numbers=(*weights.tolist(), 0.0))


def _logits(rates: Sequence[Floats]) -> Floats:
    first, second = (np.log(rate) - np.log1p(-rate) for rate in rates)
    return np.asarray(first - second, dtype=np.float64)


def as_json(learned: Learned) -> dict[str, Any]:
    """Ready for JSON."""
    return learned._asdict()


def read(record: Mapping[str, Any]) -> Learned:
    """From JSON."""
    numbers = tuple(float(number) for number in record["numbers"])
    return Learned(
        int(record["one"]), int(record["other"]), str(record["kind"]), numbers=numbers
    )
