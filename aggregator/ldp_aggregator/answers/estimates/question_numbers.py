"""The numbers that are estimated of one question, as a frozen record to choose from.

Every number comes with a standard error and an interval, and says which estimand, level and kind of
interval they are for. In a post-processed view the frequency is biased and bare; the unbiased
estimate with its errors stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ldp.answers.booleans import canonical_value
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.answers.contrasts.functions import Contrast, Functions, weighted_text
from ldp_aggregator.answers.options import SHAPES, WHOM, Options
from ldp_aggregator.numerics.interval import WithInterval

if TYPE_CHECKING:
    from ldp.survey.survey import Question
    from ldp_aggregator.answers.distributions.answers import Direction, Length, Quantile, Share
    from ldp_aggregator.answers.distributions.distribution import Distribution
    from ldp_aggregator.answers.estimates.manipulation import Manipulation
    from ldp_aggregator.answers.estimates.means import Mean
    from ldp_aggregator.answers.geography import Geography
    from ldp_aggregator.answers.maps.districts import District
    from ldp_aggregator.answers.maps.maps import Map
    from ldp_aggregator.answers.maps.places import Ends, Places
    from ldp_aggregator.answers.maps.regions import Regions
    from ldp_aggregator.decoders.key_values.means import KeyMeans, KeyNumber
    from ldp_aggregator.decoders.moments.moments import Moments
    from ldp_aggregator.numerics.arrays import Flags, Floats
    from ldp_aggregator.output.checks import Check, Remark

MOST_ROWS = 100
"""Values that tables, notebooks and `repr` show of a question unless they are asked for more."""

MEAN, VARIANCE, SUM = "mean", "variance", "sum"
DEVIATION = "standard deviation"
"""Where a value would stand, in rows of a question whose values are numbers."""

UNALLOCATED = "(no candidate)"
"""Where a value would stand, for all texts that are no candidates together."""


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


class Found(NamedTuple):
    """Which values are there at all, of shape (M,): see `estimates.detection`."""

    correction: str
    adjusted: Floats
    """Adjusted p-values: the least 1 - level at which each value is found.

    With a correction for false discoveries, what is called a q-value.
    """
    found: Flags
    low: Floats
    """Ends of the false-coverage-rate interval of each value that is found; NaN for others."""
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


@dataclass(frozen=True, eq=False)
class QuestionNumbers:
    """Estimates of one question: arrays of shape (M,) in the order of `values`.

    Iterating gives `Estimate`s.
    """

    question: Question
    reports: int
    options: Options
    values: tuple[str, ...]
    frequency: Floats
    """Unbiased, unless `post_process` names what was done to it."""
    unbiased: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    null_error: Floats
    """The standard error that the estimate of a value held by no one would have."""
    chances: Floats
    """The chance that the estimate of a value held by no one would be as high as this.

    Of a coordinate of a mean vector, that it would be as far from 0 if its mean were 0.
    """
    found: Found | None = None
    """Which values are there at all; only where it was asked for."""
    covariance: Floats | None = None
    """(M, M), for the respondents; only where it was asked for."""
    functions: Functions | None = None
    """Sums and differences of the unbiased frequencies, of all values; None without reports."""
    note: str = ""
    mean: Mean | None = None
    """Of a question whose values are numbers a step apart, unbiased whatever `post_process` is.

    Its interval is its own, never simultaneous. What is done with numbers outside is part of what
    it is the mean of.
    """
    distribution: Distribution | None = None
    """Of a question whose mechanism is for that: ranges, quantiles and more, from the same reports.

    `values` are then the cells of a histogram, unless every value was asked for.
    """
    places: Places | None = None
    """Of a question of type place: its map at any zoom, and rectangles, from the same reports.

    `values` are then the cells of a zoom, of which the map is alike where it is shown.
    """
    key_means: KeyMeans | None = None
    """Of keys that come with numbers: their sums and means, in the order of `values`, unbiased (the
    sums) whatever `post_process` is.
    """
    squared_error: float | None = None
    """Of a mean vector, whose coordinates are the `values` and whose means are the frequencies: the
    mean squared distance from the true one.
    """
    respondents: int = 0
    """Whom `reports` come from: as many, unless the options say that each sent several."""
    unallocated: Estimate | None = None
    """Of an open question: those whose text is no candidate.

    Unbiased, and its interval is its own.
    """
    checks: tuple[Check, ...] = ()
    """What the estimator found out about the reports; see `health` for more."""
    manipulation: Manipulation | None = None
    """How far forged reports can move what is unbiased here; None without reports."""
    left_out: int = 0
    """How many further values the question has, all of lower estimates, if only the highest were
    asked for.
    """
    remarks: tuple[Remark, ...] = ()
    """What to know before believing these numbers, if anything."""
    law: Moments | None = None
    """How the unbiased frequencies err at any true ones: for intervals at other levels, and for
    comparisons. None where there are no frequencies.
    """

    def __iter__(self) -> Iterator[Estimate]:
        columns = (self.frequency, self.standard_error, self.low, self.high)
        for value, *numbers in zip(
            self.values, *(column.tolist() for column in columns), strict=True
        ):
            yield Estimate(value, self.respondents * numbers[0], *numbers)

    def __len__(self) -> int:
        return len(self.values)

    def share(self, values: Collection[str]) -> Contrast:
        """The share of those who hold one of some values, such as `{"bus", "train"}`.

        Unbiased whatever `post_process` is. Raises `UnknownNameError` for what is no value, and
        `EstimateError` where no frequencies are estimated, and for several values that one
        respondent may hold together.
        """
        return self._functions.share(values)

    def contrast(self, weights: Mapping[str, float]) -> Contrast:
        """A sum of shares with weights, such as `{"bus": 1, "car": -1}` for a difference.

        Raises what `share` does.
        """
        functions = self._functions
        by_value = functions.weights(weights)
        return functions.function(weighted_text(weights), by_value)

    def contrasts(self, family: Mapping[str, Mapping[str, float]]) -> tuple[Contrast, ...]:
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

        Its interval (Fieller's) goes from -inf to inf where the lower one may be 0. Raises what
        `share` does.
        """
        functions = self._functions
        parts = [
            one if isinstance(one, Mapping) else dict.fromkeys(one, 1.0) for one in (top, bottom)
        ]
        name = " / ".join(f"({weighted_text(part)})" for part in parts)
        return functions.ratio(name, *(functions.weights(part) for part in parts))

    @property
    def _functions(self) -> Functions:
        if self.functions is None:
            raise EstimateError(
                f"question {self.name!r}: expected frequencies for a share or a contrast, got "
                f"none ({self.note or 'no reports yet'})"
            )
        return self.functions

    @property
    def name(self) -> str:
        """The question's."""
        return self.question.name

    @property
    def variance(self) -> Mean | None:
        """Variance of the answers, for the estimand of the mean; None where no report tells it."""
        return None if self.mean is None else self.mean.variance

    @property
    def numbers(self) -> tuple[tuple[str, Mean], ...]:
        """The mean, the variance and its root, by name, as far as there are any."""
        root = None if self.variance is None else self.variance.root
        named = ((MEAN, self.mean), (VARIANCE, self.variance), (DEVIATION, root))
        return tuple((name, number) for name, number in named if number is not None)

    def map(self, x_cells: int | None = None, y_cells: int | None = None) -> Map:
        """The map of a question of type place, in so many cells along x and y.

        Without numbers, as many as `values` are, whose intervals it then has. Raises
        `EstimateError` for other questions, and for numbers that are no powers of two.
        """
        places = self._on_map
        if x_cells is not None:
            return places.map(x_cells, y_cells)
        shape = tuple(1 << halved for halved in places.shown_view)
        if len(self) != shape[0] * shape[1]:
            return places.map(*shape)
        columns = (self.frequency, self.standard_error, self.low, self.high)
        share, error, low, high = (column.reshape(shape) for column in columns)
        return places.map_of(share, error, low, high=high, post_process=self.options.post_process)

    def rectangle(self, x: Ends, y: Ends) -> Share:
        """The share of the places from the first end of each axis up to, but not at, the second.

        Raises `EstimateError` for questions of other types, for an empty rectangle, and for an end
        within a cell.
        """
        return self._on_map.rectangle(x, y)

    def districts(self, geography: Geography) -> tuple[District, ...]:
        """The shares of districts (`read_geography`), in their order.

        Raises `EstimateError` for questions of other types, and if no district is on the map.
        """
        return self._on_map.districts(geography)

    @property
    def shown_districts(self) -> tuple[District, ...]:
        """Return those that the options ask for."""
        return () if self.places is None else self.places.shown_districts

    @property
    def regions(self) -> Regions | None:
        """A map of values that are the names of districts, of the geography that options have."""
        from ldp_aggregator.answers.maps.regions import regions_of

        geography, options = self.options.geography, self.options
        if geography is None or self.places is not None:
            return None
        columns = (self.frequency, self.standard_error, self.low, self.high)
        return regions_of(
            self.question,
            self.values,
            columns,
            geography=geography,
            level=options.level,
            post_process=options.post_process,
        )

    @property
    def _on_map(self) -> Places:
        if self.places is None:
            raise EstimateError(
                f"question {self.name!r}: expected a question of type place with reports, of one "
                "version, for a map"
            )
        return self.places

    def mean_of(self, key: str) -> KeyNumber:
        """The mean of the numbers that come with a key, among those who hold it."""
        return self._of_keys(key).means[self._places[key]]

    def sum_of(self, key: str) -> KeyNumber:
        """Their sum over all respondents, over the number of these."""
        return self._of_keys(key).sums[self._places[key]]

    def _of_keys(self, key: str) -> KeyMeans:
        if self.key_means is None or key not in self._places:
            known = () if self.key_means is None else self.values
            what = f"one of the keys with numbers of question {self.name!r}"
            raise UnknownNameError(key, known, what)
        return self.key_means

    @cached_property
    def quantiles(self) -> tuple[Quantile, ...]:
        """Those that the options ask for, of the distribution of a number; a circle has none."""
        if self.distribution is None or not self.reports or self.distribution.line.circular:
            return ()
        return tuple(self.distribution.quantile(share) for share in self.options.quantiles)

    @cached_property
    def on_circle(self) -> tuple[Direction | Length, ...]:
        """The mean direction and the resultant length, of a question on a circle."""
        if self.distribution is None or not self.reports or not self.distribution.line.circular:
            return ()
        return self.distribution.direction(), self.distribution.resultant_length()

    @cached_property
    def ranges(self) -> tuple[Share, ...]:
        """The shares of the ranges, or of the rectangles, that the options ask for."""
        if self.places is not None:
            return tuple(self.places.rectangle(x, y) for x, y in self.options.rectangles)
        if self.distribution is None or not self.reports:
            return ()
        return tuple(self.distribution.between(low, high) for low, high in self.options.ranges)

    def __getitem__(self, value: str) -> Estimate:
        if isinstance(value, str):
            value = canonical_value(value, self.values)
        place = self._places.get(value)
        if place is None:
            what = f"one of the values of question {self.name!r}"
            raise UnknownNameError(value, self.values, what)
        columns = (self.frequency, self.standard_error, self.low, self.high)
        frequency, *errors = (float(column[place]) for column in columns)
        return Estimate(value, self.respondents * frequency, frequency, *errors)

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
        columns = (
            "frequency",
            "unbiased",
            "standard_error",
            "low",
            "high",
            "null_error",
            "chances",
        )
        return replace(
            self,
            values=tuple(self.values[place] for place in places.tolist()),
            key_means=None if self.key_means is None else self.key_means.only(places),
            covariance=None if self.covariance is None else self.covariance[np.ix_(places, places)],
            found=None if self.found is None else self.found.only(places),
            law=None if self.law is None else _law_of(self.law, places),
            **{column: getattr(self, column)[places] for column in columns},
        )

    def merged(self, most: int) -> Self:
        """A shape as so many values, or fewer, for a picture: neighbours are added up."""
        together = -(-len(self) // most)
        if together < 2 or self.left_out or not self.is_shape:
            return self
        starts = self.starts_of(most)
        ends = [min(start + together, len(self)) - 1 for start in starts]
        unknown = np.full(len(starts), np.nan)
        return replace(
            self,
            values=tuple(map(self._from_to, starts, ends)),
            frequency=np.add.reduceat(self.frequency, starts),
            unbiased=unknown,
            standard_error=unknown,
            low=unknown,
            high=unknown,
            null_error=unknown,
            chances=np.ones(len(starts)),
        )

    def starts_of(self, most: int) -> list[int]:
        """Where values that are added up begin."""
        return list(range(0, len(self), -(-len(self) // most)))

    def _from_to(self, start: int, end: int) -> str:
        first, last = self.values[start], self.values[end]
        return first if start == end else f"{first} to {last}"

    @property
    def brief(self) -> Self:
        """All values in their order, but of more than `MOST_ROWS` only the top."""
        return self if len(self) <= MOST_ROWS else self.top(MOST_ROWS)

    @property
    def everything(self) -> list[Estimate]:
        """The estimates of all values, and of what is unallocated."""
        return [*self, *([] if self.unallocated is None else [self.unallocated])]

    @property
    def sentences(self) -> list[str]:
        """Notes in words: note, remarks, the power of forgers, and failed checks."""
        bound = "" if self.manipulation is None else str(self.manipulation)
        notes = (self._choice, self.note, *map(str, self.remarks), bound)
        return [*filter(None, notes), *(str(check) for check in self.checks if check.suspicious)]

    @property
    def _choice(self) -> str:
        """What was left out, and what choosing by estimates does to those that were chosen."""
        if not self.left_out:
            return ""
        return (
            f"shown: the {len(self):,} highest of {len(self) + self.left_out:,} estimates, "
            "which for having been chosen as such are too high on average"
        )

    @property
    def is_shape(self) -> bool:
        """Whether its frequencies are a biased shape, without errors, intervals or tests."""
        return self.options.post_process in SHAPES and len(self) > 0

    @property
    def is_vector(self) -> bool:
        """Whether its values are coordinates, and its frequencies their means."""
        return self.question.domain.ball is not None

    @cached_property
    def _decimals(self) -> int:
        errors = self.standard_error[self.standard_error > 0]
        return max(4, 1 - math.floor(math.log10(errors.min()))) if len(errors) else 4

    def shown(self, frequency: float) -> str:
        """A frequency with as many decimals as errors bear: two digits of the smallest, or 4."""
        return f"{frequency:.{self._decimals}f}"

    def describe(self) -> str:
        """One line that says what the numbers are."""
        options, question = self.options, self.question
        family = f", simultaneous ({options.simultaneous})" if options.simultaneous else ""
        view = (
            f"; frequencies post-processed by {options.post_process}: biased"
            if options.post_process
            else ""
        )
        view += ", without intervals" if self.is_shape else ""
        if self.is_vector:
            return self._of_vector(family)
        unit = f"; in {question.domain.unit}" if question.domain.unit else ""
        return (
            f"{question.mechanism}, epsilon {question.declared.text}, {self.reports:,} reports; "
            f"{options.level:.4g} {options.interval} intervals for "
            f"{WHOM[options.estimand]}{family}{view}{unit}"
        )

    def _of_vector(self, family: str) -> str:
        return (
            f"{self.question.mechanism}, epsilon {self.question.declared.text}, {self.reports:,} "
            f"reports; mean vector, {self.options.level:.4g} intervals for "
            f"{WHOM[self.options.estimand]}{family}; root mean squared distance from the true "
            f"vector {(self.squared_error or 0.0) ** 0.5:.4g}"
        )


def _law_of(law: Moments, places: NDArray[np.int64]) -> Moments:
    """Law of some values, with what their covariance is among themselves."""

    def covariance() -> Floats:
        return law.covariance()[np.ix_(places, places)]

    return replace(law.of_values(places), covariance=covariance)
