"""Estimates of what gives no frequencies, or none that have errors.

Means alone, vectors, bare shapes; and what there is to say of a question before its first report.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.answers.estimates.manipulation import Manipulation, manipulation
from ldp_aggregator.answers.estimates.means import FEWEST, Mean
from ldp_aggregator.answers.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.answers.estimates.remarks import on_expected, on_mean
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.intervals.intervals import miss
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.output.checks import Remark
from ldp_aggregator.tallies.counting.counting import total_reports

_BARE_SHAPE = (
    "the frequencies are a shape: biased, and without errors or intervals, as none would hold the "
    "truth as often as it says"
)
_OF_VECTORS = (
    "estimates are of the mean vector, coordinate by coordinate; how their errors go together is "
    "not told"
)


def nothing_yet(
    question: Question, reports: int, options: Options, values: tuple[str, ...], note: str
) -> QuestionEstimates:
    """What is known of values before there is a report: that they are from 0 to 1."""
    nothing, zero = np.full(len(values), np.nan), np.zeros(len(values))
    return QuestionEstimates(
        question,
        reports,
        options,
        values,
        nothing,
        nothing,
        nothing,
        zero,
        zero + 1,
        nothing,
        zero + 1,
        note=note,
    )


def of_vector(
    question: Question, counts: Counts, options: Options, values: tuple[str, ...]
) -> QuestionEstimates:
    """The mean of vectors: a coordinate has the place of a value, its mean that of a frequency."""
    from ldp_aggregator.decoders.vectors.mean_vector import mean_vector

    if options.covariance:
        raise EstimateError(
            f"question {question.name!r}: expected no covariance of a mean vector, of which a "
            "tally keeps sums of coordinates, and of their squares"
        )
    radius = 0.0 if question.domain.ball is None else float(question.domain.ball.radius)
    reports = total_reports(counts, question.layout)
    missing = miss(options.level, len(values), options.simultaneous)
    parts = decoder_of(question.randomizer).vector_parts(question.randomizer, counts)
    mean = mean_vector(parts, radius, missing)
    few = on_expected(np.array([float(reports)])) if reports < FEWEST else ()
    notes = _OF_VECTORS, question.domain.estimand, question.estimand
    return QuestionEstimates(
        question,
        reports,
        replace(options, post_process=None),
        values,
        mean.estimate,
        mean.estimate,
        mean.standard_error,
        mean.low,
        mean.high,
        mean.standard_error,
        mean.chances,
        note="; ".join(filter(None, notes)),
        squared_error=mean.squared_error,
        respondents=reports,
        manipulation=manipulation(question.randomizer, counts, step=radius),
        remarks=few,
    )


def mean_alone(
    question: Question,
    reports: int,
    options: Options,
    mean: Mean | None,
    bound: Manipulation,
    note: str,
) -> QuestionEstimates:
    """The estimates of a mechanism that is for means, without frequencies."""
    nothing = np.empty(0)
    return QuestionEstimates(
        question,
        reports,
        options,
        (),
        nothing,
        nothing,
        nothing,
        nothing,
        nothing,
        nothing,
        nothing,
        note=note,
        mean=mean,
        respondents=reports,
        manipulation=bound,
        remarks=(
            *on_mean(question, mean, reports),
            *_on_bound(question, mean, reports, options=options),
        ),
    )


def _on_bound(
    question: Question, mean: Mean | None, reports: int, options: Options
) -> tuple[Remark, ...]:
    """Whether the error of a mean for the respondents is a bound."""
    asked = mean is not None and mean.variance is None and options.estimand == "respondents"
    alone = decoder_of(question.randomizer).gives == "mean" and question.domain.size != 2
    if not asked or not alone or reports < FEWEST:
        return ()
    text = (
        "The standard error of the mean is a bound: it has the spread of the answers, of which "
        "these reports tell nothing. Where all of them are at an end of the range it is far less."
    )
    return (Remark("bound", text),)


def with_shape(estimates: QuestionEstimates, shape: Floats) -> QuestionEstimates:
    """The same with biased frequencies, which have no errors, and about which no test is made."""
    unknown = np.full(len(shape), np.nan)
    return replace(
        estimates,
        values=tuple(estimates.question.domain.iter_values()),
        frequency=shape,
        unbiased=unknown,
        standard_error=unknown,
        low=unknown,
        high=unknown,
        null_error=unknown,
        chances=np.ones(len(shape)),
        note=_BARE_SHAPE,
    )
