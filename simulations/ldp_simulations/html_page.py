"""Self-contained HTML pages: no scripts, nothing fetched from elsewhere."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

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


def page(title: str, body: str, style: str = "") -> str:
    """A page; `style` is added to that of all pages."""
    name = html.escape(title)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}{style}</style></head><body>'
        f"<h1>{name}</h1>{body}</body></html>\n"
    )


def table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], pictures: Sequence[str] = ()
) -> str:
    """Rows under headings; where there are pictures, each row ends with one of them."""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in headings)
    drawn = [f"<td>{picture}</td>" for picture in pictures]
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}{drawn[index] if drawn else ''}</tr>"
        for index, row in enumerate(rows)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def paragraph(text: str) -> str:
    """Text as it stands."""
    return f"<p>{html.escape(text)}</p>"
