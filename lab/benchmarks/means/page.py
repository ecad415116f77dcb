"""Tables in docs/numbers-measured.md, between two markers: the least figure of each is
bold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

_NAMES = 2
"""Columns of a row before its figures."""


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    compared: bool = True,
    first: Sequence[str] = ("---:", "---"),
) -> str:
    """Markdown, with a rule below the headings; the rows are emphasized if they are
    compared.

    `first` is the rule of the columns before the figures.
    """
    rule = [*first, *["---:"] * (len(headings) - len(first))]
    shown = [emphasized(row, rows) if compared else row for row in rows]
    lines = [headings, rule, *shown]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def emphasized(row: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A row whose figures are bold where no other of its epsilon is less; words stay
    plain.
    """
    beside = [other for other in rows if other[0] == row[0]]
    cells = list(row[:_NAMES])
    for place in range(_NAMES, len(row)):
        least = min(_figure(other[place]) for other in beside)
        is_least = _figure(row[place]) == least < math.inf
        cells.append(f"**{row[place]}**" if is_least else row[place])
    return cells


def _figure(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.inf


def replaced(page: str, text: str, mark: str = "measured") -> str:
    """The page with a text between its markers."""
    between = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", re.DOTALL)
    if len(between.findall(page)) != 1:
        raise ValueError(
            f"expected one place between <!-- {mark} --> and <!-- /{mark} -->"
        )
    return between.sub(lambda place: f"{place[1]}{text}{place[2]}", page)
