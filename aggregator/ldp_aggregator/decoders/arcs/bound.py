"""How well any mechanism can tell cumulative shares, or the ranges of a circle.

Whatever a report says, it is at most R times as likely under one value as under
another. So if answers are spread evenly, all that reports tell, added up over the
directions in which frequencies may differ, is at most (R-1)^2 / 4R a report; and errors
add up least if it is spread over these directions as the roots of how much each of them
matters to what is asked. With W what is asked as rows, G = W'W over their number, P
what takes the mean off, and g the eigenvalues of P G P,

    average of n Var  >=  [4R / (R-1)^2 (sum of sqrt(g))^2 - sum of g] / D

for every unbiased linear estimate from reports of any mechanism. It need not be
attained, and is no bound at all where it is below 0: of few values at a large epsilon.

The eigenvalues are known, for k = 1, ..., D - 1:

    the D - 1 cumulative shares    g_k = 1 / (4 (D-1) sin^2(pi k / 2D))
    the D (D - 1) ranges of a circle of D values    g_k = 1 / (2 (D-1) sin^2(pi k / D))

The first because W P W' has the entries min(i, j) - i j / D, whose inverse has 2 on its
diagonal and -1 beside it; the second because the waves of a circle are the
eigenvectors, and the range of L values has the part sin^2(pi k L / D) / sin^2(pi k / D)
in one, which is D / 2 on average over L.

Source: the trace bound of linear queries (Li, Hay, Rastogi, Miklau and McGregor 2010,
the matrix mechanism), with the information that a locally private report can have.
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.numerics.arrays import Floats

_STARTS = 4
"""How many ranges of a circle stand for those of their width."""
_GOLDEN = (np.sqrt(5) - 1) / 2


def prefixes(size: int, most: int) -> Floats:
    """1 for the values below some places, evenly apart: of shape (at most `most`,
    size).
    """
    places = _widths(size, most)
    return np.asarray(np.arange(size) < places[:, None], dtype=np.float64)


def around_circle(size: int, most: int) -> Floats:
    """1 for the values of some ranges of a circle, of all widths: (at most `most`,
    size).
    """
    widths = _widths(size, max(most // _STARTS, 1))
    # (widths, starts): elsewhere for each width, as errors also depend on where places
    # are empty.
    turn = (
        np.arange(_STARTS) + (_GOLDEN * np.arange(len(widths)) % 1)[:, None]
    ) / _STARTS
    starts = np.floor(size * turn)
    # (widths, starts, values): how far each value is from the start, onwards.
    onwards = (np.arange(size) - starts[:, :, None]) % size
    inside = onwards < widths[:, None, None]
    return np.asarray(inside.reshape(-1, size), dtype=np.float64)


def average(queries: Floats, variance: Floats) -> float:
    """The average over all widths, from the variances of ranges of some, of shape
    (Q,).
    """
    size = queries.shape[1]
    widths = queries.sum(axis=1)
    some = np.unique(widths)
    of_width = [variance[widths == width].mean() for width in some]
    # No values, and all of them, have no error.
    known = np.array([0.0, *some, size]), np.array([0.0, *of_width, 0.0])
    return float(np.interp(np.arange(1, size), *known).mean())


def least_variance(size: int, ratio: float, *, circular: bool = False) -> float | None:
    """The least average of n Var, of all cumulative shares or of all ranges of a
    circle.

    None where the bound says nothing.
    """
    waves = np.pi * np.arange(1, size) / size
    if circular:
        eigenvalues = 1 / (2 * (size - 1) * np.sin(waves) ** 2)
    else:
        eigenvalues = 1 / (4 * (size - 1) * np.sin(waves / 2) ** 2)
    information = 4 * ratio / (ratio - 1) ** 2
    spread = information * np.sqrt(eigenvalues).sum() ** 2 - eigenvalues.sum()
    if spread > 0:
        return float(spread / size)
    return None


def efficiency(
    queries: Floats, variance: Floats, ratio: float, *, circular: bool = False
) -> float | None:
    """The bound over the average of n Var, given those of `prefixes` or
    `around_circle`.
    """
    least = least_variance(queries.shape[1], ratio, circular=circular)
    if least is None:
        return None
    return min(least / average(queries, variance), 1.0)


def _widths(size: int, most: int) -> Floats:
    return np.unique(np.linspace(1, size - 1, min(most, size - 1)).round())
