"""Lines of errors, each with its name at its end, on an axis of powers.

Equal steps upwards are equal factors, so that an error that halves with four times the
people is a straight line.
"""

from __future__ import annotations

from math import isfinite, log10

from ldp_aggregator.output.markup import Safe, tag
from ldp_aggregator.output.people import tick_text
from ldp_aggregator.output.pictures.parts import Drawing, cut
from ldp_aggregator.output.sheet import Bars

_TOP, _TALL, _AXIS = 12, 230, 26
_LEFT, _RIGHT = 9.0, 76.0
"""Where the lines begin and end, in percent of the width."""
_APART = 15
"""Between two names, at least."""
_TICKS = [*(digit * 10.0**power for power in range(-6, 0) for digit in (1, 3)), 1.0]


def draw_lines(panel: Bars) -> Drawing:
    """Return a panel of lines over its labels."""
    numbers = [float(one) for _, line in panel.lines for one in line if isfinite(one)]
    bottom = max((tick for tick in _TICKS if tick <= min(numbers)), default=_TICKS[0])
    top = min((tick for tick in _TICKS if tick >= max(numbers)), default=_TICKS[-1])

    def height(number: float) -> float:
        return _TOP + _TALL * (log10(top / number) / (log10(top / bottom) or 1))

    last = max(len(panel.labels) - 1, 1)
    across = [_LEFT + (_RIGHT - _LEFT) * place / last for place in range(last + 1)]
    parts: list[Safe] = []
    for tick in (tick for tick in _TICKS if bottom <= tick <= top):
        y = height(tick)
        reach = {"x1": f"{_LEFT}%", "x2": f"{_RIGHT}%"}
        parts.append(tag("line", class_="grid", y1=y, y2=y, **reach))
        words = tick_text(tick, panel.unit)
        parts.append(
            tag("text", words, class_="tick number", x=f"{_LEFT - 1}%", y=y + 4)
        )
    for label, x in zip(panel.labels, across, strict=False):
        below = tag(
            "text",
            label,
            class_="tick",
            x=f"{x:.2f}%",
            y=_TOP + _TALL + 18,
            text_anchor="middle",
        )
        parts.append(below)
    ends = []
    for name, line in sorted(panel.lines, key=lambda line: -float(line[1][-1])):
        known = [
            (x, height(float(number)))
            for x, number in zip(across, line, strict=False)
            if isfinite(number)
        ]
        points = " ".join(f"{x:.2f},{y:.2f}" for x, y in known)
        drawn = tag(
            "svg",
            tag("polyline", class_="curve", points=points),
            viewBox=f"0 0 100 {_TOP + _TALL}",
            preserveAspectRatio="none",
            width="100%",
            height=_TOP + _TALL,
        )
        parts.append(drawn)
        ends.append((name, known[-1][1]))
    for (name, end), y in zip(ends, _spread([end for _, end in ends]), strict=True):
        place = {"x1": f"{_RIGHT + 0.5}%", "x2": f"{_RIGHT + 3}%"}
        parts.append(tag("line", class_="noted", y1=end, y2=y, **place))
        parts.append(tag("text", cut(name, 24), x=f"{_RIGHT + 3.5}%", y=y + 4))
    named = ", ".join(name for name, _ in panel.lines)
    words = f"A line for each of {named}, from {panel.labels[0]} to {panel.labels[-1]}."
    return Drawing(parts, _TOP + _TALL + _AXIS, words)


def _spread(heights: list[float]) -> list[float]:
    """Return places of names, downwards, that are apart and end above the axis."""
    places: list[float] = []
    for height in heights:
        places.append(max(height, places[-1] + _APART if places else height))
    limit = float(_TOP + _TALL)
    for number in reversed(range(len(places))):
        places[number] = min(places[number], limit)
        limit = places[number] - _APART
    return places
