"""Count-mean sketches: a report on a short hash of the value, under a shared hash
function.

It is one of k that all respondents share.

    h_j(x) = floor(((c2 x + c1) x + c0 mod P) m / P),  P = 2^31 - 1
    c_i = XXH64(byte i, seed 2^16 hash_seed + j) mod P

    cms    cohort j uniform; m bits, of which h_j(x) is set; each flipped with
           probability 1 / (s + 1), s just below e^(epsilon/2)
    hcms   cohort j and coordinate l uniform; (l, sign), the sign being that of entry
           (h_j(x), l) of the m x m Hadamard matrix with probability p = R / (R + 1),
           else the other

A report supports the values of its bucket with p, and any other with q (1 - p in `cms`,
1/2 in `hcms`); over the choice of hash functions two values meet with probability c =
sum_j s_j^2 / P^2, s_j the number of residues in bucket j. So the mean over respondents
supports another value with q' = c p + (1 - c) q, and (C / n - q') / (p - q') is
unbiased over the choice of hash functions; but that choice is made once, and its error
does not shrink with the number of reports (see `values.sketch`). Polynomials of degree
2 are independent for three values, which that error needs.

Source: Apple Differential Privacy Team 2017, Learning with Privacy at Scale; Wegman and
Carter 1981 (hash functions).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from xxhash import xxh64_intdigest

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, needs_short_list
from ldp.mechanisms.values.unary import UnaryEncoding, design_symmetric
from ldp.numbers.buckets import MODULUS, MOST_BUCKETS, sizes
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import MOST_COHORTS, MOST_SYMBOLS, Layout
from ldp.numbers.randomness import WORD, Random, bernoulli, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_CELLS = 1 << 24
HASHES, WIDTH = 256, 1024
"""What a survey gets that does not say."""


def coefficients(hash_seed: int, cohort: int) -> tuple[int, int, int]:
    """(c0, c1, c2) of a cohort's hash function."""
    seed = hash_seed << 16 | cohort
    c0, c1, c2 = (xxh64_intdigest(bytes([place]), seed) % MODULUS for place in range(3))
    return c0, c1, c2


def bucket(value: int, cohort: int, hash_seed: int, buckets: int) -> int:
    """h_j(value)."""
    c0, c1, c2 = coefficients(hash_seed, cohort)
    return ((c2 * value + c1) * value + c0) % MODULUS * buckets // MODULUS


def collision(buckets: int) -> Fraction:
    """c, the chance that two different values meet in a bucket."""
    return Fraction(
        sum(many * size**2 for many, size in sizes(MODULUS, buckets)), MODULUS**2
    )


class CountMean(NamedTuple):
    """`cms`: in each of `cohorts`, `buckets` bits, with thresholds as in unary
    encoding.
    """

    size: int
    cohorts: int
    buckets: int
    if_true: int
    if_other: int
    hash_seed: int = 0
    word: int = WORD

    @property
    def kind(self) -> Kind:
        """Decoded by counting, with the error of shared hash functions."""
        return "sketch"

    @property
    def layout(self) -> Layout:
        """A cohort, if there are several, and a vector of bits."""
        return Layout(cohorts=self.cohorts, bits=self.buckets)

    @property
    def encoding(self) -> UnaryEncoding:
        """Unary encoding of the bucket."""
        return UnaryEncoding(self.buckets, self.if_true, self.if_other, word=self.word)

    @property
    def ratio(self) -> Fraction:
        """Ratio of two buckets: two bits, one each way."""
        return self.encoding.ratio

    @property
    def within(self) -> tuple[Fraction, Fraction]:
        """(p, q) within a cohort: how likely a report supports its own bucket, and
        another.
        """
        return self.encoding.support

    def blanket(self) -> Blanket:
        """Return the blanket as if no two values shared a bucket."""
        return self.encoding.blanket()

    def randomize(self, value: Value, random: Random) -> int:
        """A fresh cohort, and the bucket's bits."""
        cohort = 0
        if self.cohorts > 1:
            cohort = randbelow(self.cohorts, random)
        own = bucket(int(value), cohort, self.hash_seed, buckets=self.buckets)
        return self.layout.report(self.encoding.randomize(own, random), cohort)

    def channel(self) -> Channel:
        """One column for each cohort and vector, the vector varying fastest."""
        return _channel(self, self.encoding.channel())

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return CountMean(3, 2, 2, if_true=5, if_other=2, hash_seed=4, word=3), (1, 2)


class HadamardCountMean(NamedTuple):
    """`hcms`: in each of `cohorts`, a coordinate below `buckets` and its sign.

    The sign is right with odds of `truth` to `other`.
    """

    size: int
    cohorts: int
    buckets: int
    truth: int
    other: int
    hash_seed: int = 0

    @property
    def kind(self) -> Kind:
        """Decoded by a transform and counting, with the error of shared hash
        functions.
        """
        return "sketch"

    @property
    def layout(self) -> Layout:
        """A cohort, if there are several, and the symbol 2 l + (1 for a minus)."""
        return Layout(cohorts=self.cohorts, symbols=2 * self.buckets)

    @property
    def ratio(self) -> Fraction:
        """The odds of one sign against the other."""
        return Fraction(self.truth, self.other)

    @property
    def within(self) -> tuple[Fraction, Fraction]:
        """(p, q) within a cohort: the signs of two buckets agree in half of the
        coordinates.
        """
        return Fraction(self.truth, self.truth + self.other), Fraction(1, 2)

    def blanket(self) -> Blanket:
        """A value is supported by one of two signs."""
        from ldp.mechanisms.blankets import two_levels

        return two_levels(self.ratio, Fraction(1, 4), Fraction(1, 4))

    def randomize(self, value: Value, random: Random) -> int:
        """A fresh cohort, a coordinate, and its sign."""
        cohort = 0
        if self.cohorts > 1:
            cohort = randbelow(self.cohorts, random)
        own = bucket(int(value), cohort, self.hash_seed, buckets=self.buckets)
        coordinate = randbelow(self.buckets, random)
        lie = not bernoulli(self.truth, self.truth + self.other, random)
        minus = (own & coordinate).bit_count() & 1 ^ lie
        return self.layout.report(coordinate << 1 | minus, cohort)

    def channel(self) -> Channel:
        """One column for each cohort, coordinate and sign, the sign varying fastest."""
        p, _ = self.within
        right, wrong = p / self.buckets, (1 - p) / self.buckets
        buckets = range(self.buckets)
        signs = [[(own & at).bit_count() & 1 for at in buckets] for own in buckets]
        rows = (
            tuple(right if sign == minus else wrong for minus in row for sign in (0, 1))
            for row in signs
        )
        return _channel(self, Channel(tuple(rows)))

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return HadamardCountMean(3, 2, 2, truth=3, other=1, hash_seed=4), (1, 1, 2)


Sketch = CountMean | HadamardCountMean


def _channel(sketch: Sketch, of_bucket: Channel) -> Channel:
    """The channel of the values, from that of the buckets."""

    def row(value: int, cohort: int) -> tuple[Fraction, ...]:
        own = bucket(value, cohort, sketch.hash_seed, buckets=sketch.buckets)
        return tuple(mass / sketch.cohorts for mass in of_bucket.rows[own])

    cohorts = range(sketch.cohorts)
    return Channel(
        tuple(tuple(m for j in cohorts for m in row(x, j)) for x in range(sketch.size))
    )


def _sizes(keys: Keys) -> tuple[int, int, int]:
    hashes = keys.integer("hashes", 1, MOST_COHORTS, default=HASHES)
    width = keys.integer("width", 2, MOST_BUCKETS, default=WIDTH)
    if hashes * width > MOST_CELLS:
        keys.problem("hashes", f"hashes times width of at most {MOST_CELLS}", hashes)
    return hashes, width, keys.integer("hash_seed", 0, (1 << 32) - 1, default=0)


def design(keys: Keys, domain: Domain) -> tuple[CountMean, Declared]:
    """`epsilon`; `hashes`, `width` and `hash_seed` if they are not to be 256, 1,024 and
    0.
    """
    hashes, width, hash_seed = _sizes(keys)
    noise, declared = design_symmetric(keys, domain)
    sketch = CountMean(
        size=domain.size or 2,
        cohorts=hashes,
        buckets=width,
        if_true=noise.if_true,
        if_other=noise.if_other,
        hash_seed=hash_seed,
    )
    return sketch, declared


def design_hadamard(keys: Keys, domain: Domain) -> tuple[HadamardCountMean, Declared]:
    """Design a sketch whose width is a power of two."""
    hashes, width, hash_seed = _sizes(keys)
    epsilon = keys.epsilon()
    if width & width - 1:
        keys.problem("width", "a power of two", width)
    truth, other = odds(epsilon)
    sketch = HadamardCountMean(
        size=domain.size or 2,
        cohorts=hashes,
        buckets=width,
        truth=truth,
        other=other,
        hash_seed=hash_seed,
    )
    return sketch, Declared.epsilon(epsilon)


_KEYS = ("epsilon", "hashes", "width", "hash_seed")
MECHANISM = Mechanism(
    "cms",
    "count-mean sketch",
    _KEYS,
    accepts=needs_short_list(MOST_SYMBOLS),
    design=design,
)
HADAMARD = Mechanism(
    "hcms",
    "Hadamard count-mean sketch",
    _KEYS,
    accepts=needs_short_list(MOST_SYMBOLS),
    design=design_hadamard,
)
