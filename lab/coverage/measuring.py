"""What a cell shows, summed up over its surveys.

Every cell has random numbers of its own, so that it shows the same whenever, wherever
and after whatever it is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lab.coverage.cells import Cell
from lab.coverage.estimands import Seen
from lab.coverage.observing import surveys_of
from ldp_aggregator.numerics.arrays import Floats


class Finding(NamedTuple):
    """How often something went wrong, on average over surveys, and over values if seen
    by value.
    """

    surveys: int
    mean: float
    error: float
    """The standard error of the mean: the Monte-Carlo error."""
    values: int = 1
    worst: float = 0.0
    """Of the values, the mean that is farthest from 0."""
    spread: float = 0.0
    """How much the means of values differ: their standard deviation."""


@dataclass
class Sum:
    """Sums over surveys."""

    surveys: int
    by_value: Floats
    total: float
    squares: float

    def add(self, seen: Seen) -> None:
        """Count one more survey."""
        values = np.atleast_1d(np.asarray(seen, dtype=float))
        mean = float(values.mean())
        self.surveys += 1
        self.by_value = self.by_value + values
        self.total += mean
        self.squares += mean**2

    @property
    def finding(self) -> Finding:
        """What is kept of it."""
        mean = self.total / self.surveys
        variance = max(self.squares / self.surveys - mean**2, 0.0)
        by_value = self.by_value / self.surveys
        worst = float(by_value[np.argmax(np.abs(by_value))])
        return Finding(
            self.surveys,
            mean,
            (variance / self.surveys) ** 0.5,
            values=len(by_value),
            worst=worst,
            spread=float(by_value.std()),
        )


def measure(cell: Cell) -> dict[str, Finding]:
    """The findings of a cell, by what was seen (`lab.coverage.observing`)."""
    return {what: sums.finding for what, sums in summed(cell).items()}


def summed(cell: Cell) -> dict[str, Sum]:
    """The same before it is cut short."""
    generator = np.random.default_rng([*cell.name.encode()])
    survey, sums = surveys_of(cell), dict[str, Sum]()
    for number in range(cell.surveys):
        for what, seen in survey(generator, number):
            sums.setdefault(what, Sum(0, np.zeros(1), 0.0, squares=0.0)).add(seen)
    return sums
