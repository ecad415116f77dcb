"""Unbiased estimating equations: what plain data would be put into, with scores in
their place.

A regression sets sums to zero: of x (y - m(x'b)), over people. Of randomized answers no
term is known, but each has a score that is right on average, whoever it is. So the sum
of the scores is right on average too, and its zero is near that of the plain sum.

    covariates in the clear   sum of x (s - m), s what the report is worth to the answer
    randomized ones too       sum over cells of phi x (y - m), phi the unbiased shares
                              of the cells that one report tells of (a question of type
                              `table`, or linked ones)
    m                         the mean of an answer by its link to x'b
    sandwich                  A^-1 Cov A^-1, A the negative derivative of the sum, Cov
                              that of the mean scores: noise and sampling in one,
                              whatever the model's error is like

Probit and cloglog weigh y - m by m' / (m (1 - m)), as maximum likelihood does.

Regressing scores on scores would attenuate: squares of scores are no scores of squares.
Cells do not have that fault, as x is known in each. But an unbiased share may be below
0, and then a sum of phi m' x x' need not be that of any people. It is used as it is, as
anything else would be biased; the search starts from the nearest shares that are none
below 0, and says whether it came to an end.

Sources: Huber 1967, White 1980 (HC0); corrected scores: Nakamura 1990, Stefanski 1989.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ldp_aggregator.analyses.regression.ascent import halve_step
from ldp_aggregator.analyses.regression.design import DesignMatrix
from ldp_aggregator.analyses.regression.links import LINEAR, Link
from ldp_aggregator.analyses.regression.outcomes import RegressionOutcome
from ldp_aggregator.analyses.weighting.answers import ReportAnswers
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.postprocessing import norm_sub

_STEPS = 200
_SETTLED = 1e-13


class Solution(NamedTuple):
    """Where the equations are zero."""

    coefficients: Floats
    covariance: Floats
    converged: bool
    steps: int
    negative: int
    """Cells whose unbiased share is below 0."""


class _Sums(NamedTuple):
    """The equations: sum of f x - sum of m(x'b) w x = 0, over rows."""

    table: Floats
    """x, (rows, k)."""
    weight: Floats
    """w: shares of those who have the covariates; of randomized ones unbiased, (rows,).
    """
    answer: Floats
    """f: these shares, times the mean answer, (rows,)."""


def solve_equations(
    answers: ReportAnswers, design: DesignMatrix, outcome: RegressionOutcome
) -> Solution:
    """The zero of the equations, and the sandwich."""
    link, counts = outcome.link, outcome.counts
    sums = _sums(answers, design, answers.shares, counts=counts)
    cells = answers.shares
    if link.name == LINEAR:
        zero = np.zeros(design.table.shape[2])
        moments = _moments(sums, zero, link)
        coefficients = _through(moments, _values(sums, link, zero))
        converged, steps = _is_positive(moments), 1
    else:
        start = _start(answers, design, outcome)
        coefficients, converged, steps = _root(sums, start, link)
    bread = _moments(sums, coefficients, link)
    covariance = _sandwich(
        answers, design, outcome, coefficients=coefficients, bread=bread
    )
    negative = 0 if design.public else int((cells < 0).sum())
    return Solution(
        coefficients, covariance, converged=converged, steps=steps, negative=negative
    )


def _sums(
    answers: ReportAnswers, design: DesignMatrix, shares: Floats, counts: Floats
) -> _Sums:
    """The rows are combinations, or combinations and cells."""
    size = design.table.shape[2]
    table = np.ascontiguousarray(design.table.reshape(-1, size))
    if design.public:
        return _Sums(table, answers.clear_shares, (shares * counts).sum(axis=1))
    return _Sums(table, shares.ravel(), (shares * counts).ravel())


def _start(
    answers: ReportAnswers, design: DesignMatrix, outcome: RegressionOutcome
) -> Floats:
    """Fit shares none of which is below 0: concave, so that Newton's method leads
    up.
    """
    shares = answers.shares
    known = answers.clear_shares
    projected = np.zeros(shares.shape)
    for place, share in enumerate(known.tolist()):
        if share > 0:
            projected[place] = share * norm_sub(shares[place] / share)
    size = design.table.shape[2]
    sums = _sums(answers, design, projected, counts=outcome.counts)
    coefficients, _, _ = _root(sums, np.zeros(size), outcome.link)
    if np.isfinite(coefficients).all():
        return coefficients
    return np.zeros(size)


def _root(sums: _Sums, start: Floats, link: Link) -> tuple[Floats, bool, int]:
    """The zero of the equations by Newton's method, with steps that come nearer
    to it.
    """
    coefficients = start.copy()
    value = _values(sums, link, coefficients)
    for step in range(1, _STEPS + 1):
        moments = _moments(sums, coefficients, link)
        if not np.isfinite(moments).all() or np.linalg.cond(moments) > 1e14:
            return coefficients, False, step
        move = _through(moments, value)
        if float(np.abs(move).max()) < _SETTLED * (
            1 + float(np.abs(coefficients).max())
        ):
            return coefficients, _sound(sums, coefficients, link), step
        nearer = halve_step(
            partial(_values, sums, link),
            coefficients,
            move,
            value=value,
            is_better=_is_nearer,
        )
        if nearer is None:
            settled = float(np.abs(value).max()) < 1e-12
            return coefficients, settled and _sound(sums, coefficients, link), step
        coefficients, value = nearer
    return coefficients, False, _STEPS


def _is_nearer(values: Floats, before: Floats) -> bool:
    """To zero."""
    return float(values @ values) < float(before @ before)


def _sound(sums: _Sums, coefficients: Floats, link: Link) -> bool:
    """Whether the zero is a maximum, as of plain data, and no chance is all but 0
    or 1.
    """
    inside = link.is_inside(sums.table @ coefficients)
    return inside and _is_positive(_moments(sums, coefficients, link))


def _is_positive(moments: Floats) -> bool:
    return bool(np.linalg.eigvalsh(moments)[0] > 0)


def _values(sums: _Sums, link: Link, coefficients: Floats) -> Floats:
    at = link.at(sums.table @ coefficients)
    weight, _ = link.weights(at)
    residual = sums.answer - sums.weight * at.mean
    return sums.table.T @ (weight * residual)


def _moments(sums: _Sums, coefficients: Floats, link: Link) -> Floats:
    """The negative derivative of the equations, (k, k)."""
    at = link.at(sums.table @ coefficients)
    weight, change = link.weights(at)
    residual = sums.answer - sums.weight * at.mean
    spread = sums.weight * weight * at.slope - change * residual
    return sums.table.T @ (spread[:, None] * sums.table)


def _through(moments: Floats, values: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(moments, values, rcond=None)[0], dtype=np.float64)


def _sandwich(
    answers: ReportAnswers,
    design: DesignMatrix,
    outcome: RegressionOutcome,
    coefficients: Floats,
    *,
    bread: Floats,
) -> Floats:
    """Sandwich of coefficients (k,): (k, k)."""
    at = outcome.link.at(design.table @ coefficients)
    weight, _ = outcome.link.weights(at)
    weighted = design.table * weight[:, :, None]
    size = len(coefficients)
    functions = np.zeros((len(answers.combinations), 1 + answers.cells, size))
    if design.public:
        functions[:, 0] = -(weighted * at.mean[:, :, None])[:, 0]
        functions[:, 1:] = weighted * outcome.counts[:, :, None]
    else:
        functions[:, 1:] = weighted * (outcome.counts - at.mean)[:, :, None]
    inverse = np.linalg.pinv(bread, hermitian=True)
    return inverse @ answers.covariance(functions, corrected=False) @ inverse
