"""What each mechanism's reports have in common: the blanket of every randomizer, by its integers.

| randomizer | weight E for | h | b |
|---|---|---|---|
| k-ary response (warner: 2 values) | the value | 1/d | 0 |
| subset selection, w of d | sets that hold it | (w/d)(d-w)/(d-1) | (w/d)(w-1)/(d-1) |
| projective geometry: v points, k each, l shared | its points | (k-l)/v | l/v |
| Hadamard, one block; `hcms` | its half | 1/4 | 1/4 |
| Hadamard, B blocks | its half block | 1/(2B) | 0 |
| local hashing, g buckets that meet with c | its bucket | (1-c)/g | c/g |
| unary encoding with p, q | its bit set | q (1-q) | q^2 |
| square wave, w of m places, o of them in both end windows | its window | (w-o)/m | o/m |
| arcs, stripes, t of P; codebook, t words of P | its arc or words | t/P, at most 1 - t/P | rest |

Public views (trees, pyramids, taxonomies, subsets of fields) are mixtures of these whose view
everyone sees, and count as if every view told the two answers apart; hash functions as if no two
answers ever met. Others go by E, gamma and the largest distance T (`ldp.privacy.blankets`). A
memoized mechanism counts with a device's first report: later ones are drawn from what the device
keeps, so that no relay can hide one among others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from math import comb, prod
from typing import Any

from ldp.mechanisms.contract import Randomizer
from ldp.privacy.blankets import (
    Blanket,
    of_any,
    of_levels,
    of_rates,
    of_row,
    of_rows,
    rounded,
    two_levels,
)
from ldp.survey.survey import Envelope

_MOST_BITS = 1 << 11
"""Of a numerator: numbers that are longer are rounded."""


def blanket_of(randomizer: Randomizer) -> Blanket:
    """The blanket of a mechanism's worst pair of answers."""
    # Kept by its class besides: named tuples of two classes are equal if their integers are.
    return _blanket_of(type(randomizer).__name__, randomizer)


@lru_cache(maxsize=256)
def _blanket_of(name: str, randomizer: Randomizer) -> Blanket:
    blanket_by = _TABLE.get(name)
    if blanket_by is None:
        return of_any(randomizer.ratio)
    return _short(blanket_by(randomizer))


def blanket_of_message(envelope: Envelope) -> Blanket:
    """That of what travels together: the report of a question, or the row of a group."""
    blankets = tuple(blanket_of(question.randomizer) for question in envelope.members)
    return blankets[0] if len(blankets) == 1 else _short(of_row(blankets))


def _short(blanket: Blanket) -> Blanket:
    longest = max(part.denominator.bit_length() for part in blanket)
    return rounded(blanket) if longest > _MOST_BITS else blanket


def _symbols(randomizer: Any) -> Blanket:
    return two_levels(randomizer.ratio, Fraction(1, randomizer.size), Fraction(0))


def _sets(randomizer: Any) -> Blanket:
    size, chosen = randomizer.size, randomizer.chosen
    share = Fraction(chosen, size)
    return two_levels(
        randomizer.ratio,
        share * Fraction(size - chosen, size - 1),
        share * Fraction(chosen - 1, size - 1),
    )


def _points(randomizer: Any) -> Blanket:
    from ldp.mechanisms.values.projective import geometry

    points, block, common = geometry(randomizer.order, randomizer.dimension)
    return two_levels(randomizer.ratio, Fraction(block - common, points), Fraction(common, points))


def _halves(randomizer: Any) -> Blanket:
    half = Fraction(1, 2 * randomizer.blocks)
    if randomizer.blocks > 1:
        return two_levels(randomizer.ratio, half, Fraction(0))
    return two_levels(randomizer.ratio, half / 2, half / 2)


def _signs(randomizer: Any) -> Blanket:
    return two_levels(randomizer.ratio, Fraction(1, 4), Fraction(1, 4))


def _hashes(randomizer: Any) -> Blanket:
    meeting = Fraction(*randomizer._meetings)
    return two_levels(
        randomizer.ratio, (1 - meeting) / randomizer.buckets, meeting / randomizer.buckets
    )


def _bits(randomizer: Any) -> Blanket:
    p, q = randomizer.support
    return _of_bits(p, q, 1)


def _bloom_bits(randomizer: Any) -> Blanket:
    p, q = randomizer.support
    return _of_bits(p, q, max(randomizer.hashes, 1))


def _held_bits(randomizer: Any) -> Blanket:
    p, q = randomizer.support
    return _of_bits(p, q, randomizer.most)


def _of_bits(p: Fraction, q: Fraction, many: int) -> Blanket:
    """The blanket of so many bits for each answer, none of them another's."""
    if p < q:
        p, q = 1 - p, 1 - q
    ratio = p * (1 - q) / (q * (1 - p))
    if many == 1:
        return two_levels(ratio, q * (1 - q), q * q)
    own, other = (
        [comb(many, ones) * rate**ones * (1 - rate) ** (many - ones) for ones in range(many + 1)]
        for rate in (p, q)
    )
    distance = sum(
        (
            max(own[i] * other[j] - other[i] * own[j], Fraction(0))
            for i in range(many + 1)
            for j in range(i)
        ),
        Fraction(0),
    )
    return of_levels(ratio**many, ((1 - p) / (1 - q)) ** many, distance)


def _window_bits(randomizer: Any) -> Blanket:
    flip = Fraction(randomizer.flip, 1 << randomizer.word)
    if randomizer.sampled > 1:
        return _of_bits(1 - flip, flip, 1)
    return of_rates(1 - flip, flip)


def _first_report(randomizer: Any) -> Blanket:
    return blanket_of(randomizer.once)


def _sides(randomizer: Any) -> Blanket:
    return blanket_of(randomizer.sides)


def _encoding(randomizer: Any) -> Blanket:
    return blanket_of(randomizer.encoding)


def _response(randomizer: Any) -> Blanket:
    return blanket_of(randomizer.response)


def _oracle(randomizer: Any) -> Blanket:
    return blanket_of(randomizer.oracle)


def _padded(randomizer: Any) -> Blanket:
    oracle = blanket_of(randomizer.oracle)
    # Sets that share nothing are as far apart as two entries are, and no farther.
    distance = oracle.only_first * oracle.gamma * (oracle.first - 1)
    return of_levels(randomizer.ratio, oracle.gamma, distance)


def _matrix(randomizer: Any) -> Blanket:
    return of_rows(randomizer.channel().rows)


def _noise(randomizer: Any) -> Blanket:
    # The first value and the last are farthest apart, and one of them is the least likely one.
    return of_rows((randomizer.row(0), randomizer.row(randomizer.size - 1)))


def _bit(randomizer: Any) -> Blanket:
    return of_rates(*randomizer.ends)


def _arc(randomizer: Any) -> Blanket:
    return _stretch(randomizer.ratio, randomizer.width, randomizer.modulus)


def _words(randomizer: Any) -> Blanket:
    return _stretch(randomizer.ratio, randomizer.near, randomizer.words)


def _stretch(ratio: Fraction, width: int, whole: int) -> Blanket:
    """So many of the outputs support an answer, and as few as can be two of them."""
    only = Fraction(min(width, whole - width), whole)
    return two_levels(ratio, only, Fraction(width, whole) - only)


def _line(randomizer: Any) -> Blanket:
    shared = max(randomizer.width - (randomizer.size - 1), 0)
    return two_levels(
        randomizer.ratio,
        Fraction(randomizer.width - shared, randomizer.places),
        Fraction(shared, randomizer.places),
    )


def _views(randomizer: Any) -> Blanket:
    views = zip(randomizer.shares, map(blanket_of, randomizer.oracles), strict=True)
    return _mixed(randomizer.ratio, views)


def _field_subsets(randomizer: Any) -> Blanket:
    cells = Counter(
        prod(randomizer.sizes[field] for field in randomizer.fields_of(number))
        for number in range(randomizer.subsets)
    )
    views = (
        (Fraction(many, randomizer.subsets), blanket_of(randomizer.oracle(size)))
        for size, many in cells.items()
    )
    return _mixed(randomizer.ratio, views)


def _mixed(ratio: Fraction, views: Iterable[tuple[Fraction, Blanket]]) -> Blanket:
    """The blanket of views, drawn with such shares, whatever the answer is."""
    gamma = distance = Fraction(0)
    for share, blanket in views:
        gamma += share * blanket.gamma
        distance += share * blanket.gamma * blanket.only_first * (blanket.first - 1)
    return of_levels(ratio, gamma, distance)


_TABLE: dict[str, Callable[[Any], Blanket]] = {
    "RandomizedResponse": _symbols,
    "SubsetSelection": _sets,
    "NumberedSubsets": _sets,
    "ProjectiveResponse": _points,
    "HadamardResponse": _halves,
    "LocalHashing": _hashes,
    "UnaryEncoding": _bits,
    "NoisyHistogram": _sides,
    "CountMean": _encoding,
    "HadamardCountMean": _signs,
    "Rappor": _bloom_bits,
    "Chain": _first_report,
    "BitFlip": _window_bits,
    "SetEncoding": _held_bits,
    "PadAndSample": _padded,
    "SignedItems": _padded,
    "StochasticMatrix": _matrix,
    "AdditiveNoise": _noise,
    "OneBitMean": _bit,
    "DitheredResponse": _response,
    "SquareWave": _line,
    "Arcs": _arc,
    "Stripes": _arc,
    "CodebookResponse": _words,
    "TaxonomyResponse": _views,
    "TreeResponse": _views,
    "PyramidResponse": _views,
    "SubsetsResponse": _field_subsets,
    "HeavyHitters": _oracle,
}
"""By the class of the randomizer; by name, as a survey needs few of their modules."""
