"""One question for the frame of another page: its picture, how many reports, how private."""

from __future__ import annotations

from urllib.parse import urlencode

from ldp_aggregator.answers.options import WHOM
from ldp_service.page.markup.elements import many
from ldp_service.page.markup.tags import Safe, joined, tag
from ldp_service.page.sections.questions import main_figure
from ldp_service.page.sections.values import values
from ldp_service.page.views.asked import Asked
from ldp_service.page.views.question import QuestionView
from ldp_service.page.views.survey import SurveyView


def embedded(view: SurveyView, asked: Asked) -> Safe:
    """The questions that were asked for."""
    return joined(_question(question, asked) for question in view.questions)


def _question(view: QuestionView, asked: Asked) -> Safe:
    question = view.estimates
    name, options = question.name, question.options
    words = (
        f"{many(question.reports, 'report')} under local differential privacy, epsilon "
        f"{question.question.declared.text}; {options.level:.4g} intervals for "
        f"{WHOM[options.estimand]}."
    )
    parts = [tag("h1", tag("bdi", question.question.text or name), id=f"heading-{name}")]
    if question.reports and view.shown:
        numbers = tag("details", tag("summary", "All numbers"), values(view))
        parts += [main_figure(view), numbers]
    page = f"./?{urlencode(asked.query())}"
    parts.append(tag("p", words, " ", tag("a", "More", href=page, target="_blank"), class_="note"))
    return tag("section", *parts, class_="question", aria_labelledby=f"heading-{name}")
