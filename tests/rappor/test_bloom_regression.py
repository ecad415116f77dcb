"""Regression on Bloom filters: its covariance is that of the reports, its intervals
hold.

Coverage is counted over 200 collections of 40 candidates, 8,000 intervals: a standard
error of .0024, so that the gates of .938 and .962 are 4.9 of them away. Collections,
designs included, are drawn anew each time, with fixed seeds.
"""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from bloom_draws import Shape, draw_counts, draw_design, falling

from ldp import EstimateError, parse_survey
from ldp_aggregator.decoders.bloom.regression import (
    first_shares,
    normal_matrix,
    regress,
    reporting,
)
from ldp_aggregator.decoders.moments.bit_covariance import (
    NEGLIGIBLE,
    bit_noise,
    precision,
)
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.postprocessing import norm_sub

COLLECTIONS, CANDIDATES = 200, 40
NOISY, SHARP, SHARPEST = (
    Shape(32, 2, 8, *rates)
    for rates in ((0.5, 0.75, 0.5), (0.225, 0.775, 0.0), (0.05, 0.95, 0.1))
)


@pytest.mark.parametrize("repeats", [1, 2, 5])
def test_noise_of_repeats(repeats):
    """The variance of a respondent's mean report of a bit, over all responses."""
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
        assert (
            sum(chance * Fraction(ones, repeats) for ones, chance in law.items())
            == mean
        )
        assert (
            sum(
                chance * (Fraction(ones, repeats) - mean) ** 2
                for ones, chance in law.items()
            )
            == variance
        )
    # What is left in `law` is that of a bit that is 0.
    third = sum(
        chance * (Fraction(ones, repeats) - noise.zero) ** 3
        for ones, chance in law.items()
    )
    assert noise.zero_third == pytest.approx(float(third), rel=1e-12)


@pytest.mark.parametrize("reports", [0, 1, 300])
def test_bits_of_cohorts_as_rates(reports):
    """The ones of each bit among a cohort's reports, and the rates of bits, set or
    not.
    """
    asked = parse_survey(
        '[survey]\nname = "s"\n[[question]]\nname = "x"\ntype = "text"\nmechanism = '
        '"rappor"\n'
        'bloom_bits = 8\nhashes = 1\ncohorts = 2\np = "0.5"\nq = "0.75"\nf = "0"\n'
    )["x"].randomizer
    counts = np.arange(18).reshape(2, 9) + reports
    rates = decoder_of(asked).report_law.support_rates(asked, counts)
    assert rates.ones.tolist() == [
        list(range(reports + first, reports + first + 8)) for first in (1, 10)
    ]
    assert rates.trials.tolist() == [[reports], [reports + 9]]
    assert set(rates.rates) == {Fraction(1, 2), Fraction(3, 4)}
    # A bit is worth 2 or -2 beside a rate of 1/2, and 3 as far as it is not set where
    # it could be.
    assert "moves by at most 3 times" in decoder_of(asked).score_range(asked).reason


@pytest.mark.parametrize("known", [1.0, 0.6])
@pytest.mark.parametrize("bits", [3, 32])
@pytest.mark.parametrize("shape", [NOISY, SHARP, SHARPEST])
def test_precision_is_the_inverse_of_the_covariance(shape, bits, known):
    """Times the covariance of one report's bits, it is 1 to one part in a hundred,
    every way.

    Also where some have a text that is no candidate, whose bits are set independently.
    """
    generator = np.random.default_rng(3)
    shape = shape._replace(bits=bits, cohorts=1)
    shares = falling(12, 1_000) / 1_000
    shares *= known / shares.sum()
    design, noise = draw_design(shape, 12, generator), shape.noise()
    rates = np.where(design.toarray() > 0, noise.one, noise.zero)
    other = noise.zero + (noise.one - noise.zero) * shape.background
    rates = np.column_stack([rates, np.full(bits, other)])
    held = np.append(shares, 1 - known)
    mean = rates @ held
    covariance = (
        (rates * held) @ rates.T
        - np.outer(mean, mean)
        + np.diag((rates * (1 - rates)) @ held)
    )
    covariance /= (noise.one - noise.zero) ** 2 * 700
    inverse = precision(
        design, np.array([700.0]), noise, background=shape.background, shares=shares
    )
    inverse = np.column_stack([inverse.times(column) for column in np.eye(shape.bits)])
    eigenvalues = np.linalg.eigvals(inverse @ covariance).real
    assert 1 - NEGLIGIBLE <= eigenvalues.min() <= eigenvalues.max() <= 1 + NEGLIGIBLE
    assert np.trace(inverse @ covariance) == pytest.approx(shape.bits)


@pytest.mark.parametrize(("rare", "kept"), [(0.4, 2), (0.0004, 1)])
def test_eigenvalues_that_count(rare, kept):
    """Of two bits both, or one, and then what is left of the other is its own noise,
    exactly.
    """
    from scipy.sparse import csr_array

    shape = Shape(2, 1, 1, p=0.25, q=0.75, f=0.0)
    # Both bits at once, the first alone, and none.
    design = csr_array(np.array([[1.0, 1, 0], [1, 0, 0]]))
    shares = np.array([0.3, rare, 0.7 - rare])
    inverse = precision(
        design, np.array([1.0]), shape.noise(), background=0.5, shares=shares
    )
    assert inverse.deflation.shape == (kept, 2)
    covariance = (design * shares @ design.T).toarray() - np.outer(
        design @ shares, design @ shares
    )
    covariance += np.diag([0.1875 / 0.25] * 2)
    inverse = np.column_stack([inverse.times(column) for column in np.eye(2)])
    tolerance = 1e-12 if kept == 2 else NEGLIGIBLE
    np.testing.assert_allclose(inverse @ covariance, np.eye(2), atol=tolerance)
    assert np.trace(inverse @ covariance) == pytest.approx(2, rel=1e-9)


def collections(shape, respondents, missing=0, seed=11):
    """(regression, true frequencies), the `missing` most frequent texts being no
    candidates.
    """
    generator = np.random.default_rng([seed, respondents])
    holders = falling(CANDIDATES, respondents)
    for _ in range(COLLECTIONS):
        design = draw_design(shape, CANDIDATES, generator)
        counts = draw_counts(shape, design, holders, generator=generator)
        fit = regress(
            counts, design[:, missing:], shape.noise(), background=shape.background
        )
        yield fit, (holders / holders.sum())[missing:]


@pytest.mark.parametrize("respondents", [10_000, 1_000_000])
@pytest.mark.parametrize("shape", [NOISY, SHARP, SHARPEST])
def test_coverage_and_size(shape, respondents):
    """Intervals hold the truth 95 % of the time, and residual p-values are uniform."""
    from scipy.stats import kstest

    covered, chances, unallocated = [], [], []
    for fit, truth in collections(shape, respondents):
        errors = np.sqrt(fit.variance - truth * (1 - truth) / fit.respondents)
        covered.append(np.abs(fit.frequency - truth) <= 1.96 * errors)
        chances.append(fit.residual.p_value)
        share, error = fit.remainder
        unallocated.append(share / error)
    assert 0.938 <= np.mean(covered) <= 0.962
    assert kstest(chances, "uniform").pvalue > 1e-6
    assert kstest(unallocated, "norm").pvalue > 1e-6


def test_incomplete_dictionaries_show():
    """Without the three most frequent texts, a third of the million, the test rejects
    always.

    What is unallocated is estimated, and intervals still hold the truth, over the
    choice of hash functions.
    """
    from scipy.stats import kstest

    covered, found_out, unallocated = [], [], []
    for fit, truth in collections(NOISY, 1_000_000, missing=3):
        covered.append(np.abs(fit.frequency - truth) <= 1.96 * np.sqrt(fit.variance))
        found_out.append(fit.residual.p_value < 0.05)
        share, error = fit.remainder
        unallocated.append((share - (1 - truth.sum())) / error)
    assert np.mean(found_out) == 1
    assert 0.938 <= np.mean(covered) <= 0.962
    assert kstest(unallocated, "norm").pvalue > 1e-6


def test_single_precision_is_enough(monkeypatch):
    """With the matrix in single precision, frequencies agree to 1e-9, variances to
    1e-5.
    """
    generator = np.random.default_rng(5)
    design = draw_design(NOISY, CANDIDATES, generator)
    counts = draw_counts(
        NOISY, design, falling(CANDIDATES, 100_000), generator=generator
    )
    double = regress(counts, design, NOISY.noise(), background=NOISY.background)
    monkeypatch.setattr("ldp_aggregator.decoders.bloom.regression._MOST_IN_DOUBLE", 1)
    single = regress(counts, design, NOISY.noise(), background=NOISY.background)
    assert single.root.dtype == np.float32
    np.testing.assert_allclose(single.frequency, double.frequency, atol=1e-9)
    np.testing.assert_allclose(single.variance, double.variance, rtol=1e-5)


def test_candidates_that_are_the_same_are_refused():
    """Equal columns, or more columns than bit rates, have no solution, and the message
    says so.
    """
    generator = np.random.default_rng(6)
    design = draw_design(NOISY, CANDIDATES, generator)
    counts = draw_counts(
        NOISY, design, falling(CANDIDATES, 10_000), generator=generator
    )
    with pytest.raises(EstimateError, match="cannot be told apart"):
        regress(
            counts, design[:, [0, 1, 2, 1]], NOISY.noise(), background=NOISY.background
        )
    with pytest.raises(
        EstimateError,
        match=r"at most 32 candidates \(1 cohorts that reported, 32 bits each\), got 40",
    ):
        regress(counts[:1], design[:32], NOISY.noise(), background=NOISY.background)


def test_dispersion():
    """The excess of the residuals, in one direction less than a cohort has bits; at
    least 1.
    """
    generator = np.random.default_rng(7)
    design = draw_design(NOISY, CANDIDATES, generator)
    counts = draw_counts(
        NOISY, design, falling(CANDIDATES, 1_000_000), generator=generator
    )
    some = regress(counts, design[:, 3:], NOISY.noise(), background=NOISY.background)
    excess = some.residual.statistic / some.residual.freedom - 1
    assert some.residual.freedom == 32 * 8 - 37
    assert excess > 1
    assert some.dispersion == pytest.approx(1 + excess * 32 / 31, rel=1e-12)
    # Counts that are just what the candidates explain leave nothing.
    shares, noise = falling(CANDIDATES, 1_000_000) / 1_000_000, NOISY.noise()
    rates = noise.zero + (noise.one - noise.zero) * (design @ shares).reshape(8, 32)
    counts[:, 0], counts[:, 1:] = 125_000, np.rint(rates * 125_000)
    nothing = regress(counts, design, noise, background=NOISY.background)
    assert nothing.residual.statistic < 1
    assert nothing.dispersion == 1


def test_as_many_candidates_as_rates():
    """Nothing is left to tell by whether they explain all there is."""
    from scipy.sparse import csr_array

    shape = Shape(8, 1, 1, p=0.25, q=0.75, f=0.0)
    counts = np.array([[1_000, *range(280, 440, 20)]])
    fit = regress(counts, csr_array(np.eye(8)), shape.noise(), background=0.2)
    assert (fit.residual.freedom, fit.residual.p_value, fit.dispersion) == (0, 1.0, 1.0)
    rates = (counts[0, 1:] / 1_000 - 0.25) / 0.5
    expected = np.linalg.solve(np.eye(8) - 0.2, rates - 0.2)
    np.testing.assert_allclose(fit.frequency, expected, rtol=1e-9)


def test_first_guess_is_the_plain_solution():
    """By least squares with the same weight for every report, cut at 0, and of sum 1 at
    most.
    """
    generator = np.random.default_rng(10)
    design = draw_design(NOISY, 5, generator)
    sizes = np.array([100.0, 400.0, 900.0, 100.0, 50.0, 70.0, 100.0, 300.0])
    centred, root = design.toarray() - NOISY.background, np.sqrt(np.repeat(sizes, 32))
    for shares in (
        [0.5, 0.3, 0.1, 0.0, 0.05],
        [0.6, -0.1, 0.2, 0.1, 0.0],
        [0.9, 0.5, 0, 0, 0.2],
    ):
        rates = centred @ shares + generator.normal(0, 0.01, 256)
        solved, *_ = np.linalg.lstsq(centred * root[:, None], rates * root, rcond=None)
        expected = np.maximum(solved, 0)
        if expected.sum() > 1:
            expected = norm_sub(expected)
        guess = first_shares(rates, sizes, design, background=NOISY.background)
        np.testing.assert_allclose(guess, expected, atol=1e-3)


def test_cohorts_with_a_single_report_count():
    """Those without any do not."""
    generator = np.random.default_rng(8)
    design = draw_design(NOISY, 5, generator)
    counts = draw_counts(NOISY, design, falling(5, 1_000), generator=generator)
    counts[1], counts[2] = 0, 0
    counts[2, 0] = 1
    present, bits = reporting(counts, design)
    assert present.tolist() == np.delete(counts, 1, axis=0).tolist()
    assert (
        bits.toarray().tolist()
        == np.delete(design.toarray(), range(32, 64), axis=0).tolist()
    )


def test_noise_alone_is_a_diagonal():
    """Where the texts' own covariance is next to nothing, the normal matrix has no more
    than b.
    """
    shape = Shape(32, 2, 8, p=0.49, q=0.51, f=0.0)
    generator = np.random.default_rng(9)
    design, sizes = draw_design(shape, 6, generator), np.full(8, 100.0)
    inverse = precision(
        design,
        sizes,
        shape.noise(),
        background=shape.background,
        shares=np.full(6, 1 / 6),
    )
    assert inverse.deflation.shape == (0, 256)
    centred = design.toarray() - shape.background
    expected = centred.T @ (inverse.weights[:, None] * centred)
    matrix = normal_matrix(design, inverse, shape.background)
    np.testing.assert_allclose(np.triu(matrix), np.triu(expected), rtol=1e-9)
