"""Estimates: from a tally to frequencies with standard errors and intervals.

Looking is post-processing: it costs no privacy, however often and in whatever way it is done.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ldp import draws
from ldp.errors import EstimateError, UnknownNameError
from ldp.mechanisms.contract import Randomizer
from ldp.survey import Question, Survey
from ldp_aggregator.arrays import Counts, Floats
from ldp_aggregator.decoders.decoder import Asked, Queries
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.distributions.applicable import advice, check_asked, not_this_view, options_for
from ldp_aggregator.distributions.distribution import Distribution, distribution_of
from ldp_aggregator.empirical_bayes import posterior_mean
from ldp_aggregator.estimates.intervals import (
    INTERVAL_ENDS,
    few_reports,
    least_respondents,
    miss,
    null_error,
    standard_error,
    within_bounds,
)
from ldp_aggregator.estimates.manipulation import Manipulation, manipulation
from ldp_aggregator.estimates.means import FEWEST, Mean, ends_of, mean_of
from ldp_aggregator.estimates.null_chances import null_chances
from ldp_aggregator.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.estimates.question_numbers import UNALLOCATED, Estimate
from ldp_aggregator.estimates.remarks import (
    on_counts,
    on_distribution,
    on_districts,
    on_expected,
    on_intervals,
    on_key_means,
    on_mean,
    on_respondents,
)
from ldp_aggregator.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.key_values.means import key_means
from ldp_aggregator.moments.moments import Moments
from ldp_aggregator.moments.repeats import ONCE_EACH, check_repeatable, reports_of_each
from ldp_aggregator.options import SHAPES, Options
from ldp_aggregator.places.places import Places, places_of
from ldp_aggregator.postprocessing import base_cut, norm_sub
from ldp_aggregator.tallies.counting import total_reports
from ldp_aggregator.tallies.tally import Tally
from ldp_aggregator.vectors.mean_vector import mean_vector

if TYPE_CHECKING:
    from ldp_aggregator.tallies.aggregation import Reports

MOST_COVARIANCE = 10_000
DEFAULTS = Options()
_NO_CANDIDATES = (
    "no candidates: name a file of texts to look for, one a line, as candidates in the survey file"
)
_NO_REPORTS = "no reports yet"
_MEAN_ALONE = (
    "the mean is what this mechanism is for; frequencies, which are far noisier, are estimated "
    "only if asked for "
    "(--frequencies, or frequencies=True)"
)
_NO_FREQUENCIES = "this mechanism estimates a mean, and no frequencies"
_SHAPE_IF_ASKED = (
    "the shape of the distribution is a biased view, estimated only if asked for (--post em, or "
    "ems for a smooth one; post= in Python)"
)
_BARE_SHAPE = (
    "the frequencies are a shape: biased, and without errors or intervals, as none would hold the "
    "truth as often as it says"
)
_ON_CIRCLE = (
    "values lie on a circle: quantiles, mean and variance depend on where it is cut, and are not "
    "shown"
)
_MIDDLES = "the mean direction is that of the middles of the cells"
_OF_KEYS = (
    "a frequency is the share of those who hold the key, among others or alone, and a mean that of "
    "the numbers that come with it among them; a device answers with at most {most} keys"
)
_OF_VECTORS = (
    "estimates are of the mean vector, coordinate by coordinate; how their errors go together is "
    "not told"
)
_OF_SETS = (
    "a frequency is the share of those who hold the value, among others or alone; frequencies need "
    "not sum to 1"
)


@overload
def estimate(
    source: Tally,
    /,
    *,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    names: Collection[str] = (),
) -> SurveyEstimates: ...


@overload
def estimate(
    source: Survey,
    reports: Reports,
    /,
    *,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    names: Collection[str] = (),
) -> SurveyEstimates: ...


def estimate(
    source: Survey | Tally,
    reports: Reports | None = None,
    /,
    *,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    names: Collection[str] = (),
) -> SurveyEstimates:
    """Estimates of a survey's questions from its reports, or from a tally alone.

    source      the survey, with reports beside it; or a tally
    reports     the path or URL of a report file or tally file, the bytes of such a file, a tally,
                or an iterable of these, as for `aggregate`
    options     which intervals, for whom, at which level
    candidates  the texts to look for, by open question
    names       the questions to estimate; all, if there are none

    Frequencies are shares of the respondents, from 0 to 1 but for noise; standard errors and
    intervals are of these. Raises `EstimateError` if what was asked for cannot be given,
    `UnknownNameError` for names that are no questions, and what `aggregate` raises.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> low, high = ldp_aggregator.estimate(survey, reports)["mode"]["bus"].interval
    >>> 0 < low < high < 1
    True
    """
    tally = _tally_of(source, reports)
    known = candidates or {}
    survey = tally.survey
    for name in (*names, *known):
        if name not in {question.name for question in survey}:
            raise UnknownNameError(
                name, [question.name for question in survey], "one of the survey's questions"
            )
    asked = [question for question in survey if not names or question.name in names]
    check_repeatable(asked, options.reports_each)
    check_asked(asked, options)
    questions = {}
    for question in asked:
        own = options_for(question, options)
        counts, texts = tally.counts[question.name], known.get(question.name)
        try:
            estimates = estimate_question(question, counts, own, candidates=texts)
        except EstimateError as error:
            raise EstimateError(f"{error}{advice(asked, options)}") from None
        notes = (not_this_view(own, options), estimates.note)
        questions[question.name] = replace(estimates, note="; ".join(filter(None, notes)))
    return SurveyEstimates(survey.name, survey.fingerprint.hex(), questions)


def _tally_of(source: Survey | Tally, reports: Reports | None) -> Tally:
    """The tally to estimate from. Raises `TypeError` where there is none, or one too many."""
    if isinstance(source, Tally):
        if reports is not None:
            raise TypeError(
                "expected a tally alone, or a survey and its reports; got a tally and more "
                "(options=, candidates= and names= are given by their names)"
            )
        return source
    if reports is None:
        raise TypeError("expected a tally, or a survey and its reports; got a survey alone")
    # Imported here: who has a tally needs no files.
    from ldp_aggregator.tallies.aggregation import aggregate

    return aggregate(source, reports)


def estimate_question(
    question: Question,
    counts: Counts,
    options: Options,
    candidates: Sequence[str] | None = None,
    design: Any = None,
) -> QuestionEstimates:
    """Estimates of one question from its counts (shape as in `ldp_aggregator.tallies.counting`).

    `design` gives the bits of the candidates, of shape (cohorts * bits, M), if our hash functions
    did not set them.
    """
    decoder = decoder_of(question.randomizer)
    values, listing_note = decoder.values(question, counts, candidates or ())
    reports = total_reports(counts, question.layout)
    no_candidates = not values and decoder.gives == "frequencies"
    if no_candidates or not reports:
        nothing, zero = np.full(len(values), np.nan), np.zeros(len(values))
        note = listing_note or (_NO_CANDIDATES if no_candidates else _NO_REPORTS)
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
    if options.covariance and len(values) > MOST_COVARIANCE:
        raise EstimateError(
            f"question {question.name!r}: expected at most {MOST_COVARIANCE} values for a "
            f"covariance"
        )
    if decoder.gives == "vector":
        return _of_vector(question, counts, options, values=values)
    cells = queries = None
    try:
        check_asked([question], options)
        distribution = distribution_of(question, counts, options)
        if distribution is not None:
            distribution.check_ranges()
        places = places_of(question, counts, options)
        if distribution is not None and options.frequencies:
            cells = distribution.line.values
            queries = cells.queries
        elif distribution is not None:
            cells = distribution.line.histogram(options.edges or None)
            values, queries = cells.names, cells.queries
        elif places is not None and not places.is_whole:
            values, queries = places.shown(places.shown_view)
        known = distribution or places
        if decoder.gives == "mean":
            moments = None
        else:
            moments = moments_of(
                question.randomizer,
                counts,
                values,
                design=design,
                reports_each=options.reports_each,
                queries=queries,
                known=None if known is None else known.queries,
            )
        mean = mean_of(question, moments, counts, options=options)
        shape = None
        if options.post in SHAPES:
            shape = decoder.shape(question.randomizer, counts, options.post)
    except EstimateError as error:
        raise EstimateError(f"question {question.name!r}: {error}") from None
    ends = None if mean is None else ends_of(question.domain)
    scale = question.domain.key_scale
    bound = manipulation(
        question.randomizer,
        counts,
        step=None if ends is None else ends[2],
        queries=queries,
        ends=None if scale is None else (scale.low, scale.high),
    )
    if moments is None:
        note = _SHAPE_IF_ASKED if decoder.has_shape else _NO_FREQUENCIES
        estimates = _mean_alone(question, reports, options, mean=mean, bound=bound, note=note)
        if shape is not None:
            estimates = _with_shape(estimates, shape)
    elif decoder.frequencies_if_asked and not options.frequencies:
        estimates = _mean_alone(
            question, reports, options, mean=mean, bound=bound, note=_MEAN_ALONE
        )
    else:
        estimates = estimates_from(
            moments,
            question,
            reports,
            values=values,
            options=options,
            bound=bound,
            mean=mean,
            note=listing_note,
        )
        estimates = _with_means(estimates, counts, options)
    if distribution is not None and cells is not None:
        remarks = (*estimates.remarks, *on_distribution(reports, distribution.queries.missing))
        estimates = replace(estimates, distribution=distribution, remarks=remarks)
        if options.post == "monotone":
            estimates = replace(estimates, frequency=distribution.monotone(cells))
    if moments is not None:
        places = places or places_of(question, counts, options, frequency=moments.frequency)
        estimates = _with_places(estimates, places)
    if options.post == "shrunk":
        estimates = replace(estimates, frequency=_shrunk(question, places))
    reports_each = reports_of_each(question.randomizer, options.reports_each)
    notes = (
        estimates.note,
        question.domain.estimand,
        *_of_circle(distribution),
        draws.estimand(question),
        "" if reports_each == options.reports_each else ONCE_EACH,
    )
    return replace(estimates, note="; ".join(filter(None, notes)))


def _with_places(estimates: QuestionEstimates, places: Places | None) -> QuestionEstimates:
    """With all that a question of type place is asked."""
    geography = estimates.options.geography
    if places is None or geography is None:
        return replace(estimates, places=places)
    remarks = on_districts(places.shown_districts, geography.by)
    return replace(estimates, places=places, remarks=(*estimates.remarks, *remarks))


def _shrunk(question: Question, places: Places | None) -> Floats:
    shares = None if places is None else places.shrunk()
    if shares is None:
        raise EstimateError(
            f"question {question.name!r}: expected another view than shrunk, which is for "
            'questions of `goal = "rectangles"`'
        )
    return shares


def _of_circle(distribution: Distribution | None) -> tuple[str, ...]:
    """What to know of a distribution on a circle."""
    if distribution is None or not distribution.line.circular:
        return ()
    return (_ON_CIRCLE, _MIDDLES) if distribution.line.cells else (_ON_CIRCLE,)


def _of_vector(
    question: Question, counts: Counts, options: Options, values: tuple[str, ...]
) -> QuestionEstimates:
    """The mean of vectors: a coordinate has the place of a value, its mean that of a frequency."""
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
    notes = _OF_VECTORS, question.domain.estimand, draws.estimand(question)
    return QuestionEstimates(
        question,
        reports,
        replace(options, post=None),
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


def _mean_alone(
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
        remarks=on_mean(question, mean, reports),
    )


def _with_shape(estimates: QuestionEstimates, shape: Floats) -> QuestionEstimates:
    """The same with biased frequencies, which have no errors, and about which no test is made."""
    unknown = np.full(len(shape), np.nan)
    return replace(
        estimates,
        values=tuple(estimates.question.domain.written()),
        frequency=shape,
        unbiased=unknown,
        standard_error=unknown,
        low=unknown,
        high=unknown,
        null_error=unknown,
        chances=np.ones(len(shape)),
        note=_BARE_SHAPE,
    )


def estimates_from(
    moments: Moments,
    question: Question,
    reports: int,
    values: tuple[str, ...],
    options: Options,
    bound: Manipulation,
    mean: Mean | None = None,
    note: str = "",
) -> QuestionEstimates:
    """The estimates that moments stand for; `note` in place of theirs. Raises `EstimateError`."""
    try:
        missing = miss(options.level, len(values), options.simultaneous)
        low, high = within_bounds(
            INTERVAL_ENDS[options.interval](moments, missing, options.estimand)
        )
        if moments.unknown is not None:
            low, high = np.where(moments.unknown, 0.0, low), np.where(moments.unknown, 1.0, high)
        few = few_reports(moments, missing, options.estimand) if options.interval == "score" else ()
        if options.post == "norm-sub" and question.domain.most is not None:
            raise EstimateError(
                "expected another view than norm-sub, since shares of sets do not sum to 1"
            )
        if options.post == "norm-sub" and question.domain.collect:
            raise EstimateError(
                "expected another view than norm-sub, since the shares of each field add up to 1, "
                "and not those of all of them"
            )
        if options.post is not None and question.domain.taxonomy is not None:
            raise EstimateError(
                f"expected no post-processing by {options.post}, which would keep no parent the "
                "sum of its children; parts of a tree are chosen by --at, --finest and --crowd "
                "(nodes() in Python)"
            )
        covariance = moments.covariance() if options.covariance else None
    except EstimateError as error:
        raise EstimateError(f"question {question.name!r}: {error}") from None
    noise, chances = null_error(moments), null_chances(moments)
    frequency = moments.frequency
    if options.post == "norm-sub":
        frequency = norm_sub(frequency)
    elif options.post == "base-cut":
        frequency = base_cut(frequency, chances, options.level)
    elif options.post == "posterior-mean":
        frequency = posterior_mean(frequency, noise)
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
        noise,
        chances,
        covariance=covariance,
        note=note or moments.note or _of_sets(question),
        mean=mean,
        respondents=moments.reports,
        unallocated=_unallocated(question, moments, options),
        checks=moments.checks,
        manipulation=bound,
        remarks=(
            *moments.remarks,
            *on_respondents(moments.reports, least_respondents(moments, missing)),
            *on_intervals(low, high),
            *few,
            *on_counts(moments, bound),
            *on_mean(question, mean, moments.reports),
        ),
    )


def _of_sets(question: Question) -> str:
    """What frequencies are where several values may be held at once; nothing where one is."""
    domain = question.domain
    if domain.most is None:
        return ""
    return _OF_SETS if domain.key_scale is None else _OF_KEYS.format(most=domain.most)


def _with_means(
    estimates: QuestionEstimates, counts: Counts, options: Options
) -> QuestionEstimates:
    """The same with sums and means of the numbers that come with keys, if there are any."""
    question = estimates.question
    scale = question.domain.key_scale
    balances = decoder_of(question.randomizer).balances(question.randomizer, counts)
    if scale is None or balances is None:
        return estimates
    missing = miss(options.level, len(estimates), options.simultaneous)
    numbers = key_means(balances, (scale.low, scale.high), missing, estimand=options.estimand)
    remarks = (*estimates.remarks, *on_key_means(numbers))
    return replace(estimates, key_means=numbers, remarks=remarks)


def _unallocated(question: Question, moments: Moments, options: Options) -> Estimate | None:
    """The share of the respondents of an open question whose text is no candidate."""
    from scipy.special import ndtri

    if moments.unallocated is None or not question.domain.is_open:
        return None
    share, error = moments.unallocated
    if options.estimand == "respondents":
        present = min(max(share, 0.0), 1.0)
        error = max(error**2 - present * (1 - present) / moments.reports, 0.0) ** 0.5
    reach = float(ndtri((1 + options.level) / 2)) * error
    low, high = (min(max(end, 0.0), 1.0) for end in (share - reach, share + reach))
    return Estimate(
        UNALLOCATED, moments.reports * share, share, standard_error=error, low=low, high=high
    )


def moments_of(
    randomizer: Randomizer,
    counts: Counts,
    values: Sequence[str],
    design: Any = None,
    reports_each: int = 1,
    queries: Floats | None = None,
    known: Queries | None = None,
) -> Moments:
    """The decoder of the randomizer's kind, applied to its counts.

    `values` are the candidates of a Bloom filter, `queries` ranges of a distribution, and `known`
    how these are answered, where that has been worked out. Raises `EstimateError`.
    """
    asked = Asked(values, reports_each, design, queries=queries, known=known)
    return decoder_of(randomizer).moments(randomizer, counts, asked)
