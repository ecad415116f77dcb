"""The part of the page that shows uploads of developers, as they come."""

from __future__ import annotations

from datetime import UTC, datetime

from ldp_service.page.markup.elements import many
from ldp_service.page.markup.tags import Safe, tag
from ldp_service.page.views.service import ServiceView
from ldp_service.uploads.debugging import DebugUpload

_NONE = "None yet: uploads with the header LDP-Debug-Tag are shown here, and not counted."
_SOME = "Uploads with the header LDP-Debug-Tag, the last one first. None of them is counted."


def debug_section(view: ServiceView) -> Safe | str:
    """The uploads of developers; nothing where the service was not started for them."""
    if view.debug is None:
        return ""
    heading = tag("h2", "Uploads of developers", id="heading-debug")
    note = tag("p", _SOME if view.debug else _NONE, class_="note")
    uploads = (_upload(upload) for upload in view.debug)
    return tag("section", heading, note, *uploads, id="debug", aria_labelledby="heading-debug")


def _upload(upload: DebugUpload) -> Safe:
    time = datetime.fromtimestamp(upload.seconds, UTC).strftime("%H:%M:%S UTC")
    summary = f"{upload.tag}, {time}, {many(upload.size, 'byte')}"
    # Texts of surveys and of the upload: escaped like all others.
    return tag("details", tag("summary", summary), tag("pre", "\n".join(upload.lines)), open=True)
