"""Bounded contributions: what a device with many records answers with.

A question that says `per_device` is answered with all the records that a device has, in
their order, and the device makes one answer of them before it randomizes anything:

    mean   the average of the numbers, each of them refused, clipped or replaced by
           itself
    sum    their sum, which is then refused, clipped or replaced
    last   the last record
    one    one of the records, each as likely as any other

so that whoever has a thousand records counts for no more than whoever has one, and
epsilon covers all of them together. Averages and sums are exact fractions; where one
lies between two points of a scale, or between two whole numbers, it goes to either at
random and without bias.

Of n records a device takes the one at floor(n u / 2^128), u uniform in 128 bits, which
are drawn however many records there are. Each is then taken with a chance that differs
from 1/n by less than 2^-128; an average over a million records in the range [low, high]
is biased by less than 10^6 2^-128 (high - low).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeVar

from ldp.errors import AnswerError
from ldp.numbers.exact import decimal_text

if TYPE_CHECKING:
    from ldp.numbers.randomness import Random

One = TypeVar("One")

MEAN, SUM, LAST, ONE = MODES = ("mean", "sum", "last", "one")
OF_NUMBERS = (MEAN, SUM)
CHOOSING_BYTES = 16
"""What is drawn to take one of the records."""

SHORT = {
    MEAN: "the average of a device's numbers",
    SUM: "the sum of a device's numbers",
    LAST: "the last of a device's records",
    ONE: "one of a device's records",
}


class NumericRange(Protocol):
    """Numbers of a range, and their places: a scale, or a range of whole numbers."""

    def number(self, answer: object) -> Fraction:
        """Return the exact number that an answer is, wherever it lies. Raises
        `AnswerError`.
        """
        ...

    def within(self, number: Fraction) -> Fraction:
        """Return a number of the range: itself, or what stands in for it. Raises
        `AnswerError`.
        """
        ...

    def locate(self, number: Fraction) -> tuple[int, int]:
        """Return the place of a number of the range, and how far it is from there to
        the next.
        """
        ...


def combine(mode: str, answer: object, line: NumericRange) -> Fraction:
    """Return the average or the sum of a device's numbers. Raises `AnswerError`."""
    numbers = [line.number(record) for record in _records(answer)]
    if mode == MEAN:
        counted = map(line.within, numbers)
        return sum(counted, Fraction(0)) / len(numbers)
    return line.within(sum(numbers, Fraction(0)))


def select(mode: str, answer: object) -> Sequence[object]:
    """Return the last record, or all of which one will be drawn. Raises
    `AnswerError`.
    """
    records = _records(answer)
    # Not every sequence has slices.
    if mode == LAST:
        return [records[-1]]
    return records


def choose(places: Sequence[One], random: Random) -> One:
    """One of them; as many bytes are drawn for one as for many."""
    drawn = int.from_bytes(random(CHOOSING_BYTES), "little")
    return places[drawn * len(places) >> 8 * CHOOSING_BYTES]


def estimand(mode: str, bounded: str) -> str:
    """Say what is estimated where devices may have many records."""
    ones = _ESTIMATED[mode]
    if mode == MEAN:
        ones += f" of what is {bounded}" if bounded else " of their numbers"
    elif bounded:
        ones += f", {bounded}"
    return f"estimates are over respondents, of {ones}"


_ESTIMATED = {
    MEAN: "each respondent's average",
    SUM: "each respondent's sum",
    LAST: "each respondent's last record",
    ONE: "one record drawn from each respondent's",
}


def bounds_text(outside: str | Fraction, least: Fraction, greatest: Fraction) -> str:
    """Say what is done with numbers outside of a range; empty where they are
    refused.
    """
    if outside == "refuse":
        return ""
    low, high = decimal_text(least), decimal_text(greatest)
    if isinstance(outside, Fraction):
        return f"counted as {decimal_text(outside)} outside [{low}, {high}]"
    return f"clipped to [{low}, {high}]"


def _records(answer: object) -> Sequence[object]:
    # Columns of other libraries are told by what they can do.
    if hasattr(answer, "tolist"):
        answer = answer.tolist()
    if not isinstance(answer, Sequence) or isinstance(answer, str | bytes | bytearray):
        raise AnswerError(
            "expected a sequence of all that the device has, got something of type "
            f"{type(answer).__name__}"
        )
    if not answer:
        raise AnswerError(
            "expected at least one record, got none: record no answer then"
        )
    return answer
