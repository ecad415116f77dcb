"""Whether fewer batches come than usual.

Batches are counted by the hour, for eight days. What is usual for an hour is the median
of the same hour of the days before, where three of them are known, else of all hours
that are known, if these are six or more. It is a drop if the last hour has so few
batches that this would happen with half the usual rate in less than one of 10,000
hours: the count of independent devices is Poisson's, so hours of few batches are no
alarm by chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

HOUR = 3600
KEPT = 8 * 24
PART = 0.5
RATE = 1e-4
_SAME_HOURS, _HOURS = 3, 6
_DAY = 24


class Hours:
    """Batches by hour."""

    def __init__(self, by_hour: Mapping[int, int] | None = None) -> None:
        self.by_hour = dict(by_hour or {})

    def count(self, now: float, batches: int) -> None:
        """So many came just now."""
        hour = int(now // HOUR)
        self.by_hour[hour] = self.by_hour.get(hour, 0) + batches
        self.by_hour = {
            at: count for at, count in self.by_hour.items() if hour - KEPT < at <= hour
        }

    def drop(self, now: float) -> str | None:
        """How far the batches of the last whole hour dropped, in words; None if they
        did not.
        """
        from scipy.special import pdtr

        last = int(now // HOUR) - 1
        # Hours in which no service ran are not known, and are no zeros.
        if last not in self.by_hour:
            return None
        before = {hour: count for hour, count in self.by_hour.items() if hour < last}
        known = [count for hour, count in before.items() if (last - hour) % _DAY == 0]
        if len(known) < _SAME_HOURS:
            known = list(before.values())
            if len(known) < _HOURS:
                return None
        usual, batches = median(known), self.by_hour[last]
        # The chance of so few batches, or fewer, at half the usual rate.
        if pdtr(batches, PART * usual) >= RATE:
            return None
        return f"{batches:,} batches came in an hour, against {usual:,.0f} as usual"
