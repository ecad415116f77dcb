"""The likelihood where predictors are randomized too: one report of outcome and
predictors.

How likely a report is depends on who there is: on the shares p_j of people with each
combination of predictors, which nobody knows, and on the coefficients. Both are found
together, the shares without any assumption.

    P of a report = sum over combinations j of p_j [(1 - pi_j) L_j0 + pi_j L_j1],
    pi_j by its link to x_j'b,  L_jy the chance of the report if the answer is (j, y)
    p_j  = exp(a_j) / sum of exp(a), a = 0 for the combination that most people hold

Steps of Gauss and Newton, which for counts of symbols are nearly Newton's, and never
lose likelihood. A combination whose share tends to 0 is left out, as one that no one
holds, and this is told: where people may hold it all the same, the unbiased equations,
which know no such border, are to be preferred. The sandwich is of shares and
coefficients together.

Sources: Maddala 1983, Section 2.7; van den Hout and Kooiman 2006 (randomized
predictors).
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ldp_aggregator.analyses.regression.ascent import climb
from ldp_aggregator.analyses.regression.likelihood import RegressionFit
from ldp_aggregator.analyses.regression.links import LINKS, LOGIT, Link
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.postprocessing import norm_sub

_STEPS = 300
_SETTLED = 1e-18
_LAST_STEPS, _SHORT = 3, 1e-3
_FARTHEST = 20.0
"""Logarithms of shares: beyond, they are taken for infinite."""
_DIFFERENCE = 1e-5
_LEAST = 1e-4
_EMPTY = 1e-5
"""A share, over that of the combination that most people hold, which is taken for 0."""


class Together(NamedTuple):
    """Reports that tell outcome and predictors."""

    table: Floats
    """X, a row for each combination of predictors, (J, k)."""
    weight: Floats
    """How many reports are alike, with their design weights, (U,)."""
    square: Floats
    """The same with squares of design weights, (U,)."""
    chances: Floats
    """L, (U, J, 2)."""
    shares: Floats
    """Unbiased shares of the combinations, where the search begins, (J,)."""
    link: Link = LINKS[LOGIT]

    def without(self, places: tuple[int, ...]) -> Together:
        """Return it without some columns."""
        keep = [place for place in range(self.table.shape[1]) if place not in places]
        return self._replace(table=self.table[:, keep])


def likeliest_together(reports: Together) -> RegressionFit:
    """The coefficients under which reports are likeliest, whoever there is."""
    empty = 0
    while True:
        fit, shares = _fit_all(reports)
        held = shares > _EMPTY * shares.max()
        if held.all():
            return fit._replace(empty=empty)
        empty += int((~held).sum())
        reports = reports._replace(
            table=reports.table[held],
            chances=reports.chances[:, held],
            shares=reports.shares[held],
        )


def _fit_all(reports: Together) -> tuple[RegressionFit, Floats]:
    """The same with all combinations, and the shares of these."""

    def step_at(point: Floats) -> tuple[Floats, Floats]:
        slopes = _slopes(reports, point)
        slope = reports.weight @ slopes
        squares = slopes.T @ (reports.weight[:, None] * slopes)
        return slope, np.asarray(np.linalg.lstsq(squares, slope, rcond=1e-12)[0])

    top = climb(
        partial(_log_likelihood, reports),
        step_at,
        _start(reports),
        most=_STEPS,
        settled=_SETTLED,
    )
    point = _polish(reports, top.point)
    size = reports.table.shape[1]
    information, squares = _information(reports, point), _squares(reports, point)
    near = np.abs(point[size:]).max(initial=0.0) < _FARTHEST
    inside = reports.link.is_inside(reports.table @ point[:size])
    sound = near and inside and float(np.linalg.eigvalsh(information)[0]) > 0
    fit = RegressionFit(
        point,
        top.value,
        information,
        squares=squares,
        converged=bool(top.reached and sound),
        steps=top.steps,
    )
    return _of_coefficients(fit, size), _parts(reports, point)[0]


def _polish(reports: Together, point: Floats) -> Floats:
    """The zero of the slope, where steps have become too short to be seen in the
    likelihood.
    """
    for _ in range(_LAST_STEPS):
        slope = reports.weight @ _slopes(reports, point)
        move = np.linalg.lstsq(_information(reports, point), slope, rcond=1e-12)[0]
        if float(np.abs(move).max()) > _SHORT:
            return point
        point = np.asarray(point + move)
    return point


def _of_coefficients(fit: RegressionFit, size: int) -> RegressionFit:
    """The part that is about coefficients, whose errors are those beside unknown
    shares.

    A and B are such that their sandwich, and the inverse of A, are the blocks of the
    whole ones.
    """
    inverse = np.linalg.pinv(fit.information, hermitian=True)
    own = inverse[:size, :size]
    robust = (inverse @ fit.squares @ inverse)[:size, :size]
    information = np.linalg.pinv(own, hermitian=True)
    return fit._replace(
        coefficients=fit.coefficients[:size],
        information=information,
        squares=information @ robust @ information,
    )


def _start(reports: Together) -> Floats:
    """No dependence, and the nearest shares none of which is below 0."""
    shares = np.maximum(norm_sub(reports.shares), _LEAST)
    logs = np.log(shares / shares.max())
    return np.concatenate(
        [np.zeros(reports.table.shape[1]), np.delete(logs, shares.argmax())]
    )


def _parts(reports: Together, point: Floats) -> tuple[Floats, Floats, Floats]:
    """(p_j, pi_j, P of each report)."""
    size = reports.table.shape[1]
    first = int(reports.shares.argmax())
    logs = np.insert(point[size:], first, 0.0)
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    chance = reports.link.at(reports.table @ point[:size]).mean
    held = np.stack([1 - chance, chance], axis=1) * shares[:, None]
    return shares, chance, np.asarray(np.einsum("ujy,jy->u", reports.chances, held))


def _log_likelihood(reports: Together, point: Floats) -> float:
    _, _, chance = _parts(reports, point)
    return float(reports.weight @ np.log(np.maximum(chance, 1e-300)))


def _slopes(reports: Together, point: Floats) -> Floats:
    """The slope of the logarithm of each report's chance, (U, k + J - 1)."""
    shares, chance, total = _parts(reports, point)
    none, one = reports.chances[:, :, 0], reports.chances[:, :, 1]
    # (U, J): by the linear predictor of a combination, and by its share.
    linear = reports.table @ point[: reports.table.shape[1]]
    by_linear = (one - none) * (shares * reports.link.at(linear).slope)
    of_combination = none * (1 - chance) + one * chance
    by_share = shares * (of_combination - total[:, None])
    first = int(reports.shares.argmax())
    slopes = np.concatenate(
        [by_linear @ reports.table, np.delete(by_share, first, axis=1)], axis=1
    )
    return slopes / np.maximum(total, 1e-300)[:, None]


def _squares(reports: Together, point: Floats) -> Floats:
    slopes = _slopes(reports, point)
    return slopes.T @ (reports.square[:, None] * slopes)


def _information(reports: Together, point: Floats) -> Floats:
    """The negative second derivative, by differences of the slope."""
    rows = []
    for unit in np.eye(len(point)) * _DIFFERENCE:
        up, down = (
            reports.weight @ _slopes(reports, point + sign * unit) for sign in (1, -1)
        )
        rows.append((down - up) / (2 * _DIFFERENCE))
    matrix = np.stack(rows)
    return (matrix + matrix.T) / 2
