"""Flat records as a Parquet file."""

from __future__ import annotations

import io

from ldp.errors import EstimateError
from ldp_aggregator.output.sheet import Sheet, blanks


def write(sheet: Sheet) -> bytes:
    """One row for each record, with nulls where there is no number.

    Raises `EstimateError` if pyarrow is not there.
    """
    try:
        from pyarrow import array, float64, null, table
        from pyarrow.parquet import write_table
    except ImportError:
        raise EstimateError(
            "expected pyarrow for Parquet, found none; install it with "
            'pip install "ldpkit-aggregator[parquet]", or ask for csv'
        ) from None
    rows = [blanks(row) for row in sheet.rows()]
    columns = [
        array([row[place] for row in rows]) for place in range(len(sheet.columns))
    ]
    # A column without any number is one of numbers all the same.
    columns = [
        column.cast(float64()) if column.type == null() else column
        for column in columns
    ]
    file = io.BytesIO()
    write_table(table(columns, names=list(sheet.columns)), file)
    return file.getvalue()
