"""The error of a trusted curator: noise on counts that someone has who holds all
answers.

What pure local privacy costs, and what a relay wins back, is seen beside it. The noise
is normal, of the least deviation s that gives (epsilon, delta) if one answer is
replaced, which moves two counts by 1 each (a distance of D, the root of 2): with u = D
/ (2 s) and v = epsilon s / D

    delta = Phi(u - v) - e^epsilon Phi(-u - v)

As everyone knows n, the noise of d counts is made to add up to 0, which leaves 1 - 1/d
of it.

Numbers here are floats, for comparison only: no claim rests on them.

Source: Balle and Wang 2018, Theorem 8 (the analytic Gaussian mechanism).
"""

from __future__ import annotations

import math
from fractions import Fraction

from scipy.special import log_ndtr

from ldp.mechanisms.contract import Randomizer, is_blocked, is_pure

_REPLACED = math.sqrt(2)


def curator_error(epsilon: float, delta: float, size: int) -> float:
    """The standard error of one of `size` counts under the analytic Gaussian
    mechanism.
    """
    from scipy.optimize import brentq  # slow to import

    def miss(logarithm: float) -> float:
        return math.log(_delta(math.exp(logarithm), epsilon)) - math.log(delta)

    deviation = math.exp(float(brentq(miss, -5, 25)))
    return deviation * math.sqrt(1 - 1 / size)


def mu_delta(mu: float, epsilon: float) -> float:
    """The delta of normal noise whose standard deviation is the sensitivity over mu."""
    return _delta(_REPLACED / mu, epsilon)


def _delta(deviation: float, epsilon: float) -> float:
    half, shift = _REPLACED / (2 * deviation), epsilon * deviation / _REPLACED
    first, second = log_ndtr(half - shift), epsilon + log_ndtr(-half - shift)
    # Of the difference of two numbers next to each other the logarithm keeps the
    # digits.
    return float(max(math.exp(first) * -math.expm1(min(second - first, 0.0)), 5e-324))


def rare_count_error(randomizer: Randomizer, reports: int) -> float | None:
    """The standard error of the count of a value that nobody holds, in respondents.

    Of respondents who hold one value each; of Hadamard response in several blocks, as
    many of each block. None where it is no single number.
    """
    variance = _rare_variance(randomizer)
    if variance is None:
        return None
    return math.sqrt(reports * variance)


def _rare_variance(randomizer: Randomizer) -> Fraction | None:
    if is_blocked(randomizer):
        # c = (R + 2 B - 1) / (R - 1) gives B blocks. Noise grows with those who hold a
        # value of the block: here as many of every one.
        excess = randomizer.ratio - 1
        blocks = (randomizer.worth - 1) * excess / 2
        return randomizer.worth * (2 / excess + 1 / blocks)
    if is_pure(randomizer):
        p, q = randomizer.support
        return q * (1 - q) / (p - q) ** 2
    if randomizer.kind == "matrix" and randomizer.layout.symbols == 2:
        (p, _), (q, _) = randomizer.channel().rows
        return q * (1 - q) / (p - q) ** 2
    return None
