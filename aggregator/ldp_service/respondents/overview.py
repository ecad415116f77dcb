"""Respondents' page as analysts see it: links, QR codes, and the response by day.

None of it knows an answer, or who (`response`).
"""

from __future__ import annotations

import csv
import io
from urllib.parse import quote

from ldp_aggregator.output.markup import Safe, join, tag
from ldp_service.page.markup.elements import row, table
from ldp_service.page.markup.qr_codes import CodeError, as_svg
from ldp_service.respondents.response import ResponseDay, response
from ldp_service.service import Service
from ldp_service.uploads.public import Public, link_of

_HEAD = ("day", "shown", "begun", "answered", "batches")
_MEANING = (
    "Days are those of UTC; of a survey with epochs, those on which one began. Shown, "
    "begun: what pages say of themselves. Answered: the most batches of any one "
    "question, or of questions that are answered together. Batches: all that were "
    "counted, in whichever way they came."
)


def overview(service: Service, public: Public, base: str) -> str:
    """The page."""
    parts = join(_survey(service, public, name, base=base) for name in public.files)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", "Respondents"),
        tag("link", rel="icon", href="data:,"),
        *(
            tag("link", rel="stylesheet", href=f"page/{name}.css")
            for name in ("chart", "page")
        ),
    )
    way = tag("nav", tag("a", "To the estimates", href="./"), aria_label="Pages")
    main = tag("main", tag("h1", "Respondents"), parts, id="main")
    body = tag("body", tag("header", way), main)
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def response_table(service: Service, public: Public, name: str) -> str:
    """The response of a survey by day or epoch, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(ResponseDay._fields)
    writer.writerows(response(service, public, name))
    return out.getvalue()


def _survey(service: Service, public: Public, name: str, *, base: str) -> Safe:
    address = link_of(base, name)
    rows = [
        row(day, *map(str, counts)) for day, *counts in response(service, public, name)
    ]
    own = f"respondents.csv?survey={quote(name)}"
    return tag(
        "section",
        tag("h2", public.titles.get(name, name)),
        tag("p", tag("a", address, href=f"s/{quote(name)}/")),
        _code(address),
        table("Response", _HEAD, rows)
        if rows
        else tag("p", "Nobody has been shown it yet."),
        tag("p", _MEANING, class_="note"),
        tag("p", tag("a", "Download as CSV", href=own)),
        class_="question",
    )


def _code(address: str) -> Safe:
    try:
        return as_svg(address, f"QR code of {address}")
    except CodeError as error:
        return tag("p", str(error), class_="note")
