"""How distributions are estimated: the cells of a histogram, or every value by
itself.
"""

from __future__ import annotations

from dataclasses import replace

from ldp_aggregator.answers.distributions.distribution import (
    Distribution,
    distribution_of,
)
from ldp_aggregator.answers.distributions.distribution_estimates import (
    DistributionEstimates,
    distribution_behind,
)
from ldp_aggregator.answers.lines.line import Cells, OrderedValues
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.means import FEWEST
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.room import AnswerKind, CountedQuestion
from ldp_aggregator.answers.shares.room import numbers_of, shares_of
from ldp_aggregator.output.checks import Remark

FEWEST_MISSING = 30
"""Reports that have to miss their value for the errors of a distribution to be nearly
normal.
"""
_ON_CIRCLE = (
    "values lie on a circle: quantiles, mean and variance depend on where it is cut, "
    "and are not shown"
)
_MIDDLES = "the mean direction is that of the middles of the cells"


def chosen_cells(line: OrderedValues, options: Options) -> Cells:
    """Every value by itself if that was asked for, else the cells of a histogram."""
    if options.frequencies:
        return line.values
    return line.histogram(options.numbers.edges or None)


def estimate(counted: CountedQuestion) -> DistributionEstimates:
    """The shares of cells, and the distribution behind them, of a question with
    reports.
    """
    question, options = counted.question, counted.options
    distribution = distribution_of(question, counted.counts, options)
    if distribution is None:
        numbers = numbers_of(counted, counted.values)
        return shares_of(counted, numbers, counted.values, kind=DistributionEstimates)
    distribution.check_ranges()
    cells = chosen_cells(distribution.line, options)
    values = counted.values if options.frequencies else cells.names
    numbers = numbers_of(
        counted, values, queries=cells.queries, known=distribution.queries
    )
    shares = shares_of(counted, numbers, values, kind=DistributionEstimates)
    return with_distribution(shares, distribution, cells)


def with_distribution(
    shares: DistributionEstimates, distribution: Distribution, cells: Cells
) -> DistributionEstimates:
    """Shares of cells with the distribution behind them, in a view that rises if asked
    for.
    """
    remarks = on_distribution(shares.reports, distribution.queries.missing)
    shares = replace(
        shares, distribution=distribution, remarks=(*shares.remarks, *remarks)
    )
    if shares.options.post_process != "monotone":
        return shares
    return replace(shares, frequency=distribution.monotone(cells))


def about(estimates: QuestionEstimates) -> tuple[str, ...]:
    """Return what to know of a distribution on a circle."""
    known = distribution_behind(estimates)
    if known is None or not known.line.circular:
        return ()
    if known.line.cells:
        return (_ON_CIRCLE, _MIDDLES)
    return (_ON_CIRCLE,)


def on_distribution(respondents: int, missing: float) -> tuple[Remark, ...]:
    """Whether few reports are behind ranges, quantiles and the cumulative distribution.

    `missing` is the share of them that hold not their respondent's value, but another
    by chance: where these are few and far off, as at a large epsilon, errors are far
    from the normal law.
    """
    if respondents >= FEWEST and respondents * missing >= FEWEST_MISSING:
        return ()
    text = (
        "Intervals of ranges and quantiles, and the band, go by the normal law, for "
        f"which {respondents} respondents, of whose reports about "
        f"{respondents * missing:.0f} hold another value by chance, are too few: they "
        "may hold the truth less often than they say."
    )
    return (Remark("few-counts", text),)


ROOM = AnswerKind(DistributionEstimates, estimate, about)
