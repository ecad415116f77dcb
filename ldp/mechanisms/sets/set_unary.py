"""Unary encoding of a set: one bit for each value, each bit randomized on its own.

The budget is the whole set's.

    bit x is 1 with probability p if the set holds x, q otherwise;  A = p / q, B = (1-q) / (1-p)
    epsilon = m ln max(A, B) + min(m, d-m) ln min(A, B), for sets of up to m of d values
    total error of sets that hold m:
    [m p (1-p) + (d-m) q (1-q)] / (p-q)^2 = (m A + (d-m) B) / ((A-1) (B-1))

A set may hold up to m values that another lacks, and lack up to m that it holds, d in
all at most: hence epsilon. The error is least, with h = min(m, d/2) and A B = r =
e^(epsilon/h), where the odds of p are the square root of r (h r + d-h) / (h + (d-h) r):
p = 1/2 (`oue`) for d far above m, and p = 1-q (`sue`, with epsilon/d for each bit) from
m = d/2 on. Both are thresholds over 2^64; q is raised until the delivered ratio is at
most the declared one.

Source: Wang, Blocki, Li and Jha 2017 (for one value); the constants for m values by
minimizing the above.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.answers.sets import sets_of
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small
from ldp.mechanisms.values.unary import UnaryEncoding, product_row
from ldp.numbers.channel import Channel
from ldp.numbers.exact import exp_lower, sqrt_lower
from ldp.numbers.layout import MOST_BITS, Layout
from ldp.numbers.randomness import WORD, Random, draw_bits

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_HELD = 100
"""A ratio is a product of twice as many factors, and has to stay printable."""


class SetEncoding(NamedTuple):
    """`size` bits for sets of at most `most` values.

    Each is 1 with probability `if_true / 2^word` if the set holds its value, else
    `if_other / 2^word`.
    """

    size: int
    most: int
    if_true: int
    if_other: int
    word: int = WORD

    @property
    def kind(self) -> Kind:
        """Decoded by counting."""
        return "pure"

    @property
    def layout(self) -> Layout:
        """A vector of bits."""
        return self.bits.layout

    @property
    def bits(self) -> UnaryEncoding:
        """Unary encoding of one value."""
        return UnaryEncoding(self.size, self.if_true, self.if_other, word=self.word)

    @property
    def ratio(self) -> Fraction:
        """Ratio of two sets that differ in as many values as they may, in the worst
        way.
        """
        return Fraction(*self._odds)

    @property
    def _odds(self) -> tuple[int, int]:
        """Odds as whole numbers, not reduced: reducing would take longest."""
        span = 1 << self.word
        # What a bit of 1 reveals, and a bit of 0: A and B as (above, below).
        less = self.if_true, self.if_other
        more = span - self.if_other, span - self.if_true
        if less[0] * more[1] > more[0] * less[1]:
            less, more = more, less
        fewer = min(self.most, self.size - self.most)
        return more[0] ** self.most * less[0] ** fewer, more[1] ** self.most * less[
            1
        ] ** fewer

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        return self.bits.support

    def joint_support(self) -> tuple[Fraction, Fraction]:
        """Given the set, bits are independent, also those of two values that it
        holds.
        """
        return self.bits.joint_support()

    def blanket(self) -> Blanket:
        """Two sets differ in all of their values, at most."""
        from ldp.mechanisms.blankets import of_bits

        return of_bits(*self.support, ones=self.most)

    def randomize(self, value: Value, random: Random) -> int:
        """All bits at once."""
        return draw_bits(
            int(value),
            self.size,
            self.if_true,
            if_other=self.if_other,
            random=random,
            word=self.word,
        )

    def channel(self) -> Channel:
        """A row for each set, in the order of `sets_of`, and 2^size columns."""
        p, q = self.support
        rows = (
            [p if held >> x & 1 else q for x in range(self.size)]
            for held in sets_of(self.size, self.most)
        )
        return Channel(tuple(map(product_row, rows)))

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return SetEncoding(3, 2, 5, if_other=1, word=3), (3,)


def design(keys: Keys, domain: Domain) -> tuple[SetEncoding, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    encoding = _least_error_encoding(domain.size or 2, domain.most or 1, epsilon)
    return encoding, Declared.epsilon(epsilon)


@lru_cache(maxsize=64)
def _least_error_encoding(size: int, most: int, epsilon: Fraction) -> SetEncoding:
    bound = exp_lower(epsilon)
    span = 1 << WORD
    half = min(Fraction(most), Fraction(size, 2))
    above, below = exp_lower(epsilon / half).as_integer_ratio()
    # In whole numbers, times the denominators: fractions would be reduced after every
    # step.
    held = half.numerator
    others = size * half.denominator - held
    square = (
        above * (held * above + others * below),
        below * (held * below + others * above),
    )
    odds, whole = sqrt_lower(Fraction(*square)).as_integer_ratio()
    if_true = span * odds // (whole + odds)
    if_other = -(
        -if_true * span * below // (if_true * below + above * (span - if_true))
    )
    encoding = SetEncoding(size, most, if_true, if_other=if_other)
    while _exceeds(encoding, bound):
        encoding = encoding._replace(if_other=encoding.if_other + 1)
    return encoding


def _exceeds(encoding: SetEncoding, bound: Fraction) -> bool:
    above, below = encoding._odds
    return above * bound.denominator > below * bound.numerator


def _accepts(domain: Domain) -> str | None:
    most, size = domain.most, domain.size
    fits = (
        most is not None
        and size is not None
        and most <= MOST_HELD
        and size <= MOST_BITS
    )
    if not fits or domain.key_scale is not None:
        return (
            f"a question of type multi, with at most {MOST_BITS} values, of which one "
            f"may hold at most {MOST_HELD},"
        )
    return None


MECHANISM = Mechanism(
    "set-unary",
    "unary encoding of a set",
    ("epsilon",),
    accepts=_accepts,
    design=design,
)
