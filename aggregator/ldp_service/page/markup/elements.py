"""Parts of every section: numbers, tables, counts of things.

Rules
- A number of an estimate is a `data` element, whose value is what the API gives, to the
  last digit.
- Tables have captions, and scroll in a box of their own.
- What respondents wrote is isolated (`bdi`), so that its direction does not turn what
  stands around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ldp_aggregator.output.markup import Safe, tag
from ldp_aggregator.output.sheet import TextTable, in_one_line


def number(shown: str, exact: float) -> Safe:
    """A number as it is shown, with what it is exactly."""
    return tag("data", shown, value=repr(exact))


def row(heading: str, *cells: str) -> Safe:
    """A row of a table; its heading may be what a respondent wrote."""
    return tag(
        "tr",
        tag("th", tag("bdi", heading), scope="row"),
        *(tag("td", cell) for cell in cells),
    )


def table(
    caption: str, head: Sequence[str], rows: Iterable[Safe], **attributes: str | None
) -> Safe:
    """A table; with the class `worded`, its last column holds sentences."""
    headings = tag(
        "thead", tag("tr", *(tag("th", tag("bdi", cell), scope="col") for cell in head))
    )
    element = tag(
        "table", tag("caption", caption), headings, tag("tbody", *rows), **attributes
    )
    # People with only a keyboard have to reach what overflows.
    return tag(
        "div", element, class_="scroll", tabindex=0, role="region", aria_label=caption
    )


def text_table(shown: TextTable, name: str = "") -> Safe:
    """A table that results show elsewhere as well."""
    head = [in_one_line(heading) for heading in shown.headings]
    rows = (row(cells[0], *cells[1:]) for cells in shown.rows)
    return table(f"{shown.title}: {shown.caption}", head, rows, id=name or None)


def many(count: int, noun: str) -> str:
    """A number of things, in words."""
    if count == 1:
        return f"{count:,} {noun}"
    return f"{count:,} {noun}s"
