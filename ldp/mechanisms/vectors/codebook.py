"""Codebook response: the mean of vectors, from a seed and one of the random words it
gives.

A device draws a seed, from which everyone can work out the same random vectors. They
and their opposites are the words of its codebook; some of them point roughly where its
own vector does. It reports the seed and one of the words, one of those near its vector
more likely than another. The mean of the words that were reported, stretched by a
constant, is the mean of the vectors.

Of m normal vectors g_1, ..., g_m of a seed (`ldp.mechanisms.vectors.codewords`) the 2 m
words are g_i and -g_i. Let v be a vector of length r in parts of the radius, R the
rational just below e^epsilon, and

    t = v with probability (1 + r) / 2, else -v near(t) = the w words with the greatest
    <word, t>, of those with equal ones the first
    P[word y | v, seed] = (R if y in near(t) else 1) / Z,  Z = R w + 2 m - w
    score = radius x word / (256 a),  a = (R - 1) S1 / Z,  E[score | v] = v

with S1 the sum of the w greatest means of m half-normal numbers. For each seed and each
t exactly w words have a weight of R and the others 1, so any two vectors are told apart
with odds of R, and no more; which words these are is worked out in whole numbers, so
that privacy rests on no rounding, and neither do clients differ in it. The seed is
drawn before the vector is looked at.

The score is unbiased as far as words are normal. For a vector along an axis, the worst,
it is too long or too short by less than 3e-5 of itself with 64 words (1e-4 with 256);
others come to sums of many coordinates, which are normal more nearly still.

`w` is the one for which a is greatest, with means of half-normal numbers by their
approximate quantiles in the table of codewords: any w is unbiased, and near the best
one the error is flat.

Source: Asi, Feldman and Talwar 2022 (what is optimal for vectors); Feldman and Talwar
2021 (seeds in place of vectors); the combination is derived in docs/vectors.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import isqrt
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.balls import UNIT, pack_coordinates, unpack_coordinates
from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism
from ldp.mechanisms.vectors.codewords import CODES, codeword, inner, magnitudes
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import WORD, Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_WORDS = 1 << 8
USUAL_WORDS = 1 << 6


class CodebookResponse(NamedTuple):
    """One of `words` for a vector of so many `dimensions`.

    Those `near` to it have weight `truth` each, the others `other`. A seed has `word`
    bits, and so has what a sign is drawn from.
    """

    dimensions: int
    words: int
    near: int
    truth: int
    other: int
    word: int = WORD

    @property
    def kind(self) -> Kind:
        """Decoded to a mean vector."""
        return "codebook"

    @property
    def layout(self) -> Layout:
        """The seed, and the word as a symbol."""
        return Layout(symbols=self.words, codewords=self.dimensions)

    @property
    def ratio(self) -> Fraction:
        """Ratio of a word that is near, and one that is not."""
        return Fraction(self.truth, self.other)

    @property
    def mass(self) -> int:
        """The weights of all words: Z, times `other`."""
        return self.near * self.truth + (self.words - self.near) * self.other

    def blanket(self) -> Blanket:
        """Two vectors share as few words as can be."""
        from ldp.mechanisms.blankets import of_stretch

        return of_stretch(self.ratio, self.near, self.words)

    def randomize(self, value: Value, random: Random) -> int:
        """A seed, a sign, and a word near the signed vector more often than not."""
        assert isinstance(value, bytes)  # noqa: S101 (what a ball makes of an answer)
        seed = self._drawn_bits(random)
        sign = self._drawn_bits(random)
        drawn = randbelow(self.mass, random)
        direction = unpack_coordinates(value)
        if sign >= self.keeping(direction):
            direction = tuple(-coordinate for coordinate in direction)
        order = self.order_words(direction, seed)
        return self.layout.report(order[self._place(drawn)], seed)

    def keeping(self, direction: tuple[int, ...]) -> int:
        """2^word times the probability that a vector keeps its sign, (1 + length) /
        2.
        """
        square = inner(direction, direction)
        half = 1 << self.word - 1
        return half + min(isqrt(square * half**2) // UNIT, half)

    def order_words(self, direction: tuple[int, ...], seed: int) -> list[int]:
        """All words: those near to a direction, the nearest first, then the others in
        order.
        """
        products = [
            inner(codeword(seed, number, self.dimensions), direction)
            for number in range(self.words // 2)
        ]
        # The nearer of a vector and its opposite: the opposite where the product is
        # below 0.
        nearest = sorted(
            range(len(products)), key=lambda number: (-abs(products[number]), number)
        )
        near = [2 * number + (products[number] < 0) for number in nearest[: self.near]]
        rest = set(near)
        return near + [word for word in range(self.words) if word not in rest]

    def channel(self) -> Channel:
        """A row for each of `probes`; a column for each seed and word, the word varying
        fastest.
        """
        return Channel(tuple(self.row(probe) for probe in self.probes))

    @property
    def probes(self) -> tuple[bytes, ...]:
        """Some vectors for laws to be tried on: of every length, along axes and between
        them.
        """
        rest = (0,) * (self.dimensions - 2)
        ends = ((UNIT, 0), (-UNIT, 0), (0, UNIT), (UNIT // 3, -UNIT // 5), (0, 0))
        return tuple(pack_coordinates((*end, *rest)) for end in ends)

    def row(self, value: bytes) -> tuple[Fraction, ...]:
        """P[report | value] of every seed and word."""
        direction = unpack_coordinates(value)
        seeds = 1 << self.word
        keep = Fraction(self.keeping(direction), seeds)
        row: list[Fraction] = []
        for seed in range(seeds):
            law = [Fraction(0)] * self.words
            for share, sign in ((keep, 1), (1 - keep, -1)):
                order = self.order_words(tuple(sign * part for part in direction), seed)
                for place, word in enumerate(order):
                    weight = self.truth if place < self.near else self.other
                    law[word] += share * Fraction(weight, self.mass * seeds)
            row += law
        return tuple(row)

    def _drawn_bits(self, random: Random) -> int:
        drawn = int.from_bytes(random(-(-self.word // 8)), "little")
        return drawn & (1 << self.word) - 1

    def _place(self, drawn: int) -> int:
        """The place among ordered words of a number below their weights."""
        within = self.near * self.truth
        if drawn < within:
            return drawn // self.truth
        return self.near + (drawn - within) // self.other

    def small(self) -> None:
        """None: no tape of it is run."""


def usual_near(words: int, ratio: Fraction) -> int:
    """How many words are near: as many as make the error least, roughly; the fewest of
    several.
    """
    truth, other = ratio.as_integer_ratio()
    best, most, least_mass = 0, 0, 1
    for near, total in enumerate(_totals(words // 2), 1):
        mass = near * truth + (words - near) * other
        # Which total is more for its mass: whole numbers, as fractions would be reduced
        # each time.
        if total * least_mass > most * mass:
            best, most, least_mass = near, total, mass
    return best


@lru_cache(maxsize=MOST_WORDS)
def _totals(numbers: int) -> tuple[int, ...]:
    """Roughly the means of the greatest of so many half-normal numbers, added up one by
    one.
    """
    table, whole = magnitudes(), 2 * (8 * numbers + 2)
    # Blom 1958: the quantile of a rank, from the greatest, among the codes.
    places = (
        (2 * CODES * (8 * rank + 5) - whole // 2) // whole for rank in range(numbers)
    )
    return tuple(accumulate(table[place] for place in reversed(list(places))))


def design(keys: Keys, domain: Domain) -> tuple[CodebookResponse, Declared]:
    """`epsilon`; `words` and `near`, if they are not to be 64 and those with the least
    error.
    """
    epsilon = keys.epsilon()
    truth, other = odds(epsilon)
    words = keys.integer("words", 2, MOST_WORDS, default=USUAL_WORDS)
    if words % 2:
        keys.problem("words", "an even number: a word and its opposite", words)
        words += 1
    near = 0 if "near" in keys else usual_near(words, Fraction(truth, other))
    near = keys.integer("near", 1, words // 2, default=near)
    dimensions = 2
    if domain.ball is not None:
        dimensions = domain.ball.dimensions
    response = CodebookResponse(dimensions, words, near, truth=truth, other=other)
    return response, Declared.epsilon(epsilon)


def _accepts(domain: Domain) -> str | None:
    if domain.ball is None:
        return "a question of type vector"
    return None


MECHANISM = Mechanism(
    "codebook",
    "codebook response, for the mean of vectors",
    ("epsilon", "words", "near"),
    accepts=_accepts,
    design=design,
)
