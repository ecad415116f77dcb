"""Arcs: the distribution of a number, from one arc of a circle that a device winds its
line around.

The values are laid on a circle of P places, each k places after the one before it, for
a frequency k that the device draws whatever it holds. It then reports an arc of t
places, which holds its own place more often than any other set of t does. Low
frequencies tell the far from the near, high ones neighbours apart: together they tell
every range of values, with an error that grows with the logarithm of how many values
there are.

With P a prime above the number of values, R the rational just below e^epsilon, Z = R t
+ P - t,

    k with probability in proportion to its weight,  z = k x mod P
    y = z - d mod P,  d one of 0, ..., t-1 with weight R each, one of t, ..., P-1 with weight 1 each
    a report (k, y) supports x' if (k x' - y) mod P < t
    P[(k, y) | x] = w_k (R if it supports x else 1) / Z

Under each frequency t of the P reports support a value, so any two values are told
apart with odds of R and no more. P is above 1.1 times the number of values: that some
places are known to be empty makes the ends of the line better known. Values that lie on
a circle themselves have no ends: for them P is the least prime from their number on,
and with a prime number of them no place is empty.

The usual weights spread what reports tell over all waves of the line evenly. An arc
tells of its own frequency k, and less of each multiple m k of it, by c_m; so, for k =
1, 2, ...,

    W_k = max(0, 1 - sum of c_m W_(k/m) over divisors m > 1 of k),   w_k = W_k / k
    c_m = sin^2(pi m t/P) / (m sin^2(pi t/P))

in integers of 2^-64 (sines by Taylor's and Chebyshev's formulas), so that every device
and every aggregator has the same. They are worked out when the first report is made. A
survey may have other weights; any are unbiased, and none costs privacy.

Source: arcs as supports follow Wang, Blocki, Li and Jha 2017 (pure oracles); the
estimator and weights are derived in docs/appendix/numbers.md.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import (
    Declared,
    Kind,
    Mechanism,
    Numbers,
    Small,
    ordered_up_to,
)
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import Layout, with_cohort
from ldp.numbers.randomness import Random, randbelow
from ldp.numbers.sines import UNIT, squared_sines

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_VALUES = 1 << 12
MOST_FREQUENCIES = 1 << 10
MOST_WEIGHT = 1 << 40

_WIDTHS = (
    (Fraction(9, 2), Fraction(1)),
    (Fraction(12), Fraction(5, 4)),
    (33, Fraction(3, 2)),
)
"""The width of an arc, times (R + 1) / P, for R up to so much; 7/4 beyond."""
_WIDEST = Fraction(7, 4)


class Arcs(NamedTuple):
    """One of `size` values, on a circle of `modulus` places, as an arc of `width`.

    A report holds the true place with weight `truth` for each of the arc's, `other` for
    the others.
    """

    size: int
    modulus: int
    width: int
    truth: int
    other: int
    weights: tuple[int, ...] = ()
    """Of the frequencies 1, 2, ...; the usual ones, if there are none."""

    @property
    def kind(self) -> Kind:
        """Decoded to the distribution of a number."""
        return "arcs"

    @property
    def layout(self) -> Layout:
        """The frequency, less 1, as a cohort, and the first place of the arc as a
        symbol.
        """
        frequencies = len(self.weights) or most_frequencies(self.modulus)
        return Layout(cohorts=frequencies, symbols=self.modulus)

    @property
    def ratio(self) -> Fraction:
        """Ratio of an arc with the true place, and one without."""
        return Fraction(self.truth, self.other)

    @property
    def mass(self) -> int:
        """The weights of all arcs under one frequency: Z, times `other`."""
        return self.width * self.truth + (self.modulus - self.width) * self.other

    @property
    def law(self) -> tuple[int, ...]:
        """The weights of the frequencies."""
        return self.weights or usual_weights(self.modulus, self.width)

    @property
    def _below(self) -> tuple[int, ...]:
        """The weights added up, for a draw to be looked up in."""
        if self.weights:
            return tuple(accumulate(self.weights))
        return _usual_sums(self.modulus, self.width)

    def integers(self) -> Numbers:
        """The fields; of the weights, none if they are the usual ones."""
        return {**self._asdict(), "weights": (self.weights,)}

    def blanket(self) -> Blanket:
        """Two values share as few arcs as can be."""
        from ldp.mechanisms.blankets import of_stretch

        return of_stretch(self.ratio, self.width, self.modulus)

    def randomize(self, value: Value, random: Random) -> int:
        """A frequency, and an arc that holds the value's place more often than not."""
        below = self._below
        cohort = bisect_right(below, randbelow(below[-1], random))
        behind = draw_behind(
            self.width, self.modulus, odds=(self.truth, self.other), random=random
        )
        start = ((cohort + 1) * int(value) - behind) % self.modulus
        return with_cohort(start, cohort, len(below))

    def channel(self) -> Channel:
        """A row for each value; a column for each frequency and arc, the arc varying
        fastest.
        """
        total = sum(self.law) * self.mass
        return Channel(
            tuple(
                tuple(
                    Fraction(weight * self._odds(value, cohort + 1, start), total)
                    for cohort, weight in enumerate(self.law)
                    for start in range(self.modulus)
                )
                for value in range(self.size)
            )
        )

    def supports(self, value: int, frequency: int, start: int) -> bool:
        """Whether the arc from `start` holds the place of a value."""
        return (frequency * value - start) % self.modulus < self.width

    def _odds(self, value: int, frequency: int, start: int) -> int:
        if self.supports(value, frequency, start):
            return self.truth
        return self.other

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return Arcs(5, 7, 2, truth=3, other=1, weights=(2, 1, 1)), (2, 8)


def draw_behind(
    width: int, modulus: int, *, odds: tuple[int, int], random: Random
) -> int:
    """How far behind the true place an arc begins: below `width`, it holds that place.

    `odds` weigh each distance below it, and each of the others.
    """
    truth, other = odds
    within = width * truth
    drawn = randbelow(within + (modulus - width) * other, random)
    if drawn < within:
        return drawn // truth
    return width + (drawn - within) // other


@lru_cache(maxsize=64)
def _usual_sums(modulus: int, width: int) -> tuple[int, ...]:
    return tuple(accumulate(usual_weights(modulus, width)))


def most_frequencies(modulus: int) -> int:
    """How many frequencies there are: k and P - k are the same circle, read
    backwards.
    """
    return min((modulus - 1) // 2, MOST_FREQUENCIES)


@lru_cache(maxsize=64)
def usual_weights(modulus: int, width: int) -> tuple[int, ...]:
    """w_k for k = 1, 2, ... as integers, of which the first is 2^32."""
    frequencies = most_frequencies(modulus)
    squares = squared_sines(modulus, width, frequencies)
    one = 1 << UNIT
    worth = [0] + [one] * frequencies
    for k in range(1, frequencies + 1):
        worth[k] = max(worth[k], 0)
        # What the arcs of frequency k tell of its multiples need not be told again.
        for m in range(2, frequencies // k + 1):
            worth[k * m] -= (squares[m] * worth[k]) // (m * squares[1])
    return tuple(worth[k] // (k << 32) for k in range(1, frequencies + 1))


def usual_modulus(size: int, *, circular: bool = False) -> int:
    """The least prime above the number of values that is at least 1.1 times as many,
    less one.

    On a circle the least prime from the number of values on.
    """
    modulus = size if circular else max(size + 1, size * 11 // 10)
    while not is_prime(modulus):
        modulus += 1
    return modulus


def is_prime(number: int) -> bool:
    """Whether a number of a few digits is prime."""
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 1
    return number > 1


def usual_width(modulus: int, ratio: Fraction) -> int:
    """How many places an arc has for the least error of ranges, to the nearest."""
    factor = next((times for most, times in _WIDTHS if ratio <= most), _WIDEST)
    return max(1, round(factor * modulus / (ratio + 1)))


def design(keys: Keys, domain: Domain) -> tuple[Arcs, Declared]:
    """`epsilon`; `modulus`, `width` and `weights`, if they are not to be the usual
    ones.

    Where the mechanism is left to us, and none of them is written, width and weights
    are searched.
    """
    epsilon = keys.epsilon()
    truth, other = odds(epsilon)
    size = domain.size or 2
    modulus = usual_modulus(size, circular=domain.circular)
    if "modulus" in keys:
        modulus = _stated_modulus(keys, size, circular=domain.circular)
    width = usual_width(modulus, Fraction(truth, other))
    weights: tuple[int, ...] = ()
    written = [key in keys for key in ("modulus", "width", "weights")]
    left_to_us = keys.text("mechanism", default="arcs") == "auto" and not any(written)
    if left_to_us and modulus < 2 * MOST_FREQUENCIES:
        from ldp.mechanisms.numbers.arc_search import search_weights

        width, weights = search_weights(modulus, truth, other)
    width = keys.integer("width", 1, modulus - 1, default=width)
    if "weights" in keys:
        weights = _stated_weights(keys, most_frequencies(modulus))
    arcs = Arcs(size, modulus, width=width, truth=truth, other=other, weights=weights)
    return arcs, Declared.epsilon(epsilon)


def _stated_modulus(keys: Keys, size: int, *, circular: bool) -> int:
    modulus = keys.integer("modulus", size if circular else size + 1, 2 * MOST_VALUES)
    if is_prime(modulus):
        return modulus
    least = "no less than" if circular else "above"
    keys.problem("modulus", f"a prime number {least} the number of values", modulus)
    return usual_modulus(size, circular=circular)


def _stated_weights(keys: Keys, most: int) -> tuple[int, ...]:
    exact = keys.fractions("weights", 1, most, furthest=Fraction(MOST_WEIGHT))
    weights = tuple(
        int(weight) for weight in exact if weight.denominator == 1 and weight >= 0
    )
    if len(weights) == len(exact) and weights[0]:
        return weights
    keys.problem("weights", "whole numbers from 0, the first above 0", "others")
    return (1,)


MECHANISM = Mechanism(
    "arcs",
    "arcs of a circle, for the distribution of a number",
    ("epsilon", "modulus", "width", "weights"),
    accepts=ordered_up_to(MOST_VALUES),
    design=design,
)
