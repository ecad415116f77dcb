"""Shares of values, tests of which are there at all, and functions of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.answers.contrasts.functions import (
    Contrast,
    Functions,
    weighted_text,
)
from ldp_aggregator.answers.results.question_estimates import (
    MOST_SINGLE,
    OfValue,
    QuestionEstimates,
)
from ldp_aggregator.output.sheet import NOTHING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_aggregator.answers.lines.answers import Quantile
    from ldp_aggregator.answers.results.cells import Cell
    from ldp_aggregator.numerics.arrays import Flags, Floats


class Found(NamedTuple):
    """Which values are there at all, of shape (M,): see `shares.detection`."""

    correction: str
    adjusted: Floats
    """Adjusted p-values: the least 1 - level at which each value is found.

    With a correction for false discoveries, what is called a q-value.
    """
    found: Flags
    low: Floats
    """Ends of the false-coverage-rate interval of each value that is found; NaN for
    others.
    """
    high: Floats

    def only(self, places: NDArray[np.int64]) -> Found:
        """The values at these places."""
        return Found(
            self.correction,
            self.adjusted[places],
            self.found[places],
            low=self.low[places],
            high=self.high[places],
        )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ShareEstimates(QuestionEstimates):
    """Shares of the values of a question."""

    found: Found | None = None
    """Which values are there at all; only where it was asked for."""
    covariance: Floats | None = None
    """(M, M), for the respondents; only where it was asked for."""
    functions: Functions | None = None
    """Sums and differences of the unbiased frequencies, of all values; None without
    reports.
    """

    @property
    def lacks_little(self) -> bool:
        """Whether hardly anyone holds what is no value."""
        return False

    def share(self, values: Collection[str]) -> Contrast:
        """The share of those who hold one of some values, such as `{"bus", "train"}`.

        Unbiased whatever the view is. Raises `UnknownNameError` for what is no value,
        and `EstimateError` without reports, and for several values that one respondent
        may hold together.
        """
        return self._functions.share(values)

    def contrast(self, weights: Mapping[str, float]) -> Contrast:
        """A sum of shares with weights, such as `{"bus": 1, "car": -1}` for a
        difference.

        Raises what `share` does.
        """
        functions = self._functions
        by_value = functions.weights(weights)
        return functions.function(weighted_text(weights), by_value)

    def contrasts(
        self, family: Mapping[str, Mapping[str, float]]
    ) -> tuple[Contrast, ...]:
        """Several, by name, as one family: simultaneous where the options say so."""
        functions = self._functions
        return tuple(
            functions.function(name, functions.weights(weights), family=len(family))
            for name, weights in family.items()
        )

    def ratio(
        self,
        top: Mapping[str, float] | Collection[str],
        bottom: Mapping[str, float] | Collection[str],
    ) -> Contrast:
        """The quotient of two sums of shares, of some values or with weights.

        Its interval (Fieller's) goes from -inf to inf where the lower one may be 0.
        Raises what `share` does.
        """
        functions = self._functions
        parts = [
            one if isinstance(one, Mapping) else dict.fromkeys(one, 1.0)
            for one in (top, bottom)
        ]
        name = " / ".join(f"({weighted_text(part)})" for part in parts)
        return functions.ratio(name, *(functions.weights(part) for part in parts))

    @property
    def _functions(self) -> Functions:
        if self.functions is None:
            raise EstimateError(
                f"question {self.name!r}: expected frequencies for a share or a "
                f"contrast, got none ({self.note or 'no reports yet'})"
            )
        return self.functions

    def cells(self) -> tuple[Cell, ...]:
        """The cells of a histogram; ranges, where there are many numbers."""
        line = self.line
        if line is None or not self.reports or line.size <= MOST_SINGLE:
            return super().cells()
        if self.functions is None or len(self) != line.size:
            return ()
        from ldp_aggregator.answers.results.cells import cells_together

        return tuple(cells_together(self.functions, line))

    def marked_quantiles(self) -> Sequence[Quantile]:
        """The quantiles of numbers that are counted one by one."""
        line = self.line
        if line is None or self.functions is None or line.size != len(self):
            return ()
        from ldp_aggregator.answers.results.cells import listed_quantiles

        return tuple(listed_quantiles(line, self.functions))

    def only(self, places: NDArray[np.int64]) -> Self:
        """The values at these places, in their order."""
        return replace(
            super().only(places),
            covariance=None
            if self.covariance is None
            else self.covariance[np.ix_(places, places)],
            found=None if self.found is None else self.found.only(places),
        )

    @property
    def headings(self) -> tuple[str, ...]:
        """The names of the cells of a row."""
        if self.found is None:
            return super().headings
        level = f"{self.options.level:.4g} false-coverage-rate interval"
        return *super().headings, "p-value", f"q-value ({self.found.correction})", level

    def of_value(self, place: int) -> OfValue:
        """Return the evidence that a value is present, if that was asked for."""
        if self.found is None:
            return OfValue()
        numbers = (self.chances, self.found.adjusted, self.found.low, self.found.high)
        chance, adjusted, low, high = (float(column[place]) for column in numbers)
        there = bool(self.found.found[place])
        ends = NOTHING
        if there:
            ends = f"[{self.shown(low)}, {self.shown(high)}]"
        record = {
            "p_value": chance,
            "q_value": adjusted,
            "found": there,
            "false_coverage_rate_interval": [low, high] if there else None,
        }
        cells = (f"{chance:.2g}", f"{adjusted:.2g}", ends)
        return OfValue(cells, (chance, adjusted, low, high), record=record)

    def asked_record(self) -> dict[str, Any]:
        """For JSON: how the values were chosen, and tested."""
        if self.found is None:
            return super().asked_record()
        tested = {
            "correction": self.found.correction,
            "detect_level": self.options.detect_level,
        }
        return super().asked_record() | tested

    def own_record(self) -> dict[str, Any]:
        """For JSON: the covariance, where it was asked for."""
        if self.covariance is None:
            return {}
        return {"covariance": self.covariance.tolist()}
