"""What reports reveal: the odds of repeated reports, and beliefs, by Bayes' rule."""

from __future__ import annotations

from fractions import Fraction

from ldp.numbers.exact import exp_upper

Rates = tuple[Fraction, Fraction]
"""(p, q): how often a report supports its true value, and another."""

CERTAIN = Fraction(40)
"""An epsilon beyond which a belief is as good as certain."""


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
