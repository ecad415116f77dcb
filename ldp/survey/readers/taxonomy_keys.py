"""The keys of a taxonomy in a survey file, read into the values of a question and their
tree.

values      the leaves, if they are to have another order than that in which `parents`
            names them
parents     a table: the node above each value, and the one above each node that has any
file        or the name of a file of two columns, child and parent, in place of
            `parents`
levels      what the levels are called, from the top to the values

A node that holds all values is left out: its share is 1. Files are read by whoever
reads the survey file, as this package reads none, and their rows take the place of
`parents`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from ldp.answers.keys import Keys
from ldp.answers.taxonomies import MOST_LEVELS, MOST_VALUES, Taxonomy
from ldp.answers.texts import first_repetition, lines_of
from ldp.errors import Problem, SurveyError

ReadFile = Callable[[str], str]
"""The text of a file that a survey file names."""

_LONGEST_NAME = 1000
_HEADER = ("child", "parent")
_STAND_IN = ("0", "1"), Taxonomy(("2", "3"), (0, 0, 1, 2), ("1", "2"))


def taxonomy_of(keys: Keys) -> tuple[tuple[str, ...], Taxonomy]:
    """The values and their tree; harmless ones, and a problem, where there is none."""
    if "file" in keys:
        keys.problem(
            "file",
            "a survey that is read from a file, beside which this one lies; or parents "
            "in its place (Survey.to_toml writes them)",
            "a survey whose place is not known",
        )
        return _STAND_IN
    above = _read_parents(keys)
    if keys.problems:
        return _STAND_IN
    inner = set(above.values())
    if "values" in keys:
        values = keys.texts("values", 2, MOST_VALUES)
    else:
        values = tuple(name for name in above if name not in inner)
    wrong = _wrong(values, above, inner)
    if wrong is not None:
        keys.problem("parents", *wrong)
    if keys.problems:
        return _STAND_IN
    taxonomy = _build_tree(values, _without_root(values, above))
    if not taxonomy.inner:
        keys.problem("parents", "a tree with two nodes or more at the top", "only one")
        return _STAND_IN
    return values, taxonomy._replace(levels=_levels(keys, max(taxonomy.depths)))


def with_files(
    table: Mapping[str, object], place: str, read: ReadFile
) -> Mapping[str, object]:
    """The table of a survey file, with questions, with the rows of files in place of
    their names.

    Raises `SurveyError`, and what `read` raises.
    """
    entries = cast("list[object]", table["question"])
    return {**table, "question": [_with_file(entry, place, read) for entry in entries]}


def _with_file(entry: object, place: str, read: ReadFile) -> object:
    if not isinstance(entry, dict):
        return entry
    if entry.get("type") == "place" and isinstance(entry.get("cells"), str):
        from ldp.survey.readers.place_keys import with_cells_of_file

        return with_cells_of_file(entry, place, read)
    name = entry.get("file")
    if not isinstance(name, str) or "parents" in entry:
        return entry
    # Imported here, as devices read no files.
    import csv

    above: dict[str, str] = {}
    tops = []
    for number, row in enumerate(csv.reader(lines_of(read(name))), 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and tuple(map(str.lower, cells)) == _HEADER):
            continue
        child, parent = (*cells, "")[:2]
        if len(cells) > 2 or not child:
            raise _unfit(
                f"{place}: {name}, row {number}", "a child and its parent", cells
            )
        if above.get(child, parent) != parent:
            raise _unfit(
                f"{place}: {name}, row {number}",
                f"one parent for {child!r}, such as {above[child]!r} (names tell nodes "
                "apart: two nodes of one name need longer ones)",
                repr(parent),
            )
        if parent:
            above[child] = parent
        else:
            tops.append(child)
    return _inline(entry, above, tops)


def _inline(
    entry: Mapping[str, object], above: Mapping[str, str], tops: list[str]
) -> dict[str, object]:
    """The question with parents, and values where some of them have no parent."""
    inner = set(above.values())
    lonely = [name for name in tops if name not in inner]
    keys: dict[str, object] = {
        key: value for key, value in entry.items() if key != "file"
    }
    if lonely and "values" not in keys:
        keys["values"] = [
            *(name for name in above if name not in inner),
            *dict.fromkeys(lonely),
        ]
    return {**keys, "parents": dict(above)}


def _unfit(place: str, expected: str, came: object) -> SurveyError:
    return SurveyError((Problem(place, expected, str(came)),))


def _read_parents(keys: Keys) -> dict[str, str]:
    """The parent of every child, by name."""
    above = keys.table("parents")
    unfit = [
        name
        for pair in above.items()
        for name in pair
        if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME
    ]
    if unfit:
        keys.problem(
            "parents", 'the names of nodes, such as { "Cook" = "Illinois" }', unfit[0]
        )
    if len(above) > 2 * MOST_VALUES:
        keys.problem(
            "parents", f"at most {2 * MOST_VALUES:,} children", f"{len(above):,}"
        )
    if keys.problems:
        return {}
    return {child: str(parent) for child, parent in above.items()}


def _without_root(
    values: tuple[str, ...], above: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the parents without nodes that hold all values."""
    while True:
        tops = {name for name in (*values, *above.values()) if name not in above}
        if len(tops) > 1 or not above:
            return above
        above = {child: parent for child, parent in above.items() if parent not in tops}


def _wrong(
    values: tuple[str, ...], above: Mapping[str, str], inner: set[str]
) -> tuple[str, str] | None:
    """Return (expected, got) for a broken tree; None for a sound one."""
    known = set(values)
    if len(values) > MOST_VALUES:
        return f"at most {MOST_VALUES:,} values", f"{len(values):,} of them"
    twice = first_repetition(values)
    if twice is not None:
        return "values that all differ", f"{twice!r} in two forms of Unicode"
    with_children = next((name for name in values if name in inner), None)
    if with_children is not None:
        return (
            "values without children, since an answer is a leaf",
            f"{with_children!r} with some",
        )
    unknown = next(
        (name for name in above if name not in known and name not in inner), None
    )
    if unknown is not None:
        return (
            "children that are values or parents of others",
            f"{unknown!r}, which is neither",
        )
    circle = next((name for name in above if name in _above(name, above)), None)
    if circle is not None:
        return "a tree", f"a circle: {circle!r} is above itself"
    if any(len(_above(value, above)) >= MOST_LEVELS for value in values):
        return f"a tree of at most {MOST_LEVELS} levels", "a deeper one"
    empty = inner.difference(*(_above(value, above) for value in values))
    if empty:
        return "a tree", f"a circle at {min(empty)!r}"
    return None


def _above(name: str, above: Mapping[str, str]) -> list[str]:
    """The nodes above one; of a circle, and of a tree that is too deep, some of
    them.
    """
    names: list[str] = []
    while name in above and len(names) <= MOST_LEVELS:
        name = above[name]
        names.append(name)
    return names


def _build_tree(values: tuple[str, ...], above: Mapping[str, str]) -> Taxonomy:
    """The tree with its nodes in their order."""
    # Of each inner node its depth, and the first value below it.
    places: dict[str, tuple[int, int]] = {}
    for first, value in enumerate(values):
        path = _above(value, above)
        for depth, name in enumerate(reversed(path)):
            places.setdefault(name, (depth, first))
    inner = tuple(sorted(places, key=lambda name: places[name]))
    number = {name: 1 + node for node, name in enumerate(inner)}
    parents = tuple(number.get(above.get(name, ""), 0) for name in (*inner, *values))
    return Taxonomy(inner, parents, ())


def _levels(keys: Keys, depth: int) -> tuple[str, ...]:
    if "levels" not in keys:
        return tuple(f"level {number}" for number in range(1, depth + 1))
    return keys.texts("levels", depth, depth)
