"""Answers on a distribution, as records: shares, quantiles, a mode, a curve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ldp_aggregator.answers.lines.quantiles import QuantileTest
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.interval import Estimated, WithInterval
from ldp_aggregator.output.sheet import NOTHING


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
    """Quantile of the answers, with an interval.

    Of a question with cells, a place within one, as if its answers were spread evenly
    there.
    """

    share: float
    estimate: float
    low: float
    high: float
    test: QuantileTest = field(compare=False, repr=False)
    """Where the estimate comes from, with intervals of all levels."""

    @classmethod
    def of(cls, test: QuantileTest, quantile: float) -> Quantile:
        """The quantile with the interval that reaches so many standard errors."""
        low, high = test.ends(quantile)
        return cls(test.share, test.estimate, low, high=high, test=test)

    @property
    def name(self) -> str:
        """Name: the median, or the quantile of a share."""
        if self.share == 0.5:
            return "median"
        return f"quantile {self.share:g}"

    @property
    def cells(self) -> tuple[str, str, str]:
        """Estimate, no standard error, and interval, as text."""
        return f"{self.estimate:g}", NOTHING, f"[{self.low:g}, {self.high:g}]"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "share": self.share,
            "estimate": self.estimate,
            "interval": [self.low, self.high],
        }


@dataclass(frozen=True)
class Direction(Estimated):
    """The circular mean: where the mean of all answers lies, seen from the middle of
    the circle.

    Its interval goes from `low` onwards to `high`, over the start of the circle if
    `high` is the lower one.
    """

    estimate: float | None
    """In the unit of the answers; None where the mean cannot be told from the middle.
    """
    standard_error: float | None
    low: float
    high: float
    """The ends of the whole circle, where there is no direction."""

    name = "mean direction"

    @property
    def estimate_and_error(self) -> tuple[float | None, float | None]:
        """Estimate and standard error, if there are any."""
        return self.estimate, self.standard_error

    @property
    def cells(self) -> tuple[str, str, str]:
        """Estimate, standard error and interval, as text."""
        if self.estimate is None or self.standard_error is None:
            return "none told", "", ""
        ends = f"[{self.low:.4g}, {self.high:.4g}]"
        return f"{self.estimate:.4g}", f"{self.standard_error:.2g}", ends

    def holds(self, place: float) -> bool:
        """Whether the interval has a place of the circle."""
        if self.estimate is None or self.low <= self.high:
            return self.estimate is None or self.low <= place <= self.high
        return place >= self.low or place <= self.high


@dataclass(frozen=True)
class Length(Estimated):
    """How far the mean of all answers is from the middle of a circle: 1 if all have one
    direction.

    The root of an unbiased square that is cut at 0: too high on average where the true
    one is 0, and hardly too low elsewhere.
    """

    estimate: float
    standard_error: float
    low: float
    high: float

    name = "resultant length"

    @property
    def estimate_and_error(self) -> tuple[float, float]:
        """Estimate and standard error."""
        return self.estimate, self.standard_error

    @property
    def cells(self) -> tuple[str, str, str]:
        """Estimate, standard error and interval, as text."""
        ends = f"[{self.low:.4f}, {self.high:.4f}]"
        return f"{self.estimate:.4f}", f"{self.standard_error:.4f}", ends


@dataclass(frozen=True)
class Spread(WithInterval):
    """The distance between two quantiles, with an interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Mode:
    """The cell of a histogram with the highest estimate, and all that may be the most
    frequent.
    """

    cell: Share
    candidates: tuple[str, ...]
    """The cells of which one is the most frequent, with the probability that was asked
    for.
    """


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
    """The nearest that rises from 0 to 1: closer to the truth on average, and biased.
    """
