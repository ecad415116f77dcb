"""Plans of distributions: how well ranges, the median and the mean of a number will be
known.

Errors are those that the decoder states of the tally to be expected, with answers
spread evenly over the values. Ranges differ little in them: the worst of those looked
at counts, which are the shares below 32 places, and the stretches of a quarter, a half
and three quarters of the line. The median is off by the error of the share below it,
over how many answers lie at a place.

Of a circle these are ranges of 16 widths, and in place of mean and median, which depend
on where it is cut, there is the mean direction, if the resultant is half as long as it
can be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.answers.distributions.circle import waves
from ldp_aggregator.answers.distributions.distribution import (
    Distribution,
    distribution_of,
)
from ldp_aggregator.answers.lines.line import OrderedValues
from ldp_aggregator.answers.options import WHOM, Options
from ldp_aggregator.decoders.arcs.bound import around_circle, efficiency, prefixes
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.sheet import TextTable
from ldp_aggregator.tallies.counting.counting import total_reports
from ldp_simulations.planning.kinds.asking import Ask
from ldp_simulations.planning.kinds.entries import (
    answering,
    described_number,
    drawn_in_words,
    enough,
    forged_in_words,
    forged_shift,
    share,
    short,
    whole,
)
from ldp_simulations.sampling.table import expected_counts

_PLACES = 32
_AROUND = 64
_RESULTANT = 0.5
_OF_DIRECTIONS = (
    "direction: of the interval of the mean direction, if the resultant is half as "
    "long as it can be (and answers are spread as evenly as that)"
)
_STRETCHES = 8


class DistributionPlan(NamedTuple):
    """Errors of a distribution from n respondents; None if none are enough."""

    question: Question
    respondents: int | None
    range_error: float
    """The standard error of a share that a single respondent would leave, of the worst
    range.
    """
    mean_error: float | None
    """The same of the mean, in the unit of the answers; None of cells, which have no
    mean.
    """
    median_error: float | None
    """The same of the median, in that unit; None of a circle."""
    direction_error: float | None
    """The same of the mean direction of a circle, if its resultant has half the length
    it can.
    """
    efficiency: float | None
    """The least average variance of all shares for any mechanism, over this one's."""
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
    questions: Sequence[Question], respondents: int | None, ask: Ask
) -> list[DistributionPlan]:
    """A plan for each question whose mechanism is for distributions.

    Raises `EstimateError` if there is neither a number of respondents nor a half-width
    to be kept.
    """
    plans = []
    for question in questions:
        if decoder_of(question.randomizer).gives != "distribution":
            continue
        widths = (ask.half_width, ask.mean_half_width, ask.median_half_width)
        if respondents is None and widths == (None, None, None):
            raise EstimateError(
                f"question {question.name!r}, of which a distribution is estimated: "
                "expected --respondents, or --half-width (of the share of any range), "
                "--mean-half-width or --median-half-width to find them by"
            )
        plans.append(_plan(question, answering(question.share, respondents), ask))
    return plans


def record(plan: DistributionPlan, forged: int | None) -> dict[str, Any]:
    """Ready for JSON; half-widths of mean and median are in the unit of the answers."""
    respondents = plan.respondents
    entry = described_number(plan.question, respondents)
    if respondents is None:
        return entry
    others = {
        "mean": plan.half_width(plan.mean_error),
        "median": plan.half_width(plan.median_error),
        "direction": plan.half_width(plan.direction_error),
    }
    return entry | {
        "efficiency": plan.efficiency,
        "range": {
            "standard_error": plan.range_error / respondents**0.5,
            "half_width": plan.half_width(plan.range_error),
        },
        **{
            name: {"half_width": width}
            for name, width in others.items()
            if width is not None
        },
        **forged_shift(plan.reach, respondents, forged),
    }


def text_table(
    plans: Sequence[DistributionPlan], ask: Ask, forged: int | None
) -> TextTable:
    """A row for each question, and what the columns mean."""
    on_circle = any(plan.direction_error is not None for plan in plans)
    names = ("range", "median", "mean", *(["direction"] if on_circle else []))
    headings = (
        "distribution of",
        "mechanism",
        "epsilon",
        "respondents",
        "range\nhalf-width",
        "median\nhalf-width",
        "mean\nhalf-width",
        *(["direction\nhalf-width"] if on_circle else []),
        "unit",
        "effici-\nency",
        "report\nbytes",
        "forged\nshift",
    )
    rows = []
    records = [record(plan, forged) for plan in plans]
    for entry in records:
        widths = (entry.get(name, {}).get("half_width") for name in names)
        rows.append(
            (
                entry["name"],
                entry["mechanism"],
                entry["epsilon"]["declared"],
                whole(entry["respondents"]),
                *map(short, widths),
                entry["unit"] or "-",
                share(entry.get("efficiency")),
                str(entry["report_bytes"]),
                short(entry.get("forged", {}).get("shift")),
            )
        )
    remarks = [
        f"half-widths: of {ask.level:g} intervals for {WHOM[ask.estimand]}, of the "
        "share of any range, of the median and of the mean, if answers are spread "
        "evenly",
        *([_OF_DIRECTIONS] if on_circle else []),
        "efficiency: a bound that the average variance of all shares has for any "
        "mechanism at this epsilon, over this one's; -: the bound says nothing",
        f"forged shift: how far {forged_in_words(forged)}, if forged, can move the "
        "share of a range, at most",
        *drawn_in_words(records),
    ]
    return TextTable("", "", headings, rows=rows, remarks=remarks)


def _plan(question: Question, respondents: int | None, ask: Ask) -> DistributionPlan:
    size = question.domain.size or 0
    even = np.full(size, 1 / size)
    counts = expected_counts(question.randomizer, (), even)
    options = Options(ask.level, ask.estimand)
    expected = distribution_of(question, counts, options)
    assert expected is not None  # noqa: S101 (a distribution is what the mechanism gives)
    reports = total_reports(counts, question.layout) ** 0.5
    typical, queries = _ranges(expected.line)
    errors = expected.errors(queries) * reports
    noise = expected.queries.answer(typical).variance * reports**2
    mean_error, median_error, direction_error = _places(expected)
    plan = DistributionPlan(
        question,
        respondents,
        float(errors.max()),
        mean_error=_of_one(mean_error, reports),
        median_error=_of_one(median_error, reports),
        direction_error=_of_one(direction_error, reports),
        efficiency=efficiency(
            typical,
            noise,
            float(question.randomizer.ratio),
            circular=expected.line.circular,
        ),
        quantile=float(ndtri((1 + ask.level) / 2)),
        reach=_reach(question, queries),
    )
    if respondents is not None:
        return plan
    return plan._replace(respondents=_enough(plan, ask))


def _of_one(error: float | None, root: float) -> float | None:
    """Return the error of a single respondent, from the root of how many there are."""
    if error is None:
        return None
    return error * root


def _enough(plan: DistributionPlan, ask: Ask) -> int | None:
    """The least number of respondents that keeps all half-widths that are asked for."""
    goals = (
        (plan.range_error, ask.half_width),
        (plan.mean_error, ask.mean_half_width),
        (plan.median_error, ask.median_half_width),
    )
    needed = [
        enough(error, goal, plan.quantile)
        for error, goal in goals
        if goal is not None and error is not None
    ]
    known = [respondents for respondents in needed if respondents is not None]
    if known and len(known) == len(needed):
        return max(known)
    return None


def _places(expected: Distribution) -> tuple[float | None, float | None, float | None]:
    """The errors of mean, median and mean direction, as far as there are any."""
    line = expected.line
    edges = np.array([float(edge) for edge in line.edges])
    width = float(edges[-1] - edges[0])
    if line.circular:
        across = float(expected.errors(waves(line)[:2]).max()) / _RESULTANT
        return None, None, across * width / (2 * math.pi)
    half = line.below(np.array([line.size // 2]))
    at_median = float(expected.errors(half)[0]) * width
    mean = None if line.cells else float(expected.errors(edges[None, :-1])[0])
    return mean, at_median, None


def _reach(question: Question, queries: Floats) -> float:
    query_range = decoder_of(question.randomizer).ranges.score_range
    assert query_range is not None  # noqa: S101 (a row for distributions has it)
    scores = query_range(question.randomizer, queries)
    return float(max(scores.most, 1 - scores.least))


def _ranges(line: OrderedValues) -> tuple[Floats, Floats]:
    """Return the ranges to average, and all ranges: each of shape (ranges, values)."""
    if line.circular:
        around = around_circle(line.size, most=_AROUND)
        return around, around
    stretches = [
        (line.size * start // _STRETCHES, line.size * (start + wide) // _STRETCHES)
        for wide in (2, 4, 6)
        for start in range(_STRETCHES - wide + 1)
    ]
    inner = [line.between_places(first, last) for first, last in stretches]
    below = prefixes(line.size, most=_PLACES)
    return below, np.concatenate([below, inner])
