"""Symbol responses, matrices and square waves broken on purpose.

Unless they say otherwise, functions replace `randomize`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from lawbook import averages, privacy, same_bytes, sampler, unbiased
from mutants import GENUINE, altered
from specimens import Specimen

from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.mechanisms.numbers.square_wave import SquareWave
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.randomness import randbelow

GENUINE |= {
    f"epsilon {size}": Specimen("", RandomizedResponse(2, *odds(Fraction(size))))
    for size in (20, 36)
}


def other_from_all(self, value, random):
    """The "other" value is drawn from all values, the true one included."""
    size, truth, other = self
    if randbelow(truth + (size - 1) * other, random) < truth:
        return value
    return randbelow(size, random)


def other_above(self, value, random):
    other = _other(self, randbelow, random)
    return value if other is None else other + (other > value)


def other_unshifted(self, value, random):
    other = _other(self, randbelow, random)
    return value if other is None else other


def other_is_next(self, value, random):
    return value if _other(self, randbelow, random) is None else (value + 1) % self.size


def modulo_biased(self, value, random):
    other = _other(self, lambda bound, source: source(1)[0] % bound, random)
    return value if other is None else other + (other >= value)


def first_value_plain(self, value, random):
    return RandomizedResponse(*self).randomize(value, random) if value else 0


def lie_flagged(self, value, random):
    report = RandomizedResponse(*self).randomize(value, random)
    return report | (report != value) << 7


def looks_for_its_value(self, value, random):
    """Draws once for each value up to its own."""
    random(1 + value)
    return RandomizedResponse(*self).randomize(value, random)


def uniforms_of(bits):
    """For `channel`: what `uniform < p` gives, for two values, with uniforms of a few
    bits.
    """

    def channel(self):
        lie = Fraction(
            math.floor(RandomizedResponse(*self).support[1] * 2**bits), 2**bits
        )
        return Channel(((1 - lie, lie), (lie, 1 - lie)))

    return channel


def kept_or_any(self):
    """For `channel`: the true value with probability p, else any value."""
    p, _ = self.support
    any_value = (1 - p) / self.size
    return Channel(
        tuple(
            tuple(any_value + p * (x == y) for y in range(self.size))
            for x in range(self.size)
        )
    )


def column_for_row(self, value, random):
    return StochasticMatrix(tuple(zip(*self.weights, strict=True))).randomize(
        value, random
    )


def at_most(self, value, random):
    row = self.weights[value]
    left, symbol = randbelow(sum(row), random), 0
    while left > row[symbol]:
        left, symbol = left - row[symbol], symbol + 1
    return symbol


def ratio_within_rows(self):
    """For `ratio`."""
    return max(Fraction(max(row), min(row)) for row in self.weights)


def ratio_of_yes(self):
    """For `ratio`: what a yes reveals, and not what a no does."""
    return Fraction(self.weights[1][1], self.weights[0][1])


def one_place_on(self, value, random):
    """The place after the window is as likely as those within it."""
    place = SquareWave(*self).randomize(value, random)
    return value + self.width if place == value + self.width - 1 else place


def weights_swapped(self, value, random):
    size, width, truth, other = self
    drawn = randbelow(width * other + (size - 1) * truth, random)
    if drawn < width * other:
        return value + drawn // other
    beyond = (drawn - width * other) // truth
    return beyond + width * (beyond >= value)


def without_room(self, value, random):
    """Places beyond the window are counted as if there were no window."""
    size, width, truth, other = self
    drawn = randbelow(width * truth + (size - 1) * other, random)
    within = width * truth
    return value + drawn // truth if drawn < within else (drawn - within) // other


def windows_cut(self):
    """For `channel`: windows end with the values, as a histogram would have it."""
    near, far = self.rates
    rows = []
    for value in range(self.size):
        inside = [
            value <= place < min(value + self.width, self.size) for place in self._line
        ]
        row = [near if likely else far for likely in inside]
        rows.append(tuple(mass / sum(row) for mass in row))
    return Channel(tuple(rows))


def window_too_wide(self):
    """For `channel`: a window of one place more, where the integers say otherwise."""
    wider = SquareWave(self.size - 1, self.width + 1, self.truth, other=self.other)
    rows = wider.channel().rows
    return Channel((*rows, rows[-1]))


def _other(self, below, random):
    """The number of the other value that is reported; None for the truth."""
    drawn = below(self.truth + (self.size - 1) * self.other, random) - self.truth
    return None if drawn < 0 else drawn // self.other


MUTANTS = (
    altered(
        "other value drawn from all",
        sampler,
        "symbols-3",
        tape=(8, 8),
        randomize=other_from_all,
    ),
    altered("> in place of >=", sampler, "symbols-7", randomize=other_above),
    altered(
        "other value may be the true one",
        sampler,
        "symbols-7",
        randomize=other_unshifted,
    ),
    altered(
        "other value is always the next", sampler, "symbols-7", randomize=other_is_next
    ),
    altered("p and q of another channel", unbiased, "symbols-3", channel=kept_or_any),
    altered("modulo bias", sampler, "symbols-3", randomize=modulo_biased),
    altered(
        "first value sent as it is", sampler, "symbols-3", randomize=first_value_plain
    ),
    altered("lies flagged", same_bytes, "symbols-3", randomize=lie_flagged),
    altered(
        "bytes drawn depend on the value",
        same_bytes,
        "symbols-7",
        randomize=looks_for_its_value,
    ),
    altered(
        "24-bit uniforms at epsilon 20", privacy, "epsilon 20", channel=uniforms_of(24)
    ),
    altered(
        "32-bit uniforms at epsilon 20", privacy, "epsilon 20", channel=uniforms_of(32)
    ),
    altered(
        "32-bit uniforms at epsilon 36", privacy, "epsilon 36", channel=uniforms_of(32)
    ),
    altered(
        "53-bit uniforms at epsilon 36", privacy, "epsilon 36", channel=uniforms_of(53)
    ),
    altered("matrix read by columns", sampler, "matrix-3", randomize=column_for_row),
    altered("<= in place of < in a matrix", sampler, "matrix-3", randomize=at_most),
    altered(
        "ratio within rows", privacy, "matrix-3", ratio=property(ratio_within_rows)
    ),
    altered("ratio of yes alone", privacy, "forced-2", ratio=property(ratio_of_yes)),
    altered(
        "a window one place off", sampler, "square-wave-usual", randomize=one_place_on
    ),
    altered(
        "weights of a window swapped",
        sampler,
        "square-wave-narrow",
        randomize=weights_swapped,
    ),
    altered(
        "no room for the window", sampler, "square-wave-usual", randomize=without_room
    ),
    altered(
        "a window one place too wide",
        averages,
        "square-wave-usual",
        channel=window_too_wide,
    ),
    altered(
        "windows cut at the end", privacy, "square-wave-usual", channel=windows_cut
    ),
)
