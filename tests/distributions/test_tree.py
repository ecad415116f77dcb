"""Halves of halves: their integers, exact targets, pooling, and errors that are the
law's.
"""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from range_moments import SHARES, check_moments_of_ranges
from specimens import question

import ldp
from ldp.errors import EstimateError, SurveyError
from ldp.mechanisms.numbers.tree import (
    cells_of,
    difference_variance,
    step_between,
    usual_response,
)
from ldp.mechanisms.values.numbered_subsets import members, members_of_all, number_of
from ldp.numbers.exact import exp_lower, odds
from ldp_aggregator.analyses.health_checks.report_checks import health
from ldp_aggregator.answers.distributions.distribution import distribution_of
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.arcs.bound import prefixes
from ldp_aggregator.decoders.trees.halves import pool_levels, worth_of
from ldp_aggregator.decoders.trees.levels import views_of
from ldp_aggregator.decoders.trees.paths import largest_error, path_squares
from ldp_aggregator.decoders.trees.squares import (
    even_squares,
    extremes,
    mean_squares,
    powers_by_value,
)
from ldp_aggregator.decoders.trees.tree import (
    queries_of,
    query_range,
    score_range,
    tree_moments,
)
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import expected_counts, sample_counts


def of_values(size, epsilon):
    """The usual response for n values."""
    return usual_response(size, *odds(Fraction(epsilon)))


def limit(epsilon):
    """What errors are counted in: 4R / (R - 1)^2."""
    ratio = math.exp(float(epsilon))
    return 4 * ratio / (ratio - 1) ** 2


def by_level(response, shares):
    """The shares of the cells of every level."""
    depth, values = len(response.law), np.arange(response.size)
    return [
        np.bincount(values >> (depth - level), shares) for level in range(1, depth + 1)
    ]


def below(size, places):
    """1 for the values below each of some places."""
    return np.asarray(np.arange(size) < np.asarray(places)[:, None], dtype=float)


def skewed(size):
    """Shares with most people at the first value, a second spike, and a tail."""
    shares = 0.5 ** (8 * np.arange(size) / size)
    shares /= shares.sum()
    shares *= 0.4
    shares[0] += 0.5
    shares[size // 3] += 0.1
    return shares


@pytest.mark.parametrize(
    ("size", "epsilon", "mean", "most"),
    [
        (64, 1, 4.91, 7.4),
        (256, "0.5", 9.19, 13.6),
        (256, 1, 9.14, 13.4),
        (256, 2, 9.09, 13.3),
        (1024, 1, 14.7, 21.3),
    ],
)
def test_errors_of_all_ranges(size, epsilon, mean, most):
    """Within 2 % of subset selection in every level, with the best weights; exactly,
    all ranges.

    Equal weights for all levels are 20 % worse or more.
    """
    response = of_values(size, epsilon)
    for law, worse in ((response.law, 1), ((1,) * len(response.law), 1.2)):
        views = views_of(response._replace(law=law))
        alphas = worth_of(views.halves, below(size, range(size + 1))).levels
        # n Cov of all cumulative shares if answers are spread evenly, (places, places).
        covariance = sum(
            alpha @ alpha.T / precision
            for alpha, precision in zip(alphas, views.precision, strict=True)
            if precision
        )
        of_one = np.diag(covariance)
        first, last = np.triu_indices(size + 1, 1)
        share = (last - first) / size
        ranges = of_one[first] + of_one[last] - 2 * covariance[first, last]
        in_units = (ranges - share * (1 - share)) / limit(epsilon)
        if worse == 1:
            assert in_units.mean() == pytest.approx(mean, rel=0.02)
            assert in_units.max() == pytest.approx(most, rel=0.02)
        else:
            assert in_units.mean() > worse * mean


def test_the_law():
    """A quarter to a third for the values, little for the top; whole numbers up to
    2^16.
    """
    law = of_values(256, 1).law
    shares = np.array(law) / 2**16
    best = [0.004, 0.081, 0.100, 0.117, 0.125, 0.126, 0.119, 0.328]
    np.testing.assert_allclose(shares, best, atol=0.005)
    assert 2**16 - len(law) <= sum(law) <= 2**16
    # With a large epsilon the upper levels are direct_sums by the lower ones.
    assert of_values(256, 4).law[:2] == (0, 0)
    assert of_values(3, 1).law == (0, 2**16)


def test_cells_and_steps():
    """Halves of 2^L places, of which the first n are values; steps that reach every
    point.
    """
    assert cells_of(3) == (2, 3)
    assert cells_of(4) == (2, 4)
    assert cells_of(5) == (2, 3, 5)
    assert cells_of(100) == (2, 4, 7, 13, 25, 50, 100)
    assert (step_between(7), step_between(21), step_between(87_381)) == (4, 13, 54_004)
    for points in (7, 13, 21, 87_381, 299_593):
        assert math.gcd(step_between(points), points) == 1


@pytest.mark.parametrize(("size", "chosen"), [(5, 1), (5, 2), (6, 3), (4, 3)])
def test_sets_have_numbers(size, chosen):
    """From 0 on, one after the other, in the order of their last members."""
    sets = members_of_all(size, chosen)
    assert sorted(sets) == sorted(combinations(range(size), chosen))
    assert [number_of(set_) for set_ in sets] == list(range(len(sets)))
    assert [tuple(members(number, chosen)[::-1]) for number in range(len(sets))] == sets


@pytest.mark.parametrize("size", [3, 8, 13, 64])
@pytest.mark.parametrize("epsilon", ["0.5", 4])
def test_pooling_is_least_squares(size, epsilon):
    """The two passes, and what they make of queries, are dense weighted least
    squares.
    """
    response = of_values(size, epsilon)
    views = views_of(response)
    generator = np.random.default_rng(2)
    direct = [generator.normal(size=cells) for cells in response.cells]
    rows, weights = [], []
    for level in views.levels:
        cell = np.arange(size) >> (len(response.law) - level.number - 1)
        rows.append(np.asarray(cell == np.arange(level.cells)[:, None], dtype=float))
        weights.append(np.full(level.cells, views.precision[level.number]))
    direct_sums = np.concatenate([direct[level.number] for level in views.levels])
    design, weight = np.concatenate(rows), np.concatenate(weights)
    # Normal equations under the condition that all values add up to 1.
    table = np.ones((size + 1, size + 1))
    table[:size, :size], table[size, size] = design.T @ (weight[:, None] * design), 0
    solved = np.linalg.solve(table, np.append(design.T @ (weight * direct_sums), 1))[
        :size
    ]
    np.testing.assert_allclose(
        pool_levels(views.halves, direct)[-1], solved, atol=1e-10
    )
    queries = generator.normal(size=(5, size))
    worth = worth_of(views.halves, queries)
    answers = worth.constant + sum(
        alpha @ own for alpha, own in zip(worth.levels, direct, strict=True)
    )
    np.testing.assert_allclose(answers, queries @ solved, atol=1e-9)


def test_pooling_is_a_mean_in_the_haar_basis():
    """With full levels, what is left of a middle less what is right is a mean over the
    levels.
    """
    response = of_values(64, 1)
    views = views_of(response)
    generator = np.random.default_rng(3)
    direct = [generator.normal(size=cells) for cells in response.cells]
    values = pool_levels(views.halves, direct)[-1]
    depth = len(response.law)
    for upper in range(depth):
        pairs = values.reshape(1 << upper, 2, -1).sum(axis=2)
        direct_sums = [
            direct[level].reshape(1 << upper, 2, -1).sum(axis=2)
            for level in range(upper, depth)
        ]
        weights = [
            views.precision[level] * 2.0 ** (upper - level)
            for level in range(upper, depth)
        ]
        means = sum(
            weight * sums for weight, sums in zip(weights, direct_sums, strict=True)
        )
        means = means / sum(weights)
        np.testing.assert_allclose(
            pairs[:, 0] - pairs[:, 1], means[:, 0] - means[:, 1], atol=1e-9
        )


@pytest.mark.parametrize("size", [5, 50, 300])
@pytest.mark.parametrize("epsilon", ["0.5", 2, 4])
def test_scores_are_unbiased(size, epsilon):
    """Given any value, the mean of a score is what is asked for of that value,
    exactly.
    """
    views = views_of(of_values(size, epsilon))
    queries = np.concatenate(
        [below(size, [1, size // 2, size - 1]), np.arange(size)[None] - 2.0]
    )
    mean = powers_by_value(views, queries, powers=(1,))[0]
    np.testing.assert_allclose(mean, queries, atol=1e-8 * size)


@pytest.mark.parametrize("epsilon", ["0.5", 1, 2, 4])
def test_errors_in_one_pass_are_those_of_scores(epsilon):
    """Standard errors of 5,000 cumulative shares and of values: within 1.5 % of the
    exact ones.

    Where half of all people hold the first value. If points next to each other stood
    for neighbours, those at epsilon 4 would be 12 % too small.
    """
    size = 5000
    response = of_values(size, epsilon)
    views = views_of(response)
    shares = skewed(size)
    of_cells = by_level(response, shares)
    for is_cumulative in (True, False):
        places = np.array([1, 2, 700, 1667, 2500, 4096, 4999])
        queries = below(size, places)
        if not is_cumulative:
            queries = np.asarray(np.arange(size) == places[:, None], dtype=float)
        exact = powers_by_value(views, queries)[0] @ shares - queries @ shares
        nearly = path_squares(views, of_cells, is_cumulative)
        np.testing.assert_allclose(
            nearly[places], even_squares(views, queries, of_cells)
        )
        ratio = np.sqrt((nearly[places] - queries @ shares) / exact)
        np.testing.assert_allclose(ratio, 1, atol=0.015)
    if epsilon == 4:
        side_by_side = [(order, number, 1) for order, number, _ in response.spaces]
        views = views_of(response._replace(spaces=tuple(side_by_side)))
        queries = below(size, places)
        exact = powers_by_value(views, queries)[0] @ shares - queries @ shares
        nearly = (
            path_squares(views, of_cells, cumulative=True)[places] - queries @ shares
        )
        assert np.sqrt(nearly / exact).min() < 0.95


def test_moments_of_ranges_are_those_of_scores():
    """Squares and cubes, of those who hold a value of a range and of others: report by
    report.
    """
    response = of_values(6, 1.5)
    law, counts, alone = check_moments_of_ranges(response, tree_moments)
    weights = np.arange(6.0)[None]
    answer = queries_of(response, counts).answer(weights)
    assert answer.mean_square == pytest.approx(weights**2 @ SHARES)
    worths = np.stack(
        [queries_of(response, one).answer(weights).estimate[0] for one in alone]
    )
    exact = (SHARES @ law @ worths**2 - answer.mean_square[0]) / counts.sum()
    assert answer.variance[0] == pytest.approx(exact, rel=1e-6)


def test_errors_of_sets_are_exact_in_one_pass():
    """Where all levels have numbered sets, and of any number of values: to all
    digits.
    """
    for size, epsilon in ((5, 1), (6, "0.5"), (13, 2), (30, 8)):
        response = of_values(size, epsilon)
        assert not any(order for order, _, _ in response.spaces)
        shares = skewed(size)
        queries = below(size, range(1, size))
        exact = powers_by_value(views_of(response), queries)[0] @ shares
        nearly = path_squares(
            views_of(response), by_level(response, shares), cumulative=True
        )
        np.testing.assert_allclose(nearly[1:], exact, rtol=1e-9)


def test_what_reports_say_is_the_law():
    """Mean squares over the tally that is to be expected are those of the law, for any
    query.
    """
    response = of_values(300, 1)
    views = views_of(response)
    shares = skewed(300)
    counts = expected_counts(response, (), shares)
    queries = below(300, [1, 77, 150, 299])
    from_reports = mean_squares(views, queries, counts)
    np.testing.assert_allclose(
        from_reports, powers_by_value(views, queries)[0] @ shares, rtol=1e-6
    )
    np.testing.assert_allclose(views.frequencies(counts)[-1], shares, atol=1e-9)
    least, most = extremes(views, queries)
    ends = query_range(response, queries)
    assert (float(ends.least), float(ends.most)) == (least.min(), most.max())


def test_no_report_reaches_further():
    """Every report by itself moves an answer by no more than the range of scores
    says.
    """
    response = of_values(20, 1)
    queries = below(20, [1, 8, 10])
    least, most = extremes(views_of(response), queries)
    answers = []
    for level in range(len(response.law)):
        for symbol in range(0, response.layout.symbols, 7):
            counts = np.zeros(
                (len(response.law), response.layout.symbols), dtype=np.int64
            )
            counts[level, symbol] = 1
            answers.append(queries_of(response, counts).answer(queries).estimate)
    assert (np.array(answers) >= least - 1e-9).all()
    assert (np.array(answers) <= most + 1e-9).all()


@pytest.mark.parametrize("size", [40, 600])
@pytest.mark.parametrize("epsilon", ["0.5", 4])
def test_how_often_intervals_hold(size, epsilon):
    """Errors of cumulative shares, over the stated ones, squared: 1 on average; 200
    surveys.

    Of 20,000 respondents each, seed 4. The mean of z^2 over surveys and nine places is
    within 5 sqrt(2/200) of 1, which variances of three fifths of the right ones are
    not. Of 600 values three levels have points, as of more; errors of 5,000 are worked
    out exactly above.
    """
    asked = question(
        "tree", f'type = "integer"\nlow = 0\nhigh = {size - 1}\nepsilon = {epsilon}'
    )
    shares = skewed(size)
    held = Holders((), apportion(20_000, shares))
    true = held.counts / held.counts.sum()
    generator = np.random.default_rng(4)
    places = np.linspace(1, size - 1, 9).astype(np.int64)
    squares = []
    for _ in range(200):
        counts = sample_counts(asked, held, generator)
        answers = queries_of(asked.randomizer, counts).below(places)
        error = answers.estimate - np.cumsum(true)[places - 1]
        squares.append(error**2 / answers.variance)
    assert np.mean(squares) == pytest.approx(1, abs=5 * math.sqrt(2 / 200))


def test_all_results_of_a_distribution():
    """Ranges, quantiles, the curve in its band, a mode and a mean, of 10,000 values.

    200,000 respondents at epsilon 2, seed 5; the truth lies within five standard
    errors, and the band holds all of it.
    """
    size = 10_000
    asked = ldp.survey(
        "s",
        ldp.question("x", low=0, high=size - 1, step=1, goal="distribution", epsilon=2),
    )["x"]
    assert asked.mechanism == "tree"
    held = Holders((), apportion(200_000, skewed(size)))
    true = held.counts / held.counts.sum()
    counts = sample_counts(asked, held, np.random.default_rng(5))
    known = distribution_of(asked, counts, Options())
    share = known.between(1000, 3000)
    assert abs(share.frequency - true[1000:3000].sum()) < 5 * share.standard_error
    cdf = known.cdf()
    assert len(cdf.share) == size - 1
    rising = np.cumsum(true)[:-1]
    assert ((cdf.band_low <= rising) & (rising <= cdf.band_high + 1e-9)).all()
    assert np.mean((cdf.low <= rising) & (rising <= cdf.high + 1e-9)) > 0.7
    median = known.quantile(0.7)
    assert median.low <= np.searchsorted(np.cumsum(true), 0.7) <= median.high
    assert known.mode().cell.range == "0 to 999"
    assert sum(cell.frequency for cell in known.histogram()) == pytest.approx(1)
    assert len(known.monotone(known.line.histogram())) == 10


def test_the_band_is_that_of_its_correlation():
    """Drawn from the top down, errors are those that the correlation of all places
    has.
    """
    response = of_values(100, 1)
    views = views_of(response)
    queries = queries_of(response, expected_counts(response, (), np.full(100, 0.01)))
    correlation = queries.correlation(below(100, range(1, 100)))
    root = np.linalg.cholesky(correlation + 1e-9 * np.eye(99))
    drawn = np.random.default_rng(1).standard_normal((20_000, 99)) @ root.T
    factor = np.quantile(np.abs(drawn).max(axis=1), 0.95)
    assert largest_error(views, 0.95) == pytest.approx(factor, rel=0.02)


@pytest.mark.parametrize(("size", "epsilon"), [(64, 8), (100, 6), (16, 4)])
def test_the_band_is_between_one_share_and_all_by_themselves(size, epsilon):
    """Wider than a single share's 95 %, narrower than Bonferroni's, also where errors
    are small.
    """
    from scipy.stats import norm

    all_by_themselves = norm.isf(0.025 / (size - 1))
    assert 1.3 * norm.isf(0.025) < largest_error(
        views_of(of_values(size, epsilon)), 0.95
    )
    assert largest_error(views_of(of_values(size, epsilon)), 0.95) < all_by_themselves


def test_single_values():
    """Of many values at once the variance is that of each by itself, within 2 %."""
    size = 300
    response = of_values(size, 1)
    shares = skewed(size)
    counts = expected_counts(response, (), shares)
    together = tree_moments(response, counts)
    places = np.array([0, 1, 100, 299])
    by_itself = tree_moments(
        response, counts, np.asarray(np.arange(size) == places[:, None], dtype=float)
    )
    np.testing.assert_allclose(
        together.frequency[places], by_itself.frequency, atol=1e-9
    )
    mixed = shares[places] * by_itself.variance_if_held
    mixed += (1 - shares[places]) * by_itself.variance_if_not
    np.testing.assert_allclose(together.variance_if_held[places], mixed, rtol=0.04)


def test_what_can_be_asked():
    """Numbers in their order, up to 65,536 of them; `auto` takes arcs up to 4,096."""
    for keys in (
        'type = "category"\nvalues = ["a", "b", "c"]',
        'type = "integer"\nlow = 0\nhigh = 1',
        'type = "number"\nlow = 0\nhigh = 70000\nstep = 1',
    ):
        with pytest.raises(SurveyError, match="3 to 65536 values or cells"):
            question("tree", f"{keys}\nepsilon = 1")
    with pytest.raises(SurveyError, match=r"3 to 65536 values or cells.* for tree"):
        ldp.survey(
            "s",
            ldp.question("x", low=0, high=1e6, step=1, goal="distribution", epsilon=1),
        )
    for high, mechanism in ((4095, "arcs"), (4096, "tree"), (65_535, "tree")):
        asked = ldp.question(
            "x", low=0, high=high, step=1, goal="distribution", epsilon=1
        )
        assert ldp.survey("s", asked)["x"].mechanism == mechanism


def test_values_are_not_shown_by_the_thousand():
    """Frequencies of 10,000 values one by one are refused, with what to ask for in
    their place.
    """
    asked = question("tree", 'type = "integer"\nlow = 0\nhigh = 9999\nepsilon = 1')
    counts = sample_counts(
        asked, Holders((), apportion(1000, np.ones(10_000))), np.random.default_rng(1)
    )
    with pytest.raises(
        EstimateError, match=r"at most 8,192 values .* got 10,000; .* edges"
    ):
        estimate_question(asked, counts, Options(frequencies=True))


def test_stated_weights():
    """Whole numbers, one for each level, and some for the values."""
    keys = 'type = "integer"\nlow = 0\nhigh = 9\nepsilon = 1\n'
    assert question("tree", f"{keys}weights = [0, 1, 2, 3]").randomizer.law == (
        0,
        1,
        2,
        3,
    )
    for weights in ("[1, 2, 3]", "[1, 2, 3, 0]", "[1, -1, 1, 1]", '[1, 1, 1, "0.5"]'):
        with pytest.raises(SurveyError, match="weights"):
            question("tree", f"{keys}weights = {weights}")


def test_the_ratio_is_just_below_what_was_declared():
    """For every epsilon the odds are those of any mechanism: no more than e^epsilon."""
    for epsilon in ("0.1", "1", "7/2", "8"):
        ratio = of_values(5000, epsilon).ratio
        assert exp_lower(Fraction(epsilon)) * (1 - Fraction(1, 2**30)) < ratio
        assert ratio <= exp_lower(Fraction(epsilon))


def test_differences_are_those_of_the_channel():
    """V is half the variance of a difference of two cells under the law of numbered
    sets.
    """
    for oracle in of_values(13, 2).oracles:
        rows = oracle.channel().rows
        p, q = oracle.support
        even = [sum(column) / oracle.size for column in zip(*rows, strict=True)]
        sets = members_of_all(oracle.size, oracle.chosen)
        votes = (((0 in set_) - (1 in set_)) ** 2 for set_ in sets)
        square = sum(mass * vote for mass, vote in zip(even, votes, strict=True))
        assert difference_variance(oracle, oracle.size) == square / 2 / (p - q) ** 2


def test_health_knows_the_law_of_levels():
    """Reports by the law pass; a device whose levels are all alike is found out.

    20,000 reports of 5,000 values, seed 8: p-values above 1e-3, and below 1e-9.
    """
    asked = question("tree", 'type = "integer"\nlow = 0\nhigh = 4999\nepsilon = 1')
    response = asked.randomizer
    held = Holders((), apportion(20_000, np.ones(5000)))
    generator = np.random.default_rng(8)
    honest = {
        check.name: check
        for check in health(asked, sample_counts(asked, held, generator))
    }
    assert min(check.p_value for check in honest.values()) > 1e-3
    flat = response._replace(law=(1,) * len(response.law))
    drawn = expected_counts(flat, (), np.full(5000, 1 / 5000)) // (10**12 // 20_000)
    broken = health(asked, drawn)
    assert {check.name: check for check in broken}["cohorts"].p_value < 1e-9


def test_the_worst_cumulative_share():
    """Of 65,536 values at epsilon 1 it is known to 10.5 / sqrt(n) or so, whatever
    people hold.
    """
    response = of_values(65_536, 1)
    even = by_level(response, np.full(65_536, 1 / 65_536))
    places = prefixes(65_536, most=64).sum(axis=1).astype(np.int64)
    square = path_squares(views_of(response), even, cumulative=True)[places]
    assert math.sqrt((square - places / 65_536).max()) == pytest.approx(10.5, abs=0.1)


@pytest.mark.parametrize(
    ("size", "epsilon"), [(300, 4), (700, 1), (5000, 1), (8192, 4)]
)
def test_no_value_has_scores_beyond_the_range(size, epsilon):
    """Of 64 values that are drawn: the range is a bound, and near to what is reached
    above.
    """
    response = of_values(size, epsilon)
    places = np.random.default_rng(1).choice(size, 64, replace=False)
    queries = (np.arange(size) == places[:, None]).astype(float)
    least, most = extremes(views_of(response), queries)
    low, high = map(float, score_range(response))
    assert low <= least.min()
    assert most.max() <= high < 1.02 * most.max()
