"""Names in a page file, and the words that its languages lack.

A text that a language does not have stands there in the survey's own: a page half in
one language and half in another, which no one should have to find out from respondents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ldp.answers.booleans import BOOLEAN_VALUES
from ldp.answers.domain import Domain
from ldp.survey.survey import Question, Survey
from ldp_service.respondents.localized_texts import LocalizedTexts, TranslatedQuestion

_WORDS = re.compile(r"[^\W\d_]{2}")
"""Letters next to each other; what has none, such as "18-24", is the same in every
language.
"""
_MOST_NAMED = 5


def label_names(question: Question) -> list[str]:
    """Return the names that labels of a question may have: values, nodes above them,
    fields.
    """
    names = [*_words_of(question.domain)]
    if question.domain.taxonomy is not None:
        names += question.domain.taxonomy.inner
    for field in question.domain.fields:
        names += [
            field.name,
            *(f"{field.name}.{value}" for value in _words_of(field.domain)),
        ]
    return names


def some_of(names: Sequence[str]) -> str:
    """The first of them, and whether there are more."""
    return ", ".join([*names[:_MOST_NAMED], *["..."][: len(names) > _MOST_NAMED]])


def unsaid(survey: Survey, own: LocalizedTexts, spoken: LocalizedTexts) -> list[str]:
    """Return the words that a language lacks, beside those of the survey's own
    language.
    """
    lacking = [
        name for name in own.texts if own.texts[name] and name not in spoken.texts
    ]
    for question in survey:
        known = own.questions.get(question.name, TranslatedQuestion())
        asked = spoken.questions.get(question.name, TranslatedQuestion())
        place = f"question.{question.name}"
        if known.text and not asked.text:
            lacking.append(f"{place}.text")
        if known.help and not asked.help:
            lacking.append(f"{place}.help")
        lacking += _labels_lacking(question, known, asked, place=place)
    return lacking


def _labels_lacking(
    question: Question,
    own: TranslatedQuestion,
    asked: TranslatedQuestion,
    *,
    place: str,
) -> Iterator[str]:
    """The labels of a question, if some are lacking: some of their names."""
    lacking = [
        name
        for name in label_names(question)
        if name not in asked.labels and _is_said(own.labels.get(name, name))
    ]
    if lacking:
        yield f"{place}.labels ({some_of(lacking)})"


def _is_said(label: str) -> bool:
    """Whether a label is in a language; yes and no are in the page's own words."""
    return label.rpartition(".")[2] not in BOOLEAN_VALUES and bool(_WORDS.search(label))


def _words_of(domain: Domain) -> tuple[str, ...]:
    """Values that are no numbers, and are not written out of several fields."""
    if domain.fields or domain.numbers is not None or domain.scale is not None:
        return ()
    return domain.values or ()
