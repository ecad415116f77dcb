"""A sheet: all that a result shows, once, in every shape that a format may ask for.

tables   headings and rows as text, for people: the same in terminals, notebooks,
         Markdown and HTML
record   a nested record for machines, ready for JSON
rows     flat records under `columns`, for spreadsheets and data frames
bars     panels of a picture

A result that has no such shape leaves it out. Shapes are made when they are asked for,
as a question may have a million values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ldp_aggregator.output.people import PERCENT

if TYPE_CHECKING:
    from ldp_aggregator.numerics.arrays import Floats

NOTHING = "-"
"""In a table, where there is no number."""

MOST_BARS = 40
"""Of a picture."""

Shape = Literal["tables", "record", "rows", "bars"]


class TextTable(NamedTuple):
    """A table as text."""

    title: str
    """What the table is of; nothing if the sheet says it."""
    caption: str
    """What its numbers are."""
    headings: Sequence[str]
    """The names of its columns; a long one may have several lines."""
    rows: Sequence[Sequence[str]]
    remarks: Sequence[str] = ()
    """Sentences to know before believing the numbers."""


class Grid(NamedTuple):
    """Where the cells of a map lie: edges along x and y, and what these are called."""

    x: Floats
    y: Floats
    labels: tuple[str, str]
    outlines: Sequence[Floats] = ()
    """Borders to be drawn over it, of shape (corners, 2) each."""


class Dots(NamedTuple):
    """A series of a picture, drawn as dots with intervals: arrays of shape (M,)."""

    name: str
    places: Floats
    low: Floats
    high: Floats


class Band(NamedTuple):
    """A line over time between two others: arrays of shape (M,), NaN where nothing is
    drawn.
    """

    level: Floats
    low: Floats
    high: Floats
    since: tuple[int, int] | None = None
    """The first and the last place at which something may have changed, if it has."""
    notes: Sequence[tuple[float, str, str]] = ()
    """The place, the sign and the words of what happened then."""


class Mark(NamedTuple):
    """A number with its range, such as a mean, drawn below a histogram."""

    name: str
    place: float
    low: float
    high: float


class Columns(NamedTuple):
    """Where the columns of a histogram stand: `edges` of shape (M, 2), in a unit."""

    edges: Floats
    unit: str
    marks: Sequence[Mark] = ()


class Curve(NamedTuple):
    """A curve that rises, in a band of the numbers of a panel: arrays of shape (M,)."""

    below: Floats
    monotone: Floats
    unit: str


class Shapes(NamedTuple):
    """Where the districts of a map lie: the borders of each, of shape (corners, 2).

    Those around holes go the other way round.
    """

    borders: Sequence[Sequence[Floats]]


class Bars(NamedTuple):
    """A panel of a picture: arrays of shape (M,), in the order of `labels`."""

    title: str
    caption: str
    labels: Sequence[str]
    lengths: Floats
    """What the bars show; where there is no number, they have no length."""
    low: Floats
    high: Floats
    truth: Sequence[float] | None = None
    """What is marked beside the bars, where it is known."""
    form: Grid | Band | Shapes | Columns | Curve | None = None
    """What is drawn in place of bars: a map, a course over time, for which `labels` are
    the times, districts, a histogram or a cumulative distribution.
    """
    dots: Sequence[Dots] = ()
    """Series that are drawn in place of bars, side by side."""
    lines: Sequence[tuple[str, Sequence[float]]] = ()
    """Errors by name at each of the labels, which are numbers a factor apart: drawn in
    place of bars.
    """
    within: tuple[float, float] | None = None
    """What the axis of numbers has to show at least."""
    unit: str = PERCENT
    """Of the lengths: per cent where they are shares."""

    def three(self, place: int) -> tuple[float, float, float]:
        """Return the estimate at a place, and the ends of its range."""
        return (
            float(self.lengths[place]),
            float(self.low[place]),
            float(self.high[place]),
        )

    @property
    def shown(self) -> list[int]:
        """The places of the bars that a picture shows: all, or the `MOST_BARS`
        greatest.
        """
        if len(self.lengths) <= MOST_BARS:
            return list(range(len(self.lengths)))
        greatest: list[int] = (
            (-self.lengths).argsort(kind="stable")[:MOST_BARS].tolist()
        )
        return greatest


def _no_tables() -> Iterable[TextTable]:
    return ()


def _no_record() -> Mapping[str, Any]:
    return {}


def _no_rows() -> Iterable[Sequence[str | float | None]]:
    return ()


def _no_bars() -> Sequence[Bars]:
    return ()


_LEFT_OUT: Mapping[str, object] = {"tables": _no_tables, "record": _no_record}


@dataclass(frozen=True)
class Sheet:
    """Sheet of a result. Texts and tables follow one another in the order of the
    fields.
    """

    title: str
    lead: Sequence[str] = ()
    """Sentences before the tables."""
    tables: Callable[[], Iterable[TextTable]] = _no_tables
    legend: Sequence[str] = ()
    """Sentences after the tables: what their columns mean."""
    record: Callable[[], Mapping[str, Any]] = _no_record
    columns: Sequence[str] = ()
    rows: Callable[[], Iterable[Sequence[str | float | None]]] = _no_rows
    bars: Callable[[], Sequence[Bars]] = _no_bars
    warnings: Sequence[str] = ()
    """Remarks that have to be said beside it, where a format has no place for
    sentences.
    """

    def has(self, shape: Shape) -> bool:
        """Whether the result has this shape; one without rows has it if it has
        columns.
        """
        if shape == "rows":
            return bool(self.columns)
        if shape == "bars":
            return bool(self.bars())
        return getattr(self, shape) is not _LEFT_OUT[shape]


def blanks(cells: Iterable[str | float | None]) -> list[str | float | None]:
    """The cells of a flat row, of which those without a number are None: a NaN is no
    value.
    """
    return [
        None if isinstance(cell, float) and not isfinite(cell) else cell
        for cell in cells
    ]


def finite(number: float) -> float | None:
    """A number ready for JSON; None where there is none."""
    if isfinite(number):
        return number
    return None


def in_one_line(heading: str) -> str:
    """A heading without its line breaks; a word that was parted by a hyphen is whole
    again.
    """
    return heading.replace("-\n", "").replace("\n", " ")
