"""Following: from the estimates of epochs to levels with bands, and to what has
changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.comparisons.sharing import check_overlap
from ldp_aggregator.analyses.series.before_after import SplitTest, split_tests
from ldp_aggregator.analyses.series.course import Course
from ldp_aggregator.analyses.series.evidence import since
from ldp_aggregator.analyses.series.history import (
    Epoch,
    ValueHistory,
    complete_history,
    series_of,
)
from ldp_aggregator.analyses.series.levels import TrendLevel, level_of
from ldp_aggregator.analyses.series.testing import (
    TrendOptions,
    epochs_to_test,
    evidence_in,
    on_epochs,
    values_of,
)
from ldp_aggregator.analyses.series.trends import Trends
from ldp_aggregator.answers.estimates.pooling import poolable
from ldp_aggregator.answers.options import ESTIMANDS, Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.values import MEAN
from ldp_aggregator.numerics.arrays import Floats

_TURNS = 2
"""How often levels are found again with the variances that they imply."""
_SPLIT = (
    "{values}: an epoch takes about {needed} reports to be tested by itself, and has "
    "fewer. So all epochs before are compared with all after, for each epoch, and the "
    "largest difference is tested, in one look: if you look after every epoch, false "
    "alarms add up"
)
_TOO_FEW = (
    "{values}: too few reports in an epoch, which takes about {needed}, and in all "
    "epochs together: shown, and not tested for changes"
)
_MOST_NAMED = 5
_UNKNOWN_OVERLAP = (
    "devices keep a permanent response, whose error is alike in all epochs in which "
    "they report: bands hold whether all epochs are of the same devices or none, and "
    "no change is claimed that other devices explain (--overlap says how many stay "
    "from one epoch to the next)"
)
_STILL_OPEN = "the last {many} may still get reports: shown, and not tested for changes"


def follow(
    history: Iterable[tuple[Epoch, QuestionEstimates]],
    /,
    *,
    values: Sequence[str] = (),
    level: float = 0.95,
    estimand: str = "population",
    alarm_rate: float = 0.01,
    overlap: float | None = None,
    season: int | None = None,
    slope: bool = False,
    still_open: int = 0,
) -> Trends:
    """The course of a question over epochs: levels with bands, and whether anything has
    changed.

    history     (epoch, estimates) of one question; epochs are numbers, of which some
                may be missing, or names, in the order of time. Of a panel, of questions
                that ask for the same values
    values      which values to follow; all, if none are named ("mean" for the mean of
                numbers)
    level       coverage of the bands, and of the set of epochs since when something has
                changed
    estimand    whose level it is: a population of which each epoch draws, or the
                respondents
    alarm_rate  the chance that anything is ever called changed that has not; in one look where
                epochs have few reports and are pooled
    overlap     the share of the devices that stay from one epoch to the next, with the
                same answer
    season      how many epochs a season has, if the same comes again with each
    slope       whether the level has a trend
    still_open  how many of the last epochs may still get reports

    Raises `EstimateError` for too few epochs, for what has no errors, and if
    statsmodels is missing; `UnknownNameError` for other values.

    >>> import ldp, ldp_aggregator, ldp_simulations as sim
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="2"))
    >>> weeks = [["car", "car", "bus"]] * 6 + [["car", "bus", "bus"]] * 3
    >>> history = [
    ...     (week, ldp_aggregator.estimate(survey, sim.randomize(survey, {"mode": told * 700})))
    ...     for week, told in enumerate(weeks)
    ... ]
    >>> trends = ldp_aggregator.follow((week, known["mode"]) for week, known in history)
    >>> trends.alarm, trends["bus"].since
    (True, (6,))
    """
    known = list(history)
    _check(known, estimand, alarm_rate, overlap=overlap)
    complete = complete_history(known)
    newest = next(
        estimates for _, estimates in reversed(complete) if estimates is not None
    )
    chosen = values_of(newest, values)
    if (
        MEAN in chosen
        and MEAN not in newest.values
        and newest.options.estimand != estimand
    ):
        raise EstimateError(
            f"expected means that are estimated for the {estimand} "
            f"(Options(estimand=...)), got those for the {newest.options.estimand}"
        )
    asked = TrendOptions(
        level, overlap, season, slope=slope, closed=max(0, len(complete) - still_open)
    )
    one_of = 1 / alarm_rate
    remarks: list[str] = []
    courses = []
    needed: dict[str, int] = {}
    for value in chosen:
        of_value = series_of(complete, value, estimand)
        needed[value] = of_value.reports_for_normal(of_value.overall())
        courses.append(
            _course(of_value, asked, one_of * len(chosen), is_normal=not needed[value])
        )
    few = [value for value in chosen if needed[value]]
    tests: dict[str, SplitTest] = {}
    stays = courses[0].seen.may_repeat and overlap != 0
    if few and season is None and not stays:
        tests = split_tests(
            complete[: asked.closed],
            few,
            Options(level, estimand),
            family=len(chosen),
        )
        courses = [
            _split(course, tests.get(course.value), alarm_rate) for course in courses
        ]
    for text, values_of_text in (
        (_SPLIT, [value for value in few if value in tests]),
        (_TOO_FEW, [value for value in few if value not in tests]),
    ):
        if values_of_text:
            least, most = (
                end(needed[value] for value in values_of_text) for end in (min, max)
            )
            numbers = f"{least:,}" if least == most else f"{least:,} to {most:,}"
            remarks.append(text.format(values=_named(values_of_text), needed=numbers))
    if courses[0].seen.may_repeat and overlap is None:
        remarks.append(_UNKNOWN_OVERLAP)
    if still_open:
        many = "epoch"
        if still_open != 1:
            many = f"{still_open} epochs"
        remarks.append(_STILL_OPEN.format(many=many))
    return Trends(
        newest.question,
        tuple(courses),
        level,
        estimand=estimand,
        alarm_rate=alarm_rate,
        remarks=tuple(remarks),
    )


def _check(
    history: Sequence[tuple[Epoch, QuestionEstimates]],
    estimand: str,
    alarm_rate: float,
    overlap: float | None,
) -> None:
    if not history:
        raise EstimateError("expected a history of at least one epoch, got none")
    if estimand not in ESTIMANDS:
        raise EstimateError(f"expected estimand to be one of {', '.join(ESTIMANDS)}")
    if not 0 < alarm_rate < 1:
        raise EstimateError(
            f"expected an alarm rate between 0 and 1, got {alarm_rate:g}"
        )
    check_overlap(overlap)
    questions = {estimates.name: estimates.question for _, estimates in history}
    if len(questions) > 1 and not poolable([*questions.values()]):
        raise EstimateError(
            "expected a history of one question, or of questions that ask for the same "
            f"values, got {', '.join(questions)}"
        )
    if any(estimates.is_shape for _, estimates in history):
        raise EstimateError("expected estimates with errors, got a biased shape")


def _named(values: Sequence[str]) -> str:
    more = len(values) - _MOST_NAMED
    named = ", ".join(values[:_MOST_NAMED])
    if more > 0:
        return f"{named} and {more:,} more"
    return named


def _split(course: Course, test: SplitTest | None, alarm_rate: float) -> Course:
    """The course of a value that was tested by before and after."""
    if test is None:
        return course
    course = replace(course, tested=True, p_value=test.p_value)
    if test.p_value > alarm_rate:
        return course
    return replace(
        course, alarm=course.epochs[-1], since=test.since, change=test.change
    )


def _course(
    of_value: ValueHistory, asked: TrendOptions, threshold: float, *, is_normal: bool
) -> Course:
    """Course of one value, with evidence if the errors of epochs are normal."""
    level, low, high = _level(of_value, asked)
    evidence = None
    if is_normal:
        evidence = evidence_in(of_value, asked)
    values, steps = on_epochs(of_value, evidence, asked)
    first = np.flatnonzero(values >= threshold)
    possible: tuple[Epoch, ...] = ()
    change = None
    if evidence is not None and first.size:
        there = epochs_to_test(of_value, asked)
        places = there[since(evidence, 1 - asked.level)]
        possible = tuple(of_value.epochs[place] for place in places.tolist())
        change = float(steps[there[int(np.argmax(evidence.steps))]])
    return Course(
        of_value,
        level,
        low,
        high=high,
        evidence=values,
        alarm=of_value.epochs[int(first[0])] if first.size else None,
        since=possible,
        change=change,
        tested=evidence is not None,
    )


def _level(
    of_value: ValueHistory, asked: TrendOptions
) -> tuple[TrendLevel, Floats, Floats]:
    """The level, and its band: of memoized devices what holds for all overlaps that may
    be.
    """
    frequency = np.full(len(of_value.epochs), of_value.overall())
    for _ in range(_TURNS - 1):
        fitted = _fit(of_value, frequency, 0.0, asked=asked)[0]
        frequency = fitted.level
    fits = [
        _fit(of_value, frequency, share, asked=asked)
        for share in _shares(of_value, asked)
    ]
    bands = [known.law.ends(1 - asked.level, common) for known, common in fits]
    low = np.min([low for low, _ in bands], axis=0)
    high = np.max([high for _, high in bands], axis=0)
    if not of_value.is_mean:
        low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    return fits[0][0], low, high


def _shares(of_value: ValueHistory, asked: TrendOptions) -> Iterator[float]:
    """How much of the permanent response's error all epochs may have in common."""
    if asked.overlap is not None:
        yield asked.overlap
        return
    yield 0.0
    if of_value.may_repeat:
        yield 1.0


def _fit(
    of_value: ValueHistory, frequency: Floats, share: float, asked: TrendOptions
) -> tuple[TrendLevel, float]:
    """The level, and the variance of what does not average out over epochs."""
    variance = of_value.variance(frequency)
    common = share * np.minimum(of_value.lasting(frequency), np.nan_to_num(variance))
    known = level_of(
        of_value.estimate, variance - common, season=asked.season, slope=asked.slope
    )
    return known, float(common.max())
