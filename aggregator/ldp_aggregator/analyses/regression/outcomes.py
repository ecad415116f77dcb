"""What is explained: a part of an answer, or a column in the clear.

With what its values count for, and how likely reports are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.analyses.regression.design import DesignMatrix
from ldp_aggregator.analyses.regression.formula import Formula
from ldp_aggregator.analyses.regression.joint_likelihood import Together
from ldp_aggregator.analyses.regression.likelihood import Observed
from ldp_aggregator.analyses.regression.links import LINEAR, LINKS, LOGIT, Link
from ldp_aggregator.analyses.regression.options import RegressionOptions
from ldp_aggregator.analyses.weighting.answers import ReportAnswers
from ldp_aggregator.numerics.arrays import Floats


class RegressionOutcome(NamedTuple):
    """What is explained."""

    name: str
    link: Link
    event: str | None
    """The value whose chance is explained."""
    counts: Floats
    """What each counts for, of a shape that goes with (combinations, cells)."""
    numbers: Floats | None
    """What the values stand for, where they are numbers."""
    public: bool = False
    """Whether it lies in the clear, so that predictors alone are randomized."""


def outcome_of(
    answers: ReportAnswers, formula: Formula, choices: RegressionOptions
) -> RegressionOutcome:
    """The outcome before the ~ of a formula. Raises `UnknownNameError`."""
    name, event = formula.outcome, choices.event
    if answers.is_mean:
        return _mean_of(answers, name, choices)
    if name not in answers.names:
        raise UnknownNameError(name, answers.names, "what a report tells, or a column")
    column = answers.column(name)
    two = len(column.values) == 2
    model = choices.model
    if model is None:
        model = LOGIT if two or event is not None else LINEAR
    link = LINKS[model]
    if not link.is_chance and column.numbers is not None and event is None:
        counts = np.asarray(column.numbers[column.codes], dtype=np.float64)
        return RegressionOutcome(
            name,
            link,
            None,
            counts=counts,
            numbers=column.numbers,
            public=column.public,
        )
    if event is None:
        if not two:
            raise EstimateError(
                f"expected the value of {name!r} whose chance is explained (event), of "
                f"{', '.join(column.values)}"
            )
        event = column.values[1]
    if event not in column.values:
        raise UnknownNameError(event, column.values, f"a value of {name!r}")
    counts = (column.codes == column.values.index(event)).astype(np.float64)
    return RegressionOutcome(
        name, link, event, counts=counts, numbers=column.numbers, public=column.public
    )


def _mean_of(
    answers: ReportAnswers, name: str, choices: RegressionOptions
) -> RegressionOutcome:
    """A number, of which reports tell the mean."""
    names = [part.name for part in answers.parts]
    if name not in names:
        raise UnknownNameError(name, names, "what a report tells")
    link = LINKS[choices.model or LINEAR]
    if link.is_chance or choices.event is not None:
        raise EstimateError(
            f"expected a linear model of {name!r}, whose mean reports tell"
        )
    return RegressionOutcome(name, link, None, counts=np.ones((1, 1)), numbers=None)


def observed_of(
    answers: ReportAnswers, design: DesignMatrix, outcome: RegressionOutcome
) -> Observed | None:
    """What the likelihood needs; None where it is not known."""
    units = answers.units
    if outcome.public or not outcome.link.is_chance or not design.public:
        return None
    if units is None or units.law is None or answers.cells != 2:
        return None
    if units.cluster is not None or units.stratum is not None:
        return None
    second = int(np.argmax(outcome.counts))
    return Observed(
        np.ascontiguousarray(design.table[units.combination, 0]),
        units.alike,
        units.design,
        chances=units.law[:, [1 - second, second]],
        link=outcome.link,
    )


def together_of(
    answers: ReportAnswers,
    design: DesignMatrix,
    outcome: RegressionOutcome,
) -> Together | None:
    """The same where predictors are randomized, with nothing in the clear; None for
    others.
    """
    units = answers.units
    if outcome.public or not outcome.link.is_chance or design.public:
        return None
    if units is None or units.law is None:
        return None
    sampled = units.cluster is not None or units.stratum is not None
    two = len(answers.column(outcome.name).values) == 2
    if not two or len(answers.combinations) > 1 or sampled:
        return None
    # The places of cells with either answer, side by side: in the same order of all
    # other parts.
    no, yes = (np.flatnonzero(outcome.counts == count) for count in (0, 1))
    weight = units.alike * units.design
    return Together(
        np.ascontiguousarray(design.table[0, no]),
        weight,
        weight * units.design,
        chances=np.stack([units.law[:, no], units.law[:, yes]], axis=2),
        shares=answers.shares[0, no] + answers.shares[0, yes],
        link=outcome.link,
    )
