"""Reports drawn from their channel: tallies, or counts beside covariates in the
clear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.random import Generator

import ldp
from ldp.survey.survey import Survey
from ldp_aggregator.analyses.weighting.answers import ReportAnswers, Units
from ldp_aggregator.analyses.weighting.reading import parts_of, spent_on
from ldp_aggregator.analyses.weighting.worth import AnswerScores, worth_of
from ldp_aggregator.numerics.arrays import Floats, Integers
from ldp_aggregator.tallies.tally import Tally

YES, NUMBER, TABLE = "smokes", "score", "life"


@cache
def of_yes(epsilon: str) -> Survey:
    """One question with two answers."""
    return ldp.survey(
        "yes", ldp.question(YES, type="boolean", mechanism="grr", epsilon=epsilon)
    )


@cache
def of_number(epsilon: str) -> Survey:
    """One question for a number from 0 to 10, through a mechanism for means."""
    question = ldp.question(
        NUMBER, type="integer", low=0, high=10, mechanism="dithered", epsilon=epsilon
    )
    return ldp.survey("number", question)


@cache
def of_table(epsilon: str) -> Survey:
    """One question whose report tells three fields together."""
    fields = [
        ldp.field(YES, type="boolean"),
        ldp.field("age", ["young", "middle", "old"]),
        ldp.field("sex", ["female", "male"]),
    ]
    question = ldp.question(TABLE, fields=fields, mechanism="grr", epsilon=epsilon)
    return ldp.survey("table", question)


@cache
def _worth(survey: Survey, name: str) -> AnswerScores:
    question = survey[name]
    shape = (question.layout.cohorts, question.layout.symbols)
    return worth_of(question, np.ones(shape, dtype=np.int64))


@cache
def _law(survey: Survey, name: str) -> Floats:
    """P[mark of the tally | value], (values, marks)."""
    rows = survey[name].randomizer.channel().rows
    return np.array([[float(mass) for mass in row] for row in rows])


def tally_of(
    survey: Survey, name: str, holders: Integers, generator: Generator
) -> Tally:
    """The tally of so many holders of each value, (values,)."""
    tally = Tally.empty(survey)
    counts = tally.counts[name]
    marks = generator.multinomial(holders, _law(survey, name)).sum(axis=0)
    counts += marks.reshape(counts.shape)
    return tally


def cells_of(
    survey: Survey,
    name: str,
    holders: Integers,
    attributes: Mapping[str, Sequence[str]],
    generator: Generator,
) -> ReportAnswers:
    """Reports of so many holders of each value, (combinations, values), by what is in
    the clear.
    """
    question, worth = survey[name], _worth(survey, name)
    marks = generator.multinomial(holders, _law(survey, name)).sum(axis=1)
    combination, mark = np.nonzero(marks)
    design = np.ones(len(mark))
    return ReportAnswers(
        name,
        spent_on((question,)),
        tuple(attributes),
        combinations=tuple(zip(*attributes.values(), strict=True)),
        parts=parts_of(question),
        is_mean=worth.is_mean,
        reports=int(marks.sum()),
        units=Units(
            combination.astype(np.int64),
            marks[combination, mark].astype(np.float64),
            design,
            scores=np.ascontiguousarray(worth.scores.T[mark]),
            law=None if worth.law is None else np.ascontiguousarray(worth.law.T[mark]),
        ),
    )
