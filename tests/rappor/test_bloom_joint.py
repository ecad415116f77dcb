"""All candidates' frequencies together: bounds, and estimates that tests can go by.

40 collections of 100 candidates, 20 of them held, drawn anew with fixed seeds.
"""

from itertools import product

import numpy as np
import pytest
from bloom_draws import Shape, draw_counts, draw_design, falling

from ldp_aggregator.decoders.bloom import joint as joint_module
from ldp_aggregator.decoders.bloom.joint import (
    ALIKE,
    covariance_of_bits,
    information,
    joint,
)
from ldp_aggregator.decoders.bloom.regression import (
    centred_rates,
    normal_matrix,
    regress,
)
from ldp_aggregator.decoders.bloom.selection import decode
from ldp_aggregator.decoders.moments.bit_covariance import precision

SHAPE = Shape(16, 2, 16, p=0.4, q=0.6, f=0.25)
CANDIDATES, HELD, COLLECTIONS, RESPONDENTS = 100, 20, 40, 400_000
HOLDERS = np.concatenate(
    [falling(HELD, RESPONDENTS), np.zeros(CANDIDATES - HELD, dtype=np.int64)]
)
TRUTH = HOLDERS / HOLDERS.sum()


def fits():
    """(joint fit, regression) of each collection."""
    generator = np.random.default_rng(41)
    for _ in range(COLLECTIONS):
        design = draw_design(SHAPE, CANDIDATES, generator)
        counts = draw_counts(SHAPE, design, HOLDERS, generator=generator)
        yield fit_of(counts, design)


def fit_of(counts, design):
    """The joint fit and the regression that it starts from."""
    plain = regress(counts, design, SHAPE.noise(), background=SHAPE.background)
    rates, sizes = centred_rates(counts, SHAPE.noise(), SHAPE.background)
    together = joint(
        rates, design, plain.inverse, background=SHAPE.background, cohorts=len(sizes)
    )
    return together, plain


def wrong(collections):
    """How often a candidate that no one holds has a p-value of at most .05: of
    3,200.
    """
    from scipy.special import ndtr

    chances = np.stack(
        [ndtr(-fit.estimate / np.sqrt(fit.variance))[HELD:] for fit, _ in collections]
    )
    return (chances <= 0.05).mean()


@pytest.fixture(scope="module")
def collections():
    """As they are by default."""
    return list(fits())


def test_p_values_are_honest(collections):
    """.05 of them are at most .05: within 5 standard errors (.0039) of that."""
    assert wrong(collections) == pytest.approx(0.05, abs=5 * 0.0039)


def test_p_values_without_what_others_leave_unknown_are_caught(monkeypatch):
    """Errors that leave out the term D, and the dispersion, are too small; that
    shows.
    """
    monkeypatch.setattr(joint_module._Fit, "noise", lambda _: 0.6)
    assert wrong(fits()) > 0.05 + 5 * 0.0039


def test_intervals_hold(collections):
    """95 % of 800 intervals of what is held, and of 3,200 others: errors .0077 and
    .0039.
    """
    misses = np.stack(
        [
            np.abs(fit.estimate - TRUTH) / np.sqrt(fit.variance) > 1.96
            for fit, _ in collections
        ]
    )
    assert misses[:, :HELD].mean() == pytest.approx(0.05, abs=5 * 0.0077)
    assert misses[:, HELD:].mean() == pytest.approx(0.05, abs=5 * 0.0039)


def test_less_error_than_a_regression(collections):
    """A quarter less variance, stated and true, where most of 100 candidates are
    rare.
    """
    ours = np.stack([(fit.estimate - TRUTH) ** 2 for fit, _ in collections]).mean()
    plain = np.stack([(fit.frequency - TRUTH) ** 2 for _, fit in collections]).mean()
    assert ours < 0.75 * plain
    stated = np.stack([fit.variance for fit, _ in collections]).mean()
    assert stated < 0.75 * np.stack([fit.variance for _, fit in collections]).mean()


def test_posteriors_are_nearer(collections):
    """Means and medians are no shares below 0, of sum 1 at most, and nearer to the
    truth.

    Of candidates that no one holds, nine of ten medians are exactly 0.
    """
    means, medians = (
        np.stack([getattr(fit, name) for fit, _ in collections])
        for name in ("mean", "median")
    )
    plain = np.stack([fit.frequency for _, fit in collections])
    for view in (means, medians):
        assert view.min() >= 0
        assert view.sum(axis=1).max() <= 1 + 1e-9
        assert np.abs(view - TRUTH).sum() < 0.6 * np.abs(plain - TRUTH).sum()
    assert (medians[:, HELD:] == 0).mean() > 0.9


def test_the_bound_on_the_sum_helps():
    """Of candidates all of which are held, noise alone would add up to more than 1."""
    generator = np.random.default_rng(43)
    design = draw_design(SHAPE, 60, generator)
    counts = draw_counts(SHAPE, design, falling(60, 3_000), generator=generator)
    fit, plain = fit_of(counts, design)
    assert np.maximum(plain.frequency, 0).sum() > 1.2
    assert 0.5 < fit.mean.sum() <= 1 + 1e-9


def test_many_at_once_are_the_same(monkeypatch):
    """Whether all move one by one or the strongest do, to a fifth of a standard
    error.
    """
    generator = np.random.default_rng(47)
    design = draw_design(SHAPE, 400, generator)
    holders = np.concatenate([HOLDERS, np.zeros(300, dtype=np.int64)])
    counts = draw_counts(SHAPE, design, holders, generator=generator)
    one_by_one = decode(counts, design, SHAPE.noise(), background=SHAPE.background)
    monkeypatch.setattr(joint_module, "_MOST_AT_ONCE", 100)
    monkeypatch.setattr(joint_module, "_TOP", 60)
    at_once = decode(counts, design, SHAPE.noise(), background=SHAPE.background)
    error = np.sqrt(one_by_one.variance)
    assert np.abs(at_once.frequency - one_by_one.frequency).max() < 0.2 * error.max()
    np.testing.assert_allclose(at_once.variance, one_by_one.variance, rtol=0.1)


def squares_of(shape, candidates, held, respondents, number, seed):
    """The mean square of the errors, in stated errors, of each of so many
    collections.
    """
    generator = np.random.default_rng(seed)
    weights = np.zeros(candidates)
    weights[: len(held)] = held / held.sum()
    for _ in range(number):
        design = draw_design(shape, candidates, generator)
        holders = generator.multinomial(respondents, weights)
        counts = draw_counts(shape, design, holders, generator=generator)
        decoded = decode(counts, design, shape.noise(), background=shape.background)
        if decoded.likely is not None:
            error = decoded.frequency - holders / respondents
            yield (error**2 / decoded.variance).mean()


def test_thousands_of_faint_ones_have_the_error_that_is_stated():
    """2,000 candidates, all of them held, and each as far above 0 as a third of its
    error.

    The mean square of 8 collections is within 5 standard errors (.01) of 1. Where
    errors went by the law, it was .74.
    """
    shape = SHAPE._replace(cohorts=32)
    squares = list(
        squares_of(
            shape, 2_000, np.ones(2_000), respondents=4_000_000, number=8, seed=61
        )
    )
    assert np.mean(squares) == pytest.approx(1, abs=0.05)


def test_few_rates_have_the_error_that_is_stated():
    """100 candidates for 128 bit rates, of which half are held, with frequencies as 1 /
    i.

    The mean square of 80 collections is within 5 standard errors (.028) of 1. Where
    what the law follows of the reports does not count, it is 1.195.
    """
    shape = Shape(16, 2, 8, p=0.25, q=0.75, f=0.5)
    held = 1 / np.arange(1, 51)
    squares = list(
        squares_of(shape, 100, held, respondents=1_000_000, number=80, seed=67)
    )
    assert np.mean(squares) == pytest.approx(1, abs=0.14)


def test_how_bits_of_a_text_vary_together():
    """As counted over all choices of 3 hash functions among 5 bits."""
    sets = [set(chosen) for chosen in product(range(5), repeat=3)]
    one, both = (
        sum(bits <= chosen for chosen in sets) / len(sets) for bits in ({0}, {0, 1})
    )
    assert covariance_of_bits(5, one) == pytest.approx((one - one**2, both - one**2))


def test_candidates_that_share_bits_are_tested_by_the_regression():
    """Two that differ in one cohort of 16 alone; the others keep the tests of the joint
    fit.
    """
    from scipy.sparse import csr_array

    generator = np.random.default_rng(53)
    dense = draw_design(SHAPE, 40, generator).toarray()
    dense[:, 1] = dense[:, 0]
    dense[:64, 1] = dense[:64, 2]
    design = csr_array(dense)
    counts = draw_counts(SHAPE, design, falling(40, RESPONDENTS), generator=generator)
    fit, plain = fit_of(counts, design)
    assert set(np.flatnonzero(fit.alike > ALIKE)) >= {0, 1}
    tested, variance = decode(
        counts, design, SHAPE.noise(), background=SHAPE.background
    ).tested
    by_regression = fit.alike > ALIKE
    assert not by_regression.all()
    assert tested[by_regression].tolist() == plain.frequency[by_regression].tolist()
    assert variance[by_regression].tolist() == plain.variance[by_regression].tolist()
    assert tested[~by_regression].tolist() == fit.estimate[~by_regression].tolist()


def test_information_is_the_diagonal():
    """Of the matrix of all candidates, in parts of any size."""
    generator = np.random.default_rng(59)
    design = draw_design(SHAPE, 50, generator)
    shares = falling(50, 1_000) / 1_000
    inverse = precision(
        design,
        np.full(16, 500.0),
        SHAPE.noise(),
        background=SHAPE.background,
        shares=shares,
    )
    diagonal = np.diag(normal_matrix(design, inverse, SHAPE.background))
    computed = information(design.tocsc(), inverse, SHAPE.background)
    np.testing.assert_allclose(computed, diagonal, rtol=1e-9)
