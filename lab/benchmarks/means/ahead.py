"""AHEAD: a tree over the range that is divided, round by round, only where many are.

Respondents are parted evenly into as many rounds as the tree may have levels. A round
asks its own for the leaf that they are in, through optimized unary encoding with the
whole epsilon. Negative shares are cut, so that the rest holds exactly all (norm-sub).
Then the next round divides the new leaves whose share is at least

    threshold = sqrt((fan-out + 1) V),    V = 4 E / ((E - 1)^2 n of a round),    E = e^epsilon

and keeps all others whole for good: below it, noise costs more than what is told apart.
A leaf that is kept is asked for in every later round, and has the mean of what they
say. In the end nodes are averaged with the sums of their parts, upwards, by their
variances. Within a leaf all cells are taken to be held alike.

So a survey takes log2(cells) rounds, each of which waits for the one before. Shares are
biased: they are cut at zero, which moves what is small up and what is large down, and a
leaf is flat, where its place was chosen by the same noise. No law of the errors is
known, and there is no interval.

As published, but for one more pass: downwards, so that the parts of a node add up to
it, and all of them to 1. Without it ranges err by up to a third more, and depend on the
nodes that they are put together from.

Source: Du, Zhang, Bai, Liu, Ji, Cheng and Chen 2021, "AHEAD: Adaptive Hierarchical
Decomposition for Range Query under Local Differential Privacy" (CCS). Written anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from lab.benchmarks.means.asking import CELLS, estimated, spread
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.numerics.postprocessing import norm_sub

FANOUT = 2


@dataclass
class Node:
    """Cells side by side, and what rounds say of them."""

    first: int
    cells: int
    share: float = 0.0
    asked: float = 0.0
    """The rounds that its share rests on: 1 / its variance, in variances of one round.
    """
    parts: list[Node] = field(default_factory=list)

    def add(self, share: float) -> None:
        """What one more round says."""
        self.share = (self.asked * self.share + share) / (self.asked + 1)
        self.asked += 1


def ahead(epsilon: float, held: Counts, generator: Generator) -> Floats:
    """The shares of all cells."""
    tree = grown(epsilon, held, generator)
    agree(tree)
    shares = np.zeros(CELLS)
    for leaf in leaves_of(tree):
        shares[leaf.first : leaf.first + leaf.cells] = leaf.share / leaf.cells
    return shares


def grown(epsilon: float, held: Counts, generator: Generator) -> Node:
    """The tree after all rounds, its nodes as they were asked for."""
    rounds = round(math.log(CELLS, FANOUT))
    least = threshold(epsilon, int(held.sum()) / rounds)
    tree = Node(0, CELLS, share=1.0)
    for of_round in spread(held, rounds, generator):
        for leaf in list(leaves_of(tree)):
            # The root has not been asked for, and a leaf that was kept more than once.
            if leaf.asked <= 1 and leaf.share >= least:
                leaf.parts = parts_of(leaf)
        leaves = list(leaves_of(tree))
        shares = _asked_for(leaves, epsilon, of_round, generator=generator)
        for leaf, share in zip(leaves, shares.tolist(), strict=True):
            leaf.add(share)
    return tree


def threshold(epsilon: float, respondents: float) -> float:
    """The share from which on a node is divided, with so many respondents in a
    round.
    """
    ratio = math.exp(epsilon)
    return math.sqrt((FANOUT + 1) * 4 * ratio / ((ratio - 1) ** 2 * respondents))


def parts_of(node: Node) -> list[Node]:
    """Its cells in equal parts, of which nothing is known yet."""
    width = node.cells // FANOUT
    return [Node(node.first + part * width, width) for part in range(FANOUT)]


def leaves_of(node: Node) -> Iterator[Node]:
    """From left to right."""
    if not node.parts:
        yield node
    for part in node.parts:
        yield from leaves_of(part)


def agree(tree: Node) -> None:
    """Both passes; all cells together hold exactly 1, and no round is asked about
    that.
    """
    for part in tree.parts:
        pool(part)
    share_out(tree)


def pool(node: Node) -> None:
    """Upwards: the mean of a node's share and that of its parts, by their variances."""
    if not node.parts:
        return
    for part in node.parts:
        pool(part)
    of_parts = 1 / sum(1 / part.asked for part in node.parts)
    sum_of_parts = sum(part.share for part in node.parts)
    both = node.asked + of_parts
    node.share = (node.asked * node.share + of_parts * sum_of_parts) / both
    node.asked = both


def share_out(node: Node) -> None:
    """Downwards: what the parts lack, or have too much, is shared by their
    variances.
    """
    variances = [1 / part.asked for part in node.parts]
    lacking = node.share - sum(part.share for part in node.parts)
    for part, variance in zip(node.parts, variances, strict=True):
        part.share += lacking * variance / sum(variances)
        share_out(part)


def _asked_for(
    leaves: Sequence[Node], epsilon: float, held: Counts, *, generator: Generator
) -> Floats:
    """What one round says of the leaves."""
    holders = np.array(
        [held[leaf.first : leaf.first + leaf.cells].sum() for leaf in leaves]
    )
    return norm_sub(estimated("oue", epsilon, holders, generator=generator).frequency)
