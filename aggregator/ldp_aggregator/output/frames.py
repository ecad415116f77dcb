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
    """A polars DataFrame of columns of texts, and of numbers or null; needs polars."""
    import polars

    cells = list(map(blanks, rows))
    types = [
        polars.String if is_text else polars.Float64
        for is_text in _text_columns(cells, len(columns))
    ]
    schema = dict(zip(columns, types, strict=True))
    return polars.DataFrame(cells, schema=schema, orient="row")


def arrow_table(columns: Sequence[str], rows: Iterable[Row]) -> Any:
    """A table of pyarrow with the same columns; needs pyarrow."""
    import pyarrow

    cells = list(map(blanks, rows))
    arrays = [
        pyarrow.array(
            [row[place] for row in cells],
            type=pyarrow.string() if is_text else pyarrow.float64(),
        )
        for place, is_text in enumerate(_text_columns(cells, len(columns)))
    ]
    return pyarrow.table(arrays, names=list(columns))


def _text_columns(cells: Sequence[Row], size: int) -> list[bool]:
    """Which columns are texts: the first two, and those that hold one."""
    return [
        place < 2 or any(isinstance(row[place], str) for row in cells)
        for place in range(size)
    ]


_KINDS: Mapping[str, Callable[[Sequence[str], Iterable[Row]], Any]] = {
    "pandas": pandas_frame,
    "polars": polars_frame,
    "arrow": arrow_table,
}
