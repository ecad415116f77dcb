"""Local hashing and sketches broken on purpose.

Unless they say otherwise, functions replace `randomize`.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from lawbook import decoder, same_bytes, sampler, support, unbiased
from mutants import altered, decoded_by

from ldp.mechanisms.values.local_hashing import LocalHashing
from ldp.mechanisms.values.sketches import CountMean, HadamardCountMean, collision
from ldp.numbers.channel import Channel
from ldp.numbers.randomness import randbelow


def multiplier_from_zero(self, value, random):
    """The multiplier may be 0, under which all values meet."""
    multiplier = randbelow(self.modulus - 1, random)
    shift = randbelow(self.modulus, random)
    symbol = self.response.randomize(self.bucket(value, multiplier, shift), random)
    return self.layout.report(symbol, shift << 32 | multiplier)


def no_shift(self, value, random):
    """The shift is always 0, so that the first value never leaves the first bucket."""
    multiplier = 1 + randbelow(self.modulus - 1, random)
    return self.layout.report(
        self.response.randomize(self.bucket(value, multiplier, 0), random), multiplier
    )


def seed_that_hides_the_value(self, value, random):
    """The hash function is drawn until the value falls into the first bucket."""
    while True:
        multiplier = 1 + randbelow(self.modulus - 1, random)
        shift = randbelow(self.modulus, random)
        if self.bucket(value, multiplier, shift) == 0:
            return self.layout.report(
                self.response.randomize(0, random), shift << 32 | multiplier
            )


def one_in_g(self):
    """For `support`: values are taken to meet with probability 1/g."""
    p, lie = self.response.support
    return p, p / self.buckets + (1 - Fraction(1, self.buckets)) * lie


def all_meet(self):
    """For `channel`: every value falls into the bucket of the first."""
    return Channel((LocalHashing(*self).channel().rows[0],) * self.size)


def right_sign_elsewhere(self, value, random):
    """The coordinate is flipped after its sign was taken."""
    return HadamardCountMean(*self).randomize(value, random) ^ (2 << 16)


def cohort_from_the_value(self, value, random):
    """The cohort is that of the value, so that it names it."""
    report = CountMean(*self).randomize(value, random)
    return report >> 16 << 16 | value % self.cohorts


def buckets_that_never_meet(moments, randomizer, _):
    """Decoded as if no other value were in the bucket: (C / n - q) / (p - q) in place
    of q'.
    """
    c = float(collision(randomizer.buckets))
    return replace(moments, frequency=moments.frequency * (1 - c) + c)


MUTANTS = (
    altered("a = 0 allowed", sampler, "hash-4", randomize=multiplier_from_zero),
    altered("b left out", sampler, "hash-4", tape=(2, 3), randomize=no_shift),
    altered(
        "hash function chosen by the value",
        same_bytes,
        "hash-4",
        randomize=seed_that_hides_the_value,
    ),
    altered(
        "q with 1/g for the chance of a collision",
        support,
        "hash-4",
        support=property(one_in_g),
    ),
    altered(
        "sign of another coordinate",
        sampler,
        "hadamard-sketch-2",
        randomize=right_sign_elsewhere,
    ),
    altered(
        "sketch's cohort from the value",
        sampler,
        "sketch-2",
        randomize=cohort_from_the_value,
    ),
    decoded_by(
        "sketch whose values never meet",
        decoder,
        "sketch-2",
        change=buckets_that_never_meet,
    ),
    altered("every value in one bucket", unbiased, "hash-4", channel=all_meet),
)
