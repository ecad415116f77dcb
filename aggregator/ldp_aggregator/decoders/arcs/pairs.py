"""How many reports support both of two values, for all pairs of values at once.

An arc that holds places p and p + e goes through p first, or, around the circle,
through p + e. Those that do the first begin in (p + e - t, p]: so many places, t - e,
that a difference of two cumulative counts has them all. Values that are d apart are k d
places apart under frequency k.

The scores of queries are sums over supported values (`arcs.circle`), so how often
two values are supported together says how any two queries err together:

    mean of the product of two scores
        = constant x constant' + scale^2 x alpha pairs alpha' / n
          + scale x (constant x alpha' + constant' x alpha) supports / n
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ldp.mechanisms.numbers.arcs import Arcs
from ldp_aggregator.decoders.arcs.circle import ArcScores, Circle
from ldp_aggregator.numerics.arrays import Counts, Floats

_SMALL = 1 << 30
"""Reports that 32 bits count, around a circle and once more."""


def supported_pairs(arcs: Arcs, counts: Counts) -> Floats:
    """Count supported pairs, (values, values); `counts` is of shape (K, P)."""
    size, modulus, width = arcs.size, arcs.modulus, arcs.width
    whole = np.int32 if counts.sum() < _SMALL else np.int64
    values = np.arange(size)
    further = np.arange(width)
    # [d, x]: reports that go through x, and then through x + d.
    through = np.zeros((modulus, size), dtype=whole)
    for cohort in np.flatnonzero(counts.any(axis=1)).tolist():
        twice = np.concatenate([[0], counts[cohort], counts[cohort]])
        begun = np.cumsum(twice, dtype=whole)
        after = (cohort + 1) * values % modulus + modulus + 1
        apart = pow(cohort + 1, -1, modulus) * further % modulus
        # (further, places): a view, from which rows are read faster than by so many
        # indices.
        before = sliding_window_view(begun, len(begun) - width + 1)
        through[apart] += begun[after] - before.take(after - width, axis=1)
    # (values, values): x + d is a value, or a place that none has.
    first = through[(values - values[:, None]) % modulus, values[:, None]].astype(
        np.float64
    )
    both: Floats = first + first.T
    np.fill_diagonal(both, np.diag(first))
    return both


def mean_products(
    circle: Circle, scores: ArcScores, pairs: Floats, reports: int
) -> Floats:
    """The mean over reports of each product of two queries' scores, of shape (Q, Q)."""
    constant, alpha = scores.constant, circle.scale * scores.alpha
    # (Q,): the mean of the alphas that a report supports; supports are on the diagonal.
    linear = np.diag(pairs) @ alpha / reports
    one_way = linear[:, None] * constant
    both = alpha.T @ pairs @ alpha / reports
    return both + one_way + one_way.T + constant[:, None] * constant


def mean_squares_by_pairs(
    circle: Circle, scores: ArcScores, pairs: Floats, reports: int
) -> Floats:
    """The mean over reports of each query's squared score, of shape (Q,): the diagonal
    of those.
    """
    constant, alpha = scores.constant, circle.scale * scores.alpha
    linear = np.diag(pairs) @ alpha / reports
    square = (alpha * (pairs @ alpha)).sum(axis=0) / reports
    return np.asarray(square + 2 * constant * linear + constant**2)
