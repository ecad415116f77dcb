"""Estimate with an interval, whatever it is of."""

from __future__ import annotations

from typing import Any


class WithInterval:
    """A record with the ends of an interval among its fields."""

    low: float
    high: float

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval, of the level that was asked for."""
        return self.low, self.high


class Estimated(WithInterval):
    """A record with an estimate and its standard error besides; None where there is
    none.
    """

    estimate: Any
    standard_error: Any

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "estimate": self.estimate,
            "standard_error": self.standard_error,
            "interval": [self.low, self.high],
        }
