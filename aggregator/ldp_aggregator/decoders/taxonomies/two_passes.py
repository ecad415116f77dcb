"""Least squares on a tree, in two passes: every parent becomes the sum of its children.

Several levels of a tree have been estimated, each from other people. A state then has
its own estimate, and another one: the sum of its counties'. The best of both weighs
each by how sure it is. What that adds to the state is passed on to its counties, most
to those that are known least.

With y_v for a node's own estimate and var_v for its variance (infinite if it has none),
and sums over the children c of a node,

    up     s = var at a leaf, else 1 / (1 / var + 1 / sum s_c)
           z = y   at a leaf, else s (y / var + sum z_c / sum s_c)
    down   x = 1   for the whole, which is known
           x_c = z_c + s_c / (sum s_c) (x - sum z_c)

x is the solution of weighted least squares under the condition that parents are the
sums of their children. It is linear in y, with weights that depend on the variances
alone: so it is unbiased if y is, whatever the variances are taken to be. The whole is
known, and has no part in any mean.

Source: Hay et al. 2010 (on even trees); the same elimination on any tree.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp.answers.taxonomies import Parents, depths_of
from ldp_aggregator.numerics.arrays import Floats, Indices


class Siblings(NamedTuple):
    """The nodes of one depth, those of one parent next to each other."""

    nodes: Indices
    starts: Indices
    """Where the children of another parent begin."""
    parents: Indices
    """The parent of each group of children; at the top, where the whole is it, -1."""
    group: Indices
    """The group of every node."""

    def sums(self, numbers: Floats) -> Floats:
        """Over the children of each parent, of numbers (nodes of the tree, ...)."""
        total: Floats = np.add.reduceat(numbers[self.nodes], self.starts, axis=0)
        return total


@lru_cache(maxsize=32)
def siblings_of(parents: Parents) -> tuple[Siblings, ...]:
    """The nodes of a tree by depth, from the top."""
    depths, above = np.array(depths_of(parents)), np.array(parents, dtype=np.intp) - 1
    by_depth = []
    for depth in range(1, int(depths.max()) + 1):
        nodes = np.flatnonzero(depths == depth)
        nodes = nodes[np.argsort(above[nodes], kind="stable")]
        own, starts, group = np.unique(
            above[nodes], return_index=True, return_inverse=True
        )
        by_depth.append(Siblings(nodes, starts, own, group=group.ravel()))
    return tuple(by_depth)


class PassWeights(NamedTuple):
    """The weights of both passes, by node."""

    levels: tuple[Siblings, ...]
    own: Floats
    """Of a node's own estimate, on the way up."""
    below: Floats
    """Of the sum of its children."""
    share: Floats
    """What a node takes of the gap between its parent and the sum of its siblings and
    itself.
    """


def pooling_of(parents: Parents, precision: Floats) -> PassWeights:
    """The weights for own estimates of this precision, 1 / variance, which is 0 without
    one.

    Leaves must have one.
    """
    levels, size = siblings_of(parents), len(parents)
    below_precision, variance = np.zeros(size), np.zeros(size)
    below, share = np.zeros(size), np.zeros(size)
    for level in reversed(levels):
        nodes = level.nodes
        # What has come from below is 1 / sum s_c; then s of the nodes here.
        variance[nodes] = 1 / (precision[nodes] + below_precision[nodes])
        below[nodes] = variance[nodes] * below_precision[nodes]
        total = level.sums(variance)
        share[nodes] = variance[nodes] / total[level.group]
        if level is not levels[0]:
            below_precision[level.parents] = 1 / total
    return PassWeights(levels, variance * precision, below, share=share)


def pool_nodes(pooling: PassWeights, direct: Floats, whole: float = 1.0) -> Floats:
    """Least squares (x) from own estimates (y), of shape (nodes, ...).

    Both passes are linear in the estimates and the whole.

    What stands at a node without an own estimate does not count.
    """
    shape = (-1,) + (1,) * (direct.ndim - 1)
    own, below, share = (weights.reshape(shape) for weights in pooling[1:])
    up = own * direct
    # Of every parent, the sum of its children on the way up.
    sums = np.zeros_like(up)
    for level in reversed(pooling.levels):
        up[level.nodes] += below[level.nodes] * sums[level.nodes]
        if level is not pooling.levels[0]:
            sums[level.parents] = level.sums(up)
    for level in pooling.levels:
        if level is pooling.levels[0]:
            gap = whole - level.sums(up)
        else:
            gap = up[level.parents] - sums[level.parents]
        up[level.nodes] += share[level.nodes] * gap[level.group]
    return up


def totals(parents: Parents, numbers: Floats) -> Floats:
    """Numbers of every node (nodes, ...), added to those of all nodes above it."""
    result = numbers.copy()
    for level in reversed(siblings_of(parents)[1:]):
        result[level.parents] += level.sums(result)
    return result


def shared_out(parents: Parents, numbers: Floats, least: float) -> Floats:
    """Shares that add up on the tree, in proportion to estimates, or as near to it as
    may be.

    From the top down, children share what their parent has as their estimates say, none
    less than `least`.
    """
    shares = np.maximum(numbers, 0.0) + least
    for level in siblings_of(parents):
        whole = np.where(level.parents >= 0, shares[level.parents], 1.0)
        shares[level.nodes] *= (whole / level.sums(shares))[level.group]
    return shares
