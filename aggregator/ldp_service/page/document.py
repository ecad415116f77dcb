"""The pages, by the templates beside it; what these call to have parts made is named
here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from ldp_aggregator.answers.options import ESTIMANDS, WHOM
from ldp_aggregator.commands.reporting.sentences import headline
from ldp_aggregator.output.markup import tag
from ldp_aggregator.output.pictures.picture import chart
from ldp_aggregator.output.templates import templates_of
from ldp_service.analysis.notes import Note
from ldp_service.page.charts.sparkline import sparkline
from ldp_service.page.choices import choices
from ldp_service.page.markup.elements import many, number, table, text_table
from ldp_service.page.markup.qr_codes import as_svg
from ldp_service.page.markup.words import WORDS
from ldp_service.page.sections.facts import facts
from ldp_service.page.sections.groups import groups_section
from ldp_service.page.sections.over_time import over_time
from ldp_service.page.sections.questions import (
    districts,
    first_bar,
    health,
    legend,
    notes_on,
    warnings,
)
from ldp_service.page.sections.sharpness import sharpness
from ldp_service.page.sections.state import overview_summary, problems, sums, time_of
from ldp_service.page.sections.survey import (
    exports,
    mixed_rows,
    note_rows,
    outcome_rows,
    summary,
)
from ldp_service.page.sections.values import search_form, values
from ldp_service.page.views.overview import SurveyLine
from ldp_service.page.views.series import when
from ldp_service.page.views.service import ServiceView
from ldp_service.page.views.sides import SidesView
from ldp_service.page.views.survey import SurveyView
from ldp_service.page.views.view_request import ViewRequest, query_of

_TEMPLATES = templates_of(
    "ldp_service.page",
    chart=chart,
    choices=choices,
    code=as_svg,
    districts=districts,
    exports=exports,
    facts=facts,
    first_bar=first_bar,
    frame=lambda address, name: str(
        tag("iframe", src=address, title=name, width="100%", height=480)
    ),
    groups_section=groups_section,
    headline=headline,
    health=health,
    legend=legend,
    many=many,
    mixed_rows=mixed_rows,
    note_rows=note_rows,
    notes_on=notes_on,
    number=number,
    outcome_rows=outcome_rows,
    over_time=over_time,
    overview_summary=overview_summary,
    problems=problems,
    query=urlencode,
    search_form=search_form,
    sharpness=sharpness,
    sparkline=sparkline,
    summary=summary,
    sums=sums,
    table=table,
    text_table=text_table,
    time_of=time_of,
    values=values,
    warnings=warnings,
    when=when,
)


def survey_page(
    service: ServiceView, asked: ViewRequest, shown: SurveyView | str
) -> str:
    """Return the page of a survey; `shown` may be what keeps us from showing it, in
    words.
    """
    name = asked.served.survey.name
    problem = shown if isinstance(shown, str) else ""

    def notes_for(question: str | None) -> list[Note]:
        """Those that go with a question; of the whole survey without one."""
        also = () if question is None else (question,)
        return [note for note in service.notes if note.is_for(name, *also)]

    return render(
        "survey",
        name,
        service=service,
        asked=asked,
        view=None if problem else shown,
        problem=problem,
        notes_for=notes_for,
    )


def overview_page(service: ServiceView, lines: Sequence[SurveyLine]) -> str:
    """Return the page of all surveys."""
    return render("overview", "All surveys", service=service, lines=lines)


def comparison_page(service: ServiceView, view: SidesView) -> str:
    """Return the page of two sides."""
    options = {key: value for key, value in query_of(view.options).items() if value}
    swapped = ""
    if view.first is not None and view.second is not None:
        ends = {
            "first": view.second.text,
            "second": view.first.text,
            "question": view.question,
        }
        swapped = urlencode(options | ends)
    return render(
        "compare",
        "Side by side",
        service=service,
        view=view,
        hidden={key: value for key, value in options.items() if key != "estimand"},
        known={side.text for sides in view.choices.values() for side in sides},
        questions={name: name for name in view.questions},
        estimands={name: name for name in ESTIMANDS},
        swapped=swapped,
    )


def embedded_page(asked: ViewRequest, shown: SurveyView | str) -> str:
    """Return the page of one question, for the frame of another page."""
    problem, views = (shown, ()) if isinstance(shown, str) else ("", shown.questions)
    return render(
        "embed", asked.served.survey.name, asked=asked, problem=problem, views=views
    )


def screen_page(
    service: ServiceView, asked: ViewRequest, shown: SurveyView | str, address: str
) -> str:
    """Return the page of one question for a wall; respondents answer at the address, if
    any.
    """
    problem, views = (
        (shown, ()) if isinstance(shown, str) else ("", shown.questions[:1])
    )
    name = asked.served.survey.name
    return render(
        "screen",
        name,
        root="../",
        service=service,
        name=name,
        address=address,
        problem=problem,
        views=views,
    )


def sign_in_page(verdict: str, query: Mapping[str, str], root: str = "") -> str:
    """Return the page for someone who shows no token, or a wrong one.

    Signed in, they see what they had asked for.
    """
    action = "login"
    if query:
        action = f"login?{urlencode(query)}"
    return render("sign_in", "Sign in", root=root, problem=verdict, action=action)


def problem_page(words: str) -> str:
    """Return the page of a question that has no answer."""
    return render("problem", "Not shown", problem=words)


def render(template: str, title: str, root: str = "", **values: object) -> str:
    """Return what a template makes of these values."""
    page = _TEMPLATES.get_template(f"{template}.html")
    return page.render(title=title, root=root, words=WORDS, whom=WHOM, **values)
