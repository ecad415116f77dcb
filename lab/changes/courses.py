"""Series over epochs, many times: bands, false alarms and delays.

Estimates are drawn from their tallies' laws, and followed as analysts follow them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

import ldp
from lab.changes.panels import permanent_counts, reported
from ldp.survey.survey import Question
from ldp_aggregator.analyses.series.following import follow
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.numerics.arrays import Floats
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

RESPONDENTS = 5_000
ALARM_RATE = 0.05
TYPICAL = 0.3
"""Where levels begin."""


class Course(NamedTuple):
    """How a level moves, in standard errors of an estimate."""

    name: str
    epochs: int
    moves: Callable[[int, Generator], Floats]
    missing: tuple[int, ...] = ()
    devices: str = ""
    """Of memoized devices, who they are: "same", "swapped" half way, or others in each
    epoch.
    """
    changed: int | None = None
    """The epoch of the change, where there is one."""
    slope: bool = False
    """Whether it is followed as a level with a trend."""


def still(epochs: int, _: Generator) -> Floats:
    """Nothing moves."""
    return np.zeros(epochs)


def walk(step: float) -> Callable[[int, Generator], Floats]:
    """Each epoch adds a step."""

    def moves(epochs: int, generator: Generator) -> Floats:
        return np.asarray(np.cumsum(generator.normal(0.0, step, epochs)))

    return moves


def rise(slope: float, step: float) -> Callable[[int, Generator], Floats]:
    """Each epoch adds as much, and a step."""

    def moves(epochs: int, generator: Generator) -> Floats:
        return np.asarray(np.cumsum(generator.normal(slope, step, epochs)))

    return moves


def jump(size: float, place: int) -> Callable[[int, Generator], Floats]:
    """All at once."""

    def moves(epochs: int, _: Generator) -> Floats:
        return np.asarray(size * (np.arange(epochs) >= place))

    return moves


def question_of(course: Course) -> Question:
    """What is asked."""
    keys: dict[str, Any] = {"mechanism": "grr", "epsilon": "1"}
    if course.devices:
        keys = {"mechanism": "l-osue", "epsilon_first": "1", "epsilon_lifetime": "2"}
    return ldp.survey("courses", ldp.question("q", ["no", "yes"], **keys))["q"]


def measured(course: Course, runs: int, seed: int) -> dict[str, float]:
    """The shares of runs in which each happened; of bands, over epochs."""
    generator = np.random.default_rng([seed, *course.name.encode()])
    question = question_of(course)
    unit = _unit(question)
    sums: dict[str, list[float]] = {}
    for _ in range(runs):
        level = np.clip(
            TYPICAL + unit * course.moves(course.epochs, generator), 0.02, 0.98
        )
        history = list(_history(course, question, level, generator=generator))
        for what, seen in _seen(course, history, level):
            sums.setdefault(what, []).append(seen)
    return {what: float(np.mean(seen)) for what, seen in sums.items()}


def _seen(
    course: Course, history: list[tuple[int, QuestionEstimates]], level: Floats
) -> Iterator[tuple[str, float]]:
    trends = follow(history, values=["yes"], alarm_rate=ALARM_RATE, slope=course.slope)
    known = trends["yes"]
    yield "band", float(np.mean((known.low <= level) & (level <= known.high)))
    yield "at the end", float(known.low[-1] <= level[-1] <= known.high[-1])
    yield "alarm", float(trends.alarm)
    if course.changed is None or known.alarm is None:
        return
    # An alarm before the change is a false one, and counts as such where nothing
    # changes.
    if int(known.alarm) >= course.changed:
        yield "delay", int(known.alarm) - course.changed + 1
        yield "since", float(course.changed in known.since)
        yield "epochs since", len(known.since)


def _history(
    course: Course, question: Question, level: Floats, generator: Generator
) -> Iterator[tuple[int, QuestionEstimates]]:
    options = Options(estimand="population")
    kept = None
    for epoch, share in enumerate(level.tolist()):
        many = generator.multinomial(RESPONDENTS, [1 - share, share])
        fresh = not course.devices or course.devices == "others"
        if (
            kept is None
            or fresh
            or (course.devices == "swapped" and epoch == course.epochs // 2)
        ):
            kept = (
                permanent_counts(question, many, generator) if course.devices else None
            )
        if epoch in course.missing:
            continue
        if kept is None:
            holders = Holders(question.domain.values or (), many)
            counts = sample_counts(question, holders, generator)
        else:
            counts = reported(question, [(kept, RESPONDENTS)], generator)
        yield epoch, estimate_question(question, counts, options)


def _unit(question: Question) -> float:
    """The standard error of an estimate."""
    holders = Holders(question.domain.values or (), np.array([3_500, 1_500]))
    generator = np.random.default_rng(1)
    counts = sample_counts(question, holders, generator)
    known = estimate_question(question, counts, Options(estimand="population"))
    return float(known.standard_error[1])
