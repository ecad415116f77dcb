"""The width and the weights of arcs that make ranges best known, searched for together.

On a circle of P places the waves j = 1, ..., (P-1)/2 are told apart by what reports
tell of them:

    x_j = sum over k of w_k sin^2(pi t i/P) / sin^2(pi i/P),   i = j/k modulo P
    error = (Z / (R-1))^2 x sum of a_j / x_j,   a_j = 1 / sin^2(pi j/P)

the error of all ranges of the circle, on average, but for a constant factor. It is
convex in the weights, so that steps `w_k <- w_k x (what more of it would gain)` lead to
the least for a width. Widths are tried from P / (R+1) up, as long as the error falls.
Narrower and wider arcs are often as good for ranges to 1 %; the widest of these tells
shares below a number best, and is taken.

With the logarithms of waves and frequencies to a base that reaches all of them, i
becomes a difference, and both sums are products of two polynomials. These are numbers
with a coefficient in every 80 bits, which Python multiplies quickly, and exactly: every
device and aggregator that reads the survey gets the same integers. A survey compiles to
them, so other devices search for nothing.

Source: worked out here; the multiplicative steps follow Silvey, Titterington and
Torsney 1978.
"""

from __future__ import annotations

from functools import lru_cache

from ldp.numbers.sines import squared_sines

_FINE = 24
"""Bits of weights, of what a report tells, and, twice as many, of what is asked."""
_BYTES = 10
"""Of a coefficient: it has room for sums of 2^10 products of `_FINE` and
`_MOST_LACKING` bits.
"""
_MOST_LACKING = 45
_TRIED, _FIRST, _LAST = 12, 16, 12
"""Steps for each width, for the first one, and at the end; small circles have room for
more.
"""
_STEPS_OF_PLACES, _MOST_STEPS = 1 << 11, 48
_AS_GOOD = 101
"""Percent of the least error."""


@lru_cache(maxsize=64)
def search_weights(modulus: int, truth: int, other: int) -> tuple[int, tuple[int, ...]]:
    """The width of arcs that have these odds, and the weights of the frequencies."""
    circle = _Circle(modulus)
    most = modulus // 2
    further = min(_STEPS_OF_PLACES // most, _MOST_STEPS)
    width = max(1, modulus * other // (truth + other))
    weights, steps = [1] * most, max(_FIRST, further)
    kept, least = (width, weights), None
    while width <= most:
        weights, asked = circle.improve(weights, width, steps)
        mass = width * truth + (modulus - width) * other
        error = mass**2 * asked // width**2 - (truth - other) ** 2 * circle.whole
        if least is not None and 100 * error > _AS_GOOD * least:
            break
        kept, least = (width, weights), error if least is None else min(error, least)
        width += max(1, width // 6)
        # What a narrower arc has no use for may be of use.
        weights = [weight + (1 << _FINE) // (16 * most) + 1 for weight in weights]
        steps = max(_TRIED, further)
    width, weights = kept
    return width, circle.by_frequency(circle.improve(weights, width, _LAST)[0])


class _Circle:
    """Places, of which waves and frequencies are in the order of their logarithms."""

    def __init__(self, modulus: int) -> None:
        self._modulus = modulus
        self._order = _powers(modulus)
        self._squares = squared_sines(modulus, 1, modulus // 2)
        # Of every wave, in units of the slowest one's.
        first = self._squares[1] << 2 * _FINE
        self._asked = [first // self._squares[wave] for wave in self._order]
        self.whole = sum(self._asked)

    def improve(
        self, weights: list[int], width: int, steps: int
    ) -> tuple[list[int], int]:
        """Better weights for arcs of a width, and the sum of a_j / x_j that they
        have.
        """
        many = len(self._order)
        telling = [self._tells(wave, width) for wave in self._order]
        onwards = _pack(telling)
        backwards = _pack([telling[-at % many] for at in range(many)])
        weights = _shares(weights)
        known = _convolve(weights, onwards)
        for _ in range(steps):
            lacking = [
                min((asked << 3 * _FINE) // knows**2, (1 << _MOST_LACKING) - 1)
                for asked, knows in zip(self._asked, known, strict=True)
            ]
            gains = _convolve(lacking, backwards)
            weights = _shares(
                [of * gain for of, gain in zip(weights, gains, strict=True)]
            )
            known = _convolve(weights, onwards)
        sums = zip(self._asked, known, strict=True)
        return weights, sum((asked << 2 * _FINE) // knows for asked, knows in sums)

    def by_frequency(self, weights: list[int]) -> tuple[int, ...]:
        """Return the weights of the frequencies 1, 2, ..., up to the last one that has
        any.
        """
        by_frequency = dict(zip(self._order, weights, strict=True))
        last = max(frequency for frequency, weight in by_frequency.items() if weight)
        return tuple(by_frequency[frequency] for frequency in range(1, last + 1))

    def _tells(self, wave: int, width: int) -> int:
        """Information of arcs of frequency 1 on a wave, by width^2: never 0."""
        times = _fold(width * wave, self._modulus)
        return (self._squares[times] << _FINE) // (width**2 * self._squares[wave]) + 1


def _fold(place: int, modulus: int) -> int:
    """Return the number of a wave and of the same one backwards."""
    return min(place % modulus, -place % modulus)


def _powers(modulus: int) -> list[int]:
    """Return the powers of the least number whose powers, folded, are all waves."""
    base = 1
    powers = [1]
    while len(powers) < modulus // 2:
        base += 1
        powers = [1]
        while (power := _fold(powers[-1] * base, modulus)) > 1:
            powers.append(power)
    return powers


def _shares(weights: list[int]) -> list[int]:
    """Scale weights in proportion so that they add up to 1."""
    total = sum(weights)
    return [(weight << _FINE) // total for weight in weights]


def _pack(numbers: list[int]) -> int:
    return int.from_bytes(
        b"".join(number.to_bytes(_BYTES, "little") for number in numbers), "little"
    )


def _convolve(numbers: list[int], packed: int) -> list[int]:
    """The sums of products over all pairs of places that add up to one, around the
    circle.
    """
    length = _BYTES * len(numbers)
    product = _pack(numbers) * packed
    around = (product >> 8 * length) + (product & ((1 << 8 * length) - 1))
    raw = around.to_bytes(length + 1, "little")
    return [
        int.from_bytes(raw[at : at + _BYTES], "little")
        for at in range(0, length, _BYTES)
    ]
