"""Consequences of visible sums, and the few reports that they may rest on.

For someone new to it: who is shown that 1,050 reports came from phones, and that 1,000
of these are of one country, knows that 50 are of others, though no one showed it. The
counts of a crowd, and all estimates from them, are sums over cells (`crowds`). Whoever
is shown some sums has all that can be had of them by adding and subtracting, with
whatever weights: their *span*. A figure of the span *rests* on the cells whose weight
in it is not 0. Here every figure of the span has to rest on cells with `least` reports
in all, so that neither a small crowd, nor the difference of two large ones, nor
anything else that concerns few, can be told from what is shown.

Figures with weight on a cell of that many reports are safe. The others are a space T of
vectors x over the small cells, with n_i reports each. Let P be the projection on T that
is orthogonal for the weights n. As x = P x, at the cell j where |x_j| is greatest

    1 <= sum of |P_ji| over the cells i on which x rests

so that x rests on no less than the least of sum n_i whose |P_ji| come to 1 (a
fractional knapsack, filled by the greatest |P_ji| / n_i first). The least of these over
all j is a bound from below. It may be lower than the truth; then something is
suppressed that need not be, never the other way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldp_aggregator.numerics.arrays import Floats, Integers

LEAST_TRIALS = 64
WORK = 4e10
"""Of all trials, each of which takes about as many steps as the cube of the cells."""
_NONE = 1e-9
"""What is 0 but for rounding, of the singular values of sums of zeros and ones."""

_ROUNDING = 1e-6


class LinearSpan:
    """The span of what is shown: sums over cells with `sizes` reports each, of shape
    (cells,).

    What is safe is decided by `least`. To decide takes time, so that after `trials` of
    it nothing more is shown: as many as come to `WORK`, and at least `LEAST_TRIALS`.
    The number of cells says how many that are, and no clock, so that what is shown is
    the same on every machine.
    """

    def __init__(self, sizes: Integers, least: int) -> None:
        self.least = least
        self._sizes = sizes.astype(np.float64)
        self._large = sizes >= least
        # Orthonormal rows, (rank, cells).
        self._basis: Floats = np.empty((0, len(sizes)))
        self.trials = max(LEAST_TRIALS, int(WORK / max(len(sizes), 1) ** 3))

    def show(self, sums: NDArray[np.bool_]) -> None:
        """Add sums, of shape (sums, cells), whatever follows from them."""
        self._basis = _with(self._basis, sums)

    def show_safe(self, sums: NDArray[np.bool_]) -> bool:
        """Add sums if everything stays safe with all of them; whether it does."""
        basis = _with(self._basis, sums)
        safe = self._is_safe(basis)
        if safe:
            self._basis = basis
        return safe

    def _is_safe(self, basis: Floats) -> bool:
        if len(basis) == len(self._basis):
            return True
        self.trials -= 1
        return rests_on(basis, self._sizes, self._large) >= self.least


def rests_on(basis: Floats, sizes: Floats, large: NDArray[np.bool_]) -> float:
    """A bound from below of the reports on which a figure of a span rests that avoids
    some cells.

    `basis` has orthonormal rows, (rank, cells); the cells to avoid are `large`.
    Infinite if there is no such figure.
    """
    if large.all() or not len(basis):
        return np.inf
    # The combinations of rows that vanish on all large cells, (rank, rest); and T,
    # (rest, small).
    on_large = basis[:, large]
    squares, rotated = np.linalg.eigh(on_large @ on_large.T)
    small = rotated[:, squares < _NONE].T @ basis[:, ~large]
    if not len(small):
        return np.inf
    of_small = sizes[~large]
    # T in coordinates x sqrt(n), where the projection is an orthogonal one: (small,
    # rest).
    scaled, _ = np.linalg.qr((small * np.sqrt(of_small)).T)
    # |P_ji| / n_i, of shape (small, small), and in descending order of i.
    worth = np.abs(scaled @ scaled.T) / np.sqrt(of_small[:, None] * of_small)
    order = np.argsort(-worth, axis=1)
    worth = np.take_along_axis(worth, order, axis=1)
    taken = of_small[order]
    filled = np.cumsum(worth * taken, axis=1)
    reports = np.cumsum(taken, axis=1)
    # The first cell that brings a row to 1, less its part beyond that.
    full = filled >= 1 - _ROUNDING
    reaches = full.any(axis=1)
    if not reaches.any():
        return np.inf
    last = full.argmax(axis=1)[reaches, None]
    at = [
        np.take_along_axis(part[reaches], last, axis=1)
        for part in (reports, filled, worth)
    ]
    bound: float = (at[0] - np.maximum(at[1] - 1, 0) / at[2]).min()
    # Whole reports, but for rounding.
    return float(np.floor(bound + _ROUNDING))


def _with(basis: Floats, sums: NDArray[np.bool_]) -> Floats:
    """Orthonormal rows, whose span is that of others and of sums, (sums, cells)."""
    rest = sums.astype(np.float64)
    # Twice, so that what is left of a sum is orthogonal in spite of rounding.
    for _ in range(2):
        rest -= (rest @ basis.T) @ basis
    _, singular, right = np.linalg.svd(rest, full_matrices=False)
    return np.vstack([basis, right[: len(singular)][singular > _NONE]])
