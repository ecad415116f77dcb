"""dBitFlipPM: a device answers for d of the b values only, with one permanent bit for
each.

Nothing of its reports is fresh.

    window     the d values from a uniform one on, in a circle; drawn once per device,
               and sent with each report
    response   a bit for each value of the window: 1 with probability p if it is the
               true value, else q = 1 - p; p / q = s just below e^(epsilon/2), or
               e^epsilon if d = 1 and two values differ in one bit
    estimate   mean of (b/d) (bit - q) / (p - q) over the window, 0 outside
    variance   (b/d) q (1-q) / (p-q)^2 for a value that no one holds, whatever d values
               a window has

A response is drawn once for each value of the window and once for all others, so that a
device has at most d + 1 of them (b if the window is everything). All reports from one
are the same: what one reveals is all that they ever do. For the same reason a report
that differs from the one before says for certain that the answer has changed.

Source: Ding, Kulkarni and Yekhanin 2017, Sections 3 and 4, where the d values are any.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, needs_short_list
from ldp.mechanisms.values.unary import product_row
from ldp.numbers.channel import Channel
from ldp.numbers.exact import exp_lower
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import WORD, Random, draw_bits, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_VALUES = 1 << 12
"""A tally has b (d + 1) cells."""


class BitFlip(NamedTuple):
    """`sampled` bits for `size` values, each flipped with probability `flip /
    2^word`.
    """

    size: int
    sampled: int
    flip: int
    word: int = WORD

    @property
    def kind(self) -> Kind:
        """Decoded by the mean of scores that are 0 outside the window."""
        return "sampled"

    @property
    def layout(self) -> Layout:
        """The first value of the window for a cohort, and its bits."""
        return Layout(cohorts=self.size, bits=self.sampled)

    @property
    def ratio(self) -> Fraction:
        """Two values of a window differ in two bits, unless it has but one."""
        span = 1 << self.word
        return Fraction(span - self.flip, self.flip) ** min(self.sampled, 2)

    @property
    def lifetime_ratio(self) -> Fraction:
        """Ratio of one report."""
        return self.ratio

    @property
    def memoizes(self) -> bool:
        """Always."""
        return True

    @property
    def memos(self) -> int:
        """One for each value of the window, and one for the others."""
        return min(self.sampled + 1, self.size)

    def ratio_after(self, _: int) -> Fraction:
        """Ratio of one report: the others are the same."""
        return self.ratio

    @property
    def within(self) -> tuple[Fraction, Fraction]:
        """(p, q) of a bit."""
        flip = Fraction(self.flip, 1 << self.word)
        return 1 - flip, flip

    def draw_cohort(self, random: Random) -> int:
        """The first value of the window."""
        return randbelow(self.size, random)

    def memo_value(self, value: Value, cohort: int) -> int:
        """The place of a value in the window, or the one behind it."""
        return min((int(value) - cohort) % self.size, self.sampled)

    def permanent(self, value: Value, cohort: int, random: Random) -> int:
        """The bits of the window."""
        true_bits = 1 << self.memo_value(value, cohort) & (1 << self.sampled) - 1
        return draw_bits(
            true_bits,
            self.sampled,
            (1 << self.word) - self.flip,
            if_other=self.flip,
            random=random,
            word=self.word,
        )

    def instantaneous(self, permanent: int, cohort: int, _: Random) -> int:
        """The permanent bits, as they are."""
        return self.layout.report(permanent, cohort)

    def blanket(self) -> Blanket:
        """Two values differ in two bits of a window, or in its only one."""
        from ldp.mechanisms.blankets import of_bits, of_rates

        flip = Fraction(self.flip, 1 << self.word)
        if self.sampled > 1:
            return of_bits(1 - flip, flip, ones=1)
        return of_rates(1 - flip, flip)

    def randomize(self, value: Value, random: Random) -> int:
        """Everything in one go."""
        cohort = self.draw_cohort(random)
        return self.instantaneous(self.permanent(value, cohort, random), cohort, random)

    def channel(self) -> Channel:
        """One column for each window and vector of its bits, the latter varying
        fastest.
        """
        p, q = self.within
        bits = range(self.sampled)
        laws = [
            product_row([p if bit == place else q for bit in bits])
            for place in range(self.sampled + 1)
        ]

        def row(value: int) -> tuple[Fraction, ...]:
            of_windows = (
                laws[self.memo_value(value, cohort)] for cohort in range(self.size)
            )
            return tuple(mass / self.size for law in of_windows for mass in law)

        return Channel(tuple(map(row, range(self.size))))

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return BitFlip(4, 2, 1, word=2), (2, 2, 1)


def design(keys: Keys, domain: Domain) -> tuple[BitFlip, Declared]:
    """`epsilon`, `sampled`."""
    epsilon = keys.epsilon()
    size = domain.size or 2
    sampled = keys.integer("sampled", 1, size)
    flip = math.ceil((1 << WORD) / (exp_lower(epsilon / min(sampled, 2)) + 1))
    declared = Declared.epsilon(epsilon)
    return BitFlip(size, sampled, flip), declared._replace(lifetime=declared)


MECHANISM = Mechanism(
    "dbitflip",
    "permanent bits for some of the values",
    ("epsilon", "sampled"),
    accepts=needs_short_list(MOST_VALUES),
    design=design,
)
