"""What is answered of a distribution, as records: shares, quantiles, a mode, a curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ldp_aggregator.arrays import Floats
from ldp_aggregator.interval import WithInterval
from ldp_aggregator.rendering.sheet import NOTHING


@dataclass(frozen=True)
class Share(WithInterval):
    """The share of the answers within a range, with its standard error and interval."""

    range: str
    frequency: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True)
class Quantile(WithInterval):
    """What so large a share of the answers lies at or below, with an interval.

    Of a question with cells, a place within one, as if its answers were spread evenly there; the
    interval is of whole cells.
    """

    share: float
    estimate: float
    low: float
    high: float

    @property
    def name(self) -> str:
        """As it is shown: the median, or the quantile of a share."""
        return "median" if self.share == 0.5 else f"quantile {self.share:g}"

    @property
    def cells(self) -> tuple[str, str, str]:
        """Estimate, no standard error, and interval, as text."""
        return f"{self.estimate:g}", NOTHING, f"[{self.low:g}, {self.high:g}]"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"share": self.share, "estimate": self.estimate, "interval": [self.low, self.high]}


@dataclass(frozen=True)
class Spread(WithInterval):
    """The distance between two quantiles, with an interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Mode:
    """The cell of a histogram with the highest estimate, and all that may be the most frequent."""

    cell: Share
    candidates: tuple[str, ...]
    """The cells of which one is the most frequent, with the probability that was asked for."""


@dataclass(frozen=True, eq=False)
class Cumulative:
    """The share of the answers below each number: arrays of shape (points,)."""

    below: Floats
    """The numbers: answers lie below them, at them they do not."""
    share: Floats
    """Unbiased; it need not rise."""
    standard_error: Floats
    low: Floats
    high: Floats
    """The ends of an interval for each number by itself."""
    band_low: Floats
    band_high: Floats
    """The ends of a band that holds all of it at once."""
    monotone: Floats
    """The nearest that rises from 0 to 1: closer to the truth on average, and biased."""
