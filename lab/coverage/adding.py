"""Rows of what is new in the grid, put into a page that has all others already.

What was measured before stays as it was written, rows and all, so that a mechanism can
be added without measuring what did not change. The introduction sums up both, and
claims of new cells are judged among the comparisons of both. A table that is over all
rows together stays that of those that were there, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lab.coverage.cells import Cell
from lab.coverage.page import (
    ALL_TOGETHER,
    SECTIONS,
    TITLE_OF_VERDICT,
    Sums,
    introduction,
)
from ldp.errors import LDPError

_BETWEEN = "\n\n\n## "
"""Before the title of a section."""
_HEAD = 2
"""Lines of a table before its rows: headings and rule."""
_SUMS = {
    "surveys": r"no one holds: ([\d,]+)",
    "cells": r"simulated surveys of two parts each, in ([\d,]+) cells",
    "comparisons": r"by all ([\d,]+) comparisons",
    "most": r"In a cell of ([\d,]+) surveys this",
    "least": r"In a cell of ([\d,]+) surveys it",
}
"""Where an introduction says each."""


class PageError(LDPError, ValueError):
    """A page that nothing can be added to."""


def sums_of(page: str) -> Sums:
    """What a page is made of, as its introduction says. Raises `PageError`."""
    matches = {name: re.search(pattern, page) for name, pattern in _SUMS.items()}
    numbers = {
        name: int(match[1].replace(",", ""))
        for name, match in matches.items()
        if match is not None
    }
    if len(numbers) < len(_SUMS):
        raise PageError(
            "expected a page that this command has written, with its introduction; "
            "write it whole"
        )
    return Sums(**numbers)


def lacking(page: str, every: Sequence[Cell]) -> list[Cell]:
    """The cells of rows that a page does not have."""
    sections = _sections(page)
    rows = {
        (section.kind, line.split(" | ")[0].removeprefix("| "))
        for section in SECTIONS
        for line in _rows(sections.get(section.title, ""))
    }
    kinds = {section.kind for section in SECTIONS}
    return [
        cell
        for cell in every
        if cell.kind in kinds and (cell.kind, cell.mechanism) not in rows
    ]


def added(page: str, fresh: str, sums: Sums) -> str:
    """A page with the rows of another, of other mechanisms; `sums` are those of
    both.
    """
    old, new = _sections(page), _sections(fresh)
    parts = [introduction(sums).rstrip("\n")]
    titles = dict.fromkeys([*(section.title for section in SECTIONS), *list(old)[1:]])
    for title in titles:
        if title == TITLE_OF_VERDICT:
            body = _verdict(old[title], new[title], sums.comparisons)
        elif title == ALL_TOGETHER and title in new:
            names = ", ".join(_names(new[SECTIONS[0].title]))
            body = f"{old[title]}\n\nWithout what was measured later: {names}."
        elif title in old and title in new:
            body = _joined(title, old[title], new[title])
        else:
            body = old.get(title) or new.get(title, "")
        if body:
            parts.append(f"{title}\n\n{body}")
    return _BETWEEN.join(parts) + "\n"


def _sections(page: str) -> dict[str, str]:
    """By title what is below it; the introduction has none."""
    first, *others = page.rstrip("\n").split(_BETWEEN)
    return {"": first} | {
        title: body for title, _, body in (other.partition("\n\n") for other in others)
    }


def _table(body: str) -> list[str]:
    return [line for line in body.splitlines() if line.startswith("|")]


def _rows(body: str) -> list[str]:
    return _table(body)[_HEAD:]


def _names(body: str) -> list[str]:
    return [line.split(" | ")[0].removeprefix("| ") for line in _rows(body)]


def _joined(title: str, old: str, new: str) -> str:
    """The rows of one table below those of the other."""
    if _table(old)[:1] != _table(new)[:1]:
        raise PageError(
            f"expected the same columns under {title!r} as there are, got others; "
            "write the page whole"
        )
    return "\n".join([old, *_rows(new)])


def _verdict(old: str, new: str, comparisons: int) -> str:
    """All that is broken, or that nothing is."""
    broken = [
        line
        for body in (old, new)
        for line in body.splitlines()
        if line.startswith("- ")
    ]
    return (
        "\n".join(broken) or f"None of the {comparisons:,} comparisons breaks a claim."
    )
