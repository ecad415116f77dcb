"""Local hashing, optimized (OLH) or binary (BLH): k-ary response on a hash of the
value.

Each respondent has a hash function of its own.

    h(x) = floor(((a x + b) mod P) g / P),  P = 2^31 - 1,  a uniform in 1 .. P-1, b in 0
    .. P-1 report (a, b, y), with y = h(x) at odds R against each other one of the g
    symbols it supports all x with h(x) = y
    p = R / (R + g - 1),  q = c p + (1 - c) / (R + g - 1)

c is the chance that h(x) = h(z) for two different values. It is exact, because (a, b)
takes them to every pair of different residues equally often: c = sum_j s_j (s_j - 1) /
(P (P - 1)), with s_j the number of residues in bucket j. With a = 0, or with q = 1/g,
it would not be. `olh` takes the g with the least total error, `blh` takes g = 2.

Source: Wang, Blocki, Li and Jha 2017, Section 4.4; Carter and Wegman 1979 (the hash
functions).
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.auto import summed_variance
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, needs_short_list
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.numbers.buckets import MODULUS, MOST_BUCKETS, sizes
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import MOST_SYMBOLS, Layout
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

_MULTIPLIER = (1 << 32) - 1


class LocalHashing(NamedTuple):
    """The bucket of the value with weight `truth`, each other one of `buckets` with
    `other`.

    `modulus` is P.
    """

    size: int
    buckets: int
    truth: int
    other: int
    modulus: int = MODULUS

    @property
    def kind(self) -> Kind:
        """Decoded by counting."""
        return "pure"

    @property
    def layout(self) -> Layout:
        """The seed (a, b) and a symbol."""
        return Layout(symbols=self.buckets, modulus=self.modulus, hashed=self.size)

    @property
    def ratio(self) -> Fraction:
        """The odds of one symbol against another.

        The hash function is drawn without regard to the value.
        """
        return Fraction(self.truth, self.other)

    @property
    def response(self) -> RandomizedResponse:
        """Randomized response to the bucket."""
        return RandomizedResponse(self.buckets, self.truth, self.other)

    @property
    def _meetings(self) -> tuple[int, int]:
        """In how many of all pairs of different residues both are in one bucket."""
        met = sum(
            many * size * (size - 1) for many, size in sizes(self.modulus, self.buckets)
        )
        return met, self.modulus * (self.modulus - 1)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        p, q, whole = self._masses
        return Fraction(p, whole), Fraction(q, whole)

    @property
    def _masses(self) -> tuple[int, int, int]:
        """The weights of seeds and symbols that support the true value, another one,
        and of all.
        """
        met, pairs = self._meetings
        total = self.truth + (self.buckets - 1) * self.other
        return (
            self.truth * pairs,
            met * self.truth + (pairs - met) * self.other,
            total * pairs,
        )

    def joint_support(self) -> None:
        """None: joint support depends on how values are spaced.

        The hash functions are independent for two values, not for three.
        """
        return

    def bucket(self, value: int, multiplier: int, shift: int) -> int:
        """h(value) under the hash function (a, b) = (multiplier, shift)."""
        return (
            (multiplier * value + shift) % self.modulus * self.buckets // self.modulus
        )

    def bucket_of(self, value: Value, seed: int) -> int:
        """Return the bucket under the hash function of a seed."""
        return self.bucket(int(value), seed & _MULTIPLIER, seed >> 32)

    def draw_seed(self, random: Random) -> int:
        """The prefix of a report, 2^32 b + a."""
        multiplier = 1 + randbelow(self.modulus - 1, random)
        return randbelow(self.modulus, random) << 32 | multiplier

    def blanket(self) -> Blanket:
        """Two values share a bucket of some hash functions."""
        from ldp.mechanisms.blankets import two_levels

        meeting = Fraction(*self._meetings)
        return two_levels(
            self.ratio, (1 - meeting) / self.buckets, meeting / self.buckets
        )

    def randomize(self, value: Value, random: Random) -> int:
        """A hash function of its own, and the response to the bucket."""
        seed = self.draw_seed(random)
        symbol = self.response.randomize(self.bucket_of(value, seed), random)
        return self.layout.report(symbol, seed)

    def channel(self) -> Channel:
        """One column for each (a, b, y), y varying fastest."""
        seeds = [(a, b) for a in range(1, self.modulus) for b in range(self.modulus)]
        rows = [
            [mass / len(seeds) for mass in row] for row in self.response.channel().rows
        ]
        return Channel(
            tuple(
                tuple(m for a, b in seeds for m in rows[self.bucket(x, a, b)])
                for x in range(self.size)
            )
        )

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return LocalHashing(4, 3, 4, other=2, modulus=5), (2, 8, 3)


@lru_cache(maxsize=64)
def least_error_buckets(size: int, truth: int, other: int) -> int:
    """The g with the least total error, which falls up to there and rises afterwards.

    About R + 1 for many values.
    """

    def error(buckets: int) -> Fraction:
        hashing = LocalHashing(size, buckets, truth, other=other)
        return summed_variance(*hashing._masses, size=size)

    choices = range(2, min(MOST_BUCKETS, truth // other + 4))
    return 2 + bisect_left(
        choices, True, key=lambda buckets: error(buckets) <= error(buckets + 1)
    )


def design_olh(keys: Keys, domain: Domain) -> tuple[LocalHashing, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    size = domain.size or 2
    truth, other = odds(epsilon)
    buckets = least_error_buckets(size, truth, other)
    return LocalHashing(size, buckets, truth, other=other), Declared.epsilon(epsilon)


def design_binary(keys: Keys, domain: Domain) -> tuple[LocalHashing, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    return LocalHashing(domain.size or 2, 2, *odds(epsilon)), Declared.epsilon(epsilon)


OPTIMIZED = Mechanism(
    "olh",
    "optimized local hashing",
    ("epsilon",),
    accepts=needs_short_list(MOST_SYMBOLS),
    design=design_olh,
)
BINARY = Mechanism(
    "blh",
    "binary local hashing",
    ("epsilon",),
    accepts=needs_short_list(MOST_SYMBOLS),
    design=design_binary,
)
