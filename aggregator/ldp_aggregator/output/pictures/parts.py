"""Parts of all pictures: titles, ticks, labels, ranges.

Rules
- Places across are percentages, so that a picture fills whatever width it gets while
  its letters keep their size.
- Colours come from chart.css, by class; a picture that stands alone brings the file
  with it.
- A picture has a title and a description; its numbers are in the table beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ldp_aggregator.output.markup import Safe, join, tag
from ldp_aggregator.output.people import tick_text
from ldp_aggregator.output.pictures.scale import AxisScale

STYLE = Path(__file__).parents[1] / "templates" / "chart.css"
_LONGEST = 60
_NEAR_AN_END = 0.04


class Drawing(NamedTuple):
    """The parts of a picture, how high it is, and what it shows in words."""

    parts: Sequence[Safe]
    height: float
    words: str


def picture_of(
    name: str, title: str, drawing: Drawing, *, width: int | str = "100%"
) -> Safe:
    """Return a drawing as a picture, with its title and its description."""
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", drawing.words, id=f"{name}-text"),
        *drawing.parts,
        xmlns="http://www.w3.org/2000/svg",
        class_="chart",
        role="img",
        aria_labelledby=f"{name}-title",
        aria_describedby=f"{name}-text",
        width=width,
        height=drawing.height,
    )


def cut(text: str, most: int = _LONGEST) -> str:
    """Return the beginning of a long text."""
    if len(text) <= most:
        return text
    return text[: most - 1] + "…"


def label_of(value: str, top: float) -> Safe:
    """Return the name of what is drawn below; it is cut off in a box of its own if too
    long.
    """
    return tag(
        "svg", tag("text", cut(value), x=3, y=14), x="1%", y=top, width="60%", height=18
    )


def whisker(
    start: tuple[str, float], end: tuple[str, float], *, cap: float = 0
) -> list[Safe]:
    """Return a line; with `cap`, an upright one at both ends, as error bars have
    them.
    """
    lines = [
        tag("line", class_="whisker", x1=start[0], y1=start[1], x2=end[0], y2=end[1])
    ]
    for x, y in (start, end) if cap else ():
        lines.append(tag("line", class_="whisker", x1=x, x2=x, y1=y - cap, y2=y + cap))
    return lines


def ticks_at(scale: AxisScale, bottom: float, unit: str) -> list[Safe]:
    """Return a line down to the axis below for each tick, and its number there."""
    lines = []
    for tick in scale.ticks:
        x = scale.percent(tick)
        lines.append(tag("line", class_=grid_of(tick), x1=x, x2=x, y1=0, y2=bottom + 4))
        lines.append(number_below(scale, tick, bottom + 18, unit=unit))
    return lines


def number_below(scale: AxisScale, tick: float, y: float, unit: str = "") -> Safe:
    """Return a number of the axis below; near an end it stays within the picture."""
    share = scale.share(tick)
    anchor = "start" if share < _NEAR_AN_END else "middle"
    anchor = "end" if share > 1 - _NEAR_AN_END else anchor
    x, words = scale.percent(tick), tick_text(tick, unit)
    return tag("text", words, class_="tick", x=x, y=y, text_anchor=anchor)


def grid_of(tick: float) -> str:
    """Return the class of a line at a number."""
    if tick:
        return "grid"
    return "zero"


def key(entries: Sequence[tuple[Safe, str]], top: float) -> Safe:
    """Return what signs stand for, below a picture: a sign 20 wide, and its words."""
    groups = []
    left = 4
    for sign, words in entries:
        text = tag("text", words, class_="tick", x=left + 22, y=top + 14)
        groups.append(
            tag("g", tag("svg", sign, x=left, y=top, width=20, height=20), text)
        )
        left += 46 + 7 * len(words)
    return join(groups)
