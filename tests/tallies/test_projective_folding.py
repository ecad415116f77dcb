"""Folded tallies of projective-geometry response: what they count and decode to."""

from fractions import Fraction

import numpy as np
import pytest
from written_out import counts_of

from ldp import EstimateError
from ldp.mechanisms.values.projective import (
    MOST_POINTS,
    MOST_SLICES,
    ProjectiveResponse,
    geometry,
    index,
    least_error_response,
    vector,
)
from ldp.numbers.exact import odds
from ldp.numbers.finite_field import inner_product
from ldp.numbers.layout import MOST_SYMBOLS
from ldp_aggregator.decoders.moments.supports import support_counts
from ldp_aggregator.numerics.projective.folding import folded_points
from ldp_aggregator.tallies.counting.counting import (
    count_rows,
    empty_counts,
    total_reports,
)
from ldp_simulations.sampling.values.projective import projective_counts

SPACES = ((2, 4), (3, 3), (3, 4), (3, 5), (4, 3), (4, 4), (5, 4), (8, 3), (13, 3))


def rows_of(points, layout):
    """Reports that name the points."""
    return points.astype(f"<u{layout.width}")[:, None].view(np.uint8)


def sizes(order, dimension):
    """Numbers of values next to where a slice begins or ends, and some others."""
    points, block, common = geometry(order, dimension)
    ends = range(block, points + 1, block - common)
    return sorted(
        {
            2,
            points - 1,
            *(
                end + step
                for end in ends
                for step in (-1, 0, 1)
                if end + step <= points
            ),
        }
    )


@pytest.mark.parametrize(("order", "dimension"), SPACES)
def test_folding_changes_no_support_count(order, dimension):
    """Counted by points or folded, the same reports support every value equally
    often.
    """
    whole = ProjectiveResponse(2, order, dimension, truth=2, other=1)
    points = geometry(order, dimension).points
    rows = rows_of(
        np.random.default_rng(order).integers(points, size=3 * points), whole.layout
    )
    expected = support_counts(
        whole._replace(size=points), count_rows(rows, whole.layout)
    )
    for size in sizes(order, dimension):
        folded = whole._replace(size=size, folded=True)
        counts = count_rows(rows, folded.layout)
        assert counts.shape == empty_counts(folded.layout).shape
        assert total_reports(counts, folded.layout) == len(rows)
        assert np.array_equal(support_counts(folded, counts), expected[:size])
        many = 2**62 // len(rows)
        assert np.array_equal(
            support_counts(folded, counts * many), expected[:size] * many
        )


LARGE = [
    least_error_response(size, *odds(Fraction(epsilon)))
    for size, epsilon in (
        (300_000, "6"),
        (MOST_SYMBOLS, "3.45"),
        (MOST_SYMBOLS, "4.5"),
        (MOST_SYMBOLS, "7.2"),
    )
]


@pytest.mark.parametrize(
    "randomizer",
    LARGE,
    ids=lambda randomizer: f"{randomizer.order}-{randomizer.dimension}",
)
def test_large_spaces_are_folded_as_they_should_be(randomizer):
    """Each report is in the cell of every slice that its vector belongs to, so scaled.

    Scaled means that its upper two coordinates are made one.
    """
    points, _, _ = geometry(randomizer.order, randomizer.dimension)
    folding = randomizer.layout.folding
    order = randomizer.order
    place = randomizer.order ** (randomizer.dimension - 2)
    assert points > MOST_POINTS
    edges = [0, 1, order, order + 1, place, points - place - 1, points - 2, points - 1]
    for point in [*edges, *np.random.default_rng(1).integers(points, size=20).tolist()]:
        upper, lower = divmod(vector(point, order), place)
        for number, row in enumerate(folded_points(np.array([point]), folding)):
            shorter = inner_product(vector(number, order), upper, order) * place + lower
            assert np.flatnonzero(row).tolist() == [
                1 + index(shorter, order) if shorter else 0
            ]


def test_decoding_of_a_large_space():
    """Of 1,000 reports among 300,000 values, those that support some of them, looked
    up.
    """
    randomizer = LARGE[0]
    reports = np.random.default_rng(2).integers(randomizer.layout.symbols, size=1000)
    supports = support_counts(
        randomizer, count_rows(rows_of(reports, randomizer.layout), randomizer.layout)
    )
    assert len(supports) == randomizer.size
    vectors = [vector(report, randomizer.order) for report in reports.tolist()]
    block = geometry(randomizer.order, randomizer.dimension).block
    for value in (
        0,
        1,
        500,
        block - 1,
        block,
        block + 1,
        299_999,
        *np.argsort(supports)[-5:].tolist(),
    ):
        x = vector(value, randomizer.order)
        assert supports[value] == sum(
            inner_product(x, y, randomizer.order) == 0 for y in vectors
        )


@pytest.mark.parametrize(
    "epsilon", ["0.05", "1", "3.4", "4.6", "5.9", "6", "6.5", "7", "8", "10", "40"]
)
@pytest.mark.parametrize("size", [1000, 300_000, 10**6, MOST_SYMBOLS])
def test_only_what_is_too_large_is_folded(size, epsilon):
    """A tally is folded where points are too many to count, to a few cells for each
    value.
    """
    layout = least_error_response(size, *odds(Fraction(epsilon))).layout
    assert (layout.folding is not None) == (layout.symbols > MOST_POINTS)
    if layout.folding:
        assert 1 < layout.folding.slices <= MOST_SLICES
        assert empty_counts(layout).size <= 2 * size


@pytest.mark.parametrize(
    ("randomizer", "held"),
    [
        (
            ProjectiveResponse(18, 3, 4, truth=3, other=1, folded=True),
            (20, 0, 9, 5, *[0] * 12, 1, 25),
        ),
        (
            ProjectiveResponse(8, 4, 3, truth=7, other=2, folded=True),
            (20, 0, 9, 5, 0, 0, 1, 25),
        ),
    ],
    ids=["order 3", "order 4"],
)
def test_sampled_tallies_have_the_law_of_the_channel(randomizer, held):
    """The mean of 2,000 tallies of 60 reports is what the channel has every cell
    expect.

    At 6 standard errors for each of at most 28 cells a false alarm has probability
    below 1e-7, and a cell's probability that is off by a sixth is seen. All slices
    belong to the same reports: the points that they share have one support.
    """
    generator = np.random.default_rng(17)
    tallies = np.stack(
        [projective_counts(randomizer, np.array(held), generator) for _ in range(2000)]
    )
    chances = np.array(held) @ np.array(randomizer.channel().rows, dtype=float)
    expected = sum(
        chance * counts_of(randomizer, {point: 1})
        for point, chance in enumerate(chances)
    )
    scores = (
        (tallies.mean(axis=0) - expected) / tallies.std(axis=0) * np.sqrt(len(tallies))
    )
    assert np.abs(scores).max() < 6
    assert (tallies.sum(axis=2) == 60).all()
    shared = slice(geometry(randomizer.order, randomizer.dimension).common)
    for counts in tallies[:100]:
        supports, others = (
            support_counts(randomizer, rows)[shared] for rows in (counts, counts[::-1])
        )
        assert np.array_equal(supports, others)


def test_a_folded_tally_can_be_simulated_only_so_far(monkeypatch):
    """Each report is drawn, so beyond the limit there is an error at once."""
    monkeypatch.setattr("ldp_simulations.sampling.values.projective.MOST_DRAWS", 10)
    with pytest.raises(EstimateError, match="at most 10 draws of points, got 12"):
        projective_counts(
            ProjectiveResponse(6, 3, 4, truth=3, other=1, folded=True),
            np.full(6, 2),
            np.random.default_rng(0),
        )
