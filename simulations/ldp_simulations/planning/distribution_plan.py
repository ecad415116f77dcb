"""Plans of distributions: how well ranges, the median and the mean of a number will be known.

Errors are those that the decoder states of the tally to be expected, with answers spread evenly
over the values. Ranges differ little in them: the worst of those looked at counts, which are the
shares below 32 places, and the stretches of a quarter, a half and three quarters of the line. The
median is off by the error of the share below it, over how many answers lie at a place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from ldp.errors import EstimateError
from ldp.survey import Question, Survey
from ldp_aggregator.arcs.bound import prefixes
from ldp_aggregator.arrays import Floats
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.distributions.distribution import Distribution, distribution_of
from ldp_aggregator.distributions.line import Line
from ldp_aggregator.options import Options
from ldp_aggregator.rendering.sheet import TextTable
from ldp_aggregator.tallies.counting import total_reports
from ldp_simulations.planning.asking import MOST_RESPONDENTS, Ask
from ldp_simulations.planning.entries import (
    answering,
    described_number,
    drawn_in_words,
    forged_in_words,
    forged_reports,
    short,
    whole,
)
from ldp_simulations.sampling.table import expected_counts

_PLACES = 32
_STRETCHES = 8


class DistributionPlan(NamedTuple):
    """What n respondents tell of a distribution; None if none are enough."""

    question: Question
    respondents: int | None
    range_error: float
    """The standard error of a share that a single respondent would leave, of the worst range."""
    mean_error: float | None
    """The same of the mean, in the unit of the answers; None of cells, which have no mean."""
    median_error: float
    """The same of the median, in that unit."""
    quantile: float
    """Of the normal law, for intervals."""
    reach: float
    """How many reports' worth one forged report can shift the share of a range."""

    def half_width(self, error_of_one: float | None) -> float | None:
        """Half an interval, from what one respondent would leave."""
        if self.respondents is None or error_of_one is None:
            return None
        return float(self.quantile * error_of_one / self.respondents**0.5)


def distributions_of_survey(
    survey: Survey, respondents: int | None, ask: Ask
) -> list[DistributionPlan]:
    """A plan for each question whose mechanism is for distributions.

    Raises `EstimateError` if there is neither a number of respondents nor a half-width to be kept.
    """
    plans = []
    for question in survey:
        if decoder_of(question.randomizer).gives != "distribution":
            continue
        if respondents is None and ask.half_width is None and ask.mean_half_width is None:
            raise EstimateError(
                f"question {question.name!r}, of which a distribution is estimated: expected "
                "--respondents, or --half-width (of the share of any range) or --mean-half-width "
                "to find them by"
            )
        plans.append(_planned(question, answering(question.share, respondents), ask))
    return plans


def record(plan: DistributionPlan, forged: int | None) -> dict[str, Any]:
    """Ready for JSON; half-widths of mean and median are in the unit of the answers."""
    respondents = plan.respondents
    entry = described_number(plan.question, respondents)
    if respondents is None:
        return entry
    fakes = forged_reports(respondents, forged)
    mean = plan.half_width(plan.mean_error)
    return entry | {
        "range": {
            "standard_error": plan.range_error / respondents**0.5,
            "half_width": plan.half_width(plan.range_error),
        },
        **({} if mean is None else {"mean": {"half_width": mean}}),
        "median": {"half_width": plan.half_width(plan.median_error)},
        "forged": {"reports": fakes, "shift": plan.reach * fakes / respondents},
    }


def text_table(plans: Sequence[DistributionPlan], ask: Ask, forged: int | None) -> TextTable:
    """A row for each question, and what the columns mean."""
    headings = (
        "distribution of",
        "mechanism",
        "epsilon",
        "respondents",
        "range\nhalf-width",
        "median\nhalf-width",
        "mean\nhalf-width",
        "unit",
        "report\nbytes",
        "forged\nshift",
    )
    rows = []
    records = [record(plan, forged) for plan in plans]
    for entry in records:
        widths = (entry.get(name, {}).get("half_width") for name in ("range", "median", "mean"))
        rows.append(
            (
                entry["name"],
                entry["mechanism"],
                entry["epsilon"]["declared"],
                whole(entry["respondents"]),
                *map(short, widths),
                entry["unit"] or "-",
                str(entry["report_bytes"]),
                short(entry.get("forged", {}).get("shift")),
            )
        )
    remarks = [
        f"half-widths: of {ask.level:g} intervals for the {ask.estimand}, of the share of any "
        "range, of the median and of the mean, if answers are spread evenly",
        f"forged shift: how far {forged_in_words(forged)}, if forged, can move the share of a "
        "range, at most",
        *drawn_in_words(records),
    ]
    return TextTable("", "", headings, rows=rows, remarks=remarks)


def _planned(question: Question, respondents: int | None, ask: Ask) -> DistributionPlan:
    size = question.domain.size or 0
    even = np.full(size, 1 / size)
    counts = expected_counts(question.randomizer, (), even)
    options = Options(ask.level, ask.estimand)
    expected = distribution_of(question, counts, options)
    assert expected is not None  # noqa: S101 (a distribution is what the mechanism gives)
    reports = total_reports(counts, question.layout) ** 0.5
    queries = _ranges(expected.line)
    errors = expected.errors(queries) * reports
    edges = np.array([float(edge) for edge in expected.line.edges])
    mean_error = _mean_error(expected, edges)
    quantile = float(ndtri((1 + ask.level) / 2))
    at_median = float(expected.errors(expected.line.below(np.array([size // 2])))[0] * reports)
    plan = DistributionPlan(
        question,
        respondents,
        float(errors.max()),
        mean_error=None if mean_error is None else mean_error * reports,
        median_error=at_median * float(edges[-1] - edges[0]),
        quantile=quantile,
        reach=_reach(question, queries),
    )
    return plan if respondents is not None else plan._replace(respondents=_enough(plan, ask))


def _enough(plan: DistributionPlan, ask: Ask) -> int | None:
    """The least number of respondents that keeps all half-widths that are asked for."""
    goals = ((plan.range_error, ask.half_width), (plan.mean_error, ask.mean_half_width))
    needed = [
        math.ceil((plan.quantile * error / goal) ** 2)
        for error, goal in goals
        if goal is not None and error is not None
    ]
    return max(needed) if needed and max(needed) <= MOST_RESPONDENTS else None


def _mean_error(expected: Distribution, edges: Floats) -> float | None:
    if expected.line.cells:
        return None
    return float(expected.errors(edges[None, :-1])[0])


def _reach(question: Question, queries: Floats) -> float:
    query_range = decoder_of(question.randomizer).query_range
    assert query_range is not None  # noqa: S101 (a row for distributions has it)
    scores = query_range(question.randomizer, queries)
    return float(max(scores.most, 1 - scores.least))


def _ranges(line: Line) -> Floats:
    """What is looked at, of shape (ranges, values)."""
    stretches = [
        (line.size * start // _STRETCHES, line.size * (start + wide) // _STRETCHES)
        for wide in (2, 4, 6)
        for start in range(_STRETCHES - wide + 1)
    ]
    inner = [line.between_places(first, last) for first, last in stretches]
    return np.concatenate([prefixes(line.size, most=_PLACES), inner])
