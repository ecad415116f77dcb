"""What the benchmark says of PCKV-UE is so: its privacy, its estimators, its published
figures.
"""

from itertools import product
from math import exp, prod

import numpy as np
import pytest

from lab.benchmarks.key_values import EPSILONS, Pckv, rare, signed_items

PUBLISHED = {
    "0.5": (50.4, 28.7),
    "1": (10.1, 6.55),
    "2": (1.64, 1.33),
    "4": (0.155, 0.149),
}


def law_of(pckv, key, sign, size=2):
    """The law of all vectors, for a drawn key and its sign; a dummy if it is no key."""
    a, b, p = pckv
    own = {sign: a * p, -sign: a * (1 - p), 0: 1 - a}
    other = {1: b / 2, -1: b / 2, 0: 1 - b}
    return {
        vector: prod(
            (own if place == key else other)[entry]
            for place, entry in enumerate(vector)
        )
        for vector in product((-1, 0, 1), repeat=size)
    }


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_it_spends_its_epsilon(epsilon):
    """The worst ratio of two laws is e^epsilon, over keys, signs and the dummy."""
    pckv = Pckv.of(float(epsilon))
    laws = [law_of(pckv, key, sign) for key in (0, 1, 2) for sign in (-1, 1)]
    worst = max(
        one[y] / other[y] for one, other in product(laws, repeat=2) for y in one
    )
    assert worst == pytest.approx(exp(float(epsilon)))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_its_figures_are_the_published_ones(epsilon):
    """Within half of the last digit."""
    assert Pckv.of(float(epsilon)).rare == pytest.approx(PUBLISHED[epsilon], rel=0.005)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_ours_errs_less_in_shares(epsilon):
    """With ten keys and a hundred; in balances about as much, or less from epsilon 2
    on.
    """
    for size in (10, 100):
        ours, theirs = rare(signed_items(size, epsilon)), Pckv.of(float(epsilon)).rare
        assert ours[0] < theirs[0]
        assert ours[1] < 1.12 * theirs[1]


def test_its_estimates_are_unbiased():
    """100,000 respondents, 200 surveys: means within 6 standard errors of the truth."""
    generator = np.random.default_rng(1)
    pckv, respondents = Pckv.of(2.0), 100_000
    lower, upper = np.array([10_000, 0]), np.array([30_000, 5_000])
    surveys = [
        pckv.survey(lower, upper, respondents, generator=generator) for _ in range(200)
    ]
    shares, balances = (np.array(column) for column in zip(*surveys, strict=True))
    for estimates, truth in ((shares, [0.4, 0.05]), (balances, [0.2, 0.05])):
        error = estimates.std(axis=0) / np.sqrt(len(estimates))
        assert (np.abs(estimates.mean(axis=0) - truth) < 6 * error).all()
