"""Fields: the parts of one answer, such as sex and age group, which are told together.

A question of type `table` has two fields or more. Its values are the cells of their table, one for
each combination, and an answer is one of them: so one report, with the whole epsilon, tells of all
fields and of how they go together. (Questions that are answered together by a report each, which
share the epsilon, are `joint`.)

Cells have numbers, the last field's value varying fastest, and names: the fields' values in their
order, such as "female & 25 to 39". Of many fields there are more cells than can be listed; a report
then tells some of the fields (`ldp.mechanisms.sets.subsets`), and a cell has a number alone.

A question of type `place` has two fields, the axes of a map, whose values are cells of a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ldp.errors import AnswerError

if TYPE_CHECKING:
    from ldp.answers.domain import Domain

AND = " & "
"""What stands between the values in the name of a cell."""
SUBSETS = "subsets"
"""How many fields are collected: a report tells of some of them, in a question's key `collect`."""


class Field(NamedTuple):
    """A part of an answer, what it may be, and what people are asked for it."""

    name: str
    domain: Domain
    text: str = ""

    @property
    def size(self) -> int:
        """How many values it has."""
        return self.domain.size or 0


Fields = tuple[Field, ...]


def names_of(fields: Fields) -> tuple[str, ...]:
    """What they are called."""
    return tuple(field.name for field in fields)


def cells_of(fields: Fields) -> int:
    """How many cells their table has."""
    return prod(field.size for field in fields)


def written(fields: Fields) -> Iterator[str]:
    """The names of the cells."""
    return map(AND.join, product(*(field.domain.written() for field in fields)))


def parts_of(fields: Fields) -> Iterator[str]:
    """What tells them from other fields, as texts, for a fingerprint."""
    yield str(len(fields))
    for field in fields:
        yield from (field.name, field.domain.type, *field.domain.parts())


def by_name(fields: Fields, answer: object) -> object:
    """An answer that may also be a list of what it has for each field, in their order."""
    if isinstance(answer, tuple | list) and len(answer) == len(fields):
        return dict(zip(names_of(fields), answer, strict=True))
    return answer


def cell(fields: Fields, answer: object) -> int:
    """The cell of an answer: a value for each field, by name. Raises `AnswerError`."""
    names = names_of(fields)
    expected = f"expected an answer for each of the fields {', '.join(names)}, by name"
    if not isinstance(answer, Mapping):
        raise AnswerError(f"{expected}, got something of type {type(answer).__name__}")
    if answer.keys() != set(names):
        raise AnswerError(f"{expected}, got others")
    place = 0
    for field in fields:
        try:
            value = field.domain.value(answer[field.name])
        except AnswerError as error:
            raise AnswerError(f"field {field.name!r}: {error}") from None
        place = place * field.size + int(value)
    return place


def parsed(fields: Fields, name: str) -> object:
    """An answer that lies in the cell of a name; a text without the parts of one stays as it is."""
    texts = name.split(AND)
    if len(texts) != len(fields):
        return name
    parts = zip(fields, texts, strict=True)
    return {field.name: field.domain.parse(text) for field, text in parts}


def values_in(sizes: Iterable[int], place: int) -> list[int]:
    """The value of each field in a cell, of fields that have so many values."""
    values = []
    for size in reversed([*sizes]):
        place, value = divmod(place, size)
        values.append(value)
    return values[::-1]
