"""Two passes over a tree are weighted least squares, whatever the tree and the
variances are.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from random_trees import membership, random_parents
from written_out import least_squares

from ldp.answers.taxonomies import levels_of
from ldp_aggregator.decoders.taxonomies.two_passes import (
    pool_nodes,
    pooling_of,
    shared_out,
    totals,
)

SEEDS = range(40)


def random_case(seed):
    """(parents, size, precision, own estimates): some inner nodes have none, leaves all
    have.
    """
    generator = np.random.default_rng(seed)
    size = int(generator.integers(6, 30))
    parents = random_parents(
        generator, inner=int(generator.integers(1, 6)), values=size
    )
    precision = generator.choice([0.0, 1.0, 2.5, 40.0], len(parents))
    precision[-size:] = generator.choice([0.3, 1.0, 7.0], size)
    return parents, size, precision, generator.normal(size=len(parents))


def dense(parents, size, precision, own):
    """The same by the normal equations of all values, with a multiplier for their
    sum.
    """
    holds = np.array(membership(parents, size), dtype=float)
    weighted = holds * precision
    system = np.zeros((size + 1, size + 1))
    system[:size, :size] = weighted @ holds.T
    system[:size, size] = -1
    system[size, :size] = 1
    shares = np.linalg.solve(system, np.append(weighted @ own, 1.0))[:size]
    return shares @ holds


@pytest.mark.parametrize("seed", SEEDS)
def test_two_passes_are_dense_least_squares(seed):
    """On random trees of up to four levels, with leaves at any depth, to 1e-12."""
    parents, size, precision, own = random_case(seed)
    shares = pool_nodes(pooling_of(parents, precision), own)
    assert np.allclose(
        shares, dense(parents, size, precision, own=own), rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_parents_are_the_sums_of_their_children(seed):
    """And the nodes at the top add up to 1, in each column of several."""
    parents, _, precision, own = random_case(seed)
    shares = pool_nodes(
        pooling_of(parents, precision), np.stack([own, 2 * own, own**2], axis=1)
    )
    above = np.array(parents)
    for node in {0, *parents}:
        whole = shares[node - 1] if node else 1.0
        assert np.allclose(
            shares[above == node].sum(axis=0), whole, rtol=1e-12, atol=1e-12
        )


def test_two_passes_in_fractions():
    """By hand: two nodes of two values, all of variance 1, estimates 1/2, 1/4 and
    eighths.
    """
    parents = (0, 0, 1, 1, 2, 2)
    own = [Fraction(number, 8) for number in (4, 2, 1, 2, 3, 4)]
    equations = [({0, 1}, 1), ({2, 3}, 1), *(({value}, 1) for value in range(4))]
    constant, matrix = least_squares(equations, 4)
    exact = [
        first + sum(a * b for a, b in zip(row, own, strict=True))
        for first, row in zip(constant, matrix, strict=True)
    ]
    shares = pool_nodes(pooling_of(parents, np.ones(6)), np.array(own, dtype=float))
    assert np.allclose(
        shares[2:], [float(share) for share in exact], rtol=0, atol=1e-15
    )
    # s = 1/(1 + 1/2) = 2/3 of a node; z = 2/3 (y + (sum of the children)/2).
    up = Fraction(2, 3) * (own[0] + (own[2] + own[3]) / 2)
    other = Fraction(2, 3) * (own[1] + (own[4] + own[5]) / 2)
    assert shares[0] == pytest.approx(float(up + (1 - up - other) / 2), abs=1e-15)


def test_one_level_alone_takes_its_share_of_what_is_left():
    """Where only values have estimates, each gets as much of the rest, as they are as
    sure.
    """
    parents = (0, 0, 1, 1, 2)
    precision = np.array([0, 0, 1.0, 1.0, 1.0])
    shares = pool_nodes(
        pooling_of(parents, precision), np.array([9.0, 9.0, 0.2, 0.3, 0.2])
    )
    assert np.allclose(shares, [0.7, 0.3, 0.3, 0.4, 0.3])


def test_shares_add_up_on_the_tree():
    """From the top down, in proportion, those below 0 next to none; or all alike."""
    parents = (0, 0, 1, 1, 2, 2)
    shares = shared_out(parents, np.array([0.9, -0.1, 0.5, 0.4, -1.0, -2.0]), 1e-13)
    assert np.allclose(shares, [1, 0, 5 / 9, 4 / 9, 0, 0], atol=1e-12)
    assert shares[4] == pytest.approx(shares[5])
    assert np.allclose(
        totals(parents, np.array([0, 0, 1, 2, 3, 4.0])), [3, 7, 1, 2, 3, 4]
    )


def test_levels_of_a_tree():
    """A value that sits higher is a cell of its own in the levels below."""
    parents = (0, 0, 1, 2, 2, 3, 4, 0)
    assert [level.nodes for level in levels_of(parents, 5)] == [
        (0, 1, 7),
        (2, 3, 4, 7),
        (3, 4, 5, 6, 7),
    ]


def test_the_levels_of_random_trees_are_partitions():
    """Each refines the one above, and the last tells all values apart."""
    for seed in SEEDS:
        parents, size, *_ = random_case(seed)
        levels = levels_of(parents, size)
        for level in levels:
            assert set(level.cells) == set(range(len(level.nodes)))
        for upper, lower in pairwise(levels):
            assert len(set(zip(upper.cells, lower.cells, strict=True))) == len(
                lower.nodes
            )
        assert sorted(levels[-1].cells) == list(range(size))
