"""Comparing: from two sets of estimates of one question to what differs between
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.comparisons.any_change import AnyDifference, any_difference
from ldp_aggregator.analyses.comparisons.comparable import at_level, check_pair, pair_of
from ldp_aggregator.analyses.comparisons.comparison import Compared, Comparison
from ldp_aggregator.analyses.comparisons.rows import (
    ComparisonOptions,
    Pair,
    numbers_of,
    rows_of,
)
from ldp_aggregator.analyses.comparisons.sharing import (
    Sharing,
    check_overlap,
    sharing_of,
)
from ldp_aggregator.analyses.comparisons.sides import side_of
from ldp_aggregator.analyses.comparisons.significance import CORRECTIONS
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates

MOST_VALUES = 100_000
"""Each is looked at by itself, at many levels."""
_FEW = {"few-reports", "few-counts"}
"""Remarks on estimates where normal theory fails."""
_APPROXIMATE = (
    "few reports are expected for some values: their intervals and p-values allow for "
    "that, the test of any difference does not"
)
_MARGIN_OF_SHARES = (
    "expected a margin above 0 and at most 1, as frequencies are shares, got {}"
)


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
    """Compare two sets of estimates of one question: the second less the first.

    first, second  estimates of a question, or of surveys, of different reports
    question       which question of the surveys
    level          coverage of the intervals; that of the first estimates, if it is not
                   given
    simultaneous   how looking at all values is allowed for: "bh", "bonferroni" or
                   "holm"
    margin         a difference that would not matter, to test whether it is smaller
    overlap        the share of the devices that reported to both with the same answer,
                   from 0 to 1
    names          what the two are called
    allow_equal    take two tallies whose estimates are equal to be of other reports

    Differences and margins are of shares (from 0 to 1), or in the unit of a mean.
    Raises `EstimateError` for what cannot be compared, and `UnknownNameError` for other
    questions.

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
    pair = pair_of(first, second, question)
    [comparison] = compare_pairs(
        [(*pair, names)],
        level=level,
        simultaneous=simultaneous,
        margin=margin,
        overlap=overlap,
        allow_equal=allow_equal,
    )
    return comparison


def compare_pairs(
    pairs: Sequence[tuple[QuestionEstimates, QuestionEstimates, tuple[str, str]]],
    *,
    level: float | None = None,
    simultaneous: str | None = None,
    margin: float | None = None,
    overlap: float | None = None,
    allow_equal: bool = False,
) -> list[Comparison]:
    """Compare within each of some named pairs; one family of values.

    The rest is as for `compare`.
    """
    if simultaneous not in (None, *CORRECTIONS):
        known = ", ".join(CORRECTIONS)
        raise EstimateError(
            f"expected simultaneous to be one of {known}, got {simultaneous!r}"
        )
    check_overlap(overlap)
    both = [(at_level(one, level), at_level(other, level)) for one, other, _ in pairs]
    for one, other in both:
        check_pair(one, other, allow_equal=allow_equal)
    size = sum(len(one) for one, _ in both)
    if size > MOST_VALUES:
        raise EstimateError(
            f"expected at most {MOST_VALUES:,} values to compare, got {size:,}"
        )
    like, _ = both[0]
    if margin is not None:
        _check_margin(
            margin, shares=bool(len(like)) and isinstance(like, ShareEstimates)
        )
    asked = ComparisonOptions(simultaneous, margin, like.options.level, overlap=overlap)
    sharing = [sharing_of(one, other, overlap) for one, other in both]
    named = []
    for (one, other), common in zip(both, sharing, strict=True):
        odds = isinstance(one, ShareEstimates)
        named.append(
            (one.values, Pair(side_of(one), side_of(other), common, odds=odds))
        )
    rows = rows_of(named, asked) if size else [()] * len(both)
    numbers = numbers_of(both, asked)
    return [
        Comparison(
            *both[place],
            names,
            rows=rows[place],
            numbers=numbers[place],
            any_difference=_overall(*both[place], rows[place]),
            simultaneous=simultaneous,
            margin=margin,
            overlap=overlap,
            remarks=tuple(_remarks(*both[place], sharing[place])),
        )
        for place, (_, _, names) in enumerate(pairs)
    ]


def _overall(
    first: QuestionEstimates, second: QuestionEstimates, rows: Sequence[Compared]
) -> AnyDifference | None:
    """One test of all values."""
    chances = np.array([row.p_value for row in rows])
    if isinstance(first, ShareEstimates):
        return any_difference(first, second, chances)
    return None


def _check_margin(margin: float, *, shares: bool) -> None:
    if not margin > 0 or (shares and margin > 1):
        raise EstimateError(_MARGIN_OF_SHARES.format(margin))


def _remarks(
    first: QuestionEstimates, second: QuestionEstimates, sharing: Sharing
) -> Iterator[str]:
    if sharing.sentence:
        yield sharing.sentence
    if _FEW & {remark.name for side in (first, second) for remark in side.remarks}:
        yield _APPROXIMATE
    repeats = [
        str(remark)
        for side in (first, second)
        for remark in side.remarks
        if remark.name == "repeats"
    ]
    yield from dict.fromkeys(repeats)
    for side in (first, second):
        if side.left_out:
            yield (
                "of values that were chosen for their estimates, differences are off "
                "by chance"
            )
            break
    if first.question.fingerprint != second.question.fingerprint:
        yield (
            "the two are of different versions of the question "
            f"({first.question.mechanism}, epsilon {first.question.declared.text}, and "
            f"{second.question.mechanism}, epsilon {second.question.declared.text}), "
            "each decoded by its own channel"
        )
