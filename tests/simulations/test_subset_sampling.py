"""Tallies of subset selection are drawn from their law: means, covariances, whole
sets.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from ldp.mechanisms.values.subset import SubsetSelection
from ldp_simulations.sampling.values.subsets import _chances, _range, subset_counts

TALLIES = 600


def drawn(randomizer, holders, tallies=TALLIES):
    """Tallies without the number of reports, of shape (tallies, values)."""
    generator = np.random.default_rng(5)
    return np.stack(
        [
            subset_counts(randomizer, np.array(holders), generator)[0, 1:]
            for _ in range(tallies)
        ]
    )


@pytest.mark.parametrize(
    ("size", "chosen", "holder"), [(5, 2, 0), (6, 3, 5), (7, 1, 3)]
)
def test_single_sets(size, chosen, holder):
    """The set of one respondent: every set with the chance that its weights say, in
    3,000 draws.

    A chi-square of 1e-6 is the gate; a weight of 2 in place of 4 for sets that hold the
    value does not pass it.
    """
    from scipy.stats import chisquare

    randomizer = SubsetSelection(size, chosen, 4, other=1)
    counted = Counter(
        map(tuple, drawn(randomizer, np.eye(size, dtype=int)[holder], 3_000).tolist())
    )
    sets = [
        tuple(int(place in members) for place in range(size))
        for members in combinations(range(size), chosen)
    ]

    def chance(truth):
        weights = np.array([truth if members[holder] else 1 for members in sets])
        return chisquare(
            [counted[members] for members in sets], 3_000 * weights / weights.sum()
        ).pvalue

    assert set(counted) <= set(sets)
    assert chance(4) > 1e-6
    assert chance(2) < 1e-6


@pytest.mark.parametrize(("size", "chosen"), [(13, 4), (65, 64)])
def test_tallies(size, chosen):
    """600 tallies of 300: every mean, and some covariances, within 6 standard
    errors.
    """
    randomizer, holders = SubsetSelection(size, chosen, 5, other=2), np.arange(size) % 7
    holders[0] += 300 - holders.sum()
    p, q = (float(rate) for rate in randomizer.support)
    tallies = drawn(randomizer, holders)
    assert (tallies.sum(axis=1) == 300 * chosen).all()
    rates = np.where(np.eye(size, dtype=bool), p, q)
    assert scores(tallies, holders @ rates).max() < 6
    both_own, both_other = (float(rate) for rate in randomizer.joint_support())
    for x, z in ((0, 1), (2, size - 1), (size // 2, size // 2 - 1)):
        others = 300 - holders[x] - holders[z]
        covariance = (holders[x] + holders[z]) * (both_own - p * q) + others * (
            both_other - q * q
        )
        products = (tallies[:, x] - holders @ rates[:, x]) * (
            tallies[:, z] - holders @ rates[:, z]
        )
        assert scores(products[:, None], np.array([covariance])).max() < 6


def scores(samples, expected):
    """How many standard errors the means are from what is expected."""
    return (
        np.abs(samples.mean(axis=0) - expected)
        / (samples.std(axis=0) + 1e-12)
        * np.sqrt(len(samples))
    )


@pytest.mark.parametrize(
    ("total", "left", "right"),
    [(0, 3, 4), (3, 3, 4), (7, 3, 4), (5, 0, 6), (40, 200, 100), (3_000, 6_000, 5_500)],
)
def test_the_numbers_in_a_half(total, left, right):
    """Hypergeometric chances against binomial coefficients.

    What is left out is less likely than 1e-18.
    """
    from scipy.special import gammaln

    (lowest,), many = _range(*(np.array([number]) for number in (total, left, right)))
    lefts = np.arange(lowest, lowest + many)
    chances = _chances(
        lefts[None], *(np.array([[number]]) for number in (total, left, right))
    )[0]
    if total < 100:
        ways = [
            Fraction(comb(left, k) * comb(right, total - k), comb(left + right, total))
            for k in lefts.tolist()
        ]
        assert np.allclose(chances, np.array(ways, dtype=float), rtol=1e-12, atol=1e-18)
    else:
        logs = sum(
            gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
            for n, k in ((left, lefts), (right, total - lefts))
        )
        assert np.allclose(
            chances,
            np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum(),
            rtol=1e-7,
        )
        assert max(chances[0], chances[-1]) < 1e-18
