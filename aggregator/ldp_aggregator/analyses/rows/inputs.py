"""Estimates from whatever an analyst has at hand: a tally, reports, or a table of
rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, overload

from ldp.survey.survey import Survey, check_survey
from ldp_aggregator.analyses.rows.counting import tally_of_rows
from ldp_aggregator.analyses.rows.reading import SurveyRows, read_rows
from ldp_aggregator.answers.estimates import estimation
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.options import Options
from ldp_aggregator.tallies.intake.aggregation import Reports, aggregate
from ldp_aggregator.tallies.tally import Tally

if TYPE_CHECKING:
    from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
    from ldp_aggregator.analyses.rows.columns import Table

DEFAULTS = Options()


@overload
def estimate(
    source: Tally | SurveyRows,
    /,
    *,
    level: float | None = None,
    estimand: str | None = None,
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
    level: float | None = None,
    estimand: str | None = None,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    names: Collection[str] = (),
) -> SurveyEstimates: ...


@overload
def estimate(
    source: Survey,
    table: Table,
    /,
    *,
    answers: str | Mapping[str, str],
    codes: Mapping[str, Any] | None = None,
    level: float | None = None,
    estimand: str | None = None,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    names: Collection[str] = (),
) -> SurveyEstimates: ...


@overload
def estimate(
    source: Survey | Tally | SurveyRows,
    reports: Reports | Table | None = None,
    /,
    *,
    by: str | Iterable[str],
    where: Mapping[str, str] | None = None,
    answers: str | Mapping[str, str] | None = None,
    codes: Mapping[str, Any] | None = None,
    level: float | None = None,
    estimand: str | None = None,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    names: Collection[str] = (),
) -> GroupEstimates: ...


def estimate(
    source: Survey | Tally | SurveyRows,
    reports: Reports | Table | None = None,
    /,
    *,
    by: str | Iterable[str] = (),
    where: Mapping[str, str] | None = None,
    answers: str | Mapping[str, str] | None = None,
    codes: Mapping[str, Any] | None = None,
    level: float | None = None,
    estimand: str | None = None,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    names: Collection[str] = (),
) -> SurveyEstimates | GroupEstimates:
    """Estimates of a survey's questions from its reports, from a table of rows, or from
    a tally.

    source      the survey, with reports or a table beside it; or a tally, or rows that
                were read
    reports     the path or URL of a report file or tally file, the bytes of such a
                file, a tally, or an iterable of these, as for `aggregate`; or a table,
                a file of one by `answers`
    answers     of a table, the column of answers that were randomized before, as for
                `read_rows`
    codes       of a table, the cell that says each answer, as for `read_rows`
    by, where   groups apart, and who is looked at, as for `estimate_groups`: by columns
                of a table, or by public attributes
    level       coverage of the intervals, in place of that of the options
    estimand    "respondents" or "population": whom the intervals are for, in place of
                the options'
    options     which intervals, and all else
    candidates  the texts to look for, by open question
    names       the questions to estimate; all, if there are none

    Frequencies are shares of the respondents, from 0 to 1 but for noise; standard
    errors and intervals are of these. Raises `EstimateError` if what was asked for
    cannot be given, `UnknownNameError` for names that are no questions, and what
    `aggregate` and `read_rows` raise.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> low, high = ldp_aggregator.estimate(survey, reports)["mode"]["bus"].interval
    >>> 0 < low < high < 1
    True
    >>> frame = {"z": ["bus", "car", "bus", "bus"], "sex": ["f", "f", "m", "m"]}
    >>> ldp_aggregator.estimate(survey, frame, answers="z", by="sex")["m"]["mode"].reports
    2
    """
    groups = (by,) if isinstance(by, str) else tuple(by)
    columns = (*groups, *(where or ()))
    options = options.changed(level, estimand)
    is_table = (
        answers is not None
        or isinstance(reports, Mapping)
        or hasattr(reports, "columns")
    )
    if is_table and answers is None and isinstance(source, Survey) and not columns:
        raise TypeError(
            "estimate(survey, table): say which columns hold randomized answers, as in "
            "answers={'mode': 'column'}. Of true answers make reports first: "
            "estimate(survey, randomize(survey, table))"
        )
    if is_table and isinstance(source, Survey):
        source = read_rows(source, reports, answers, codes=codes, questions=names)
        reports = None
    if isinstance(source, SurveyRows):
        source = tally_of_rows(source, columns)
    tally = _tally_of(source, cast("Reports | None", reports))
    if not columns:
        return estimation.estimate(
            tally, options=options, candidates=candidates, names=names
        )
    from ldp_aggregator.analyses.groups.estimation import estimate_groups

    return estimate_groups(
        tally,
        by=groups,
        where=where,
        options=options,
        candidates=candidates,
        names=tuple(names),
    )


def _tally_of(source: Survey | Tally, reports: Reports | None) -> Tally:
    """The tally to estimate from. Raises `TypeError` where there is none, or one too
    many.
    """
    if isinstance(source, Tally):
        if reports is not None:
            raise TypeError(
                "expected a tally alone, or a survey and its reports; got a tally and "
                "more (options=, candidates= and names= are given by their names)"
            )
        return source
    check_survey(source, "estimate(survey, reports)")
    if reports is None:
        raise TypeError(
            "estimate(survey, reports): expected reports, got a survey alone"
        )
    return aggregate(source, reports)
