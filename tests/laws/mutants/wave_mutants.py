"""Square waves broken on purpose.

Unless they say otherwise, functions replace `randomize`.
"""

from __future__ import annotations

from lawbook import averages, privacy, sampler
from mutants import altered

from ldp.channel import Channel
from ldp.mechanisms.square_wave import SquareWave
from ldp.randomness import randbelow


def one_too_wide(self, value, random):
    """The place after the window is as likely as those within it."""
    place = SquareWave(*self).randomize(value, random)
    return value + self.width if place == value + self.width - 1 else place


def swapped(self, value, random):
    size, width, truth, other = self
    drawn = randbelow(width * other + (size - 1) * truth, random)
    if drawn < width * other:
        return value + drawn // other
    beyond = (drawn - width * other) // truth
    return beyond + width * (beyond >= value)


def not_moved_on(self, value, random):
    """Places beyond the window are counted as if there were no window."""
    size, width, truth, other = self
    drawn = randbelow(width * truth + (size - 1) * other, random)
    within = width * truth
    return value + drawn // truth if drawn < within else (drawn - within) // other


def cut_at_the_last_value(self):
    """For `channel`: windows end with the values, as a histogram would have it."""
    near, far = self.rates
    rows = []
    for value in range(self.size):
        inside = [value <= place < min(value + self.width, self.size) for place in self._line]
        row = [near if likely else far for likely in inside]
        rows.append(tuple(mass / sum(row) for mass in row))
    return Channel(tuple(rows))


def wide_channel(self):
    """For `channel`: a window of one place more, where the integers say otherwise."""
    wider = SquareWave(self.size - 1, self.width + 1, self.truth, other=self.other)
    rows = wider.channel().rows
    return Channel((*rows, rows[-1]))


MUTANTS = (
    altered("a window one place off", sampler, "square-wave-usual", randomize=one_too_wide),
    altered("weights of a window swapped", sampler, "square-wave-narrow", randomize=swapped),
    altered("no room for the window", sampler, "square-wave-usual", randomize=not_moved_on),
    altered("a window one place too wide", averages, "square-wave-usual", channel=wide_channel),
    altered("windows cut at the end", privacy, "square-wave-usual", channel=cut_at_the_last_value),
)
