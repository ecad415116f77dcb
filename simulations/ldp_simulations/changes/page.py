"""The measurements as Markdown tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NOTHING = ""


def table(rows: Mapping[str, Mapping[str, float]], columns: Sequence[str]) -> str:
    """A row for each cell."""
    lines = [_line(["", *columns]), _line(["---"] * (1 + len(columns)))]
    lines += [
        _line([name, *(_cell(cells, what) for what in columns)]) for name, cells in rows.items()
    ]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cells: Mapping[str, float], what: str) -> str:
    if what not in cells:
        return NOTHING
    number = cells[what]
    return f"{number:.1f}" if number > 1 else f"{number:.3f}"
