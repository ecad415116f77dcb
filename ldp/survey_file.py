"""The survey file: TOML, checked as a whole.

    [survey]
    name = "commute-2026"        joint (optional): names of questions that are answered together, or lists of such
                                 lifetime_epsilon (optional): what a device may spend on the survey, ever
                                 epoch (optional): the length of its epochs (`ldp.epochs`), such as "1d"
                                 grace (optional): how long after an epoch's end its batches are still taken

    [[question]]
    name = "smoker"              text (optional), type = boolean | category | multi | integer | text,
    ...                          values (category, multi), most (multi), low and high (integer), mechanism, candidates
                                 (optional), memoized_values (optional), and the keys of the mechanism

Every problem is reported at once, each with its place, what was expected and what came; an unknown key is a problem.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from ldp.domain import BOOLEAN_VALUES, SEPARATOR, Domain
from ldp.errors import Problem, SurveyError
from ldp.joint import joint_groups
from ldp.keys import LEAST_EPSILON, Keys
from ldp.mechanisms import AUTOMATIC, MECHANISMS
from ldp.mechanisms.auto import Considered, considered, least_error
from ldp.mechanisms.contract import Declared, Mechanism, Randomizer
from ldp.survey import Question, Survey

MOST_QUESTIONS = 1000
MOST_VALUES = 1 << 22
MOST_INTEGERS = 1 << 16
MOST_LIFETIME_EPSILON = Fraction(1000)
MOST_MEMOIZED, USUALLY_MEMOIZED = 1000, 4
"""Values whose permanent responses a device keeps; one of them is in reserve for all further values."""
FURTHEST_INTEGER = 10**15
"""Whole numbers up to here, and their means, are exact in the numbers of every language."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TYPES = ("boolean", "category", "multi", "integer", "text")
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
    name, listed = _name(head), head.names("joint")
    lifetime = None
    if "lifetime_epsilon" in head:
        lifetime = Declared.epsilon(head.fraction("lifetime_epsilon", LEAST_EPSILON, MOST_LIFETIME_EPSILON))
    epoch, grace = _epochs(head)
    head.finish()
    entries = [Keys(_place(place, number, entry), entry) for number, entry in enumerate(_entries(top), 1)]
    parsed = [_question(entry, name, epoch) for entry in entries]
    top.finish()
    questions = tuple(question for question, _ in parsed if question is not None)
    groups = joint_groups(head, listed, {question.name: question for question in questions})
    problems = [*top.problems, *head.problems, *(problem for _, found in parsed for problem in found)]
    problems += _repeated(place, questions)
    if problems:
        raise SurveyError(tuple(problems))
    return Survey(name, questions, groups, lifetime, grace)


def _epochs(head: Keys) -> tuple[int | None, int | None]:
    """The seconds of an epoch and of its grace, where the survey sets them."""
    epoch, grace = head.length("epoch"), head.length("grace")
    if grace is not None and "epoch" not in head:
        head.problem("grace", "nothing: without an epoch, batches are taken at any time", "a length of time")
    return epoch, grace


def _question(given: Keys, survey: str, epoch: int | None) -> tuple[Question | None, list[Problem]]:
    keys, profile = _with_profile(given)
    name, text = _name(keys), keys.text("text", "")
    domain = _domain(keys)
    candidates = keys.text("candidates", "") or None
    if candidates is not None and domain.values is not None:
        keys.problem("candidates", "nothing, since the values are listed", candidates)
    row, choice = _mechanism(keys, domain)
    if row is None:
        keys.finish(also={"memoized_values", *(key for each in MECHANISMS.values() for key in each.keys)})
        return None, keys.problems
    randomizer, declared = row.design(keys, domain)
    charges = _charges(keys, randomizer)
    keys.finish()
    if keys.problems:
        return None, keys.problems
    question = Question(
        name,
        domain,
        row.name,
        randomizer,
        declared,
        text=text,
        candidates=candidates,
        charges=charges,
        choice=choice,
        profile=profile,
        epoch=epoch,
        survey=survey,
    )
    return question, []


def _with_profile(keys: Keys) -> tuple[Keys, str]:
    """The keys, with those that the profile it names adds to them; and its name, or nothing."""
    if "profile" not in keys:
        return keys, ""
    from ldp.profiles import PROFILES

    name = keys.choice("profile", PROFILES)
    return (keys, "") if name is None else (keys.extended(PROFILES[name].keys, f"profile {name}"), name)


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
    if kind == "multi":
        return _sets(keys)
    if kind == "integer":
        return _range(keys)
    if "values" in keys:
        keys.problem(
            "values", "nothing: only a question of type category or multi lists its values", "a list of values"
        )
    return Domain(kind, None if kind == "text" else BOOLEAN_VALUES)


def _range(keys: Keys) -> Domain:
    low = keys.integer("low", -FURTHEST_INTEGER, FURTHEST_INTEGER - 1)
    high = keys.integer("high", 1 - FURTHEST_INTEGER, FURTHEST_INTEGER)
    if not low < high < low + MOST_INTEGERS:
        if not keys.problems:
            keys.problem("high", f"a whole number from {low + 1} to {low + MOST_INTEGERS - 1}", high)
        high = low + 1
    return Domain("integer", tuple(map(str, range(low, high + 1))))


def _charges(keys: Keys, randomizer: Randomizer) -> int:
    if getattr(randomizer, "memoizes", False):
        kept = keys.integer("memoized_values", 1, MOST_MEMOIZED, USUALLY_MEMOIZED)
        return min(kept, getattr(randomizer, "memos", None) or kept)
    if "memoized_values" in keys:
        keys.problem("memoized_values", "nothing: this question keeps no permanent responses", "a number of values")
    return 1


def _sets(keys: Keys) -> Domain:
    values = keys.texts("values", 2, MOST_VALUES)
    separated = next((value for value in values if SEPARATOR in value), None)
    if separated is not None:
        keys.problem("values", f"values without {SEPARATOR}, which stands between them in tables of answers", separated)
    return Domain("multi", values, keys.integer("most", 1, len(values)))


def _mechanism(keys: Keys, domain: Domain) -> tuple[Mechanism | None, tuple[Considered, ...]]:
    """The row of the mechanism that the file names, or leaves to us (and then what there was to choose from).

    None if there is none that can serve.
    """
    name = keys.choice("mechanism", [*MECHANISMS, "auto"])
    if name is None:
        return None, ()
    rows = [MECHANISMS[each] for each in (AUTOMATIC if name == "auto" else (name,))]
    able = [row for row in rows if row.accepts(domain) is None]
    if not able:
        values = "an open one" if domain.size is None else f"one of type {domain.type} with {domain.size} values"
        if domain.most is not None:
            values += f" of which a respondent may hold {domain.most}"
        keys.problem("mechanism", f"{rows[0].accepts(domain)} for {rows[0].name}", values)
        return None, ()
    if name != "auto":
        return able[0], ()
    limit = keys.integer("report_bytes", 1, 1 << 20, 0)
    choice = considered(able, keys, domain)
    return least_error(choice, limit).row, choice


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
