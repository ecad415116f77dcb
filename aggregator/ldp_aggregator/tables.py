"""Estimates as text: aligned tables for people, JSON for machines."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from ldp_aggregator.result import MEAN, SurveyEstimates

_WIDTH = 160


def table(estimates: SurveyEstimates) -> str:
    """One aligned table for each question."""
    parts = []
    for question in estimates:
        show = question.shown
        rows = [
            (e.value, f"{e.count:,.0f}", show(e.frequency), show(e.standard_error), f"[{show(e.low)}, {show(e.high)}]")
            for e in question.everything
        ]
        if question.mean is not None:
            rows.append((MEAN, "", *question.mean.cells))
        level, post = f"{question.options.level:.4g} interval", question.options.post
        plain = ["value", "count", "frequency", "standard error", level]
        view = ["value", "count", f"frequency ({post})", "unbiased standard error", f"unbiased {level}"]
        parts += [f"{question.name}: {question.describe()}", columns(view if post else plain, rows)]
        parts += [f"  {sentence}\n" for sentence in question.sentences]
    return "\n".join(parts)


def columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under headings, the first column to the left and the others to the right."""
    made = Table(box=SIMPLE, pad_edge=False)
    for index, heading in enumerate(headings):
        made.add_column(heading, justify="right" if index else "left", overflow="fold")
    for row in rows:
        made.add_row(*(cell.replace("[", r"\[") for cell in row))
    text = io.StringIO()
    Console(file=text, width=_WIDTH, color_system=None).print(made)
    return "\n".join(line.rstrip() for line in text.getvalue().strip("\n").splitlines()) + "\n"


def as_json(estimates: SurveyEstimates) -> str:
    """The JSON format that docs/estimates.md describes."""
    return json.dumps(estimates.to_dict(), indent=2, allow_nan=False) + "\n"
