"""Checks on reports, and remarks on estimates."""

from __future__ import annotations

from typing import NamedTuple

SUSPICIOUS = 0.001


class Check(NamedTuple):
    """Check: a count, and the chance of as much.

    A small p-value says that reports are not what the survey's mechanism would have
    drawn.
    """

    name: str
    counted: int
    """A number that `meaning` explains."""
    p_value: float
    """How likely chance alone shows as much."""
    meaning: str

    @property
    def suspicious(self) -> bool:
        """Whether chance would show as much in less than one survey of a thousand."""
        return self.p_value < SUSPICIOUS

    def __str__(self) -> str:
        return f"{self.name}: {self.meaning} (p-value {self.p_value:.2g})"


class Remark(NamedTuple):
    """One thing to know about a question's estimates: a name for machines, and a
    sentence.
    """

    name: str
    text: str

    def __str__(self) -> str:
        return self.text
