"""Pyramids: any rectangle of a map, from grids that are finer and coarser along each
axis.

A range of numbers is made of a few halves of halves (`numbers.tree`), and a rectangle
of the products of such: of a map of 64 x 64 cells any rectangle is made of 100 at most,
wide ones or high ones or small ones. So each device answers for one view of the map:
how many times the x axis is halved, and how many times the y axis. The view is drawn
without a look at the answer, and the cell of the answer there is told with the whole
epsilon. A tree is what this is with one axis, and all that is said there of places,
symbols and privacy holds here.

    view    (a, b) with weight w_ab: 2^a x 2^b cells, all of a, b = 0, ..., h but (0, 0)
    number  a (h + 1) + b - 1, its cohort; the last one is the whole grid of 2^h x 2^h
            cells
    value   x 2^h + y;  its cell in a view: (x >> (h - a)) 2^b + (y >> (h - b))

The usual weights minimize the error of all rectangles, on average. What a rectangle
asks for is a sum of contrasts: of levels (i, j), what is left of the middle of a cell
less what is right of it, along x and y, or the sum along an axis whose level is 0.
Views are different from each other, and whatever is told by one of them about contrasts
of levels up to its own adds up. With V_ab for the variance of a difference of two cells
in a view (over 2, if answers are spread evenly),

    x_ij = sum over a >= i, b >= j of w_ab / (2^(a+b) V_ab)  what is known of contrasts
    r_i r_j, with r as in `_ranges`                          how much of them is in a rectangle
    the sum of r_i r_j / x_ij is to be least, where the sum of w_ab is 1

Each step makes w_ab as much larger as the root of what the sum would gain by more of
it,

    w_ab <- w_ab (sum over i <= a, j <= b of r_i r_j / x_ij^2 / (2^(a+b) V_ab))^(1/2)

and 100 of them, all in integers, leave the sum within .1 % of its least value. Weights
are in units of 2^-16 of their sum, and part of what a survey compiles to. A survey may
have others; any are unbiased, and none costs privacy.

Source: Hay et al. 2010 (trees); Wang et al. 2019 (products of levels, with equal
shares, as HIO); the weights are derived in docs/appendix/places.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import isqrt
from typing import Any

from ldp.answers.domain import Domain
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, of_places
from ldp.mechanisms.numbers.tree import (
    TreeResponse,
    best_space,
    difference_variance,
    oracles_of,
    stated_law,
)
from ldp.numbers.exact import odds

_STEPS = 100
_WHOLE = 1 << 16
"""What the usual weights add up to, or a little less."""
_FINE = 1 << 64
"""The unit of fixed-point numbers: of weights, before they are rounded to those that
are kept.
"""
_ROOM = 512
"""Bits that keep quotients from losing any that matter."""

View = tuple[int, int]
Table = dict[View, int]
"""A number for each pair of levels, from none to the finest."""


class PyramidResponse(TreeResponse):
    """A response to the cell of one of `size` values, those of a square grid, in one of
    its views.

    As that of a tree: `law` and `spaces` are by view.
    """

    __slots__ = ()

    @property
    def kind(self) -> Kind:
        """Decoded view by view, then pooled."""
        return "pyramid"

    @property
    def depth(self) -> int:
        """How many times each axis is halved."""
        return (self.size.bit_length() - 1) // 2

    @property
    def cells(self) -> tuple[int, ...]:
        """How many cells each view has."""
        return tuple(1 << (across + up) for across, up in halvings(self.depth))

    def cell_of(self, number: int, value: Any) -> Any:
        """The cell that a value has in a view; of an array of values those of each."""
        depth = self.depth
        across, up = halvings(depth)[number]
        return (value >> (2 * depth - across) << up) + (
            value % (1 << depth) >> (depth - up)
        )

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        spaces = ((0, 1, 1), (0, 1, 1), (0, 2, 1))
        return PyramidResponse(4, (1, 0, 3), spaces, truth=5, other=2), (2, 8)


@lru_cache(maxsize=16)
def halvings(depth: int) -> tuple[View, ...]:
    """How many times each axis is halved in each view."""
    return tuple(product(range(depth + 1), range(depth + 1)))[1:]


def usual_law(variances: tuple[Fraction, ...], depth: int) -> tuple[int, ...]:
    """The weights of the views that make rectangles best known, from V of each."""
    views = halvings(depth)
    ranges = _ranges(depth)
    asked = {(across, up): ranges[across] * ranges[up] for across, up in views}
    telling = {
        (across, up): int(_FINE / (variance * (1 << (across + up))))
        for (across, up), variance in zip(views, variances, strict=True)
    }
    weights = dict.fromkeys(views, _FINE)
    for _ in range(_STEPS):
        known = _sums(
            {view: weights[view] * telling[view] for view in views}, depth, finer=True
        )
        lacking = {view: (asked[view] << _ROOM) // known[view] ** 2 for view in views}
        gains = _sums(lacking, depth, finer=False)
        grown = {
            view: weights[view] * isqrt(gains[view] * telling[view]) for view in views
        }
        total = sum(grown.values())
        weights = {view: weight * _FINE // total for view, weight in grown.items()}
    return tuple(weights[view] * _WHOLE // _FINE for view in views)


def _ranges(depth: int) -> tuple[int, ...]:
    """r: how much of the contrasts of each level is in a range of 2^h values, up to a
    factor.

    Contrasts are of length 1, and parts squared, on average over all ranges. What a
    range has left of the middle of a cell of 2 s values, less what it has right of it,
    is the height of one end on a hat, s high and 2 s wide, less that of the other end.
    """
    size = 1 << depth
    halves = (size >> level for level in range(1, depth + 1))
    return (size + 1) ** 2 * (size + 2), *(
        size // half * ((size + 1) * (2 * half**2 + 1) - 3 * half**3) for half in halves
    )


def _sums(numbers: Table, depth: int, *, finer: bool) -> Table:
    """Sum, for each pair of levels, over those that are as fine or finer; or as coarse
    or so.
    """
    order = range(depth, -1, -1) if finer else range(depth + 1)
    step = 1 if finer else -1
    sums: Table = {}
    for across, up in product(order, repeat=2):
        beside = sums.get((across + step, up), 0)
        above = sums.get((across, up + step), 0)
        both = sums.get((across + step, up + step), 0)
        sums[across, up] = numbers.get((across, up), 0) + beside + above - both
    return sums


@lru_cache(maxsize=64)
def usual_response(depth: int, truth: int, other: int) -> PyramidResponse:
    """The response for a grid of 2^h x 2^h values, with the usual weights."""
    cells = tuple(1 << (across + up) for across, up in halvings(depth))
    spaces = tuple(best_space(number, truth, other) for number in cells)
    oracles = oracles_of(cells, spaces, truth, other=other)
    law = usual_law(tuple(map(difference_variance, oracles, cells)), depth)
    return PyramidResponse(1 << 2 * depth, law, spaces, truth=truth, other=other)


def design(keys: Keys, domain: Domain) -> tuple[PyramidResponse, Declared]:
    """`epsilon`, and `weights` of the views if they are not to be the usual ones."""
    epsilon = keys.epsilon()
    response = usual_response((domain.fields[0].size).bit_length() - 1, *odds(epsilon))
    if "weights" in keys:
        response = response._replace(law=stated_law(keys, len(response.law)))
    return response, Declared.epsilon(epsilon)


MECHANISM = Mechanism(
    "pyramid",
    "grids that are finer and coarser along each axis, for the rectangles of a map",
    ("epsilon", "weights"),
    accepts=of_places,
    design=design,
)
