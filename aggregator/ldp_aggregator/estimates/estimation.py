"""Estimates: from a tally to frequencies with standard errors and intervals.

Looking is post-processing: it costs no privacy, however often and in whatever way it is done.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, overload

from ldp.errors import EstimateError, UnknownNameError
from ldp.survey import Survey
from ldp_aggregator.distributions.applicable import advice, check_asked, not_this_view, options_for
from ldp_aggregator.estimates.question_estimation import estimate_question
from ldp_aggregator.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.moments.repeats import check_repeatable
from ldp_aggregator.options import Options
from ldp_aggregator.tallies.tally import Tally

if TYPE_CHECKING:
    from ldp_aggregator.tallies.aggregation import Reports

DEFAULTS = Options()


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
