"""Estimates as pictures: a bar for each value with its interval, and the truth as a mark where it is known."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence

from ldp.errors import EstimateError
from ldp_aggregator.result import QuestionEstimates, SurveyEstimates

MOST_BARS = 40
PICTURES = ("svg", "png")


def picture(
    estimates: SurveyEstimates | QuestionEstimates,
    form: str = "svg",
    truth: Mapping[str, Sequence[float]] | None = None,
) -> bytes:
    """The picture as the bytes of an SVG or PNG file; `truth` gives true frequencies by question, where known.

    Questions of more than 40 values show the 40 most frequent. Raises `EstimateError` if matplotlib is not there.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise EstimateError(
            'expected matplotlib for a picture, found none; install it with pip install "ldpkit-aggregator[plot]"'
        ) from None
    questions = [estimates] if isinstance(estimates, QuestionEstimates) else list(estimates)
    heights = [1.1 + 0.28 * max(1, min(len(question), MOST_BARS)) for question in questions]
    # A fixed salt and no date: equal estimates give equal files.
    with rc_context({"svg.hashsalt": "ldp", "svg.fonttype": "path"}):
        figure = Figure(figsize=(8, sum(heights)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(len(questions), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axis, question in zip(axes, questions, strict=True):
            _bars(axis, question, (truth or {}).get(question.name))
        file = io.BytesIO()
        metadata = {"Date": None} if form == "svg" else {"Software": None}
        figure.savefig(file, format=form, metadata=metadata, dpi=120)
    return file.getvalue()


def _bars(axis, question: QuestionEstimates, truth: Sequence[float] | None) -> None:  # type: ignore[no-untyped-def]
    shown = sorted(range(len(question)), key=lambda index: -question.frequency[index])[:MOST_BARS]
    if len(question) <= MOST_BARS:
        shown = list(range(len(question)))
    places = list(range(len(shown)))
    frequency = [_drawn(question.frequency[index]) for index in shown]
    axis.barh(places, frequency, color="#8fb3d9", height=0.62, label="estimate")
    for place, index in zip(places, shown, strict=True):
        axis.plot([question.low[index], question.high[index]], [place, place], color="#1f3b57", linewidth=1.6)
    if truth is not None:
        marks = [truth[index] for index in shown]
        axis.plot(marks, places, "D", color="#c8452f", markersize=4.5, label="truth", linestyle="none")
        axis.legend(loc="lower right", fontsize=8)
    axis.set_yticks(places, [_label(question.values[index]) for index in shown], fontsize=8)
    axis.invert_yaxis()
    axis.axvline(0, color="#999999", linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(axis="x", labelsize=8)
    axis.set_title(_label(question.name), loc="left", fontsize=10, fontweight="bold")
    hidden = f" (the {MOST_BARS} most frequent of {len(question):,} values)" if len(shown) < len(question) else ""
    axis.set_xlabel(_label(question.describe() + hidden, 160), fontsize=7)


def _drawn(frequency: float) -> float:
    return 0.0 if math.isnan(frequency) else float(frequency)


def _label(text: str, most: int = 40) -> str:
    short = text if len(text) <= most else text[: most - 1] + "…"
    return short.replace("$", r"\$")
