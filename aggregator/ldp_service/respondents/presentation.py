"""Presentation of a page beside the survey: who asks and why, help, labels,
translations.

It is no part of the survey file, since nothing of it changes what a report means: no
fingerprint has it, no device needs it, and translators get a file of texts.

    [page]                            beside survey.toml, as survey.page.toml
    title, asked_by, purpose, contact, thanks
    language = "en"                   of these texts and of the survey file's
    one_by_one = true                 a question at a time, or all of them
    parents = ["https://..."]         origins whose pages may frame this one
    [question.NAME]
    text, help                        in place of the survey's text, and below it
    skip = "visible"                  may be left out, which shows; else it has to be answered
    refusal = "VALUE"                 the value that stands for "rather not say"
    widget = "field"                  no slider
    labels = {VALUE = "..."}          what values are called, in a table FIELD or "FIELD.VALUE"
    [language.de]                     title, ... and question.NAME.text, help, labels
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ldp.answers.keys import Keys
from ldp.errors import LDPError, Problem
from ldp.survey.survey import Survey
from ldp_aggregator.output.files import read_bytes, toml_in
from ldp_aggregator.output.web_addresses import AddressError, web_origin
from ldp_service.respondents.localized_texts import LocalizedTexts, TranslatedQuestion
from ldp_service.respondents.translations import label_names, some_of, unsaid

REQUIRED, VISIBLE, REFUSAL = "required", "visible", "refusal"
SLIDER, FIELD = WIDGETS = ("slider", "field")
_TEXTS = ("title", "asked_by", "purpose", "contact", "thanks")
_MOST_BYTES = 1 << 20
_MOST_PARENTS = 100


class PageError(LDPError):
    """A page that cannot be made; the message lists everything that is wrong."""

    def __init__(self, problems: list[Problem]) -> None:
        lines = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(f"expected a page that can be shown, got:\n{lines}")


class QuestionWidget(NamedTuple):
    """How a question is asked."""

    skip: str = REQUIRED
    refusal: str = ""
    widget: str = SLIDER


class Presentation(NamedTuple):
    """Everything that a page file says."""

    language: str
    languages: Mapping[str, LocalizedTexts]
    """By tag; that of the survey comes first."""
    ways: Mapping[str, QuestionWidget]
    one_by_one: bool = True
    parents: tuple[str, ...] = ()
    unsaid: Mapping[str, Sequence[str]] = {}
    """By language, what stands in the survey's own because there are no other words for
    it.
    """

    def warnings(self) -> list[str]:
        """Return the warnings for the author of the page."""
        return [
            f"language {tag} leaves unsaid: {', '.join(lacking)}; these stand there in "
            f"{self.language}"
            for tag, lacking in self.unsaid.items()
            if lacking
        ]


def page_file(survey_path: Path) -> Path:
    """Where the page file of a survey is, if it has one."""
    return survey_path.with_name(f"{survey_path.stem}.page.toml")


def read_presentation(survey: Survey, path: Path | None) -> Presentation:
    """Read a page file; of a survey alone, without one. Raises `FileError`,
    `PageError`.
    """
    if path is None:
        return parse_presentation(survey, {})
    try:
        table = toml_in(read_bytes(path, _MOST_BYTES))
    except ValueError as error:
        raise PageError([Problem(str(path), "TOML in UTF-8", str(error))]) from None
    return parse_presentation(survey, table)


def parse_presentation(survey: Survey, table: Mapping[str, object]) -> Presentation:
    """The presentation in a table. Raises `PageError`."""
    top = Keys("page file", table)
    page = _part(top, "page", "page")
    language = page.text("language", "en")
    one_by_one = True
    if "one_by_one" in page:
        one_by_one = page.flag("one_by_one")
    parents = _origins(page)
    texts = {"title": survey.name, **_texts(page)}
    page.finish()
    problems = list(page.problems)
    asked, ways = _questions(survey, top, ways={})
    own = LocalizedTexts(
        texts, {question.name: TranslatedQuestion(question.text) for question in survey}
    )
    own = LocalizedTexts(texts, asked).over(own)
    languages = {language: own}
    lacking: dict[str, list[str]] = {}
    if "language" in top:
        for tag, said in top.table("language").items():
            keys = _keys(f"language.{tag}", said)
            spoken = LocalizedTexts(
                _texts(keys), _questions(survey, keys, ways=None)[0]
            )
            keys.finish()
            problems += keys.problems
            languages[tag] = spoken.over(own)
            lacking[tag] = unsaid(survey, own, spoken)
    top.finish()
    problems += top.problems
    if problems:
        raise PageError(problems)
    return Presentation(
        language,
        languages,
        ways,
        one_by_one=one_by_one,
        parents=parents,
        unsaid=lacking,
    )


def _origins(page: Keys) -> tuple[str, ...]:
    """The sites that may frame the page, as browsers name them."""
    origins = []
    for parent in page.texts("parents", 1, _MOST_PARENTS) if "parents" in page else ():
        try:
            origins.append(web_origin(parent))
        except AddressError:
            page.problem("parents", "origins such as https://example.org", parent)
    return tuple(origins)


def _keys(place: str, table: object) -> Keys:
    keys = Keys(place, table if isinstance(table, dict) else {})
    if not isinstance(table, dict):
        keys.problem("", "a table", table)
    return keys


def _part(keys: Keys, name: str, place: str) -> Keys:
    return Keys(place, keys.table(name) if name in keys else {})


def _texts(keys: Keys) -> dict[str, str]:
    """Read the texts on who asks and why, as far as there are any."""
    return {name: keys.text(name) for name in _TEXTS if name in keys}


def _questions(
    survey: Survey, keys: Keys, ways: dict[str, QuestionWidget] | None
) -> tuple[dict[str, TranslatedQuestion], dict[str, QuestionWidget]]:
    """The texts of questions; and, in the language of the survey, how they are
    asked.
    """
    asked: dict[str, TranslatedQuestion] = {}
    names = [question.name for question in survey]
    for name, said in (keys.table("question") if "question" in keys else {}).items():
        place = f"{keys.place}: question.{name}"
        own = _keys(place, said)
        if name not in names:
            keys.problem(
                f"question.{name}", f"one of {', '.join(names)}", "another name"
            )
        labels = _part(own, "labels", f"{place}.labels")
        words = {}
        if isinstance(said, dict):
            words = dict(said.get("labels", {}))
        named = {value: labels.text(value) for value in words}
        known = label_names(survey[name]) if name in names else [*named]
        for value in sorted(named.keys() - known):
            labels.problem(value, f"one of {some_of(known) or 'none'}", "another name")
        asked[name] = TranslatedQuestion(
            own.text("text", ""), own.text("help", ""), named
        )
        if ways is not None and name in names:
            ways[name] = _way(survey, name, own)
        own.finish()
        keys.problems += [*own.problems, *labels.problems]
    return asked, ways or {}


def _way(survey: Survey, name: str, keys: Keys) -> QuestionWidget:
    refusal = keys.text("refusal", "")
    values = survey[name].domain.values or ()
    if refusal and refusal not in values:
        keys.problem("refusal", "one of the question's values", refusal)
    skip = REFUSAL if refusal else REQUIRED
    if "skip" in keys:
        skip = keys.choice("skip", (REQUIRED, VISIBLE)) or REQUIRED
        if refusal and skip == VISIBLE:
            keys.problem(
                "skip", "nothing beside refusal, which is a way to say no", skip
            )
        together = {
            question.name for group in survey.groups for question in group.members
        }
        if skip == VISIBLE and name in together:
            keys.problem(
                "skip", "no such thing where questions are answered together", skip
            )
    widget = (keys.choice("widget", WIDGETS) if "widget" in keys else None) or SLIDER
    return QuestionWidget(skip, refusal, widget)
