"""Numbers by value: arrays of shape (M,), as a frozen record to choose from.

Every number comes with a standard error and an interval. In a post-processed view the
frequency is biased and bare; the unbiased estimate with its errors stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from ldp.answers.booleans import canonical_value
from ldp.errors import UnknownNameError
from ldp_aggregator.numerics.interval import WithInterval
from ldp_aggregator.output.sheet import NOTHING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp.survey.survey import Question
    from ldp_aggregator.numerics.arrays import Floats

MEAN, VARIANCE, SUM = "mean", "variance", "sum"
DEVIATION = "standard deviation"
"""Where a value would stand, in rows of a question whose values are numbers."""

MOST_ROWS = 100
"""Values that tables, notebooks and `repr` show of a question unless they are asked for
more.
"""


@dataclass(frozen=True)
class Estimate(WithInterval):
    """One value: `count` = respondents x `frequency`.

    `standard_error`, `low` and `high` are of the frequency.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> bus = ldp_aggregator.estimate(survey, reports)["mode"]["bus"]
    >>> bus.low < bus.frequency < bus.high
    True
    """

    value: str
    count: float
    frequency: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ByValue:
    """Arrays of shape (M,) in the order of `values`. Iterating gives `Estimate`s."""

    question: Question
    values: tuple[str, ...]
    frequency: Floats
    """Unbiased, unless the options name a view."""
    unbiased: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    chances: Floats
    """The chance that the estimate of a value held by no one would be as high as this.

    Of a coordinate of a mean vector, that it would be as far from 0 if its mean were 0.
    """
    respondents: int = 0
    """Whom the reports come from: as many, unless the options say that each sent
    several.
    """
    left_out: int = 0
    """How many further values the question has, all of lower estimates, if only the
    highest were asked for.
    """

    def __iter__(self) -> Iterator[Estimate]:
        columns = (self.frequency, self.standard_error, self.low, self.high)
        for value, *numbers in zip(
            self.values, *(column.tolist() for column in columns), strict=True
        ):
            yield Estimate(value, self.respondents * numbers[0], *numbers)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, value: str) -> Estimate:
        return self.at(self.place(value))

    @property
    def name(self) -> str:
        """The question's."""
        return self.question.name

    def at(self, place: int) -> Estimate:
        """The estimate at a place, without a look at the others."""
        columns = (self.frequency, self.standard_error, self.low, self.high)
        frequency, *errors = (float(column[place]) for column in columns)
        return Estimate(
            self.values[place], self.respondents * frequency, frequency, *errors
        )

    def place(self, value: str) -> int:
        """The place of a value. Raises `UnknownNameError`."""
        if isinstance(value, str):
            value = canonical_value(value, self.values)
        place = self._places.get(value)
        if place is None:
            what = f"one of the values of question {self.name!r}"
            known = list(map(self.label, self.values))
            raise UnknownNameError(value, known, what)
        return place

    @cached_property
    def _places(self) -> dict[str, int]:
        """The place of each value, made when one is first asked for."""
        return {value: place for place, value in enumerate(self.values)}

    def top(self, most: int) -> Self:
        """The values with the highest estimates, the highest first.

        Intervals stay those of the whole question.
        """
        highest = self.only(np.argsort(-self.frequency, kind="stable")[:most])
        return replace(highest, left_out=self.left_out + len(self) - len(highest))

    def only(self, places: NDArray[np.int64]) -> Self:
        """The values at these places, in their order."""
        names = ("frequency", "unbiased", "standard_error", "low", "high", "chances")
        columns = {name: getattr(self, name)[places] for name in names}
        return replace(
            self, values=tuple(self.values[at] for at in places.tolist()), **columns
        )

    @property
    def brief(self) -> Self:
        """All values in their order, but of more than `MOST_ROWS` only the top."""
        if len(self) <= MOST_ROWS:
            return self
        return self.top(MOST_ROWS)

    @cached_property
    def _decimals(self) -> int:
        errors = self.standard_error[self.standard_error > 0]
        if len(errors):
            return max(4, 1 - math.floor(math.log10(errors.min())))
        return 4

    def shown(self, frequency: float) -> str:
        """A frequency with as many decimals as errors bear: two digits of the smallest,
        or 4.
        """
        return f"{frequency:.{self._decimals}f}"

    def label(self, value: str) -> str:
        """Return what people call a value."""
        return value

    def row(self, estimate: Estimate) -> tuple[str, ...]:
        """An estimate as text: value, count, frequency, standard error and interval."""
        count, frequency = NOTHING, NOTHING
        if math.isfinite(estimate.frequency):
            count, frequency = f"{estimate.count:,.0f}", self.shown(estimate.frequency)
        errors = NOTHING, NOTHING
        if math.isfinite(estimate.standard_error):
            ends = f"[{self.shown(estimate.low)}, {self.shown(estimate.high)}]"
            errors = self.shown(estimate.standard_error), ends
        return self.label(estimate.value), count, frequency, *errors
