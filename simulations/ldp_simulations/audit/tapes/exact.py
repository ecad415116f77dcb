"""The law of a survey's samplers over every tape of randomness, exactly.

Where the survey's own integers are so small that every tape can be run (a question that states its
probabilities, such as a coin), they are. Elsewhere the weights are words of 64 bits, and the same
code is run with small ones: it reads its integers, and has no others. What comes out is compared
with the channel, as fractions; how often a draw is rejected may not depend on the value.

This proves the code of the Python core, which every client of it runs; of other clients it says
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import count
from typing import Any, NamedTuple

from ldp.answers.domain import Value
from ldp.answers.sets import sets_of
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.numbers.additive import AdditiveNoise
from ldp.mechanisms.numbers.arcs import Arcs
from ldp.mechanisms.numbers.dithered import DitheredResponse
from ldp.mechanisms.numbers.one_bit import OneBitMean
from ldp.mechanisms.numbers.square_wave import SquareWave
from ldp.mechanisms.numbers.tree import TreeResponse
from ldp.mechanisms.places.stripes import Stripes
from ldp.mechanisms.sets.set_unary import SetEncoding
from ldp.mechanisms.sets.subsets import SubsetsResponse
from ldp.mechanisms.texts.taxonomy import TaxonomyResponse
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.mechanisms.values.local_hashing import LocalHashing
from ldp.mechanisms.values.matrix import StochasticMatrix
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp.mechanisms.values.subset import SubsetSelection
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.numbers.layout import Layout
from ldp.survey.survey import Question
from ldp_simulations.audit.tapes.every_tape import (
    UNFINISHED,
    Law,
    TooManyTapesError,
    accepted,
    every_tape,
)

OWN, SMALL_WORDS = "own integers", "small integers"
_MOST_TAPES = 70_000
_MOST_WEIGHT = 1 << 16
_BYTE = 8

Small = tuple[Randomizer, tuple[int, ...]]
"""A randomizer, and how many bits of a byte each of its draws looks at."""

SMALL: dict[type, Small] = {
    type(randomizer): (randomizer, bits)
    for randomizer, bits in (
        (RandomizedResponse(7, 20, 3), (8,)),
        (LocalHashing(4, 3, 4, other=2, modulus=5), (2, 8, 3)),
        (SubsetSelection(2, 1, 3, other=1), (2, 1)),
        (HadamardResponse(10, 4, 16, truth=12, other=1), (8, 2)),
        (ProjectiveResponse(13, 3, 3, truth=2, other=1), (8,)),
        (UnaryEncoding(3, 5, 1, word=3), (3,)),
        (SetEncoding(3, 2, 5, if_other=1, word=3), (3,)),
        (StochasticMatrix(((3, 2, 1), (1, 1, 4))), (8,)),
        (AdditiveNoise(4, 2, 2, far=1, least=1), (8,)),
        (DitheredResponse(5, 4, 3, truth=5, other=1), (2, 8)),
        (Arcs(5, 7, 2, truth=3, other=1, weights=(2, 1, 1)), (2, 8)),
        (SquareWave(5, 3, 5, other=2), (8,)),
        (OneBitMean(3, 3, 1), (8,)),
        (Stripes(4, 5, 3, truth=2, other=1, law=(1, 2, 1, 1, 2)), (4, 3)),
        (
            TaxonomyResponse(
                7, (0, 0, 1, 1, 2, 2, 0, 0, 0), (1, 3), spaces=((2, 3), (2, 3)), truth=5, other=2
            ),
            (2, 8),
        ),
        (TreeResponse(3, (0, 4), ((0, 1, 1), (0, 2, 1)), truth=7, other=2), (2, 8)),
        (SubsetsResponse((2, 2, 2, 2), 3, ((8, 0, 2, 1),), truth=5, other=2), (2, 8)),
        (Rappor(2, 0, 1, flip=1, if_one=7, if_zero=2, word=3), (2, 2)),
    )
}
"""Small integers, by class."""
_CHAINS: dict[type, Small] = {
    RandomizedResponse: (
        Chain(RandomizedResponse(2, 3, 1), RandomizedResponse(2, 5, 3)),
        (2, 3),
    ),
    UnaryEncoding: (Chain(UnaryEncoding(3, 2, 1, word=2), RandomizedResponse(2, 3, 1)), (3, 3)),
    LocalHashing: (
        Chain(LocalHashing(2, 2, 3, other=1, modulus=3), RandomizedResponse(2, 5, 3)),
        (1, 8, 2, 3),
    ),
}
"""The same of chains, by the class of what lasts."""


class Proof(NamedTuple):
    """What running every tape said of a question's sampler."""

    question: str
    integers: str
    """Whose integers were run; nothing if none were."""
    tapes: str
    wrong: str
    """What differs from the channel; nothing if nothing does."""


def prove(question: Question) -> Proof:
    """Run the sampler of a question over every tape, if it can be."""
    randomizer = question.randomizer
    bits = _all_bits(randomizer)
    if bits is not None and _is_plain(randomizer):
        try:
            wrong = differences(randomizer, bits, _MOST_TAPES)
            return Proof(question.name, OWN, _tape_text(bits), wrong=wrong)
        except TooManyTapesError:
            pass
    small = _CHAINS.get(type(randomizer.lasting)) if isinstance(randomizer, Chain) else None
    small = small or SMALL.get(type(randomizer))
    if small is None:
        return Proof(question.name, "", "", wrong="")
    return Proof(question.name, SMALL_WORDS, _tape_text(small[1]), wrong=differences(*small))


def differences(randomizer: Randomizer, bits: Sequence[int], most: int | None = None) -> str:
    """The first probability that is not the channel's; nothing if there is none.

    Raises `TooManyTapesError` beyond `most` tapes for a value.
    """
    reports = reports_of(randomizer.layout)
    rejected = set()
    for value, row in zip(_values(randomizer), randomizer.channel().rows, strict=False):
        law = _drawn(randomizer, value, bits, most=most)
        rejected.add(law.get(UNFINISHED, Fraction(0)))
        drawn = accepted(law)
        stated = {report: mass for report, mass in zip(reports, row, strict=True) if mass}
        for report in sorted(drawn.keys() | stated.keys()):
            pair = drawn.get(report, Fraction(0)), stated.get(report, Fraction(0))
            if pair[0] != pair[1]:
                return f"value {value}, report {report}: drawn with {pair[0]}, stated {pair[1]}"
    return "how often a draw is rejected depends on the value" if len(rejected) > 1 else ""


def _values(randomizer: Randomizer) -> Iterable[int]:
    """What a randomizer takes, in the order of its channel's rows."""
    if isinstance(randomizer, SetEncoding):
        return sets_of(randomizer.size, randomizer.most)
    return count()


def reports_of(layout: Layout) -> list[int]:
    """The report that each column of a channel stands for: by its prefix, then its body."""
    bodies = range(1 << layout.bits if layout.bits else layout.symbols)
    return [layout.report(body, prefix) for prefix in _prefixes(layout) for body in bodies]


def _prefixes(layout: Layout) -> Iterator[int]:
    if not layout.modulus:
        yield from range(layout.cohorts)
        return
    for multiplier in range(1, layout.modulus):
        for shift in range(layout.modulus):
            yield shift << 32 | multiplier


def _drawn(randomizer: Randomizer, value: Value, bits: Sequence[int], most: int | None) -> Law:
    def draw(random: Any) -> int:
        return randomizer.randomize(value, random)

    return every_tape(draw, bits, most)


def _all_bits(randomizer: Randomizer) -> tuple[int, ...] | None:
    """How many bits each call needs for all that can be drawn, where weights are small."""
    if isinstance(randomizer, RandomizedResponse):
        size, truth, other = randomizer
        return (_BYTE,) if truth + (size - 1) * other <= _MOST_WEIGHT else None
    if isinstance(randomizer, StochasticMatrix):
        return (_BYTE,) if max(map(sum, randomizer.weights)) <= _MOST_WEIGHT else None
    return None


def _is_plain(randomizer: Randomizer) -> bool:
    return randomizer.layout.places == 1 and not randomizer.layout.codewords


def _tape_text(bits: Sequence[int]) -> str:
    return " + ".join(map(str, bits)) + " bits a byte"
