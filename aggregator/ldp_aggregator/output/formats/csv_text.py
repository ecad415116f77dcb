"""Flat records as CSV, with a header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from ldp_aggregator.output.safe_cells import safe_cell
from ldp_aggregator.output.sheet import Sheet, blanks


def write(sheet: Sheet) -> Iterator[str]:
    """One line for each record; lines end as on Unix, and where there is no number is
    nothing.

    Texts that a spreadsheet would run are made safe (`safe_cells`).
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(safe_cell, sheet.columns))
    writer.writerows([safe_cell(cell) for cell in blanks(row)] for row in sheet.rows())
    yield text.getvalue()
