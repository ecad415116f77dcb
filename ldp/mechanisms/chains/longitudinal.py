"""Memoized mechanisms: a response that is drawn once and kept, and fresh noise for each
report.

Someone who is asked every day would tell more with every fresh report. A permanent
randomized response (PRR) bounds that for ever; an instantaneous one (IRR), noise on top
of it, keeps a single report from showing what is kept.

    permanent        the response of `grr`, `sue`, `oue` or local hashing with
                     `epsilon_lifetime`: p1, q1
    instantaneous    its symbol, or each of its bits, through k-ary (binary) randomized
                     response: p2, q2
    together         p = p1 p2 + (1-p1) q2,  q = q1 p2 + (1-q1) q2: a one-report mechanism of the
                     same family

The instantaneous noise is the least with which one report stays within `epsilon_first`,
so that a report is as good as one of the mechanism that is asked once with that
epsilon. With R the odds of either step (R1, R2) and of both together,

    symbols  R = (R1 R2 + k-1) / (R1 + R2 + k-2), hence R2 = [R (R1 + k-2) - (k-1)] / (R1 - R)
    bits     a bit flips with probability (q - q1) / (1 - 2 q1), q that of the mechanism
             with `epsilon_first`

for k symbols. All reports of one value reveal no more than its permanent response does,
however many there are. What t of them reveal (`accounting.repeated_ratio`) depends on
p2 and q2; with p and q in their place it comes out too low.

In `loloha` a device keeps its hash function and draws permanent responses to buckets,
of which there are only g.

Sources: Erlingsson, Pihur and Korolova 2014 (both steps); Arcolezi, Couchot, Al Bouna
and Xiao 2022 (the chains); Arcolezi, Pinzon, Palamidessi and Gambs 2023 (`loloha`). For
symbols, the latter two have a p2 that leaves out the k-2 ways from one wrong symbol to
another: exact for k = 2, and otherwise much more noise than `epsilon_first` calls for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import LEAST_EPSILON, Keys
from ldp.mechanisms.contract import (
    Declared,
    Kind,
    Mechanism,
    Numbers,
    Small,
    integers,
    needs_list,
)
from ldp.mechanisms.values import grr, local_hashing, unary
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.local_hashing import LocalHashing, least_error_buckets
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.numbers.accounting import Rates, repeated_bits_ratio, repeated_ratio
from ldp.numbers.buckets import MOST_BUCKETS
from ldp.numbers.channel import Channel
from ldp.numbers.exact import WEIGHT_SCALE, exp_lower, odds
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import Random, draw_bits

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

KEYS = ("epsilon_first", "epsilon_lifetime")


class Chain(NamedTuple):
    """`lasting` draws a permanent response.

    A report is its symbol, or are its bits, each through `fresh`.
    """

    lasting: RandomizedResponse | UnaryEncoding | LocalHashing
    fresh: RandomizedResponse

    @property
    def once(self) -> RandomizedResponse | UnaryEncoding | LocalHashing:
        """The one-report mechanism whose reports have the law of a device's first
        one.
        """
        lasting, (_, truth, other) = self
        if isinstance(lasting, UnaryEncoding):
            size, *rates, word = lasting
            if_true, if_other = (
                rate * truth + ((1 << word) - rate) * other for rate in rates
            )
            return UnaryEncoding(size, if_true, if_other, word=2 * word)
        wrong = lasting.layout.symbols - 1
        return lasting._replace(
            truth=lasting.truth * truth + wrong * lasting.other * other,
            other=lasting.truth * other + lasting.other * (truth + (wrong - 1) * other),
        )

    @property
    def kind(self) -> Kind:
        """Decoded by counting."""
        return "pure"

    @property
    def layout(self) -> Layout:
        """Layout of the permanent response."""
        return self.lasting.layout

    @property
    def size(self) -> int:
        """The number of values."""
        return self.lasting.size

    @property
    def ratio(self) -> Fraction:
        """Ratio of a first report, and so of any other by itself."""
        return self.once.ratio

    @property
    def lifetime_ratio(self) -> Fraction:
        """Ratio of the permanent response, if it were seen."""
        return self.lasting.ratio

    def ratio_after(self, reports: int) -> Fraction:
        """Reached by reports that are all alike."""
        if isinstance(self.lasting, UnaryEncoding):
            return repeated_bits_ratio(
                self.lasting.support, self.fresh.support, reports
            )
        return repeated_ratio(*self.response_steps, reports)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q) of both steps together."""
        return self.once.support

    @property
    def steps(self) -> tuple[Rates, Rates]:
        """(p, q) of the permanent and of the instantaneous response."""
        return self.lasting.support, self.fresh.support

    @property
    def response_steps(self) -> tuple[Rates, Rates]:
        """Rates of both steps, of the bucket where a value is hashed."""
        return self._response.support, self.fresh.support

    def joint_support(self) -> tuple[Fraction, Fraction] | None:
        """Joint support of both steps together."""
        return self.once.joint_support()

    def integers(self) -> Numbers:
        """Integers of the permanent response, and the weights of the instantaneous
        one.
        """
        return {
            **integers(self.lasting),
            "fresh_truth": self.fresh.truth,
            "fresh_other": self.fresh.other,
        }

    @property
    def memoizes(self) -> bool:
        """Always."""
        return True

    @property
    def memos(self) -> int:
        """One for each bucket or value."""
        if isinstance(self.lasting, LocalHashing):
            return self.lasting.buckets
        return self.size

    def draw_cohort(self, random: Random) -> int:
        """The seed of a device's hash function; nothing is drawn where there is
        none.
        """
        if isinstance(self.lasting, LocalHashing):
            return self.lasting.draw_seed(random)
        return 0

    def memo_value(self, value: Value, cohort: int) -> int:
        """The bucket of a value, or the value itself."""
        if isinstance(self.lasting, LocalHashing):
            return self.lasting.bucket_of(value, cohort)
        return int(value)

    def permanent(self, value: Value, cohort: int, random: Random) -> int:
        """The lasting response, without a seed."""
        return self._response.randomize(self.memo_value(value, cohort), random)

    def instantaneous(self, permanent: int, cohort: int, random: Random) -> int:
        """Draw the symbol to be sent: the permanent one or another; each bit or its
        opposite.
        """
        _, truth, other = self.fresh
        if isinstance(self.lasting, UnaryEncoding):
            body = draw_bits(
                permanent,
                self.size,
                truth,
                if_other=other,
                random=random,
                word=self.lasting.word,
            )
        else:
            body = self.fresh.randomize(permanent, random)
        return self.layout.report(body, cohort)

    def blanket(self) -> Blanket:
        """Counts a first report: later ones are drawn from what the device keeps."""
        from ldp.mechanisms.blankets import blanket_of

        return blanket_of(self.once)

    def randomize(self, value: Value, random: Random) -> int:
        """Everything in one go: the law of a device's first report."""
        cohort = self.draw_cohort(random)
        return self.instantaneous(self.permanent(value, cohort, random), cohort, random)

    def channel(self) -> Channel:
        """Channel of both steps together."""
        return self.once.channel()

    @property
    def _response(self) -> RandomizedResponse | UnaryEncoding:
        if isinstance(self.lasting, LocalHashing):
            return self.lasting.response
        return self.lasting

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        if isinstance(self.lasting, UnaryEncoding):
            return Chain(UnaryEncoding(3, 2, 1, word=2), RandomizedResponse(2, 3, 1)), (
                3,
                3,
            )
        if isinstance(self.lasting, LocalHashing):
            lasting = LocalHashing(2, 2, 3, other=1, modulus=3)
            return Chain(lasting, RandomizedResponse(2, 5, 3)), (1, 8, 2, 3)
        return Chain(RandomizedResponse(2, 3, 1), RandomizedResponse(2, 5, 3)), (2, 3)


def design_symbols(keys: Keys, domain: Domain) -> tuple[Chain, Declared]:
    """`epsilon_first`, `epsilon_lifetime`."""
    first, lifetime = _epsilons(keys)
    lasting = RandomizedResponse(domain.size or 2, *odds(lifetime))
    return _of_symbols(lasting, first), _declare(first, lifetime)


def design_hashes(keys: Keys, domain: Domain) -> tuple[Chain, Declared]:
    """`epsilon_first`, `epsilon_lifetime`.

    `buckets` (as many as `olh` has at `epsilon_first`, unless given).
    """
    first, lifetime = _epsilons(keys)
    size = domain.size or 2
    buckets = keys.integer("buckets", 2, MOST_BUCKETS, default=0)
    lasting = LocalHashing(
        size, buckets or least_error_buckets(size, *odds(first)), *odds(lifetime)
    )
    return _of_symbols(lasting, first), _declare(first, lifetime)


def _of_symbols(lasting: RandomizedResponse | LocalHashing, first: Fraction) -> Chain:
    """The chain of which one report stays within an epsilon: R2 as above."""
    bound = exp_lower(first)
    odds_kept = lasting.ratio
    symbols = lasting.layout.symbols
    odds_fresh = (bound * (odds_kept + symbols - 2) - (symbols - 1)) / (
        odds_kept - bound
    )
    truth = math.floor(odds_fresh * WEIGHT_SCALE)
    return Chain(lasting, RandomizedResponse(symbols, truth, WEIGHT_SCALE))


def _of_bits(
    name: str, row: Mechanism, encoding: Callable[[int, Fraction], UnaryEncoding]
) -> Mechanism:
    """The row of the memoized form of a unary encoding.

    `encoding` gives the bits for n values and an epsilon.
    """

    def design(keys: Keys, domain: Domain) -> tuple[Chain, Declared]:
        first, lifetime = _epsilons(keys)
        once, lasting = (
            encoding(domain.size or 2, epsilon) for epsilon in (first, lifetime)
        )
        span = 1 << lasting.word
        more = span * (once.if_other - lasting.if_other)
        flip = math.ceil(Fraction(more, span - 2 * lasting.if_other))
        # Where epsilons are so large that thresholds hardly differ, it takes one step
        # of theirs not to have both equal.
        flip = max(flip, 1)
        return Chain(lasting, RandomizedResponse(2, span - flip, flip)), _declare(
            first, lifetime
        )

    return Mechanism(
        name, f"memoized {row.summary}", KEYS, accepts=row.accepts, design=design
    )


def _epsilons(keys: Keys) -> tuple[Fraction, Fraction]:
    first = keys.epsilon("epsilon_first")
    lifetime = keys.epsilon("epsilon_lifetime")
    if not keys.problems and lifetime - first < LEAST_EPSILON:
        keys.problem(
            "epsilon_first",
            f"at least {LEAST_EPSILON} less than epsilon_lifetime",
            f"{first} and {lifetime}",
        )
    if keys.problems:
        return (LEAST_EPSILON, 2 * LEAST_EPSILON)
    return (first, lifetime)


def _declare(first: Fraction, lifetime: Fraction) -> Declared:
    return Declared.epsilon(first)._replace(lifetime=Declared.epsilon(lifetime))


SYMBOLS = Mechanism(
    "l-grr",
    f"memoized {grr.MECHANISM.summary}",
    KEYS,
    accepts=needs_list,
    design=design_symbols,
)
SYMMETRIC = _of_bits("l-sue", unary.SYMMETRIC, unary.symmetric)
OPTIMIZED = _of_bits("l-osue", unary.OPTIMIZED, unary.optimal_encoding)
HASHED = Mechanism(
    "loloha",
    "memoized local hashing",
    (*KEYS, "buckets"),
    accepts=local_hashing.OPTIMIZED.accepts,
    design=design_hashes,
)
