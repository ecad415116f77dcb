"""The whole page: its frame, the form to choose with, the form to sign in with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from urllib.parse import urlencode

from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.options import ESTIMANDS, INTERVALS, POST, SHAPES, Options
from ldp_aggregator.service.page.debug_section import debug_section
from ldp_aggregator.service.page.markup import Safe, joined, tag
from ldp_aggregator.service.page.sections import service_section, summary, survey_section
from ldp_aggregator.service.page.views import (
    Asked,
    ServiceView,
    SurveyView,
    rectangles_written,
    written,
    zoom_written,
)

_SITE = tag("p", "Estimates under local differential privacy", class_="site")
_SIGN_OUT = tag("form", tag("button", "Sign out"), method="post", action="logout")


def survey_page(service: ServiceView, asked: Asked, shown: SurveyView | str) -> str:
    """The page of a survey; `shown` may be what keeps us from showing it, in words."""
    if isinstance(shown, str):
        sentence = ""
        parts = problem(shown)
    else:
        sentence = summary(shown)
        parts = survey_section(shown, service, asked)
    name = asked.served.survey.name
    header = [_SITE, _surveys(service.surveys, name)]
    if service.signed_in:
        header.append(_SIGN_OUT)
    main = tag(
        "main",
        tag("h1", name),
        tag("p", sentence, id="summary"),
        service_section(service),
        debug_section(service),
        _choices(asked),
        parts,
        id="main",
    )
    return _document(name, *header, content=main, script=True)


def sign_in_page(verdict: str, query: Mapping[str, str], *, through_provider: bool = False) -> str:
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
        _way_to_provider(query) if through_provider else "",
        form,
        hint,
        id="main",
        class_="sign-in",
    )
    return _document("Sign in", _SITE, content=content)


def _way_to_provider(query: Mapping[str, str]) -> str:
    way = f"sign-in?{urlencode(query)}" if query else "sign-in"
    return tag("p", tag("a", "Sign in with your own account", href=way))


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


def _document(title: str, *header: str, content: Safe, script: bool = False) -> str:
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", href="page/icon.svg"),
        *(tag("link", rel="stylesheet", href=f"page/{name}.css") for name in ("chart", "page")),
        tag("script", src="page/page.js", type="module") if script else "",
    )
    skip = tag("a", "To the content", href="#main", class_="skip")
    # Filled and shown by the script; the page works without.
    live = tag(
        "div",
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
    )
    body = tag("body", skip, tag("header", *header), live if script else "", content)
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _surveys(names: Sequence[str], here: str) -> Safe:
    links = (
        tag(
            "a",
            name,
            href=f"./?{urlencode({'survey': name})}",
            aria_current="page" if name == here else None,
        )
        for name in names
    )
    return tag("nav", tag("ul", *(tag("li", link) for link in links)), aria_label="Surveys")


def _choices(asked: Asked) -> Safe:
    options = asked.options
    versions = {"": "all, pooled"}
    versions |= {
        served.fingerprint: f"{number}: {served.fingerprint[:8]}…"
        for number, served in enumerate(asked.versions, 1)
    }
    hidden = {
        key: value
        for key, value in asked.query().items()
        if key in ("survey", "reports_each", "over_time")
    }
    box = tag(
        "input",
        type="checkbox",
        name="simultaneous",
        value="1",
        checked=options.simultaneous is not None,
    )
    more = tag("input", type="checkbox", name="frequencies", value="1", checked=options.frequencies)
    level = tag(
        "input",
        type="number",
        name="level",
        min="0.01",
        max="0.9999",
        step="any",
        value=str(options.level),
    )
    version = []
    if len(asked.versions) > 1:
        chosen = "" if asked.pooled else asked.served.fingerprint
        version.append(_select("Version", "version", versions, chosen=chosen))
    estimands = {name: name for name in ESTIMANDS}
    intervals = {name: name for name in INTERVALS}
    decoders = [decoder_of(question.randomizer) for question in asked.served.survey]
    shapes = any(decoder.has_shape for decoder in decoders)
    numbers = any(decoder.gives == "distribution" for decoder in decoders)
    maps = any(question.domain.is_place for question in asked.served.survey)
    offered = [name for name in POST if shapes or name not in SHAPES]
    views = {"": "unbiased", **{name: f"{name} (biased)" for name in offered}}
    fields = [
        *(tag("input", type="hidden", name=key, value=value) for key, value in hidden.items()),
        *version,
        *(_questions(asked) if len(decoders) > 1 else ()),
        tag("label", tag("span", "Level"), level),
        _select("Errors for the", "estimand", estimands, chosen=options.estimand),
        _select("Intervals", "interval", intervals, chosen=options.interval),
        _select("View", "post", views, chosen=options.post or ""),
        tag("label", box, tag("span", "Simultaneous intervals"), class_="check"),
        tag("label", more, tag("span", "Frequencies of noisy numbers"), class_="check"),
        *(_texts(_of_numbers(options)) if numbers else ()),
        *(_texts(_of_maps(options)) if maps else ()),
        *_groups(asked),
        tag("button", "Show"),
    ]
    return tag("form", *fields, method="get", action="./", class_="choices", aria_label="Options")


def _questions(asked: Asked) -> Iterator[Safe]:
    """All questions, or one of them; or those that the query names."""
    names = [question.name for question in asked.served.survey]
    chosen = ",".join(asked.names)
    options = {"": "all", **dict.fromkeys(filter(None, [chosen])), **dict.fromkeys(names)}
    shown = {value: words or value for value, words in options.items()}
    yield _select("Question", "question", shown, chosen=chosen)


def _groups(asked: Asked) -> Iterator[Safe]:
    """The attributes to divide by, one or two, and what to look at alone."""
    survey, groups = asked.served.survey, asked.groups
    if not survey.attributes or survey.epoch is None:
        return
    names = [attribute.name for attribute in survey.attributes]
    chosen = {} if groups is None else groups.query
    options = {"": "everyone", **dict.fromkeys(filter(None, [chosen.get("by")]))}
    options |= dict.fromkeys(names) | dict.fromkeys(map(",".join, combinations(names, 2)))
    shown = {value: words or value for value, words in options.items()}
    yield _select("Groups by", "by", shown, chosen=chosen.get("by", ""))
    first = survey.attributes[0]
    example = f"{first.name}={first.values[0]}"
    yield from _texts([("Groups where", "where", chosen.get("where", ""), example)])


_Texts = Iterable[tuple[str, str, str, str]]
"""Fields: words, the name and the value in the query, an example."""


def _of_numbers(options: Options) -> _Texts:
    """What to see of distributions."""
    return (
        ("Quantiles", "quantiles", written(options.quantiles), ".1,.5,.9"),
        ("Ranges", "ranges", ",".join(map(":".join, options.ranges)), "18:25,65:100"),
        ("Histogram edges", "edges", ",".join(options.edges), "18,25,40,65"),
    )


def _of_maps(options: Options) -> _Texts:
    """What to see of maps."""
    return (
        ("Rectangles", "rectangles", rectangles_written(options), "0:4,0:8;4:8,0:8"),
        ("Zoom", "zoom", zoom_written(options), "8x8"),
    )


def _texts(rows: _Texts) -> Iterator[Safe]:
    for words, name, value, example in rows:
        field = tag("input", name=name, value=value, placeholder=example, size="12")
        yield tag("label", tag("span", words), field)


def _select(words: str, name: str, options: Mapping[str, str], chosen: str) -> Safe:
    choices = joined(
        tag("option", text, value=value, selected=value == chosen)
        for value, text in options.items()
    )
    return tag("label", tag("span", words), tag("select", choices, name=name))
