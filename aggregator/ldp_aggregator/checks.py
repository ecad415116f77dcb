"""The one shape of all checks on reports: what was counted, and how likely as much is by chance."""

from __future__ import annotations

from typing import NamedTuple

SUSPICIOUS = 0.001


class Check(NamedTuple):
    """One check. A small p-value says that reports are not what the survey's mechanism would have drawn."""

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
