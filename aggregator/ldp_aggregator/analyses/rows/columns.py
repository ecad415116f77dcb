"""Tables of rows as people have them: files and frames, as columns of texts, numbers
and bytes.

    path      of a CSV file with a header, or of a Parquet file (needs pyarrow)
    mapping   of columns by name
    frame     of pandas or polars, or a table of pyarrow
    iterable  of mappings, one for each row

Covariates lie in the clear in such a table; a report is the framework's own bytes, in a
file as hexadecimal or base64 text.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.analyses.rows.codes import text_of
from ldp_aggregator.numerics.arrays import Flags
from ldp_aggregator.output.csv_rows import csv_rows
from ldp_aggregator.output.files import FileError, read_whole

Table = Any
"""One of the above; the libraries are not needed here, so their types have no names."""


@dataclass(frozen=True, eq=False)
class RowTable:
    """A table with a row for each respondent."""

    columns: Mapping[str, Sequence[Any]]

    @property
    def people(self) -> int:
        """How many rows there are."""
        return len(next(iter(self.columns.values()), ()))

    def column(self, name: str) -> Sequence[Any]:
        """The cells of a column. Raises `UnknownNameError`."""
        if name not in self.columns:
            raise UnknownNameError(name, self.columns, "a column of the table")
        return self.columns[name]

    def texts(self, name: str) -> list[str]:
        """The cells of a column as texts."""
        return [text_of(cell) for cell in self.column(name)]

    def having(self, values: Mapping[str, str]) -> Flags:
        """Which rows have these values in their columns, (people,). Raises
        `UnknownNameError`.
        """
        chosen = np.ones(self.people, dtype=bool)
        for name, value in values.items():
            texts = self.texts(name)
            if value not in texts:
                raise UnknownNameError(
                    value, dict.fromkeys(texts), f"a value of {name!r}"
                )
            chosen &= np.array([text == value for text in texts])
        return chosen


def columns_of(table: Table) -> dict[str, list[Any]]:
    """The columns of a table, by name. Raises `EstimateError` for what is no table."""
    if isinstance(table, str | os.PathLike):
        return _from_file(Path(table))
    if isinstance(table, Mapping):
        return _alike({str(name): _cells(column) for name, column in table.items()})
    names = getattr(table, "column_names", None)
    if names is None:
        names = getattr(table, "columns", None)
    if names is not None:
        return _alike({str(name): _cells(table[name]) for name in names})
    if isinstance(table, Iterable):
        return _from_rows([dict(row) for row in table])
    raise EstimateError(
        "expected a table: the path of a CSV or Parquet file, a frame, a mapping of "
        f"columns or rows; got something of type {type(table).__name__}"
    )


def report_bytes_of(cell: object, row: int) -> bytes:
    """The bytes of a report, from bytes or from the text that writes them."""
    if isinstance(cell, bytes | bytearray | memoryview):
        return bytes(cell)
    text = str(cell).strip()
    try:
        return bytes.fromhex(text)
    except ValueError:
        pass
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise EstimateError(
            f"row {row}: expected a report as bytes, hexadecimal or base64, got "
            "something else"
        ) from None


def _from_file(path: Path) -> dict[str, list[Any]]:
    if path.suffix == ".parquet":
        try:
            from pyarrow.parquet import read_table
        except ImportError:
            raise EstimateError(
                "expected pyarrow for Parquet files (pip install "
                '"ldpkit-aggregator[parquet]"); '
                "or give a CSV file"
            ) from None
        return columns_of(read_table(path))
    try:
        text = read_whole(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: expected UTF-8 text, got a stray byte at {error.start}"
        ) from None
    lines = list(csv_rows(text, str(path), _separator_of(text)))
    if not lines or len(set(lines[0])) < len(lines[0]):
        raise FileError(
            f"{path}: expected a header with names that differ in its first line"
        )
    header, *rows = [[cell.strip() for cell in line] for line in lines if line]
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise FileError(
                f"{path}: line {number}: expected {len(header)} cells, got {len(row)}"
            )
    return {name: [row[place] for row in rows] for place, name in enumerate(header)}


def _separator_of(text: str) -> str:
    """Return the separator of cells: spreadsheets of many countries write
    semicolons.
    """
    header = text.partition("\n")[0]
    return max(",;\t", key=header.count)


def _from_rows(rows: Sequence[Mapping[Any, Any]]) -> dict[str, list[Any]]:
    names = []
    if rows:
        names = list(rows[0])
    for number, row in enumerate(rows, 1):
        if set(row) != set(names):
            raise EstimateError(
                f"row {number}: expected the columns of row 1, got others"
            )
    return {str(name): [row[name] for row in rows] for name in names}


def _alike(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        rows = ", ".join(f"{count:,} rows of {name}" for name, count in lengths.items())
        raise EstimateError(f"expected columns of one length, got {rows}")
    return columns


def _cells(column: Any) -> list[Any]:
    for way in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, way):
            return list(getattr(column, way)())
    return list(column)
