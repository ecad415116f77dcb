"""A report as one page: what was found, question by question, and what it rests on.

Self-contained: pictures are in it, there are no scripts, and nothing is fetched from elsewhere. It
prints as it reads, a question a sheet, so that a browser's print dialog makes a PDF of it.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from ldp_aggregator.analyses.queries.answering import Answer
from ldp_aggregator.analyses.queries.query_sheet import query_sheet
from ldp_aggregator.answers.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.options import Options
from ldp_aggregator.commands.reporting.sentences import (
    how_it_was_asked,
    of_question,
    what_intervals_mean,
)
from ldp_aggregator.output.formats.html_page import page, paragraph, section
from ldp_aggregator.output.pictures.bars import picture

_STYLE = """
.found { font-size: 1.15rem; }
.lead, .basis { color: GrayText; }
.basis { font-size: .9rem; }
details { margin: 1rem 0; }
h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
@media print {
  body { max-width: none; margin: 0; font-size: 11pt; }
  h2 { break-before: page; border-top: none; }
  figure, table { break-inside: avoid; }
  details > summary { display: none; }
}
"""


def report_page(
    estimates: SurveyEstimates,
    answers: Sequence[Answer] = (),
    title: str = "",
    options: Options | None = None,
) -> str:
    """The page of a survey's estimates, and of the queries that were answered beside them."""
    questions = list(estimates)
    asked = options or questions[0].options
    family = asked.simultaneous
    meaning = what_intervals_mean(asked.level, asked.estimand, family)
    parts = [f'<p class="lead">{html.escape(meaning)}</p>']
    if answers:
        parts.append("<h2>What was asked</h2>")
        sheet = query_sheet(answers)
        parts += [section(text_table) for text_table in sheet.tables()]
        parts += map(paragraph, sheet.legend)
    for question in questions:
        parts += _question(question)
    return page(title or estimates.survey, "".join(parts), _STYLE)


def _question(question: QuestionEstimates) -> Iterator[str]:
    """Picture and findings first; numbers can be folded away on a screen, and are printed."""
    text = question.question.text
    yield f"<h2>{html.escape(text or question.name)}</h2>"
    for sentence in of_question(question):
        yield f'<p class="found">{html.escape(sentence)}</p>'
    if question.reports:
        yield f"<figure>{_picture(question)}</figure>"
        numbers = section(question.text_table(in_full=False))
        yield f"<details open><summary>All numbers</summary>{numbers}</details>"
        basis = map(paragraph, how_it_was_asked(question))
        yield f'<div class="basis">{"".join(basis)}</div>'


def _picture(question: QuestionEstimates) -> str:
    drawn = picture([question.bars()]).decode()
    name = html.escape(f"Estimates with intervals of {question.name}", quote=True)
    start = drawn.index("<svg")
    return drawn[start:].replace("<svg", f'<svg role="img" aria-label="{name}"', 1)
