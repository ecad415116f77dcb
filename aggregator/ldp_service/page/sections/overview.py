"""All surveys of a service: how much there is of each, since when, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from ldp_service.page.charts.sparkline import sparkline
from ldp_service.page.markup.elements import many, number
from ldp_service.page.markup.tags import Safe, tag
from ldp_service.page.sections.alarms import alarm_list
from ldp_service.page.views.overview import SurveyLine
from ldp_service.page.views.series import when


def overview_section(lines: Sequence[SurveyLine]) -> Safe:
    """A card for each survey."""
    return tag("div", *map(_card, lines), class_="cards", id="surveys")


def overview_summary(lines: Sequence[SurveyLine]) -> str:
    """One sentence on all of them."""
    reports = sum(line.reports for line in lines)
    alarms = sum(len(line.alarms) for line in lines)
    said = many(alarms, "alarm") if alarms else "no alarms"
    surveys = f"{many(len(lines), 'survey')}, {many(reports, 'report')}"
    return f"{surveys} to the question that was answered most in each, {said}."


def _card(line: SurveyLine) -> Safe:
    survey = line.served.survey
    name = survey.name
    page = f"./?{urlencode({'survey': name})}"
    facts = [
        ("Reports", number(f"{line.reports:,}", line.reports)),
        ("Questions", f"{len(list(survey)):,}"),
    ]
    if line.versions > 1:
        facts.append(("Versions", f"{line.versions:,}"))
    if line.last is not None:
        facts.append(("Last epoch with reports", when(line.last)))
    listed = tag(
        "dl", *(tag("div", tag("dt", key), tag("dd", fact)) for key, fact in facts), class_="facts"
    )
    timed = len(line.epochs) > 1
    questions = " \u00b7 ".join(question.text or question.name for question in survey)
    return tag(
        "section",
        tag("h2", tag("a", name, href=page), id=f"survey-{name}"),
        tag("p", tag("bdi", questions), class_="note"),
        listed,
        sparkline(name, line.epochs) if timed else "",
        alarm_list(line.alarms, page),
        class_="question card",
        aria_labelledby=f"survey-{name}",
    )
