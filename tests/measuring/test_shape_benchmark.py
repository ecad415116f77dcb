"""The benchmark of shapes: its methods against least squares and truth, its tables on
the page.
"""

import numpy as np
import pytest

from lab.benchmarks.means.__main__ import (
    EPSILONS_OF_SHAPES,
    PAGE,
    SURVEYS,
    biases,
    distances,
)
from lab.benchmarks.means.ahead import (
    Node,
    agree,
    ahead,
    grown,
    leaves_of,
    parts_of,
    threshold,
)
from lab.benchmarks.means.inputs import Input, drawn
from lab.benchmarks.means.page import table
from lab.benchmarks.means.shapes import (
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
    rows = [
        [cell.strip("* ") for cell in line.strip("| ").split(" | ")] for line in lines
    ]
    return [rows[0], *rows[2:]]


def test_two_passes_are_least_squares():
    """Of a tree of 4 and 16 nodes and random estimates: dense weighted least squares,
    sum 1.
    """
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

    The chance of a false alarm is 2e-6 for all 64; a tenth of a share that is lost is
    detected.
    """
    held = np.zeros(CELLS, dtype=np.int64)
    held[[0, 17, 40, 63]] = 1_000, 500, 300, 200
    generator = np.random.default_rng(6)
    shares = np.array([method(2.0, held, generator) for _ in range(400)])
    errors = shares.mean(axis=0) - held / 2_000
    assert (np.abs(errors) < 5.5 * shares.std(axis=0) / 20).all()
    assert (5.5 * shares.std(axis=0) / 20).max() < 0.1
    assert np.allclose(shares.sum(axis=1), 1)


def test_a_tree_with_uneven_leaves_is_made_to_agree():
    """Both passes of AHEAD: dense weighted least squares, given that all nodes hold
    exactly 1.
    """
    tree = Node(0, 8, share=1.0)
    tree.parts = parts_of(tree)
    tree.parts[1].parts = parts_of(tree.parts[1])
    tree.parts[1].parts[0].parts = parts_of(tree.parts[1].parts[0])
    leaves = list(leaves_of(tree))
    assert [(leaf.first, leaf.cells) for leaf in leaves] == [
        (0, 4),
        (4, 1),
        (5, 1),
        (6, 2),
    ]
    inner = [tree.parts[1], tree.parts[1].parts[0]]
    generator = np.random.default_rng(3)
    for node in [*leaves, *inner]:
        node.share, node.asked = (
            generator.normal(0.3, 0.1),
            float(generator.integers(1, 6)),
        )
    # (nodes, leaves): which leaves are below a node, by the root of how well it is
    # known.
    below = np.array(
        [*np.eye(4), [0, 1, 1, 1], [0, 1, 1, 0], [1, 1, 1, 1]], dtype=float
    )
    # The sum is kept by a row of very great weight.
    known = np.array([*(node.asked for node in [*leaves, *inner]), 1e14])
    shares = np.array([node.share for node in [*leaves, *inner, tree]])
    rows, target = below * known[:, None] ** 0.5, shares * known**0.5
    expected = np.linalg.lstsq(rows, target, rcond=None)[0]
    agree(tree)
    assert np.allclose([leaf.share for leaf in leaves], expected, atol=1e-6)


def test_nodes_are_divided_where_many_are():
    """All 1,000,000 in two cells, at epsilon 4: the nodes about them are divided down
    to the cells.

    The threshold is 1.7 standard errors of a node that no one holds: one in twenty or
    so of these is divided as well (seed 8: none of ten).
    """
    held = np.zeros(CELLS, dtype=np.int64)
    held[[5, 50]] = 600_000, 400_000
    tree = grown(4.0, held, np.random.default_rng(8))
    leaves = {leaf.first: leaf for leaf in leaves_of(tree)}
    assert leaves[5].cells == leaves[50].cells == 1
    assert sorted(leaf.cells for leaf in leaves.values()) == [
        1,
        1,
        1,
        1,
        2,
        2,
        4,
        4,
        8,
        8,
        16,
        16,
    ]
    # A leaf that was kept whole is asked for in every later round, a cell in the last
    # alone.
    assert {cells.cells: cells.asked for cells in leaves.values()} == {
        1: 1,
        2: 2,
        4: 3,
        8: 4,
        16: 5,
    }
    assert threshold(4.0, 1_000_000 / 6) == pytest.approx(
        (3 * 0.07602 * 6 / 1_000_000) ** 0.5, 1e-3
    )


def test_ahead_is_biased():
    """400 surveys of 2,000 people, seed 6: shares add up to 1, and a spike is far too
    low.

    By more than 20 standard errors: leaves are flat, and what is cut at zero is taken
    from it.
    """
    held = np.zeros(CELLS, dtype=np.int64)
    held[:] = 20
    held[17] += 2_000 - held.sum()
    generator = np.random.default_rng(6)
    shares = np.array([ahead(0.5, held, generator) for _ in range(400)])
    assert np.allclose(shares.sum(axis=1), 1)
    error = shares[:, 17].mean() - held[17] / 2_000
    assert error < -20 * shares[:, 17].std() / 20


def test_cells():
    """Ages and hours in twos; of other ranges equal parts, the last with its end."""
    ages = Input("age, 0 to 100", np.full(101, 1 / 101))
    even = Input("even", np.full(1001, 1 / 1001))
    assert np.flatnonzero(holders_of(ages)).tolist() == list(range(51))
    assert np.flatnonzero(holders_of(even)).tolist() == list(range(CELLS))
    assert holders_of(even).max() < 1.2 * holders_of(even).min()


def test_the_page_has_what_is_measured():
    """Rows and columns of all tables; and a figure of each, measured again to the last
    digit.
    """
    inputs = list(drawn())
    far, off = distances(inputs, 1)
    tables = {"shapes": far, "ranges": off, "bias": biases(inputs, 1)}
    for mark, (headings, rows) in tables.items():
        written = lines_of(mark)
        assert written[0][-len(inputs) :] == headings[2:]
        assert [row[:2] for row in written[1:]] == [row[:2] for row in rows]
    measured = away(square_wave("ems"), 1.0, holders_of(inputs[0]), surveys=SURVEYS)
    shapes = {tuple(row[:2]): row for row in lines_of("shapes")}
    assert (
        shapes["1", "`square-wave`, `ems`"][-2] == f"{10_000 * measured.distance:.0f}"
    )
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
