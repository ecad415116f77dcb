"""What an estimate with an interval has, whatever it is of."""

from __future__ import annotations


class WithInterval:
    """A record with the ends of an interval among its fields."""

    low: float
    high: float

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval, of the level that was asked for."""
        return self.low, self.high
