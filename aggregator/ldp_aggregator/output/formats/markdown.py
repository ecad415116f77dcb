r"""Tables as Markdown, as GitHub and most others show them.

What people wrote is shown as it is: characters that would begin markup have a backslash
before them. Control characters are written by their numbers, as in `columns`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ldp_aggregator.output.columns import printable
from ldp_aggregator.output.sheet import Sheet, TextTable, in_one_line

_MARKUP = re.compile(r"[\\`*_<>|&~#]|!(?=\[)|(?<=\])[(\[:]")
"""Brackets alone are no link, so intervals stay as they are."""


def write(sheet: Sheet) -> Iterator[str]:
    """The sentences and tables of a sheet under headings, with empty lines between
    them.
    """
    yield f"# {_text(sheet.title)}\n"
    yield from _paragraphs(sheet.lead)
    for text_table in sheet.tables():
        if text_table.title:
            yield f"\n## {_text(text_table.title)}\n"
        yield from _paragraphs(text_table.caption.splitlines())
        yield f"\n{table(text_table)}"
        yield from _paragraphs(text_table.remarks)
    yield from _paragraphs(sheet.legend)


def table(text_table: TextTable) -> str:
    """Headings and rows; the first column stands to the left, the others to the
    right.
    """
    headings = [in_one_line(heading) for heading in text_table.headings]
    rule = "|".join([":--", *["--:"] * (len(headings) - 1)])
    lines = [_row(headings), f"|{rule}|\n", *map(_row, text_table.rows)]
    return "".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_text, cells))} |\n"


def _paragraphs(sentences: Iterable[str]) -> Iterator[str]:
    return (f"\n{_text(sentence)}\n" for sentence in sentences)


def _text(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", printable(text))
