"""The measurements as a Markdown page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import fill

from lab.changes.parts import Measured, Part, Row, broken

NOTHING = ""
_MOST_OF_A_SHARE = 1 + 1e-9

_HEAD = """# Coverage of contrasts, comparisons and trends

Tallies are drawn from their exact law, then queried, compared or followed over time. The tables
show the share of runs in which 95 % intervals hold the truth and in which tests find a difference.
Three claims are tested:

- Intervals and bands hold in .94 to .96 of all cases, or more if the table says so.
- Tests at .05 find a difference that is not there in .04 to .06 of all cases.
- Alarms at a rate of .05 are false in .05 at most.

`python -m lab.changes` writes this page. It exits with 1 if a claim is broken by more than chance
would once in a million. Every row has random numbers of its own.
"""


def page(parts: Sequence[Measured]) -> str:
    """The page."""
    sections = "\n".join(f"{_opening(known)}\n{table(known)}" for known in parts)
    wrong = [f"- {claim}" for known in parts for claim in broken(known)]
    verdict = "\n".join(wrong) or "All that is claimed holds."
    return f"{_HEAD}\n{sections}\n## What does not hold\n\n{verdict}\n"


def table(known: Measured) -> str:
    """A row for each cell."""
    lines = [*heading(known.part)]
    for name, row in known.rows.items():
        lines.append(_line([name, *(_cell(row, what) for what in known.part.columns)]))
    return "\n".join(lines) + "\n"


def heading(part: Part) -> Iterator[str]:
    """The first two lines of a table."""
    yield _line(["", *part.columns])
    yield _line(["---"] * (1 + len(part.columns)))


def _opening(known: Measured) -> str:
    """The title, what is measured, how often, and what chance makes of it."""
    chance = math.sqrt(0.95 * 0.05 / known.runs)
    words = (
        f"{known.part.words} {known.runs:,} runs each: a share of .95 has a standard "
        "error of "
    )
    return f"## {known.part.title}\n\n{fill(f'{words}{chance:.4f} at most.', 100)}\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(row: Row, what: str) -> str:
    number = row.get(what, math.nan)
    if math.isnan(number):
        return NOTHING
    return f"{number:.1f}" if number > _MOST_OF_A_SHARE else f"{number:.3f}"
