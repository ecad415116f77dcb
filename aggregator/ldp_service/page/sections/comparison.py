"""Any two things side by side: what can be chosen, both sides, and what differs."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from ldp_aggregator.analyses.comparisons.comparison import Comparison
from ldp_aggregator.answers.options import ESTIMANDS
from ldp_aggregator.output.sheet import in_one_line
from ldp_service.page.charts.pairs import differences, shown_rows, sides
from ldp_service.page.markup.elements import row, table
from ldp_service.page.markup.tags import Safe, joined, tag
from ldp_service.page.markup.words import explained
from ldp_service.page.views.asked import query_of
from ldp_service.page.views.sides import Side, SidesView


def comparison_section(view: SidesView) -> Safe:
    """The form, and what differs."""
    parts = [_form(view)]
    if view.problem:
        parts.append(tag("p", view.problem, class_="problem", id="problem"))
    if view.comparison is not None:
        parts.append(_compared(view.comparison, view))
    elif not view.problem:
        words = "Choose two sides: surveys, versions, epochs, or groups of closed epochs."
        parts.append(tag("p", words, class_="note"))
    return joined(parts)


def _form(view: SidesView) -> Safe:
    rest = {key: value for key, value in query_of(view.options).items() if value}
    rest.pop("estimand", None)
    hidden = [tag("input", type="hidden", name=key, value=value) for key, value in rest.items()]
    names = [*view.questions]
    questions = (tag("option", name, value=name, selected=name == view.question) for name in names)
    estimands = (
        tag("option", name, value=name, selected=name == view.options.estimand)
        for name in ESTIMANDS
    )
    return tag(
        "form",
        *hidden,
        _side("First", "first", view.first, view=view),
        _side("Second", "second", view.second, view=view),
        tag("label", tag("span", "Question"), tag("select", *questions, name="question")),
        tag("label", tag("span", "Errors for the"), tag("select", *estimands, name="estimand")),
        tag("button", "Compare"),
        method="get",
        action="./compare",
        class_="choices",
        aria_label="What to compare",
    )


def _side(words: str, name: str, chosen: Side | None, view: SidesView) -> Safe:
    """One choice of all there is, by survey; what a link named stands first."""
    text = "" if chosen is None else chosen.text
    known = {side.text for sides in view.choices.values() for side in sides}
    groups = [tag("option", "choose", value="")]
    if chosen is not None and text not in known:
        groups.append(tag("option", chosen.name, value=text, selected=True))
    for survey, choices in view.choices.items():
        options = (
            tag("option", side.name, value=side.text, selected=side.text == text)
            for side in choices
        )
        groups.append(tag("optgroup", *options, label=survey))
    return tag("label", tag("span", words), tag("select", *groups, name=name))


def _compared(comparison: Comparison, view: SidesView) -> Safe:
    name = comparison.first.name
    shown = comparison.text_table()
    many = len(comparison.rows) > len(shown_rows(comparison))
    first, second = comparison.names
    legend = f"Ring: {first}. Point: {second}. Lines are their intervals."
    if many:
        legend = f"The {len(shown_rows(comparison))} values that differ the most. {legend}"
    apart = f"{second} less {first}, with intervals; filled where the two differ."
    figures = tag(
        "div",
        tag("figure", sides(comparison), tag("figcaption", legend)),
        tag("figure", differences(comparison), tag("figcaption", apart)),
        class_="halves",
    )
    head = [in_one_line(heading) for heading in shown.headings]
    rows = [row(cells[0], *cells[1:]) for cells in shown.rows]
    caption = f"{shown.title}: {shown.caption}"
    sentences = [tag("li", sentence) for sentence in comparison.sentences]
    return tag(
        "section",
        tag("h2", f"{name}: {second} against {first}", id="heading-compared"),
        tag("p", explained("Difference", "difference"), class_="note"),
        figures,
        table(caption, head, rows, id="compared"),
        tag("ul", *sentences),
        *_swapped(view),
        class_="question",
        aria_labelledby="heading-compared",
    )


def _swapped(view: SidesView) -> Iterator[Safe]:
    """A link to the same the other way round."""
    if view.first is None or view.second is None:
        return
    query = {
        **{key: value for key, value in query_of(view.options).items() if value},
        "first": view.second.text,
        "second": view.first.text,
        "question": view.question,
    }
    yield tag("p", tag("a", "The other way round", href=f"./compare?{urlencode(query)}"))
