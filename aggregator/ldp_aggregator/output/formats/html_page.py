"""HTML: tables for notebooks, and self-contained pages, in which all text is escaped.

They have no scripts, and nothing is fetched from elsewhere.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence

from ldp_aggregator.output.markup import Safe, join, tag
from ldp_aggregator.output.sheet import Sheet, TextTable, in_one_line


def write(sheet: Sheet) -> Iterator[str]:
    """Yield the sentences and tables of a sheet as a page."""
    tables = [
        part for shown in sheet.tables() for part in (heading(shown), section(shown))
    ]
    lead, legend = map(paragraph, sheet.lead), map(paragraph, sheet.legend)
    yield page(sheet.title, join([*lead, *tables, *legend]))


def image(svg: bytes, words: str) -> Safe:
    """Return a picture within a notebook: as data, so that it runs nothing and fetches
    nothing.
    """
    data = b64encode(svg).decode()
    return tag("img", alt=words, src=f"data:image/svg+xml;base64,{data}")


def heading(shown: TextTable) -> Safe:
    """Return what a table is of, as a heading of a page; nothing if the page says
    it.
    """
    if shown.title:
        return tag("h2", shown.title)
    return Safe("")


def section(shown: TextTable) -> Safe:
    """Return what the numbers of a table are, the table, and its remarks."""
    caption = []
    if shown.caption:
        caption = [paragraph(shown.caption)]
    remarks = map(paragraph, shown.remarks)
    return join([*caption, table(shown.headings, shown.rows), *remarks])


def table_with_caption(shown: TextTable) -> Safe:
    """Return a table alone, for notebooks: what is said beside it is its caption."""
    text = " ".join(["", shown.caption, *shown.remarks])
    return table(
        shown.headings, shown.rows, caption=tag("caption", tag("b", shown.title), text)
    )


def page(title: str, body: str, style: str = "") -> str:
    """Return a page of HTML; `style` is added to that of all pages."""
    from ldp_aggregator.output.templates import templates_of  # slow to import

    document = templates_of().get_template("document.html")
    return document.render(title=title, body=Safe(body), style=Safe(style))


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    pictures: Sequence[str] = (),
    *,
    caption: str = "",
) -> Safe:
    """Return rows under headings; where there are pictures, each row ends with one of
    them.
    """
    head = tag("tr", *(tag("th", in_one_line(cell)) for cell in headings))
    lines = []
    for index, row in enumerate(rows):
        cells = (*row, *map(Safe, pictures[index : index + 1]))
        lines.append(tag("tr", *(tag("td", cell) for cell in cells)))
    return tag("table", caption, tag("thead", head), tag("tbody", *lines))


def paragraph(text: str) -> Safe:
    """Return text as it stands."""
    return tag("p", text)
