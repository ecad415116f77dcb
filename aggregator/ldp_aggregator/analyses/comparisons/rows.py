"""Rows of a comparison: what differs between two sides, value by value, with intervals
and tests.

Several comparisons may be one family: their values are then looked at as if they were
of one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ldp_aggregator.analyses.comparisons import mover
from ldp_aggregator.analyses.comparisons.comparison import Compared, IntervalEstimate
from ldp_aggregator.analyses.comparisons.sharing import Sharing, shared_of_means
from ldp_aggregator.analyses.comparisons.sides import Ends, Side, number_sides
from ldp_aggregator.analyses.comparisons.significance import (
    LevelIntervals,
    adjust,
    different,
    equivalent,
    missing_of,
)
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.numerics.arrays import Floats


class ComparisonOptions(NamedTuple):
    """Options of every comparison."""

    correction: str | None
    margin: float | None
    level: float
    overlap: float | None = None


class Pair(NamedTuple):
    """Pair to compare: arrays of shape (M,), and the common part of their errors."""

    first: Side
    second: Side
    sharing: Sharing
    odds: bool
    """Whether the numbers are shares, which have odds."""


def rows_of(
    named: Sequence[tuple[Sequence[str], Pair]], asked: ComparisonOptions
) -> list[tuple[Compared, ...]]:
    """The rows of each comparison, whose values are called so; all together are one
    family.
    """
    if not named:
        return []
    pair = named[0][1] if len(named) == 1 else _join([pair for _, pair in named])
    rows = list(_rows([value for values, _ in named for value in values], pair, asked))
    ends = np.cumsum([len(values) for values, _ in named]).tolist()
    return [
        tuple(rows[start:end]) for start, end in zip([0, *ends], ends, strict=False)
    ]


def _join(pairs: Sequence[Pair]) -> Pair:
    """The values of all pairs side by side."""
    least = np.concatenate([pair.sharing.least for pair in pairs])
    most = np.concatenate([pair.sharing.most for pair in pairs])
    return Pair(
        _side_by_side([pair.first for pair in pairs]),
        _side_by_side([pair.second for pair in pairs]),
        Sharing(least, most, ""),
        odds=pairs[0].odds,
    )


def _side_by_side(sides: Sequence[Side]) -> Side:
    def ends(missing: float) -> Ends:
        low, high = zip(*(side.ends(missing) for side in sides), strict=True)
        return np.concatenate(low), np.concatenate(high)

    return Side(
        np.concatenate([side.estimate for side in sides]),
        np.concatenate([side.error for side in sides]),
        ends,
    )


def _rows(
    values: Sequence[str], pair: Pair, asked: ComparisonOptions
) -> Iterator[Compared]:
    first, second = pair.first, pair.second
    together, closest = pair.sharing.correlations(first.error, second.error)
    apart = second.estimate - first.estimate
    ends = partial(mover.difference, first, second, together=together)
    levels = LevelIntervals(apart, ends)
    chances = different(levels)
    corrected = adjust(chances, asked.correction)
    missing = missing_of(asked.level, asked.correction, corrected)
    alike = None
    if asked.margin is not None:
        alike = equivalent(levels, asked.margin)
    low, high = ends(missing)
    spans = _spans(pair, missing, together)
    least = mover.difference(first, second, missing, together=closest)
    errors = np.sqrt(np.maximum(_variance(first, second, together), 0.0))
    for place, value in enumerate(values):
        yield Compared(
            value,
            float(first.estimate[place]),
            float(second.estimate[place]),
            difference=float(apart[place]),
            standard_error=float(errors[place]),
            low=_within(low[place], odds=pair.odds),
            high=_within(high[place], odds=pair.odds),
            narrowest=(
                _within(least[0][place], odds=pair.odds),
                _within(least[1][place], odds=pair.odds),
            ),
            ratio=spans[0](place),
            odds_ratio=spans[1](place) if pair.odds else None,
            p_value=float(chances[place]),
            adjusted=float(corrected[place]),
            different=bool(corrected[place] <= 1 - asked.level),
            equivalence=None if alike is None else float(alike[place]),
        )


def _within(end: float, *, odds: bool) -> float:
    """An end of a difference of shares, which lies between -1 and 1."""
    if odds:
        return float(min(max(end, -1.0), 1.0))
    return float(end)


def _variance(first: Side, second: Side, together: Floats) -> Floats:
    product = first.error * second.error
    variance: Floats = first.error**2 + second.error**2 - 2 * together * product
    return variance


def _spans(
    pair: Pair, missing: float, together: Floats
) -> tuple[Callable[[int], IntervalEstimate], ...]:
    """Ratios and odds ratios, by place."""
    a, b = pair.first.estimate, pair.second.estimate
    ratio = (
        mover.ratio_of(a, b),
        mover.ratio(pair.first, pair.second, missing, together=together),
    )
    if not pair.odds:
        return (partial(_span, *ratio),)
    odds = (
        mover.odds_of(a, b),
        mover.odds_ratio(pair.first, pair.second, missing, together=together),
    )
    return partial(_span, *ratio), partial(_span, *odds)


def _span(estimate: Floats, ends: Ends, place: int) -> IntervalEstimate:
    """A quotient that has no upper end is not given: what it is divided by may be
    nothing.
    """
    low, high = float(ends[0][place]), float(ends[1][place])
    return IntervalEstimate(
        float(estimate[place]) if math.isfinite(high) else math.nan, low, high
    )


def numbers_of(
    pairs: Sequence[tuple[QuestionEstimates, QuestionEstimates]],
    asked: ComparisonOptions,
) -> list[tuple[Compared, ...]]:
    """Means, variances and quantiles of each comparison.

    Each of them is a family of all comparisons.
    """
    rows: list[list[Compared]] = [[] for _ in pairs]
    # Within a comparison a mean is by itself.
    correction = asked.correction if len(pairs) > 1 else None
    sides = [(number_sides(first), number_sides(second)) for first, second in pairs]
    for place, name in enumerate(sides[0][0]):
        both = [
            _number(name, listed, first=first, overlap=asked.overlap)
            for listed, (first, _) in zip(sides, pairs, strict=True)
        ]
        known = [((name,), pair) for pair in both if pair is not None]
        margin = asked.margin if not len(pairs[0][0]) and place == 0 else None
        compared = iter(
            rows_of(known, asked._replace(correction=correction, margin=margin))
        )
        for listed, pair in zip(rows, both, strict=True):
            if pair is not None:
                listed.extend(next(compared))
    return [tuple(listed) for listed in rows]


def _number(
    name: str,
    sides: tuple[dict[str, Side], dict[str, Side]],
    *,
    first: QuestionEstimates,
    overlap: float | None,
) -> Pair | None:
    """A number of both sides, if both have it."""
    one, other = (known.get(name) for known in sides)
    if one is None or other is None:
        return None
    sharing = shared_of_means(first, overlap, one.error * other.error)
    return Pair(one, other, sharing, odds=False)
