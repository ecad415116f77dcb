"""The course of one value over epochs: estimates, level and band, and evidence of a
change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ldp_aggregator.analyses.series.history import Epoch, ValueHistory
from ldp_aggregator.analyses.series.levels import TrendLevel
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.people import PERCENT
from ldp_aggregator.output.sheet import NOTHING, Band, Bars

Cells = tuple[str | float, ...]


@dataclass(frozen=True, eq=False)
class Course:
    """Arrays of shape (T,), in the order of the epochs.

    `follow` has an example.
    """

    seen: ValueHistory
    """The estimates."""
    known: TrendLevel
    low: Floats
    """Of the band of the level."""
    high: Floats
    evidence: Floats
    """The e-value after each epoch: how much speaks for a change up to it."""
    alarm: Epoch | None
    """The epoch after which a change was first certain enough; None if none was."""
    since: tuple[Epoch, ...]
    """Epochs with which the change may have come, where there was an alarm."""
    change: float | None
    """How much the level stepped by, by its likeliest place."""
    tested: bool
    """Whether changes were looked for."""
    p_value: float | None = None
    """Of the largest difference between before and after, where an epoch has too few
    reports for evidence by itself.
    """

    @property
    def value(self) -> str:
        """Value that is followed."""
        return self.seen.value

    @property
    def epochs(self) -> tuple[Epoch, ...]:
        """All from the first to the last."""
        return self.seen.epochs

    @property
    def level(self) -> Floats:
        """The smoothed estimate of each epoch."""
        return self.known.level

    @property
    def slope(self) -> tuple[float, float] | None:
        """By how much the level moves with each epoch at the end, and its standard
        error.
        """
        return self.known.slope

    @property
    def has_evidence(self) -> bool:
        """Whether epochs were tested one after the other."""
        return self.tested and self.p_value is None

    @property
    def possible(self) -> str:
        """Since when, in words."""
        if not self.since:
            return NOTHING
        first, last = self.since[0], self.since[-1]
        if first == last:
            return str(first)
        return f"{first} to {last}"

    def summary(self) -> tuple[str, ...]:
        """Summary in a line."""
        show = self.format_number
        band = f"{show(self.level[-1])} [{show(self.low[-1])}, {show(self.high[-1])}]"
        slope = NOTHING
        if self.slope is not None:
            slope = "{:+.2g} ± {:.1g}".format(*self.slope)
        changed = NOTHING
        if self.change is not None:
            changed = f"{self.change:+.2g}"
        evidence = NOTHING
        if self.has_evidence:
            evidence = f"{self.evidence.max():,.3g}"
        if self.p_value is not None:
            evidence = f"p {self.p_value:.2g}"
        return self.value, band, slope, evidence, changed, self.possible

    def rows(self) -> Iterator[tuple[str, ...]]:
        """An epoch in each."""
        show = self.format_number
        for place, epoch in enumerate(self.epochs):
            estimate = self.seen.estimate[place]
            ends = f"[{show(self.seen.low[place])}, {show(self.seen.high[place])}]"
            there = not math.isnan(estimate)
            yield (
                str(epoch),
                f"{self.seen.reports[place]:,}",
                f"{show(estimate)} {ends}" if there else NOTHING,
                (
                    f"{show(self.level[place])} [{show(self.low[place])}, "
                    f"{show(self.high[place])}]"
                ),
                f"{self.evidence[place]:.3g}" if self.has_evidence else NOTHING,
            )

    def flat(self) -> Iterator[Cells]:
        """Return numbers: epoch, reports, estimate, level and evidence."""
        for place, epoch in enumerate(self.epochs):
            numbers = (self.seen.estimate, self.seen.low, self.seen.high)
            band = (self.level, self.low, self.high, self.evidence)
            cells = (float(column[place]) for column in (*numbers, *band))
            yield self.value, str(epoch), self.seen.reports[place], *cells

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "value": self.value,
            "alarm": self.alarm,
            "since": list(self.since),
            "change": self.change,
            "slope": None if self.slope is None else list(self.slope),
            "step": self.known.step,
            "season": None if self.known.season is None else self.known.season.tolist(),
            "tested": self.tested,
            "p_value": self.p_value,
            "epochs": [
                {
                    "epoch": epoch,
                    "reports": self.seen.reports[place],
                    "estimate": _number(self.seen.estimate[place]),
                    "interval": [
                        _number(self.seen.low[place]),
                        _number(self.seen.high[place]),
                    ],
                    "level": _number(self.level[place]),
                    "band": [_number(self.low[place]), _number(self.high[place])],
                    "evidence": (
                        float(self.evidence[place]) if self.has_evidence else None
                    ),
                }
                for place, epoch in enumerate(self.epochs)
            ],
        }

    def panel(self, name: str, caption: str, unit: str = PERCENT) -> Bars:
        """A panel of a picture; means are in a unit of their own."""
        places = [self.epochs.index(epoch) for epoch in self.since]
        since = None
        if places:
            since = (min(places), max(places))
        return Bars(
            f"{name}: {self.value}",
            caption,
            [str(epoch) for epoch in self.epochs],
            lengths=self.seen.estimate,
            low=self.seen.low,
            high=self.seen.high,
            form=Band(self.level, self.low, self.high, since=since),
            unit=unit,
        )

    def format_number(self, number: float) -> str:
        """A number with as many decimals as the errors of levels bear."""
        error = float(self.known.error.min())
        decimals = 4
        if error > 0:
            decimals = max(0, 1 - math.floor(math.log10(error)))
        return f"{number:.{decimals}f}"


def _number(number: float) -> float | None:
    if math.isfinite(number):
        return float(number)
    return None
