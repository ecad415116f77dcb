"""Unary encoding, symmetric and optimized: one bit for each value, each bit randomized
on its own.

    bit x is 1 with probability p if x is the true value, q otherwise
    epsilon = ln(p (1-q) / ((1-p) q))
    SUE (symmetric, basic one-time RAPPOR):  p = s / (s + 1), q = 1 - p, s just below e^(epsilon/2)
    OUE (optimized):                         p = 1/2, q just above 1 / (e^epsilon + 1)
    THE (thresholded histogram encoding):    p = 1 - (s + 1 + r) / (6 s), q = (s + 1 - r) / (2 s),
                                             r^2 = s^2 - s + 1

Both probabilities are thresholds over 2^64, rounded so that the delivered epsilon stays
below the declared one.

THE adds Laplace noise of scale 2 / epsilon to each entry of the one-hot vector, and
reports which entries exceed t: p = 1 - u / (2 s) and q = 1 / (2 u), with u = e^(epsilon
t / 2). Its t minimizes q (1-q) / (p-q)^2, which comes to 3 u^2 - 2 (s + 1) u + s = 0,
and so to the p and q above. The noisy numbers would spend all of epsilon; what is left
of them once they are bits spends less, and that is why THE is no match for the others.

Sources: Erlingsson, Pihur and Korolova 2014 (SUE); Wang, Blocki, Li and Jha 2017,
Sections 4.2 and 4.3 (THE, OUE).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, needs_short_list
from ldp.numbers.channel import Channel
from ldp.numbers.exact import exp_lower, sqrt_lower
from ldp.numbers.layout import MOST_BITS, Layout
from ldp.numbers.randomness import WORD, Random, draw_bits

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket


class UnaryEncoding(NamedTuple):
    """`size` bits, one for each value.

    Each is 1 with probability `if_true / 2^word` at the true value, and `if_other /
    2^word` elsewhere.
    """

    size: int
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
        return Layout(bits=self.size)

    @property
    def ratio(self) -> Fraction:
        """Two values differ in two bits, one each way."""
        p, q = self.support
        return p * (1 - q) / ((1 - p) * q)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        return Fraction(self.if_true, 1 << self.word), Fraction(
            self.if_other, 1 << self.word
        )

    def joint_support(self) -> tuple[Fraction, Fraction]:
        """Given the value, bits are independent."""
        p, q = self.support
        return p * q, q * q

    def blanket(self) -> Blanket:
        """Two values differ in two bits."""
        from ldp.mechanisms.blankets import of_bits

        return of_bits(*self.support, ones=1)

    def randomize(self, value: Value, random: Random) -> int:
        """All bits at once."""
        return draw_bits(
            1 << int(value),
            self.size,
            self.if_true,
            if_other=self.if_other,
            random=random,
            word=self.word,
        )

    def channel(self) -> Channel:
        """One column for each of the 2^size vectors."""
        p, q = self.support
        values = range(self.size)
        return Channel(
            tuple(product_row([p if i == x else q for i in values]) for x in values)
        )

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return UnaryEncoding(3, 5, 1, word=3), (3,)


def product_row(ones: list[Fraction]) -> tuple[Fraction, ...]:
    """The law of a vector of independent bits, by the vector as an integer.

    `ones` has the probability of each to be 1.
    """
    return joint_law((1 - one, one) for one in ones)


def joint_law(laws: Iterable[Sequence[Fraction]]) -> tuple[Fraction, ...]:
    """The law of a vector of independent symbols, given each one's.

    The first symbol varies fastest.
    """
    row = [Fraction(1)]
    for law in laws:
        row = [entry * mass for mass in law for entry in row]
    return tuple(row)


def symmetric(size: int, epsilon: Fraction) -> UnaryEncoding:
    """SUE."""
    flip = math.ceil((1 << WORD) / (exp_lower(epsilon / 2) + 1))
    return UnaryEncoding(size, (1 << WORD) - flip, flip)


def optimal_encoding(size: int, epsilon: Fraction) -> UnaryEncoding:
    """OUE."""
    return UnaryEncoding(
        size, 1 << (WORD - 1), math.ceil((1 << WORD) / (exp_lower(epsilon) + 1))
    )


def design_symmetric(keys: Keys, domain: Domain) -> tuple[UnaryEncoding, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    return symmetric(domain.size or 2, epsilon), Declared.epsilon(epsilon)


def design_oue(keys: Keys, domain: Domain) -> tuple[UnaryEncoding, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    return optimal_encoding(domain.size or 2, epsilon), Declared.epsilon(epsilon)


def design_the(keys: Keys, domain: Domain) -> tuple[UnaryEncoding, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    span = 1 << WORD
    s = exp_lower(epsilon / 2)
    r = sqrt_lower(s * s - s + 1)
    if_true = math.floor(span * (1 - (s + 1 + r) / (6 * s)))
    if_other = math.ceil(span * (s + 1 - r) / (2 * s))
    return UnaryEncoding(domain.size or 2, if_true, if_other), Declared.epsilon(epsilon)


SYMMETRIC = Mechanism(
    "sue",
    "symmetric unary encoding",
    ("epsilon",),
    accepts=needs_short_list(MOST_BITS),
    design=design_symmetric,
)
OPTIMIZED = Mechanism(
    "oue",
    "optimized unary encoding",
    ("epsilon",),
    accepts=needs_short_list(MOST_BITS),
    design=design_oue,
)
THRESHOLDED = Mechanism(
    "the",
    "thresholded histogram encoding",
    ("epsilon",),
    accepts=needs_short_list(MOST_BITS),
    design=design_the,
)
