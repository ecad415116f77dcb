"""Subset selection: report a set of w values, which holds the true one with odds R.

That is against each set that does not hold it.

    p = w R / (w R + d - w),  q = p (w - 1) / (d - 1) + (1 - p) w / (d - 1)
    w minimizes the total error; there is no mechanism with a smaller one (Ye and Barg
    2018; Park, Nam and Lee 2023)

A draw first makes a uniform set of w values that knows nothing of the truth, then puts
the truth in, or takes it out, by exchanging it for a uniform member (or stranger).

Source: Ye and Barg 2018; Wang, Huang, Wang, Nie, Xu, Yang, Li and Qiao 2016
(omega-subset mechanism).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, needs_short_list
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import MOST_BITS, Layout
from ldp.numbers.randomness import Random, bernoulli, draw_below

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

_SPARSE = 16
_FEW = 12


class SubsetSelection(NamedTuple):
    """A set of `chosen` of `size` values.

    Sets that hold the truth have weight `truth`, others `other`.
    """

    size: int
    chosen: int
    truth: int
    other: int

    @property
    def kind(self) -> Kind:
        """Decoded by counting."""
        return "pure"

    @property
    def layout(self) -> Layout:
        """A vector of bits, `chosen` of them set."""
        return Layout(bits=self.size, ones=self.chosen)

    @property
    def ratio(self) -> Fraction:
        """The odds of a set that holds the truth against one that does not."""
        return Fraction(self.truth, self.other)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        size, chosen, truth, other = self
        p = Fraction(chosen * truth, chosen * truth + (size - chosen) * other)
        return p, (p * (chosen - 1) + (1 - p) * chosen) / (size - 1)

    def joint_support(self) -> tuple[Fraction, Fraction]:
        """Given whether the truth is in, the rest of the set is uniform."""
        size, chosen, _, _ = self
        p, _ = self.support
        if size == 2:
            return Fraction(0), Fraction(0)
        rest = (size - 1) * (size - 2)
        neither = (
            p * (chosen - 1) * (chosen - 2) / rest
            + (1 - p) * chosen * (chosen - 1) / rest
        )
        return p * Fraction(chosen - 1, size - 1), neither

    def blanket(self) -> Blanket:
        """Sets hold one of two values, or both."""
        from ldp.mechanisms.blankets import two_levels

        size, chosen = self.size, self.chosen
        share = Fraction(chosen, size)
        return two_levels(
            self.ratio,
            share * Fraction(size - chosen, size - 1),
            share * Fraction(chosen - 1, size - 1),
        )

    def randomize(self, value: Value, random: Random) -> int:
        """A set as a bit vector."""
        size, chosen, truth, other = self
        inside = bernoulli(
            chosen * truth, chosen * truth + (size - chosen) * other, random
        )
        positions = draw_below(size, random)
        vector = _uniform_set(size, chosen, positions, random=random)
        # Both are drawn whether or not they are needed, so that the bytes drawn say
        # nothing.
        member = _member(vector, size, chosen, positions=positions)
        stranger = _member(~vector, size, size - chosen, positions=positions)
        mark = 1 << int(value)
        if bool(vector & mark) == inside:
            return vector
        return vector ^ mark ^ (member if inside else stranger)

    def channel(self) -> Channel:
        """One column for each of the 2^size vectors; those of another size have
        probability 0.
        """
        size, chosen, truth, other = self

        def weight(vector: int, value: int) -> int:
            if vector.bit_count() != chosen:
                return 0
            if vector >> value & 1:
                return truth
            return other

        vectors = range(1 << size)
        weights = [
            [weight(vector, value) for vector in vectors] for value in range(size)
        ]
        total = sum(weights[0])  # as that of every row
        return Channel(
            tuple(tuple(Fraction(entry, total) for entry in row) for row in weights)
        )

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return SubsetSelection(2, 1, 3, other=1), (2, 1)


def _uniform_set(
    size: int, chosen: int, positions: Iterator[int], random: Random
) -> int:
    """A uniform set of `chosen` of `size` positions, as a vector.

    `positions` are uniform ones without end.

    Grown from the empty set by uniform sets of those positions that are not yet in it:
    independent bits of some coarse rate, which are a uniform set given how many of them
    are set, as long as that is no more than what is missing. The last few are added
    position by position. Nothing here prefers a position to another, so the result is
    uniform.
    """
    vector = 0
    missing = chosen
    # A rate a standard deviation below what is missing, so that it seldom turns out to
    # be more.
    while missing > _FEW:
        rate = (missing - math.isqrt(missing)) * 256 // (size - chosen + missing)
        if not rate:
            break
        more = _coarse_bits(size, rate, random) & ~vector
        if more.bit_count() <= missing:
            vector |= more
            missing = chosen - vector.bit_count()
    while missing:
        grown = vector | 1 << next(positions)
        missing -= grown != vector
        vector = grown
    return vector


def _coarse_bits(size: int, rate: int, random: Random) -> int:
    """Independent bits, each 1 with probability rate / 256.

    From the last binary digit of the rate to the first: `or` with fair bits where it is
    1, `and` where it is 0.
    """
    width = (size + 7) >> 3
    digits = 8
    while not rate & 1:
        rate >>= 1
        digits -= 1
    tape = random(digits * width)
    vector = 0
    for at in range(0, digits * width, width):
        fair = int.from_bytes(tape[at : at + width], "little")
        vector = vector | fair if rate & 1 else vector & fair
        rate >>= 1
    return vector & (1 << size) - 1


def _member(vector: int, size: int, count: int, positions: Iterator[int]) -> int:
    """One of the `count` bits that are set among the first `size`, as a vector of its
    own.
    """
    if count * _SPARSE < size:
        # So few that walking past them is quicker than trying positions.
        draw = next(draw for draw in positions if draw < size - size % count)
        for _ in range(draw % count):
            vector &= vector - 1
        return vector & -vector
    return next(bit for position in positions if vector & (bit := 1 << position))


def least_error_size(size: int, ratio: Fraction) -> int:
    """The w with the least total error: the best of those around d / (R + 1)."""
    middle = int(size / (ratio + 1))
    around = range(max(1, middle - 2), min(size - 1, middle + 3) + 1)
    truth, other = ratio.as_integer_ratio()

    def error(w: int) -> Fraction:
        # nR* + 1 - 1/d = (d-1)^2 (w R + d - w)^2 / (d w (d-w) (R-1)^2): what depends on
        # w.
        return Fraction((w * truth + (size - w) * other) ** 2, w * (size - w))

    return min(around, key=error)


def design(keys: Keys, domain: Domain) -> tuple[SubsetSelection, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    truth, other = odds(epsilon)
    size = domain.size or 2
    chosen = least_error_size(size, Fraction(truth, other))
    return SubsetSelection(size, chosen, truth, other=other), Declared.epsilon(epsilon)


MECHANISM = Mechanism(
    "ss",
    "subset selection",
    ("epsilon",),
    accepts=needs_short_list(MOST_BITS),
    design=design,
)
