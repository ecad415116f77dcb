"""Estimates as pictures: a bar for each value with its interval, and the truth as a mark where it
is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ldp_aggregator.estimates.result import QuestionEstimates, SurveyEstimates
from ldp_aggregator.output.drawing import drawn, drawn_figure

MOST_BARS = 40
PICTURES = ("svg", "png")


def picture(
    estimates: SurveyEstimates | QuestionEstimates,
    form: str = "svg",
    truth: Mapping[str, Sequence[float]] | None = None,
) -> bytes:
    """The picture as the bytes of an SVG or PNG file; `truth` gives true frequencies by question,
    where known.

    Questions of more than 40 values show the 40 most frequent. Raises `EstimateError` if matplotlib
    is not there.
    """
    return drawn(*_drawing(estimates, truth), form)


def figure(
    estimates: SurveyEstimates | QuestionEstimates,
    truth: Mapping[str, Sequence[float]] | None = None,
) -> Any:
    """The picture as a matplotlib figure, to be shown or changed; `truth` gives true frequencies by
    question, where known. Raises `EstimateError` if matplotlib is not there.
    """
    return drawn_figure(*_drawing(estimates, truth))


def _drawing(
    estimates: SurveyEstimates | QuestionEstimates,
    truth: Mapping[str, Sequence[float]] | None,
) -> tuple[tuple[float, float], Callable[[Any], None]]:
    """The size of a picture in inches, and what draws it on an empty figure."""
    questions = [estimates] if isinstance(estimates, QuestionEstimates) else list(estimates)
    heights = [1.1 + 0.28 * max(1, min(len(question), MOST_BARS)) for question in questions]

    def draw(canvas: Any) -> None:
        axes = canvas.subplots(len(questions), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axis, question in zip(axes, questions, strict=True):
            _bars(axis, question, (truth or {}).get(question.name))

    return (8, sum(heights)), draw


def shown_values(question: QuestionEstimates) -> list[int]:
    """The indices of the values that a picture shows: all, in their order, or the `MOST_BARS` most
    frequent.
    """
    if len(question) <= MOST_BARS:
        return list(range(len(question)))
    most: list[int] = np.argsort(-question.frequency, kind="stable")[:MOST_BARS].tolist()
    return most


def _bars(axis: Any, question: QuestionEstimates, truth: Sequence[float] | None) -> None:
    shown = shown_values(question)
    places = list(range(len(shown)))
    frequency = [_drawn(question.frequency[index]) for index in shown]
    axis.barh(places, frequency, color="#8fb3d9", height=0.62, label="estimate")
    for place, index in zip(places, shown, strict=True):
        axis.plot(
            [question.low[index], question.high[index]],
            [place, place],
            color="#1f3b57",
            linewidth=1.6,
        )
    if truth is not None:
        marks = [truth[index] for index in shown]
        axis.plot(
            marks, places, "D", color="#c8452f", markersize=4.5, label="truth", linestyle="none"
        )
        axis.legend(loc="lower right", fontsize=8)
    axis.set_yticks(places, [_label(question.values[index]) for index in shown], fontsize=8)
    axis.invert_yaxis()
    axis.axvline(0, color="#999999", linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(axis="x", labelsize=8)
    axis.set_title(_label(question.name), loc="left", fontsize=10, fontweight="bold")
    hidden = (
        f" (the {MOST_BARS} most frequent of {len(question):,} values)"
        if len(shown) < len(question)
        else ""
    )
    axis.set_xlabel(_label(question.describe() + hidden, 160), fontsize=7)


def _drawn(frequency: float) -> float:
    return 0.0 if math.isnan(frequency) else float(frequency)


def _label(text: str, most: int = 40) -> str:
    short = text if len(text) <= most else text[: most - 1] + "…"
    return short.replace("$", r"\$")
