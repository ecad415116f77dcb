"""Taxonomies: values that are the leaves of a tree, such as counties in states.

An answer is a leaf, and belongs to every node above it. The tree is public, and so are
its levels: from the top, level j has the nodes that are j steps below the whole, and
besides them the leaves that sit higher, each as a cell of its own. So every answer is
in one cell of every level, and the last level tells all answers apart.

Nodes have numbers: first the inner ones, level by level from the top, and in a level by
the first value below them; then the values, in their order. `parents` has for each node
the number of its parent plus 1, or 0 for a node at the top. Neither numbers nor cells
depend on what a node is called or on the order in which a survey names parents. Cells
of a level have numbers in the order of their nodes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

MOST_VALUES = 1 << 14
"""Values of a taxonomy: what every node is known by takes nodes times reports to work
out.
"""
MOST_LEVELS = 16

Parents = tuple[int, ...]


class Taxonomy(NamedTuple):
    """The inner nodes over a question's values, and what its levels are called."""

    inner: tuple[str, ...]
    """The names of the inner nodes, in their order."""
    parents: Parents
    """Of the inner nodes, and then of the values."""
    levels: tuple[str, ...]
    """From the top to the values."""

    @property
    def depths(self) -> tuple[int, ...]:
        """Depth of every node: 1 at the top."""
        return depths_of(self.parents)

    def path(self, node: int) -> list[int]:
        """A node and those above it, up to the top."""
        nodes = [node]
        while above := self.parents[nodes[-1]]:
            nodes.append(above - 1)
        return nodes


class TaxonomyLevel(NamedTuple):
    """One level of a tree."""

    nodes: tuple[int, ...]
    """The node of every cell."""
    cells: tuple[int, ...]
    """The cell of every value."""


def depths_of(parents: Parents) -> tuple[int, ...]:
    """How many steps below the whole every node is."""
    depths: list[int] = []
    for above in parents:
        depths.append(1 + depths[above - 1] if above else 1)
    return tuple(depths)


@lru_cache(maxsize=64)
def levels_of(parents: Parents, size: int) -> tuple[TaxonomyLevel, ...]:
    """The levels of a tree whose last `size` nodes are values, from the top."""
    depths = depths_of(parents)
    first_value = len(parents) - size
    levels = []
    for depth in range(1, max(depths) + 1):
        nodes = tuple(
            node
            for node, own in enumerate(depths)
            if own == depth or (own < depth and node >= first_value)
        )
        # Of every node the one above it, or itself, that is a cell here; of those above
        # cells none.
        cell_of = {node: cell for cell, node in enumerate(nodes)}
        for node, above in enumerate(parents):
            if depths[node] > depth:
                cell_of[node] = cell_of[above - 1]
        levels.append(
            TaxonomyLevel(nodes, tuple(cell_of[first_value + x] for x in range(size)))
        )
    return tuple(levels)
