"""How shares are estimated: moments, a mean of numbers, and what forged reports can
do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ldp_aggregator.answers.results.manipulation import Manipulation, manipulation
from ldp_aggregator.answers.results.means import Mean, ends_of, mean_of
from ldp_aggregator.answers.results.room import AnswerKind, CountedQuestion
from ldp_aggregator.answers.shares.frequencies import Kind, estimates_from, moments_of
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates
from ldp_aggregator.decoders.decoder import Queries
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Floats


class Numbers(NamedTuple):
    """What reports say."""

    moments: Moments
    mean: Mean | None
    bound: Manipulation


def numbers_of(
    counted: CountedQuestion,
    values: tuple[str, ...],
    queries: Floats | None = None,
    known: Queries | None = None,
) -> Numbers:
    """The moments of values, and what follows from them.

    `queries`, (values, cells of the mechanism), are what each value is made of, and
    `known` is how these are answered, where that has been worked out.
    """
    moments = moments_of(
        counted.question.randomizer,
        counted.counts,
        values,
        design=counted.design,
        reports_per_person=counted.options.repeats,
        queries=queries,
        known=known,
    )
    mean = mean_of(counted.question, moments, counted.counts, options=counted.options)
    return Numbers(moments, mean, bound_of(counted, mean, queries))


def bound_of(
    counted: CountedQuestion, mean: Mean | None, queries: Floats | None = None
) -> Manipulation:
    """How far forged reports can move shares, or the answers of queries, and the mean
    if any.
    """
    domain = counted.question.domain
    scale, ends = domain.key_scale, ends_of(domain)
    return manipulation(
        counted.question.randomizer,
        counted.counts,
        step=None if mean is None or ends is None else ends[2],
        queries=queries,
        ends=None if scale is None else (scale.low, scale.high),
    )


def shares_of(
    counted: CountedQuestion,
    numbers: Numbers,
    values: tuple[str, ...],
    kind: type[Kind],
    note: str = "",
    **own: Any,
) -> Kind:
    """The estimates of a kind; `own` are its own fields."""
    return estimates_from(
        numbers.moments,
        counted.question,
        counted.reports,
        values=values,
        options=counted.options,
        bound=numbers.bound,
        kind=kind,
        mean=numbers.mean,
        note=note or counted.note,
        **own,
    )


def estimate(counted: CountedQuestion) -> ShareEstimates:
    """The shares of the values of a question with reports."""
    numbers = numbers_of(counted, counted.values)
    return shares_of(counted, numbers, counted.values, kind=ShareEstimates)


ROOM = AnswerKind(ShareEstimates, estimate)
