"""Estimates: from a tally to frequencies with standard errors and intervals.

Looking is post-processing: it costs no privacy, however often and in whatever way it is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Randomizer
from ldp.survey import Question
from ldp_aggregator.bloom_decoding import bloom_moments
from ldp_aggregator.counting import Counts, total_reports
from ldp_aggregator.intervals import INTERVAL_ENDS, miss, standard_error, within_bounds
from ldp_aggregator.moments import Moments, matrix_moments, pure_moments
from ldp_aggregator.options import Options
from ldp_aggregator.postprocess import base_cut, norm_sub
from ldp_aggregator.result import QuestionEstimates, SurveyEstimates
from ldp_aggregator.sketch_moments import sketch_moments
from ldp_aggregator.tally import Tally

MOST_COVARIANCE = 10_000
DEFAULTS = Options()
_NO_CANDIDATES = "no candidates: name a file of texts to look for, one a line, as candidates in the survey file"
_NO_REPORTS = "no reports yet"

_MOMENTS = {"pure": pure_moments, "matrix": matrix_moments, "sketch": sketch_moments}


def estimate(
    tally: Tally,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
) -> SurveyEstimates:
    """Estimates of every question of a tally; `candidates` lists texts to look for, by open question.

    Raises `EstimateError` if what was asked for cannot be given.
    """
    known = candidates or {}
    survey = tally.survey
    questions = {
        question.name: estimate_question(question, tally.counts[question.name], options, known.get(question.name))
        for question in survey
    }
    return SurveyEstimates(survey.name, survey.fingerprint.hex(), questions)


def estimate_question(
    question: Question, counts: Counts, options: Options, candidates: Sequence[str] | None = None
) -> QuestionEstimates:
    """Estimates of one question from its counts (shape as in `ldp_aggregator.counting`)."""
    values = tuple(question.domain.values or candidates or ())
    reports = total_reports(counts, question.layout)
    if not values or not reports:
        nothing, zero = np.full(len(values), np.nan), np.zeros(len(values))
        note = _NO_REPORTS if values else _NO_CANDIDATES
        return QuestionEstimates(
            question, reports, options, values, nothing, nothing, nothing, zero, zero + 1, nothing, note=note
        )
    if options.covariance and len(values) > MOST_COVARIANCE:
        raise EstimateError(f"question {question.name!r}: expected at most {MOST_COVARIANCE} values for a covariance")
    try:
        moments = moments_of(question.randomizer, counts, values)
        missing = miss(options.level, len(values), options.simultaneous)
        low, high = within_bounds(INTERVAL_ENDS[options.interval](moments, missing, options.estimand))
    except EstimateError as error:
        raise EstimateError(f"question {question.name!r}: {error}") from None
    null_error = np.sqrt(moments.other / reports + moments.lasting)
    frequency = moments.frequency
    if options.post == "norm-sub":
        frequency = norm_sub(frequency)
    elif options.post == "base-cut":
        frequency = base_cut(frequency, null_error, options.level)
    return QuestionEstimates(
        question,
        reports,
        options,
        values,
        frequency,
        moments.frequency,
        standard_error(moments, options.estimand),
        low,
        high,
        null_error,
        moments.covariance() if options.covariance else None,
        moments.note,
    )


def moments_of(randomizer: Randomizer, counts: Counts, values: Sequence[str]) -> Moments:
    """The estimator of the randomizer's kind, applied to its counts; `values` are the candidates of a Bloom filter."""
    if randomizer.kind == "bloom":
        return bloom_moments(randomizer, counts, values)
    return _MOMENTS[randomizer.kind](randomizer, counts)
