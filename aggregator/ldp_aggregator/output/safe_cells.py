"""Cells of CSV that programs for tables take for text, whatever respondents wrote.

Spreadsheets run what begins with = + - or @, and with a tab or a carriage return before
them; and a control character hides what stands beside it. Texts that begin so get an
apostrophe in front, as spreadsheets write it themselves; control characters are written
as Python escapes them. Numbers stay numbers, also those that are given as text.
"""

from __future__ import annotations

import re
from typing import TypeVar

Cell = TypeVar("Cell")

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_RUN = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def safe_cell(cell: Cell) -> Cell | str:
    """The cell as it may be written."""
    if not isinstance(cell, str) or _NUMBER.fullmatch(cell):
        return cell
    text = printable(cell)
    if _RUN.match(cell) or _RUN.match(text):
        return f"'{text}"
    return text


def printable(text: str) -> str:
    """The text with control characters, and what else cannot be seen, as escapes."""
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii")
        for sign in text
    )
