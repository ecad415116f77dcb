"""What someone had better look at, at the top of a page."""

from __future__ import annotations

from collections.abc import Sequence

from ldp_service.page.markup.tags import Safe, tag
from ldp_service.page.views.alarms import Alarm


def alarm_list(alarms: Sequence[Alarm], page: str = "") -> Safe:
    """A list with links to where there is more, on this page or on another; nothing without any."""
    if not alarms:
        return Safe("")
    rows = [
        tag(
            "li",
            tag("a", alarm.words, href=f"{page}#{alarm.place}") if alarm.place else alarm.words,
        )
        for alarm in alarms
    ]
    return tag("ul", *rows, class_="alarms", aria_label="Alarms")
