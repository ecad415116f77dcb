"""Stripes: any rectangle of a map, from stripes that a device lays across it.

Arcs tell ranges of a line (`numbers.arcs`), and stripes are their like on a map of g x
g cells. A device draws how many times places go around a circle from cell to cell, k1
times along x and k2 along y, whatever it holds; then it reports an arc of that circle,
which holds its own place more often than any other set of as many places does. The
cells whose place is on the arc lie in stripes across the map: wide ones for low
frequencies, narrow ones for high ones, at any slant. All together they tell every
rectangle.

With P the least odd prime from g on, R the rational just below e^epsilon, Z = R t + P -
t,

    k = (k1, k2) with its weight, one of half of all pairs but (0, 0);  z = k1 x + k2 y mod P
    s = z - d mod P,  d one of 0, ..., t-1 with weight R each, one of t, ..., P-1 with weight 1 each
    a report (k, s) supports the cell (x', y') if (k1 x' + k2 y' - s) mod P < t
    P[(k, s) | x, y] = w_k (R if it supports the cell else 1) / Z

Under each frequency t of the P reports support a cell, so any two cells are told apart
with odds of R and no more. Pairs k and -k are the same stripes: those that are drawn
have numbers from (P-1)/2 + 1 on, k1 P + k2, in this order as cohorts.

The usual weights make rectangles best known, on average. What a rectangle asks for is a
sum of waves v = (v1, v2), and stripes of frequency k tell of all its multiples m k:

    x_v = sum of w_k sin^2(pi m t/P) / sin^2(pi m/P) over all m and k with m k = v mod P
    r_v = r(v1) r(v2),  r(0) = (g + 1)(g + 2) / 6,  r(j) = 1 / (2 sin^2(pi j/P))   how much is asked
    the sum of r_v / x_v is to be least, where the sum of w_k is 1

Each step multiplies w_k by the root of what the sum would gain by more of it, as for
pyramids; 20 of them, all in integers, leave the sum within 1 % of its least value for
epsilons up to 2. Weights are the same for (k1, k2), (k2, k1) and with either of them
turned around; they are kept for 0 <= a <= b <= (P-1)/2, where a and b are how far k1
and k2 are from 0, around the circle.

Source: arcs as supports follow Wang, Blocki, Li and Jha 2017 (pure oracles); the
estimator and weights are derived in docs/appendix/places.md.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Numbers, Small, of_places
from ldp.mechanisms.numbers.arcs import draw_behind, usual_modulus
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import Layout, with_cohort
from ldp.numbers.randomness import Random, randbelow
from ldp.numbers.sines import squared_sines

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

_STEPS = 20
_WHOLE = 1 << 20
"""What the usual weights of all frequencies add up to, or a little less."""
_FINE = 1 << 64
"""The unit of fixed-point numbers: of weights, before they are rounded to those that
are kept.
"""
_ROOM = 512
"""Bits that keep quotients from losing any that matter."""

_WIDTHS = (
    (3, Fraction(1)),
    (Fraction(9, 2), Fraction(5, 4)),
    (12, Fraction(3, 2)),
    (33, 2),
)
"""The width of an arc, times (R + 1) / P, for R up to so much; 3 beyond."""
_WIDEST = 3

Pair = tuple[int, int]

_kept: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
"""Laws and what they add up to, by the ids of laws: to hash hundreds of numbers would
take longer than all the rest of a report.
"""
_MOST_KEPT = 64


class Stripes(NamedTuple):
    """A cell of a square grid of `size` cells, as an arc of `width` of `modulus`
    places.

    A report holds the true place with weight `truth` for each of the arc's, `other` for
    the others.
    """

    size: int
    modulus: int
    width: int
    truth: int
    other: int
    law: tuple[int, ...]
    """The weights of frequencies, by how far they are from 0 (`folded_pairs`)."""

    @property
    def kind(self) -> Kind:
        """Decoded by the waves of a map."""
        return "stripes"

    @property
    def layout(self) -> Layout:
        """The number of the frequency as a cohort, and the first place of the arc as a
        symbol.
        """
        return Layout(cohorts=(self.modulus**2 - 1) // 2, symbols=self.modulus)

    @property
    def side(self) -> int:
        """How many cells the map has along either axis."""
        return isqrt(self.size)

    @property
    def ratio(self) -> Fraction:
        """Ratio of an arc with the true place, and one without."""
        return Fraction(self.truth, self.other)

    @property
    def mass(self) -> int:
        """The weights of all arcs under one frequency: Z, times `other`."""
        return self.width * self.truth + (self.modulus - self.width) * self.other

    @property
    def weights(self) -> tuple[int, ...]:
        """Weight of every frequency, in the order of cohorts."""
        return _unfold(self.modulus, self.law)

    def integers(self) -> Numbers:
        """The fields, the weights as one row."""
        return {**self._asdict(), "law": (self.law,)}

    def blanket(self) -> Blanket:
        """Two cells share as few arcs as can be."""
        from ldp.mechanisms.blankets import of_stretch

        return of_stretch(self.ratio, self.width, self.modulus)

    def randomize(self, value: Value, random: Random) -> int:
        """A frequency, and an arc that holds the cell's place more often than not."""
        below = _sums(self.modulus, self.law)
        cohort = bisect_right(below, randbelow(below[-1], random))
        behind = draw_behind(
            self.width, self.modulus, odds=(self.truth, self.other), random=random
        )
        start = (self.place(int(value), cohort) - behind) % self.modulus
        return with_cohort(start, cohort, len(below))

    def channel(self) -> Channel:
        """A row for each cell; a column for each frequency and arc, the arc varying
        fastest.
        """
        weights = self.weights
        total = sum(weights) * self.mass
        return Channel(
            tuple(
                tuple(
                    Fraction(weight * self._odds(value, cohort, start), total)
                    for cohort, weight in enumerate(weights)
                    for start in range(self.modulus)
                )
                for value in range(self.size)
            )
        )

    def place(self, value: int, cohort: int) -> int:
        """The place of a cell on the circle of a frequency."""
        across, up = frequency_of(cohort, self.modulus)
        x, y = divmod(value, self.side)
        return int(across * x + up * y) % self.modulus

    def _odds(self, value: int, cohort: int, start: int) -> int:
        within = (self.place(value, cohort) - start) % self.modulus < self.width
        if within:
            return self.truth
        return self.other

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return Stripes(4, 5, 3, truth=2, other=1, law=(1, 2, 1, 1, 2)), (4, 3)


def frequency_of(cohort: Any, modulus: int) -> tuple[Any, Any]:
    """How often places go around the circle from cell to cell, along x and along y.

    Of an array of cohorts those of each.
    """
    number = cohort + (modulus + 1) // 2
    return number // modulus, number % modulus


@lru_cache(maxsize=16)
def folded_pairs(modulus: int) -> tuple[Pair, ...]:
    """How far frequencies are from 0, the lesser one first: all that have a weight of
    their own.
    """
    half = modulus // 2
    pairs = ((a, b) for a in range(half + 1) for b in range(a, half + 1))
    return tuple(pairs)[1:]


def fold_pair(pair: Pair, modulus: int) -> Pair:
    """How far the two are from 0 around the circle, the lesser one first."""
    a, b = sorted(min(k % modulus, -k % modulus) for k in pair)
    return a, b


@lru_cache(maxsize=16)
def _unfold(modulus: int, law: tuple[int, ...]) -> tuple[int, ...]:
    weight_of = dict(zip(folded_pairs(modulus), law, strict=True))
    cohorts = range((modulus**2 - 1) // 2)
    return tuple(
        weight_of[fold_pair(frequency_of(cohort, modulus), modulus)]
        for cohort in cohorts
    )


def _sums(modulus: int, law: tuple[int, ...]) -> tuple[int, ...]:
    """The weights of all frequencies added up, for a draw to be looked up in."""
    kept = _kept.get(id(law))
    # As long as it is kept, no other law has its id.
    if kept is not None and kept[0] is law:
        return kept[1]
    if len(_kept) >= _MOST_KEPT:
        _kept.clear()
    sums = tuple(accumulate(_unfold(modulus, law)))
    _kept[id(law)] = law, sums
    return sums


def usual_width(modulus: int, ratio: Fraction) -> int:
    """How many places an arc has for the least error of rectangles, nearly."""
    factor = next((times for most, times in _WIDTHS if ratio <= most), _WIDEST)
    return max(1, round(factor * modulus / (ratio + 1)))


@lru_cache(maxsize=64)
def usual_law(side: int, modulus: int, width: int) -> tuple[int, ...]:
    """The weights of frequencies that make rectangles best known, by `folded_pairs`."""
    pairs = folded_pairs(modulus)
    number = {pair: place for place, pair in enumerate(pairs)}
    # How many frequencies have the weight of each pair.
    many = Counter(_unfold(modulus, tuple(range(len(pairs)))))
    telling, asked = _telling(modulus, width), _rectangle_weights(side, modulus)
    # For m = 1, 2, ...: of every pair, the number of the one that is m times as far.
    multiples = [
        [number[fold_pair((m * a, m * b), modulus)] for a, b in pairs]
        for m in range(1, modulus // 2 + 1)
    ]
    weights = [_FINE] * len(pairs)
    for _ in range(_STEPS):
        known = [0] * len(pairs)
        for of_multiple, further in zip(telling, multiples, strict=True):
            for weight, place in zip(weights, further, strict=True):
                known[place] += weight * of_multiple
        lacking = [
            (ask << _ROOM) // knows**2 for ask, knows in zip(asked, known, strict=True)
        ]
        gains = [0] * len(pairs)
        for of_multiple, further in zip(telling, multiples, strict=True):
            for number_, place in enumerate(further):
                gains[number_] += of_multiple * lacking[place]
        weights = [
            weight * isqrt(gain) for weight, gain in zip(weights, gains, strict=True)
        ]
        total = sum(weight * many[place] for place, weight in enumerate(weights))
        weights = [weight * _FINE // total for weight in weights]
    return tuple(weight * _WHOLE // _FINE for weight in weights)


def _telling(modulus: int, width: int) -> list[int]:
    """By m = 1, ..., (P-1)/2: what stripes tell of the waves m times as fast, as x_v
    says.
    """
    half = modulus // 2
    of_arc, of_place = (squared_sines(modulus, across, half) for across in (width, 1))
    return [of_arc[m] * _FINE // of_place[m] for m in range(1, half + 1)]


def _rectangle_weights(side: int, modulus: int) -> list[int]:
    """By pair: how much of its wave is in a rectangle, squared, on average, as r_v
    says.
    """
    half = modulus // 2
    squares = squared_sines(modulus, 1, half)
    along = [
        (side + 1) * (side + 2) * _FINE // 6,
        *(_FINE**2 // (2 * squares[j]) for j in range(1, half + 1)),
    ]
    return [along[a] * along[b] for a, b in folded_pairs(modulus)]


@lru_cache(maxsize=64)
def usual_stripes(side: int, truth: int, other: int) -> Stripes:
    """Return the stripes of a map of side x side cells, with the usual width and
    weights.
    """
    modulus = usual_modulus(max(side, 3), circular=True)
    width = usual_width(modulus, Fraction(truth, other))
    law = usual_law(side, modulus, width)
    return Stripes(side**2, modulus, width, truth=truth, other=other, law=law)


def design(keys: Keys, domain: Domain) -> tuple[Stripes, Declared]:
    """`epsilon`, and the `width` of the arcs if it is not to be the usual one."""
    epsilon = keys.epsilon()
    stripes = usual_stripes(domain.fields[0].size, *odds(epsilon))
    if "width" in keys:
        modulus = stripes.modulus
        width = keys.integer("width", 1, modulus - 1)
        law = usual_law(stripes.side, modulus, width)
        stripes = stripes._replace(width=width, law=law)
    return stripes, Declared.epsilon(epsilon)


MECHANISM = Mechanism(
    "stripes",
    "stripes at any slant, for the rectangles of a map at a small epsilon",
    ("epsilon", "width"),
    accepts=of_places,
    design=design,
)
