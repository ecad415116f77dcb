"""Flat records as CSV, with a header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from ldp_aggregator.rendering.sheet import Sheet, blanks


def write(sheet: Sheet) -> Iterator[str]:
    """One line for each record; lines end as on Unix, and where there is no number is nothing."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(sheet.columns)
    writer.writerows(map(blanks, sheet.rows()))
    yield text.getvalue()
