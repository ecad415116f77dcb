"""The privacy blanket of a mechanism: what its reports have in common, whatever the
answers are.

Each randomizer states its own (`blanket`), most of them by how many reports support one
of two answers, and how many both:

| randomizer | weight E for | h | b |
|---|---|---|---|
| k-ary response (warner: 2 values) | the value | 1/d | 0 |
| subset selection, w of d | sets that hold it | (w/d)(d-w)/(d-1) | (w/d)(w-1)/(d-1) |
| projective geometry: v points, k each, l shared | its points | (k-l)/v | l/v |
| Hadamard, one block; `hcms` | its half | 1/4 | 1/4 |
| Hadamard, B blocks | its half block | 1/(2B) | 0 |
| local hashing, g buckets that meet with c | its bucket | (1-c)/g | c/g |
| unary encoding with p, q | its bit set | q (1-q) | q^2 |
| square wave, w of m places, o of them in both end windows | its window | (w-o)/m | o/m |
| arcs, stripes, t of P; codebook, t words of P | its arc or words | t/P, at most 1 - t/P | rest |

Public views (trees, pyramids, taxonomies, subsets of fields) are mixtures of these
whose view everyone sees, and count as if every view told the two answers apart; hash
functions as if no two answers ever met. Others go by E, gamma and the largest distance
T. A memoized mechanism counts with a device's first report: later ones are drawn from
what the device keeps, so that no relay can hide one among others.

A randomizer R draws with some probability from one and the same law, whatever the
answer is: those reports are cover for everybody else's. Of a pair of answers x0, x1 and
with a blanket w, a part of every row (w(y) <= R(y|x) for all x), all that matters are
its mass, gamma = sum of w, and how far R(y|x0) and R(y|x1) rise above it. Both lie from
w to E w, in a square, and a point of the square is a mean of its corners:

    first   R(y|x0) = E w, R(y|x1) = w        probability h
    second  R(y|x0) = w, R(y|x1) = E w        probability h
    both    R(y|x0) = R(y|x1) = E w           probability b
    neither R(y|x0) = R(y|x1) = w             the rest

The bound of `ldp.privacy.deltas` is the mean of a convex function of these numbers,
linear within each report, so moving each point to the corners (with its mean kept) can
only raise it. Points of mechanisms of two levels are corners. For others, as few as
possible are moved to `first` and `second`, and sums over y give

    1 / gamma = 1 + (E - 1) (h + b)           as R(.|x0) sums to 1
    h = T / (gamma (E - 1))                   T the total variation distance of R(.|x0) and R(.|x1)

Moving mass from `both` and `neither` to `first` and `second` raises the bound too, so
the worst pair is the one that is farthest apart. So three numbers bound what any
mechanism is worth in a batch: E, gamma, and the largest T; and these may be rounded: E
up, gamma down, T up.

Two-valued questions keep the two levels that their outputs have. Where nothing is known
but E there is the bound of any randomizer: others hide the pair with probability 1 / E,
as a fair coin's toss.

Sources: Balle, Bell, Gascon and Nissim 2019 (the blanket); Feldman, McMillan and Talwar
2021 (any randomizer); the corners follow from Jensen's inequality.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import ceil, comb, floor, lcm, prod
from typing import NamedTuple, Protocol

from ldp.numbers.channel import Row

_GRID = 1 << 128
"""Where numbers are rounded to."""
_MOST_BITS = 1 << 11
"""Of a numerator: numbers that are longer are rounded."""


class Blanket(NamedTuple):
    """The blanket of one pair of answers, and where their laws rise above it.

    `first` and `second` are the levels E of R(y|x0) and R(y|x1); `only_first`,
    `only_second` and `both` the probabilities, under the blanket, that they do.
    `covers` is how often another respondent's report is drawn from it.
    """

    first: Fraction
    second: Fraction
    only_first: Fraction
    only_second: Fraction
    both: Fraction
    covers: Fraction

    @property
    def gamma(self) -> Fraction:
        """The blanket's mass in the row of one of the two answers."""
        return 1 / (
            1 + (self.first - 1) * self.only_first + (self.first - 1) * self.both
        )

    @property
    def neither(self) -> Fraction:
        """The probability that a report of the blanket is on the lower level of
        both.
        """
        return 1 - self.only_first - self.only_second - self.both

    @property
    def reverse(self) -> Blanket:
        """Blanket of the same pair the other way round."""
        return self._replace(
            first=self.second,
            second=self.first,
            only_first=self.only_second,
            only_second=self.only_first,
        )

    @property
    def directions(self) -> tuple[Blanket, ...]:
        """The pair both ways round, unless that makes no difference."""
        if self == self.reverse:
            return (self,)
        return (self, self.reverse)


class Covering(Protocol):
    """A randomizer, as far as its blanket goes."""

    def blanket(self) -> Blanket:
        """Return the blanket of its worst pair of answers."""

    def __hash__(self) -> int:
        """Hash the fields."""


def blanket_of(randomizer: Covering) -> Blanket:
    """Return the blanket of a mechanism's worst pair of answers, in numbers of bounded
    length.
    """
    # Kept by its class besides: named tuples of two classes are equal if their integers
    # are.
    return _blanket_of(type(randomizer), randomizer)


@lru_cache(maxsize=256)
def _blanket_of(of_class: type, randomizer: Covering) -> Blanket:  # noqa: ARG001
    return shortened(randomizer.blanket())


def two_levels(ratio: Fraction, only_first: Fraction, both: Fraction) -> Blanket:
    """The blanket of a mechanism whose reports have one of two weights, `ratio` : 1."""
    blanket = Blanket(
        ratio, ratio, only_first, only_second=only_first, both=both, covers=Fraction(1)
    )
    return blanket._replace(covers=blanket.gamma)


def of_levels(ratio: Fraction, gamma: Fraction, distance: Fraction) -> Blanket:
    """The blanket that bounds any mechanism: E, the least gamma, the largest distance
    T.

    Raises `ValueError` for numbers that no mechanism has.
    """
    if ratio <= 1 or not 0 < gamma <= 1:
        raise ValueError(
            f"expected a ratio above 1 and 0 < gamma <= 1, got {ratio} and {gamma}"
        )
    only_first = distance / (gamma * (ratio - 1))
    above = (1 / gamma - 1) / (ratio - 1)
    if not 0 <= only_first <= min(above, 1 - above):
        raise ValueError(
            f"expected a distance that a blanket of {gamma} at a ratio of {ratio} "
            f"leaves room for, got {distance}"
        )
    return two_levels(ratio, only_first, above - only_first)


def of_rates(ones: Fraction, others: Fraction) -> Blanket:
    """The blanket of a question with two values, answered by two outputs.

    `ones` and `others` are how often the first value and the second give the first
    output.

    Raises `ValueError` unless both outputs tell something.
    """
    if not 0 < others < ones < 1:
        raise ValueError(f"expected 0 < other rate < rate < 1, got {others} and {ones}")
    gamma = others + 1 - ones
    return Blanket(
        ones / others,
        (1 - others) / (1 - ones),
        others / gamma,
        only_second=(1 - ones) / gamma,
        both=Fraction(0),
        covers=gamma,
    )


def of_any(ratio: Fraction) -> Blanket:
    """Return a blanket that bounds any randomizer of which only E is known."""
    half = Fraction(1, 2)
    return Blanket(
        ratio, ratio, half, only_second=half, both=Fraction(0), covers=1 / ratio
    )


def of_bits(p: Fraction, q: Fraction, ones: int) -> Blanket:
    """Return the blanket of answers that have so many bits each, none of them
    another's.

    A bit is 1 with probability `p` if it is the answer's, else `q`.
    """
    if p < q:
        p, q = 1 - p, 1 - q
    ratio = p * (1 - q) / (q * (1 - p))
    if ones == 1:
        return two_levels(ratio, q * (1 - q), q * q)
    own, other = (
        [
            comb(ones, some) * rate**some * (1 - rate) ** (ones - some)
            for some in range(ones + 1)
        ]
        for rate in (p, q)
    )
    distance = sum(
        (
            max(own[i] * other[j] - other[i] * own[j], Fraction(0))
            for i in range(ones + 1)
            for j in range(i)
        ),
        Fraction(0),
    )
    return of_levels(ratio**ones, ((1 - p) / (1 - q)) ** ones, distance)


def of_stretch(ratio: Fraction, width: int, whole: int) -> Blanket:
    """Return that of answers with `width` supporters each, of which two share as few as
    can be.
    """
    only = Fraction(min(width, whole - width), whole)
    return two_levels(ratio, only, Fraction(width, whole) - only)


def of_views(ratio: Fraction, views: Iterable[tuple[Fraction, Covering]]) -> Blanket:
    """Return that of public views: each with the share that draw it, and its
    randomizer.
    """
    gamma = distance = Fraction(0)
    for share, oracle in views:
        blanket = blanket_of(oracle)
        gamma += share * blanket.gamma
        distance += share * blanket.gamma * blanket.only_first * (blanket.first - 1)
    return of_levels(ratio, gamma, distance)


def of_rows(rows: tuple[Row, ...]) -> Blanket:
    """The blanket of a channel that is written out: a row for each value, a column a
    report.

    Raises `ValueError` if some output is impossible for some value and not for all.
    """
    columns = [column for column in zip(*rows, strict=True) if max(column) > 0]
    if any(min(column) == 0 for column in columns):
        raise ValueError("expected a channel that gives every report to every value")
    if len(rows) == 2 and len(columns) == 2:
        return of_rates(max(columns[0]), min(columns[0]))
    ratio = max(max(column) / min(column) for column in columns)
    gamma = sum((min(column) for column in columns), Fraction(0))
    return of_levels(ratio, gamma, furthest(rows))


def furthest(rows: tuple[Row, ...]) -> Fraction:
    """The largest total variation distance between two rows."""
    # Whole numbers over one denominator, as there are many pairs.
    scale = lcm(*{entry.denominator for row in rows for entry in row})
    whole = [[int(entry * scale) for entry in row] for row in rows]
    most = max(
        sum(a - b for a, b in zip(one, other, strict=True) if a > b)
        for one, other in combinations(whole, 2)
    )
    return Fraction(most, scale)


def shortened(blanket: Blanket) -> Blanket:
    """Return the same, or one that bounds it if its numbers are very long."""
    longest = max(part.denominator.bit_length() for part in blanket)
    if longest > _MOST_BITS:
        return round_outward(blanket)
    return blanket


def round_outward(blanket: Blanket) -> Blanket:
    """One of shorter numbers that bounds no less: E up, gamma down, T up.

    A lower gamma raises the levels above it in proportion.
    """
    if blanket.covers != blanket.gamma or blanket.first != blanket.second:
        return of_any(_up(max(blanket.first, blanket.second)))
    distance = blanket.only_first * blanket.gamma * (blanket.first - 1)
    gamma = Fraction(floor(blanket.gamma * _GRID), _GRID)
    if gamma == 0:
        return of_any(_up(blanket.first))
    return of_levels(_up(blanket.first * blanket.gamma / gamma), gamma, _up(distance))


def _up(number: Fraction) -> Fraction:
    return Fraction(ceil(number * _GRID), _GRID)


def of_row(blankets: tuple[Blanket, ...]) -> Blanket:
    """The blanket of several reports that travel together, as one message.

    The laws of its parts are multiplied; a respondent may change all of the answers.
    """
    ratio = prod(
        (max(blanket.first, blanket.second) for blanket in blankets), start=Fraction(1)
    )
    if any(blanket.covers != blanket.gamma for blanket in blankets):
        return of_any(ratio)
    gamma = prod((blanket.gamma for blanket in blankets), start=Fraction(1))
    # Both of two answers may change from yes to no, or one from yes and the other from
    # no: where the two levels of a part differ, these are not equally far apart.
    ways = product(*(blanket.directions for blanket in blankets))
    return of_levels(ratio, gamma, gamma * max(map(_apart, ways)))


def _apart(blankets: Iterable[Blanket]) -> Fraction:
    """How far two rows are apart, each part's pair of answers being that of its
    blanket.

    In units of the blanket's mass.
    """
    # The law of (R(y|x0), R(y|x1)) / w(y) under the blanket: a corner for each part's
    # corner.
    corners = {(Fraction(1), Fraction(1)): Fraction(1)}
    for blanket in blankets:
        grown: dict[tuple[Fraction, Fraction], Fraction] = {}
        for (one, other), mass in corners.items():
            for first, second, share in _corners(blanket):
                place = (one * first, other * second)
                grown[place] = grown.get(place, Fraction(0)) + mass * share
        corners = grown
    return sum(
        (
            mass * max(one - other, Fraction(0))
            for (one, other), mass in corners.items()
        ),
        start=Fraction(0),
    )


def _corners(blanket: Blanket) -> tuple[tuple[Fraction, Fraction, Fraction], ...]:
    low = Fraction(1)
    return (
        (blanket.first, low, blanket.only_first),
        (low, blanket.second, blanket.only_second),
        (blanket.first, blanket.second, blanket.both),
        (low, low, blanket.neither),
    )
