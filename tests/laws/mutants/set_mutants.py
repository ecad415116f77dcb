"""Mechanisms of sets broken on purpose.

Unless they say otherwise, functions replace `randomize`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from lawbook import privacy, same_bytes, sampler, unbiased
from mutants import GENUINE, Mutant, altered, designed_as

from ldp.answers.sets import members
from ldp.mechanisms.sets.pad_and_sample import PadAndSample
from ldp.mechanisms.sets.set_unary import SetEncoding
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.subset import SubsetSelection
from ldp.numbers.exact import WEIGHT_SCALE, exp_lower
from ldp.numbers.randomness import WORD, randbelow

E, SPAN = exp_lower(Fraction(1)), 1 << WORD
ODDS_OF_TWO = math.floor((2 * (E - 1) + 1) * WEIGHT_SCALE)
"""The weight of the truth that `pad-grr` may give at epsilon 1, sets of up to two being
drawn from.
"""


def members_only(self, value, random):
    """Draws from the members; a dummy only stands for no member at all."""
    values = members(value) or [self.size]
    return self.oracle.randomize(values[randbelow(len(values), random)], random)


def the_lower_of_two_draws(self, value, random):
    place = min(randbelow(self.most, random), randbelow(self.most, random))
    return self.oracle.randomize(self.entry(members(value), place), random)


def every_member(self, value, random):
    """Reports every entry and sends the last: what is drawn depends on the number of
    members.
    """
    for entry in [self.size, *members(value)]:
        report = self.oracle.randomize(entry, random)
    return report


def first_member_alone(self, value, random):
    return SetEncoding(*self).randomize(value & -value, random)


def as_if_all_were_sent(self):
    """For `support`: the rates without the draw."""
    return self.oracle.support


def epsilon_of_one_value(self):
    """For `ratio`: what it takes to exchange one value for another."""
    p, q = self.support
    return p * (1 - q) / ((1 - p) * q)


def epsilon_of_one_way(self):
    """For `ratio`: as if a set could hold more than another and not less at the same
    time.
    """
    p, q = self.support
    return (p / q) ** self.most


def one_dummy(genuine):
    """The mutant whose dummies are all alike, at the odds that different ones allow."""
    size, most, oracle = GENUINE[genuine].randomizer
    broken = PadAndSample(size, most, oracle._replace(size=size + 1))
    # The ratio that is claimed is the one of different dummies.
    return Mutant(
        "one dummy for many",
        privacy,
        GENUINE[genuine],
        broken=GENUINE[genuine]._replace(randomizer=broken),
    )


MUTANTS = (
    altered(
        "sampled from the members alone",
        sampler,
        "padded-symbols",
        randomize=members_only,
    ),
    altered(
        "sampled with a bias",
        sampler,
        "padded-symbols",
        tape=(1, 1, 8),
        randomize=the_lower_of_two_draws,
    ),
    altered(
        "draws for every member", same_bytes, "padded-symbols", randomize=every_member
    ),
    altered(
        "rates without the sampling",
        unbiased,
        "padded-symbols",
        support=property(as_if_all_were_sent),
    ),
    one_dummy("padded-symbols"),
    designed_as(
        "the gain of sampling claimed for subsets",
        "pad-ss-1",
        PadAndSample(4, 2, SubsetSelection(5, 2, ODDS_OF_TWO, other=WEIGHT_SCALE)),
    ),
    designed_as(
        "odds multiplied by the number of entries",
        "pad-grr-1",
        PadAndSample(
            4, 2, RandomizedResponse(6, math.floor(2 * E * WEIGHT_SCALE), WEIGHT_SCALE)
        ),
    ),
    designed_as(
        "epsilon for each bit of a set",
        "set-unary-1",
        SetEncoding(4, 2, SPAN // 2, if_other=math.ceil(SPAN / (E + 1))),
    ),
    altered(
        "first member encoded alone", sampler, "set-3", randomize=first_member_alone
    ),
    altered(
        "epsilon of one value of a set",
        privacy,
        "set-3-whole",
        ratio=property(epsilon_of_one_value),
    ),
    altered(
        "epsilon of values added", privacy, "set-3", ratio=property(epsilon_of_one_way)
    ),
)
