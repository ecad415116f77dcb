"""The law of a survey's samplers over every tape of randomness, exactly.

Where the survey's own integers are so small that every tape can be run (a question that
states its probabilities, such as a coin), they are. Elsewhere the weights are words of
64 bits, and the same code is run with small ones (`Randomizer.small`): it reads its
integers, and has no others. What comes out is compared with the channel, as fractions;
how often a draw is rejected may not depend on the value.

This proves the code of the Python core, which every client of it runs; of other clients
it says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import count
from typing import Any, NamedTuple

from ldp.answers.domain import Value
from ldp.answers.sets import sets_of
from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.numbers.layout import Layout
from ldp.survey.survey import Question
from ldp_simulations.audit.tapes.every_tape import (
    UNFINISHED,
    Law,
    TooManyTapesError,
    condition_on_finish,
    every_tape,
)

OWN, SMALL_WORDS = "own integers", "small integers"
_MOST_TAPES = 70_000
_MOST_WEIGHT = 1 << 16
_BYTE = 8


class Proof(NamedTuple):
    """Proof by running every tape of a question's sampler."""

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
    small = randomizer.small()
    if small is None:
        return Proof(question.name, "", "", wrong="")
    return Proof(
        question.name, SMALL_WORDS, _tape_text(small[1]), wrong=differences(*small)
    )


def differences(
    randomizer: Randomizer, bits: Sequence[int], most: int | None = None
) -> str:
    """The first probability that is not the channel's; nothing if there is none.

    Raises `TooManyTapesError` beyond `most` tapes for a value.
    """
    reports = reports_of(randomizer.layout)
    rejected = set()
    for value, row in zip(_values(randomizer), randomizer.channel().rows, strict=False):
        law = _law(randomizer, value, bits, most=most)
        rejected.add(law.get(UNFINISHED, Fraction(0)))
        drawn = condition_on_finish(law)
        stated = {
            report: mass for report, mass in zip(reports, row, strict=True) if mass
        }
        for report in sorted(drawn.keys() | stated.keys()):
            pair = drawn.get(report, Fraction(0)), stated.get(report, Fraction(0))
            if pair[0] != pair[1]:
                return (
                    f"value {value}, report {report}: drawn with {pair[0]}, stated "
                    f"{pair[1]}"
                )
    if len(rejected) > 1:
        return "how often a draw is rejected depends on the value"
    return ""


def _values(randomizer: Any) -> Iterable[int]:
    """Return the inputs of a randomizer, in the order of its channel's rows."""
    if hasattr(randomizer, "most"):
        return sets_of(randomizer.size, randomizer.most)
    return count()


def reports_of(layout: Layout) -> list[int]:
    """The report that each column of a channel stands for: by its prefix, then its
    body.
    """
    bodies = range(1 << layout.bits if layout.bits else layout.symbols)
    return [
        layout.report(body, prefix) for prefix in _prefixes(layout) for body in bodies
    ]


def _prefixes(layout: Layout) -> Iterator[int]:
    if not layout.modulus:
        yield from range(layout.cohorts)
        return
    for multiplier in range(1, layout.modulus):
        for shift in range(layout.modulus):
            yield shift << 32 | multiplier


def _law(
    randomizer: Randomizer, value: Value, bits: Sequence[int], most: int | None
) -> Law:
    def draw(random: Any) -> int:
        return randomizer.randomize(value, random)

    return every_tape(draw, bits, most)


def _all_bits(randomizer: Randomizer) -> tuple[int, ...] | None:
    """How many bits each call needs for all that can be drawn, where weights are
    small.
    """
    if isinstance(randomizer, RandomizedResponse):
        size, truth, other = randomizer
        if truth + (size - 1) * other <= _MOST_WEIGHT:
            return (_BYTE,)
        return None
    if isinstance(randomizer, StochasticMatrix):
        if max(map(sum, randomizer.weights)) <= _MOST_WEIGHT:
            return (_BYTE,)
        return None
    return None


def _is_plain(randomizer: Randomizer) -> bool:
    return randomizer.layout.places == 1 and not randomizer.layout.codewords


def _tape_text(bits: Sequence[int]) -> str:
    return " + ".join(map(str, bits)) + " bits a byte"
