"""Hadamard response in blocks, broken on purpose.

Unless they say otherwise, functions replace `randomize`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from lawbook import decoder, errors, privacy, same_bytes, sampler, support, unbiased
from mutants import altered, decoded_by, designed_as

from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.numbers.exact import WEIGHT_SCALE, exp_lower
from ldp.numbers.randomness import randbelow
from ldp_aggregator.decoders.values.blocks import block_supports

E = exp_lower(Fraction(8.75))


def drawn(self, random):
    """(half, uniform row), as the genuine one draws them: half 0 is that of the
    supporters.
    """
    below = randbelow(self.truth + (2 * self.blocks - 1) * self.other, random)
    return (
        0 if below < self.truth else 1 + (below - self.truth) // self.other
    ), randbelow(self.rows, random)


def in_half(row, mask, parity):
    return row ^ (mask & -mask if (row & mask).bit_count() % 2 != parity else 0)


def next_block(self, value, random):
    (own, mask), (after, row) = self.block_and_row(value), drawn(self, random)
    return (own + (after + 1) // 2) % self.blocks * self.rows + (
        in_half(row, mask, after) if after < 2 else row
    )


def never_its_other_half(self, value, random):
    (own, mask), (after, row) = self.block_and_row(value), drawn(self, random)
    return (own + after // 2) % self.blocks * self.rows + (
        in_half(row, mask, 0) if after < 2 else row
    )


def supporting_half_everywhere(self, value, random):
    (own, mask), (after, row) = self.block_and_row(value), drawn(self, random)
    return (own + after // 2) % self.blocks * self.rows + in_half(
        row, mask, int(after == 1)
    )


def own_block_always(self, value, random):
    (own, mask), (after, row) = self.block_and_row(value), drawn(self, random)
    return own * self.rows + in_half(row, mask, min(after, 1))


def drawn_until_it_supports(self, value, random):
    (own, mask), (after, row) = self.block_and_row(value), drawn(self, random)
    while after < 2 and (row & mask).bit_count() % 2 != after:
        row = randbelow(self.rows, random)
    return (own + after // 2) % self.blocks * self.rows + row


def in_runs(self, value):
    """For `block_and_row`: values side by side are in one block, as far as there is
    room.
    """
    return value // (self.rows - 1), value % (self.rows - 1) + 1


def in_reverse(self, value):
    """For `block_and_row`."""
    return -value % self.blocks, value // self.blocks + 1


def of_one_block(self):
    """For `ratio`: what tells a block's halves apart, its symbols being drawn whatever
    is held.
    """
    return Fraction(self.truth + self.other, 2 * self.other)


def without_the_block(moments, randomizer, counts):
    """As if reports of all blocks alike were against a value that they do not
    support.
    """
    supports, _ = block_supports(randomizer, counts)
    supporting, half = (float(rate) for rate in randomizer.halves)
    return replace(
        moments, frequency=(supports / moments.reports - half) / (supporting - half)
    )


def block_by_block(moments, randomizer, counts):
    """As if those who hold a value of the block sent all of its reports."""
    supports, in_block = block_supports(randomizer, counts)
    p, q = (float(rate) for rate in randomizer.within)
    share = np.divide(
        supports, in_block, out=np.full(len(supports), q), where=in_block > 0
    )
    return replace(
        moments, frequency=(share - q) / (p - q) * in_block / moments.reports
    )


def worth_of_one_block(moments, randomizer, _):
    ratio = float(randomizer.ratio)
    return replace(
        moments,
        frequency=moments.frequency
        / float(randomizer.worth)
        * (ratio + 1)
        / (ratio - 1),
    )


def no_one_else_in_the_block(moments, randomizer, _):
    ratio = float(randomizer.ratio)
    return replace(
        moments,
        variance_if_not=np.full(
            len(moments.variance_if_not), float(randomizer.worth) * 2 / (ratio - 1)
        ),
    )


def blocks_held_alike(moments, randomizer, _):
    ratio, even = float(randomizer.ratio), 1 / randomizer.blocks
    return replace(
        moments,
        variance_if_not=np.full(
            len(moments.variance_if_not),
            float(randomizer.worth) * (2 / (ratio - 1) + even),
        ),
    )


def no_one_else_with_a_set(moments, randomizer, _):
    ratio = float(randomizer.ratio)
    scale = randomizer.most * float(randomizer.worth)
    return replace(
        moments,
        variance_if_not=np.full(len(moments.variance_if_not), scale * 2 / (ratio - 1)),
    )


MUTANTS = (
    altered(
        "block after the one that was drawn",
        sampler,
        "hadamard-4-blocks",
        randomize=next_block,
    ),
    altered(
        "other half of the block never sent",
        sampler,
        "hadamard-2-blocks",
        randomize=never_its_other_half,
    ),
    altered(
        "supporters' rows in every block",
        sampler,
        "hadamard-4-blocks",
        randomize=supporting_half_everywhere,
    ),
    altered(
        "own block whatever is drawn",
        sampler,
        "hadamard-2-blocks",
        randomize=own_block_always,
    ),
    altered(
        "rows drawn until one supports",
        same_bytes,
        "hadamard-4-blocks",
        randomize=drawn_until_it_supports,
    ),
    altered(
        "values dealt out in runs", unbiased, "hadamard-2-blocks", block_and_row=in_runs
    ),
    altered(
        "values dealt out in reverse",
        support,
        "hadamard-4-blocks",
        block_and_row=in_reverse,
    ),
    altered(
        "ratio of the halves of one block",
        privacy,
        "hadamard-2-blocks",
        ratio=property(of_one_block),
    ),
    designed_as(
        "odds against all halves together",
        "hr-3",
        HadamardResponse(
            4, 4, 8, truth=math.floor(7 * E * WEIGHT_SCALE), other=WEIGHT_SCALE
        ),
    ),
    decoded_by(
        "block not looked at", decoder, "hadamard-2-blocks", change=without_the_block
    ),
    decoded_by(
        "reports of other holders taken for the block's",
        decoder,
        "hadamard-4-blocks",
        change=block_by_block,
    ),
    decoded_by(
        "worth of one block", decoder, "hadamard-2-blocks", change=worth_of_one_block
    ),
    decoded_by(
        "others of the block left out of errors",
        errors,
        "hadamard-2-blocks",
        change=no_one_else_in_the_block,
    ),
    decoded_by(
        "blocks taken to be held alike",
        errors,
        "hadamard-4-blocks",
        change=blocks_held_alike,
    ),
    decoded_by(
        "others of the block left out for sets",
        errors,
        "padded-blocks",
        change=no_one_else_with_a_set,
    ),
)
