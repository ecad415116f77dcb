"""From a cumulative distribution, estimated with errors, to its quantiles.

Let F(x) be the nearest rising function (least squares) to the estimated shares of the
answers at or below value x, whose standard errors are se(x).

    point     the first x at which F reaches phi
    interval  from the first to the last x that passes both of
              F(x) + z se(x) >= phi   and   F(x - 1) - z se(x - 1) <= phi

Each end fails its test in half of the misses that are allowed. Of cells, the point and
the ends are places within a cell, as if the answers in it were spread evenly. An
interval without a whole cell in it is widened to whole cells, as it would rest on that
assumption alone.

The point is as often too low as too high, and biased: over a tail of few answers, where
F is nearly flat, errors outwards are larger than errors inwards.

Source: inversion of a test (Woodruff 1952, for quantiles from estimated distributions);
the nearest rising function by pooling adjacent violators (Ayer et al. 1955).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ldp_aggregator.numerics.arrays import Floats

_ROUNDING = 1e-12
"""Shares are sums of rounded ones."""


def rising(cumulative: Floats) -> Floats:
    """The nearest function that rises from 0 to 1 at most, of the same shape."""
    from scipy.optimize import isotonic_regression  # slow to import

    return np.clip(isotonic_regression(cumulative).x, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class QuantileTest:
    """Test of which numbers may be the quantile of a share."""

    share: float
    cumulative: Floats
    """Estimated shares at or below each value, (values,), of which the last is 1."""
    error: Floats
    """Their standard errors if the share is true, (values,), of which the last is 0."""
    knots: Floats
    """The values, (values,), or the edges of cells, (values + 1,)."""

    @cached_property
    def _rising(self) -> Floats:
        return rising(self.cumulative)

    @property
    def _in_cells(self) -> bool:
        return len(self.knots) > len(self.cumulative)

    @property
    def estimate(self) -> float:
        """The number at which the rising function reaches the share."""
        share = self.share - _ROUNDING
        if self._in_cells:
            return float(np.interp(share, [0.0, *self._rising], self.knots))
        return float(self.knots[np.searchsorted(self._rising, share)])

    def ends(self, quantile: float) -> tuple[float, float]:
        """The least and the greatest number that tests allow; `quantile` is z."""
        above = self._rising + quantile * self.error
        below = np.append(0.0, self._rising - quantile * self.error)
        reached = above >= self.share - _ROUNDING
        passing = np.flatnonzero(reached & (below[:-1] <= self.share))
        first, last = passing[0], passing[-1]
        if not self._in_cells:
            return float(self.knots[first]), float(self.knots[last])
        if last - first < 2:
            return float(self.knots[first]), float(self.knots[last + 1])
        highest = np.maximum.accumulate(np.append(0.0, above))
        lowest = np.minimum.accumulate(below[::-1])[::-1]
        return (
            float(np.interp(self.share, highest, self.knots)),
            float(np.interp(self.share, lowest, self.knots)),
        )
