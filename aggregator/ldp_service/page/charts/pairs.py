"""Two sides for each value, as dots with their intervals, and what differs beside them."""

from __future__ import annotations

from collections.abc import Sequence

from ldp_aggregator.analyses.comparisons.comparison import Compared, Comparison
from ldp_aggregator.output.pictures.bars import MOST_BARS
from ldp_service.page.charts.pictures import label_of, picture_of, tick_at
from ldp_service.page.charts.scale import Scale
from ldp_service.page.markup.tags import Safe, tag

_ROW, _AXIS = 46, 24


def shown_rows(comparison: Comparison) -> Sequence[Compared]:
    """The values that are drawn: all, or those that differ the most; the mean where none is."""
    rows = comparison.rows or comparison.numbers[:1]
    if len(rows) <= MOST_BARS:
        return rows
    return sorted(rows, key=lambda row: -abs(row.difference))[:MOST_BARS]


def sides(comparison: Comparison) -> Safe:
    """Both sides: the first as a ring, the second as a point."""
    rows = shown_rows(comparison)
    ends = [_ends(comparison, row) for row in rows]
    scale = Scale.over([end for both in ends for side in both for end in side])
    bottom = _ROW * len(rows)
    parts = [tick_at(scale, tick, bottom) for tick in scale.ticks]
    for place, (row, both) in enumerate(zip(rows, ends, strict=True)):
        parts.append(label_of(row.value, _ROW * place, width="98%"))
        for side, (low, estimate, high) in enumerate(both):
            y = _ROW * place + 25 + 12 * side
            kind = ("first", "second")[side]
            reach = {"x1": scale.percent(low), "x2": scale.percent(high)}
            said = f"{comparison.names[side]}: {estimate:.4g}, interval {low:.4g} to {high:.4g}"
            parts.append(
                tag(
                    "g",
                    tag("title", said),
                    tag("line", class_=f"reach {kind}", y1=y, y2=y, **reach),
                    tag("circle", class_=f"dot {kind}", cx=scale.percent(estimate), cy=y, r=5),
                )
            )
    return picture_of(
        "sides",
        f"{comparison.first.name}: {comparison.names[0]} and {comparison.names[1]}",
        f"For each of {len(rows)} values both sides with their intervals: a ring for "
        f"{comparison.names[0]}, a point for {comparison.names[1]}.",
        parts=parts,
        height=bottom + _AXIS,
    )


def differences(comparison: Comparison) -> Safe:
    """What differs, with intervals around zero."""
    rows = shown_rows(comparison)
    scale = Scale.over([end for row in rows for end in (row.low, row.high)])
    bottom = _ROW * len(rows)
    parts = [tick_at(scale, tick, bottom) for tick in scale.ticks]
    for place, row in enumerate(rows):
        y = _ROW * place + 31
        said = f"{row.value}: {row.difference:+.4g}, interval {row.low:+.4g} to {row.high:+.4g}"
        kind = "point" if row.different else "dot first"
        reach = {"x1": scale.percent(row.low), "x2": scale.percent(row.high)}
        parts += [
            label_of(row.value, _ROW * place, width="98%"),
            tag(
                "g",
                tag("title", said),
                tag("line", class_="reach", y1=y, y2=y, **reach),
                tag("circle", class_=kind, cx=scale.percent(row.difference), cy=y, r=5),
            ),
        ]
    return picture_of(
        "differences",
        f"{comparison.first.name}: {comparison.names[1]} less {comparison.names[0]}",
        f"The difference of each of {len(rows)} values with its interval; filled where it differs.",
        parts=parts,
        height=bottom + _AXIS,
    )


def _ends(comparison: Comparison, row: Compared) -> tuple[tuple[float, float, float], ...]:
    """Low, estimate and high of both sides."""
    both = []
    for side, estimate in zip(
        (comparison.first, comparison.second), (row.first, row.second), strict=True
    ):
        if row.value in side.values:
            place = side.values.index(row.value)
            low, high = float(side.low[place]), float(side.high[place])
        else:
            low, high = (estimate, estimate) if side.mean is None else side.mean.interval
        both.append((low, estimate, high))
    return tuple(both)
