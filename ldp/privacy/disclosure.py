"""Privacy notices: all that is sent, on a page for respondents, in plain words.

The numbers are those of `ldp explain` and of the certificate. Texts of the survey are
shown letter by letter: nothing in them is taken for markup, and the page has no script.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from ldp.answers.domain import Domain
from ldp.numbers.accounting import posterior, posterior_of
from ldp.numbers.exact import log_text, percent_below, text_upper
from ldp.privacy.certificate import exact_ratios, totals
from ldp.survey.attributes import Attribute
from ldp.survey.survey import Group, Question, Survey

_MOST_VALUES = 20
_DAY = 86_400
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&@/])")
_BARE_LINK = re.compile(r"(www)\.", re.IGNORECASE)
_SPACES = re.compile(r"\s+")


class Section(NamedTuple):
    """A heading, and what is said under it: a paragraph, then a list."""

    heading: str
    paragraph: str = ""
    items: tuple[str, ...] = ()


def disclosure(survey: Survey, form: str = "md") -> str:
    """The page of a survey, as Markdown (`md`) or HTML (`html`).

    Raises `ArithmeticError` if a question delivers less privacy than it declares.
    """
    title = f"What is sent: {survey.name}"
    return FORMS[form](title, list(_sections(survey)))


def _sections(survey: Survey) -> Iterator[Section]:
    yield Section(
        "In short",
        "Your answers do not leave your device. For each of them your device draws "
        "some bytes at random, in such a way that every answer could have led to them, "
        "and sends these. From very many people's bytes one can estimate how many gave "
        "which answer. Whoever sees yours may come to think an answer of yours "
        "likelier than before: how likely, at most, stands below.",
    )
    for question in survey:
        yield _question(question)
    yield Section("What goes along", items=tuple(_beside(survey)))
    yield Section("All together", items=tuple(_totals(survey)))
    yield Section(
        "To check this",
        "The numbers follow from the terms of the survey, which apps can pin: "
        f"{survey.terms.hex()}. The command ldp explain prints them with an exact "
        "certificate.",
    )


def _question(question: Question) -> Section:
    ratio, ever = exact_ratios(question)
    size = "1 byte"
    if question.width != 1:
        size = f"{question.width:,} bytes"
    items = [
        f"What can be answered: {_choice(question.domain)}.",
        f"What is sent: {size}, as many for every answer.",
    ]
    if question.memoizes:
        most = question.charges
        items.append(
            "How often: each time it is asked. For each answer a random response is "
            f"drawn once and kept on the device, for up to {most:,} of them."
        )
    else:
        items.append("How often: once, ever.")
    if question.draw is not None:
        items.append(
            f"Who is asked: a share of {question.share} of the devices, drawn whatever "
            "they would answer."
        )
    items.append(f"What one of these can tell, at most: {_belief(ratio)}")
    if question.memoizes and ever is not None:
        items.append(
            f"What all of them can tell of one answer, at most: {_belief(ever)}"
        )
        items.append(
            "What else shows: that several of them come from one device, and perhaps "
            "when an answer changed."
        )
    return Section(question.text or question.name, items=tuple(items))


def _beside(survey: Survey) -> Iterator[str]:
    """Yield the contents of a batch beside its reports."""
    yield "A code for the exact question, the same for everyone: 16 bytes."
    if survey.epoch is None:
        yield "A random number that keeps a batch from being counted twice: 16 bytes."
    else:
        length = "day"
        if survey.epoch != _DAY:
            length = f"period of {survey.epoch:,} seconds"
        yield (
            f"The {length} in which a batch was made, and a random number that keeps "
            "it from being counted twice: 16 bytes."
        )
    for group in survey.groups:
        yield _together(group)
    for attribute in survey.attributes:
        yield _attribute(survey, attribute)
    if survey.attributes:
        yield (
            f"Groups of fewer than {survey.least_group:,} such reports are not shown "
            "to anyone but the collector."
        )
    yield "No name, no account, no number of your device."
    yield (
        "Your network address is seen by those who carry the bytes, as for anything "
        "that is sent."
    )


def _attribute(survey: Survey, attribute: Attribute) -> str:
    """Describe a public attribute and the questions that it goes with."""
    names = [
        question.text or question.name
        for question in survey
        if attribute.goes_with(question.name)
    ]
    along = ""
    if len(names) != len(survey):
        along = f" It goes with: {', '.join(names)}."
    return (
        f"The {attribute.name} of your device, openly and not at random, if the app "
        f"knows it: one of {', '.join(attribute.values)}.{along}"
    )


def _together(group: Group) -> str:
    names = ", ".join(question.text or question.name for question in group.members)
    return f"Answered together, and so known to be one person's: {names}."


def _totals(survey: Survey) -> Iterator[str]:
    """Yield the totals of all reports of a device."""
    sums = totals(survey)
    once, all_charges = sums["one_report_each"], sums["all_charges"]
    if once is not None:
        yield f"One report to each question, at most: {_belief_of(Fraction(once))}"
    if all_charges is not None:
        yield (
            "All that your device may ever send for this survey, however often it is "
            f"asked, at most: {_belief_of(Fraction(all_charges))}"
        )
    if survey.lifetime is not None:
        yield f"Your device stops before that comes to epsilon {survey.lifetime.text}."


def _belief(ratio: Fraction) -> str:
    return _belief_sentence(posterior(ratio), log_text(ratio, 6))


def _belief_of(epsilon: Fraction) -> str:
    return _belief_sentence(posterior_of(epsilon), text_upper(epsilon, 6))


def _belief_sentence(belief: Fraction, epsilon: str) -> str:
    return (
        "who thought it 50 % likely that you gave a certain answer may come to think "
        f"it {percent_below(belief)} % likely (epsilon {epsilon})."
    )


def _choice(domain: Domain) -> str:
    if domain.fields:
        fields = (f"{field.name} ({_choice(field.domain)})" for field in domain.fields)
        return "; ".join(fields)
    values = domain.values if domain.scale is None and domain.numbers is None else None
    if values is None or len(values) > _MOST_VALUES:
        return domain.summary
    listed = ", ".join(values)
    if domain.most is None:
        return listed
    return f"up to {domain.most} of {listed}"


def _markdown(title: str, sections: list[Section]) -> str:
    lines = [f"# {_plain(title)}"]
    for section in sections:
        lines += ["", f"## {_plain(section.heading)}"]
        if section.paragraph:
            lines += ["", _plain(section.paragraph)]
        if section.items:
            lines += ["", *(f"- {_plain(item)}" for item in section.items)]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """A text that Markdown shows letter by letter, on one line."""
    escaped = _MARKDOWN.sub(r"\\\1", _SPACES.sub(" ", text))
    return _BARE_LINK.sub(r"\1\.", escaped)


def _html(title: str, sections: list[Section]) -> str:
    parts = [f"<h1>{_escape(title)}</h1>"]
    for section in sections:
        parts.append(f"<h2>{_escape(section.heading)}</h2>")
        if section.paragraph:
            parts.append(f"<p>{_escape(section.paragraph)}</p>")
        if section.items:
            items = "".join(f"<li>{_escape(item)}</li>\n" for item in section.items)
            parts.append(f"<ul>\n{items}</ul>")
    body = "\n".join(parts)
    head = f'<meta charset="utf-8">\n<title>{_escape(title)}</title>'
    return (
        "<!doctype html>\n<html "
        f'lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n'
        "</html>\n"
    )


def _escape(text: str) -> str:
    return html.escape(_SPACES.sub(" ", text))


FORMS: dict[str, Callable[[str, list[Section]], str]] = {"md": _markdown, "html": _html}
"""What writes a page, by the form that it is asked for in."""
