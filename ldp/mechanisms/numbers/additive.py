"""Noise added to a whole number: the discrete Laplace mechanism, and the geometric one.

The latter is cut to the domain.

    report = x + Z, cut at both ends to [low - margin, high + margin]
    P[Z = z] in proportion to a^|z|,  a = 1 / s
    P[y | x] = a^|y-x| (1-a) / (1+a),  at either end a^|y-x| / (1+a)
    epsilon = N ln s,  N = high - low

In the local model any value may stand in for any other, so the sensitivity is all of N.
`geometric` has no margin: its reports are the domain itself. What lies beyond the
domain tells nothing more than that it lies beyond, so that cutting the reports of
`laplace` to the domain makes them those of `geometric`, and nothing is lost by it.

In integers: s = near / far; the noise `reach` = N + margin stands for all that is as
far or farther, with weight `least`. One step nearer has weight floor(least (s - 1)),
each step after that floor(s) times as much, so that neither two neighbouring weights
nor two neighbouring tails differ by more than s.

Source: Ghosh, Roughgarden and Sundararajan 2009 (the range-restricted geometric
mechanism).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, integers_up_to
from ldp.numbers.channel import Channel
from ldp.numbers.exact import exp_lower
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_OUTPUTS = 1 << 16
MOST_LAPLACE_VALUES = 1 << 14

_STEP_SCALE = 1 << 64
"""The odds of one step lie on a grid of 2^-64; the least step is a ten-thousandth in
65,535.
"""
_LEAST = 1 << 96
"""A ten-thousandth of it in 65,535 is still a weight of 66 bits: rounding costs next to
nothing.
"""
_USUAL_MARGIN, _LARGEST_MARGIN = 7, 40
"""In units of N / epsilon: the noise goes as far with probability e^-7 and e^-40."""


class AdditiveNoise(NamedTuple):
    """A value among `size` whole numbers, plus noise.

    A step away from the value has odds of `far` to `near`.
    """

    size: int
    margin: int
    near: int
    far: int
    least: int

    @property
    def kind(self) -> Kind:
        """Decoded by a filter of three terms."""
        return "noise"

    @property
    def layout(self) -> Layout:
        """A symbol: 0 for the lowest output, `margin` for the lowest value."""
        return Layout(symbols=self.size + 2 * self.margin)

    @property
    def step(self) -> Fraction:
        """a: how much less likely a report is for each step away from the value."""
        return Fraction(self.far, self.near)

    @property
    def ratio(self) -> Fraction:
        """The largest ratio within a column."""
        return _ratio(self)

    def blanket(self) -> Blanket:
        """Derived from the rows of the two ends."""
        from ldp.mechanisms.blankets import of_rows

        # The first value and the last are farthest apart, and one of them is the least
        # likely one.
        return of_rows((self.row(0), self.row(self.size - 1)))

    def randomize(self, value: Value, random: Random) -> int:
        """The value plus noise, whose law knows nothing of the value; then cut."""
        rising = tails(self)
        reach = len(rising) - 1
        upward = rising[-1]
        weight = randbelow(upward + rising[-2], random)
        # Upwards from 0, or downwards from -1.
        if weight < upward:
            noise = reach - bisect_right(rising, weight)
        else:
            noise = bisect_right(rising, weight - upward) - reach
        return min(
            max(int(value) + self.margin + noise, 0), self.size + 2 * self.margin - 1
        )

    def channel(self) -> Channel:
        """The law of the noise, shifted to each value and folded in at the ends."""
        return Channel(tuple(self.row(value) for value in range(self.size)))

    def row(self, value: int) -> tuple[Fraction, ...]:
        """P[report | value] of every report, in order."""
        falling = tails(self)[::-1]
        total = falling[0] + falling[1]
        last = self.size + 2 * self.margin - 1

        def mass(output: int) -> Fraction:
            distance = abs(output - value - self.margin)
            beyond = 0 if output in (0, last) else falling[distance + 1]
            return Fraction(falling[distance] - beyond, total)

        return tuple(map(mass, range(last + 1)))

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return AdditiveNoise(4, 2, 2, far=1, least=1), (8,)


@lru_cache(maxsize=8)
def tails(noise: AdditiveNoise) -> tuple[int, ...]:
    """The weights of noise of at least k, for k from the reach down to 0."""
    return tuple(accumulate(_weights(noise), initial=noise.least))


def _weights(noise: AdditiveNoise) -> Iterator[int]:
    """The weights of noise of exactly k, for k from the reach less 1 down to 0."""
    size, margin, near, far, least = noise
    weight = least * (near - far) // far
    for _ in range(size - 2 + margin):
        yield weight
        weight = weight * near // far
    yield weight


@lru_cache(maxsize=8)
def _ratio(noise: AdditiveNoise) -> Fraction:
    """Over the columns: at an end, beyond the domain, and within."""
    margin = noise.margin
    across = noise.size - 1
    falling = tails(noise)[::-1]
    weights = [tail - beyond for tail, beyond in pairwise(falling)]
    worst = falling[margin], falling[margin + across]
    # Within the domain the lowest value's column tells most; without a margin that is
    # an end, and it is the next one's.
    columns = zip(weights[:margin], weights[across:], strict=False)
    if not margin:
        columns = zip(weights[:1], weights[across - 1 : across], strict=True)
    for high, low in columns:
        # Products in place of fractions, which there may be tens of thousands of.
        if high * worst[1] > worst[0] * low:
            worst = high, low
    return Fraction(*worst)


def _design(
    keys: Keys, domain: Domain, margin: int | None
) -> tuple[AdditiveNoise, Declared]:
    epsilon = keys.epsilon()
    size = domain.size or 2
    across = size - 1
    if margin is None:
        most = min((MOST_OUTPUTS - size) // 2, ceil(_LARGEST_MARGIN * across / epsilon))
        margin = keys.integer(
            "margin", 1, most, default=min(most, ceil(_USUAL_MARGIN * across / epsilon))
        )
    near = floor(exp_lower(epsilon / across) * _STEP_SCALE)
    return AdditiveNoise(
        size, margin, near, far=_STEP_SCALE, least=_LEAST
    ), Declared.epsilon(epsilon)


def geometric(keys: Keys, domain: Domain) -> tuple[AdditiveNoise, Declared]:
    """`epsilon`."""
    return _design(keys, domain, 0)


def laplace(keys: Keys, domain: Domain) -> tuple[AdditiveNoise, Declared]:
    """`epsilon`, and `margin` if the noise shall be cut elsewhere.

    It is cut 7 (high - low) / epsilon beyond the domain otherwise.
    """
    return _design(keys, domain, None)


GEOMETRIC = Mechanism(
    "geometric",
    "geometric noise on a whole number, cut to its range",
    ("epsilon",),
    accepts=integers_up_to(MOST_OUTPUTS),
    design=geometric,
)
LAPLACE = Mechanism(
    "laplace",
    "discrete Laplace noise on a whole number",
    ("epsilon", "margin"),
    accepts=integers_up_to(MOST_LAPLACE_VALUES),
    design=laplace,
)
