"""docs/peers.svg: what each peer needs over what we need, for client, server and
report.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.benchmarks.peers.summary import Row, beside, ratio
from lab.benchmarks.peers.table import CELLS, OURS
from ldp_aggregator.output.pictures.drawing import picture_bytes

_PANELS = (
    ("client", "time of a report"),
    ("server", "time of decoding"),
    ("bytes", "bytes of a report"),
)
_COLOURS = ("#8fb3d9", "#2f6aa3", "#12304f")
_MARKERS = {"1": "o", "4": "D"}


def picture(rows: Sequence[Row]) -> bytes:
    """The picture as the bytes of an SVG file; equal rows give equal files."""
    compared = [
        (row, ours)
        for row in rows
        if row.side != OURS and (ours := beside(row, rows)) is not None
    ]
    labels = list(dict.fromkeys(_label(row) for row, _ in compared))
    sizes = sorted({cell.size for cell in CELLS})

    def draw(figure: Any) -> None:
        for axis, (name, title) in zip(
            figure.subplots(1, len(_PANELS), sharey=True), _PANELS, strict=True
        ):
            for row, ours in compared:
                times = ratio(getattr(row, name), getattr(ours, name))
                if times is not None:
                    axis.plot(
                        times,
                        labels.index(_label(row)),
                        _MARKERS[row.cell.epsilon],
                        color=_COLOURS[sizes.index(row.cell.size)],
                        markersize=5.5,
                        markeredgecolor="white",
                        markeredgewidth=0.6,
                    )
            axis.set_xscale("log")
            axis.axvline(1, color="#c8452f", linewidth=1)
            axis.grid(axis="x", color="#dddddd", linewidth=0.6)
            axis.set_axisbelow(True)
            axis.spines[["top", "right"]].set_visible(False)
            axis.tick_params(labelsize=8)
            axis.set_title(title, loc="left", fontsize=10)
        first = figure.axes[0]
        first.set_yticks(range(len(labels)), labels, fontsize=8)
        first.set_ylim(len(labels) - 0.5, -0.5)
        for colour, size in zip(_COLOURS, sizes, strict=True):
            for epsilon, marker in _MARKERS.items():
                first.plot(
                    [],
                    [],
                    marker,
                    color=colour,
                    markersize=5.5,
                    label=f"{size:,} values, epsilon {epsilon}",
                )
        figure.legend(
            *first.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=3,
            fontsize=8,
            frameon=False,
        )
        figure.suptitle(
            (
                f"What a peer needs over what {OURS} needs, same mechanism (right of "
                "the line: more)"
            ),
            fontsize=10,
        )

    return picture_bytes((10, 1.6 + 0.34 * len(labels)), draw)


def _label(row: Row) -> str:
    return f"{row.mechanism}, {row.side}"
