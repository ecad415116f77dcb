"""The table of a question's fields: any of its margins, shares within groups, and
dependence.

One report tells a cell of the table, so everything here is a sum of cells, and its
error follows from how the scores of cells go together
(`ldp_aggregator.decoders.moments.scores`):

    share of a group of cells    q'f, unbiased; n Cov(q'f, r'f) = q'Mr - sum of q r f
                                 for the respondents, with M the mean products of
                                 scores: errors of cells are never added up as if they
                                 had nothing to do with each other
    share within another group   f(A and B) / f(B), with Fieller's interval: all r for
                                 which f(A and B) - r f(B) may be 0; everything where
                                 f(B) may be
    dependence                   `ldp_aggregator.analyses.association.measures`
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product

import numpy as np
from scipy.special import ndtri

from ldp.answers.domain import Field
from ldp.answers.fields import AND, names_of
from ldp.errors import EstimateError, UnknownNameError
from ldp.survey.survey import Question
from ldp_aggregator.analyses.association.measures import (
    Measure,
    Region,
    correlation,
    cramers_v,
    independent,
    log_odds_ratio,
    mutual_information,
    odds,
    region_of,
)
from ldp_aggregator.answers.contrasts.ratios import ratio_ends
from ldp_aggregator.answers.lines.answers import Share
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.bloom.regression import ChiSquare
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.interval import WithInterval

MOST_CELLS = 2000
"""Cells whose scores are multiplied pair by pair."""


@dataclass(frozen=True)
class Measured(WithInterval):
    """How strongly two fields go together, with an interval; biased where noise is
    large.
    """

    measure: str
    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Conditional(WithInterval):
    """The share of those in a group who hold a value; NaN if that group may be
    nobody.
    """

    value: str
    given: str
    share: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Crosstab:
    """The table of a question's fields, or of some of them, estimated from its reports.

    `crosstab` has an example.
    """

    question: Question
    fields: tuple[Field, ...]
    """The parts of an answer that it has."""
    reports: int
    options: Options
    frequency: Floats
    """Unbiased shares of the respondents: an axis for each field, in their order."""
    products: Floats
    """The mean products of the cells' scores, of shape (cells, cells)."""

    def of(self, names: Sequence[str]) -> Crosstab:  # noqa: ARG002
        """The table that has these fields: this one, which has all of them."""
        return self

    def margin(self, *names: str) -> tuple[Share, ...]:
        """The shares of all combinations of some fields' values, the last one's varying
        fastest.

        Raises `UnknownNameError` for what is no field.
        """
        places = self._places(names)
        combinations = product(*(range(self.fields[place].size) for place in places))
        chosen = [dict(zip(places, values, strict=True)) for values in combinations]
        return self._shares(
            [self._cell_name(values) for values in chosen], [*map(self._at, chosen)]
        )

    def share(self, **values: str) -> Share:
        """The share of those who hold a value of each of these fields, such as
        `sex="female"`.
        """
        places = self._places([*values])
        chosen = {
            place: self._value(place, text)
            for place, text in zip(places, values.values(), strict=True)
        }
        return self._shares([self._cell_name(chosen)], [self._at(chosen)])[0]

    def conditional(self, name: str, given: str) -> tuple[Conditional, ...]:
        """Of the holders of each value of one field, the shares who hold each value of
        another.

        By the values of `given`, and then of `name`.
        """
        of, among = self._places([name, given])
        return tuple(
            self._within(of, value, among, group=group)
            for group in range(self.fields[among].size)
            for value in range(self.fields[of].size)
        )

    def odds_ratio(self, first: str, second: str) -> Measured:
        """Odds ratio of two fields with two values each: 1 without dependence.

        Raises `EstimateError` for others.
        """
        for place in self._places([first, second]):
            field = self.fields[place]
            if field.size != 2:
                raise EstimateError(
                    "expected fields with two values each for an odds ratio, got "
                    f"{field.name!r} with {field.size}"
                )
        measured = self._measure(
            "odds ratio", log_odds_ratio, (first, second), freedom=1
        )
        estimate, low, high = map(
            odds, (measured.estimate, measured.low, measured.high)
        )
        return replace(measured, estimate=estimate, low=low, high=high)

    def correlation(self, first: str, second: str) -> Measured:
        """Of two fields whose values are numbers, or two; of cells it is that of their
        middles.

        Raises `EstimateError` for others.
        """
        rows, columns = (
            self._numbers(place) for place in self._places([first, second])
        )
        measure = partial(correlation, rows=rows, columns=columns)
        return self._measure("correlation", measure, (first, second), freedom=1)

    def cramers_v(self, first: str, second: str) -> Measured:
        """From 0, without dependence, to 1. The interval is wider than it need be, not
        narrower.
        """
        freedom = self._freedom(first, second)
        return self._measure("Cramer's V", cramers_v, (first, second), freedom=freedom)

    def mutual_information(self, first: str, second: str) -> Measured:
        """Return the information of one field on another, in bits; interval as for
        `cramers_v`.
        """
        freedom = self._freedom(first, second)
        return self._measure(
            "mutual information", mutual_information, (first, second), freedom=freedom
        )

    def independence(self, first: str, second: str) -> ChiSquare:
        """The test of two fields being independent: how far off the nearest such table
        is.
        """
        region = self._region(first, second)
        shape = region.estimate.shape
        nearest = region.table(region.nearest)
        rows, columns = (nearest.sum(axis=axis) for axis in (1, 0))
        start = np.log(np.maximum(np.concatenate([rows, columns]), 1e-6))
        tables = partial(independent, shape=(shape[0], shape[1]))
        return ChiSquare(
            region.least_distance(tables, start), self._freedom(first, second)
        )

    def strength(self, first: str, second: str) -> float:
        """Cramer's V without its interval, which takes far longer."""
        region = self._region(first, second)
        return cramers_v(region.table(region.nearest))

    def covariance(self, queries: Floats) -> Floats:
        """How the shares of groups of cells, (Q, cells), err together: of shape (Q,
        Q).
        """
        shares = self.frequency.ravel()
        held = queries * shares @ queries.T
        of_respondents = queries @ self.products @ queries.T - held
        if self.options.estimand == "population":
            means = queries @ shares
            of_respondents = of_respondents + held - np.outer(means, means)
        return of_respondents / self.reports

    def _shares(
        self, names: Sequence[str], queries: Sequence[Floats]
    ) -> tuple[Share, ...]:
        stacked = np.stack(queries)
        shares = stacked @ self.frequency.ravel()
        errors = np.sqrt(np.maximum(np.diag(self.covariance(stacked)), 0.0))
        reach = self._quantile * errors
        low, high = (np.clip(end, 0.0, 1.0) for end in (shares - reach, shares + reach))
        rows = zip(
            shares.tolist(), errors.tolist(), low.tolist(), high.tolist(), strict=True
        )
        return tuple(Share(name, *row) for name, row in zip(names, rows, strict=True))

    def _within(self, of: int, value: int, among: int, group: int) -> Conditional:
        """Fieller's interval of a ratio of two shares."""
        queries = np.stack(
            [self._at({of: value, among: group}), self._at({among: group})]
        )
        both, those = (queries @ self.frequency.ravel()).tolist()
        ends = ratio_ends(
            both, those, self.covariance(queries), quantile=self._quantile
        )
        low, high = (min(max(end, 0.0), 1.0) for end in ends)
        known = those > 0 and math.isfinite(ends[0])
        share = math.nan
        if known:
            share = both / those
        named = self._cell_name({of: value}), self._cell_name({among: group})
        return Conditional(*named, share=share, low=low, high=high)

    def _measure(
        self, name: str, measure: Measure, fields: tuple[str, str], freedom: int
    ) -> Measured:
        region = self._region(*fields)
        low, high = region.ends(measure, self.options.level, freedom)
        estimate = measure(region.table(region.nearest))
        return Measured(
            name, estimate, low=min(low, estimate), high=max(high, estimate)
        )

    def _region(self, first: str, second: str) -> Region:
        """Region of the table of two fields."""
        places = self._places([first, second])
        sizes = [self.fields[place].size for place in places]
        values = product(*map(range, sizes))
        queries = np.stack(
            [self._at(dict(zip(places, chosen, strict=True))) for chosen in values]
        )
        table = (queries @ self.frequency.ravel()).reshape(sizes)
        return region_of(table, self.covariance(queries))

    def _freedom(self, first: str, second: str) -> int:
        one, other = (
            self.fields[place].size for place in self._places([first, second])
        )
        return (one - 1) * (other - 1)

    def _numbers(self, place: int) -> Floats:
        """Return the numbers of a field's values in a correlation."""
        field = self.fields[place]
        domain = field.domain
        if domain.numbers is not None:
            return np.array(domain.numbers, dtype=np.float64)
        if domain.scale is not None:
            edges = np.array([float(edge) for edge in domain.scale.edges])
            return np.asarray((edges[:-1] + edges[1:]) / 2)
        if field.size != 2:
            raise EstimateError(
                "expected fields of numbers, or with two values, for a correlation, "
                f"got {field.name!r} with {field.size} values that are no numbers"
            )
        return np.array([0.0, 1.0])

    def _at(self, chosen: dict[int, int]) -> Floats:
        """1 in the cells of these values, by the place of their field, and 0 elsewhere:
        (cells,)
        """
        shape = self.frequency.shape
        cells = np.zeros(shape)
        cells[tuple(chosen.get(place, slice(None)) for place in range(len(shape)))] = 1
        return cells.ravel()

    def _cell_name(self, chosen: dict[int, int]) -> str:
        return AND.join(self._texts[place][value] for place, value in chosen.items())

    @cached_property
    def _texts(self) -> tuple[tuple[str, ...], ...]:
        return tuple(field.domain.values or () for field in self.fields)

    def _places(self, names: Sequence[str]) -> list[int]:
        places = [place_of(self.fields, name) for name in names]
        if len(set(names)) < len(names) or not names:
            raise EstimateError(
                f"expected fields that differ, got {', '.join(names) or 'none'}"
            )
        return places

    def _value(self, place: int, text: str) -> int:
        texts = self._texts[place]
        if text not in texts:
            raise UnknownNameError(
                text, texts, f"a value of field {self.fields[place].name!r}"
            )
        return texts.index(text)

    @property
    def _quantile(self) -> float:
        return float(ndtri((1 + self.options.level) / 2))


def place_of(fields: Sequence[Field], name: str) -> int:
    """Place of a field with a name. Raises `UnknownNameError`."""
    known = names_of(tuple(fields))
    if name not in known:
        raise UnknownNameError(name, known, "one of the question's fields")
    return known.index(name)


def check_cells(question: Question, fields: Sequence[Field]) -> None:
    """Raise `EstimateError` if a table has more cells than can be looked at pair by
    pair.
    """
    cells = math.prod(field.size for field in fields)
    if cells > MOST_CELLS:
        raise EstimateError(
            f"question {question.name!r}: expected at most {MOST_CELLS:,} cells for "
            f"margins and dependence, got {cells:,}"
        )
