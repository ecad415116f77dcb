"""A report as one page: what was found, question by question, and what it rests on.

Self-contained: pictures are in it, there are no scripts, and nothing is fetched from
elsewhere. It prints as it reads, so that a browser's print dialog makes a PDF of it.
Where pictures have no place, in Markdown and in Word, tables stand for them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
from ldp_aggregator.analyses.groups.parts import group_name
from ldp_aggregator.analyses.queries.answering import Answer
from ldp_aggregator.analyses.queries.query_sheet import query_sheet
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.commands.reporting.sentences import (
    headline,
    how_it_was_asked,
    method,
)
from ldp_aggregator.output.formats.html_page import section
from ldp_aggregator.output.pictures.picture import chart
from ldp_aggregator.output.sheet import Sheet
from ldp_aggregator.output.templates import templates_of


def report_page(
    estimates: SurveyEstimates,
    answers: Sequence[Answer] = (),
    title: str = "",
    groups: GroupEstimates | None = None,
) -> str:
    """Return the page of a survey's estimates, and of the queries answered beside
    them.

    It shows groups in place of everyone, where there are any.
    """
    sections = _sections(estimates, groups)
    questions = [question for _, question in sections]
    templates = templates_of(headline=headline, chart=chart, section=section)
    return templates.get_template("report.html").render(
        title=title or estimates.survey,
        style="",
        sections=sections,
        asked=query_sheet(answers) if answers else None,
        method=[
            *method(questions, questions[0].options),
            *(() if groups is None else groups.remarks),
        ],
        basis=how_it_was_asked,
    )


def report_sheet(
    estimates: SurveyEstimates,
    answers: Sequence[Answer] = (),
    title: str = "",
    groups: GroupEstimates | None = None,
) -> Sheet:
    """Return the same as sentences and tables."""
    sections = _sections(estimates, groups)
    questions = [question for _, question in sections]
    tables = []
    for heading, question in sections:
        [table] = question.sheet(in_full=False).tables()
        tables.append(
            table._replace(title=heading, caption="".join(headline(question)))
        )
    if answers:
        tables += query_sheet(answers).tables()
    return Sheet(
        title or estimates.survey,
        tables=lambda: tables,
        legend=[
            *method(questions, questions[0].options),
            *(() if groups is None else groups.remarks),
        ],
    )


def _sections(
    estimates: SurveyEstimates, groups: GroupEstimates | None
) -> list[tuple[str, QuestionEstimates]]:
    """The questions of everyone, or of each group, with their titles."""
    if groups is None:
        return [(question.title, question) for question in estimates]
    return [
        (f"{known.title}: {group_name(group.labels)}", known)
        for group in groups.groups
        for known in group.questions.values()
    ]
