"""Metric privacy of a question, and its bound across the map."""

from __future__ import annotations

import math

from ldp.mechanisms.contract import Metric
from ldp.numbers.exact import decimal_text
from ldp.survey.survey import Question


def metric_lines(question: Question, metric: Metric) -> list[str]:
    """Both promises: that of places near each other, and that of any two."""
    cells = question.domain.fields[0].size - 1
    across = math.hypot(*(cells * float(step) for step in metric.steps))
    steps = " x ".join(f"{float(step):.4g}" for step in metric.steps)
    per_unit = decimal_text(metric.per_unit)
    return [
        f"  metric epsilon      {per_unit} for each unit of distance: ANOTHER PROMISE "
        "than epsilon, which fades with distance (geo-indistinguishability)",
        f"  places apart        by d units are told apart by at most e^({per_unit} d), "
        f"with d between the middles of their cells, which are {steps} units wide",
        f"  across the map      the declared epsilon of {question.declared.text}, at "
        f"{across:.4g} units: what any two places are held apart by, what is charged "
        "and what totals count",
    ]
