"""The numbers whose mean is estimated: three columns of UCI Adult, and two made with a
seed.

Ranges are scaled to [-1, 1], and numbers counted on a grid of that range, of at most
4,096 steps. What lies between two steps is shared by both, as if it were rounded at
random; the variance that this adds, below 10^-7, is left out for all mechanisms alike.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.numbers.dithered import FINEST_GRID
from ldp_aggregator.numerics.arrays import Floats

SEED = 1
DRAWN = 100_000
_STEPS_OF_DRAWN = 1_000
_COLUMNS = {
    "age, 0 to 100": (0, 100),
    "hours, 0 to 99": (12, 99),
    "gain, 0 to 99,999": (10, 99_999),
}
"""Of the file: the place of a column, and the end of its range."""


class Input(NamedTuple):
    """Numbers of a range, by their share."""

    name: str
    shares: Floats
    """Of each place of the grid, of shape (steps + 1,)."""

    @property
    def steps(self) -> int:
        """Of the grid."""
        return len(self.shares) - 1

    @property
    def scaled(self) -> Floats:
        """The places of the grid on [-1, 1]."""
        return np.linspace(-1, 1, len(self.shares))


def inputs(adult: Path | None) -> list[Input]:
    """All of them, or those that need no file."""
    return [*([] if adult is None else of_adult(adult)), *drawn()]


def of_adult(path: Path) -> Iterator[Input]:
    """Age, weekly hours and capital gain of 32,561 adults."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.reader(lines, skipinitialspace=True) if row]
    for name, (column, high) in _COLUMNS.items():
        numbers = np.array([float(row[column]) for row in rows])
        steps = min(high, FINEST_GRID)
        yield Input(name, shares_of(numbers * steps / high, steps))


def drawn() -> Iterator[Input]:
    """A skewed hump, and two humps near the ends."""
    generator = np.random.default_rng(SEED)
    skewed = generator.beta(2, 5, DRAWN)
    centres = generator.choice([-0.65, 0.65], DRAWN)
    humps = np.clip(centres + 0.1 * generator.standard_normal(DRAWN), -1, 1)
    for name, numbers in (("beta(2, 5)", skewed), ("two humps", (humps + 1) / 2)):
        yield Input(name, shares_of(numbers * _STEPS_OF_DRAWN, _STEPS_OF_DRAWN))


def shares_of(places: Floats, steps: int) -> Floats:
    """The share of each place of a grid; a number between two is shared by both."""
    below = np.minimum(places.astype(np.int64), steps - 1)
    above = places - below
    counts = np.bincount(below, 1 - above, steps + 1) + np.bincount(
        below + 1, above, steps + 1
    )
    return counts / len(places)
