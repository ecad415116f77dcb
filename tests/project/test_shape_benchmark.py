"""The benchmark of shapes: its methods against least squares and truth, its tables on the page."""

import numpy as np
import pytest

from benchmarks.means.__main__ import EPSILONS_OF_SHAPES, PAGE, SURVEYS, biases, distances
from benchmarks.means.inputs import Input, drawn
from benchmarks.means.page import table
from benchmarks.means.shapes import (
    CELLS,
    METHODS,
    arcs,
    away,
    consistent,
    haar,
    holders_of,
    square_wave,
    tree,
)


def lines_of(mark):
    """The cells of a table on the page, row by row, without its rule."""
    text = PAGE.read_text(encoding="utf-8").split(f"<!-- {mark} -->\n")[1]
    lines = text.split(f"<!-- /{mark} -->")[0].splitlines()
    rows = [[cell.strip("* ") for cell in line.strip("| ").split(" | ")] for line in lines]
    return [rows[0], *rows[2:]]


def test_two_passes_are_least_squares():
    """Of a tree of 4 and 16 nodes and random estimates: dense weighted least squares, sum 1."""
    generator = np.random.default_rng(5)
    estimates = [generator.normal(1 / 4, 0.2, 4), generator.normal(1 / 16, 0.2, 16)]
    variances = [0.3, 1.7]
    rows = np.vstack([np.kron(np.eye(4), np.ones(4)) / 0.3**0.5, np.eye(16) / 1.7**0.5])
    target = np.concatenate([estimates[0] / 0.3**0.5, estimates[1] / 1.7**0.5])
    # The sum is kept by a row of very great weight.
    rows, target = np.vstack([rows, 1e7 * np.ones(16)]), np.append(target, 1e7)
    expected = np.linalg.lstsq(rows, target, rcond=None)[0]
    assert np.allclose(consistent(estimates, variances), expected, atol=1e-5)


@pytest.mark.parametrize("method", [tree, haar])
def test_others_are_unbiased(method):
    """400 surveys of 2,000 people, seed 6: within 5.5 standard errors in all cells.

    The chance of a false alarm is 2e-6 for all 64; a tenth of a share that is lost is detected.
    """
    held = np.zeros(CELLS, dtype=np.int64)
    held[[0, 17, 40, 63]] = 1_000, 500, 300, 200
    generator = np.random.default_rng(6)
    shares = np.array([method(2.0, held, generator) for _ in range(400)])
    errors = shares.mean(axis=0) - held / 2_000
    assert (np.abs(errors) < 5.5 * shares.std(axis=0) / 20).all()
    assert (5.5 * shares.std(axis=0) / 20).max() < 0.1
    assert np.allclose(shares.sum(axis=1), 1)


def test_cells():
    """Ages and hours in twos; of other ranges equal parts, the last with its end."""
    ages = Input("age, 0 to 100", np.full(101, 1 / 101))
    even = Input("even", np.full(1001, 1 / 1001))
    assert np.flatnonzero(holders_of(ages)).tolist() == list(range(51))
    assert np.flatnonzero(holders_of(even)).tolist() == list(range(CELLS))
    assert holders_of(even).max() < 1.2 * holders_of(even).min()


def test_the_page_has_what_is_measured():
    """Rows and columns of all tables; and a figure of each, measured again to the last digit."""
    inputs = list(drawn())
    far, off = distances(inputs, 1)
    tables = {"shapes": far, "ranges": off, "bias": biases(inputs, 1)}
    for mark, (headings, rows) in tables.items():
        written = lines_of(mark)
        assert written[0][-len(inputs) :] == headings[2:]
        assert [row[:2] for row in written[1:]] == [row[:2] for row in rows]
    measured = away(square_wave("ems"), 1.0, holders_of(inputs[0]), surveys=SURVEYS)
    shapes = {tuple(row[:2]): row for row in lines_of("shapes")}
    assert shapes["1", "`square-wave`, `ems`"][-2] == f"{10_000 * measured.distance:.0f}"
    ranges = {tuple(row[:2]): row for row in lines_of("ranges")}
    of_arcs = away(arcs(rising=False), 1.0, holders_of(inputs[0]), surveys=SURVEYS)
    assert ranges["1", "`arcs`"][-2] == f"{10_000 * of_arcs.ranges:.0f}"
    bias = {row[1]: row for row in lines_of("bias")}
    assert bias["`square-wave`, `ems`: bias"][-2] == f"{measured.bias:.3f}"
    assert bias["`square-wave`, `ems`: spread"][-2] == f"{measured.spread:.3f}"
    assert len(shapes) == 1 + len(METHODS) * len(EPSILONS_OF_SHAPES)


def test_rows_that_are_not_compared_are_plain():
    """A bias and a spread are no rivals."""
    rows = [["1", "a", "2"], ["1", "b", "1"]]
    assert "**" not in table(["epsilon", "method", "x"], rows, compared=False)
