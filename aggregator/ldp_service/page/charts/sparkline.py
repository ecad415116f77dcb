"""How many reports came in each epoch, small enough for a table."""

from __future__ import annotations

from collections.abc import Sequence

from ldp_aggregator.output.markup import Safe, tag
from ldp_aggregator.output.pictures.parts import Drawing, picture_of
from ldp_service.page.views.series import when
from ldp_service.store.records import Epoch

_HEIGHT = 32
MOST = 40
"""The last epochs."""


def sparkline(name: str, epochs: Sequence[tuple[Epoch, int]]) -> Safe:
    """A column for each epoch from the first to the last of those shown, gaps
    included.
    """
    shown = epochs[-MOST:]
    first, last = shown[0][0].number, shown[-1][0].number
    first = max(first, last - MOST + 1)
    many = last - first + 1
    most = max(reports for _, reports in shown)
    columns = [
        tag(
            "rect",
            class_="bar",
            x=f"{100 * (epoch.number - first) / many:.2f}%",
            y=round(_HEIGHT * (1 - reports / most), 2),
            width=f"{80 / many:.2f}%",
            height=round(_HEIGHT * reports / most, 2),
        )
        for epoch, reports in shown
        if epoch.number >= first and most
    ]
    words = (
        f"From {when(shown[0][0])} to {when(shown[-1][0])}, at most {most:,} in one "
        "epoch."
    )
    drawing = Drawing(columns, _HEIGHT, words)
    return picture_of(f"growth-{name}", f"{name}: reports by epoch", drawing)
