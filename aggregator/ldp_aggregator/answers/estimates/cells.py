"""Numbers in their order: the cells of a histogram, and quantiles with intervals.

Where a mechanism is made for distributions, both come from that (`answers.distributions`).
Where it counts numbers one by one, as a list of values, ranges of them are sums of shares, whose
errors are known as well (`answers.contrasts`), and a quantile is found by the same test: all
numbers that the share below them, and the one at or below them, do not rule out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from ldp_aggregator.answers.contrasts.functions import Functions
from ldp_aggregator.answers.distributions.answers import Quantile
from ldp_aggregator.answers.distributions.ends import errors_at
from ldp_aggregator.answers.distributions.line import Line, line_of
from ldp_aggregator.answers.distributions.quantiles import quantile_places
from ldp_aggregator.answers.estimates.question_numbers import MEAN, QuestionNumbers
from ldp_aggregator.output.sheet import MOST_BARS, Bars, Columns, Mark

MOST_SINGLE = 60
"""Numbers that are drawn one by one; of more, ranges of them."""
MOST_LISTED = 512
"""Numbers whose quantiles are looked for: their errors go together in a square matrix."""


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


def cells_of(estimates: QuestionNumbers) -> tuple[Cell, ...]:
    """The cells of a histogram, in their order; none where values are no numbers on a line."""
    line = _line(estimates)
    if line is None or not estimates.reports:
        return ()
    places = _places(estimates, line)
    if len(places) > MOST_SINGLE and estimates.distribution is None:
        return tuple(_together(estimates, line))
    if len(places) != len(estimates):
        return ()
    columns = (estimates.frequency, estimates.low, estimates.high)
    cells = []
    for place, (name, (first, last)) in enumerate(zip(estimates.values, places, strict=True)):
        start, end = _ends(line, first, last)
        frequency, low, high = (float(column[place]) for column in columns)
        cells.append(
            Cell(
                name, start, end, frequency=frequency, low=low, high=high, places=(place, place + 1)
            )
        )
    return tuple(cells)


def histogram_of(
    estimates: QuestionNumbers, title: str, truth: Sequence[float] | None
) -> Bars | None:
    """Return a panel with mean and quantiles below its columns; None where there is no line."""
    cells = cells_of(estimates)
    if not cells:
        return None
    unit = estimates.question.domain.unit or ""
    marks = [
        Mark(one.name, one.estimate, one.low, high=one.high) for one in quantiles_in(estimates)
    ]
    if estimates.mean is not None:
        marks.insert(0, Mark(MEAN, estimates.mean.estimate, *estimates.mean.interval))
    edges = np.array([(cell.start, cell.end) for cell in cells])
    known = None if truth is None else [float(np.sum(truth[slice(*cell.places)])) for cell in cells]
    lengths, low, high = np.array([(cell.frequency, cell.low, cell.high) for cell in cells]).T
    names = tuple(cell.name for cell in cells)
    return Bars(
        title,
        estimates.describe(),
        names,
        lengths=lengths.clip(0, 1),
        low=low,
        high=high,
        truth=known,
        columns=Columns(edges, unit, marks),
    )


def quantiles_in(estimates: QuestionNumbers) -> Sequence[Quantile]:
    """Those that the options ask for; none where values are no numbers on a line."""
    if estimates.distribution is not None or not estimates.reports or estimates.is_shape:
        return estimates.quantiles
    line, functions = _line(estimates), estimates.functions
    if line is None or functions is None or line.size != len(estimates):
        return ()
    if not functions.exclusive or not 1 < line.size <= MOST_LISTED:
        return ()
    return tuple(_quantiles(line, functions))


def _quantiles(line: Line, functions: Functions) -> Iterator[Quantile]:
    options = functions.options
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
    for share in options.quantiles:
        errors = np.append(errors_at(share, noise, drawn), 0.0)
        places = quantile_places(cumulative, errors, share, quantile=quantile)
        estimate, low, high = (float(line.starts[place]) for place in places)
        yield Quantile(share, estimate, low, high=high)


def _line(estimates: QuestionNumbers) -> Line | None:
    """The line of the values; None for a circle, and for the highest of them alone."""
    if estimates.distribution is not None:
        line: Line | None = estimates.distribution.line
    else:
        line = line_of(estimates.question.domain)
    return None if line is None or line.circular or estimates.left_out else line


def _places(estimates: QuestionNumbers, line: Line) -> Sequence[tuple[int, int]]:
    """The first value of each cell, and the one behind its last."""
    options = estimates.options
    if estimates.distribution is not None and not options.frequencies:
        return line.histogram(options.edges or None).places
    if estimates.is_shape and len(estimates) < line.size:
        together = -(-line.size // MOST_BARS)
        starts = range(0, line.size, together)
        return [(start, min(start + together, line.size)) for start in starts]
    return [(place, place + 1) for place in range(line.size)]


def _ends(line: Line, first: int, last: int) -> tuple[float, float]:
    """Where a cell is drawn: a point reaches half a step to either side."""
    low, high = line.ends(first, last)
    half = 0.0 if line.cells else float(line.step) / 2
    return float(low) - half, float(high) + half


def _together(estimates: QuestionNumbers, line: Line) -> Iterator[Cell]:
    """Ranges of numbers that are counted one by one, a family of their own."""
    functions = estimates.functions
    if functions is None or len(estimates) != line.size or not functions.exclusive:
        return
    cells = line.histogram()
    for name, (first, last), weights in zip(cells.names, cells.places, cells.queries, strict=True):
        share = functions.function(name, weights, family=len(cells.names))
        start, end = _ends(line, first, last)
        yield Cell(name, start, end, share.estimate, share.low, share.high, (first, last))
