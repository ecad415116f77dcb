"""Arcs: their integers, exact targets, and scores that are those of the law."""

import math
from fractions import Fraction

import numpy as np
import pytest
from range_moments import check_moments_of_ranges
from specimens import question

from ldp.errors import SurveyError
from ldp.mechanisms.numbers.arc_search import search_weights
from ldp.mechanisms.numbers.arcs import (
    Arcs,
    is_prime,
    usual_modulus,
    usual_weights,
    usual_width,
)
from ldp.numbers.exact import exp_lower, odds
from ldp.numbers.sines import squared_sines
from ldp_aggregator.analyses.health_checks.report_checks import health
from ldp_aggregator.answers.distributions.band import multiplier, root_of
from ldp_aggregator.decoders.arcs.arcs import arc_moments, explain
from ldp_aggregator.decoders.arcs.bound import least_variance, prefixes
from ldp_aggregator.decoders.arcs.circle import (
    circle_of,
    frequencies,
    scores,
    supports,
    windows_under,
)
from ldp_aggregator.decoders.arcs.pairs import (
    mean_products,
    mean_squares_by_pairs,
    supported_pairs,
)
from ldp_aggregator.decoders.arcs.squares import (
    correlation,
    error_root,
    extremes,
    mean_squares,
    powers_by_value,
)
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import expected_counts, sample_counts

FIVE = (5, 7, 2, 3, 1, (3, 2, 1))
"""Arcs for five values, in small integers."""


def of_values(size, epsilon):
    """The usual arcs for n values."""
    keys = f'type = "integer"\nlow = 0\nhigh = {size - 1}\nepsilon = {epsilon}'
    return question("arcs", keys).randomizer


def limit(epsilon):
    """What errors are counted in: 4R / (R - 1)^2."""
    ratio = math.exp(epsilon)
    return 4 * ratio / (ratio - 1) ** 2


def even(arcs, queries):
    """N Var of queries of 0 and 1, on average over values that are spread evenly."""
    square = powers_by_value(circle_of(arcs), scores(circle_of(arcs), queries))[0]
    return (square - queries).mean(axis=1)


def test_published_numbers():
    """In seven digits: shares of a range from five and four values, of arcs in small
    integers.
    """
    for numbers, mean, most in (
        (FIVE, 2.73026, 2.96516),
        ((4, 5, 1, 7, 1, (1, 1)), 0.51389, 0.51389),
    ):
        arcs = Arcs(*numbers)
        circle = circle_of(arcs)
        query = (np.arange(arcs.size) < 2).astype(float)[None]
        square = powers_by_value(circle, scores(circle, query))[0] - query
        assert square.mean() == pytest.approx(mean, abs=5e-6)
        assert square.max() == pytest.approx(most, abs=5e-6)
        assert arcs.ratio == numbers[3]
    np.testing.assert_allclose(
        circle_of(Arcs(*FIVE)).kernel, [2, 1 / 2, 1 / 6, 1 / 3, 1 / 3]
    )


@pytest.mark.parametrize(
    ("size", "epsilon", "least"),
    [
        (64, 1, (13.974, 16.368, 10.646, 12.343)),
        (50, 1.5, (5.0870, 6.2184, 3.7720, 4.5160)),
        (64, 2, (2.7898, 3.4542, 2.1040, 2.5994)),
        (30, 3, (0.57599, 0.73944, 0.45439, 0.57550)),
        (64, 4, (0.29834, 0.39050, 0.24567, 0.32695)),
        (40, 5, (0.10116, 0.12983, 0.08137, 0.10593)),
        (100, 6, (0.06657, 0.09207, 0.06040, 0.08647)),
    ],
)
def test_errors_are_near_the_least(size, epsilon, least):
    """Within 2 % of the best design for all ranges, the worst, and those from the first
    value on.

    The best were found by the exact error, over many widths; the usual arcs err up to
    1.9 times.
    """
    keys = f'type = "integer"\nlow = 0\nhigh = {size - 1}\nepsilon = {epsilon}'
    arcs = question("auto", f'{keys}\ngoal = "distribution"').randomizer
    places, ends = np.arange(size), np.triu_indices(size + 1, 1)
    asked = ((places >= ends[0][:, None]) & (places < ends[1][:, None]))[
        ends[1] - ends[0] < size
    ]
    errors = even(arcs, asked.astype(float))
    below = errors[asked[:, 0]]
    sizes = errors.mean(), errors.max(), below.mean(), below.max()
    assert (np.array(sizes) / least < 1.02).all()
    assert sizes[0] / least[0] > 0.99
    assert arcs.modulus == usual_modulus(size)


def test_arcs_are_searched_for_in_integers():
    """As every reader gets them: of five values, and few frequencies at a large
    epsilon.
    """
    assert search_weights(7, 20, 1) == (1, (5592405, 5592405, 5592405))
    assert search_weights(7, 3, 1) == (2, (10773743, 1749752, 4253720))
    width, weights = search_weights(71, *odds(Fraction(4)))
    heavy = {k + 1 for k, weight in enumerate(weights) if weight > max(weights) / 100}
    assert (width, heavy) == (3, {1, 14, 18, 24, 35})
    # More frequencies than can be drawn: the usual ones.
    keys = 'type = "integer"\nlow = 0\nhigh = 1999\nepsilon = 4'
    asked = question("auto", f'{keys}\ngoal = "distribution"').randomizer
    assert asked == question("arcs", keys).randomizer


def test_nothing_can_be_much_better():
    """The bound for cumulative shares is that of the reference, and arcs are within 16
    % of it.
    """
    assert least_variance(256, math.exp(1)) / limit(1) == pytest.approx(4.07, abs=0.005)
    assert least_variance(64, math.exp(1)) / limit(1) == pytest.approx(2.49, abs=0.005)
    arcs = of_values(256, 1)
    assert (
        1
        < even(arcs, prefixes(256, most=64)).mean() / least_variance(256, math.exp(1))
        < 1.16
    )


def test_the_circle():
    """Its length is prime and a tenth above the line's; arcs are as wide as errors are
    least.
    """
    lengths = {3: 5, 4: 5, 5: 7, 64: 71, 256: 281, 1024: 1129, 4096: 4507}
    assert {size: usual_modulus(size) for size in lengths} == lengths
    assert all(map(is_prime, lengths.values()))
    assert [n for n in range(-1, 12) if is_prime(n)] == [2, 3, 5, 7, 11]
    widths = {0.5: 106, 1: 76, 2: 42, 3: 20, 4: 9, 8: 1}
    ratios = {epsilon: Fraction(*odds(Fraction(epsilon))) for epsilon in widths}
    assert {
        epsilon: usual_width(281, ratio) for epsilon, ratio in ratios.items()
    } == widths
    # Times (R + 1) / P: 1 up to an R of 9/2, 5/4 up to 12, 3/2 up to 33, and 7/4
    # beyond.
    at_most = [
        usual_width(1001, ratio)
        for ratio in (Fraction(9, 2), Fraction(12), Fraction(33))
    ]
    assert at_most == [182, 96, 44]
    assert usual_width(1001, Fraction(34)) == 50


@pytest.mark.parametrize(
    ("modulus", "width"), [(7, 2), (281, 76), (4507, 3), (4507, 1212)]
)
def test_weights_are_those_of_the_formula(modulus, width):
    """Sines in integers are sines to 2^-60, and weights those that follow, to 2^-30."""
    count = min((modulus - 1) // 2, 1024)
    places = np.arange(count + 1)
    exact = np.sin(np.pi * places * width / modulus) ** 2
    squares = np.array(squared_sines(modulus, width, count), dtype=float) / 2**64
    np.testing.assert_allclose(squares, exact, atol=2e-13)
    # A twelfth of the circle, and so on: sin^2 of 30, 60 and 90 degrees, rounded down.
    assert [-(-sine >> 32) for sine in squared_sines(6, 1, 3)] == [
        0,
        1 << 30,
        3 << 30,
        1 << 32,
    ]
    worth = np.ones(count + 1)
    for k in range(1, count + 1):
        divisors = [m for m in range(2, k + 1) if k % m == 0]
        worth_there = sum(exact[m] / (m * exact[1]) * worth[k // m] for m in divisors)
        worth[k] = max(0, 1 - worth_there)
    weights = np.array(usual_weights(modulus, width)) / 2**32
    np.testing.assert_allclose(weights, worth[1:] / places[1:], atol=1e-8)


def test_moments_of_ranges_are_those_of_scores():
    """Squares and cubes, of those who hold a value of a range and of others: report by
    report.
    """
    check_moments_of_ranges(of_values(6, 1.5), arc_moments)


def test_sums_over_arcs_are_those_of_the_values_that_they_support():
    """Under every frequency, of every arc."""
    arcs = of_values(6, 1.5)
    circle, query = circle_of(arcs), np.array([[0.5, -1, 2, 0, 3, 1]])
    of_query = scores(circle, query)
    for cohort in range(arcs.layout.cohorts):
        support = [
            [arcs.supports(value, cohort + 1, start) for value in range(6)]
            for start in range(arcs.modulus)
        ]
        exact = np.array(support) @ of_query.alpha[:, 0]
        np.testing.assert_allclose(
            windows_under(circle, of_query, cohort), exact, atol=1e-12
        )


def test_the_explanation_has_the_greatest_error_of_a_share():
    """Of those below a number, beside what the bound allows."""
    asked = question("arcs", 'type = "integer"\nlow = 0\nhigh = 63\nepsilon = 1')
    arcs, queries = asked.randomizer, prefixes(64, most=64)
    square = (
        powers_by_value(circle_of(arcs), scores(circle_of(arcs), queries))[0] - queries
    )
    error, efficiency = explain(asked)[:2]
    assert f"at most {math.sqrt(square.max()):.3g} / sqrt(respondents)" in error
    share = least_variance(64, float(arcs.ratio)) / square.mean()
    assert float(efficiency.split()[1]) == pytest.approx(share, rel=0.02)


def test_scores_are_those_of_the_law():
    """Of random queries: unbiased, with the squares, cubes and ends of every report,
    one by one.
    """
    arcs = of_values(6, 1.5)
    circle, generator = circle_of(arcs), np.random.default_rng(6)
    queries = generator.normal(size=(4, 6))
    law = np.array(arcs.channel().rows, dtype=float)
    of_queries = scores(circle, queries)
    # (reports, queries), from which values each report supports.
    support = np.array(
        [
            [arcs.supports(value, cohort + 1, start) for value in range(6)]
            for cohort in range(arcs.layout.cohorts)
            for start in range(arcs.modulus)
        ]
    )
    worth = of_queries.constant + circle.scale * support @ of_queries.alpha
    np.testing.assert_allclose(law @ worth, queries.T, atol=1e-9)
    square, cube = powers_by_value(circle, of_queries, powers=(2, 3))
    np.testing.assert_allclose(law @ worth**2, square.T)
    np.testing.assert_allclose(law @ worth**3, cube.T)
    least, most = extremes(circle, of_queries)
    np.testing.assert_allclose((least, most), (worth.min(axis=0), worth.max(axis=0)))
    counts = generator.integers(0, 50, (arcs.layout.cohorts, arcs.modulus))
    mean = (counts.ravel() @ worth**2) / counts.sum()
    np.testing.assert_allclose(mean_squares(circle, of_queries, counts), mean)
    np.testing.assert_allclose(
        queries @ frequencies(circle, counts), counts.ravel() @ worth / counts.sum()
    )
    np.testing.assert_allclose(supports(arcs, counts), counts.ravel() @ support)
    evenly = np.repeat(circle.law, arcs.modulus) / arcs.modulus
    spread = _correlation(worth, evenly)
    np.testing.assert_allclose(correlation(queries, of_queries), spread, atol=1e-9)
    root = error_root(circle, queries)
    np.testing.assert_allclose(root @ root.T, spread, atol=1e-9)


@pytest.mark.parametrize("width", [1, 3, 6, 10])
def test_pairs_are_counted(width):
    """By frequency, arc and pair of values, one by one: of narrow arcs, and of most of
    a circle.

    With them, products of the scores of two queries have the mean that reports give
    them.
    """
    arcs = Arcs(7, 11, width, truth=3, other=1)
    circle, generator = circle_of(arcs), np.random.default_rng(width)
    counts = generator.integers(0, 50, (arcs.layout.cohorts, 11))
    counts[2] = 0
    support = np.array(
        [
            [arcs.supports(value, cohort + 1, start) for value in range(7)]
            for cohort in range(arcs.layout.cohorts)
            for start in range(11)
        ]
    )
    pairs = supported_pairs(arcs, counts)
    np.testing.assert_array_equal(pairs, support.T @ (counts.reshape(-1, 1) * support))
    np.testing.assert_array_equal(supported_pairs(arcs, counts << 30), pairs * 2**30)
    of_queries = scores(circle, generator.normal(size=(3, 7)))
    worth = of_queries.constant + circle.scale * support @ of_queries.alpha
    products = worth.T @ (counts.reshape(-1, 1) * worth) / counts.sum()
    reports = int(counts.sum())
    np.testing.assert_allclose(
        mean_products(circle, of_queries, pairs, reports=reports), products
    )
    squares = mean_squares_by_pairs(circle, of_queries, pairs, reports=reports)
    np.testing.assert_allclose(squares, np.diag(products))


def test_the_band_is_that_of_its_correlation():
    """Drawn from a root of the circle's own, or of the correlation: 3.58 of 24,000
    draws.
    """
    circle = circle_of(of_values(256, 1))
    queries = prefixes(256, most=255)
    together = correlation(queries, scores(circle, queries))
    factor = multiplier(error_root(circle, queries), 0.95)
    assert factor == pytest.approx(multiplier(root_of(together), 0.95), abs=0.05)
    assert factor == pytest.approx(3.58, abs=0.05)


def _correlation(worth, law):
    centred = worth - law @ worth
    covariance = centred.T @ (law[:, None] * centred)
    return covariance / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))


def test_many_queries_are_as_few():
    """In seven digits: what is summed in single precision, side by side, and one by
    one.
    """
    arcs = of_values(300, 2)
    circle = circle_of(arcs)
    counts = sample_counts(
        question("arcs", 'type = "integer"\nlow = 0\nhigh = 299\nepsilon = 2'),
        Holders((), apportion(10_000, np.arange(1.0, 301))),
        np.random.default_rng(7),
    )
    queries = prefixes(300, most=300)
    together = mean_squares(circle, scores(circle, queries), counts)
    alone = [
        mean_squares(circle, scores(circle, queries[[at]]), counts)[0]
        for at in (0, 150, 298)
    ]
    np.testing.assert_allclose(together[[0, 150, 298]], alone, rtol=1e-5)
    pairs = supported_pairs(arcs, counts)
    products = mean_products(circle, scores(circle, queries), pairs, reports=10_000)
    np.testing.assert_allclose(np.diag(products), together, rtol=1e-5)


def test_stated_integers():
    """A survey may say its own circle, arcs and weights; what cannot be is told."""
    base = 'type = "integer"\nlow = 0\nhigh = 4\nepsilon = 2\n'
    arcs = question(
        "arcs", f"{base}modulus = 11\nwidth = 4\nweights = [5, 0, 1]"
    ).randomizer
    assert (arcs.modulus, arcs.width, arcs.weights) == (11, 4, (5, 0, 1))
    assert arcs.layout.cohorts == 3
    least = question("arcs", f"{base}modulus = 7\nwidth = 1\nweights = [1]").randomizer
    assert (least.modulus, least.width, least.weights) == (7, 1, (1,))
    for keys, expected in (
        ("modulus = 9", "a prime number above the number of values"),
        ("modulus = 5", "from 6 to 8192"),
        ("width = 7", "from 1 to 6"),
        ("width = 0", "from 1 to 6"),
        ("weights = []", "a list of 1 to 3 numbers"),
        ("weights = [0, 1]", "the first above 0"),
        ("weights = [1, -1]", "whole numbers from 0"),
        ('weights = ["1/2"]', "whole numbers from 0"),
        ('weights = [1, "1/2"]', "whole numbers from 0"),
        ("weights = [1, 1, 1, 1]", "a list of 1 to 3 numbers"),
    ):
        with pytest.raises(SurveyError, match=expected):
            question("arcs", base + keys)


def test_what_can_be_asked():
    """Numbers in their order: not categories, not two values, and no more than
    4,096.
    """
    for keys in (
        'type = "category"\nvalues = ["a", "b", "c"]',
        'type = "integer"\nlow = 0\nhigh = 1',
        'type = "integer"\nlow = 0\nhigh = 4096',
        'type = "number"\nlow = 0\nhigh = 1',
    ):
        with pytest.raises(SurveyError, match="3 to 4096 values or cells"):
            question("arcs", f"{keys}\nepsilon = 1")


def test_the_ratio_is_just_below_what_was_declared():
    """For every epsilon the odds are those of any mechanism: no more than e^epsilon."""
    for epsilon in ("0.1", "1", "7/2", "8"):
        ratio = of_values(20, f'"{epsilon}"').ratio
        assert exp_lower(Fraction(epsilon)) * (1 - Fraction(1, 2**30)) < ratio
        assert ratio <= exp_lower(Fraction(epsilon))


def test_health_knows_the_law_of_frequencies():
    """Reports by the law pass; a device whose frequencies are all alike is found out.

    20,000 reports of 30 values, seed 8: p-values above 1e-3, and below 1e-9.
    """
    asked = question("arcs", 'type = "integer"\nlow = 0\nhigh = 29\nepsilon = 1')
    arcs = asked.randomizer
    generator = np.random.default_rng(8)
    held = Holders((), apportion(20_000, np.ones(30)))
    honest = {
        check.name: check
        for check in health(asked, sample_counts(asked, held, generator))
    }
    assert min(check.p_value for check in honest.values()) > 1e-3
    flat = arcs._replace(weights=(1,) * arcs.layout.cohorts)
    drawn = expected_counts(flat, (), np.full(30, 1 / 30)) // (10**12 // 20_000)
    broken = {check.name: check for check in health(asked, drawn)}
    assert broken["cohorts"].p_value < 1e-9
    # What has no weight is never drawn.
    never = int(np.flatnonzero(circle_of(arcs).law == 0)[0]) if 0 in arcs.law else None
    if never is not None:
        stray = sample_counts(asked, held, generator)
        stray[never, 0] += 1
        assert {c.name: c for c in health(asked, stray)}["cohorts"].p_value == 0
