"""Frequencies: from moments to shares with errors, intervals, tests and what to know of
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Randomizer
from ldp.survey.survey import Question
from ldp_aggregator.answers.contrasts.linear_functions import (
    functions_of,
    values_overlap,
)
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.manipulation import Manipulation
from ldp_aggregator.answers.results.means import Mean
from ldp_aggregator.answers.results.remarks import (
    beyond_noise,
    on_counts,
    on_intervals,
    on_mean,
    on_respondents,
)
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates
from ldp_aggregator.decoders.decoder import DecoderRequest, Queries
from ldp_aggregator.decoders.intervals.intervals import (
    INTERVAL_ENDS,
    covariance_for,
    few_reports,
    least_respondents,
    miss,
    null_error,
    standard_error,
    within_bounds,
)
from ldp_aggregator.decoders.intervals.null_chances import null_chances
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.numerics.postprocessing import base_cut, norm_sub
from ldp_aggregator.output.checks import Remark

Kind = TypeVar("Kind", bound=ShareEstimates)

_FEW_VALUES = 10
"""Values of a question that people may be asked with coins, dice or cards."""

_OF_SETS = (
    "a frequency is the share of those who hold the value, among others or alone; "
    "frequencies need not sum to 1"
)


def moments_of(
    randomizer: Randomizer,
    counts: Counts,
    values: Sequence[str],
    design: Any = None,
    reports_per_person: int = 1,
    queries: Floats | None = None,
    known: Queries | None = None,
) -> Moments:
    """The decoder of the randomizer's kind, applied to its counts.

    `values` are the candidates of a Bloom filter, `queries` ranges of a distribution,
    and `known` how these are answered, where that has been worked out. Raises
    `EstimateError`.
    """
    asked = DecoderRequest(
        values, reports_per_person, design, queries=queries, known=known
    )
    return decoder_of(randomizer).shares.moments(randomizer, counts, asked)


def estimates_from(
    moments: Moments,
    question: Question,
    reports: int,
    values: tuple[str, ...],
    options: Options,
    bound: Manipulation,
    kind: type[Kind],
    mean: Mean | None = None,
    note: str = "",
    **own: Any,
) -> Kind:
    """The estimates of a kind that moments stand for; `note` in place of theirs.

    `own` are fields of that kind. Raises `EstimateError`.
    """
    missing = miss(options.level, len(values), options.simultaneous)
    low, high = within_bounds(
        INTERVAL_ENDS[options.interval](moments, missing, options.estimand)
    )
    findings = moments.findings
    if findings.unknown is not None:
        low = np.where(findings.unknown, 0.0, low)
        high = np.where(findings.unknown, 1.0, high)
    few: tuple[Remark, ...] = ()
    if options.interval == "score":
        few = few_reports(moments, missing, options.estimand)
    _check_view(question, options)
    covariance = _covariance(question, moments, options) if options.covariance else None
    noise, chances = null_error(moments), null_chances(moments)
    estimates = kind(
        question=question,
        reports=reports,
        options=options,
        values=values,
        frequency=view_frequencies(moments, noise, chances, options=options),
        unbiased=moments.frequency,
        standard_error=standard_error(moments, options.estimand),
        low=low,
        high=high,
        chances=chances,
        covariance=covariance,
        note=note or findings.note or _of_sets(question),
        mean=mean,
        respondents=moments.reports,
        checks=findings.checks,
        manipulation=bound,
        law=moments,
        functions=functions_of(moments, question, values, options=options),
        remarks=(
            *findings.remarks,
            *_on_followers(values, moments, noise),
            *on_respondents(moments.reports, least_respondents(moments, missing)),
            *on_intervals(low, high),
            *few,
            *on_counts(moments, bound),
            *on_mean(question, mean, moments.reports),
        ),
        **own,
    )
    if options.detect is None:
        return estimates
    from ldp_aggregator.answers.shares.detection import find

    return replace(
        estimates, found=find(estimates, options.detect_level, options.detect)
    )


def _on_followers(
    values: Sequence[str], moments: Moments, noise: Floats
) -> tuple[Remark, ...]:
    """Whether people may not have followed a design for two values or a few more."""
    if len(values) > _FEW_VALUES or moments.findings.unknown is not None:
        return ()
    return beyond_noise(values, moments.frequency, noise)


def _check_view(question: Question, options: Options) -> None:
    """Raise `EstimateError` for a view that would say what is not so."""
    if options.post_process == "norm-sub" and question.domain.most is not None:
        raise EstimateError(
            "expected another view than norm-sub, since shares of sets do not sum to 1"
        )
    if options.post_process == "norm-sub" and question.domain.collect:
        raise EstimateError(
            "expected another view than norm-sub, since the shares of each field add "
            "up to 1, and not those of all of them"
        )


def view_frequencies(
    moments: Moments, noise: Floats, chances: Floats, options: Options
) -> Floats:
    """The frequencies as they are shown: unbiased, unless another view was asked
    for.
    """
    if options.post_process == "norm-sub":
        return norm_sub(moments.frequency)
    if options.post_process == "base-cut":
        return base_cut(moments.frequency, chances, options.level)
    if options.post_process in ("posterior-mean", "posterior"):
        return _posterior(moments, noise, options.post_process)
    return moments.frequency


def _posterior(moments: Moments, noise: Floats, post: str) -> Floats:
    """Means or medians of the joint posterior; of each value by itself, where there is
    none.
    """
    from ldp_aggregator.numerics.empirical_bayes import posterior_mean, posterior_median

    if moments.fit.likely is not None:
        means, medians = moments.fit.likely
        if post == "posterior-mean":
            return means
        return medians
    one_by_one = posterior_mean if post == "posterior-mean" else posterior_median
    return one_by_one(moments.frequency, noise)


def _of_sets(question: Question) -> str:
    """What frequencies are where several values may be held at once; nothing where one
    is.
    """
    if question.domain.most is None:
        return ""
    return _OF_SETS


def _covariance(question: Question, moments: Moments, options: Options) -> Floats:
    """Return the covariance of the frequencies, for whom it is asked.

    Raises `EstimateError` for a population whose members hold several values, as no
    report tells which ones go together.
    """
    if options.estimand == "population" and values_overlap(question.domain):
        raise EstimateError(
            "the covariance of values that one respondent may hold together is known "
            "for these "
            'respondents alone: use estimand="respondents"'
        )
    return covariance_for(moments, options.estimand)
