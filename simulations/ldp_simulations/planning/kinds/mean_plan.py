"""Plans of means: how well the mean of a question without frequencies will be known.

Errors are those that the decoder states of the tally to be expected, with answers
spread evenly over the range, and shrink with the root of the number of respondents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.answers.results.manipulation import mean_reach
from ldp_aggregator.answers.results.means import ends_of, parts_of, rounding_variance
from ldp_aggregator.decoders.table import decoder_of
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
    short,
    whole,
)
from ldp_simulations.population import points_of
from ldp_simulations.sampling.table import expected_counts


@dataclass(frozen=True)
class MeanPlan:
    """Error of a mean from n respondents, in the unit of the answers; None if none are
    enough.
    """

    question: Question
    respondents: int | None
    error_of_one: float
    """The standard error that a single respondent would leave."""
    quantile: float
    """Of the normal law, for intervals."""
    reach: float
    """How many reports' worth one forged report can shift the mean."""

    @property
    def error(self) -> float | None:
        """The standard error of the mean."""
        if self.respondents is None:
            return None
        return self.error_of_one / math.sqrt(self.respondents)

    @property
    def half_width(self) -> float | None:
        """Half the interval."""
        if self.error is None:
            return None
        return self.quantile * self.error


def means_of_survey(
    questions: Sequence[Question], respondents: int | None, ask: Ask
) -> list[MeanPlan]:
    """A plan for each question of which a mean alone is estimated.

    Raises `EstimateError` if there is neither a number of respondents nor a half-width
    to be kept.
    """
    plans = []
    unplanned = [question for question in questions if _is_bare_shape(question)]
    if len(unplanned) == len(questions):
        raise EstimateError(
            f"question {unplanned[0].name!r}: expected steps, with a mean to be "
            "planned: how well the shape of cells will be known depends on the shape"
        )
    for question in questions:
        if decoder_of(question.randomizer).gives != "mean" or _is_bare_shape(question):
            continue
        if respondents is None and ask.mean_half_width is None:
            raise EstimateError(
                f"question {question.name!r}, of which a mean is estimated: expected "
                "--respondents, or --mean-half-width to find them by"
            )
        plans.append(_plan(question, answering(question.share, respondents), ask))
    return plans


def _is_bare_shape(question: Question) -> bool:
    """Whether it has a shape of cells alone, which have no mean."""
    return (
        decoder_of(question.randomizer).shape is not None
        and question.domain.spacing is None
    )


def record(plan: MeanPlan, forged: int | None) -> dict[str, Any]:
    """Ready for JSON; numbers are in the unit of the answers."""
    respondents = plan.respondents
    entry = described_number(plan.question, respondents)
    if respondents is None:
        return entry
    return entry | {
        "mean": {"standard_error": plan.error, "half_width": plan.half_width},
        **forged_shift(plan.reach, respondents, forged),
    }


def text_table(plans: Sequence[MeanPlan], ask: Ask, forged: int | None) -> TextTable:
    """A row for each question, and what the columns mean."""
    headings = (
        "mean of",
        "mechanism",
        "epsilon",
        "respondents",
        "standard\nerror",
        "half-\nwidth",
        "unit",
        "report\nbytes",
        "forged\nshift",
    )
    rows = []
    records = [record(plan, forged) for plan in plans]
    for entry in records:
        mean, shift = entry.get("mean", {}), entry.get("forged", {}).get("shift")
        numbers = (mean.get("standard_error"), mean.get("half_width"))
        rows.append(
            (
                entry["name"],
                entry["mechanism"],
                entry["epsilon"]["declared"],
                whole(entry["respondents"]),
                *map(short, numbers),
                entry["unit"] or "-",
                str(entry["report_bytes"]),
                short(shift),
            )
        )
    remarks = [
        f"standard error, half-width: of the mean and its {ask.level:g} interval for "
        f"the {ask.estimand}, if answers are spread evenly over the range",
        (
            f"forged shift: how far {forged_in_words(forged)}, if forged, can move the "
            "mean, at most"
        ),
        *drawn_in_words(records),
    ]
    return TextTable("", "", headings, rows=rows, remarks=remarks)


def _plan(question: Question, respondents: int | None, ask: Ask) -> MeanPlan:
    randomizer, ends = question.randomizer, ends_of(question.domain)
    assert ends is not None  # noqa: S101 (mechanisms for means are for numbers)
    points = points_of(question.domain)
    even = np.full(len(points), 1 / len(points))
    counts = expected_counts(randomizer, points, even)
    parts = parts_of(randomizer, None, counts)
    assert parts is not None  # noqa: S101 (a mean is what the mechanism gives)
    variance = parts.variance * total_reports(counts, question.layout)
    if ask.estimand == "population":
        variance += max(parts.mean_square - parts.estimate**2, 0.0)
    else:
        variance += rounding_variance(question)
    step = ends[2]
    error = step * math.sqrt(variance)
    quantile = float(ndtri((1 + ask.level) / 2))
    if respondents is None:
        respondents = enough(error, ask.mean_half_width or 1, quantile)
    reach = step * float(mean_reach(randomizer))
    return MeanPlan(question, respondents, error, quantile=quantile, reach=reach)
