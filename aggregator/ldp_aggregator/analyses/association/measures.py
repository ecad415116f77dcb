"""How strongly two answers go together, as functions of a table of shares, and their
intervals.

    odds ratio           p11 p22 / (p12 p21), of two answers with two values each
    correlation          Pearson's, of answers that are numbers, or have two values
    Cramer's V           root of (sum of (p_ij - p_i p_j)^2 / (p_i p_j)) / (fewer values
                         - 1)
    mutual information   sum of p_ij log2(p_ij / (p_i p_j)), in bits: what one answer
                         tells of the other

They bend where noise is as large as shares are, and none is estimated without bias
there. So the estimate is that of the nearest table without negative cells, and the
interval has every value that some table has which the estimates do not rule out:

    distance    (t - p)' C^-1 (t - p), of a table p from the estimates t with their
                covariance C
    not ruled   p without negative cells, of sum 1, no further off than the nearest one
                plus the
    out         quantile of chi-square with as many degrees of freedom as the measure
                says

One degree of freedom gives the interval of the profile likelihood. Measures that are 0
at every table without dependence, and never below, are given (rows - 1) (columns - 1):
one would leave out 0 too often. The ends are found numerically, from several starting
points.

Sources: Venzon and Moolgavkar 1988 (profile likelihood); Cramer 1946; Shannon 1948.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtri

from ldp_aggregator.numerics.arrays import Floats

Measure = Callable[[Floats], float]
"""Of a table of shares, of shape (rows, columns)."""

_LEAST = 1e-9
"""A share in place of 0, where logarithms or quotients have none."""
_SINGULAR = 1e-10
_BEYOND = 12.0
"""Logarithms that only a cell next to 0 gives."""
_SLACK = 1e-4
"""Of a distance, and of a share: ends are hardly moved by that."""
_DIGITS = 5
_STARTS = 3
_STEPS = 300


class Region(NamedTuple):
    """The tables that estimates do not rule out.

    They are looked for where the errors are alike in all directions: a table is the
    estimate plus `root` times its errors, in standard deviations, whose squares add up
    to its distance.
    """

    estimate: Floats
    """Unbiased shares, of shape (rows, columns)."""
    root: Floats
    """Of their covariance, of shape (cells, errors)."""
    nearest: Floats
    """The errors, (errors,), of the table without negative cells that is least far off.
    """

    def table(self, errors: Floats) -> Floats:
        """Table as an array of shape (rows, columns)."""
        return self.estimate + (self.root @ errors).reshape(self.estimate.shape)

    def ends(self, measure: Measure, level: float, freedom: int) -> tuple[float, float]:
        """The least and the greatest value of a measure."""
        most = float(self.nearest @ self.nearest) + float(chdtri(freedom, 1 - level))
        starts = self._starts(most)
        low = min(self._least(measure, 1, most, start=start) for start in starts)
        high = max(-self._least(measure, -1, most, start=start) for start in starts)
        return round(low, _DIGITS), round(high, _DIGITS)

    def least_distance(
        self, tables: Callable[[Floats], Floats], start: Floats
    ) -> float:
        """The distance of the nearest of some tables, that parameters without bounds
        give.
        """
        whitened = np.linalg.pinv(self.root)

        def distance(parameters: Floats) -> float:
            errors = whitened @ (tables(parameters) - self.estimate).ravel()
            return float(errors @ errors)

        return float(
            _minimize(distance, start, method="BFGS", options={"maxiter": _STEPS}).fun
        )

    def _least(self, measure: Measure, sign: int, most: float, start: Floats) -> float:
        within: dict[str, Any] = {
            "type": "ineq",
            "fun": lambda errors: most - errors @ errors,
            "jac": lambda errors: -2 * errors,
        }
        solved = _minimize(
            lambda errors: sign * measure(self.table(errors)),
            start,
            method="SLSQP",
            constraints=[*self._tables, within],
            options={"maxiter": _STEPS, "ftol": 1e-10},
        )
        lost = within["fun"](solved.x) < -_SLACK or self.table(solved.x).min() < -_SLACK
        if lost:
            return sign * measure(self.table(start))
        return float(solved.fun)

    @property
    def _tables(self) -> list[dict[str, Any]]:
        """Return valid tables of shares: cells that are not negative and add up to
        1.
        """
        total, of_errors = self.estimate.sum(), self.root.sum(axis=0)
        not_negative = {
            "type": "ineq",
            "fun": lambda errors: self.table(errors).ravel() - _LEAST,
            "jac": lambda _: self.root,
        }
        if np.abs(of_errors).max() < _SINGULAR:
            return [not_negative]  # whatever the errors are
        adds_up = {
            "type": "eq",
            "fun": lambda errors: total + of_errors @ errors - 1,
            "jac": lambda _: of_errors,
        }
        return [not_negative, adds_up]

    def _starts(self, most: float) -> list[Floats]:
        """The nearest table, and others on the way from it to random ones."""
        generator = np.random.default_rng(1)
        whitened = np.linalg.pinv(self.root)
        starts = [self.nearest]
        for other in generator.dirichlet(np.ones(self.estimate.size), _STARTS - 1):
            way = whitened @ (other - self.estimate.ravel()) - self.nearest
            step = 1.0
            while step > _SINGULAR and np.sum((self.nearest + step * way) ** 2) > most:
                step /= 2
            starts.append(self.nearest + step * way)
        return starts


def region_of(estimate: Floats, covariance: Floats) -> Region:
    """The region around unbiased shares, (rows, columns), with the covariance of the
    cells.
    """
    values, vectors = np.linalg.eigh(covariance)
    known = values > _SINGULAR * values[-1]
    root = vectors[:, known] * np.sqrt(values[known])
    bare = Region(estimate, root, np.zeros(root.shape[1]))
    solved = _minimize(
        lambda errors: errors @ errors,
        bare.nearest,
        jac=lambda errors: 2 * errors,
        method="SLSQP",
        constraints=bare._tables,
        options={"maxiter": _STEPS, "ftol": 1e-12},
    )
    return bare._replace(nearest=solved.x)


def independent(parameters: Floats, shape: tuple[int, int]) -> Floats:
    """A table without dependence: the logarithms of its margins, up to a constant
    each.
    """
    rows, columns = (
        np.exp(part - part.max()) for part in np.split(parameters, [shape[0]])
    )
    return np.outer(rows / rows.sum(), columns / columns.sum())


def log_odds_ratio(table: Floats) -> float:
    """Of two rows and two columns: 0 without dependence, and of one scale both ways."""
    logs = np.log(np.maximum(table, _LEAST))
    return float(logs[0, 0] + logs[1, 1] - logs[0, 1] - logs[1, 0])


def odds(logarithm: float) -> float:
    """The ratio of a logarithm; 0 or infinite where a cell may be empty."""
    if abs(logarithm) > _BEYOND:
        if logarithm > 0:
            return math.inf
        return 0.0
    return math.exp(logarithm)


def correlation(table: Floats, rows: Floats, columns: Floats) -> float:
    """Pearson's, of the numbers that rows and columns stand for; 0 where one does not
    vary.
    """
    mean = rows @ table @ columns
    of_rows, of_columns = table.sum(axis=1), table.sum(axis=0)
    covariance = mean - (rows @ of_rows) * (columns @ of_columns)
    spread = _variance(rows, of_rows) * _variance(columns, of_columns)
    if spread > 0:
        return float(covariance / np.sqrt(spread))
    return 0.0


def cramers_v(table: Floats) -> float:
    """From 0, without dependence, to 1."""
    apart = _independence_table(table)
    square = float(((table - apart) ** 2 / np.maximum(apart, _LEAST)).sum())
    return float(np.sqrt(max(square, 0.0) / (min(table.shape) - 1)))


def mutual_information(table: Floats) -> float:
    """In bits."""
    ratio = np.maximum(table, _LEAST) / np.maximum(_independence_table(table), _LEAST)
    return max(float((table * np.log2(ratio)).sum()), 0.0)


def _independence_table(table: Floats) -> Floats:
    return np.outer(table.sum(axis=1), table.sum(axis=0))


def _variance(numbers: Floats, shares: Floats) -> float:
    return float(numbers**2 @ shares - (numbers @ shares) ** 2)


def _minimize(*objective: Any, **options: Any) -> Any:
    """`scipy.optimize.minimize`, whose types leave out what it takes."""
    from scipy.optimize import minimize  # slow to import

    return minimize(*objective, **options)
