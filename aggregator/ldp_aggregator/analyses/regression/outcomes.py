"""What is explained: which part of an answer, what its values count for, how likely
reports are.
"""

from __future__ import annotations

import numpy as np

from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.analyses.regression.design import DesignMatrix
from ldp_aggregator.analyses.regression.equations import LINEAR, LOGIT
from ldp_aggregator.analyses.regression.formula import Formula
from ldp_aggregator.analyses.regression.joint_likelihood import Together
from ldp_aggregator.analyses.regression.likelihood import Observed
from ldp_aggregator.analyses.regression.options import RegressionOptions
from ldp_aggregator.analyses.weighting.answers import ReportAnswers, ReportPart
from ldp_aggregator.numerics.arrays import Floats


def outcome_part(answers: ReportAnswers, formula: Formula) -> ReportPart:
    """Return the outcome before the ~ of a formula. Raises `UnknownNameError`."""
    for part in answers.parts:
        if part.name == formula.outcome:
            return part
    names = [part.name for part in answers.parts]
    raise UnknownNameError(formula.outcome, names, "what a report tells")


def outcome_of(
    answers: ReportAnswers, part: ReportPart, choices: RegressionOptions
) -> tuple[str, str | None, Floats]:
    """The model, the event of a logit, and what each cell counts for, (cells,)."""
    two = len(part.values) == 2
    model = choices.model
    if model is None:
        is_share = not answers.is_mean and (two or choices.event is not None)
        model = LOGIT if is_share else LINEAR
    if answers.is_mean:
        if model == LOGIT or choices.event is not None:
            raise EstimateError(
                f"expected a linear model of {part.name!r}, whose mean reports tell"
            )
        return model, None, np.ones(1)
    codes = np.broadcast_to(answers.column(part.name).codes, (1, answers.cells))[0]
    if model == LINEAR and part.numbers is not None and choices.event is None:
        return model, None, np.asarray(part.numbers[codes], dtype=np.float64)
    event = choices.event
    if event is None:
        if not two:
            raise EstimateError(
                f"expected the value of {part.name!r} whose chance is explained "
                f"(event), of {', '.join(part.values)}"
            )
        event = part.values[1]
    if event not in part.values:
        raise UnknownNameError(event, part.values, f"a value of {part.name!r}")
    return model, event, (codes == part.values.index(event)).astype(np.float64)


def observed_of(
    answers: ReportAnswers, design: DesignMatrix, outcome: Floats, *, model: str
) -> Observed | None:
    """What the likelihood needs; None where it is not known."""
    units = answers.units
    if model != LOGIT or not design.public or units is None or units.law is None:
        return None
    if answers.cells != 2 or units.cluster is not None or units.stratum is not None:
        return None
    second = int(np.argmax(outcome))
    return Observed(
        np.ascontiguousarray(design.table[units.combination, 0]),
        units.alike,
        units.design,
        chances=units.law[:, [1 - second, second]],
    )


def together_of(
    answers: ReportAnswers,
    design: DesignMatrix,
    part: ReportPart,
    outcome: Floats,
    *,
    model: str,
) -> Together | None:
    """The same where predictors are randomized, with nothing in the clear; None for
    others.
    """
    units = answers.units
    if model != LOGIT or design.public or units is None or units.law is None:
        return None
    sampled = units.cluster is not None or units.stratum is not None
    if len(part.values) != 2 or len(answers.combinations) > 1 or sampled:
        return None
    # The places of cells with either answer, side by side: in the same order of all
    # other parts.
    no, yes = np.flatnonzero(outcome == 0), np.flatnonzero(outcome == 1)
    weight = units.alike * units.design
    return Together(
        np.ascontiguousarray(design.table[0, no]),
        weight,
        weight * units.design,
        chances=np.stack([units.law[:, no], units.law[:, yes]], axis=2),
        shares=answers.shares[0, no] + answers.shares[0, yes],
    )
