"""Flat records as a Parquet file."""

from __future__ import annotations

import io

from ldp.errors import EstimateError
from ldp_aggregator.rendering.sheet import Sheet


def write(sheet: Sheet) -> bytes:
    """One row for each record. Raises `EstimateError` if pyarrow is not there."""
    try:
        from pyarrow import array, table
        from pyarrow.parquet import write_table
    except ImportError:
        raise EstimateError(
            "expected pyarrow for Parquet, found none; install it with "
            'pip install "ldpkit-aggregator[parquet]", or ask for csv'
        ) from None
    rows = list(sheet.rows())
    columns = [array([row[place] for row in rows]) for place in range(len(sheet.columns))]
    file = io.BytesIO()
    write_table(table(columns, names=list(sheet.columns)), file)
    return file.getvalue()
