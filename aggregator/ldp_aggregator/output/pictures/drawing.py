"""Pictures as files, by matplotlib. Equal pictures are equal bytes: a fixed salt, and
no date.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from ldp.errors import EstimateError


def drawn_figure(size: tuple[float, float], draw: Callable[[Any], None]) -> Any:
    """What `draw` makes of an empty matplotlib figure; the size is in inches.

    Raises `EstimateError` if matplotlib is not there.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise EstimateError(
            "expected matplotlib for a picture, found none; install it with pip "
            "install "
            '"ldpkit-aggregator[plot]"'
        ) from None
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure)
    return figure


def picture_bytes(
    size: tuple[float, float], draw: Callable[[Any], None], form: str = "svg"
) -> bytes:
    """Return the picture as the bytes of an SVG or PNG file."""
    figure = drawn_figure(size, draw)
    from matplotlib import rc_context

    file = io.BytesIO()
    metadata = {"Date": None} if form == "svg" else {"Software": None}
    with rc_context({"svg.hashsalt": "ldp", "svg.fonttype": "path"}):
        figure.savefig(file, format=form, metadata=metadata, dpi=120)
    return file.getvalue()
