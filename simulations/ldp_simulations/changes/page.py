"""The measurements as Markdown tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

NOTHING = ""


def table(rows: Mapping[str, Mapping[str, float]], columns: Sequence[str]) -> str:
    """A row for each cell."""
    lines = [_line(["", *columns]), _line(["---"] * (1 + len(columns)))]
    for name, cells in rows.items():
        lines.append(_line([name, *(_cell(cells, what) for what in columns)]))
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cells: Mapping[str, float], what: str) -> str:
    if math.isnan(cells.get(what, math.nan)):
        return NOTHING
    number = cells[what]
    return f"{number:.1f}" if number > 1 else f"{number:.3f}"
