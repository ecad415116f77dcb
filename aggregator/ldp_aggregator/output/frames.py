"""Flat records as data frames, whose library is imported when one is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ldp.errors import EstimateError
from ldp_aggregator.output.sheet import blanks

Row = Sequence[str | float | None]


def frame(kind: str, columns: Sequence[str], rows: Iterable[Row]) -> Any:
    """A data frame of pandas or polars, or a table of arrow.

    Raises `EstimateError` for another kind, and where its library is not installed.
    """
    make = _KINDS.get(kind)
    if make is None:
        raise EstimateError(f"expected a frame of {', '.join(_KINDS)}, got {kind!r}")
    try:
        return make(columns, rows)
    except ImportError:
        library = "pyarrow" if kind == "arrow" else kind
        raise EstimateError(
            f"expected {library} for a frame of {kind}, found none; install it with "
            f"pip install {library}"
        ) from None


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


def arrow_table(columns: Sequence[str], rows: Iterable[Row]) -> Any:
    """A table of pyarrow with the same columns; needs pyarrow."""
    import pyarrow

    cells = list(map(blanks, rows))
    types = [
        pyarrow.string(),
        pyarrow.string(),
        *[pyarrow.float64()] * (len(columns) - 2),
    ]
    arrays = [
        pyarrow.array([row[place] for row in cells], type=kind)
        for place, kind in enumerate(types)
    ]
    return pyarrow.table(arrays, names=list(columns))


_KINDS: Mapping[str, Callable[[Sequence[str], Iterable[Row]], Any]] = {
    "pandas": pandas_frame,
    "polars": polars_frame,
    "arrow": arrow_table,
}
