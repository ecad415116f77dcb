"""The bars of all questions as an SVG file, with their style in it."""

from __future__ import annotations

from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_service.page.charts.bars import AXIS, ROW, bars
from ldp_service.page.charts.pictures import STATIC, picture_of
from ldp_service.page.markup.tags import tag
from ldp_service.page.views.question import QuestionView

WIDTH = 720
_HEAD = 64


def standalone(estimates: SurveyEstimates) -> bytes:
    """A file that refers to nothing else."""
    parts = []
    top = 0
    for question in estimates:
        view = QuestionView.of(question)
        parts += [
            tag("text", question.name, class_="heading", x="1%", y=top + 28),
            tag("text", question.describe(), class_="tick", x="1%", y=top + 48),
        ]
        top += _HEAD
        if question.reports:
            height = ROW * len(view.shown) + AXIS
            parts.append(tag("svg", bars(view), y=top, width="100%", height=height))
            top += height
    style = tag("style", (STATIC / "chart.css").read_text(encoding="utf-8"))
    ground = tag("rect", class_="ground", width="100%", height="100%")
    name = f"{estimates.survey}: estimated frequencies"
    picture = picture_of(
        "charts",
        name,
        "A chart for each question.",
        parts=[style, ground, *parts],
        height=top + 16,
        width=WIDTH,
    )
    return picture.encode()
