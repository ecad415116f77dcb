"""The survey file: TOML, checked as a whole.

    [survey]
    name = "commute-2026"
    joint               (optional) names of questions that are answered together, or
                        lists of such
    lifetime_epsilon    (optional) what a device may spend on the survey, ever
    epoch               (optional) the length of its epochs (`ldp.numbers.epochs`), such
                        as "1d"
    grace               (optional) how long after an epoch's end its batches are still
                        taken
    least_group         (optional) how many reports a group by attributes needs to be
                        shown

    [[draw]]            (optional) questions of which a device answers one
                        (`ldp.survey.draws`)
    questions           their names
    weights             (optional) whole numbers: how likely each is

    [[attribute]]       (optional) what reports say openly of a device
                        (`ldp.survey.attributes`)
    name, values
    questions           (optional) those whose reports carry it

    [[question]]
    name = "smoker"
    text                (optional)
    type                (optional with values: category) boolean | category | multi |
                        integer | number | key-value | vector | text | table | place
    [[question.field]]  (table) the parts of an answer (`ldp.survey.readers.field_keys`)
    x, y, cells         (place) the axes of a map, and how many cells each has
                        (`place_keys`)
    cells, by           (place) or a public geography: names of cells, or a GeoJSON file
                        with these
    collect             (table) product | subsets: whether a report tells of all parts,
                        or of some
    values              (category, multi)
    keys                (key-value) what a number may come with
    parents or file     (category) the node above each value, where values are leaves of
                        a tree
    levels              (category) what the levels of the tree are called
    most                (multi, key-value)
    low, high           (integer, number, key-value)
    step, bins or edges (number) points `step` apart, that many equal cells, or cells by
    their ends
    dimensions, radius  (vector) how many numbers it has, and how long it may be
    outside             (integer, number, key-value) refuse | clip | the number that
                        stands in (vector) refuse | clip
    unit                (number, key-value)
    missing             (number, key-value) texts that stand for no answer in tables of
                        answers
    per_device          (optional) mean | sum | last | one: what is made of a device's
                        records
    circular            (integer, number) true where the values lie on a circle, as
                        hours do
    mechanism           (optional) auto unless given; and the keys of the mechanism
    goal                (auto) frequencies | mean | distribution | shape | map |
                        rectangles
    candidates          (optional)
    memoized_values     (optional)

Every problem is reported at once, each with its place, what was expected and what came;
an unknown key is a problem.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from ldp.answers.domain import SEPARATOR, Domain
from ldp.answers.keys import LEAST_EPSILON, Keys, written_name
from ldp.errors import MOST_TOLD, Problem, SurveyError
from ldp.mechanisms import (
    AUTOMATIC,
    GOALS,
    MECHANISMS,
    OF_LITERATURE,
    OF_SUBSETS,
    OF_TREES,
    OF_VECTORS,
)
from ldp.mechanisms.auto import Considered, least_error, list_candidates
from ldp.mechanisms.contract import Declared, Mechanism, Randomizer
from ldp.numbers.exact import fraction, limit_of
from ldp.survey.attributes import (
    LARGEST_GROUP,
    LEAST_GROUP,
    SMALLEST_GROUP,
    Attributes,
    attributes_of,
    note_unknown,
)
from ldp.survey.draws import Draw, draws_of
from ldp.survey.survey import Group, Question, Survey
from ldp.survey.survey_text import LARGEST, MEBIBYTE, read_toml

if TYPE_CHECKING:
    from ldp.survey.readers.taxonomy_keys import ReadFile

MOST_QUESTIONS = 1000
MOST_VALUES = 1 << 22
MOST_INTEGERS = 1 << 16
MOST_WORK = 1 << 19
_WORK_OF_MAP = 1 << 14
"""The weights of a map's views take as long as so many values of another question."""
MOST_CELLS = 1 << 14
"""Numbers in all tables of a survey: those of one exponential mechanism of the greatest
size.
"""
MOST_SEARCHED = 1 << 12
"""Values of distributions that differ: a quarter of a millisecond each, for the best
design.
"""
_LONGEST_SEARCHED = 1 << 11
MOST_IN_SUBSETS = 1 << 8
"""Fields of all questions that tell some of them: each way to choose them takes time.
"""
MOST_LIFETIME_EPSILON = Fraction(1000)
MOST_MEMOIZED = 1000
USUALLY_MEMOIZED = 4
"""Values whose permanent responses a device keeps.

One of them is in reserve for all further values.
"""
_CELLS_OF_METRIC = (2, 4, 8)
FURTHEST_INTEGER = 10**15
"""Whole numbers up to here, and their means, are exact in the numbers of every
language.
"""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
TYPES = (
    *(
        "boolean",
        "category",
        "multi",
        "integer",
        "number",
        "key-value",
        "vector",
        "text",
    ),
    *("table", "place"),
)
_OTHER_TYPES = {
    **dict.fromkeys(("bool", "binary", "yes-no", "yes/no"), '"boolean"'),
    **dict.fromkeys(("choice", "categorical", "enum", "radio", "select"), '"category"'),
    **dict.fromkeys(("checkbox", "set", "multiple"), '"multi"'),
    **dict.fromkeys(("int", "count"), '"integer"'),
    **dict.fromkeys(("float", "numeric", "real"), '"number"'),
    **dict.fromkeys(("string", "str"), '"text"'),
}
"""Types as other programs call them, and our names for them."""
_TOLD = frozenset(
    (
        *("name", "text", "type", "values", "keys", "most", "low", "high"),
        *("dimensions", "radius", "candidates"),
    )
)
"""Keys that a question tells by itself; it keeps the others as they came."""

_TOLD_OF_CELLS = _TOLD | {"cells", "by", "goal"}
"""The same where the cells of a place are values."""

_STAND_IN = Domain("category", ("0", "1"))


def parse_survey(
    source: str | bytes,
    place: str = "survey",
    largest: int = LARGEST,
    *,
    files: ReadFile | None = None,
    for_analysis: bool = False,
) -> Survey:
    r"""The survey that a file's text holds.

    source   the text of the file, or its bytes
    place    what messages call the file
    largest  how many bytes it may have, for those who trust it with more than usual
    files    what gives the text of a file that the survey names (`file`)
    for_analysis  take laws by which a report rules an answer out as well: answers that
                  exist can
             be analysed, and no device answers such a survey

    Raises `SurveyError` with every problem found.

    >>> import ldp
    >>> keys = 'name = "mode"\ntype = "boolean"\nmechanism = "auto"\nepsilon = "1"'
    >>> ldp.parse_survey(f'[survey]\nname = "trip"\n[[question]]\n{keys}')["mode"]
    <Question 'mode': boolean of 2 values; grr, epsilon 1>
    """
    table: Mapping[str, object] = read_toml(source, place, largest)
    if files is not None and _may_name_files(table):
        from ldp.survey.readers.taxonomy_keys import with_files

        table = with_files(table, place, files)
    return survey_of(table, place, len(source), for_analysis=for_analysis)


def _may_name_files(table: Mapping[str, object]) -> bool:
    entries = table.get("question")
    return isinstance(entries, list) and any(
        isinstance(entry, dict) and entry.keys() & {"file", "cells"}
        for entry in entries
    )


def survey_of(
    table: Mapping[str, object], place: str, length: int, *, for_analysis: bool = False
) -> Survey:
    """The survey that a file's tables hold, of as many bytes as `length`; raises
    `SurveyError`.
    """
    top = Keys(place, table)
    head = Keys(f"{place}: survey", top.table("survey"))
    name = _name(head)
    listed = head.names("joint")
    lifetime = None
    if "lifetime_epsilon" in head:
        lifetime = Declared.epsilon(
            head.fraction(
                "lifetime_epsilon", LEAST_EPSILON, MOST_LIFETIME_EPSILON, read=limit_of
            )
        )
    epoch, grace = _epochs(head)
    open_tables = _number_tables(place, "attribute", top)
    attributes = attributes_of(open_tables, _name)
    least_group = _least_group(head, attributes)
    head.finish()
    drawn = _number_tables(place, "draw", top)
    draws = draws_of(drawn)
    tables = [
        Keys(_place(place, number, entry), entry, for_analysis=for_analysis)
        for number, entry in enumerate(_entries(top, length), 1)
    ]
    questions, problems = _questions(
        tables, name, epoch=epoch, draws=draws, attributes=attributes
    )
    top.finish()
    by_name = {question.name: question for question in questions}
    groups: tuple[Group, ...] = ()
    if tables:
        _note_draws(drawn, draws, by_name, joint=listed)
        note_unknown(open_tables, attributes, by_name, joint=listed)
    if tables and listed:
        from ldp.survey.joint import joint_groups

        groups = joint_groups(head, listed, by_name)
    of_tables = [
        problem for keys in (*drawn, *open_tables) for problem in keys.report_problems()
    ]
    problems = [
        *top.report_problems(),
        *head.report_problems(),
        *of_tables,
        *problems,
        *_find_repetitions(place, questions),
    ]
    if problems:
        raise SurveyError(tuple(problems))
    return Survey(
        name,
        questions,
        groups,
        lifetime=lifetime,
        grace=grace,
        attributes=attributes,
        least_group=least_group,
    )


def _number_tables(place: str, name: str, top: Keys) -> list[Keys]:
    """The tables of a name, each with its number in messages."""
    tables = enumerate(top.tables(name), 1)
    return [Keys(f"{place}: {name} {number}", table) for number, table in tables]


def _least_group(head: Keys, attributes: Attributes) -> int:
    if "least_group" in head and not attributes:
        head.problem(
            "least_group", "nothing: no attribute divides the crowd", "a number"
        )
    return head.integer(
        "least_group", SMALLEST_GROUP, LARGEST_GROUP, default=LEAST_GROUP
    )


def _note_draws(
    tables: Sequence[Keys],
    draws: Sequence[Draw],
    questions: Mapping[str, Question],
    joint: Iterable[Iterable[str]],
) -> None:
    """Note in its table what is wrong with a draw, beside its questions."""
    often = Counter(name for draw in draws for name in draw.names)
    together = {name for group in joint for name in group}
    for keys, draw in zip(tables, draws, strict=True):
        if keys.problems:
            continue
        for name in draw.names:
            question = questions.get(name)
            wrong = _wrong_in_draw(
                name, question, often[name], is_joint=name in together
            )
            for expected, came in wrong:
                keys.problem("questions", expected, came)


def _wrong_in_draw(
    name: str, question: Question | None, often: int, is_joint: bool
) -> Iterator[tuple[str, str]]:
    if question is None:
        yield "names of sound questions of the survey", name
        return
    if often > 1:
        yield "each question in one draw at most", f"{name} again"
    if is_joint:
        yield "questions that are in no joint group", name
    if question.memoizes:
        yield (
            "questions that are answered once: a device that has a permanent response "
            "would show what it drew again and again",
            f"{name} ({question.mechanism})",
        )


def _questions(
    tables: Sequence[Keys],
    survey: str,
    epoch: int | None,
    draws: Sequence[Draw],
    attributes: Attributes,
) -> tuple[tuple[Question, ...], list[Problem]]:
    """The questions that are sound, and what is wrong with the others."""
    questions: list[Question] = []
    problems: list[Problem] = []
    draw_of = {name: draw for draw in draws for name in draw.names}
    for keys in tables:
        # What a mistyped key may have meant takes long to find, and who has a hundred
        # problems does not read on.
        suggest = len(problems) < MOST_TOLD
        question, wrong = _question(
            keys, survey, epoch, draw_of=draw_of, attributes=attributes, suggest=suggest
        )
        problems += wrong
        if question is not None:
            questions.append(question)
    return tuple(questions), problems


def _epochs(head: Keys) -> tuple[int | None, int | None]:
    """The seconds of an epoch and of its grace, where the survey sets them."""
    epoch, grace = head.length("epoch"), head.length("grace")
    if grace is not None and "epoch" not in head:
        head.problem(
            "grace",
            "nothing: without an epoch, batches are taken at any time",
            "a length of time",
        )
    return epoch, grace


def _question(
    table: Keys,
    survey: str,
    epoch: int | None,
    *,
    draw_of: Mapping[str, Draw],
    attributes: Attributes,
    suggest: bool,
) -> tuple[Question | None, list[Problem]]:
    keys, profile = _with_profile(table)
    name = _name(keys)
    text = keys.text("text", "")
    domain = _domain(keys)
    if "per_device" in keys:
        from ldp.survey.readers.contribution_keys import with_contributions

        domain = with_contributions(keys, domain)
    if "circular" in keys:
        from ldp.survey.readers.circle_keys import with_circle

        domain = with_circle(keys, domain)
    candidates = keys.text("candidates", "") or None
    if candidates is not None and not domain.is_open:
        keys.problem("candidates", "nothing, since the values are listed", candidates)
    designed = _design_mechanism(keys, domain)
    if designed is None:
        keys.finish(also=_all_keys(), suggest=suggest)
        return None, keys.report_problems()
    row, (randomizer, declared), choice = designed
    if domain.per_device:
        from ldp.survey.readers.contribution_keys import refuse_memoized_mean

        refuse_memoized_mean(keys, domain, randomizer)
    if domain.circular:
        from ldp.survey.readers.circle_keys import refuse_on_circle

        refuse_on_circle(keys, randomizer.kind)
    charges = _charges(keys, randomizer)
    keys.finish(suggest=suggest)
    if keys.problems:
        return None, keys.report_problems()
    question = Question(
        name,
        domain,
        row.name,
        randomizer=randomizer,
        declared=declared,
        text=text,
        candidates=candidates,
        charges=charges,
        choice=choice,
        profile=profile,
        epoch=epoch,
        survey=survey,
        keys=table.without(
            _TOLD_OF_CELLS if _has_named_cells(table, domain) else _TOLD
        ),
        draw=draw_of.get(name),
        attributes=tuple(
            attribute for attribute in attributes if attribute.goes_with(name)
        ),
    )
    return question, []


def _has_named_cells(table: Keys, domain: Domain) -> bool:
    """Whether the values are cells of a place that have names; those of a search are
    others.
    """
    return "cells" in table and not domain.is_place and not domain.is_open


def _with_profile(keys: Keys) -> tuple[Keys, str]:
    """The keys, with those that the profile it names adds to them; and its name, or
    nothing.
    """
    if "profile" not in keys:
        return keys, ""
    from ldp.survey.profiles import PROFILES

    name = keys.choice("profile", PROFILES)
    if name is None:
        return keys, ""
    return keys.with_keys(PROFILES[name].keys, f"profile {name}"), name


def _name(keys: Keys) -> str:
    name = keys.text("name")
    if name != "?" and not _NAME.fullmatch(name):
        keys.problem(
            "name",
            (
                "up to 64 letters, digits, dots, dashes or underscores, a letter or "
                "digit first"
            ),
            name,
        )
    return name


def _domain(keys: Keys, types: Collection[str] = TYPES) -> Domain:
    """The domain that the keys describe, with the texts that stand for no answer in
    tables.
    """
    domain = _answers(keys, types)
    is_listed = domain.type in ("boolean", "category", "multi", "integer")
    if is_listed and "missing" in keys and not keys.problems:
        from ldp.survey.readers.scale_keys import missing_of

        domain.missing = missing_of(keys)
        values = [text for text in domain.missing if domain.index_of(text) is not None]
        if values:
            keys.problem(
                "missing", "texts that are no values of the question", values[0]
            )
    return domain


def _answers(keys: Keys, types: Collection[str]) -> Domain:
    kind: str | None = "category"
    if "type" in keys or not ("values" in keys or "parents" in keys or "file" in keys):
        kind = keys.choice("type", types, _OTHER_TYPES)
    if kind in ("category", None) and ("parents" in keys or "file" in keys):
        from ldp.survey.readers.taxonomy_keys import taxonomy_of

        values, taxonomy = taxonomy_of(keys)
        return Domain("category", values, taxonomy=taxonomy)
    if kind == "category" or (kind is None and "values" in keys):
        return Domain("category", keys.texts("values", 2, MOST_VALUES))
    if kind is None:
        return _STAND_IN
    if kind == "multi":
        return _sets(keys)
    if kind == "integer":
        return _range(keys)
    if kind == "number":
        from ldp.answers.real_numbers import NumberDomain
        from ldp.survey.readers.scale_keys import scale_of

        return NumberDomain(scale_of(keys))
    if kind == "vector":
        from ldp.answers.vectors import VectorDomain
        from ldp.survey.readers.ball_keys import ball_of

        return VectorDomain(ball_of(keys))
    if kind == "table":
        from ldp.answers.fields import FieldsDomain
        from ldp.survey.readers.field_keys import collect_of, fields_of

        collect = collect_of(keys)
        fields = fields_of(keys, _name_and_domain, collect)
        return FieldsDomain("table", fields, collect)
    if kind == "place":
        from ldp.survey.readers.place_keys import axes_of, has_named_cells, named_cells

        if has_named_cells(keys):
            return Domain("category", named_cells(keys))
        from ldp.answers.fields import FieldsDomain

        return FieldsDomain("place", axes_of(keys, _name_and_domain))
    if kind == "key-value":
        return _pairs(keys)
    if "values" in keys:
        keys.problem(
            "values",
            "nothing: only a question of type category or multi lists its values",
            "a list of values",
        )
    if kind == "text":
        return Domain("text", None)
    from ldp.answers.booleans import BooleanDomain

    return BooleanDomain()


def _name_and_domain(keys: Keys, types: Collection[str]) -> tuple[str, Domain]:
    return _name(keys), _domain(keys, types)


def _range(keys: Keys) -> Domain:
    from ldp.answers.integers import IntegerDomain

    low = keys.integer("low", -FURTHEST_INTEGER, FURTHEST_INTEGER - 1)
    high = keys.integer("high", 1 - FURTHEST_INTEGER, FURTHEST_INTEGER)
    if not low < high < low + MOST_INTEGERS:
        if not keys.problems:
            keys.problem(
                "high",
                f"a whole number from {low + 1} to {low + MOST_INTEGERS - 1}",
                high,
            )
        high = low + 1
    outside: str | Fraction = "refuse"
    if "outside" in keys:
        from ldp.survey.readers.scale_keys import outside_of

        outside = outside_of(keys, Fraction(low), Fraction(high), what="a whole number")
    return IntegerDomain(range(low, high + 1), outside)


def _charges(keys: Keys, randomizer: Randomizer) -> int:
    if getattr(randomizer, "memoizes", False):
        most = keys.integer(
            "memoized_values", 1, MOST_MEMOIZED, default=USUALLY_MEMOIZED
        )
        return min(most, getattr(randomizer, "memos", None) or most)
    if "memoized_values" in keys:
        keys.problem(
            "memoized_values",
            "nothing: this question keeps no permanent responses",
            "a number of values",
        )
    return 1


def _sets(keys: Keys) -> Domain:
    from ldp.answers.sets import SetDomain

    values = _separable(keys, "values", MOST_VALUES)
    return SetDomain(values, keys.integer("most", 1, len(values)))


def _pairs(keys: Keys) -> Domain:
    from ldp.answers.key_values import KeyValueDomain
    from ldp.survey.readers.scale_keys import two_ends_of

    values = _separable(keys, "keys", MOST_VALUES // 2)
    most = keys.integer("most", 1, len(values))
    return KeyValueDomain(values, most, two_ends_of(keys))


def _separable(keys: Keys, key: str, most: int) -> tuple[str, ...]:
    """Values that can stand beside each other in a cell of a table."""
    values = keys.texts(key, 2, most)
    separated = next((value for value in values if SEPARATOR in value), None)
    if separated is not None:
        keys.problem(
            key,
            (
                f"{key} without {SEPARATOR}, which stands between them in tables of "
                "answers"
            ),
            separated,
        )
    return values


def _design_mechanism(
    keys: Keys, domain: Domain
) -> tuple[Mechanism, tuple[Randomizer, Declared], tuple[Considered, ...]] | None:
    """The row of the mechanism that the file names, or leaves to us, designed.

    Where it is left to us, with what there was to choose from. None if none can serve.
    """
    name: str | None = "auto"
    if "mechanism" in keys:
        name = keys.choice("mechanism", ["auto", *MECHANISMS], OF_LITERATURE)
    if name is None:
        return None
    candidates: tuple[str, ...] = (name,)
    if name == "auto":
        candidates = _left_to_us(keys, domain)
    rows = [MECHANISMS[candidate] for candidate in candidates]
    able = [row for row in rows if row.accepts(domain) is None]
    if not able:
        values = "an open one"
        if domain.ball is not None:
            values = "one of type vector"
        if domain.size is not None:
            values = f"one of type {domain.type} with {domain.size} values"
        if domain.most is not None:
            values += f" of which a respondent may hold {domain.most}"
        if domain.taxonomy is not None:
            values += " that have parents"
        if domain.collect:
            values += f", told in {domain.collect}"
        # Of those that are for a goal, the last serves the most domains.
        named = rows[0] if candidates is AUTOMATIC else rows[-1]
        keys.problem("mechanism", f"{named.accepts(domain)} for {named.name}", values)
        return None
    if name != "auto":
        return able[0], able[0].design(keys, domain), ()
    limit = keys.integer("report_bytes", 1, 1 << 20, default=0)
    if candidates is not AUTOMATIC:
        return able[0], able[0].design(keys, domain), ()
    designs = [row.design(keys, domain) for row in able]
    randomizers = (randomizer for randomizer, _ in designs)
    choice = list_candidates(zip(able, randomizers, strict=True), domain.most or 1)
    best = least_error(choice, limit)
    return best.row, designs[choice.index(best)], choice


def _left_to_us(keys: Keys, domain: Domain) -> tuple[str, ...]:
    """Return the mechanisms that `auto` chooses from."""
    if domain.ball is not None:
        return OF_VECTORS
    if domain.collect:
        return OF_SUBSETS
    if domain.taxonomy is None:
        return GOALS[_goal(keys, domain)]
    return OF_TREES


def _goal(keys: Keys, domain: Domain) -> str:
    """Return the goal of `auto`: frequencies, unless the survey says otherwise."""
    goal = (keys.choice("goal", GOALS) if "goal" in keys else None) or "frequencies"
    if goal == "map" and not domain.is_place and "cells" not in keys:
        keys.problem(
            "goal", "map for a question of type place alone", f"type {domain.type}"
        )
    return goal


def _entries(top: Keys, length: int) -> list[Mapping[str, object]]:
    """The tables of the questions.

    None of them if what they ask for together is too much to go on.
    """
    entries = top.tables("question")
    if not 1 <= len(entries) <= MOST_QUESTIONS:
        top.problem(
            "question",
            f"1 to {MOST_QUESTIONS} [[question]] tables",
            f"{len(entries)} of them",
        )
        entries = entries[:MOST_QUESTIONS]
    allowance = -(-length // MEBIBYTE)
    for most, what, count in _IN_ALL:
        came = count(entries)
        if came > most * allowance:
            top.problem(
                "question",
                f"questions with at most {most * allowance:,} {what} in all",
                f"{came:,}",
            )
            entries = []
    return entries


def _cells(entry: Mapping[str, object]) -> int:
    tables = (
        table
        for key in ("matrix", "quality")
        if isinstance(table := entry.get(key), list)
    )
    written = sum(
        len(row) for table in tables for row in table if isinstance(row, list)
    )
    cells = None
    if entry.get("mechanism") == "metric":
        cells = entry.get("cells")
    # A map of g x g cells has a row for each of them; one with more is refused by its
    # mechanism.
    return written + (cells**4 if cells in _CELLS_OF_METRIC else 0)


def _work(entry: Mapping[str, object]) -> int:
    """The values that are worked out, one by one, from less text than they take."""
    if entry.get("type") == "place":
        if isinstance(entry.get("cells"), int):
            return _WORK_OF_MAP
        return 0
    fields = entry.get("field")
    within = fields if isinstance(fields, list) else []
    tables = [entry, *(field for field in within if isinstance(field, Mapping))]
    return sum(map(_numbers, tables))


def _numbers(entry: Mapping[str, object]) -> int:
    bins = entry.get("bins")
    if isinstance(bins, int):
        # As with a range below, more are a problem of their question.
        if 0 < bins <= MOST_INTEGERS:
            return bins
        return 0
    low, high = entry.get("low"), entry.get("high")
    # A scale costs no more for having many points.
    is_scale = entry.get("type") in ("number", "key-value")
    if is_scale or not isinstance(low, int) or not isinstance(high, int):
        return 0
    # A range that is too wide by itself is a problem of its question.
    if 0 < high - low < MOST_INTEGERS:
        return high - low + 1
    return 0


def _search_size(entries: list[Mapping[str, object]]) -> int:
    """The values of distributions, of those that are alike once: so they are searched
    for.
    """
    distributions = [entry for entry in entries if entry.get("goal") == "distribution"]
    different = {
        (_points(entry), str(entry.get("epsilon")), entry.get("circular") is True)
        for entry in distributions
    }
    # For more values than that there is no search.
    return sum(points for points, *_ in different if points < _LONGEST_SEARCHED)


def _points(entry: Mapping[str, object]) -> int:
    """How many values a number has; none where its keys are wrong, which is told
    elsewhere.
    """
    if isinstance(edges := entry.get("edges"), list):
        return len(edges)
    ends = [entry.get("low"), entry.get("high"), entry.get("step", 1)]
    numbers = [number for number in ends if isinstance(number, str | int | float)]
    if "bins" in entry or len(numbers) < len(ends):
        return _numbers(entry)
    with suppress(ValueError, ZeroDivisionError):
        low, high, step = map(fraction, numbers)
        return max(int((high - low) / step), 0)
    return 0


def _in_subsets(entry: Mapping[str, object]) -> int:
    if "collect" not in entry:
        return 0
    from ldp.answers.fields import SUBSETS

    fields = entry.get("field")
    if entry.get("collect") == SUBSETS and isinstance(fields, list):
        return len(fields)
    return 0


def _sum_of(
    count: Callable[[Mapping[str, object]], int],
) -> Callable[[list[Mapping[str, object]]], int]:
    return lambda entries: sum(map(count, entries))


_IN_ALL = (
    (MOST_CELLS, "numbers in `matrix` and `quality`", _sum_of(_cells)),
    (
        MOST_WORK,
        "whole numbers between `low` and `high`, bins and cells of maps",
        _sum_of(_work),
    ),
    (MOST_IN_SUBSETS, "fields told in subsets", _sum_of(_in_subsets)),
    (MOST_SEARCHED, "values of distributions that differ", _search_size),
)
"""What costs more than the text that asks for it: limits for each mebibyte of a file.
"""


def _place(place: str, number: int, entry: Mapping[str, object]) -> str:
    name = entry.get("name")
    if not isinstance(name, str) or len(name) > 64:
        return f"{place}: question {number}"
    return f"{place}: question {number} ({written_name(name)})"


def _find_repetitions(place: str, questions: tuple[Question, ...]) -> list[Problem]:
    often = Counter(question.name for question in questions)
    twice = sorted(name for name, count in often.items() if count > 1)
    return [
        Problem(place, "question names that all differ", f"{name!r} more than once")
        for name in twice
    ]


@cache
def _all_keys() -> frozenset[str]:
    """Return the keys of every mechanism: without one, none of them is a mistake."""
    keys = (key for row in MECHANISMS.values() for key in row.keys)
    return frozenset({"memoized_values", "goal", *keys})
