"""A mean of vectors: of each coordinate an estimate, a standard error and an interval.

Every coordinate is a mean of scores, so its variance is that of the scores over n,
unbiased for a population. For the respondents it is less by the mean square of what
they hold, over n, which no tally of sums tells; errors are then too large rather than
too small: the same numbers stand for both estimands.

The squared error is the sum of all variances: what the squared distance between the
estimated and the true vector is on average, also unbiased. It is what to choose
dimensions and epsilon by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldp_aggregator.decoders.other_results import VectorParts
from ldp_aggregator.numerics.arrays import Floats


@dataclass(frozen=True, eq=False)
class MeanVector:
    """Arrays of shape (coordinates,), in the unit of the answers."""

    estimate: Floats
    standard_error: Floats
    low: Floats
    high: Floats

    @property
    def chances(self) -> Floats:
        """The chance that an estimate would be as far from 0 as this, if the mean were
        0.
        """
        from scipy.special import erfc  # slow to import

        known = self.standard_error > 0
        z = np.divide(
            np.abs(self.estimate), self.standard_error, where=known, out=0 * self.low
        )
        return np.asarray(erfc(z / np.sqrt(2)), dtype=np.float64)

    @property
    def squared_error(self) -> float:
        """The mean squared distance between the estimated vector and the true one."""
        return float((self.standard_error**2).sum())


def mean_vector(parts: VectorParts, radius: float, missing: float) -> MeanVector:
    """The mean of vectors of up to this length; an interval misses with probability
    `missing`.
    """
    from scipy.special import ndtri  # slow to import

    estimate = radius * parts.estimate
    error = radius * np.sqrt(np.maximum(parts.variance, 0.0))
    reach = -float(ndtri(missing / 2)) * error
    # No coordinate of a mean is beyond the radius.
    low, high = (
        np.clip(end, -radius, radius) for end in (estimate - reach, estimate + reach)
    )
    return MeanVector(estimate, error, low, high=high)
