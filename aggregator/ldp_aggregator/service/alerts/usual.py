"""Whether fewer batches come than usual.

Batches are counted by the hour, for eight days. What is usual for an hour is the median of the same
hour of the days before, where three of them are known, else of all hours that are known, if these
are six or more. It is a drop if the last hour has so few batches that this would happen with half
the usual rate in less than one of 10,000 hours: the count of independent devices is Poisson's, so
hours of few batches are no alarm by chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import NamedTuple

HOUR = 3600
KEPT = 8 * 24
PART = 0.5
RATE = 1e-4
_SAME_HOURS, _HOURS = 3, 6
_DAY = 24


class Drop(NamedTuple):
    """Batches of the last whole hour, and what is usual."""

    batches: int
    usual: float

    def __str__(self) -> str:
        return f"{self.batches:,} batches came in an hour, against {self.usual:,.0f} as usual"


class Hours:
    """Batches by hour; `by_hour` is all there is to keep."""

    def __init__(self, by_hour: Mapping[int, int]) -> None:
        self.by_hour = dict(by_hour)

    def count(self, now: float, batches: int) -> None:
        """So many came just now."""
        hour = int(now // HOUR)
        self.by_hour[hour] = self.by_hour.get(hour, 0) + batches
        self.by_hour = {at: count for at, count in self.by_hour.items() if hour - KEPT < at <= hour}

    def drop(self, now: float) -> Drop | None:
        """Whether the last whole hour was one; None where too little is known."""
        last = int(now // HOUR) - 1
        # Hours in which no service ran are not known, and are no zeros.
        if last not in self.by_hour:
            return None
        before = {hour: count for hour, count in self.by_hour.items() if hour < last}
        same = [count for hour, count in before.items() if (last - hour) % _DAY == 0]
        known = same if len(same) >= _SAME_HOURS else list(before.values())
        if len(known) < _HOURS and known is not same:
            return None
        usual, batches = median(known), self.by_hour[last]
        return Drop(batches, usual) if _chance(batches, PART * usual) < RATE else None


def _chance(batches: int, mean: float) -> float:
    """That of so few, or fewer, where so many are to be expected."""
    from scipy.stats import poisson

    return float(poisson.cdf(batches, mean))
