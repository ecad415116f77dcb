r"""Comma-separated cells from a text that people wrote.

Lines end at \n, \r\n and \r alone, whichever system wrote them. What `csv` cannot read
(a cell beyond its limit, say) is an error like any other.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from ldp.errors import EstimateError


def csv_rows(text: str, place: str = "", separator: str = ",") -> Iterator[list[str]]:
    """The rows of a text. Raises `EstimateError`, which names the `place`, if there is
    one.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        yield from reader
    except csv.Error as error:
        where = (
            f"{place}: line {reader.line_num}" if place else f"line {reader.line_num}"
        )
        raise EstimateError(
            f"{where}: expected comma-separated cells, got {error}"
        ) from None
