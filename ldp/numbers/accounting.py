"""Composition: what epsilons add up to (the accounting of privacy loss), and what one
means.

A privacy budget is spent report by report: these are the rules by which to add. What an
epsilon means is said to someone who guesses, by how far one report can move a belief.

Exact epsilons are `Fraction`s; a result that involves a delta is a float, and errs
upwards.

Sources: sequential and parallel composition, group privacy: Dwork and Roth 2014,
Theorems 3.14, 2.2. Exact k-fold composition: Kairouz, Oh and Viswanath 2015, Theorem
3.3, in the continuous form of Murtagh and Vadhan 2016 (randomized response dominates
every epsilon-DP mechanism). Hypothesis testing: Wasserman and Zhou 2010, Theorem 2.4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from ldp.numbers.exact import exp_upper

Rates = tuple[Fraction, Fraction]
"""(p, q): how often a report supports its true value, and another."""

CERTAIN = Fraction(40)
"""An epsilon beyond which a belief is as good as certain."""
_CLOSE = 1e-12
_ROUNDING = 2.0**-50
"""Relatively, eight units in the last place: more than all roundings that meet in one
term.
"""


def sequential(epsilons: Iterable[Fraction]) -> Fraction:
    """The total of several mechanisms applied to the same respondent."""
    return sum(epsilons, Fraction(0))


def parallel(epsilons: Iterable[Fraction]) -> Fraction:
    """The total over disjoint groups of respondents, each asked by one mechanism: the
    largest.
    """
    return max(epsilons, default=Fraction(0))


def group(epsilon: Fraction, size: int) -> Fraction:
    """Return the epsilon that protects `size` respondents who answer alike."""
    if size < 1:
        raise ValueError(f"expected a group of at least 1, got {size}")
    return epsilon * size


def composed_delta(epsilon: float, count: int, total: float) -> float:
    """The exact delta at which `count` epsilon-DP mechanisms together are (total,
    delta)-DP.

    delta(t) = sum_l Bin(l; k, E/(1+E)) max(0, 1 - e^(t - (2l - k) epsilon)), with E =
    e^epsilon.
    """
    if not epsilon > 0 or count < 1 or total < 0:
        raise ValueError(
            f"expected epsilon > 0, count >= 1, total >= 0; got {epsilon}, {count}, "
            f"{total}"
        )
    # The logarithms of the probabilities to tell the truth and to lie.
    truth = -math.log1p(math.exp(-epsilon))
    lie = -epsilon - math.log1p(math.exp(-epsilon))
    # A term is the exponential of a sum of numbers as large as this, so that is what
    # its relative error grows with.
    largest = math.lgamma(count + 1) + count * (1 + epsilon)
    terms = []
    for hits in range(count, -1, -1):
        loss = (2 * hits - count) * epsilon
        if loss <= total:
            break
        choose = (
            math.lgamma(count + 1)
            - math.lgamma(hits + 1)
            - math.lgamma(count - hits + 1)
        )
        excess = -math.expm1(total - loss - _ROUNDING * loss)
        terms.append(math.exp(choose + hits * truth + (count - hits) * lie) * excess)
    return min(1.0, math.fsum(terms) * (1 + _ROUNDING * largest))


def composed_epsilon(epsilon: float, count: int, delta: float) -> float:
    """The least total epsilon of `count` epsilon-DP mechanisms at `delta`.

    It is never above count x epsilon.
    """
    if not 0 <= delta < 1:
        raise ValueError(f"expected 0 <= delta < 1, got {delta}")
    low, high = 0.0, count * epsilon
    if composed_delta(epsilon, count, low) <= delta:
        return 0.0
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        if composed_delta(epsilon, count, middle) <= delta:
            high = middle
        else:
            low = middle
    return high


def repeated_ratio(lasting: Rates, fresh: Rates, reports: int) -> Fraction:
    """The odds for a value of `reports` reports that all support it.

    Each of them is drawn anew from one lasting response.

    (p1 p2^t + (1-p1) q2^t) / (q1 p2^t + (1-q1) q2^t), with (p, q) of either step: from
    one report's up to p1 / q1.
    """
    p, q = lasting
    again, by_chance = (rate**reports for rate in fresh)
    return (p * again + (1 - p) * by_chance) / (q * again + (1 - q) * by_chance)


def repeated_bits_ratio(lasting: Rates, fresh: Rates, reports: int) -> Fraction:
    """Return the ratio for a value with a bit of its own, which all reports set.

    None sets the bit of the value it is not.
    """
    (p1, q1), (p2, q2) = lasting, fresh
    set_bits = repeated_ratio(lasting, fresh, reports)
    clear_bits = repeated_ratio((1 - q1, 1 - p1), (1 - q2, 1 - p2), reports)
    return set_bits * clear_bits


def best_true_positive_rate(
    epsilon: Fraction, false_positive_rate: Fraction
) -> Fraction:
    """The best chance of recognising a value at a given false-positive rate.

    Under any epsilon-LDP mechanism.

    min(E a, 1 - (1 - a) / E) with E = e^epsilon, rounded up in the last of 80 digits.
    """
    if not 0 <= false_positive_rate <= 1:
        raise ValueError(
            f"expected a false-positive rate from 0 to 1, got {false_positive_rate}"
        )
    ratio = exp_upper(epsilon)
    return min(ratio * false_positive_rate, 1 - (1 - false_positive_rate) / ratio)


def posterior(ratio: Fraction, prior: Fraction = Fraction(1, 2)) -> Fraction:
    """The most that one report can make of a prior belief in a value.

    prior x ratio / (1 - prior + prior x ratio).
    """
    return prior * ratio / (1 - prior + prior * ratio)


def posterior_of(epsilon: Fraction) -> Fraction:
    """Return the most that reports of a total epsilon can make of a prior belief of one
    half.
    """
    return posterior(exp_upper(min(epsilon, CERTAIN)))
