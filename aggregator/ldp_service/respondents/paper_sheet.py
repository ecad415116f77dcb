"""The sheet to print: each question, what to toss, and what to write down, in a page's
language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ldp.errors import Problem
from ldp.survey.survey import Question, Survey
from ldp_aggregator.output.markup import Safe, join, tag
from ldp_service.respondents.figures import figures
from ldp_service.respondents.localized_texts import TranslatedQuestion
from ldp_service.respondents.paper import COINS, DICE, Rule, rule_of
from ldp_service.respondents.presentation import PageError, Presentation
from ldp_service.respondents.words import PAPER, WORDS, fill, words_of

_STYLE = (
    "body{font:12pt/1.45 system-ui,sans-serif;margin:15mm;max-width:180mm}"
    "section{break-inside:avoid;margin:8mm 0;border-top:1px solid #555}"
    "table{border-collapse:collapse}th,td{border:1px solid #777;padding:1.5mm "
    "3mm;text-align:start}"
    ".answer{display:inline-block;margin-inline-start:5mm}"
    ".box{display:inline-block;border:1px solid #000;inline-size:5mm;block-size:5mm;"
    "margin-block-end:-1mm;margin-inline-end:2mm}"
)

Words = Mapping[str, str]


def paper_sheet(
    survey: Survey, shown: Presentation, language: str = "", words: Iterable[Path] = ()
) -> str:
    """The sheet, as a document, in one of the page's languages, its own if none is
    named.

    Raises `PaperError` for a question that paper cannot ask, and `PageError` for a
    language in which the page is not spoken.
    """
    language = language or shown.language
    if language not in shown.languages:
        known = (
            f"one of {', '.join(shown.languages)}, or [language.{language}] in the "
            "page file"
        )
        raise PageError([Problem("--language", known, language)])
    spoken = shown.languages[language]
    own = words_of(language, words, (WORDS, PAPER))
    said = {**own[WORDS], **own[PAPER]}
    title = spoken.texts["title"]
    facts = [spoken.texts[name] for name in ("purpose",) if name in spoken.texts]
    facts += [
        f"{said[name]}: {spoken.texts[name]}"
        for name in ("asked_by", "contact")
        if name in spoken.texts
    ]
    sections = [
        _section(question, spoken.questions[question.name], said) for question in survey
    ]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("title", title),
        tag("style", Safe(_STYLE)),
    )
    body = tag("body", tag("h1", title), *(tag("p", fact) for fact in facts), *sections)
    return (
        "<!doctype "
        f"html>\n{tag('html', head, body, lang=language, dir=own['direction'])}\n"
    )


def _section(question: Question, asked: TranslatedQuestion, words: Words) -> Safe:
    rule = rule_of(question)
    yes_no = {"true": words["yes"], "false": words["no"]}
    labels = {**yes_no, **asked.labels}
    names = [labels.get(value, value) for value in question.domain.values or ()]
    sides = str.maketrans({"H": words["heads"], "T": words["tails"]})
    outcomes: dict[tuple[int, ...], list[str]] = {}
    for written, outcome in zip(rule.written, rule.outcomes, strict=True):
        outcomes.setdefault(written, []).append(outcome.translate(sides))
    rows = [
        tag(
            "tr",
            tag("td", ", ".join(shown)),
            tag("td", _instruction(written, names, words)),
        )
        for written, shown in outcomes.items()
    ]
    columns = (words[key] for key in ("if_it_shows", "then_write"))
    head = tag("tr", *(tag("th", column, scope="col") for column in columns))
    # Yes comes first, as on the page. Isolated, so that each name stays with its box.
    listed = names
    if question.domain.type == "boolean":
        listed = names[::-1]
    boxes = join(
        tag("span", tag("span", class_="box"), tag("bdi", name), class_="answer")
        for name in listed
    )
    percent = figures(question)["percent"]
    return tag(
        "section",
        tag("h2", asked.text or question.name),
        *([tag("p", asked.help)] if asked.help else []),
        tag("p", f"{_toss(rule, words)} {words['do_it_alone']}"),
        tag("table", head, *rows),
        tag("p", f"{words['write_one']} ", boxes),
        tag("p", fill(words["paper_promise"], percent=percent)),
    )


def _toss(rule: Rule, words: Words) -> str:
    if rule.device == COINS:
        key = "toss_a_coin" if rule.tosses == 1 else "toss_coins"
    elif rule.device == DICE:
        key = "roll_a_die" if rule.tosses == 1 else "roll_dice"
    else:
        key = "draw_a_slip"
    return fill(words[key], tosses=rule.tosses)


def _instruction(written: tuple[int, ...], names: list[str], words: Words) -> str:
    """Return the instruction: one for all, or by the true value."""
    if len(set(written)) == 1:
        return fill(words["whatever_is_true"], answer=names[written[0]])
    if written == tuple(range(len(names))):
        return words["what_is_true"]
    cases = (
        fill(words["if_true"], report=names[report], answer=name)
        for name, report in zip(names, written, strict=True)
    )
    return "; ".join(cases)
