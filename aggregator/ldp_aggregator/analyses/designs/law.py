"""The law of a survey design: a table of types of respondents and their answers, for
each arm.

A coin, a die, a deck of cards or an innocuous statement randomizes each answer. All
that an estimate needs is the chance of each answer for each *type* of respondent:

    arms[g].rows[type][answer]      exact fractions; each row sums to 1

Types are carriers ("yes"), others ("no") and, in some designs, people who do not
follow: those who say no whatever is asked, or answer by chance. Arms are samples that
were asked with other numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

Rows = tuple[tuple[Fraction, ...], ...]
Held = tuple[tuple[int, ...], ...]

YES, NO = "yes", "no"


class Arm(NamedTuple):
    """Questions of one sample."""

    name: str
    rows: Rows
    """P[answer | type], of shape (types, answers)."""


class Measure(NamedTuple):
    """A share to estimate: of some types, among all respondents or among some types."""

    name: str
    of: tuple[str, ...]
    among: tuple[str, ...] = ()


class Family(NamedTuple):
    """Types whose shares cannot all be below zero by chance, if a premise of the design
    holds.
    """

    name: str
    types: tuple[str, ...]


class Law(NamedTuple):
    """Types, answers, and the chances of these."""

    types: tuple[str, ...]
    answers: tuple[str, ...]
    arms: tuple[Arm, ...]
    measures: tuple[Measure, ...]
    honest: int
    """How many of the types, the first ones, follow the design."""
    numbers: tuple[Fraction, ...] = ()
    """What answers count for, where the mean of them estimates the share of the first
    type.
    """
    held: Held = ()
    """What the honest types hold, by question, where one further type does not follow.
    """
    pairs: bool = False
    """Whether answers to these questions may be associated, two by two."""
    families: tuple[Family, ...] = ()
    epsilon: bool = True
    """Whether the design promises privacy for a single answer at all."""
    note: str = ""

    @property
    def ratio(self) -> Fraction | None:
        """The largest ratio of chances of one answer between honest types; None if
        unbounded.
        """
        largest = Fraction(1)
        for _, _, column in self._columns():
            if not self.epsilon or min(column) == 0:
                return None
            largest = max(largest, max(column) / min(column))
        return largest

    def revelations(self) -> Iterator[str]:
        """Say of each answer which types it rules out, and in which arm unless it is so
        in all.
        """
        arms: dict[str, list[str]] = {}
        for arm, answer, column in self._columns():
            chances = zip(self.types, column, strict=False)
            never = [repr(name) for name, chance in chances if chance == 0]
            if never:
                text = f"the answer {answer!r} rules out {' and '.join(never)}"
                arms.setdefault(text, []).append(arm.name)
        for text, names in arms.items():
            where = ""
            if len(names) != len(self.arms):
                where = f" ({', '.join(names)})"
            yield text + where

    def _columns(self) -> Iterator[tuple[Arm, str, list[Fraction]]]:
        """The chances of each possible answer, by honest type."""
        for arm in self.arms:
            for answer, column in zip(
                self.answers, zip(*arm.rows, strict=True), strict=True
            ):
                chances = list(column[: self.honest])
                if any(chances):
                    yield arm, answer, chances


def closed_law(
    types: Sequence[str], answers: Sequence[str], arms: Sequence[Arm]
) -> Law:
    """Return the law of a design that everybody follows: each type is estimated."""
    measures = tuple(Measure(name, (name,)) for name in types)
    return Law(
        tuple(types), tuple(answers), tuple(arms), measures=measures, honest=len(types)
    )


def said_yes(*chances: Fraction) -> Rows:
    """Return rows of types from their chances to say yes."""
    return tuple((chance, 1 - chance) for chance in chances)
