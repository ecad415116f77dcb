"""Unbiased estimating equations: what plain data would be put into, with scores in
their place.

A regression sets sums to zero: of x (y - m(x'b)), over people. Of randomized answers no
term is known, but each has a score that is right on average, whoever it is. So the sum
of the scores is right on average too, and its zero is near that of the plain sum.

    covariates in the clear   sum of x (s - m), s what the report is worth to the answer
    randomized ones too       sum over cells of phi x (y - m), phi the unbiased shares
                              of the cells that one report tells of (a question of type
                              `table`, or linked ones)
    logit                     m = 1 / (1 + exp(-x'b));   linear  m = x'b, in closed form
    sandwich                  A^-1 Cov A^-1, A = sum of phi m' x x', Cov that of the
                              mean scores: noise and sampling in one, whatever the
                              model's error is like

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
from ldp_aggregator.analyses.weighting.answers import ReportAnswers
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.postprocessing import norm_sub

LOGIT, LINEAR = "logit", "linear"
MODELS = (LOGIT, LINEAR)
_STEPS = 200
_SETTLED = 1e-13
_STEEP = 15.0


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
    answers: ReportAnswers, design: DesignMatrix, outcome: Floats, model: str
) -> Solution:
    """The zero of the equations, and the sandwich.

    outcome  what each cell counts for, (cells,)
    """
    sums = _sums(answers, design, answers.shares, outcome=outcome)
    cells = answers.shares
    if model == LINEAR:
        moments = _moments(sums, np.ones(len(sums.weight)))
        coefficients = _through(moments, sums.table.T @ sums.answer)
        converged, steps = _is_positive(moments), 1
    else:
        start = _start(answers, design, outcome)
        coefficients, converged, steps = _root(sums, start)
    covariance = _sandwich(
        answers, design, outcome, coefficients=coefficients, model=model
    )
    negative = 0 if design.public else int((cells < 0).sum())
    return Solution(
        coefficients, covariance, converged=converged, steps=steps, negative=negative
    )


def _sums(
    answers: ReportAnswers, design: DesignMatrix, shares: Floats, outcome: Floats
) -> _Sums:
    """The rows are combinations, or combinations and cells."""
    size = design.table.shape[2]
    table = np.ascontiguousarray(design.table.reshape(-1, size))
    if design.public:
        return _Sums(table, answers.clear_shares, shares @ outcome)
    return _Sums(table, shares.ravel(), (shares * outcome).ravel())


def _start(answers: ReportAnswers, design: DesignMatrix, outcome: Floats) -> Floats:
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
    sums = _sums(answers, design, projected, outcome=outcome)
    coefficients, _, _ = _root(sums, np.zeros(size))
    return coefficients if np.isfinite(coefficients).all() else np.zeros(size)


def _root(sums: _Sums, start: Floats) -> tuple[Floats, bool, int]:
    """The zero of the logit's equations by Newton's method, with steps that come nearer
    to it.
    """
    coefficients = start.copy()
    value = _values(sums, coefficients)
    for step in range(1, _STEPS + 1):
        moments = _moments(sums, _slopes(sums, coefficients))
        if not np.isfinite(moments).all() or np.linalg.cond(moments) > 1e14:
            return coefficients, False, step
        move = _through(moments, value)
        if float(np.abs(move).max()) < _SETTLED * (
            1 + float(np.abs(coefficients).max())
        ):
            return coefficients, _sound(sums, coefficients), step
        nearer = halve_step(
            partial(_values, sums),
            coefficients,
            move,
            value=value,
            is_better=_is_nearer,
        )
        if nearer is None:
            settled = float(np.abs(value).max()) < 1e-12
            return coefficients, settled and _sound(sums, coefficients), step
        coefficients, value = nearer
    return coefficients, False, _STEPS


def _is_nearer(values: Floats, before: Floats) -> bool:
    """To zero."""
    return float(values @ values) < float(before @ before)


def _sound(sums: _Sums, coefficients: Floats) -> bool:
    """Whether the zero is a maximum, as of plain data, and no chance is all but 0
    or 1.
    """
    steep = float(np.abs(sums.table @ coefficients).max()) < _STEEP
    return steep and _is_positive(_moments(sums, _slopes(sums, coefficients)))


def _is_positive(moments: Floats) -> bool:
    return bool(np.linalg.eigvalsh(moments)[0] > 0)


def _values(sums: _Sums, coefficients: Floats) -> Floats:
    return np.asarray(
        sums.table.T @ (sums.answer - sums.weight * _share(sums.table @ coefficients))
    )


def _slopes(sums: _Sums, coefficients: Floats) -> Floats:
    share = _share(sums.table @ coefficients)
    return np.asarray(share * (1 - share))


def _moments(sums: _Sums, slopes: Floats) -> Floats:
    return np.asarray(sums.table.T @ ((sums.weight * slopes)[:, None] * sums.table))


def _through(moments: Floats, values: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(moments, values, rcond=None)[0], dtype=np.float64)


def _share(linear: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(linear / 2)))


def _sandwich(
    answers: ReportAnswers,
    design: DesignMatrix,
    outcome: Floats,
    coefficients: Floats,
    *,
    model: str,
) -> Floats:
    """Sandwich of coefficients (k,): (k, k)."""
    linear = design.table @ coefficients
    mean = linear if model == LINEAR else _share(linear)
    slope = np.ones(mean.shape) if model == LINEAR else mean * (1 - mean)
    size = len(coefficients)
    functions = np.zeros((len(answers.combinations), 1 + answers.cells, size))
    if design.public:
        functions[:, 0] = -(design.table * mean[:, :, None])[:, 0]
        functions[:, 1:] = design.table * outcome[None, :, None]
        weight = answers.clear_shares[:, None]
    else:
        functions[:, 1:] = design.table * (outcome[None, :] - mean)[:, :, None]
        weight = answers.shares
    rows = design.table.reshape(-1, size)
    bread = rows.T @ ((weight * slope).reshape(-1, 1) * rows)
    inverse = np.linalg.pinv(bread, hermitian=True)
    return np.asarray(
        inverse @ answers.covariance(functions, corrected=False) @ inverse
    )
