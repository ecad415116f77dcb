"""Comparing: from two sets of estimates of one question to what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.arrays import Floats
from ldp_aggregator.comparisons import mover
from ldp_aggregator.comparisons.any_change import any_difference
from ldp_aggregator.comparisons.chances import (
    CORRECTIONS,
    Levels,
    adjusted,
    different,
    equivalent,
    missing_of,
)
from ldp_aggregator.comparisons.comparable import at_level, check_pair, pair_of
from ldp_aggregator.comparisons.comparison import Compared, Comparison, Span
from ldp_aggregator.comparisons.sharing import (
    Sharing,
    check_overlap,
    shared,
    shared_of_means,
)
from ldp_aggregator.comparisons.sides import Ends, Side, side_of, side_of_mean
from ldp_aggregator.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.estimates.survey_estimates import SurveyEstimates

MOST_VALUES = 100_000
"""Each is looked at by itself, at many levels."""
_FEW = {"few-reports", "few-counts"}
"""Remarks on estimates where normal theory fails."""
_APPROXIMATE = (
    "few reports are expected for some values: their intervals and p-values allow for that, the "
    "test of any difference does not"
)
_MARGIN_OF_SHARES = "expected a margin above 0 and at most 1, as frequencies are shares, got {}"


class _Asked(NamedTuple):
    correction: str | None
    margin: float | None
    level: float


class _Pair(NamedTuple):
    """What is compared: arrays of shape (M,), and what their errors share."""

    first: Side
    second: Side
    sharing: Sharing
    odds: bool
    """Whether the numbers are shares, which have odds."""


def compare(
    first: QuestionEstimates | SurveyEstimates,
    second: QuestionEstimates | SurveyEstimates,
    /,
    *,
    question: str | None = None,
    level: float | None = None,
    simultaneous: str | None = None,
    margin: float | None = None,
    overlap: float | None = None,
    names: tuple[str, str] = ("A", "B"),
    allow_equal: bool = False,
) -> Comparison:
    """What differs between two sets of estimates of one question: the second less the first.

    first, second  estimates of a question, or of surveys, of different reports
    question       which question of the surveys
    level          coverage of the intervals; that of the first estimates, if it is not given
    simultaneous   how looking at all values is allowed for: "bh", "bonferroni" or "holm"
    margin         a difference that would not matter, to test whether it is smaller
    overlap        the share of the devices that reported to both with the same answer, from 0 to 1
    names          what the two are called
    allow_equal    take two tallies whose estimates are equal to be of other reports

    Differences and margins are of shares (from 0 to 1), or in the unit of a mean. Raises
    `EstimateError` for what cannot be compared, and `UnknownNameError` for other questions.

    >>> import ldp, ldp_aggregator, ldp_simulations as sim
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="2"))
    >>> before, after = (
    ...     ldp_aggregator.estimate(survey, sim.randomize(survey, {"mode": answers * 1000}))
    ...     for answers in (["car", "car", "bus"], ["car", "bus", "bus"])
    ... )
    >>> bus = ldp_aggregator.compare(before, after)["bus"]
    >>> 0.2 < bus.difference < 0.45 and bus.p_value < 0.001
    True
    """
    if simultaneous not in (None, *CORRECTIONS):
        known = ", ".join(CORRECTIONS)
        raise EstimateError(f"expected simultaneous to be one of {known}, got {simultaneous!r}")
    check_overlap(overlap)
    one, other = (at_level(side, level) for side in pair_of(first, second, question))
    check_pair(one, other, allow_equal=allow_equal)
    if len(one) > MOST_VALUES:
        raise EstimateError(f"expected at most {MOST_VALUES:,} values to compare, got {len(one):,}")
    if margin is not None:
        _check_margin(margin, shares=bool(len(one)) and not one.is_vector)
    asked = _Asked(simultaneous, margin, one.options.level)
    sharing = shared(one, other, overlap)
    shares = _Pair(side_of(one), side_of(other), sharing, odds=not one.is_vector)
    rows = tuple(_rows(one.values, shares, asked)) if len(one) else ()
    chances = np.array([row.p_value for row in rows])
    overall = None if one.is_vector else any_difference(one, other, chances)
    return Comparison(
        one,
        other,
        names,
        rows=rows,
        numbers=tuple(_numbers(one, other, overlap, asked=asked)),
        any_difference=overall,
        simultaneous=simultaneous,
        margin=margin,
        overlap=overlap,
        remarks=tuple(_remarks(one, other, sharing)),
    )


def _check_margin(margin: float, *, shares: bool) -> None:
    if not margin > 0 or (shares and margin > 1):
        raise EstimateError(_MARGIN_OF_SHARES.format(margin))


def _rows(values: tuple[str, ...], pair: _Pair, asked: _Asked) -> Iterator[Compared]:
    first, second = pair.first, pair.second
    together, closest = pair.sharing.correlations(first.error, second.error)
    apart = second.estimate - first.estimate
    ends = partial(mover.difference, first, second, together=together)
    levels = Levels(apart, ends)
    chances = different(levels)
    corrected = adjusted(chances, asked.correction)
    missing = missing_of(asked.level, asked.correction, corrected)
    alike = None if asked.margin is None else equivalent(levels, asked.margin)
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
    return float(min(max(end, -1.0), 1.0)) if odds else float(end)


def _variance(first: Side, second: Side, together: Floats) -> Floats:
    product = first.error * second.error
    variance: Floats = first.error**2 + second.error**2 - 2 * together * product
    return variance


def _spans(pair: _Pair, missing: float, together: Floats) -> tuple[Callable[[int], Span], ...]:
    """Ratios and odds ratios, by place."""
    a, b = pair.first.estimate, pair.second.estimate
    ratio = mover.ratio_of(a, b), mover.ratio(pair.first, pair.second, missing, together=together)
    if not pair.odds:
        return (partial(_span, *ratio),)
    odds = (
        mover.odds_of(a, b),
        mover.odds_ratio(pair.first, pair.second, missing, together=together),
    )
    return partial(_span, *ratio), partial(_span, *odds)


def _span(estimate: Floats, ends: Ends, place: int) -> Span:
    return Span(float(estimate[place]), float(ends[0][place]), float(ends[1][place]))


def _numbers(
    first: QuestionEstimates, second: QuestionEstimates, overlap: float | None, asked: _Asked
) -> Iterator[Compared]:
    """Means and variances, of which each is by itself."""
    others = dict(second.numbers)
    for name, number in first.numbers:
        if name not in others:
            continue
        error = np.array([number.standard_error * others[name].standard_error])
        pair = _Pair(
            side_of_mean(number),
            side_of_mean(others[name]),
            shared_of_means(first, overlap, error),
            odds=False,
        )
        margin = asked.margin if not len(first) and name == first.numbers[0][0] else None
        yield from _rows((name,), pair, asked._replace(correction=None, margin=margin))


def _remarks(
    first: QuestionEstimates, second: QuestionEstimates, sharing: Sharing
) -> Iterator[str]:
    if sharing.sentence:
        yield sharing.sentence
    if _FEW & {remark.name for side in (first, second) for remark in side.remarks}:
        yield _APPROXIMATE
    for side in (first, second):
        if side.left_out:
            yield "of values that were chosen for their estimates, differences are off by chance"
            break
    if first.question.fingerprint != second.question.fingerprint:
        yield (
            f"the two are of different versions of the question ({first.question.mechanism}, "
            f"epsilon {first.question.declared.text}, and {second.question.mechanism}, epsilon "
            f"{second.question.declared.text}), each decoded by its own channel"
        )
