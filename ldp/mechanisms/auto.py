"""Choosing the mechanism with the least total error, as far as reports stay short.

    R = [m p (1-p) + (d-m) q (1-q)] / (p-q)^2

which is the summed variance over all values times the number of reports. Of keys that
come with numbers it is that of all signed items: half the summed variance of the
frequencies and the sums.

m is 1 or, where several values may be held, how many at most. R does not depend on the
frequencies, so it can be compared before anyone is asked; with blocks of values (`hr`)
of which some have one value more than others it does, and then the largest R counts.
The comparison is made in exact fractions: every device and every aggregator that reads
the survey chooses the same.

The key `report_bytes` limits the size of a report. Where the survey gives no limit,
reports of up to 256 bytes are preferred, and longer ones, up to 4,096, considered where
the least error is less than .965 of what short ones reach.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from ldp.mechanisms.contract import (
    Blocked,
    Mechanism,
    Pure,
    Randomizer,
    is_blocked,
    is_pure,
    is_signed,
)

SHORT, LONG = 256, 4096
WORTH_IT = Fraction(965, 1000)


def total_error(randomizer: Pure | Blocked, held: int = 1) -> Fraction:
    """R: the summed variance of all estimated frequencies, times the number of reports.

    If everyone holds this many values.
    """
    if is_blocked(randomizer):
        return randomizer.squares - held
    assert is_pure(randomizer) or is_signed(randomizer)  # noqa: S101 (a fact about our own table)
    (p, below_p), (q, below_q) = (
        rate.as_integer_ratio() for rate in randomizer.support
    )
    return summed_variance(
        p * below_q, q * below_p, below_p * below_q, size=randomizer.size, held=held
    )


def summed_variance(p: int, q: int, whole: int, size: int, held: int = 1) -> Fraction:
    """R, from rates that are whole numbers over a whole.

    Fractions would be reduced after every step.
    """
    return Fraction(
        held * p * (whole - p) + (size - held) * q * (whole - q), (p - q) ** 2
    )


class Considered(NamedTuple):
    """A mechanism that can serve a question, the bytes of its reports, and its total
    error R.
    """

    row: Mechanism
    report_bytes: int
    error: Fraction


def list_candidates(
    designs: Iterable[tuple[Mechanism, Randomizer]], held: int
) -> tuple[Considered, ...]:
    """List the candidates to choose from, one for each design.

    For a question whose respondents hold this many values.
    """
    return tuple(
        Considered(
            row,
            randomizer.layout.width,
            total_error(_check_comparable(row, randomizer), held),
        )
        for row, randomizer in designs
    )


def least_error(choice: tuple[Considered, ...], limit: int) -> Considered:
    """The one with the least total error; ties go to the first.

    A limit of 0 leaves it to the rule above.

    Where none keeps to the limit, the one with the shortest report is taken.
    """

    def best(most: int) -> Considered:
        return min(choice, key=lambda one: (max(one.report_bytes - most, 0), one.error))

    if limit:
        return best(limit)
    short = best(SHORT)
    long = best(LONG)
    if long.error < WORTH_IT * short.error:
        return long
    return short


def _check_comparable(row: Mechanism, randomizer: Randomizer) -> Pure | Blocked:
    if not (is_pure(randomizer) or is_blocked(randomizer) or is_signed(randomizer)):
        raise TypeError(
            f"{row.name} has no total error that does not depend on the frequencies"
        )
    return randomizer
