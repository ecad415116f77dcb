"""Numbers in their order: the cells of a histogram, and quantiles with intervals.

Where a mechanism is made for distributions, both come from that
(`answers.distributions`). Where it counts numbers one by one, as a list of values,
ranges of them are sums of shares, whose errors are known as well (`answers.contrasts`),
and a quantile is found by the same test: all numbers that the share below them, and the
one at or below them, do not rule out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from ldp_aggregator.answers.contrasts.functions import Functions
from ldp_aggregator.answers.lines.answers import Quantile
from ldp_aggregator.answers.lines.ends import errors_at
from ldp_aggregator.answers.lines.line import OrderedValues
from ldp_aggregator.answers.lines.quantiles import QuantileTest
from ldp_aggregator.answers.results.means import Mean
from ldp_aggregator.answers.results.values import MEAN, ByValue
from ldp_aggregator.output.sheet import Bars, Columns, Mark

MOST_LISTED = 512
"""Numbers whose quantiles are looked for: their errors go together in a square matrix.
"""


class Cell(NamedTuple):
    """A range of numbers with its share."""

    name: str
    start: float
    end: float
    frequency: float
    low: float
    high: float
    places: tuple[int, int]
    """The first among the values of the question, and the one behind the last."""


def cells_of(
    values: ByValue, line: OrderedValues, places: Sequence[tuple[int, int]]
) -> tuple[Cell, ...]:
    """The cells of a histogram, whose values have these places on a line."""
    if len(places) != len(values):
        return ()
    columns = (values.frequency, values.low, values.high)
    cells = []
    for place, (name, (first, last)) in enumerate(
        zip(values.values, places, strict=True)
    ):
        start, end = _ends(line, first, last)
        frequency, low, high = (float(column[place]) for column in columns)
        at = (place, place + 1)
        cells.append(
            Cell(name, start, end, frequency=frequency, low=low, high=high, places=at)
        )
    return tuple(cells)


def cells_together(functions: Functions, line: OrderedValues) -> Iterator[Cell]:
    """Ranges of numbers that are counted one by one, a family of their own."""
    if len(functions.frequency) != line.size or not functions.exclusive:
        return
    cells = line.histogram()
    for name, (first, last), weights in zip(
        cells.names, cells.places, cells.queries, strict=True
    ):
        share = functions.function(name, weights, family=len(cells.names))
        start, end = _ends(line, first, last)
        yield Cell(
            name,
            start,
            end,
            frequency=share.estimate,
            low=share.low,
            high=share.high,
            places=(first, last),
        )


def columns_of(
    cells: Sequence[Cell], mean: Mean | None, quantiles: Sequence[Quantile], unit: str
) -> Columns:
    """Where the columns of a histogram stand, with the mean and quantiles below
    them.
    """
    marks = [Mark(one.name, one.estimate, one.low, high=one.high) for one in quantiles]
    if mean is not None:
        marks.insert(0, Mark(MEAN, mean.estimate, *mean.interval))
    edges = np.array([(cell.start, cell.end) for cell in cells])
    return Columns(edges, unit, marks)


def histogram_of(
    cells: Sequence[Cell],
    columns: Columns,
    title: str,
    about: str,
    truth: Sequence[float] | None,
) -> Bars:
    """A panel of a picture with the columns of a histogram; `truth` by value, where
    known.
    """
    known = None
    if truth is not None:
        known = [float(np.sum(truth[slice(*cell.places)])) for cell in cells]
    lengths, low, high = np.array(
        [(cell.frequency, cell.low, cell.high) for cell in cells]
    ).T
    return Bars(
        title,
        about,
        tuple(cell.name for cell in cells),
        lengths=lengths.clip(0, 1),
        low=low,
        high=high,
        truth=known,
        form=columns,
    )


def listed_quantiles(
    line: OrderedValues, functions: Functions, shares: Sequence[float] = ()
) -> Iterator[Quantile]:
    """Quantiles of numbers that are counted one by one.

    They are those of some shares, or those that the options ask for.
    """
    options = functions.options
    if not functions.exclusive or not 1 < line.size <= MOST_LISTED:
        return
    # The shares at or below each value but the last: (size - 1, size).
    below = np.tril(np.ones((line.size - 1, line.size)))
    erring = functions.erring(below, "respondents")
    if erring.bound:
        return
    noise = np.sqrt(np.diag(erring.covariance).clip(0))
    # At or below the last one is everyone, for sure.
    cumulative = np.append(below @ functions.frequency, 1.0)
    drawn = functions.reports if options.estimand == "population" else None
    quantile = float(ndtri((1 + options.level) / 2))
    values = np.array([float(start) for start in line.starts])
    for share in shares or options.numbers.quantiles:
        errors = np.append(errors_at(share, noise, drawn), 0.0)
        test = QuantileTest(share, cumulative, errors, knots=values)
        yield Quantile.of(test, quantile)


def _ends(line: OrderedValues, first: int, last: int) -> tuple[float, float]:
    """Where a cell is drawn: a point reaches half a step to either side."""
    low, high = line.ends(first, last)
    half = 0.0 if line.cells else float(line.step) / 2
    return float(low) - half, float(high) + half
