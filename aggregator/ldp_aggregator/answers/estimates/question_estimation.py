"""Estimates of one question: its view is chosen, its moments taken, its means and notes added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.answers.distributions.applicable import check_asked
from ldp_aggregator.answers.estimates.frequencies import estimates_from, moments_of, with_means
from ldp_aggregator.answers.estimates.manipulation import Manipulation, manipulation
from ldp_aggregator.answers.estimates.means import Mean, ends_of, mean_of
from ldp_aggregator.answers.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.answers.estimates.remarks import (
    on_distribution,
    on_districts,
    on_groups,
    on_privacy,
)
from ldp_aggregator.answers.estimates.without_frequencies import (
    mean_alone,
    nothing_yet,
    of_vector,
    with_shape,
)
from ldp_aggregator.answers.options import SHAPES, Options
from ldp_aggregator.decoders.decoder import Queries
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.moments.repeats import ONCE_EACH, reports_of_each
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.tallies.counting.counting import total_reports

if TYPE_CHECKING:
    from ldp_aggregator.answers.distributions.distribution import Distribution
    from ldp_aggregator.answers.distributions.line import Cells
    from ldp_aggregator.answers.maps.places import Places, Shown

MOST_COVARIANCE = 10_000
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
    "the shape of the distribution is a biased view, estimated only if asked for (--post-process "
    "em, or "
    "ems for a smooth one; post_process= in Python)"
)
_ON_CIRCLE = (
    "values lie on a circle: quantiles, mean and variance depend on where it is cut, and are not "
    "shown"
)
_MIDDLES = "the mean direction is that of the middles of the cells"


class _View(NamedTuple):
    """View of a question: shares of its values, or of ranges and cells of them."""

    values: tuple[str, ...]
    distribution: Distribution | None = None
    cells: Cells | Shown | None = None
    """What the values are, where each is a range or a rectangle."""
    places: Places | None = None

    @property
    def queries(self) -> Floats | None:
        """What each value is made of, of shape (values, cells of the mechanism)."""
        return None if self.cells is None else self.cells.queries

    @property
    def known(self) -> Queries | None:
        """How the queries are answered, where that has been worked out."""
        known = self.distribution or self.places
        return None if known is None else known.queries


class _Numbers(NamedTuple):
    """Numbers from the reports of a view."""

    moments: Moments | None
    mean: Mean | None
    shape: Floats | None
    bound: Manipulation


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

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> tally = ldp_aggregator.aggregate(survey, reports)
    >>> options = ldp_aggregator.Options()
    >>> mode = ldp_aggregator.estimate_question(survey["mode"], tally.counts["mode"], options)
    >>> mode.reports
    1000
    """
    remarks = on_privacy(question)
    alike = decoder_of(question.randomizer).alike
    if alike and candidates and design is None and total_reports(counts, question.layout):
        (candidates, design), groups = alike(question.randomizer, counts, candidates)
        remarks = (*remarks, *on_groups(groups))
    estimates = _estimated(question, counts, options, candidates=candidates, design=design)
    return replace(estimates, remarks=(*remarks, *estimates.remarks))


def _estimated(
    question: Question,
    counts: Counts,
    options: Options,
    candidates: Sequence[str] | None,
    design: Any,
) -> QuestionEstimates:
    decoder = decoder_of(question.randomizer)
    values, listing_note = decoder.values(question, counts, candidates or ())
    reports = total_reports(counts, question.layout)
    no_candidates = not values and decoder.gives == "frequencies"
    if no_candidates or not reports:
        note = listing_note or (_NO_CANDIDATES if no_candidates else _NO_REPORTS)
        return nothing_yet(question, reports, options, values=values, note=note)
    if options.covariance and len(values) > MOST_COVARIANCE:
        raise EstimateError(
            f"question {question.name!r}: expected at most {MOST_COVARIANCE} values for a "
            f"covariance"
        )
    if decoder.gives == "vector":
        return of_vector(question, counts, options, values=values)
    try:
        view = _view_of(question, counts, options, values=values)
        numbers = _numbers_of(question, counts, options, view=view, design=design)
    except EstimateError as error:
        raise EstimateError(f"question {question.name!r}: {error}") from None
    estimates = _shown(question, counts, options, view=view, numbers=numbers, note=listing_note)
    estimates = _with_views(estimates, counts, view, moments=numbers.moments)
    return replace(estimates, note=_notes(estimates, options, view))


def _view_of(
    question: Question, counts: Counts, options: Options, values: tuple[str, ...]
) -> _View:
    check_asked([question], options)
    if decoder_of(question.randomizer).gives == "distribution":
        return _view_of_distribution(question, counts, options, values=values)
    places = _places_of(question, counts, options)
    if places is not None and not places.is_whole:
        shown = places.shown(places.shown_view)
        return _View(shown.names, cells=shown, places=places)
    return _View(values, places=places)


def _view_of_distribution(
    question: Question, counts: Counts, options: Options, values: tuple[str, ...]
) -> _View:
    from ldp_aggregator.answers.distributions.distribution import distribution_of

    distribution = distribution_of(question, counts, options)
    if distribution is None:
        return _View(values)
    distribution.check_ranges()
    if options.frequencies:
        return _View(values, distribution, distribution.line.values)
    cells = distribution.line.histogram(options.edges or None)
    return _View(cells.names, distribution, cells)


def _places_of(
    question: Question, counts: Counts, options: Options, frequency: Floats | None = None
) -> Places | None:
    """The places of a question of that type, with reports; None for others."""
    if not question.domain.is_place:
        return None
    from ldp_aggregator.answers.maps.places import places_of

    return places_of(question, counts, options, frequency=frequency)


def _numbers_of(
    question: Question, counts: Counts, options: Options, view: _View, design: Any
) -> _Numbers:
    decoder, randomizer = decoder_of(question.randomizer), question.randomizer
    moments = shape = None
    if decoder.gives != "mean":
        moments = moments_of(
            randomizer,
            counts,
            view.values,
            design=design,
            reports_per_person=options.reports_per_person,
            queries=view.queries,
            known=view.known,
        )
    mean = mean_of(question, moments, counts, options=options)
    if options.post_process in SHAPES:
        shape = decoder.shape(randomizer, counts, options.post_process)
    scale, ends = question.domain.key_scale, ends_of(question.domain)
    bound = manipulation(
        randomizer,
        counts,
        step=None if mean is None or ends is None else ends[2],
        queries=view.queries,
        ends=None if scale is None else (scale.low, scale.high),
    )
    return _Numbers(moments, mean, shape, bound=bound)


def _shown(
    question: Question,
    counts: Counts,
    options: Options,
    view: _View,
    numbers: _Numbers,
    note: str,
) -> QuestionEstimates:
    """Frequencies, a mean alone, or a bare shape, as the question gives and the options ask."""
    decoder, reports = decoder_of(question.randomizer), total_reports(counts, question.layout)
    moments, mean, shape, bound = numbers
    if moments is None:
        why = _SHAPE_IF_ASKED if decoder.has_shape else _NO_FREQUENCIES
        alone = mean_alone(question, reports, options, mean=mean, bound=bound, note=why)
        return alone if shape is None else with_shape(alone, shape)
    if decoder.frequencies_if_asked and not options.frequencies:
        return mean_alone(question, reports, options, mean=mean, bound=bound, note=_MEAN_ALONE)
    estimates = estimates_from(
        moments,
        question,
        reports,
        values=view.values,
        options=options,
        bound=bound,
        mean=mean,
        note=note,
    )
    return with_means(estimates, counts, options)


def _with_views(
    estimates: QuestionEstimates, counts: Counts, view: _View, moments: Moments | None
) -> QuestionEstimates:
    """The same with the distribution and the map behind it, and the frequencies that these show."""
    question, options = estimates.question, estimates.options
    distribution, cells = view.distribution, view.cells
    if distribution is not None:
        remarks = on_distribution(estimates.reports, distribution.queries.missing)
        estimates = replace(
            estimates, distribution=distribution, remarks=(*estimates.remarks, *remarks)
        )
        if options.post_process == "monotone":
            shares = distribution.monotone(cast("Cells", cells))
            estimates = replace(estimates, frequency=shares)
    places = view.places
    if moments is not None:
        places = places or _places_of(question, counts, options, frequency=moments.frequency)
        estimates = _with_places(estimates, places)
    if options.post_process == "shrunk":
        estimates = replace(estimates, frequency=_shrunk(question, places))
    return estimates


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


def _notes(estimates: QuestionEstimates, options: Options, view: _View) -> str:
    """What to know of the estimates, in the order in which it is said."""
    question = estimates.question
    reports_per_person = reports_of_each(question.randomizer, options.reports_per_person)
    notes = (
        estimates.note,
        question.domain.estimand,
        *_of_circle(view.distribution),
        question.estimand,
        "" if reports_per_person == options.reports_per_person else ONCE_EACH,
    )
    return "; ".join(filter(None, notes))


def _of_circle(distribution: Distribution | None) -> tuple[str, ...]:
    """What to know of a distribution on a circle."""
    if distribution is None or not distribution.line.circular:
        return ()
    return (_ON_CIRCLE, _MIDDLES) if distribution.line.cells else (_ON_CIRCLE,)
