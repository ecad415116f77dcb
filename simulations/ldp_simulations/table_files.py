"""Files of tables: CSV, and Parquet where pyarrow is installed, as rows of texts.

The first row has the names of the columns. What Parquet has for missing values, and
NaN, is an empty text; whole numbers that a library made floats of are written as whole
ones.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ldp.errors import LDPError
from ldp_aggregator.output.files import opened_text

PARQUET = ".parquet"


class TableFileError(LDPError, ValueError):
    """A file that holds no table, or none that can be read here."""


@contextmanager
def table_rows(path: Path) -> Iterator[Iterator[list[str]]]:
    """The rows of a file, one by one, the names of the columns first.

    Raises what reading raises, and `TableFileError` for Parquet that cannot be read.
    """
    if path.suffix.lower() == PARQUET:
        yield _parquet_rows(path)
        return
    with opened_text(path) as file:
        yield csv.reader(file, strict=True)


def _parquet_rows(path: Path) -> Iterator[list[str]]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise TableFileError(
            f"expected pyarrow to read {path}, found none; install it with pip install "
            "pyarrow, or give a CSV file"
        ) from None
    try:
        with ParquetFile(path) as file:
            names = file.schema_arrow.names
            yield list(names)
            for batch in file.iter_batches():
                columns = [column.to_pylist() for column in batch.columns]
                for row in zip(*columns, strict=True):
                    yield [_text(cell) for cell in row]
    except ArrowException:
        # What Arrow says may quote what it read.
        raise TableFileError(
            f"expected a Parquet file, got something else: {path}"
        ) from None


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        if cell:
            return "true"
        return "false"
    if isinstance(cell, float):
        if math.isnan(cell):
            return ""
        if cell.is_integer():
            return str(int(cell))
        return repr(cell)
    return str(cell)
