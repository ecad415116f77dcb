"""HTML: tables for notebooks, and self-contained pages, in which all text is escaped.

They have no scripts, and nothing is fetched from elsewhere.
"""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence

from ldp_aggregator.output.sheet import Sheet, TextTable, in_one_line

_STYLE = """
:root { color-scheme: light dark; --line: #8884; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
table { display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem; text-align: right; }
th:first-child, td:first-child { text-align: left; }
figure { margin: 1rem 0; background: #fff; padding: .5rem; }
figure svg { width: 100%; height: auto; }
.missed { font-weight: bold; }
"""


def write(sheet: Sheet) -> Iterator[str]:
    """The sentences and tables of a sheet as a page."""
    tables = "".join(f"{heading(text_table)}{section(text_table)}" for text_table in sheet.tables())
    legend = "".join(map(paragraph, sheet.legend))
    yield page(sheet.title, "".join(map(paragraph, sheet.lead)) + tables + legend)


def image(svg: bytes, words: str) -> str:
    """A picture within a notebook: as data, so that it runs nothing and nothing is fetched."""
    data = b64encode(svg).decode()
    return f'<img alt="{html.escape(words)}" src="data:image/svg+xml;base64,{data}">'


def heading(text_table: TextTable) -> str:
    """What a table is of, as a heading of a page; nothing if the page says it."""
    return f"<h2>{html.escape(text_table.title)}</h2>" if text_table.title else ""


def section(text_table: TextTable) -> str:
    """What the numbers of a table are, the table, and its remarks."""
    parts = [paragraph(text_table.caption)] if text_table.caption else []
    parts.append(table(text_table.headings, text_table.rows))
    return "".join([*parts, *map(paragraph, text_table.remarks)])


def captioned(text_table: TextTable) -> str:
    """A table alone, for notebooks: what is said beside it is its caption."""
    text = html.escape(" ".join([text_table.caption, *text_table.remarks]))
    caption = f"<caption><b>{html.escape(text_table.title)}</b> {text}</caption>"
    return table(text_table.headings, text_table.rows, caption=caption)


def page(title: str, body: str, style: str = "") -> str:
    """A page; `style` is added to that of all pages."""
    name = html.escape(title)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}{style}</style></head><body>"
        f"<h1>{name}</h1>{body}</body></html>\n"
    )


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    pictures: Sequence[str] = (),
    *,
    caption: str = "",
) -> str:
    """Rows under headings; where there are pictures, each row ends with one of them.

    Pictures and the caption are HTML already.
    """
    head = "".join(f"<th>{html.escape(in_one_line(cell))}</th>" for cell in headings)
    drawn = [f"<td>{picture}</td>" for picture in pictures]
    lines = []
    for index, row in enumerate(rows):
        cells = [f"<td>{html.escape(cell)}</td>" for cell in row] + drawn[index : index + 1]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    body = "".join(lines)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def paragraph(text: str) -> str:
    """Text as it stands."""
    return f"<p>{html.escape(text)}</p>"
