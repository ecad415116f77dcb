"""Round numbers along an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

_STEPS = (1, 2, 2.5, 5, 10)
GUTTER = 12
"""Of a hundred parts of a picture's width, those that the numbers of an upright axis
take.
"""


class AxisScale(NamedTuple):
    """Numbers from `low` to `high`, and round ones between them."""

    low: float
    high: float
    ticks: tuple[float, ...]

    @classmethod
    def over(
        cls, numbers: Sequence[float], ticks: int = 5, *, zero: bool = True
    ) -> AxisScale:
        """The scale of these numbers, and of zero, unless it is to fit them alone.

        Those that are not finite do not matter.
        """
        finite = [number for number in numbers if math.isfinite(number)]
        if zero or not finite:
            finite.append(0.0)
        low, high = min(finite), max(finite)
        if high == low:
            high = low + (1 if zero else abs(low) / 10 or 1)
        # The least round step that needs no more ticks than that.
        raw = (high - low) / ticks
        unit = 10.0 ** math.floor(math.log10(raw))
        step = next(round_ * unit for round_ in _STEPS if round_ * unit >= raw * 0.999)
        first = math.floor(low / step + 1e-9)
        last = math.ceil(high / step - 1e-9)
        places = tuple(round(place * step, 12) for place in range(first, last + 1))
        return cls(first * step, last * step, places)

    def with_gutter(self) -> AxisScale:
        """Return the scale with room on its left for the numbers of the axis that
        stands on it.
        """
        room = (self.high - self.low) * GUTTER / (98 - GUTTER)
        return self._replace(low=self.low - room)

    def share(self, number: float) -> float:
        """How far along it is, from 0 to 1."""
        return (number - self.low) / (self.high - self.low)

    def percent(self, number: float) -> str:
        """Return a number's place across; both ends keep a little away from the
        edges.
        """
        return f"{1 + 98 * self.share(number):.3f}%"
