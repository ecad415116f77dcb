"""Projective-geometry response: points, cyclic designs, decoding, and the choice of a
space.
"""

from fractions import Fraction

import numpy as np
import pytest
from written_out import projective_points

from ldp import EstimateError
from ldp.mechanisms.auto import total_error
from ldp.mechanisms.values.optimum import efficiency
from ldp.mechanisms.values.projective import (
    MOST_POINTS,
    ProjectiveResponse,
    geometry,
    index,
    least_error_response,
    vector,
)
from ldp.numbers.exact import odds
from ldp.numbers.finite_field import inner_product, is_order, multiple
from ldp.numbers.layout import MOST_SYMBOLS
from ldp_aggregator.decoders.moments.supports import support_counts, walsh_hadamard
from ldp_aggregator.numerics.projective.cyclic_design import (
    CyclicDesign,
    as_integers,
    cyclic_design,
)
from ldp_aggregator.numerics.projective.cyclic_order import cyclic_orders
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_simulations.sampling.values.projective import projective_counts

SPACES = (
    (2, 3),
    (2, 6),
    (3, 3),
    (3, 5),
    (4, 3),
    (4, 4),
    (5, 3),
    (7, 3),
    (8, 3),
    (13, 3),
    (16, 3),
)


def test_the_transform_of_each_row():
    """Products with the matrix of Sylvester, for as many rows as there are."""
    from scipy.linalg import hadamard

    rows = np.arange(24).reshape(3, 8) ** 2
    np.testing.assert_array_equal(walsh_hadamard(rows), rows @ hadamard(8))
    np.testing.assert_array_equal(walsh_hadamard(rows[0, :2]), [1, -1])


@pytest.mark.parametrize(("order", "dimension"), SPACES)
def test_points_are_numbered_in_lexicographic_order(order, dimension):
    """Indices and vectors correspond, and every multiple of a vector lies on the same
    point.
    """
    points = projective_points(order, dimension)
    assert len(points) == geometry(order, dimension).points
    for number, coordinates in enumerate(points):
        as_number = sum(
            x * order**place for place, x in enumerate(reversed(coordinates))
        )
        assert vector(number, order) == as_number
        assert {
            index(multiple(as_number, factor, order), order)
            for factor in range(1, order)
        } == {number}


def incidence(order, dimension):
    """Which point is orthogonal to which, one pair after the other."""
    vectors = [
        vector(point, order) for point in range(geometry(order, dimension).points)
    ]
    return np.array(
        [[inner_product(x, y, order) == 0 for y in vectors] for x in vectors]
    )


@pytest.mark.parametrize(("order", "dimension"), SPACES)
def test_decoding_is_counting(order, dimension):
    """The support counts are those of each report for each value that it supports,
    exactly.
    """
    orthogonal = incidence(order, dimension)
    generator = np.random.default_rng(order)
    for most in (2, 10**9, 2**62 // len(orthogonal)):
        counts = generator.integers(most, size=len(orthogonal))
        expected = orthogonal @ counts
        for size in (2, len(orthogonal) - 1, len(orthogonal)):
            randomizer = ProjectiveResponse(size, order, dimension, truth=2, other=1)
            assert np.array_equal(
                support_counts(randomizer, counts[None, :]), expected[:size]
            )
        assert np.array_equal(
            cyclic_design(order, dimension).supports(counts, len(counts)), expected
        )


@pytest.mark.parametrize(("order", "dimension"), [(3, 9), (4, 7), (149, 3)])
def test_decoding_of_larger_spaces(order, dimension):
    """The same for some values of spaces with ten thousand points."""
    design, points = cyclic_design(order, dimension), geometry(order, dimension).points
    counts = np.random.default_rng(order).integers(1000, size=points)
    supports = design.supports(counts, points)
    for value in (0, 1, order, points // 2, points - 1):
        x = vector(value, order)
        votes = [
            inner_product(x, vector(report, order), order) == 0
            for report in range(points)
        ]
        assert supports[value] == counts[votes].sum()


def swapped(array, one, other):
    """A copy with two entries exchanged."""
    changed = array.copy()
    changed[[one, other]] = changed[[other, one]]
    return changed


def doubled(array):
    """A copy with one entry twice, and another missing."""
    changed = array.copy()
    changed[0] = changed[1]
    return changed


def refused(design):
    """Whether the check of a design fails."""
    try:
        design.check()
    except ArithmeticError:
        return True
    return False


@pytest.mark.parametrize("space", [(3, 5), (4, 4), (13, 3)])
def test_a_wrong_design_is_refused(space):
    """Exchange two points in either order, double one, or reverse an order, and the
    check fails.
    """
    report_at, place_of = cyclic_orders(*space)
    CyclicDesign(*space, report_at, place_of).check()
    block = geometry(*space).block
    low, high = np.flatnonzero(report_at < block), np.flatnonzero(report_at >= block)
    wrong = {
        "a zero elsewhere": (swapped(report_at, low[0], high[0]), place_of),
        "two zeros exchanged": (swapped(report_at, low[0], low[1]), place_of),
        "two others exchanged": (swapped(report_at, high[0], high[1]), place_of),
        "two values exchanged": (report_at, swapped(place_of, 0, 1)),
        "a report twice": (doubled(report_at), place_of),
        "a value twice": (report_at, doubled(place_of)),
        "backwards": (report_at[::-1].copy(), place_of),
        "shifted": (report_at, (place_of + 1) % len(place_of)),
    }
    for what, orders in wrong.items():
        assert refused(CyclicDesign(*space, *orders)), what
    for what in ("a report twice", "a value twice"):
        with pytest.raises(ArithmeticError, match="expected every point once"):
            CyclicDesign(*space, *wrong[what]).check()


def test_sums_that_are_no_integers_are_refused():
    """Sums next to integers become them; any farther away are an error, and no
    estimate.
    """
    assert as_integers(np.array([2.99, -0.05])).tolist() == [3, 0]
    with pytest.raises(EstimateError, match="next to integers"):
        as_integers(np.array([1.0, 2.2]))


EPSILONS = ("0.05", "0.3", "0.5", "1", "1.04", "2", "3.1", "5", "8")


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_chosen_space_has_the_least_error(epsilon):
    """No space with at most 1,024 points a value is better by more than a
    thousandth.
    """
    truth, other = odds(Fraction(epsilon))
    for size in (2, 20, 300, 1024):
        chosen = least_error_response(size, truth, other)
        errors = []
        for order in filter(is_order, range(2, 1025)):
            dimension = 3
            while geometry(order, dimension).points < size:
                dimension += 1
            if geometry(order, dimension).points <= 1024 * size:
                errors.append(
                    total_error(
                        ProjectiveResponse(
                            size, order, dimension, truth=truth, other=other
                        )
                    )
                )
        assert total_error(chosen) <= Fraction(1001, 1000) * min(errors)
        assert size <= chosen.layout.symbols <= 1024 * size


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_efficiency(epsilon):
    """At least 0.965 beyond 80 (e^epsilon + 1) values, to a million; 0.95 beyond 20."""
    truth, other = odds(Fraction(epsilon))
    for least, times in ((Fraction("0.95"), 20), (Fraction("0.965"), 80)):
        size = times * (truth // other + 2)
        while size <= 10**6:
            assert efficiency(least_error_response(size, truth, other)) >= least
            size = size * 8 // 5


def test_every_domain_has_a_space():
    """Up to the largest domain, tallies stay below the largest one and reports in four
    bytes.
    """
    for size in (2, 3, 1000, 10**6, MOST_SYMBOLS):
        for epsilon in ("0.0001", "1", "5", "13", "40"):
            layout = least_error_response(size, *odds(Fraction(epsilon))).layout
            assert size <= layout.symbols
            assert empty_counts(layout).size <= MOST_POINTS
            assert layout.width <= 4


def test_the_largest_space_that_is_not_folded():
    """Of 2^24 points, next to which there is a plane where many values have a large
    epsilon.
    """
    for size in (17_000, 30_000):
        space = least_error_response(size, *odds(Fraction(10)))
        assert (space.order, space.dimension, space.folded) == (4091, 3, False)
        assert 2**24 - 2**16 < space.layout.symbols <= 2**24


def test_a_space_is_folded_into_sixteen_slices_at_most():
    """Where more would be better for three million values."""
    space = least_error_response(3_000_000, *odds(Fraction(6)))
    assert (space.order, space.dimension, space.layout.folding.slices) == (433, 4, 16)


@pytest.mark.parametrize(
    ("size", "order", "folded"), [(284_439, 541, False), (322_216, 383, True)]
)
def test_folding_is_worth_a_fiftieth_of_the_error(size, order, folded):
    """Little less than that is gained for so many values, and little more for some
    more.
    """
    space = least_error_response(size, *odds(Fraction(6)))
    assert (space.order, space.folded) == (order, folded)


def test_few_holders_are_sampled_from_the_law():
    """Where each marked report is drawn, as few have one, the mean tally is the
    channel's.

    2,000 tallies of 60 reports; the mean of each of 40 cells at 6 standard errors, so a
    false alarm has probability below 1e-7, and a cell's probability that is off by a
    sixth is seen.
    """
    randomizer = ProjectiveResponse(6, 3, 4, truth=3, other=1)
    holders = np.array([20, 0, 9, 30, 0, 1])
    generator = np.random.default_rng(17)
    tallies = np.concatenate(
        [projective_counts(randomizer, holders, generator) for _ in range(2000)]
    )
    assert (tallies.sum(axis=1) == 60).all()
    expected = holders @ np.array(randomizer.channel().rows, dtype=float)
    scores = (
        (tallies.mean(axis=0) - expected) / tallies.std(axis=0) * np.sqrt(len(tallies))
    )
    assert np.abs(scores).max() < 6


def test_a_simulation_too_large_is_refused(monkeypatch):
    """Beyond the limit there is an error at once, and no endless wait."""
    monkeypatch.setattr("ldp_simulations.sampling.values.projective.MOST_DRAWS", 10)
    with pytest.raises(EstimateError, match="at most 10 draws"):
        projective_counts(
            ProjectiveResponse(6, 3, 4, truth=3, other=1),
            np.full(6, 10**6),
            np.random.default_rng(0),
        )
