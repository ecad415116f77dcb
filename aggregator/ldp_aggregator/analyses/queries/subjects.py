"""Subjects of queries: a question of a tally, and those of its values that pass a
test.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ldp.answers.domain import Domain, Field
from ldp.answers.fields import names_of
from ldp.errors import EstimateError, UnknownNameError
from ldp.numbers.exact import decimal_text, fraction
from ldp.survey.survey import Question
from ldp_aggregator.analyses.queries.terms import Weights
from ldp_aggregator.answers.contrasts.functions import Erring, Functions
from ldp_aggregator.answers.contrasts.linear_functions import (
    distribution_functions,
    functions_of,
    values_overlap,
)
from ldp_aggregator.answers.distributions.distribution import distribution_of
from ldp_aggregator.answers.lines.answers import Quantile
from ldp_aggregator.answers.lines.line import line_of
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.cells import listed_quantiles
from ldp_aggregator.answers.results.means import Mean, ends_of, mean_of
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Flags, Floats, Indices
from ldp_aggregator.tallies.counting.counting import total_reports

Number = TypeVar("Number", np.float64, np.bool_)

_SOME = 20
"""Values that are named where another was asked for."""


class MeanFunction(NamedTuple):
    """A mean that is estimated by itself, so that nothing is known of how it errs with
    shares.
    """

    mean: Mean
    reports: int
    ends: tuple[float, float]

    @property
    def frequency(self) -> Floats:
        """The mean, (1,)."""
        return np.array([self.mean.estimate])

    def erring(self, weights: Floats, estimand: str | None = None) -> Erring:  # noqa: ARG002
        """Errors of multiples, (Q, 1), for the estimand that was asked for."""
        return Erring(np.asarray(self.mean.standard_error**2 * weights @ weights.T))

    def range_of(self, weights: Floats) -> tuple[float, float]:
        """The ends of the numbers, times the weight."""
        low, high = sorted(float(weights[0]) * end for end in self.ends)
        return low, high


@dataclass(frozen=True, eq=False)
class Subject:
    """A question with the counts of its reports, of which there are some."""

    question: Question
    counts: Counts
    options: Options
    candidates: Sequence[str] = ()
    """The texts to look for, of an open question."""

    @property
    def name(self) -> str:
        """The question's."""
        return self.question.name

    @property
    def overlap(self) -> bool:
        """Whether a respondent may hold several of its values."""
        return values_overlap(self.question.domain)

    @cached_property
    def size(self) -> int:
        """How many values weights are of."""
        if self._has_short_way:
            return len(self._values)
        return len(self.functions.frequency)

    @property
    def respondents(self) -> int:
        """How many the shares are of."""
        if self._has_short_way:
            return total_reports(self.counts, self.question.layout)
        return self.functions.reports

    def weigh(self, rows: Sequence[Weights]) -> tuple[Functions, Floats]:
        """The functions of what has weight in any row, and these weights, (rows, K).

        Of few of many values no others are estimated, where a decoder can do without.
        """
        places = rows[0].places if len(rows) == 1 else _among(rows)
        moments = None
        if 2 * len(places) < self.size:
            moments = self._of_few(places)
        if moments is None or moments.linear.covariance is None:
            return self.functions, np.array(
                [row.at(np.arange(self.size)) for row in rows]
            )
        values = tuple(self._values[place] for place in places.tolist())
        known = functions_of(moments, self.question, values, options=self.options)
        weights = np.array([[*row.at(places), 0.0] for row in rows])
        return known.beside_others(), weights

    @cached_property
    def _has_short_way(self) -> bool:
        """Whether few values may be estimated without the others."""
        decoder = decoder_of(self.question.randomizer)
        return decoder.shares.of_few is not None and self.options.repeats == 1

    def _of_few(self, places: Indices) -> Moments | None:
        decoder = decoder_of(self.question.randomizer)
        if not self._has_short_way or decoder.shares.of_few is None:
            return None
        return decoder.shares.of_few(self.question.randomizer, self.counts, places)

    @cached_property
    def functions(self) -> Functions:
        """The linear functions of its shares. Raises `EstimateError` where it has
        none.
        """
        decoder = decoder_of(self.question.randomizer)
        if decoder.gives in ("distribution", "places"):
            return distribution_functions(self.question, self.counts, self.options)
        if decoder.gives != "frequencies":
            raise EstimateError(
                f"expected a question with frequencies, got {self.name!r}, of whose "
                f"answers {self.question.mechanism} tells the mean alone: "
                f"mean({self.name})"
            )
        values = self._values
        return functions_of(self._moments, self.question, values, options=self.options)

    @cached_property
    def mean(self) -> MeanFunction:
        """The mean of its numbers. Raises `EstimateError` where it has none."""
        decoder = decoder_of(self.question.randomizer)
        moments = None if decoder.gives in ("mean", "distribution") else self._moments
        mean = mean_of(self.question, moments, self.counts, options=self.options)
        if mean is None:
            raise EstimateError(
                "expected a question whose values are numbers, with a mean, got "
                f"{self.name!r}"
            )
        reports = total_reports(self.counts, self.question.layout)
        ends = ends_of(self.question.domain)
        assert ends is not None  # noqa: S101 (there would be no mean)
        return MeanFunction(mean, reports, ends[:2])

    def quantile(self, share: float) -> Quantile:
        """The quantile of a share. Raises `EstimateError` where it has none."""
        if not 0 < share < 1:
            raise EstimateError(
                f"expected a share between 0 and 1, such as 0.5, got {share:g}"
            )
        known = distribution_of(self.question, self.counts, self.options)
        if known is not None:
            return known.quantile(share)
        line = line_of(self.question.domain)
        if line is not None and not line.circular and not self.question.domain.collect:
            for quantile in listed_quantiles(line, self.functions, [share]):
                return quantile
        raise EstimateError(
            "expected a question whose answers are numbers on a line, with shares of "
            f"each, got {self.name!r}"
        )

    @cached_property
    def _moments(self) -> Moments:
        return moments_of(
            self.question.randomizer,
            self.counts,
            self._values,
            reports_per_person=self.options.repeats,
        )

    @cached_property
    def _values(self) -> tuple[str, ...]:
        decoder = decoder_of(self.question.randomizer)
        values, _ = decoder.values(self.question, self.counts, self.candidates)
        return values

    def among(self, field: str, values: Sequence[str]) -> Flags:
        """Which values are some of these, or have them in a field."""
        if field and self.question.domain.collect:
            self.field(field)
            return self._membership([f"{field}: {value}" for value in values])
        if not field:
            return self._membership(values)
        place, known = self.field(field)
        passing = np.zeros(known.size, dtype=bool)
        for value in values:
            index = known.domain.index_of(value)
            if index is None:
                what = f"a value of field {field!r}"
                raise UnknownNameError(value, tuple(known.domain.values or ()), what)
            passing[index] = True
        return self._of_field(place, passing)

    def _membership(self, values: Sequence[str]) -> Flags:
        passing = np.zeros(self.size, dtype=bool)
        domain = self.question.domain
        for value in values:
            index = None
            if self.size == domain.size:
                index = domain.index_of(value)
            if index is None and value in self._values:
                index = self._values.index(value)
            if index is None:
                what = f"one of the values of question {self.name!r}"
                raise UnknownNameError(value, self._values, what)
            passing[index] = True
        return passing

    def within(self, field: str, low: str, high: str) -> Flags:
        """Which values lie in [low, high); around a circle if it ends before it
        begins.
        """
        first, last = _exact(low), _exact(high)
        domain = self._domain(field)
        above, below = _at_least(domain, first), ~_at_least(domain, last)
        if first >= last and not domain.circular:
            raise EstimateError(
                f"expected a range whose first end is below the other, got [{low}, "
                f"{high})"
            )
        return self._spread(field, above & below if first < last else above | below)

    def compare(self, field: str, sign: str, number: str) -> Flags:
        """Which values compare so with a number."""
        domain, end = self._domain(field), _exact(number)
        if sign in ("<=", ">") and domain.spacing is None:
            raise EstimateError(
                "expected < or >= for cells, whose ends belong to the next one, got "
                f"{sign}"
            )
        passing = _above(domain, end) if sign in ("<=", ">") else _at_least(domain, end)
        return self._spread(field, passing if sign in (">", ">=") else ~passing)

    def numbers(self, field: str) -> Floats:
        """What the values of a field, or the values, stand for as numbers, of shape
        (M,).
        """
        domain = self._domain(field)
        numbers = _numbers(domain)
        if not field:
            return numbers
        place, _ = self.field(field)
        return self._of_field(place, numbers)

    def _domain(self, field: str) -> Domain:
        """Domain of the field, or of the question. Raises `EstimateError` if it has no
        numbers.
        """
        domain = self.field(field)[1].domain if field else self.question.domain
        if domain.collect or (domain.numbers is None and domain.scale is None):
            what = f"field {field!r}" if field else f"question {self.name!r}"
            raise EstimateError(f"expected values that are numbers, got {what}")
        return domain

    def field(self, name: str) -> tuple[int, Field]:
        """The place of a field, and the field. Raises `UnknownNameError`."""
        fields = self.question.domain.fields
        names = names_of(fields)
        if name not in names:
            raise UnknownNameError(
                name, names, f"one of the fields of question {self.name!r}"
            )
        place = names.index(name)
        return place, fields[place]

    def _spread(self, field: str, passing: Flags) -> Flags:
        if field:
            return self._of_field(self.field(field)[0], passing)
        return passing

    def _of_field(self, place: int, numbers: NDArray[Number]) -> NDArray[Number]:
        """What the cells of the table have, by the values of one field."""
        sizes = [field.size for field in self.question.domain.fields]
        shape = [1] * len(sizes)
        shape[place] = sizes[place]
        return np.broadcast_to(numbers.reshape(shape), sizes).ravel()


def subject_of(
    question: Question, counts: Counts, options: Options, candidates: Sequence[str] = ()
) -> Subject:
    """A question that has reports. Raises `EstimateError` if it has none."""
    if not total_reports(counts, question.layout):
        raise EstimateError(
            f"expected reports to question {question.name!r}, got none yet"
        )
    return Subject(question, counts, options, candidates=candidates)


def _among(rows: Sequence[Weights]) -> Indices:
    """The places of all that has weight in any of the rows, (K,)."""
    return np.unique(np.concatenate([row.places for row in rows]))


def _exact(text: str) -> Fraction:
    """The number that is written so. Raises `EstimateError`."""
    try:
        return fraction(text)
    except ValueError as error:
        raise EstimateError(str(error)) from None


def _at_least(domain: Domain, end: Fraction) -> Flags:
    """Which values are a number or above."""
    size = domain.size or 0
    if domain.spacing is not None:
        low, step = domain.spacing
        return np.arange(size) >= ceil((end - low) / step)
    return np.arange(size) >= _edge(domain, end)


def _above(domain: Domain, end: Fraction) -> Flags:
    """Which points are above a number."""
    assert domain.spacing is not None  # noqa: S101 (cells are refused before)
    low, step = domain.spacing
    return np.arange(domain.size or 0) > floor((end - low) / step)


def _edge(domain: Domain, end: Fraction) -> int:
    """The place of the cell that begins at an edge. Raises `EstimateError` within a
    cell.
    """
    assert domain.scale is not None  # noqa: S101 (such are numbers that are not evenly spaced)
    edges = domain.scale.edges
    if edges[0] < end < edges[-1] and end not in edges:
        raise EstimateError(
            "expected the edge of a cell "
            f"({', '.join(map(decimal_text, edges[:_SOME]))}), got {decimal_text(end)}"
        )
    return bisect_left(edges, end)


def _numbers(domain: Domain) -> Floats:
    if domain.spacing is not None:
        low, step = domain.spacing
        return np.asarray(float(low) + float(step) * np.arange(domain.size or 0))
    assert domain.scale is not None  # noqa: S101 (such are numbers that are not evenly spaced)
    edges = np.array([float(edge) for edge in domain.scale.edges])
    return np.asarray((edges[:-1] + edges[1:]) / 2)
