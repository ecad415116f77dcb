"""The whole page: its frame, and the forms to sign in with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from ldp_service.page.choices import choices
from ldp_service.page.markup.tags import Safe, tag
from ldp_service.page.markup.words import glossary
from ldp_service.page.sections.alarms import alarm_list
from ldp_service.page.sections.comparison import comparison_section
from ldp_service.page.sections.debug_section import debug_section
from ldp_service.page.sections.embedded import embedded
from ldp_service.page.sections.overview import overview_section, overview_summary
from ldp_service.page.sections.sharing import sharing
from ldp_service.page.sections.survey import service_section, summary, survey_section
from ldp_service.page.views.asked import Asked
from ldp_service.page.views.overview import SurveyLine
from ldp_service.page.views.service import ServiceView
from ldp_service.page.views.sides import SidesView
from ldp_service.page.views.survey import SurveyView

_SITE = tag("p", "Estimates under local differential privacy", class_="site")
_SIGN_OUT = tag("form", tag("button", "Sign out"), method="post", action="logout")


def survey_page(service: ServiceView, asked: Asked, shown: SurveyView | str) -> str:
    """The page of a survey; `shown` may be what keeps us from showing it, in words."""
    name = asked.served.survey.name
    if isinstance(shown, str):
        sentence, alarms = "", Safe("")
        parts = problem(shown)
    else:
        sentence, alarms = summary(shown), alarm_list(shown.alarms)
        parts = survey_section(shown, service, asked)
    main = tag(
        "main",
        tag("h1", name),
        tag("p", sentence, id="summary"),
        alarms,
        service_section(service),
        debug_section(service),
        choices(asked),
        parts,
        sharing(service, asked),
        glossary(),
        id="main",
    )
    return _document(name, *_header(service, name), content=main, script=True)


def overview_page(service: ServiceView, lines: Sequence[SurveyLine]) -> str:
    """The page of all surveys."""
    main = tag(
        "main",
        tag("h1", "All surveys"),
        tag("p", overview_summary(lines), id="summary"),
        service_section(service),
        debug_section(service),
        overview_section(lines),
        glossary(),
        id="main",
    )
    return _document("All surveys", *_header(service, _OVERVIEW), content=main, script=True)


def comparison_page(service: ServiceView, view: SidesView) -> str:
    """The page of two sides."""
    main = tag(
        "main",
        tag("h1", "Side by side"),
        tag("p", "", id="summary"),
        comparison_section(view),
        glossary(),
        id="main",
    )
    return _document("Side by side", *_header(service, _COMPARE), content=main, script=True)


def embedded_page(asked: Asked, shown: SurveyView | str) -> str:
    """One question, for the frame of another page."""
    parts = problem(shown) if isinstance(shown, str) else embedded(shown, asked)
    name = asked.served.survey.name
    return _document(name, content=tag("main", parts, id="main"), framed=True)


def sign_in_page(verdict: str, query: Mapping[str, str]) -> str:
    """The page for someone who shows no token, or a wrong one.

    Signed in, they see what they had asked for.
    """
    field = tag(
        "input",
        id="token",
        name="token",
        type="password",
        autocomplete="off",
        required=True,
        autofocus=True,
    )
    action = f"login?{urlencode(query)}" if query else "login"
    form = tag(
        "form",
        tag("label", "Analyst token", for_="token"),
        field,
        tag("button", "Sign in"),
        method="post",
        action=action,
    )
    hint = tag(
        "p",
        "The operator of this service makes tokens with ldp token new --scope analyst.",
        class_="note",
    )
    content = tag(
        "main",
        tag("h1", "Sign in"),
        problem(verdict) if verdict else "",
        form,
        hint,
        id="main",
        class_="sign-in",
    )
    return _document("Sign in", _SITE, content=content)


def problem_page(words: str) -> str:
    """The page of a question that has no answer."""
    way = tag("p", tag("a", "To the first survey", href="./"))
    return _document(
        "Not shown",
        _SITE,
        content=tag("main", tag("h1", "Not shown"), problem(words), way, id="main"),
    )


def problem(words: str) -> Safe:
    """What is wrong, in words."""
    return tag("p", words, class_="problem", id="problem")


_OVERVIEW, _COMPARE = "All surveys", "Side by side"


def _header(service: ServiceView, here: str) -> Sequence[Safe]:
    """The site, links to all its pages, and a way out."""
    links = [(_OVERVIEW, "./?overview=1")] if len(service.surveys) > 1 else []
    links += [(name, f"./?{urlencode({'survey': name})}") for name in service.surveys]
    links.append((_COMPARE, "./compare"))
    rows = (
        tag("li", tag("a", name, href=href, aria_current="page" if name == here else None))
        for name, href in links
    )
    header = [_SITE, tag("nav", tag("ul", *rows), aria_label="Surveys")]
    if service.has_pages:
        header.append(tag("a", "Respondents", href="respondents"))
    return [*header, _SIGN_OUT] if service.signed_in else header


def _document(
    title: str, *header: str, content: Safe, script: bool = False, framed: bool = False
) -> str:
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", href="page/icon.svg"),
        *(tag("link", rel="stylesheet", href=f"page/{name}.css") for name in ("chart", "page")),
        tag("link", rel="stylesheet", href="page/print.css", media="print"),
        tag("script", src="page/page.js", type="module") if script else "",
    )
    skip = tag("a", "To the content", href="#main", class_="skip")
    # Filled and shown by the script; the page works without.
    live = tag(
        "section",
        tag("p", id="banner", class_="problem", role="alert", hidden=True),
        tag(
            "p",
            tag("span", id="state"),
            " ",
            tag("button", "Pause", id="pause", type="button"),
            id="live",
            hidden=True,
        ),
        tag("p", id="news", class_="unseen", role="status", aria_live="polite"),
        aria_label="Updates",
    )
    above = () if framed else (skip, tag("header", *header))
    body = tag("body", *above, live if script else "", content, class_="framed" if framed else None)
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"
