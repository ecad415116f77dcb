"""Factors by which combinations and cells count more or less, so that known margins are
met.

If the young are a fifth of the respondents and a third of the population, the answers
of the young count five thirds each. With several margins at once the factors are as
near to 1 as they can be:

    X          1, and 1 for those who hold each value of each margin (one value of each
               left out, as a margin sums to 1)
    phi        unbiased shares of combinations and cells among the respondents
    linear     g = X'l with S l = T, S = sum of phi X X', T the known shares: least squares
    raking     g = exp(X'l) with sum of phi g X = T: what fitting one margin after the other
               comes to (Deming and Stephan), with factors above 0

A margin of a public attribute has X in the clear. One of a *randomized* field has not:
regressing scores on scores would attenuate; S from the cells does not, as a cell's
share is unbiased and X is known for each cell. With one margin both ways are
post-stratification, g = share / phi.

Sources: Deming and Stephan 1940; Deville and Sarndal 1992 (calibration); `S` from
randomized fields, moments of what people hold in place of moments of reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ldp.answers.fields import AND
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.analyses.weighting.answers import ReportAnswers
from ldp_aggregator.analyses.weighting.margins import Margin
from ldp_aggregator.numerics.arrays import Flags, Floats

LINEAR, RAKING = "linear", "raking"
METHODS = (RAKING, LINEAR)
_STEPS = 200
_MET = 1e-12
_SINGULAR = 1e-10


class Target(NamedTuple):
    """One value of one margin."""

    margin: str
    value: str
    held: Flags
    """Where it is held, of a shape that goes with (combinations, cells)."""
    share: float
    seen: float
    """Its share among the respondents, before any weight but those of the design:
    unbiased.
    """
    people: float | None
    """How many hold it in the population, where that is known."""


class Factors(NamedTuple):
    """What each combination and cell counts for: arrays over (combinations, cells or
    1).
    """

    factors: Floats
    indicators: Floats
    """X, (combinations, cells or 1, k)."""
    shares: Floats
    """phi, of the shape of the factors."""
    public: bool
    """Whether all margins are of public attributes, so that nothing of this is
    estimated.
    """
    steps: int


def targets_of(answers: ReportAnswers, margins: Sequence[Margin]) -> tuple[Target, ...]:
    """The values of margins, and where they are held.

    Raises `EstimateError` for values that no report can have, and for those of reports
    that a margin leaves out.
    """
    targets: list[Target] = []
    for margin in margins:
        _check_names(answers, margin)
        columns = [answers.column(name) for name in margin.attributes]
        public = all(column.public for column in columns)
        covered = np.zeros((len(answers.combinations), 1 if public else answers.cells))
        shares = answers.shares_where(public=public)
        for value, share in zip(margin.values, margin.shares, strict=True):
            held = np.ones(covered.shape, dtype=bool)
            for column, text in zip(columns, value, strict=True):
                if text not in column.values:
                    known = ", ".join(column.values)
                    raise EstimateError(
                        f"margin {margin.name!r}: expected values of {column.name!r} "
                        f"that reports have ({known}), got {text!r}"
                    )
                held = held & (column.codes == column.values.index(text))
            covered += held
            people = None
            if margin.people is not None:
                people = share * margin.people
            targets.append(
                Target(
                    margin.name,
                    AND.join(value),
                    held,
                    share=share,
                    seen=float((shares * held).sum()),
                    people=people,
                )
            )
        _check_covered(answers, margin, covered)
    return tuple(targets)


def _check_names(answers: ReportAnswers, margin: Margin) -> None:
    for name in margin.attributes:
        if name not in answers.names or (
            answers.is_mean and name not in answers.attributes
        ):
            raise UnknownNameError(
                name, answers.names, f"an attribute (margin {margin.name!r})"
            )


def _check_covered(answers: ReportAnswers, margin: Margin, covered: Floats) -> None:
    """Raise `EstimateError` where somebody holds a value that the margin has no share
    of.
    """
    if (covered != 0).all():
        return
    place, cell = (int(index[0]) for index in np.nonzero(covered == 0))
    values = []
    for name in margin.attributes:
        column = answers.column(name)
        codes = np.broadcast_to(column.codes, covered.shape)
        values.append(column.values[codes[place, cell]])
    raise EstimateError(
        f"margin {margin.name!r}: expected a share of every value that reports have, "
        f"got none of {AND.join(values)!r}"
    )


def factors_for(
    answers: ReportAnswers, targets: Sequence[Target], method: str
) -> Factors:
    """The factors that meet the targets.

    Raises `EstimateError` where margins contradict each other, or a value is too rare
    among the respondents for its share to be met.
    """
    if method not in METHODS:
        raise EstimateError(
            f"expected method to be one of {', '.join(METHODS)}, got {method!r}"
        )
    public = all(target.held.shape[1] == 1 for target in targets)
    shares = answers.shares_where(public=public)
    parts = [np.ones(shares.shape)]
    wanted = [1.0]
    left_out = {target.margin: target for target in targets}
    for target in targets:
        _check_seen(target, public=target.held.shape[1] == 1)
        if target is not left_out[target.margin]:
            parts.append(np.broadcast_to(target.held, shares.shape).astype(np.float64))
            wanted.append(target.share)
    indicators = np.stack(parts, axis=2)
    known = np.array(wanted)
    factors, steps = _solve(shares, indicators, known, raking=method == RAKING)
    return Factors(factors, indicators, shares, public=public, steps=steps)


def _check_seen(target: Target, *, public: bool) -> None:
    if target.seen > 0 or (public and target.share == 0):
        return
    if public:
        who = "no respondent holds it"
    else:
        who = f"its unbiased share is {target.seen:.4f}"
    raise EstimateError(
        f"margin {target.margin!r}: expected respondents who hold {target.value!r}, "
        f"whose share is to be {target.share:.4g}, but {who}; merge it with another "
        "value"
    )


def _solve(
    shares: Floats, indicators: Floats, known: Floats, *, raking: bool
) -> tuple[Floats, int]:
    """The factors, and in how many steps of Newton's method they came."""
    flat, design = shares.ravel(), indicators.reshape(-1, len(known))
    solution = np.zeros(len(known))
    factors = np.ones(len(flat))
    linear = np.zeros(len(flat))
    for step in range(1, _STEPS + 1):
        # What is met so far, and by how much each multiplier moves it.
        missing = known - (flat * factors) @ design
        if step > 1 and float(np.abs(missing).max()) < _MET:
            return factors.reshape(shares.shape), step - 1
        slope = flat
        if raking:
            slope = flat * factors
        move = _through(design.T @ (slope[:, None] * design), missing)
        size = 1.0
        if raking:
            # No factor changes more than e^2-fold in a step.
            reach = float(np.abs(design @ move).max())
            size = 1.0
            if reach > 0:
                size = min(1.0, 2.0 / reach)
        solution = solution + size * move
        linear = design @ solution
        factors = np.exp(linear) if raking else 1 + linear
    raise EstimateError(
        "expected margins that can be met together, but no factors meet them: they "
        "contradict each other, or a value is so rare among the respondents that noise "
        "alone may hide it"
    )


def _through(matrix: Floats, vector: Floats) -> Floats:
    """The least solution, where margins repeat each other. Raises `EstimateError`."""
    values, vectors = np.linalg.eigh(matrix)
    if values[-1] <= 0 or values[0] < -_SINGULAR * values[-1]:
        raise EstimateError(
            "expected enough reports for randomized margins: their second moments, "
            "unbiased, are not those of any people; merge values, or use fewer margins"
        )
    known = values > _SINGULAR * values[-1]
    own = vectors[:, known]
    return np.asarray(own @ ((own.T @ vector) / values[known]))
