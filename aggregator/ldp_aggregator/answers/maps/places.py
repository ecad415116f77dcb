"""All that is asked of a question of type place: rectangles, and maps at any zoom.

Everything is estimated from one tally, without bias, and costs no privacy. Rectangles
have whole cells of the grid; a zoom has 2^a x 2^b cells of the same size, side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ldp.answers.domain import Field
from ldp.answers.fields import AND
from ldp.errors import EstimateError
from ldp.mechanisms.places.pyramid import View
from ldp.survey.survey import Question
from ldp_aggregator.answers.geography import Geography
from ldp_aggregator.answers.lines.answers import Share
from ldp_aggregator.answers.lines.ends import WithEnds
from ldp_aggregator.answers.lines.line import Number, OrderedValues, line_of
from ldp_aggregator.answers.maps.districts import District
from ldp_aggregator.answers.maps.maps import Map
from ldp_aggregator.answers.maps.table_cells import queries_of_cells
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.decoder import Queries
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.decoders.trees.zooms import sum_cells
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.tallies.counting.counting import total_reports

Ends = tuple[Number, Number]


class Shown(NamedTuple):
    """The cells of a zoom: their names, and which values are within, of shape (cells,
    values).
    """

    names: tuple[str, ...]
    queries: Floats


@dataclass(frozen=True, eq=False)
class Places(WithEnds):
    """The places that the respondents of a question told, estimated from a tally."""

    question: Question
    queries: Queries
    reports: int
    options: Options

    @cached_property
    def axes(self) -> tuple[OrderedValues, OrderedValues]:
        """Axes of x and y."""
        x, y = (line_of(field.domain) for field in self.question.domain.fields)
        assert x is not None  # noqa: S101 (axes are numbers, in cells)
        assert y is not None  # noqa: S101
        return x, y

    @property
    def depth(self) -> int:
        """How many times each axis is halved in the finest grid."""
        return self.axes[0].size.bit_length() - 1

    def rectangle(self, x: Ends, y: Ends) -> Share:
        """The share of the places from the first end of each axis up to, but not at,
        the second.

        Raises `EstimateError` for an empty rectangle, and for an end within a cell.
        """
        places = [
            axis.places(*ends) for axis, ends in zip(self.axes, (x, y), strict=True)
        ]
        within = [
            axis.between_places(first, last)
            for axis, (first, last) in zip(self.axes, places, strict=True)
        ]
        named = AND.join(
            axis.name(first, last) if first < last else f"[{low}, {high})"
            for axis, (first, last), (low, high) in zip(
                self.axes, places, (x, y), strict=True
            )
        )
        answers = self.queries.answer(np.outer(*within).reshape(1, -1))
        low, high = self._ends(answers, self._quantile)
        (error,) = answers.errors(self._sample_size).tolist()
        return Share(
            named,
            float(answers.estimate[0]),
            error,
            low=float(low[0]),
            high=float(high[0]),
        )

    def map(self, x_cells: int | None = None, y_cells: int | None = None) -> Map:
        """The map in so many cells along x and along y, powers of two; at the finest
        without any.

        Raises `EstimateError` for other numbers of cells.
        """
        finest = 1 << self.depth
        view = self.view(x_cells or finest, y_cells or x_cells or finest)
        shape = (1 << view[0], 1 << view[1])
        if self.queries.cells is not None:
            answers = self.queries.cells(view)
        else:
            answers = self.queries.answer(self.zoom(view).queries)
        low, high = self._ends(answers, self._quantile)
        columns = (answers.estimate, answers.errors(self._sample_size), low, high)
        estimate, error, low, high = (column.reshape(shape) for column in columns)
        return self.map_of(estimate, error, low, high=high)

    def map_of(
        self,
        estimate: Floats,
        error: Floats,
        low: Floats,
        *,
        high: Floats,
        post_process: str | None = None,
    ) -> Map:
        """A map of what is known of its cells, of shape (x, y) each."""
        x, y = self.axes
        return Map(
            self.question.name,
            x,
            y,
            labels=self._labels,
            estimate=estimate,
            standard_error=error,
            low=low,
            high=high,
            level=self.options.level,
            post_process=post_process,
            outlines=()
            if self.options.maps.geography is None
            else self.options.maps.geography.outlines,
        )

    def districts(self, geography: Geography) -> tuple[District, ...]:
        """The shares of districts. Raises `EstimateError` if none of them has any of
        the map.
        """
        x, y = (np.array([float(edge) for edge in axis.edges]) for axis in self.axes)
        parts = geography.parts(x, y)
        counted, within, touched = (
            self.queries.answer(np.asarray(cells, dtype=np.float64))
            for cells in (parts.counted, parts.within, parts.touched)
        )
        low, high = self._ends(counted, self._quantile)
        columns = (
            counted.estimate,
            counted.errors(self._sample_size),
            low,
            high,
            parts.cut,
            self._ends(within, self._quantile)[0],
            self._ends(touched, self._quantile)[1],
        )
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return tuple(
            District(name, *row)
            for name, row in zip(geography.names, rows, strict=True)
        )

    @cached_property
    def shown_districts(self) -> tuple[District, ...]:
        """Return those that the options ask for."""
        if self.options.maps.geography is None:
            return ()
        return self.districts(self.options.maps.geography)

    def shrunk(self) -> Floats | None:
        """The shares of the cells that are shown, in a view for the eye: biased.

        None where cells are told one by one.
        """
        if self.queries.shrunk is None:
            return None
        side = 1 << self.depth
        return sum_cells(
            self.queries.shrunk().reshape(side, side), self.shown_view
        ).ravel()

    def view(self, x_cells: int, y_cells: int) -> View:
        """How often the axes are halved for so many cells. Raises `EstimateError`."""
        for cells in (x_cells, y_cells):
            if cells < 1 or cells & (cells - 1) or cells >> self.depth > 1:
                raise EstimateError(
                    "expected numbers of cells that are powers of two up to "
                    f"{1 << self.depth}, got {x_cells} x {y_cells}"
                )
        if x_cells * y_cells == 1:
            raise EstimateError(
                "expected a map of two cells or more, got 1 x 1, which has all"
            )
        return x_cells.bit_length() - 1, y_cells.bit_length() - 1

    @cached_property
    def shown_view(self) -> View:
        """The zoom that is shown: the one asked for, or where an even share of a cell
        would show.

        That is the finest in which such a share is above its margin of error. Where
        cells are told one by one it is the whole grid.
        """
        if self.options.maps.zoom is not None:
            return self.view(*self.options.maps.zoom)
        halved = self.depth
        if self.queries.cells is not None and not self.options.frequencies:
            while halved > 1 and not self._shows((halved, halved)):
                halved -= 1
        return halved, halved

    def _shows(self, view: View) -> bool:
        assert self.queries.cells is not None  # noqa: S101 (looked at before)
        errors = self.queries.cells(view).errors(self._sample_size)
        return bool(2.0 ** -sum(view) > self._quantile * np.median(errors))

    @property
    def is_whole(self) -> bool:
        """Whether all cells of the finest grid are shown."""
        return self.shown_view == (self.depth, self.depth)

    def zoom(self, view: View) -> Shown:
        """The cells of a zoom."""
        names, within = zip(*map(_cells_along, self.axes, view), strict=True)
        queries = np.kron(*within)
        return Shown(
            tuple(AND.join((x, y)) for x in names[0] for y in names[1]), queries
        )

    @property
    def _labels(self) -> tuple[str, str]:
        x, y = map(_label, self.question.domain.fields)
        return x, y


def _label(field: Field) -> str:
    scale = field.domain.scale
    if scale is None or not scale.unit:
        return field.name
    return f"{field.name} ({scale.unit})"


def _cells_along(line: OrderedValues, halved: int) -> tuple[list[str], Floats]:
    """The names of cells along an axis, and which places are within, of shape (cells,
    places).
    """
    cells = 1 << halved
    together = line.size // cells
    names = [
        line.name(first, first + together) for first in range(0, line.size, together)
    ]
    return names, np.eye(cells).repeat(together, axis=1)


def places_of(
    question: Question,
    counts: Counts,
    options: Options,
    frequency: Floats | None = None,
) -> Places | None:
    """The places of a question with reports, if it is of that type; None for others.

    Also where its mechanism is not for rectangles and the shares of all cells are not
    known yet.
    """
    if not question.domain.is_place:
        return None
    queries = decoder_of(question.randomizer).ranges.queries(
        question.randomizer, counts
    )
    if queries is None and frequency is not None:
        queries = queries_of_cells(question, counts, frequency)
    if queries is None:
        return None
    reports = total_reports(counts, question.layout)
    return Places(question, queries, reports, options=options)
