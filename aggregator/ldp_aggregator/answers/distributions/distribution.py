"""All that is asked of the distribution of a number, with standard errors and
intervals.

Everything is estimated from one tally, without bias, and costs no privacy: the share of
any range, the cumulative distribution with a band around all of it, quantiles,
histograms, the mode. What is estimated is the distribution of what is counted: of
numbers that are clipped, where a survey clips.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.answers.distributions.band import band, multiplier, root_of
from ldp_aggregator.answers.distributions.circle import (
    Resultant,
    direction,
    length,
    resultant,
    waves,
)
from ldp_aggregator.answers.lines.answers import (
    Cumulative,
    Direction,
    Length,
    Mode,
    Quantile,
    Share,
    Spread,
)
from ldp_aggregator.answers.lines.ends import WithEnds, errors_at
from ldp_aggregator.answers.lines.line import Cells, Number, OrderedValues, line_of
from ldp_aggregator.answers.lines.quantiles import QuantileTest, rising
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.decoder import Queries, QueryAnswers
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Indices, Integers
from ldp_aggregator.output.formats.formats import Pictured
from ldp_aggregator.output.sheet import Bars, Curve
from ldp_aggregator.tallies.counting.counting import total_reports

MOST_CUMULATED = 1 << 20
"""Values, times points of the cumulative distribution whose errors are looked at."""


@dataclass(frozen=True, eq=False)
class Distribution(Pictured, WithEnds):
    """The distribution of a question's answers, estimated from a tally.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> age = ldp.question("age", low=0, high=99, step=1, goal="distribution", epsilon="4")
    >>> survey = ldp.survey("people", age)
    >>> reports = ldp_simulations.randomize(survey, {"age": list(range(100)) * 50})
    >>> ages = ldp_aggregator.estimate(survey, reports)["age"].distribution
    >>> 0.3 < ages.between(20, 60).frequency < 0.5
    True
    """

    line: OrderedValues
    queries: Queries
    reports: int
    options: Options
    unit: str = ""
    """What numbers are counted in."""

    def between(self, low: Number, high: Number) -> Share:
        """The share of the answers from `low` up to, but not including, `high`.

        On a circle a range may go around: from 22 to 6. Raises `EstimateError` for an
        empty range, and for an end within a cell.
        """
        first, last = self.line.places(low, high)
        if first < last:
            return self.at_places(first, last)
        return self._shares(np.zeros((1, self.line.size)), [f"[{low}, {high})"])[0]

    def check_ranges(self) -> None:
        """Raise `EstimateError` if the options ask for a range that there is not."""
        for low, high in self.options.numbers.ranges:
            self.line.places(low, high)

    def at_places(self, first: int, last: int) -> Share:
        """The share of the values from one place up to another, of one at least."""
        query = self.line.between_places(first, last)
        return self._shares(query[None], [self.line.name(first, last)])[0]

    def histogram(self, edges: Sequence[Number] | None = None) -> tuple[Share, ...]:
        """The shares of ranges side by side, from the first value to the last.

        `edges` are those within; without them the ends are round. Raises
        `EstimateError` for edges that do not rise, or lie within a cell.
        """
        cells = self.line.histogram(edges)
        return self._shares(cells.queries, cells.names)

    def direction(self) -> Direction:
        """The circular mean of a question on a circle, if there is a direction to be
        told.

        Raises `EstimateError` where values do not lie on a circle.
        """
        return direction(self.line, self._resultant, self.options.level)

    def resultant_length(self) -> Length:
        """How much the answers on a circle agree: from 0, spread out, to 1, all the
        same.

        Raises `EstimateError` where values do not lie on a circle.
        """
        return length(self._resultant, self.options.level)

    def cut(self, at: Number) -> Distribution:
        """The same as a line from a value of the circle on, which has quantiles and the
        like.

        Numbers go on beyond the end: of hours that begin at 4, those after midnight are
        24 to 28. Raises `EstimateError` where values do not lie on a circle, and for a
        number that is not on it.
        """
        self._check_circle(circular=True)
        line, order = self.line.cut(at)
        return replace(self, line=line, queries=_reorder(self.queries, order))

    @cached_property
    def _resultant(self) -> Resultant:
        self._check_circle(circular=True)
        answers = self.queries.answer(waves(self.line))
        return resultant(answers.estimate, self._errors(answers) ** 2)

    def _check_circle(self, *, circular: bool) -> None:
        if self.line.circular and not circular:
            raise EstimateError(
                "expected a place at which the circle is cut, on which quantiles and "
                "cumulative shares depend: distribution.cut(at) is a line; direction() "
                "has no cut"
            )
        if circular and not self.line.circular:
            raise EstimateError(
                "expected values on a circle (`circular = true`), got a line"
            )

    @cached_property
    def _at_places(self) -> tuple[Integers, QueryAnswers]:
        """How many values lie below each point, and what the share of answers there
        is.
        """
        self._check_circle(circular=False)
        size = self.line.size
        if self.queries.below is not None:
            places = np.arange(1, size)
            answers = self.queries.below(places)
        else:
            together = max(1, math.ceil(size**2 / MOST_CUMULATED))
            places = np.arange(together, size, together)
            answers = self.queries.answer(self.line.below(places))
        return places, answers

    def cdf(self) -> Cumulative:
        """The cumulative distribution, with errors, intervals, and a band around all of
        it.

        Of arcs with more than 1,024 values, at so many points that these and the values
        make a million pairs.
        """
        places, answers = self._at_places
        edges = np.array([float(edge) for edge in self.line.edges])
        if self.queries.largest_error is not None:
            factor = self.queries.largest_error(self.options.level)
        else:
            factor = multiplier(self._root(self.line.below(places)), self.options.level)
        low, high = self._ends(answers, self._quantile)
        band_low, band_high = band(*self._ends(answers, factor))
        share = answers.estimate
        return Cumulative(
            edges[places],
            share,
            self._errors(answers),
            low=low,
            high=high,
            band_low=band_low,
            band_high=band_high,
            monotone=rising(share),
        )

    def _root(self, queries: Floats) -> Floats:
        """A root of how the errors of queries go together: a row for each."""
        if self.queries.root is not None:
            return self.queries.root(queries)
        return root_of(self.queries.correlation(queries))

    def panels(self, truth: Sequence[float] | None = None) -> list[Bars]:
        """The curve, with its band."""
        return [self.bars(truth)]

    def bars(self, truth: Sequence[float] | None = None) -> Bars:
        """The cumulative distribution as a panel of a picture, in its band.

        `truth`, where known, has the true share below each point of `cdf()`.
        """
        cdf, edges = self.cdf(), self.line.edges
        below = np.array([float(edges[0]), *cdf.below, float(edges[-1])])
        share, low, high, monotone = (
            np.array([0.0, *shares, 1.0])
            for shares in (cdf.share, cdf.band_low, cdf.band_high, cdf.monotone)
        )
        level = f"{100 * self.options.level:.4g} %"
        return Bars(
            "Share of the answers below each number",
            f"The band holds the whole curve in {level} of surveys like this one.",
            (),
            lengths=share,
            low=low,
            high=high,
            truth=None if truth is None else [0.0, *truth, 1.0],
            form=Curve(below, monotone, self.unit),
        )

    def quantile(self, share: float) -> Quantile:
        """Return the quantile of a share above 0 and below 1."""
        return self._quantile_at(share, self._quantile)

    def interquartile_range(self) -> Spread:
        """The distance between the quartiles; its interval has each of them in one of
        its own.

        Each misses half as often, so that both together miss no more often than they
        say.
        """
        from scipy.special import ndtri  # slow to import

        quantile = float(ndtri(1 - (1 - self.options.level) / 4))
        lower, upper = (self._quantile_at(share, quantile) for share in (0.25, 0.75))
        return Spread(
            upper.estimate - lower.estimate,
            max(upper.low - lower.high, 0.0),
            upper.high - lower.low,
        )

    def mode(self, edges: Sequence[Number] | None = None) -> Mode:
        """The most frequent cell of a histogram, and which others may be it.

        Cells are left out whose share is below that of the highest with a confidence
        that holds for all of them together (Bonferroni).
        """
        from scipy.special import ndtri  # slow to import

        cells = self.line.histogram(edges)
        names, queries = cells.names, cells.queries
        shares = self._shares(queries, names)
        highest = int(np.argmax([share.frequency for share in shares]))
        gaps = self.queries.answer(queries[highest] - queries)
        quantile = float(ndtri(1 - (1 - self.options.level) / max(len(shares) - 1, 1)))
        possible = gaps.estimate <= quantile * self._errors(gaps)
        possible[highest] = True
        return Mode(
            shares[highest],
            tuple(
                name for name, may in zip(names, possible.tolist(), strict=True) if may
            ),
        )

    def monotone(self, cells: Cells) -> Floats:
        """The shares of cells by the nearest cumulative distribution that rises:
        biased.
        """
        cumulative = np.concatenate(
            [[0.0], rising(np.cumsum(self.queries.frequency)[:-1]), [1.0]]
        )
        return np.array(
            [cumulative[last] - cumulative[first] for first, last in cells.places]
        )

    def _quantile_at(self, share: float, quantile: float) -> Quantile:
        if not 0 < share < 1:
            raise EstimateError(
                f"expected a share between 0 and 1, such as 0.5, got {share}"
            )
        places, answers = self._at_places
        error = errors_at(share, answers.errors(), self._sample_size)
        # All answers lie at or below the last value, for sure.
        whole, errors = np.append(answers.estimate, 1.0), np.append(error, 0.0)
        edges = self.line.edges
        ends = [*places.tolist(), self.line.size]
        knots = [edges[0], *(edges[end] for end in ends)]
        if not self.line.cells:
            knots = [self.line.starts[end - 1] for end in ends]
        test = QuantileTest(
            share, whole, errors, knots=np.array(knots, dtype=np.float64)
        )
        return Quantile.of(test, quantile)

    def _shares(self, queries: Floats, names: Sequence[str]) -> tuple[Share, ...]:
        answers = self.queries.answer(queries)
        low, high = self._ends(answers, self._quantile)
        columns = (answers.estimate, self._errors(answers), low, high)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return tuple(Share(name, *row) for name, row in zip(names, rows, strict=True))

    def errors(self, queries: Floats) -> Floats:
        """The standard errors of any queries, of shape (Q, values): those of their
        means, (Q,).
        """
        return self._errors(self.queries.answer(queries))

    def _errors(self, answers: QueryAnswers) -> Floats:
        """Standard errors, of shape (Q,), for whom the options say."""
        return answers.errors(self._sample_size)


def _reorder(queries: Queries, order: Indices) -> Queries:
    """Put the values of queries into another order."""
    back = np.argsort(order)
    root, spread = queries.root, queries.spread

    def reorder(asked: Floats) -> Any:
        assert spread is not None  # noqa: S101 (asked for where it is known)
        law = spread(asked[back])
        return type(law)(*(cumulant[order] for cumulant in law))

    return queries._replace(
        frequency=queries.frequency[order],
        answer=lambda asked: queries.answer(asked[:, back]),
        correlation=lambda asked: queries.correlation(asked[:, back]),
        covariance=lambda asked: queries.covariance(asked[:, back]),
        below=None,
        largest_error=None,
        root=None if root is None else lambda asked: root(asked[:, back]),
        spread=None if spread is None else reorder,
    )


def distribution_of(
    question: Question, counts: Counts, options: Options
) -> Distribution | None:
    """The distribution of a question with reports; None where its mechanism is not for
    that.
    """
    queries = decoder_of(question.randomizer).ranges.queries(
        question.randomizer, counts
    )
    line = line_of(question.domain)
    if queries is None or line is None:
        return None
    return Distribution(
        line,
        queries,
        total_reports(counts, question.layout),
        options=options,
        unit=question.domain.unit,
    )
