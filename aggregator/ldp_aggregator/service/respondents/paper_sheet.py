"""The sheet to print: each question, what to toss, and what to write down."""

from __future__ import annotations

from itertools import groupby

from ldp.survey import Question, Survey
from ldp_aggregator.service.page.markup.tags import Safe, joined, tag
from ldp_aggregator.service.respondents.figures import figures
from ldp_aggregator.service.respondents.paper import COINS, DICE, Rule, rule_of
from ldp_aggregator.service.respondents.presentation import Presentation

_STYLE = (
    "body{font:12pt/1.45 system-ui,sans-serif;margin:15mm;max-width:180mm}"
    "section{break-inside:avoid;margin:8mm 0;border-top:1px solid #555}"
    "table{border-collapse:collapse}th,td{border:1px solid #777;padding:1.5mm 3mm;text-align:start}"
    ".box{display:inline-block;border:1px solid #000;inline-size:5mm;block-size:5mm;"
    "margin:0 2mm -1mm 5mm}"
)
_NAMES = {"true": "yes", "false": "no"}


def paper_sheet(survey: Survey, shown: Presentation) -> str:
    """The sheet, as a document. Raises `PaperError` for a question that paper cannot ask."""
    spoken = shown.languages[shown.language]
    title = spoken.texts["title"]
    facts = [
        spoken.texts[name] for name in ("purpose", "asked_by", "contact") if name in spoken.texts
    ]
    sections = [
        _section(question, spoken.questions[question.name].text or question.name)
        for question in survey
    ]
    head = tag(
        "head", tag("meta", charset="utf-8"), tag("title", title), tag("style", Safe(_STYLE))
    )
    body = tag("body", tag("h1", title), *(tag("p", fact) for fact in facts), *sections)
    return f"<!doctype html>\n{tag('html', head, body, lang=shown.language)}\n"


def _section(question: Question, text: str) -> Safe:
    rule = rule_of(question)
    named = question.domain.values or ()
    names = [_NAMES.get(value, value) for value in named]
    pairs = sorted(zip(rule.written, rule.outcomes, strict=True))
    rows = []
    for written, group in groupby(pairs, key=lambda pair: pair[0]):
        outcomes = ", ".join(outcome for _, outcome in group)
        rows.append(tag("tr", tag("td", outcomes), tag("td", _said(written, names))))
    head = tag("tr", tag("th", "If it shows", scope="col"), tag("th", "write down", scope="col"))
    boxes = joined(tag("span", tag("span", class_="box"), name) for name in names)
    return tag(
        "section",
        tag("h2", text),
        tag("p", f"{_toss(rule)} Do it where nobody sees it, and tell nobody what it showed."),
        tag("table", head, *rows),
        tag("p", "Write down one: ", boxes),
        tag(
            "p",
            "Nobody can tell from it what is true: who thought an answer of yours 50 % likely may "
            f"come to think it {figures(question)['percent']} % likely, at most.",
        ),
    )


def _toss(rule: Rule) -> str:
    if rule.device == COINS:
        times = "a coin" if rule.tosses == 1 else f"a coin {rule.tosses} times, in order"
        return f"Toss {times} (H heads, T tails)."
    if rule.device == DICE:
        return "Roll a die." if rule.tosses == 1 else "Roll a die twice, in order."
    return f"Draw one of {rule.tosses} numbered slips from a bag, and put it back."


def _said(written: tuple[int, ...], names: list[str]) -> str:
    """What to write down, whatever is true, or by what is true."""
    if len(set(written)) == 1:
        return f"{names[written[0]]}, whatever is true"
    if written == tuple(range(len(names))):
        return "what is true"
    cases = (
        f"{names[report]} if {name} is true" for name, report in zip(names, written, strict=True)
    )
    return "; ".join(cases)
