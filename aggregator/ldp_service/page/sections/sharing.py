"""Links to what is shown, code to frame it elsewhere, and the notes of the operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from ldp_service.analysis.notes import Note
from ldp_service.page.markup.elements import row, table
from ldp_service.page.markup.tags import Safe, tag
from ldp_service.page.views.asked import Asked
from ldp_service.page.views.service import ServiceView


def sharing(service: ServiceView, asked: Asked) -> Safe:
    """A section with the address of this very view, and what a page that frames a question needs.

    Buttons to copy and to print are shown by the script; the texts can be copied by hand.
    """
    address = f"{service.url}?{urlencode(asked.query())}"
    return tag(
        "section",
        tag("h2", "Share", id="heading-share"),
        tag("p", "This view, with all that was chosen, for who may sign in:"),
        _text("share-link", address, "Address of this view"),
        tag("button", "Print", type="button", id="print", hidden=True),
        *(_frames(service, asked) if service.frames else ()),
        class_="question share",
        aria_labelledby="heading-share",
    )


def _frames(service: ServiceView, asked: Asked) -> Iterator[Safe]:
    names = asked.names or tuple(question.name for question in asked.served.survey)
    query = asked.query(question=names[0], over_time=None)
    address = f"{service.url}embed?{urlencode(query)}"
    # Text from here on, to be shown letter by letter.
    code = str(tag("iframe", src=address, title=names[0], width="100%", height=480))
    yield tag("p", f"{names[0]} in a page of an origin that may frame it:")
    yield _text("share-frame", code, "Code of a frame")


def _text(name: str, content: str, label: str) -> Safe:
    field = tag("input", id=name, value=content, readonly=True, aria_label=label, class_="shared")
    copy = tag("button", "Copy", type="button", data_copies=name, hidden=True)
    return tag("p", field, " ", copy, class_="line")


def notes_section(notes: Sequence[Note]) -> Safe:
    """The notes of a survey in the order of time, the last one first."""
    if not notes:
        return Safe("")
    rows = [row(note.day, note.question or "all", note.text) for note in reversed(notes)]
    return tag(
        "section",
        tag("h2", "Notes", id="heading-notes"),
        table("What the operator noted, UTC", ("date", "question", "note"), rows, class_="worded"),
        class_="question",
        aria_labelledby="heading-notes",
    )
