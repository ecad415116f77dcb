"""What the benchmark of rectangles compares: weights, shares and errors."""

import math
from fractions import Fraction

import numpy as np
import pytest

from lab.benchmarks.places import (
    DEPTH,
    SIDE,
    best_law,
    error_of,
    in_ranges,
    inputs,
    rectangles,
    shares_in,
    systems,
)
from ldp.mechanisms.places.pyramid import halvings
from ldp.mechanisms.places.stripes import usual_stripes
from ldp.numbers.exact import odds
from ldp_aggregator.decoders.trees.levels import views_of


def average_error(response):
    """N Var over all rectangles, in units of 4R / (R - 1)^2."""
    views = np.array(halvings(DEPTH))
    finer = (views[None] >= views[:, None]).all(axis=2)
    known = finer @ (np.array(views_of(response).precision) / np.array(response.cells))
    ratio = float(response.ratio)
    asked = in_ranges(SIDE)[views].prod(axis=1)
    return float((asked / known).sum()) / response.size / (4 * ratio / (ratio - 1) ** 2)


@pytest.mark.parametrize(
    ("name", "stated"),
    [("pyramid", 46.0), ("HIO", 79.9), ("quadtree", 93.9), ("one grid", 359)],
)
def test_systems_have_the_errors_of_the_reference(name, stated):
    """Within 2 %."""
    assert average_error(systems("0.5")[name]) == pytest.approx(stated, rel=0.02)


def test_stripes_are_measured_beside_them():
    """At epsilon 1 their errors are those of the reference, 29.8 units: within 10 %."""
    generator = np.random.default_rng(1)
    held = generator.multinomial(100_000, generator.dirichlet(np.ones(SIDE**2)))
    response = usual_stripes(SIDE, *odds(Fraction(1)))
    ratio = float(response.ratio)
    expected = math.sqrt(29.8 * 4 * ratio / (ratio - 1) ** 2 / 100_000)
    error = error_of(response, held.reshape(SIDE, SIDE), 3, generator=generator)
    assert error == pytest.approx(expected, rel=0.1)


def test_the_best_law_of_all_views_is_that_of_the_pyramid():
    """In floats and in integers: errors differ by less than .1 %."""
    usual = systems("1")["pyramid"]
    other = usual._replace(law=best_law(usual, [True] * len(usual.law)))
    assert average_error(other) == pytest.approx(average_error(usual), rel=1e-3)


def test_rectangles_are_summed_up_whole():
    generator = np.random.default_rng(1)
    ends = rectangles(generator)
    grid = generator.random((SIDE, SIDE))
    shares = shares_in(grid, ends)
    for (x, y), share in list(zip(ends.tolist(), shares.tolist(), strict=True))[:50]:
        assert math.isclose(grid[slice(*x), slice(*y)].sum(), share, rel_tol=1e-9)


def test_measured_errors_are_those_to_be_expected(tmp_path):
    """Of 2,000 rectangles and two surveys: within 30 % of the root of the average
    variance.
    """
    path = tmp_path / "adult.data"
    generator = np.random.default_rng(1)
    rows = (
        [str(age), *["x"] * 11, str(age // 2)]
        for age in generator.integers(17, 90, 500)
    )
    path.write_text("\n".join(", ".join(row) for row in rows), encoding="utf-8")
    named = dict(inputs(path, generator))
    assert [*named] == ["age x hours", "towns", "correlated normal"]
    response = systems("1")["pyramid"]
    ratio = float(response.ratio)
    unit = 4 * ratio / (ratio - 1) ** 2
    expected = math.sqrt(average_error(response) * unit / 100_000)
    for held in named.values():
        assert held.sum() == 100_000
        assert error_of(response, held, 2, generator=generator) == pytest.approx(
            expected, rel=0.3
        )
