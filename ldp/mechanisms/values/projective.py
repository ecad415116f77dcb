"""Projective-geometry response: values and reports are points of one projective space.

It errs as little as subset selection does, with reports of a few bytes: a report names
a point, and supports all values that are orthogonal to it. The space is over a field of
q elements.

    report y supports value x if <x, y> = 0 of v = (q^t - 1) / (q - 1) points a report
    supports k, and two reports share l of theirs:
    k = (q^(t-1) - 1) / (q - 1),  l = (q^(t-2) - 1) / (q - 1)
    p = R k / (R k + v - k),  q_support = (R l + k - l) / (R k + v - k)

A point is a vector of t coordinates of which the first that is not 0 is 1. Read as a
number in base q it is q^j + r with 0 <= r < q^j, and points are numbered in the order
of those numbers: the point's index is (q^j - 1) / (q - 1) + r. The values of the
question are the first points; the others are held by no one, which is a check on the
reports (`ldp_aggregator.analyses.health_checks.phantoms`).

Of the points, k have fewer than t coordinates (their first is 0), and each q^(t-2) that
follow have their upper two coordinates in common. A tally need not count all points of
a large space: it is *folded* into one slice for the former and one for each such
stretch that holds values (`ldp_aggregator.numerics.projective.folding`).

A draw is one uniform integer below R k + v - k (in units of the weights), as in k-ary
randomized response. It names one of the k supporters of the value or one of the v - k =
q^(t-1) others, by what is left of its vector without the coordinate at which the value
has its first 1; that one follows, as the product with the value has to be 0 (or 1).

Source: Feldman, Nelson, Nguyen and Talwar 2022. That the design is cyclic, and so
decoded by one Fourier transform: Singer 1938.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.auto import summed_variance
from ldp.mechanisms.contract import (
    Declared,
    Kind,
    Mechanism,
    Numbers,
    Small,
    needs_short_list,
)
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.finite_field import (
    difference,
    inner_product,
    inverse,
    is_order,
    multiple,
)
from ldp.numbers.layout import MOST_SYMBOLS, Folding, Layout
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_POINTS = 1 << 24
"""The largest tally; larger spaces are folded."""

MOST_SLICES = 16
"""Of a folded tally: each report is counted in every one."""

_MOST_POINTS_A_VALUE = 1 << 10

_NEAREST = 5
_WORTH_MORE_POINTS = Fraction(1001, 1000)
_WORTH_FOLDING = Fraction(100, 98)


class Geometry(NamedTuple):
    """How many `points` there are, and how many of them reports support.

    One supports `block` of them, and any two share `common`.
    """

    points: int
    block: int
    common: int


@lru_cache(maxsize=1024)
def geometry(order: int, dimension: int) -> Geometry:
    """The sizes of a projective space.

    Of the vectors of `dimension` coordinates over the field of `order` elements.
    """
    return Geometry(
        *((order ** (dimension - fewer) - 1) // (order - 1) for fewer in range(3))
    )


class ProjectiveResponse(NamedTuple):
    """Weight `truth` for the points that support the value, `other` for the rest."""

    size: int
    order: int
    dimension: int
    truth: int
    other: int
    folded: bool = False
    """Whether the tally is; it is nothing that a report depends on."""

    @property
    def kind(self) -> Kind:
        """Decoded by counting."""
        return "pure"

    @property
    def layout(self) -> Layout:
        """A symbol: the index of a point."""
        points, block, common = geometry(self.order, self.dimension)
        if not self.folded:
            return Layout(symbols=points)
        beyond = max(self.size - block, 0)
        slices = 1 - (-beyond // (block - common))
        return Layout(
            symbols=points, folding=Folding(slices, self.order, self.dimension)
        )

    @property
    def ratio(self) -> Fraction:
        """The odds of a point that supports the value against one that does not."""
        return Fraction(self.truth, self.other)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        p, q, total = self._masses
        return Fraction(p, total), Fraction(q, total)

    @property
    def _masses(self) -> tuple[int, int, int]:
        """The weights of the points that support the true value, another one, and of
        all points.
        """
        points, block, common = geometry(self.order, self.dimension)
        total = self.truth * block + self.other * (points - block)
        return (
            self.truth * block,
            self.truth * common + self.other * (block - common),
            total,
        )

    def joint_support(self) -> None:
        """None: it depends on whether the true value lies on the line through the
        two.
        """
        return

    def integers(self) -> Numbers:
        """The weights, the number of values, and what makes the geometry."""
        return {
            name: number for name, number in self._asdict().items() if name != "folded"
        }

    def blanket(self) -> Blanket:
        """Points support one of two values, or both."""
        from ldp.mechanisms.blankets import two_levels

        points, block, common = geometry(self.order, self.dimension)
        return two_levels(
            self.ratio, Fraction(block - common, points), Fraction(common, points)
        )

    def randomize(self, value: Value, random: Random) -> int:
        """The index of a point."""
        _, order, dimension, truth, other, _ = self
        points, block, _ = geometry(order, dimension)
        weight = randbelow(truth * block + other * (points - block), random)
        beyond = weight - truth * block
        # What the product with the value has to be, and the rest of the vector.
        product = int(beyond >= 0)
        rest = beyond // other if product else vector(weight // truth, order)
        true, place = _vector_and_place(int(value), order)
        high, low = divmod(rest, place)
        at_place = difference(product, inner_product(true - place, low, order), order)
        return index((high * order + at_place) * place + low, order)

    def channel(self) -> Channel:
        """One row for each value, v columns."""
        points, block, _ = geometry(self.order, self.dimension)
        total = self.truth * block + self.other * (points - block)
        vectors = [vector(point, self.order) for point in range(points)]
        true, false = Fraction(self.truth, total), Fraction(self.other, total)
        return Channel(
            tuple(
                tuple(
                    false if inner_product(x, y, self.order) else true for y in vectors
                )
                for x in vectors[: self.size]
            )
        )

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return ProjectiveResponse(13, 3, 3, truth=2, other=1), (8,)


def vector(index: int, order: int) -> int:
    """The point of an index, as a number whose digits are its coordinates."""
    return _vector_and_place(index, order)[0]


def index(vector: int, order: int) -> int:
    """The index of the point that a vector (not all 0) lies on."""
    place = 1
    before = 0
    while vector >= place * order:
        before += place
        place *= order
    first = vector // place
    if first != 1:
        vector = multiple(vector, inverse(first, order), order)
    return before + vector - place


def _vector_and_place(index: int, order: int) -> tuple[int, int]:
    """A point's vector, and the place value of its first digit, which is 1."""
    place = 1
    while index >= place:
        index -= place
        place *= order
    return place + index, place


@lru_cache(maxsize=64)
def least_error_response(size: int, truth: int, other: int) -> ProjectiveResponse:
    """The space with the fewest points among those whose total error is next to the
    least.
    """
    return least_error(candidates(size, truth, other))


def candidates(size: int, truth: int, other: int) -> tuple[ProjectiveResponse, ...]:
    """The spaces with room for n values that are worth a comparison.

    As a function of q the error is nearly proportional to (R + q - 1)^2 / (q - 1), and
    so least at R + 1; for fewer values than that, to (q - 1) / R + (d - 1) / (q - 1).
    Only the orders next to that place are compared.
    """
    return tuple(
        space
        for folded in (False, True)
        for space in _nearest(size, truth, other, folded=folded)
    )


def least_error(spaces: Sequence[ProjectiveResponse]) -> ProjectiveResponse:
    """The one with the fewest points among those next to the least.

    One whose tally is folded must be worth it.
    """
    errors = []
    for space in spaces:
        error = summed_variance(*space._masses, size=space.size)
        errors.append(error * _WORTH_FOLDING if space.folded else error)
    most = _WORTH_MORE_POINTS * min(errors)
    good = [space for space, error in zip(spaces, errors, strict=True) if error <= most]
    return min(good, key=lambda space: space.layout.symbols)


def _nearest(
    size: int, truth: int, other: int, folded: bool
) -> Iterator[ProjectiveResponse]:
    """The fitting spaces of the orders nearest to the best one, on either side of it.

    Planes are not folded: the order of a larger space is at most the square root of the
    number of values.
    """
    most_points = _MOST_POINTS_A_VALUE * size
    if folded and most_points <= MOST_POINTS:
        return
    if not folded:
        most_points = min(MOST_POINTS, most_points)
    most_order = math.isqrt(size if folded else most_points)
    ratio = truth // other
    middle = min(ratio + 1, math.isqrt(ratio * (size - 1)) + 1, most_order)
    for orders in (range(middle, 1, -1), range(middle + 1, most_order + 1)):
        fields = filter(is_order, orders)
        spaces = (
            ProjectiveResponse(
                size,
                order,
                _dimension(size, order),
                truth=truth,
                other=other,
                folded=folded,
            )
            for order in fields
        )
        yield from islice(
            (space for space in spaces if _fits(space, most_points)), _NEAREST
        )


def _dimension(size: int, order: int) -> int:
    """Return the dimension of the smallest space with room for n values, at least a
    plane.
    """
    dimension = 3
    points = order * order + order + 1
    while points < size:
        dimension += 1
        points = points * order + 1
    return dimension


def _fits(space: ProjectiveResponse, most_points: int) -> bool:
    """Whether the tally is neither too large nor folded for nothing."""
    points = geometry(space.order, space.dimension).points
    if points > most_points or (space.folded and points <= MOST_POINTS):
        return False
    folding = None
    if space.folded:
        folding = space.layout.folding
    return folding is None or folding.slices <= MOST_SLICES


def design(keys: Keys, domain: Domain) -> tuple[ProjectiveResponse, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    return least_error_response(domain.size or 2, *odds(epsilon)), Declared.epsilon(
        epsilon
    )


MECHANISM = Mechanism(
    "pgr",
    "projective-geometry response",
    ("epsilon",),
    accepts=needs_short_list(MOST_SYMBOLS),
    design=design,
)
