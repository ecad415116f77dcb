"""Plans of mean vectors: how well each coordinate will be known, and the vector as a
whole.

Errors are by the law of codebook response, for a population of vectors of the full
length in all directions; others make hardly a difference, since nearly all of the error
is noise.
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
from ldp_aggregator.decoders.intervals.intervals import miss
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
from ldp_simulations.planning.kinds.mean_plan import MeanPlan
from ldp_simulations.sampling.table import expected_counts


@dataclass(frozen=True)
class VectorPlan(MeanPlan):
    """Errors of a mean vector from n respondents: of each coordinate, and of the
    whole.
    """

    dimensions: int

    @property
    def distance(self) -> float | None:
        """How far the estimated vector is from the true one: the root of the mean
        square.
        """
        return None if self.error is None else self.dimensions**0.5 * self.error


def vectors_of_survey(
    questions: Sequence[Question], respondents: int | None, ask: Ask
) -> list[VectorPlan]:
    """A plan for each question of type vector.

    Raises `EstimateError` if there is neither a number of respondents nor a half-width
    to be kept.
    """
    plans = []
    for question in questions:
        if decoder_of(question.randomizer).gives != "vector":
            continue
        if respondents is None and ask.mean_half_width is None:
            raise EstimateError(
                f"question {question.name!r}, of which a mean vector is estimated: "
                "expected --respondents, or --mean-half-width to find them by"
            )
        plans.append(_plan(question, answering(question.share, respondents), ask))
    return plans


def record(plan: VectorPlan, forged: int | None) -> dict[str, Any]:
    """Ready for JSON; numbers are in the unit of the answers."""
    respondents = plan.respondents
    entry = described_number(plan.question, respondents) | {
        "dimensions": plan.dimensions
    }
    if respondents is None:
        return entry
    mean = {"standard_error": plan.error, "half_width": plan.half_width}
    return entry | {
        "mean": mean | {"distance": plan.distance},
        **forged_shift(plan.reach, respondents, forged),
    }


def text_table(plans: Sequence[VectorPlan], ask: Ask, forged: int | None) -> TextTable:
    """A row for each question, and what the columns mean."""
    headings = (
        "mean vector\nof",
        "mechanism",
        "epsilon",
        "coordi-\nnates",
        "respondents",
        "standard\nerror",
        "half-\nwidth",
        "distance",
        "report\nbytes",
        "forged\nshift",
    )
    records = [record(plan, forged) for plan in plans]
    rows = []
    for entry in records:
        mean, shift = entry.get("mean", {}), entry.get("forged", {}).get("shift")
        numbers = (
            mean.get(name) for name in ("standard_error", "half_width", "distance")
        )
        rows.append(
            (
                entry["name"],
                entry["mechanism"],
                entry["epsilon"]["declared"],
                whole(entry["dimensions"]),
                whole(entry["respondents"]),
                *map(short, numbers),
                str(entry["report_bytes"]),
                short(shift),
            )
        )
    remarks = [
        f"standard error, half-width: of one coordinate and its {ask.level:g} interval",
        (
            "distance: from the estimated vector to the true one, the root of its mean "
            "square"
        ),
        f"forged shift: how far {forged_in_words(forged)}, if forged, can move a "
        "coordinate, at most",
        *drawn_in_words(records),
    ]
    return TextTable("", "", headings, rows=rows, remarks=remarks)


def _plan(question: Question, respondents: int | None, ask: Ask) -> VectorPlan:
    randomizer, ball = question.randomizer, question.domain.ball
    assert ball is not None  # noqa: S101 (mechanisms for mean vectors are for vectors)
    radius, dimensions = float(ball.radius), ball.dimensions
    counts = expected_counts(randomizer, (), np.empty(0))
    parts = decoder_of(randomizer).vector_parts(randomizer, counts)
    # What is stated of each coordinate, which are all alike here.
    error = radius * math.sqrt(
        parts.variance[0] * total_reports(counts, question.layout)
    )
    quantile = -float(ndtri(miss(ask.level, dimensions, ask.simultaneous) / 2))
    if respondents is None:
        respondents = enough(error, ask.mean_half_width or 1, quantile)
    reach = radius * float(mean_reach(randomizer))
    return VectorPlan(
        question,
        respondents,
        error,
        quantile=quantile,
        reach=reach,
        dimensions=dimensions,
    )
