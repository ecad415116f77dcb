"""The keys of a question of type table in a survey file: its fields, each a table of
its own.

collect                       (optional) product | subsets: whether a report tells of
                              all fields, or of some of them, which is for many

and in each field

name                          as for a question; tables of answers have a column called
                              so
type                          boolean | category | integer | number
values, low, high, ...        the keys of that type; a number has cells (`edges` or
                              `bins`)
text                          (optional) what people are asked
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from ldp.answers.domain import MOST_LISTED, Domain, Field, Fields
from ldp.answers.fields import AND, SUBSETS, cells_of, names_of
from ldp.answers.keys import Keys, written_name

FEWEST, MOST = 2, 16
"""Fields of one table."""
MOST_CELLS = MOST_LISTED
MOST_IN_SUBSETS, MOST_CELLS_IN_SUBSETS = 32, (1 << 63) - 1
"""The same where a report tells some of the fields: cells are numbers of 63 bits."""
WAYS = ("product", SUBSETS)
_TYPES = ("boolean", "category", "integer", "number")
_KEY = "field"
_STAND_IN = (
    Field("1", Domain("category", ("0", "1"))),
    Field("2", Domain("category", ("0", "1"))),
)

Read = Callable[[Keys, Collection[str]], tuple[str, Domain]]
"""The name and the domain that the keys describe, of one of these types."""


def collect_of(keys: Keys) -> str:
    """How fields are told, where a report does not tell of all of them."""
    way = None
    if "collect" in keys:
        way = keys.choice("collect", WAYS)
    if way == SUBSETS:
        return SUBSETS
    return ""


def fields_of(keys: Keys, read: Read, collect: str) -> Fields:
    """The fields that a question has; harmless ones, and problems, where they cannot
    be.
    """
    tables = keys.tables(_KEY)
    most, most_cells = (
        (MOST_IN_SUBSETS, MOST_CELLS_IN_SUBSETS) if collect else (MOST, MOST_CELLS)
    )
    if not FEWEST <= len(tables) <= most:
        came = f"{len(tables)} of them"
        keys.problem(_KEY, f"{FEWEST} to {most} tables [[question.{_KEY}]]", came)
        return _STAND_IN
    fields = tuple(
        _field(keys, number, table, read=read) for number, table in enumerate(tables, 1)
    )
    if keys.problems:
        return _STAND_IN
    names = names_of(fields)
    if len(set(names)) < len(names):
        keys.problem(_KEY, "names that all differ", ", ".join(names))
        return _STAND_IN
    cells = cells_of(fields)
    if cells > most_cells:
        expected = f"fields that have at most {most_cells:,} cells together"
        if not collect:
            expected = (
                f'{expected}, or `collect = "{SUBSETS}"`, which is for many fields'
            )
        keys.problem(_KEY, expected, f"{cells:,} of them")
        return _STAND_IN
    return fields


def _field(keys: Keys, number: int, table: Mapping[str, object], read: Read) -> Field:
    name = table.get("name")
    called = ""
    if isinstance(name, str):
        called = f" ({written_name(name)})"
    own = Keys(f"{keys.place}: {_KEY} {number}{called}", table)
    field = field_of(own, read)
    own.finish()
    keys.adopt(own)
    return field


def field_of(own: Keys, read: Read) -> Field:
    """The field that keys of its own describe."""
    text = own.text("text", "")
    for key in ("parents", "file"):
        if key in own:
            own.problem(key, "nothing: a field's values have no tree", "a tree")
    name, domain = read(own, _TYPES)
    if domain.scale is not None and not domain.scale.edges:
        own.problem(
            "edges", "edges or bins: a field's numbers are counted in cells", "steps"
        )
    ambiguous = domain.type == "category" and any(
        AND in value for value in domain.values or ()
    )
    if ambiguous:
        own.problem(
            "values", f"values without {AND!r}, which joins them to names of cells", AND
        )
    return Field(name, domain, text)
