"""RAPPOR: a permanent randomized response (PRR) that the device keeps, and one for each
report.

The latter, the instantaneous response (IRR), is drawn anew.

    a value sets `hashes` bits of a Bloom filter (or, in the one-hot form, the one bit
    of its index)
    permanent:      a bit is kept with probability 1 - f/2 and flipped with probability
                    f/2, once per value
    instantaneous:  a report's bit is 1 with probability q if the permanent bit is 1,
                    and p if it is 0
    together:       q* = (1 - f/2) q + (f/2) p,  p* = (f/2) q + (1 - f/2) p: one binary channel
    one report      epsilon_1   = h ln(q* (1 - p*) / (p* (1 - q*)))
    all reports     epsilon_inf = 2 h ln((1 - f/2) / (f/2)) for one unchanged value;
                    infinite if f = 0

f, p and q are thresholds over 2^64, rounded towards more noise. The naming is the
paper's: q belongs to a 1.

Source: Erlingsson, Pihur and Korolova 2014, Sections 2 and 3.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.chains.bloom import MOST_HASHES, bloom_vector
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small
from ldp.mechanisms.values.unary import product_row
from ldp.numbers.accounting import Rates, repeated_bits_ratio
from ldp.numbers.channel import Channel
from ldp.numbers.layout import MOST_COHORTS, Layout
from ldp.numbers.randomness import WORD, Random, draw_bits, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_BITS = 1 << 16


class Rappor(NamedTuple):
    """`hashes` = 0 is the one-hot form.

    `flip`, `if_one` and `if_zero` are f/2, q and p as thresholds over 2^word.
    """

    bits: int
    hashes: int
    cohorts: int
    flip: int
    if_one: int
    if_zero: int
    word: int = WORD

    @property
    def layout(self) -> Layout:
        """A vector of bits, with its cohort if there are several."""
        return Layout(cohorts=self.cohorts, bits=self.bits)

    @property
    def kind(self) -> Kind:
        """One bit per value is decoded by counting, a Bloom filter by regression."""
        if self.hashes:
            return "bloom"
        return "pure"

    @property
    def size(self) -> int:
        """The number of values, in the one-hot form."""
        return self.bits

    @property
    def memoizes(self) -> bool:
        """Without a permanent response (f = 0) there is only the truth, which is never
        kept.
        """
        return self.flip > 0

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(q*, p*): the probabilities of a 1 where the true bit is 1, and 0."""
        (keep, flip), (one, zero) = self.steps
        return keep * one + flip * zero, flip * one + keep * zero

    @property
    def steps(self) -> tuple[Rates, Rates]:
        """Rates of both responses: (1 - f/2, f/2) and (q, p)."""
        span = 1 << self.word
        thresholds = (self.flip, self.if_one, self.if_zero)
        flip, one, zero = (Fraction(threshold, span) for threshold in thresholds)
        return (1 - flip, flip), (one, zero)

    def joint_support(self) -> tuple[Fraction, Fraction]:
        """Given the value, bits are independent."""
        p, q = self.support
        return p * q, q * q

    @property
    def ratio(self) -> Fraction:
        """Two values differ in at most 2 h bits, h each way."""
        return _ratio(*self.support, max(self.hashes, 1))

    @property
    def lifetime_ratio(self) -> Fraction | None:
        """Ratio of the permanent response alone; None without one."""
        if not self.flip:
            return None
        return Fraction((1 << self.word) - self.flip, self.flip) ** (
            2 * max(self.hashes, 1)
        )

    @property
    def memos(self) -> int | None:
        """One for each value, in the one-hot form."""
        if self.hashes:
            return None
        return self.bits

    def ratio_after(self, reports: int) -> Fraction:
        """Ratio of several reports; grows without bound if f = 0."""
        lasting, (one, zero) = self.steps
        fresh = (one, zero) if one > zero else (1 - one, 1 - zero)
        return repeated_bits_ratio(lasting, fresh, reports) ** max(self.hashes, 1)

    def true_bits(self, value: Value, cohort: int) -> int:
        """The vector before any noise: the Bloom filter of a text, or the one bit of an
        index.
        """
        if self.hashes:
            return bloom_vector(bytes(value), cohort, self.hashes, bits=self.bits)
        return 1 << int(value)

    def draw_cohort(self, random: Random) -> int:
        """A uniform cohort; nothing is drawn where there is only one."""
        if self.cohorts > 1:
            return randbelow(self.cohorts, random)
        return 0

    def memo_value(self, value: Value, _: int) -> Value:
        """The value itself."""
        return value

    def permanent(self, value: Value, cohort: int, random: Random) -> int:
        """The true bits, each flipped with probability f/2."""
        true_bits = self.true_bits(value, cohort)
        if not self.flip:
            return true_bits
        return draw_bits(
            true_bits,
            self.bits,
            (1 << self.word) - self.flip,
            if_other=self.flip,
            random=random,
            word=self.word,
        )

    def instantaneous(self, permanent: int, cohort: int, random: Random) -> int:
        """A fresh report of the permanent bits."""
        vector = draw_bits(
            permanent,
            self.bits,
            self.if_one,
            if_other=self.if_zero,
            random=random,
            word=self.word,
        )
        return self.layout.report(vector, cohort)

    def blanket(self) -> Blanket:
        """Counts a first report, as if no two values shared a bit."""
        from ldp.mechanisms.blankets import of_bits

        return of_bits(*self.support, ones=max(self.hashes, 1))

    def randomize(self, value: Value, random: Random) -> int:
        """Cohort and both responses in one go: the law of a device's first report."""
        cohort = self.draw_cohort(random)
        return self.instantaneous(self.permanent(value, cohort, random), cohort, random)

    def channel(self) -> Channel:
        """The one-hot form written out, one column for each of the 2^bits vectors."""
        return Channel(tuple(self.channel_row(1 << x) for x in range(self.bits)))

    def channel_row(self, true_bits: int) -> tuple[Fraction, ...]:
        """The law of a report within its cohort, given the true bits."""
        p, q = self.support
        return product_row([p if true_bits >> i & 1 else q for i in range(self.bits)])

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return Rappor(2, 0, 1, flip=1, if_one=7, if_zero=2, word=3), (2, 2)


def design(keys: Keys, domain: Domain) -> tuple[Rappor, Declared]:
    """`p`, `q`, `f`; for the Bloom form also `bloom_bits`, `hashes` and `cohorts`."""
    p, q, f = (keys.probability(name) for name in ("p", "q", "f"))
    span = 1 << WORD
    if domain.size is None or "bloom_bits" in keys:
        bits = keys.integer("bloom_bits", 2, MOST_BITS)
        hashes = keys.integer("hashes", 1, MOST_HASHES, default=2)
        cohorts = keys.integer("cohorts", 1, MOST_COHORTS, default=1)
        if hashes > bits:
            keys.problem("hashes", f"at most as many hashes as bits ({bits})", hashes)
    else:
        bits, hashes, cohorts = domain.size, 0, 1
    stand_in = Rappor(
        bits, hashes, cohorts, flip=span // 4, if_one=span // 4 * 3, if_zero=span // 2
    )
    if keys.problems:
        return stand_in, Declared.ratio(Fraction(1))
    exact = Rappor(bits, hashes, cohorts, flip=0, if_one=0, if_zero=0)
    one = (1 - f / 2) * q + f / 2 * p
    zero = f / 2 * q + (1 - f / 2) * p
    if one == zero:
        keys.problem(
            "p, q, f",
            (
                "p different from q, and f below 1 (reports carry no information "
                "otherwise)"
            ),
            "no signal",
        )
        return exact, Declared.ratio(Fraction(1))
    if {one, zero} & {Fraction(0), Fraction(1)}:
        keys.problem(
            "p, q, f",
            "noise on every bit (one report has an infinite epsilon otherwise)",
            "a bit without noise",
        )
        return exact, Declared.ratio(Fraction(1))
    # Towards more noise: q and p nearer to each other.
    toward, away = (math.floor, math.ceil) if q > p else (math.ceil, math.floor)
    if_one = min(toward(q * span), span - 1)
    if_zero = min(away(p * span), span - 1)
    if (if_one > if_zero) != (q > p):
        keys.problem(
            "p, q",
            "p and q that still differ once they are rounded to multiples of 2^-64",
            "closer ones",
        )
        return exact, Declared.ratio(Fraction(1))
    flip = math.ceil(f / 2 * span)
    rounded = Rappor(bits, hashes, cohorts, flip=flip, if_one=if_one, if_zero=if_zero)
    return rounded, Declared.ratio(_ratio(one, zero, max(hashes, 1)))


def _ratio(one: Fraction, zero: Fraction, hashes: int) -> Fraction:
    high, low = max(one, zero), min(one, zero)
    return (high * (1 - low) / (low * (1 - high))) ** hashes


def _accepts(domain: Domain) -> str | None:
    too_many = domain.size is not None and domain.size > MOST_BITS
    wide = domain.collect or domain.ball is not None
    if too_many or wide or domain.most is not None or domain.taxonomy is not None:
        return f"an open question, or one with at most {MOST_BITS} values"
    return None


MECHANISM = Mechanism(
    "rappor",
    "permanent and instantaneous randomized response",
    ("p", "q", "f", "bloom_bits", "hashes", "cohorts"),
    accepts=_accepts,
    design=design,
)
