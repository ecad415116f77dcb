"""The gauges of a sheet: of each column of numbers one, with a point for each record.

    ldp_estimate_frequency{survey="commute", question="mode", value="bus"} 0.21

and so for `low`, `high`, `standard_error`, `count`, whatever columns there are. Records
without a number have no point: nothing is 0 for want of reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from ldp_aggregator.output.sheet import Sheet

PREFIX = "ldp_estimate_"
HELP = {
    "count": "Estimated number of respondents who hold the value",
    "frequency": "Estimated share of respondents who hold the value",
    "standard_error": "Standard error of the estimated share",
    "low": "Lower end of the interval of the estimated share",
    "high": "Upper end of the interval of the estimated share",
}


class Series(NamedTuple):
    """One gauge: its name, what it is, and a number for each set of labels."""

    name: str
    words: str
    points: Sequence[tuple[Mapping[str, str], float]]


def series_of(sheet: Sheet) -> list[Series]:
    """The gauges of a sheet; the name of the survey is a label as well."""
    rows = [list(row) for row in sheet.rows()]
    survey = sheet.title.rpartition(": ")[0] or sheet.title
    return list(_gauges({"survey": survey}, sheet.columns, rows))


def _gauges(
    shared: Mapping[str, str],
    columns: Sequence[str],
    rows: Iterable[Sequence[str | float | None]],
) -> Iterator[Series]:
    rows = list(rows)
    texts = [
        place
        for place, _ in enumerate(columns)
        if any(isinstance(r[place], str) for r in rows)
    ]
    for place, column in enumerate(columns):
        if place in texts:
            continue
        points = [
            (
                {**shared, **{_label(columns[at]): str(row[at]) for at in texts}},
                float(number),
            )
            for row in rows
            if (number := _number(row[place])) is not None
        ]
        name = _label(column)
        yield Series(
            PREFIX + name, HELP.get(name, f"The column {name} of a result"), points
        )


def _number(cell: str | float | None) -> float | None:
    if cell is None or isinstance(cell, str) or not isfinite(cell):
        return None
    return float(cell)


def _label(column: str) -> str:
    """A name that every system takes."""
    return re.sub(r"[^a-z0-9_]", "_", column.lower())
