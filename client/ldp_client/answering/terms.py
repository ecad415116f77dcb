"""Limits that an app sets for a survey: checked before anything is recorded."""

from __future__ import annotations

import os
from collections.abc import Collection
from fractions import Fraction

from ldp.errors import Problem, SurveyError
from ldp.numbers.exact import exp_lower, fraction, log_text, logarithm_of
from ldp.survey.survey import Survey
from ldp.survey.survey_file import parse_survey
from ldp.survey.survey_text import LARGEST

Epsilon = str | int | float | Fraction
"""An epsilon as people write it: exact, a float at its shortest decimal text."""


def read_survey(source: str | os.PathLike[str] | Survey) -> Survey:
    """A survey, from its file or its text. Raises `SurveyError`.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> ldp_client.read_survey(survey.to_toml()) == survey
    True
    """
    if isinstance(source, Survey):
        return source
    if isinstance(source, str) and "\n" in source:
        return parse_survey(source)
    place = os.fspath(source)
    try:
        with open(place, "rb") as file:
            # One byte more than is allowed shows that there are too many, in a file
            # that has no end as well.
            content = file.read(LARGEST + 1)
        return parse_survey(content, place, files=lambda name: _beside(place, name))
    except OSError as error:
        raise SurveyError(
            (Problem(place, "a survey file", error.strerror or type(error).__name__),)
        ) from None


def _beside(place: str, name: str) -> str:
    """The text of a file that a survey file names, which lies beside it. Raises
    `SurveyError`.
    """
    path = os.path.join(os.path.dirname(place), name)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read(LARGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "text that is not UTF-8"
        raise SurveyError(
            (Problem(f"{place}: {name}", "a file of the survey", reason),)
        ) from None
    if len(text) > LARGEST:
        expected = f"a file of at most {LARGEST:,} characters"
        raise SurveyError((Problem(f"{place}: {name}", expected, "a larger one"),))
    return text


def bound(epsilon: Epsilon) -> Fraction:
    """The largest ratio that an epsilon allows.

    Raises `ValueError` for what is no positive number.
    """
    ratio = logarithm_of(epsilon)
    if ratio is not None:
        return ratio
    exact = fraction(epsilon)
    if exact <= 0:
        raise ValueError(f"expected an epsilon above 0, got {epsilon}")
    return exp_lower(exact)


def refuse_beyond(
    survey: Survey, ceiling: Epsilon | None, pins: Collection[str] | None
) -> None:
    """Raise `SurveyError` for a question that can ever cost more than `ceiling`, or
    other terms.

    `pins` are the terms that are accepted, as `ldp explain` prints them.
    """
    problems = []
    if ceiling is not None:
        most = bound(ceiling)
        for question in survey:
            ratio = question.price**question.charges
            if ratio > most:
                place = f"question {question.name!r}"
                expected = (
                    f"at most epsilon {ceiling}, ever, which is this app's ceiling"
                )
                problems.append(
                    Problem(place, expected, f"epsilon {log_text(ratio, 6)}")
                )
    if pins is not None and survey.terms.hex() not in pins:
        expected = f"terms that this app pins ({', '.join(pins) or 'none'})"
        problems.append(
            Problem(f"survey {survey.name!r}", expected, survey.terms.hex())
        )
    if problems:
        raise SurveyError(tuple(problems))
