"""Mean vectors: a coordinate has the place of a value, and its mean that of a
frequency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.answers.results.manipulation import manipulation
from ldp_aggregator.answers.results.means import FEWEST
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.remarks import on_report_numbers
from ldp_aggregator.answers.results.room import AnswerKind, CountedQuestion
from ldp_aggregator.answers.results.values import Estimate
from ldp_aggregator.decoders.intervals.intervals import miss
from ldp_aggregator.decoders.vectors.mean_vector import mean_vector
from ldp_aggregator.output.sheet import NOTHING, Bars

_OF_VECTORS = (
    "estimates are of the mean vector, coordinate by coordinate; how their errors go "
    "together is not told"
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class VectorEstimates(QuestionEstimates):
    """The mean of vectors, coordinate by coordinate."""

    is_vector: ClassVar[bool] = True

    squared_error: float | None = None
    """The mean squared distance from the true mean vector."""

    def describe(self) -> str:
        """One line that says what the numbers are."""
        options, question = self.options, self.question
        family = ""
        if options.simultaneous:
            family = f", simultaneous ({options.simultaneous})"
        distance = (self.squared_error or 0.0) ** 0.5
        return (
            f"{question.mechanism}, epsilon {question.declared.text}, {self.reports:,} "
            f"reports; mean vector, {options.level:.4g} intervals for "
            f"{WHOM[options.estimand]}{family}; root mean squared distance from the "
            f"true vector {distance:.4g}"
        )

    @property
    def headings(self) -> tuple[str, ...]:
        """The names of the cells of a row."""
        return (
            "coordinate",
            "sum",
            "mean",
            "standard error",
            f"{self.options.level:.4g} interval",
        )

    def row(self, estimate: Estimate) -> tuple[str, ...]:
        """An estimate as text: a sum need not be whole."""
        name, count, *rest = super().row(estimate)
        return name, NOTHING if count == NOTHING else f"{estimate.count:,.4g}", *rest

    def own_record(self) -> dict[str, Any]:
        """For JSON: how far the mean vector is from the true one."""
        if self.squared_error is None:
            return {}
        return {"squared_error": self.squared_error}

    def bars(self, truth: Sequence[float] | None = None) -> Bars:
        """The coordinates as a panel of a picture, with the true mean, where known."""
        return super().bars(truth)._replace(lengths=self.frequency, unit="")


def estimate(counted: CountedQuestion) -> VectorEstimates:
    """The mean of vectors, from a question with reports."""
    question, options, reports = counted.question, counted.options, counted.reports
    if options.covariance:
        raise EstimateError(
            "expected no covariance of a mean vector, of which a tally keeps sums of "
            "coordinates, and of their squares"
        )
    radius = 0.0
    if question.domain.ball is not None:
        radius = float(question.domain.ball.radius)
    missing = miss(options.level, len(counted.values), options.simultaneous)
    parts = counted.decoder.vector_parts(question.randomizer, counted.counts)
    mean = mean_vector(parts, radius, missing)
    return VectorEstimates(
        question=question,
        reports=reports,
        options=replace(options, post_process=None),
        values=counted.values,
        frequency=mean.estimate,
        unbiased=mean.estimate,
        standard_error=mean.standard_error,
        low=mean.low,
        high=mean.high,
        chances=mean.chances,
        note=_OF_VECTORS,
        squared_error=mean.squared_error,
        respondents=reports,
        manipulation=manipulation(question.randomizer, counted.counts, step=radius),
        remarks=on_report_numbers(np.array([float(reports)]))
        if reports < FEWEST
        else (),
    )


ROOM = AnswerKind(VectorEstimates, estimate)
