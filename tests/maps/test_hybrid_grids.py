"""Hybrid-dimensional grids, beside which rectangles are measured: their sizes, model
and errors.
"""

import numpy as np
import pytest

from lab.benchmarks.hybrid_grids import agreeing, grids, hybrid, hybrid_shares, updated
from lab.benchmarks.places import DEPTH, RESPONDENTS, SIDE, error_of, shrunk, systems
from ldp.mechanisms.places.pyramid import halvings
from ldp_aggregator.decoders.trees.zooms import sum_cells


@pytest.mark.parametrize(
    ("epsilon", "along", "square"), [(0.5, 4, 1), (1, 4, 2), (2, 5, 2), (4, 6, 3)]
)
def test_grids_have_the_sizes_of_the_paper(epsilon, along, square):
    """Worked out by hand from its two formulas, for 100,000 respondents and two
    numbers.
    """
    views = grids(float(np.exp(epsilon)), RESPONDENTS, DEPTH)
    assert views == ((along, 0), (0, along), (square, square))


def test_a_third_of_the_devices_answers_for_each_grid():
    response = hybrid(systems("1")["pyramid"], RESPONDENTS)
    asked = [
        view
        for view, weight in zip(halvings(DEPTH), response.law, strict=True)
        if weight
    ]
    assert sorted(asked) == [(0, 4), (2, 2), (4, 0)]
    assert sum(response.law) == 3


def test_numbers_that_have_nothing_to_do_with_each_other_are_made_up_whole():
    """From exact grids the table is the product, even though no grid has its cells."""
    generator = np.random.default_rng(2)
    x, y = (generator.dirichlet(np.ones(16)) for _ in range(2))
    table = np.outer(x, y)
    known = {view: sum_cells(table, view) for view in ((4, 0), (0, 4), (2, 2))}
    assert agreeing(known).keys() == known.keys()
    for view, grid in agreeing(known).items():
        assert grid == pytest.approx(known[view], abs=1e-12)
    assert updated(known, 4, 10**9) == pytest.approx(table, abs=1e-9)


def test_the_table_has_the_shares_of_grids_that_agree():
    """Of noisy ones as well, once these are on the simplex: sums differ by less than
    1e-3.
    """
    generator = np.random.default_rng(3)
    noisy = {
        (a, b): 2.0 ** -(a + b) + generator.normal(0, 0.01, (1 << a, 1 << b))
        for a, b in ((4, 0), (0, 4), (2, 2))
    }
    known = agreeing(noisy)
    table = updated(known, 4, RESPONDENTS)
    assert table.min() >= 0
    for view, grid in known.items():
        assert grid.sum() == pytest.approx(1)
        assert sum_cells(table, view) == pytest.approx(grid, abs=1e-3)


@pytest.mark.parametrize(
    ("epsilon", "stated"), [("1", 0.025), ("2", 0.020), ("4", 0.010)]
)
def test_errors_are_those_of_the_reference(epsilon, stated):
    """Of two numbers that go together: within 30 % of what was measured elsewhere; five
    surveys.
    """
    generator = np.random.default_rng(4)
    places = generator.multivariate_normal((0, 0), ((1, 0.8), (0.8, 1)), RESPONDENTS)
    cells = ((places / 6 + 0.5) * SIDE).clip(0, SIDE - 1).astype(int)
    held = np.bincount(cells[:, 0] * SIDE + cells[:, 1], minlength=SIDE**2).reshape(
        SIDE, SIDE
    )
    pyramid = systems(epsilon)["pyramid"]
    coarse = hybrid(pyramid, RESPONDENTS)
    of_model = error_of(coarse, held, 5, generator=generator, shares=hybrid_shares)
    assert of_model == pytest.approx(stated, rel=0.3)
    # The view for the eye lies between: better than what is unbiased, with no model at
    # all.
    of_view = error_of(pyramid, held, 5, generator=generator, shares=shrunk)
    assert of_view < error_of(pyramid, held, 5, generator=generator)
