"""The survey file: TOML, checked as a whole.

    [survey]
    name = "commute-2026"

    [[question]]
    name = "smoker"              text (optional), type = boolean | category | text, values (category only),
    ...                          mechanism, candidates (optional), and the keys of the mechanism

Every problem is reported at once, each with its place, what was expected and what came; an unknown key is a problem.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ldp.domain import BOOLEAN_VALUES, Domain
from ldp.errors import Problem, SurveyError
from ldp.keys import Keys
from ldp.mechanisms import AUTOMATIC, MECHANISMS
from ldp.mechanisms.auto import least_error
from ldp.mechanisms.contract import Mechanism
from ldp.survey import Question, Survey

MOST_QUESTIONS = 1000
MOST_VALUES = 1 << 22

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TYPES = ("boolean", "category", "text")
_STAND_IN = Domain("category", ("0", "1"))


def parse_survey(source: str | bytes, place: str = "survey") -> Survey:
    """The survey that a file's text holds. Raises `SurveyError` with every problem found; `place` names the file."""
    # Imported here, because most of what a client does never reads a survey again.
    import tomllib

    try:
        text = source.decode() if isinstance(source, bytes) else source
        table = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise SurveyError((Problem(place, "UTF-8 text", f"a stray byte at position {error.start}"),)) from None
    except (ValueError, RecursionError) as error:  # tomllib's own error is a ValueError, Python's for long integers too
        raise SurveyError((Problem(place, "a TOML file", str(error)),)) from None
    top = Keys(place, table)
    head = Keys(f"{place}: survey", top.table("survey"))
    name = _name(head)
    head.finish()
    parsed = [_question(Keys(_place(place, number, entry), entry)) for number, entry in enumerate(_entries(top), 1)]
    top.finish()
    questions = tuple(question for question, _ in parsed if question is not None)
    problems = [*top.problems, *head.problems, *(problem for _, found in parsed for problem in found)]
    problems += _repeated(place, questions)
    if problems:
        raise SurveyError(tuple(problems))
    return Survey(name, questions)


def _question(keys: Keys) -> tuple[Question | None, list[Problem]]:
    name, text = _name(keys), keys.text("text", "")
    domain = _domain(keys)
    candidates = keys.text("candidates", "") or None
    if candidates is not None and domain.values is not None:
        keys.problem("candidates", "nothing, since the values are listed", candidates)
    row = _mechanism(keys, domain)
    if row is None:
        keys.finish(also={key for each in MECHANISMS.values() for key in each.keys})
        return None, keys.problems
    randomizer, declared = row.design(keys, domain)
    keys.finish()
    if keys.problems:
        return None, keys.problems
    return Question(name, domain, row.name, randomizer, declared, text, candidates), []


def _name(keys: Keys) -> str:
    name = keys.text("name")
    if name != "?" and not _NAME.fullmatch(name):
        keys.problem("name", "up to 64 letters, digits, dots, dashes or underscores, a letter or digit first", name)
    return name


def _domain(keys: Keys) -> Domain:
    kind = keys.choice("type", _TYPES)
    if kind is None:
        return Domain("category", keys.texts("values", 2, MOST_VALUES)) if "values" in keys else _STAND_IN
    if kind == "category":
        return Domain(kind, keys.texts("values", 2, MOST_VALUES))
    if "values" in keys:
        keys.problem("values", "nothing: only a question of type category lists its values", "a list of values")
    return Domain(kind, None if kind == "text" else BOOLEAN_VALUES)


def _mechanism(keys: Keys, domain: Domain) -> Mechanism | None:
    """The row of the mechanism that the file names or leaves to us; None if there is none that can serve."""
    name = keys.choice("mechanism", [*MECHANISMS, "auto"])
    if name is None:
        return None
    rows = AUTOMATIC if name == "auto" else (MECHANISMS[name],)
    able = tuple(row for row in rows if row.accepts(domain) is None)
    if not able:
        values = "an open one" if domain.size is None else f"one with {domain.size} values"
        keys.problem("mechanism", f"{rows[0].accepts(domain)} for {rows[0].name}", values)
        return None
    return least_error(able, keys, domain) if name == "auto" else able[0]


def _entries(top: Keys) -> list[Mapping[str, object]]:
    entries = top.tables("question")
    if not 1 <= len(entries) <= MOST_QUESTIONS:
        top.problem("question", f"1 to {MOST_QUESTIONS} [[question]] tables", f"{len(entries)} of them")
    return entries


def _place(place: str, number: int, entry: Mapping[str, object]) -> str:
    name = entry.get("name")
    return f"{place}: question {number}" + (f" ({name})" if isinstance(name, str) and len(name) <= 64 else "")


def _repeated(place: str, questions: tuple[Question, ...]) -> list[Problem]:
    names = [question.name for question in questions]
    twice = sorted({name for name in names if names.count(name) > 1})
    return [Problem(place, "question names that all differ", f"{name!r} more than once") for name in twice]
