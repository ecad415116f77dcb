"""Bounded contributions: what a device with many records answers with.

A question that says `per_device` is answered with all the records that a device has, in their
order, and the device makes one answer of them before it randomizes anything:

    mean   the average of the numbers, each of them refused, clipped or replaced by itself
    sum    their sum, which is then refused, clipped or replaced
    last   the last record
    one    one of the records, each as likely as any other

so that whoever has a thousand records counts for no more than whoever has one, and epsilon covers
all of them together. Averages and sums are exact fractions; where one lies between two points of a
scale, or between two whole numbers, it goes to either at random and without bias.

Of n records a device takes the one at floor(n u / 2^128), u uniform in 128 bits, which are drawn
however many records there are. Each is then taken with a chance that differs from 1/n by less than
2^-128; an average over a million records in the range [low, high] is biased by less than
10^6 2^-128 (high - low).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ldp.answers.domain import whole, within
from ldp.answers.scales import ROUNDING_BITS
from ldp.errors import AnswerError
from ldp.numbers.exact import decimal_text

if TYPE_CHECKING:
    from ldp.answers.domain import Domain, Placed
    from ldp.numbers.randomness import Random

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


def placed(domain: Domain, answer: object) -> tuple[Placed, ...]:
    """What the records of a device come to: one place, or one for each record to draw from.

    Raises `AnswerError` if it is no sequence, an empty one, or if a record does not fit.
    """
    records = _records(answer)
    if domain.per_device == ONE:
        return tuple(map(domain.place_record, records))
    if domain.per_device == LAST:
        return (domain.place_record(records[-1]),)
    numbers = [_number_of(domain, record) for record in records]
    if domain.per_device == MEAN:
        counted = [_within(domain, number) for number in numbers]
        return (_placed(domain, sum(counted, Fraction(0)) / len(counted)),)
    return (_placed(domain, _within(domain, sum(numbers, Fraction(0)))),)


def chosen(places: Sequence[Placed], random: Random) -> Placed:
    """One of them; as many bytes are drawn for one as for many."""
    drawn = int.from_bytes(random(CHOOSING_BYTES), "little")
    return places[drawn * len(places) >> 8 * CHOOSING_BYTES]


def estimand(domain: Domain) -> str:
    """Of what estimates are, where devices may have many records."""
    bounded = _bounded(domain)
    ones = _ESTIMATED[domain.per_device]
    if domain.per_device == MEAN:
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


def _bounded(domain: Domain) -> str:
    """What is done with numbers outside; empty where they are refused."""
    if domain.ball is not None and domain.ball.outside == "clip":
        return f"shortened to {decimal_text(domain.ball.radius)}"
    if domain.ends is None or domain.outside == "refuse":
        return ""
    low, high = map(decimal_text, domain.ends)
    if isinstance(domain.outside, Fraction):
        return f"counted as {decimal_text(domain.outside)} outside [{low}, {high}]"
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
        raise AnswerError("expected at least one record, got none: record no answer then")
    return answer


def _number_of(domain: Domain, record: object) -> Fraction:
    """The exact number that a record is, wherever it lies."""
    return Fraction(whole(record)) if domain.scale is None else domain.scale.number(record)


def _within(domain: Domain, number: Fraction) -> Fraction:
    """A number of the range: itself, or what stands in for it outside."""
    if domain.scale is not None:
        return domain.scale.within(number)
    return within(number, domain.numbers or range(1), domain.outside)


def _placed(domain: Domain, number: Fraction) -> Placed:
    """The place of a number of the range."""
    if domain.scale is not None:
        return domain.scale.placed(number)
    above = number - (domain.numbers or range(1))[0]
    place, rest = divmod(above.numerator, above.denominator)
    return place, (rest << ROUNDING_BITS) // above.denominator
