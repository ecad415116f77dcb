"""The most likely frequencies behind noisy numbers, at which errors of unbiased ones
are taken.

An unbiased estimate of a rare value is often negative, and no frequency is. Where the
error of an estimate depends on the frequencies of all values, a guess at these is
needed that could be true; this module makes it.

    f <- f x A (h / (A f)),  A[y,x] = stays_y a^|y-x|,  h the shares of the outputs

the EM algorithm for mixtures. A sum over a^|y-x| is two recursions, one from either
end, so that the time of a step goes with the number of values. A few dozen steps from
equal shares are far from the greatest likelihood, and near enough: errors depend on
what lies within the reach of the noise together, which is settled long before each
value is. The more reports there are, the nearer the truth are the unbiased frequencies
themselves; so as many steps start from their projection on the simplex, and the
likelier end is taken.

Source: Dempster, Laird and Rubin 1977.
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.postprocessing import norm_sub

_STEPS = 30
_EQUALLY = 1e-9
"""Log-likelihoods of a report that differ by less than rounding could make them."""
_NEVER = 1e-300
"""In place of a chance of zero, whose logarithm is none."""


def likely_shares(
    shares: Floats, unbiased: Floats, stays: Floats, step: float
) -> Floats:
    """A distribution of true values, from the shares of the outputs folded into the
    domain.

    Arrays of one shape.
    """
    equal = np.full(len(shares), 1 / len(shares))
    smooth, sharp = (
        _climb(start, shares, stays, step=step) for start in (equal, norm_sub(unbiased))
    )
    gain = _log_likelihood(smooth, shares, stays, step=step) - _log_likelihood(
        sharp, shares, stays, step=step
    )
    if gain > _EQUALLY:
        return smooth
    return sharp


def _climb(frequency: Floats, shares: Floats, stays: Floats, step: float) -> Floats:
    for _ in range(_STEPS):
        # A f, and h / (A f) where something came out: (values,).
        expected = stays * spread_out(frequency, step)
        ratio = np.divide(
            shares, expected, out=np.zeros_like(shares), where=expected > 0
        )
        frequency = frequency * spread_out(stays * ratio, step)
        frequency /= frequency.sum()
    return frequency


def _log_likelihood(
    frequency: Floats, shares: Floats, stays: Floats, step: float
) -> float:
    """Log likelihood of one report, on average."""
    seen = shares > 0
    expected = stays * spread_out(frequency, step)
    return float(shares[seen] @ np.log(np.maximum(expected[seen], _NEVER)))


def spread_out(shares: Floats, step: float) -> Floats:
    """For each x the sum of shares_y a^|y-x|."""
    below, above = on_each_side(shares, step)
    return shares + below + above


def on_each_side(shares: Floats, step: float) -> tuple[Floats, Floats]:
    """The sums of shares_y a^|y-x| over all y < x, and over all y > x."""
    from scipy.signal import lfilter

    # sum_x = a (shares_(x-1) + sum_(x-1))
    top, bottom = [0.0, step], [1.0, -step]
    return lfilter(top, bottom, shares), lfilter(top, bottom, shares[::-1])[::-1]
