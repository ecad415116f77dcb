"""The means of the greatest of some half-normal numbers, and of their squares.

Of m independent numbers |x|, x standard normal, one is among the w greatest if fewer
than w of the others are above it. So the sum of the w greatest is

    S1 = m integral of x f(x) P[fewer than w of m-1 are above x] dx,  f(x) = 2 phi(x), x > 0
    S2 = the same with x^2

where the probability is that of a binomial, I_F(m - w, w) with F the distribution
function.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

_FURTHEST = 12.0
"""Beyond, a normal law has less than 2^-100."""
_NODES = 500


class Greatest(NamedTuple):
    """Sums over the w greatest of m half-normal numbers, in the mean."""

    numbers: float
    squares: float


@lru_cache(maxsize=256)
def greatest(numbers: int, near: int) -> Greatest:
    """S1 and S2 of so many numbers, of which `near` count."""
    from scipy.special import betainc, erf

    # (nodes,): by the rule of Gauss and Legendre from 0 to the furthest.
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    x = _FURTHEST / 2 * (nodes + 1)
    density = np.sqrt(2 / np.pi) * np.exp(-(x**2) / 2)
    among = np.ones(_NODES)
    if near < numbers:
        among = betainc(numbers - near, near, erf(x / np.sqrt(2)))
    mass = numbers * _FURTHEST / 2 * weights * density * among
    return Greatest(float(mass @ x), float(mass @ x**2))
