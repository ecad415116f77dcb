"""What all pictures are made of.

Rules
- Places across are percentages, so that a picture fills whatever width it gets while its letters
  keep their size.
- Colours come from chart.css, by class; a picture that stands alone brings the file with it.
- A picture has a title and a description; its numbers are in the table beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ldp_service.page.charts.scale import Scale
from ldp_service.page.markup.tags import Safe, joined, tag

STATIC = Path(__file__).parent.parent / "static"
_LONGEST = 60
_NEAR_AN_END = 0.04


def picture_of(
    name: str,
    title: str,
    text: str,
    parts: Sequence[Safe],
    *,
    height: int,
    width: int | str = "100%",
) -> Safe:
    """A picture of parts, with its title and its description."""
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", text, id=f"{name}-text"),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        class_="chart",
        role="img",
        aria_labelledby=f"{name}-title",
        aria_describedby=f"{name}-text",
        width=width,
        height=height,
    )


def label_of(value: str, top: int, *, width: str = "80%") -> Safe:
    """The name of what is drawn below; cut off in a box of its own where it is too long."""
    short = value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
    return tag("svg", tag("text", short, x=3, y=14), x="1%", y=top, width=width, height=18)


def whisker(start: tuple[str, float], end: tuple[str, float], *, across: bool) -> list[Safe]:
    """A line with a short one at both ends, as error bars have them."""
    (x1, y1), (x2, y2) = start, end
    lines = [tag("line", class_="whisker", x1=x1, y1=y1, x2=x2, y2=y2)]
    if across:
        for x, y in (start, end):
            lines.append(tag("line", class_="whisker", x1=x, x2=x, y1=y - 4, y2=y + 4))
    return lines


def tick_at(scale: Scale, tick: float, bottom: int) -> Safe:
    """A line down to the axis below, and its number there."""
    x = scale.percent(tick)
    line = tag("line", class_=grid_of(tick), x1=x, x2=x, y1=0, y2=bottom + 4)
    return joined([line, number_below(scale, tick, bottom + 18)])


def number_below(scale: Scale, tick: float, y: int) -> Safe:
    """A number of the axis below; near an end it stays within the picture."""
    share = scale.share(tick)
    anchor = "start" if share < _NEAR_AN_END else "middle"
    anchor = "end" if share > 1 - _NEAR_AN_END else anchor
    text = f"{tick:,.6g}"
    return tag("text", text, class_="tick", x=scale.percent(tick), y=y, text_anchor=anchor)


def grid_of(tick: float) -> str:
    """The class of a line at a number."""
    return "grid" if tick else "zero"
