"""Cells that hold about as many people each: a map that is cut in two, again and again
(k-d tree).

The rectangle with the greatest share is cut across its longer side, where its halves
come nearest to holding as much as each other, until there are as many as wanted. Cuts
depend on estimated shares alone, so they cost no privacy; and what is estimated of the
cells afterwards, from other reports, is unbiased however cuts came about.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Floats


class Box(NamedTuple):
    """A rectangle of cells: from the first place of each axis up to, but not at, the
    second.
    """

    west: int
    east: int
    south: int
    north: int

    @property
    def sides(self) -> tuple[int, int]:
        """How many cells it has along x, and along y."""
        return self.east - self.west, self.north - self.south


def share_of(shares: Floats, box: Box) -> float:
    """What is within a box; `shares` are of shape (x, y)."""
    return float(shares[box.west : box.east, box.south : box.north].sum())


def cut(shares: Floats, cells: int) -> list[Box]:
    """The map in so many boxes, or as many as it can be cut in; shares have to be 0 or
    more.
    """
    whole = Box(0, shares.shape[0], 0, north=shares.shape[1])
    boxes: list[Box] = []
    # The greatest share first; of equal ones the box that begins first.
    heap = [(-share_of(shares, whole), whole)]
    while heap and len(heap) + len(boxes) < cells:
        _, box = heapq.heappop(heap)
        if max(box.sides) == 1:
            boxes.append(box)
            continue
        for part in halve(shares, box):
            heapq.heappush(heap, (-share_of(shares, part), part))
    return sorted([*boxes, *(box for _, box in heap)])


def halve(shares: Floats, box: Box) -> tuple[Box, Box]:
    """Both parts of a box, across its longer side."""
    part = shares[box.west : box.east, box.south : box.north]
    along_x = box.sides[0] >= box.sides[1]
    below = np.cumsum(part.sum(axis=1 if along_x else 0))
    # Of cuts that are as even, as in empty boxes, the one nearest to the middle.
    uneven = abs(2 * below[:-1] - below[-1])
    off_middle = abs(2 * np.arange(1, len(below)) - len(below))
    place = 1 + int(np.lexsort((off_middle, uneven))[0])
    if along_x:
        middle = box.west + place
        return box._replace(east=middle), box._replace(west=middle)
    middle = box.south + place
    return box._replace(north=middle), box._replace(south=middle)
