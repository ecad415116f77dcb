"""Pooling: one estimate from versions of a question that go through different
mechanisms.

    estimate       f = sum_v w_v f_v,  with weights that sum to 1
    respondents    w_v = n_v / n: the share of all respondents, by version
    population     w_v in proportion to n_v / V_v, with V_v the variance of the score of
                   a respondent who does not hold the value: nearly the least variance,
                   if all versions have respondents of one population
    error          Var f = sum_v w_v^2 [f if_held_v + (1 - f) if_not_v] / n_v, the law of one
                   estimator again, of n' = 1 / sum_v (w_v^2 / n_v) reports, and either
                   variance of a score is n' sum_v w_v^2 / n_v times that of version v
    manipulation   forged reports do the most where they weigh the most: reach = max_v
                   (w_v n / n_v) reach_v

Of questions for a distribution everything is pooled by the same weights, so that ranges
add up: what queries are answered, and with it quantiles, the cumulative distribution
and the mean.

The weights depend on numbers of reports and on mechanisms, and not on what was
answered: weights that follow the estimates would bias them. Where V_v is not known
before the answers (a stochastic matrix), all V_v count as the same.

Source: Cochran 1954, The combination of estimates from different experiments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.answers.distributions.distribution import Distribution
from ldp_aggregator.answers.distributions.distribution_estimates import (
    DistributionEstimates,
)
from ldp_aggregator.answers.distributions.room import chosen_cells, with_distribution
from ldp_aggregator.answers.estimates.rooms import room_of
from ldp_aggregator.answers.lines.line import Cells, line_of
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.manipulation import Manipulation, manipulation
from ldp_aggregator.answers.results.means import ends_of, mean_of
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.shares.frequencies import estimates_from, moments_of
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates
from ldp_aggregator.decoders.decoder import Queries, QueryAnswers
from ldp_aggregator.decoders.moments.moments import (
    ByHolding,
    Collisions,
    Findings,
    Moments,
    ScoreJumps,
)
from ldp_aggregator.decoders.moments.repeats import ONCE_EACH, reports_of_each
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Flags, Floats
from ldp_aggregator.tallies.counting.counting import total_reports


class Version(NamedTuple):
    """A question as one version of a survey has it, with the counts of its reports."""

    question: Question
    counts: Counts
    repeats: int = 1
    """The most reports of each respondent that its epochs allow."""

    @property
    def reports(self) -> int:
        """How many were counted."""
        return total_reports(self.counts, self.question.layout)


def poolable(questions: Sequence[Question]) -> bool:
    """Whether all ask for the same listed values, under the same nodes.

    Of numbers a step apart, all for a distribution: means alone are not pooled, and
    neither are those of keys.
    """
    domains = [question.domain for question in questions]
    if any(
        decoder_of(question.randomizer).gives in ("mean", "vector")
        for question in questions
    ):
        return False
    if any(domain.key_scale is not None for domain in domains):
        return False
    asked = {
        (
            domain.type,
            domain.values,
            domain.most,
            domain.scale,
            domain.per_device,
            domain.circular,
            domain.taxonomy,
            tuple(domain.parts()) if domain.collect else None,
        )
        for domain in domains
    }
    listed = domains[0].values is not None or domains[0].collect
    if len(asked) > 1 or not listed:
        return False
    return domains[0].spacing is None or _of_distributions(questions)


def _of_distributions(questions: Sequence[Question]) -> bool:
    return all(
        decoder_of(question.randomizer).gives == "distribution"
        for question in questions
    )


def estimate_pooled(versions: Sequence[Version], options: Options) -> QuestionEstimates:
    """One estimate from poolable versions with reports, the newest last, described as
    that is.

    Raises `EstimateError` for what only one mechanism has: Clopper-Pearson intervals, a
    covariance.
    """
    newest = versions[-1].question
    values, _ = decoder_of(newest.randomizer).values(newest, versions[-1].counts, ())
    if not values or not poolable([version.question for version in versions]):
        raise EstimateError(
            f"question {newest.name!r}: expected versions that ask for the same values"
        )
    if options.post_process == "shrunk":
        raise EstimateError(
            f"question {newest.name!r}: expected another view than shrunk, which is "
            "for one version of a question"
        )
    room = room_of(newest, options)
    line, cells = None, None
    if _of_distributions([version.question for version in versions]):
        line = line_of(newest.domain)
    if line is not None:
        cells = chosen_cells(line, options)
        values = cells.names
    queries = None if cells is None else cells.queries
    parts = [
        moments_of(
            version.question.randomizer,
            version.counts,
            values,
            design=None,
            reports_per_person=options.reports_per_person or version.repeats,
            queries=queries,
        )
        for version in versions
    ]
    weights = weights_of(versions, parts, options.estimand, queries=queries)
    together, mean = pool_moments(parts, weights), None
    if line is not None:
        together = replace(together, answering=pooled_queries(parts, weights))
        mean = mean_of(
            newest, together, np.array([[together.reports]]), options=options
        )
    reports = sum(version.reports for version in versions)
    try:
        estimates = estimates_from(
            together,
            newest,
            reports,
            values=values,
            options=options,
            bound=_bound(versions, weights, reports, cells=cells),
            kind=cast("type[ShareEstimates]", room.result),
            mean=mean,
            note=_note(versions, weights, options),
        )
    except EstimateError as error:
        raise EstimateError(f"question {newest.name!r}: {error}") from None
    estimates = replace(estimates, respondents=sum(part.reports for part in parts))
    if (
        line is None
        or cells is None
        or not isinstance(estimates, DistributionEstimates)
    ):
        return estimates
    distribution = Distribution(
        line,
        together.answering,
        together.reports,
        options=options,
        unit=newest.domain.unit,
    )
    return with_distribution(estimates, distribution, cells)


def _note(versions: Sequence[Version], weights: Floats, options: Options) -> str:
    """Which versions were pooled, and how much each of them counts."""
    weighted = "; ".join(
        f"{version.question.mechanism}, epsilon {version.question.declared.text}, "
        f"{version.reports:,} reports: {weight:.1%}"
        for version, weight in zip(versions, weights, strict=True)
    )
    note = (
        f"pooled over {len(versions)} versions, by weights that do not depend on the "
        f"answers ({weighted})"
    )
    once = any(
        reports_of_each(version.question.randomizer, options.repeats) < options.repeats
        for version in versions
    )
    if once:
        return f"{note}; {ONCE_EACH}"
    return note


def pooled_queries(parts: Sequence[Moments], weights: Floats) -> Queries:
    """How queries of a distribution are answered by the weighted sum of independent
    answers.
    """
    known: list[Queries] = [part.answering for part in parts]
    shares, squares = weights.tolist(), (weights**2).tolist()

    def answer(queries: Floats) -> QueryAnswers:
        answers = [version.answer(queries) for version in known]
        return QueryAnswers(
            _weighted_sum(shares, [answered.estimate for answered in answers]),
            _weighted_sum(shares, [answered.mean_square for answered in answers]),
            _weighted_sum(squares, [answered.variance for answered in answers]),
            least=_weighted_sum(squares, [answered.least for answered in answers]),
        )

    def together(queries: Floats) -> Floats:
        # Errors of the versions go together nearly alike: mixed by what each errs by,
        # roughly.
        noise = [float(version.answer(queries).least.mean()) for version in known]
        by_version = weights**2 * noise
        return _weighted_sum(
            (by_version / by_version.sum()).tolist(),
            [version.correlation(queries) for version in known],
        )

    def covariance(queries: Floats) -> Floats:
        return _weighted_sum(
            squares, [version.covariance(queries) for version in known]
        )

    reports = np.array([part.reports for part in parts], dtype=np.float64)
    missing = float(reports @ [version.missing for version in known] / reports.sum())
    return Queries(
        _weighted_sum(shares, [version.frequency for version in known]),
        answer,
        correlation=together,
        covariance=covariance,
        missing=missing,
    )


def weights_of(
    versions: Sequence[Version],
    parts: Sequence[Moments],
    estimand: str,
    queries: Floats | None = None,
) -> Floats:
    """The share of each version in the pooled estimate, of shape (versions,).

    Those of distributions go by the least variances of these queries, which depend on
    no answers.
    """
    weights: Floats = np.array([part.reports for part in parts], dtype=float)
    if estimand == "population" and queries is not None:
        noise = [
            part.answering.answer(queries).least.mean() * part.reports for part in parts
        ]
        weights /= np.array(noise)
    elif estimand == "population" and all(
        decoder_of(version.question.randomizer).shares.known_before
        for version in versions
    ):
        weights /= [float(np.mean(part.variance_if_not)) for part in parts]
    return weights / float(weights.sum())


def pool_moments(parts: Sequence[Moments], weights: Floats) -> Moments:
    """The moments of the weighted sum of independent estimates."""
    shares = [
        float(weight) ** 2 / part.reports
        for weight, part in zip(weights, parts, strict=True)
    ]
    worth = round(1 / sum(shares))

    def covariance() -> Floats:
        raise EstimateError(
            "expected one version of the question for a covariance, got several"
        )

    return Moments(
        worth,
        _weighted_sum(weights.tolist(), [part.frequency for part in parts]),
        worth * _weighted_sum(shares, [part.variance_if_held for part in parts]),
        variance_if_not=worth
        * _weighted_sum(shares, [part.variance_if_not for part in parts]),
        covariance=covariance,
        below=_below(parts, shares, worth),
        lasting=_lasting(parts, shares, worth),
        jumps=_jumps(parts, weights, worth),
        collisions=Collisions(
            *(
                _weighted_sum((weights**order).tolist(), cumulants)
                for order, cumulants in enumerate(
                    zip(*(part.collisions for part in parts), strict=True), 2
                )
            )
        ),
        findings=Findings(unknown=_unknown(parts)),
    )


def _unknown(parts: Sequence[Moments]) -> Flags | None:
    """A value of which one version can say nothing is nowhere near normal in the
    sum.
    """
    known = [
        part.findings.unknown for part in parts if part.findings.unknown is not None
    ]
    return np.logical_or.reduce(known) if known else None


def _weighted_sum(factors: Sequence[float], arrays: Sequence[Floats | float]) -> Floats:
    return np.asarray(
        sum(
            factor * np.asarray(array)
            for factor, array in zip(factors, arrays, strict=True)
        )
    )


def _below(
    parts: Sequence[Moments], shares: Sequence[float], worth: int
) -> tuple[Floats, Floats] | None:
    """The variances for frequencies below the estimate, if a version has others there,
    so of all.

    The variances are those if held and if not.
    """
    if all(part.below is None for part in parts):
        return None
    pairs = [
        part.below or (part.variance_if_held, part.variance_if_not) for part in parts
    ]
    return worth * _weighted_sum(
        shares, [if_held for if_held, _ in pairs]
    ), worth * _weighted_sum(shares, [if_not for _, if_not in pairs])


def _lasting(
    parts: Sequence[Moments], shares: Sequence[float], worth: int
) -> tuple[Floats, Floats] | None:
    """What devices repeat, if every version knows it of itself."""
    pairs = [part.lasting for part in parts if part.lasting is not None]
    if len(pairs) < len(parts):
        return None
    return worth * _weighted_sum(
        shares, [if_held for if_held, _ in pairs]
    ), worth * _weighted_sum(shares, [if_not for _, if_not in pairs])


def _jumps(parts: Sequence[Moments], weights: Floats, worth: int) -> ScoreJumps | None:
    """n'^(order-1) sum_v w_v^order cumulant_v / n_v^(order-1), for holders and for
    others.

    None where no version knows its own; what one does not know counts as none, as it
    does where that version stands alone. The fourth only where some version knows it,
    and of the others as it is if all jumps are alike.
    """
    known = [
        (part, weight, part.jumps)
        for part, weight in zip(parts, weights.tolist(), strict=True)
        if part.jumps is not None
    ]
    if not known:
        return None

    def total(order: int) -> ByHolding:
        nothing = np.zeros_like(parts[0].variance_if_held)
        totals = [nothing, nothing]
        for part, weight, jumps in known:
            share = (worth / part.reports) ** (order - 1) * weight**order
            own = jumps.third
            if order != 3:
                own = jumps.fourth or _of_alike(part, jumps)
            for place, cumulant in enumerate(own):
                totals[place] = totals[place] + share * cumulant
        return totals[0], totals[1]

    some_fourth = any(jumps.fourth is not None for _, _, jumps in known)
    return ScoreJumps(total(3), total(4) if some_fourth else None)


def _of_alike(part: Moments, jumps: ScoreJumps) -> ByHolding:
    """The fourth cumulants, if all jumps are alike."""
    (of_holder, of_other), tiny = jumps.third, np.finfo(float).tiny
    return (
        of_holder**2 / np.maximum(part.variance_if_held, tiny),
        of_other**2 / np.maximum(part.variance_if_not, tiny),
    )


def _bound(
    versions: Sequence[Version],
    weights: Floats,
    reports: int,
    cells: Cells | None = None,
) -> Manipulation:
    ends = None
    if cells is not None:
        ends = ends_of(versions[-1].question.domain)
    bounds = [
        manipulation(
            version.question.randomizer,
            version.counts,
            step=None if ends is None else ends[2],
            queries=None if cells is None else cells.queries,
        )
        for version in versions
    ]
    factors = [
        float(weight) * reports / version.reports
        for version, weight in zip(versions, weights, strict=True)
    ]
    unbounded = [bound for bound in bounds if bound.reach is None]
    if unbounded:
        return unbounded[0]
    reaches, of_means = (
        [factor * (reach or 0.0) for factor, reach in zip(factors, some, strict=True)]
        for some in (
            [bound.reach for bound in bounds],
            [bound.mean_reach for bound in bounds],
        )
    )
    return Manipulation(max(reaches), None if ends is None else max(of_means))
