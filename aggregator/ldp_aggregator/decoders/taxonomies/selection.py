"""Which nodes of a tree to show: a level, the finest that is sure enough, or crowds
alone.

    a level   its cells: the nodes of that depth, and the values that sit higher
    finest    for each branch the lowest nodes of which all have intervals no wider than
              asked for. The children of a node stand in its place where all of them, or
              what stands in their places, are narrow enough. Where not even the node at
              the top is, it is shown all the same: there is nothing above it to stand
              for it
    crowds    nodes whose interval lies above a number of people. What does not is
              merged into the node above it, and left out where that is no crowd either

The nodes of a level, and the finest ones, are an antichain: none is above another, they
hold all respondents between them, and their estimates add up to 1. Crowds may stand
above one another.
"""

from __future__ import annotations

import numpy as np

from ldp.answers.taxonomies import Taxonomy, levels_of
from ldp.errors import EstimateError
from ldp_aggregator.numerics.arrays import Flags, Floats


def nodes_of_level(taxonomy: Taxonomy, level: str | int) -> list[int]:
    """The cells of a level, by its name or its number from the top. Raises
    `EstimateError`.
    """
    names = taxonomy.levels
    numbers = {name: number for number, name in enumerate(names)}
    numbers |= {str(number + 1): number for number in range(len(names))}
    number = numbers.get(str(level))
    if number is None:
        raise EstimateError(
            f"expected one of the levels {', '.join(names)}, or a number from 1 to "
            f"{len(names)}, got {level!r}"
        )
    size = len(taxonomy.parents) - len(taxonomy.inner)
    return list(levels_of(taxonomy.parents, size)[number].nodes)


def finest(taxonomy: Taxonomy, widths: Floats, most: float) -> list[int]:
    """The lowest nodes whose intervals are at most as wide, and cover everyone."""
    parents, inner = taxonomy.parents, len(taxonomy.inner)
    narrow = widths <= most
    # From below: whether a node, or what is below it, can be shown narrowly enough.
    below: list[bool] = [node < inner for node in range(len(parents))]
    shown: list[bool] = [False] * len(parents)
    for node in reversed(range(len(parents))):
        shown[node] = below[node] or bool(narrow[node])
        if parents[node]:
            below[parents[node] - 1] &= shown[node]
    chosen, opened = [], set()
    for node, above in enumerate(parents):
        if above and above - 1 not in opened:
            continue
        if node < inner and below[node]:
            opened.add(node)
        else:
            chosen.append(node)
    return chosen


def crowds(taxonomy: Taxonomy, nodes: list[int], crowd: Flags) -> list[int]:
    """Nodes that are crowds, and in place of the others the next crowd above, if there
    is one.
    """
    merged = (
        next((node for node in taxonomy.path(chosen) if crowd[node]), None)
        for chosen in nodes
    )
    return sorted({node for node in merged if node is not None})


def chosen_nodes(
    taxonomy: Taxonomy,
    level: str | int | None,
    *,
    widths: Floats,
    width: float | None,
    crowd: Flags | None,
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """All that is asked for. Raises `EstimateError` for a level and a width
    together.
    """
    if level is not None and width is not None:
        raise EstimateError("expected a level or a width of intervals, got both")
    nodes = list(range(len(taxonomy.parents)))
    if level is not None:
        nodes = nodes_of_level(taxonomy, level)
    elif width is not None:
        nodes = finest(taxonomy, widths, width)
    if crowd is not None:
        nodes = crowds(taxonomy, nodes, crowd)
    return np.array(nodes, dtype=np.int64)
