"""What the benchmark says of PrivUnit is so: its privacy, its constant, its published
figures.
"""

import math

import numpy as np
import pytest

from lab.benchmarks.privunit import (
    DIMENSIONS,
    EPSILONS,
    PrivUnit,
    published,
    question_of,
    variance_of,
    with_best_cap,
)

BEST = (6.29, 1.60, 0.428, 0.127)
SPLIT, TRUE = (6.46, 1.76, 0.605, 0.151), (0.99, 1.93, 3.57, 7.23)
"""n Var of a coordinate, worked out apart; and the epsilon that the published one
reaches.
"""


@pytest.mark.parametrize(("epsilon", "variance"), [*zip(EPSILONS, BEST, strict=True)])
def test_the_best_cap_spends_its_epsilon(epsilon, variance):
    """All of it, and no split of it into a coin and a cap errs less; nor do we."""
    best = with_best_cap(DIMENSIONS, epsilon)
    assert math.log(best.ratio) == pytest.approx(epsilon)
    assert best.variance == pytest.approx(variance, rel=0.005)
    assert best.variance < published(DIMENSIONS, epsilon).variance
    assert best.variance < variance_of(question_of(epsilon, 64))


@pytest.mark.parametrize(
    ("epsilon", "variance", "true"), list(zip(EPSILONS, SPLIT, TRUE, strict=True))
)
def test_the_published_one_spends_less(epsilon, variance, true):
    """Its conditions on the cap are sufficient, not necessary."""
    split = published(DIMENSIONS, epsilon)
    assert split.variance == pytest.approx(variance, rel=0.005)
    assert math.log(split.ratio) == pytest.approx(true, abs=0.01)


def test_its_constant_on_a_sphere():
    """Archimedes: heights are uniform, in the mean .55 above .1 and -.45 below it."""
    privunit = PrivUnit(3, likely=0.8, cap=0.1)
    assert privunit.shrinkage == pytest.approx(0.8 * 0.55 - 0.2 * 0.45)
    assert privunit.ratio == pytest.approx(4 * 0.55 / 0.45)


def test_its_estimates_are_unbiased_and_vary_as_stated():
    """30 surveys of 10,000 who hold one vector: within 6 standard errors, each of 100
    coordinates.

    A variance that is a sixth too large or too small is noticed.
    """
    privunit = with_best_cap(DIMENSIONS, 2)
    vector, generator = np.full(DIMENSIONS, 0.1), np.random.default_rng(1)
    holders = np.tile(vector, (10_000, 1))
    # (surveys, coordinates)
    errors = np.array(
        [privunit.estimate(holders, generator) - vector for _ in range(30)]
    )
    assert np.abs(errors.mean(axis=0)).max() < 6 * math.sqrt(
        privunit.variance / 300_000
    )
    squares = 10_000 * np.mean(errors**2)
    assert squares == pytest.approx(
        privunit.variance, rel=6 * math.sqrt(2 / errors.size)
    )
