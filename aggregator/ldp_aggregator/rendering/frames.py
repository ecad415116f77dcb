"""Flat records as data frames, whose library is imported when one is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ldp_aggregator.rendering.sheet import blanks

Row = tuple[str | float, ...]


def pandas_frame(columns: Sequence[str], rows: Iterable[Row]) -> Any:
    """A pandas DataFrame; needs pandas."""
    import pandas

    return pandas.DataFrame(list(rows), columns=list(columns))


def polars_frame(columns: Sequence[str], rows: Iterable[Row]) -> Any:
    """A polars DataFrame whose first two columns are texts, the others numbers or null.

    Needs polars.
    """
    import polars

    types = [polars.String, polars.String, *[polars.Float64] * (len(columns) - 2)]
    schema = dict(zip(columns, types, strict=True))
    return polars.DataFrame(list(map(blanks, rows)), schema=schema, orient="row")
