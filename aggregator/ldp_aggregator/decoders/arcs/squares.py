"""Errors of the scores of queries, from reports themselves, and by the answers of
people.

The score of a query under one frequency is a window of the alphas around the circle
(`arcs.circle`). Given reports, the mean square of scores is what it is, whatever
people hold:

    mean square = sum of counts (constant + scale x window)^2 / n

Given what someone holds, its expectation follows from the law of a report, which has
the weight R where it supports the value and 1 where it does not:

    E[score^2 | x] = sum over frequencies of w_k / Z x [all windows^2 + (R-1) those that support x]

The first is for what was reported, the second for what is expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ldp_aggregator.decoders.arcs.circle import ArcScores, Circle, around, places
from ldp_aggregator.numerics.arrays import Counts, Floats, Indices, correlation_of

Narrow = NDArray[np.floating]
"""Of either precision."""

_COLUMNS = 128
"""Queries at once: their windows under one frequency then fit a processor's cache."""


def mean_squares(circle: Circle, scores: ArcScores, counts: Counts | Floats) -> Floats:
    """The mean over reports of each query's squared score, of shape (Q,)."""
    reports = counts.sum()
    size = len(scores.constant)
    total = np.zeros(size)
    reported = np.flatnonzero(counts.sum(axis=1))
    # Errors need no more than seven digits, which are quicker.
    precision = np.dtype(np.float64 if size <= _COLUMNS else np.float32)
    for start in range(0, size, _COLUMNS):
        part = slice(start, start + _COLUMNS)
        constant = scores.constant[part]
        linear, square = np.zeros(len(constant)), np.zeros(len(constant))
        alpha = scores.alpha[:, part].astype(precision)
        for cohort, windows in _windows(circle, alpha, reported):
            under: Narrow = np.asarray(counts[cohort], dtype=precision)
            linear += under @ windows
            square += under @ np.square(windows, out=windows)
        scale = circle.scale
        total[part] = scale**2 * square + 2 * scale * constant * linear
        total[part] += reports * constant**2
    return np.asarray(total / reports)


def powers_by_value(
    circle: Circle, scores: ArcScores, powers: tuple[int, ...] = (2,)
) -> list[Floats]:
    """E[score^power | value] for each power, of shape (Q, values)."""
    arcs = circle.arcs
    ratio = float(arcs.ratio)
    mass = arcs.mass / arcs.other
    sums = [np.zeros((len(scores.constant), arcs.size)) for _ in powers]
    where = places(arcs)
    for cohort, windows in _windows(circle, scores.alpha, np.flatnonzero(circle.law)):
        # (Q, P): the score of each report under this frequency.
        worth = (scores.constant + circle.scale * windows).T
        weight = circle.law[cohort] / mass
        for power, total in zip(powers, sums, strict=True):
            raised = worth**power
            supporting = around(raised, arcs.width)[:, where[cohort]]
            total += weight * (raised.sum(axis=1)[:, None] + (ratio - 1) * supporting)
    return sums


def least_variances(circle: Circle, queries: Floats, scores: ArcScores) -> Floats:
    """Return the least variance of the score of one report, whatever is held: of shape
    (Q,).

    With a probability of P / Z a report is an arc drawn evenly from all, whose score
    has this variance: as alphas add up to 0, alpha' S alpha is q' alpha.
    """
    mass = circle.arcs.mass / circle.arcs.other
    return np.asarray(circle.scale**2 * (queries.T * scores.alpha).sum(axis=0) / mass)


def extremes(circle: Circle, scores: ArcScores) -> tuple[Floats, Floats]:
    """The least and the greatest score of any report, of shape (Q,)."""
    size = len(scores.constant)
    least, most = np.full(size, np.inf), np.full(size, -np.inf)
    # A forger may also name a frequency that no device draws.
    for _, windows in _windows(circle, scores.alpha, range(circle.arcs.layout.cohorts)):
        least = np.minimum(least, windows.min(axis=0))
        most = np.maximum(most, windows.max(axis=0))
    return scores.constant + circle.scale * least, scores.constant + circle.scale * most


def correlation(queries: Floats, scores: ArcScores) -> Floats:
    """How the errors of queries go together if reports are spread evenly: of shape (Q,
    Q).

    All arcs are as likely then, and windows go together as alpha' S alpha says, which
    is q' alpha: S alpha is the query less a constant, and alphas add up to 0.
    """
    return correlation_of(queries @ scores.alpha)


def error_root(circle: Circle, queries: Floats) -> Floats:
    """A root of the same, of shape (Q, values): rows of length 1 whose products they
    are.

    With the factor U'U = S, q' alpha is the product of the columns of U'^-1 Q, less
    their parts along U'^-1 1: what a total of 1 leaves of them.
    """
    from scipy.linalg import solve_triangular  # slow to import

    # (values, Q) and (values,)
    solved = np.asarray(solve_triangular(circle.factor, queries.T, trans=1))
    along = np.asarray(
        solve_triangular(circle.factor, np.ones(circle.arcs.size), trans=1)
    )
    along /= np.linalg.norm(along)
    rest = solved - along[:, None] * (along @ solved)
    length = np.linalg.norm(rest, axis=0)
    root = np.divide(rest, length, where=length > 0, out=np.zeros_like(rest)).T
    # Backwards it is as much a root; bands, whose draws are fixed, then are nearest to
    # their law.
    return np.asarray(root[:, ::-1])


def _windows(
    circle: Circle, alpha: Narrow, cohorts: Sequence[int] | Indices
) -> Iterator[tuple[int, Narrow]]:
    """Under each frequency, the sums of alphas over all arcs: of shape (P, Q).

    The array is the same each time.
    """
    arcs = circle.arcs
    placed = np.zeros((arcs.modulus, alpha.shape[1]), dtype=alpha.dtype)
    windows = np.empty_like(placed)
    spare = placed.copy(), placed.copy()
    where = places(arcs)
    for cohort in cohorts:
        placed.fill(0)
        placed[where[cohort]] = alpha
        _sum_arcs(placed, arcs.width, windows=windows, spare=spare)
        yield cohort, windows


def _sum_arcs(
    placed: Narrow, width: int, windows: Narrow, spare: tuple[Narrow, Narrow]
) -> None:
    """The sum of so many places from each one on, around the circle, along the first
    axis.

    Sums over 1, 2, 4, ... places come of one another, and those that the width is made
    of, as its binary digits say, are put side by side: ten times as quick as cumulative
    sums.
    """
    summed, following = placed, 0
    span = 1
    while True:
        if width & span:
            if following:
                _add_at_shift(windows, summed, following, out=windows)
            else:
                np.copyto(windows, summed)
            following += span
        if 2 * span > width:
            return
        longer = spare[summed is spare[0]]
        _add_at_shift(summed, summed, span, out=longer)
        summed = longer
        span *= 2


def _add_at_shift(numbers: Narrow, others: Narrow, shift: int, out: Narrow) -> None:
    """Add what stands so many places further around the circle."""
    rest = len(numbers) - shift
    np.add(numbers[:rest], others[shift:], out=out[:rest])
    np.add(numbers[rest:], others[:shift], out=out[rest:])
