"""Bit vectors broken on purpose.

Unless they say otherwise, functions replace `UnaryEncoding.randomize`.
"""

from __future__ import annotations

from fractions import Fraction

from lawbook import privacy, same_bytes, sampler, support
from mutants import altered

from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.numbers.randomness import draw_bits


def sets_only(self, value, random):
    """All bits with the probability of another value's.

    Then the true one is set, and never cleared.
    """
    noise = draw_bits(
        0,
        self.size,
        self.if_other,
        if_other=self.if_other,
        random=random,
        word=self.word,
    )
    return (
        noise
        | draw_bits(1, 1, self.if_true, if_other=0, random=random, word=self.word)
        << value
    )


def last_bit_plain(self, value, random):
    rest = (1 << self.size - 1) - 1
    return (
        draw_bits(1 << value & rest, self.size - 1, *self[1:3], random, self.word)
        | 1 << value & ~rest
    )


def true_bit_kept(self, value, random):
    return UnaryEncoding(*self).randomize(value, random) | 1 << value


def share_a_word(self, value, random):
    word = random(1)[0] & (1 << self.word) - 1
    return _compared(self, value, [word] * self.size)


def share_low_bits(self, value, random):
    """The bits beyond the planes come from one reserve word, whatever their
    position.
    """
    tape = random(self.size + 1)
    low = tape[self.size] & 1
    return _compared(
        self,
        value,
        [tape[bit] << 1 & (1 << self.word) - 1 | low for bit in range(self.size)],
    )


def stop_when_decided(self, value, random):
    """Planes are drawn until no bit is undecided, which depends on thresholds, hence
    the value.
    """
    ones, tied = 0, (1 << self.size) - 1
    for place in range(self.word - 1, -1, -1):
        if not tied:
            break
        threshold = _bits(
            (self.if_true if bit == value else self.if_other) >> place & 1
            for bit in range(self.size)
        )
        decided = tied & (random(1)[0] ^ threshold)
        ones, tied = ones | decided & threshold, tied ^ decided
    return ones


def low_bits_ignored(self, value, random):
    return UnaryEncoding(
        self.size, self.if_true >> 1, self.if_other >> 1, word=self.word - 1
    ).randomize(value, random)


def at_most(self, value, random):
    """A word is compared by <= where < is meant."""
    return UnaryEncoding(
        self.size, self.if_true + 1, self.if_other + 1, word=self.word
    ).randomize(value, random)


def swapped(self, value, random):
    return UnaryEncoding(
        self.size, self.if_other, self.if_true, word=self.word
    ).randomize(value, random)


def reversed_positions(self, value, random):
    return UnaryEncoding(*self).randomize(self.size - 1 - value, random)


def no_one_for_the_first(self, value, random):
    return draw_bits(value and 1 << value, *self[:3], random, self.word)


def value_in_padding(self, value, random):
    return UnaryEncoding(*self).randomize(value, random) | value << self.size


def epsilon_of_one_bit(self):
    """For `ratio`: p / q, as if a report were one bit."""
    return Fraction(self.if_true, self.if_other)


def independent_of_the_truth(self):
    """For `joint_support`: the true value counted twice."""
    p, q = self.support
    return p * p, q * q


def _compared(self, value, words):
    return _bits(
        word < (self.if_true if bit == value else self.if_other)
        for bit, word in enumerate(words)
    )


def _bits(ones):
    return sum(one << bit for bit, one in enumerate(ones))


MUTANTS = (
    altered(
        "unary encoding that only sets (pure-LDP 1.1.2)",
        sampler,
        "bits-2-word-2",
        tape=(2, 1),
        randomize=sets_only,
    ),
    altered(
        "last bit not randomized (OpenDP 0.14.2)",
        sampler,
        "bits-3-word-3",
        randomize=last_bit_plain,
    ),
    altered(
        "true bit never cleared", sampler, "bits-3-word-3", randomize=true_bit_kept
    ),
    altered("all bits from one word", sampler, "bits-3-word-3", randomize=share_a_word),
    altered(
        "low bits from one word",
        sampler,
        "bits-2-reserve",
        tape=(5,),
        randomize=share_low_bits,
    ),
    altered(
        "planes drawn until all is decided",
        same_bytes,
        "bits-3-word-4",
        randomize=stop_when_decided,
    ),
    altered("low bits ignored", sampler, "bits-2-reserve", randomize=low_bits_ignored),
    altered("<= in place of <", sampler, "bits-3-word-3", randomize=at_most),
    altered("p and q swapped in the draw", sampler, "bits-3-word-3", randomize=swapped),
    altered(
        "positions reversed", sampler, "bits-3-word-3", randomize=reversed_positions
    ),
    altered(
        "first value encoded as none",
        sampler,
        "bits-3-word-3",
        randomize=no_one_for_the_first,
    ),
    altered(
        "value in the padding bits",
        same_bytes,
        "bits-3-word-3",
        randomize=value_in_padding,
    ),
    altered(
        "epsilon of one bit",
        privacy,
        "bits-3-word-3",
        ratio=property(epsilon_of_one_bit),
    ),
    altered(
        "joint support of the true value",
        support,
        "bits-3-word-3",
        joint_support=independent_of_the_truth,
    ),
)
