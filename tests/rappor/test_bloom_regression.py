"""Regression on Bloom filters: its covariance is that of the reports, its intervals hold.

Coverage is counted over 200 collections of 40 candidates, 8,000 intervals: a standard error of
.0024, so that the gates of .938 and .962 are 4.9 of them away. Collections, designs included, are
drawn anew each time, with fixed seeds.
"""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from bloom_draws import Shape, draw_counts, draw_design, falling
from scipy.stats import kstest

from ldp import EstimateError
from ldp_aggregator.bloom.regression import regress
from ldp_aggregator.moments.bit_covariance import NEGLIGIBLE, bit_noise, precision

COLLECTIONS, CANDIDATES = 200, 40
NOISY, SHARP, SHARPEST = (
    Shape(32, 2, 8, *rates) for rates in ((0.5, 0.75, 0.5), (0.225, 0.775, 0.0), (0.05, 0.95, 0.1))
)


@pytest.mark.parametrize("repeats", [1, 2, 5])
def test_noise_of_repeats(repeats):
    """The variance of a respondent's mean report of one bit, by enumeration of permanent and
    instantaneous bits.
    """
    p, q, f = Fraction(1, 5), Fraction(7, 10), Fraction(1, 3)
    noise = bit_noise(p, q, f, repeats=repeats)
    for true_bit, mean, variance in (
        (1, noise.one, noise.one_variance),
        (0, noise.zero, noise.zero_variance),
    ):
        law = {}
        for permanent, ones in product((0, 1), range(repeats + 1)):
            rate = q if permanent else p
            chance = comb(repeats, ones) * rate**ones * (1 - rate) ** (repeats - ones)
            stays = 1 - f / 2 if permanent == true_bit else f / 2
            law[ones] = law.get(ones, 0) + chance * stays
        assert sum(chance * Fraction(ones, repeats) for ones, chance in law.items()) == mean
        assert (
            sum(chance * (Fraction(ones, repeats) - mean) ** 2 for ones, chance in law.items())
            == variance
        )


@pytest.mark.parametrize("shape", [NOISY, SHARP, SHARPEST])
def test_precision_is_the_inverse_of_the_covariance(shape):
    """Times the covariance of one report's bits, text by text, it is 1 to one part in a hundred, in
    every direction.
    """
    generator = np.random.default_rng(3)
    one_cohort, held = shape._replace(cohorts=1), falling(12, 1_000) / 1_000
    held /= held.sum()
    design, noise = draw_design(one_cohort, 12, generator), shape.noise()
    rates = np.where(design.toarray() > 0, noise.one, noise.zero)
    mean = rates @ held
    covariance = (
        (rates * held) @ rates.T - np.outer(mean, mean) + np.diag((rates * (1 - rates)) @ held)
    )
    covariance /= (noise.one - noise.zero) ** 2 * 700
    inverse = precision(design, np.array([700.0]), noise, background=shape.background, held=held)
    inverse = np.column_stack([inverse.times(column) for column in np.eye(shape.bits)])
    eigenvalues = np.linalg.eigvals(inverse @ covariance).real
    assert 1 - NEGLIGIBLE <= eigenvalues.min() <= eigenvalues.max() <= 1 + NEGLIGIBLE
    assert np.trace(inverse @ covariance) == pytest.approx(shape.bits)


def collections(shape, respondents, missing=0, seed=11):
    """(regression, true frequencies) of collections in which the `missing` most frequent texts are
    no candidates.
    """
    generator = np.random.default_rng([seed, respondents])
    held = falling(CANDIDATES, respondents)
    for _ in range(COLLECTIONS):
        design = draw_design(shape, CANDIDATES, generator)
        counts = draw_counts(shape, design, held, generator=generator)
        found = regress(counts, design[:, missing:], shape.noise(), background=shape.background)
        yield found, (held / held.sum())[missing:]


@pytest.mark.parametrize("respondents", [10_000, 1_000_000])
@pytest.mark.parametrize("shape", [NOISY, SHARP, SHARPEST])
def test_coverage_and_size(shape, respondents):
    """Intervals hold the truth 95 % of the time, and the p-values of the
    residual test are uniform.
    """
    held, chances, unallocated = [], [], []
    for found, truth in collections(shape, respondents):
        errors = np.sqrt(found.variance - truth * (1 - truth) / found.respondents)
        held.append(np.abs(found.frequency - truth) <= 1.96 * errors)
        chances.append(found.residual.p_value)
        share, error = found.unallocated
        unallocated.append(share / error)
    assert 0.938 <= np.mean(held) <= 0.962
    assert kstest(chances, "uniform").pvalue > 1e-6
    assert kstest(unallocated, "norm").pvalue > 1e-6


def test_incomplete_dictionaries_show():
    """Without the three most frequent texts, a third of the million, the test rejects always, what
    is unallocated is estimated, and intervals still hold the truth, over the choice of hash
    functions.
    """
    held, found_out, unallocated = [], [], []
    for found, truth in collections(NOISY, 1_000_000, missing=3):
        held.append(np.abs(found.frequency - truth) <= 1.96 * np.sqrt(found.variance))
        found_out.append(found.residual.p_value < 0.05)
        share, error = found.unallocated
        unallocated.append((share - (1 - truth.sum())) / error)
    assert np.mean(found_out) == 1
    assert 0.938 <= np.mean(held) <= 0.962
    assert kstest(unallocated, "norm").pvalue > 1e-6


def test_single_precision_is_enough(monkeypatch):
    """Where the matrix is kept in single precision, frequencies agree to 1e-9 and variances to
    1e-5.
    """
    generator = np.random.default_rng(5)
    design = draw_design(NOISY, CANDIDATES, generator)
    counts = draw_counts(NOISY, design, falling(CANDIDATES, 100_000), generator=generator)
    double = regress(counts, design, NOISY.noise(), background=NOISY.background)
    monkeypatch.setattr("ldp_aggregator.bloom.regression._MOST_IN_DOUBLE", 1)
    single = regress(counts, design, NOISY.noise(), background=NOISY.background)
    assert single.root.dtype == np.float32
    np.testing.assert_allclose(single.frequency, double.frequency, atol=1e-9)
    np.testing.assert_allclose(single.variance, double.variance, rtol=1e-5)


def test_candidates_that_are_the_same_are_refused():
    """Equal columns, or more columns than bit rates, have no solution, and the message says so."""
    generator = np.random.default_rng(6)
    design = draw_design(NOISY, CANDIDATES, generator)
    counts = draw_counts(NOISY, design, falling(CANDIDATES, 10_000), generator=generator)
    with pytest.raises(EstimateError, match="cannot be told apart"):
        regress(counts, design[:, [0, 1, 2, 1]], NOISY.noise(), background=NOISY.background)
    with pytest.raises(EstimateError, match="at most 32 candidates"):
        regress(counts[:1], design[:32], NOISY.noise(), background=NOISY.background)
