"""The table in docs/numbers.md: between two markers, the least of each column and epsilon bold."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PLACE = re.compile(r"(<!-- measured -->\n).*?(<!-- /measured -->)", re.DOTALL)
_NAMES = 2
"""Columns of a row before its figures."""


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown, with a rule below the headings."""
    rule = ["---:", "---", *["---:"] * (len(headings) - _NAMES)]
    lines = [headings, rule, *(emphasized(row, rows) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def emphasized(row: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A row whose figures are bold where no other of its epsilon is less."""
    beside = [other for other in rows if other[0] == row[0]]
    cells = list(row[:_NAMES])
    for place in range(_NAMES, len(row)):
        least = min(float(other[place]) for other in beside)
        cells.append(f"**{row[place]}**" if float(row[place]) == least else row[place])
    return cells


def replaced(page: str, text: str) -> str:
    """The page with a text between its markers."""
    if len(_PLACE.findall(page)) != 1:
        raise ValueError("expected one place between <!-- measured --> and <!-- /measured -->")
    return _PLACE.sub(lambda place: f"{place[1]}{text}{place[2]}", page)
