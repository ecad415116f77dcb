"""What analysts see of the respondents' page: links, QR codes, and the response by day.

Shown and begun are what pages said of themselves; sent are batches that were counted, which nobody
can raise without answering. None of it knows an answer, or who.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from urllib.parse import quote

from ldp_aggregator.service.page.markup.elements import row, table
from ldp_aggregator.service.page.markup.tags import Safe, joined, tag
from ldp_aggregator.service.respondents.cards import CodeError, as_svg
from ldp_aggregator.service.service import Service
from ldp_aggregator.service.store.records import Epoch
from ldp_aggregator.service.uploads.public import SHOWN, STARTED, Public
from ldp_aggregator.tallies.tally import ACCEPTED

_HEAD = ("day or epoch (UTC)", "shown", "begun", "batches counted")


def address_of(base: str, name: str) -> str:
    """The link of a survey's page."""
    return f"{base}/s/{quote(name)}/"


def overview(service: Service, public: Public, base: str) -> str:
    """The page."""
    parts = joined(_survey(service, public, name, base=base) for name in public.files)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", "Respondents"),
        tag("link", rel="icon", href="data:,"),
        *(tag("link", rel="stylesheet", href=f"page/{name}.css") for name in ("chart", "page")),
    )
    way = tag("nav", tag("a", "To the estimates", href="./"), aria_label="Pages")
    main = tag("main", tag("h1", "Respondents"), parts, id="main")
    body = tag("body", tag("header", way), main)
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def response_table(service: Service, public: Public, name: str) -> str:
    """The response of a survey by day or epoch, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("day", SHOWN, STARTED, "counted"))
    writer.writerows(_response(service, public, name))
    return out.getvalue()


def _survey(service: Service, public: Public, name: str, *, base: str) -> Safe:
    address = address_of(base, name)
    rows = [row(day, *map(str, counts)) for day, *counts in _response(service, public, name)]
    own = f"respondents.csv?survey={quote(name)}"
    return tag(
        "section",
        tag("h2", public.titles.get(name, name)),
        tag("p", tag("a", address, href=f"s/{quote(name)}/")),
        _code(address),
        table("Response", _HEAD, rows) if rows else tag("p", "Nobody has been shown it yet."),
        tag("p", tag("a", "Download as CSV", href=own)),
        class_="question",
    )


def _code(address: str) -> Safe:
    try:
        return as_svg(address, f"QR code of {address}")
    except CodeError as error:
        return tag("p", str(error), class_="note")


def _response(service: Service, public: Public, name: str) -> list[tuple[str, int, int, int]]:
    """Day, shown, begun and counted; batches of a survey without epochs stand in a row of all."""
    days = public.reach.by_day(name)
    counted = _counted(service, name)
    rows = []
    for day in sorted({*days, *counted}):
        steps = days.get(day, {})
        rows.append((day, steps.get(SHOWN, 0), steps.get(STARTED, 0), counted.get(day, 0)))
    return rows


def _counted(service: Service, name: str) -> Counter[str]:
    """Batches that were counted, by the day on which their epoch began, or in all."""
    counted: Counter[str] = Counter()
    for served in service.catalogue.by_name[name]:
        for epoch, outcomes in service.analysis.outcomes(served).items():
            counted[_day(epoch)] += outcomes[ACCEPTED]
    return counted


def _day(epoch: Epoch) -> str:
    from datetime import UTC, datetime

    if not epoch.length:
        return "whole time"
    return datetime.fromtimestamp(epoch.start, UTC).date().isoformat()
