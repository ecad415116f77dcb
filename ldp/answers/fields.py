"""Fields: the parts of one answer, such as sex and age group, which are told together.

A question of type `table` has two fields or more. Its values are the cells of their
table, one for each combination, and an answer is one of them: so one report, with the
whole epsilon, tells of all fields and of how they go together. (Questions that are
answered together by a report each, which share the epsilon, are `joint`.)

Cells have numbers, the last field's value varying fastest, and names: the fields'
values in their order, such as "female & 25 to 39". Of many fields there are more cells
than can be listed; a report then tells some of the fields
(`ldp.mechanisms.sets.subsets`), and a cell has a number alone.

A question of type `place` has two fields, the axes of a map, whose values are cells of
a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import prod

from ldp.answers.domain import Domain, Fields
from ldp.errors import AnswerError

AND = " & "
"""What stands between the values in the name of a cell."""
SUBSETS = "subsets"
"""How many fields are collected: a report tells of some of them, in a question's key
`collect`.
"""


def names_of(fields: Fields) -> tuple[str, ...]:
    """Return the names of fields."""
    return tuple(field.name for field in fields)


def cells_of(fields: Fields) -> int:
    """How many cells their table has."""
    return prod(field.size for field in fields)


def by_name(fields: Fields, answer: object) -> object:
    """An answer that may also be a list of what it has for each field, in their
    order.
    """
    if isinstance(answer, tuple | list) and len(answer) == len(fields):
        return dict(zip(names_of(fields), answer, strict=True))
    return answer


def values_in(sizes: Iterable[int], place: int) -> list[int]:
    """The value of each field in a cell, of fields that have so many values."""
    values = []
    for size in reversed([*sizes]):
        place, value = divmod(place, size)
        values.append(value)
    return values[::-1]


class FieldsDomain(Domain):
    """The cells of a table, or of a map: a value for each field."""

    __slots__ = ()

    def __init__(self, type: str, fields: Fields, collect: str = "") -> None:  # noqa: A002
        super().__init__(type, None)
        self.fields = fields
        self.collect = collect
        self.size = cells_of(fields)
        # Cells that are told some at a time are too many to be written out.
        self.is_open, self.is_listed = False, not collect

    @property
    def _choice(self) -> str:
        sizes = " x ".join(f"{field.name} ({field.size:,})" for field in self.fields)
        some = ""
        if self.collect:
            some = f", told in {self.collect}"
        return f"{self.type} of {sizes}{some}"

    def iter_values(self) -> Iterator[str]:
        """Return the names of the cells: the values of the fields, in their order."""
        return map(
            AND.join, product(*(field.domain.iter_values() for field in self.fields))
        )

    def parts(self) -> Iterator[str]:
        """Return what tells the fields from others, as texts, for a fingerprint."""
        yield str(len(self.fields))
        for field in self.fields:
            yield from (field.name, field.domain.type, *field.domain.parts())

    @property
    def estimand(self) -> str:
        """Changes made to answers to the fields before they are counted."""
        changes = [(field.name, field.domain.estimand) for field in self.fields]
        return "; ".join(f"{name}: {change}" for name, change in changes if change)

    def _value(self, answer: object) -> int:
        # A place may be a pair: what its numbers mean is plain from their order.
        given = answer
        if self.is_place:
            given = by_name(self.fields, answer)
        names = names_of(self.fields)
        expected = (
            f"expected an answer for each of the fields {', '.join(names)}, by name"
        )
        if not isinstance(given, Mapping):
            raise AnswerError(
                f"{expected}, got something of type {type(given).__name__}"
            )
        if given.keys() != set(names):
            raise AnswerError(f"{expected}, got others")
        place = 0
        for field in self.fields:
            try:
                value = field.domain.value(given[field.name])
            except AnswerError as error:
                raise AnswerError(f"field {field.name!r}: {error}") from None
            place = place * field.size + int(value)
        return place

    def parse_record(self, cell: str) -> object:
        """Parse the name of a cell; a text without its parts stays as it is."""
        texts = cell.split(AND)
        if len(texts) != len(self.fields):
            return cell
        parts = zip(self.fields, texts, strict=True)
        return {field.name: field.domain.parse(text) for field, text in parts}
