"""Domains: the answers that a question allows.

A closed domain lists its values, and an answer becomes its index; an open one takes any
text, and an answer becomes its UTF-8 bytes. Other types are classes of their own: true
or false (`ldp.answers.booleans`), whole numbers of a range (`ldp.answers.integers`),
numbers on a scale (`ldp.answers.real_numbers`), sets of values (`ldp.answers.sets`),
keys that come with numbers (`ldp.answers.key_values`), tables and places of several
fields (`ldp.answers.fields`), and vectors (`ldp.answers.vectors`). An answer that does
not fit is refused without being repeated in the message.

Where a device may have many records (`ldp.answers.contributions`), an answer is a
sequence of such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.texts import text_bytes, to_nfc
from ldp.errors import AnswerError

if TYPE_CHECKING:
    from ldp.answers.balls import Ball
    from ldp.answers.contributions import NumericRange
    from ldp.answers.scales import Scale
    from ldp.answers.taxonomies import Taxonomy

_MOST_SHOWN = 5
"""Values that the `repr` of a domain shows."""
MOST_LISTED = 1 << 16
"""Points or cells of a scale, beyond which they are not written out one by one."""
SEPARATOR = "|"
"""What stands between the values of a set in a cell of a table; alone it is the empty
set.

Also between the records of a device.
"""

Value = int | bytes
"""An answer inside the framework: a closed domain's index or set, or the bytes of a
text.
"""
Placed = tuple[Value, int]
"""A value, and 2^64 times how far a number is on the way from there to the next."""


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


class Domain:
    """The `type` of a question and, unless it is open, the values in their order.

    Categories and texts are of this class, and every other type has its own, in the
    module that the docstring above names. What only some types have is None or empty
    here.

    `most` is how many of the values a respondent may hold at once, from none up; None
    where everyone holds exactly one. `per_device` is what is made of many records, one
    of `contributions.MODES`; empty where a device has one. With a `taxonomy` the values
    are the leaves of a tree, and with `fields` the cells of a table; with a way to
    `collect` these, which are then told some at a time, cells are too many to be named.
    With a `key_scale` they are keys, and a number on it comes with each that is held.
    `circular` numbers lie on a circle, such as the hours of a day: after the last value
    comes the first. `outside` says what is done with numbers outside of the range:
    `refuse`, `clip`, or the number that stands in for them.
    """

    __slots__ = (
        "_listed",
        "_places",
        "ball",
        "circular",
        "collect",
        "ends",
        "fields",
        "is_listed",
        "is_open",
        "is_place",
        "key_scale",
        "missing",
        "most",
        "numbers",
        "outside",
        "per_device",
        "scale",
        "size",
        "spacing",
        "taxonomy",
        "type",
        "unit",
    )

    def __init__(
        self,
        type: str,  # noqa: A002 (what the survey file calls it)
        values: tuple[str, ...] | None,
        taxonomy: Taxonomy | None = None,
    ) -> None:
        self.type = type
        self.fields: Fields = ()
        self.collect = ""
        self.circular = False
        self.most: int | None = None
        self.per_device = ""
        self.scale: Scale | None = None
        self.taxonomy = taxonomy
        self.key_scale: Scale | None = None
        self.ball: Ball | None = None
        self.outside: str | Fraction = "refuse"
        self.missing: tuple[str, ...] = ()
        """Texts that stand for no answer in tables of answers."""
        self.numbers: range | None = None
        """The whole numbers whose texts are the values."""
        self.size: int | None = None if values is None else len(values)
        """How many values there are; None for an open domain."""
        self.is_open = values is None
        """Whether it takes any text."""
        self.is_listed = values is not None
        """Whether it has values, few enough to be written out."""
        self.is_place = type == "place"
        """Whether answers are places: two fields, the axes of a map, each a number in
        cells.
        """
        self.spacing: tuple[Fraction, Fraction] | None = None
        """The lowest value and the step between values, where they are evenly spaced
        numbers.
        """
        self.ends: tuple[Fraction, Fraction] | None = None
        """The least and the greatest number, where values are numbers."""
        self.unit = ""
        """Unit of the numbers, if the survey names one."""
        self._listed = values
        self._places: dict[str, int] | None = None

    @property
    def values(self) -> tuple[str, ...] | None:
        """The values in their order; None for an open domain, and for a scale of very
        many.
        """
        if self._listed is None and self.is_listed:
            self._listed = tuple(self.iter_values())
        return self._listed

    @property
    def has_between(self) -> bool:
        """Whether what a device has may lie between two values, to either of which it
        then goes.
        """
        return False

    @property
    def summary(self) -> str:
        """The type, and how much there is to choose from; and what of many records is
        counted.
        """
        choice = self._choice
        if self.circular:
            choice = f"{self._choice}, on a circle"
        if not self.per_device:
            return choice
        from ldp.answers.contributions import SHORT

        return f"{choice}, {SHORT[self.per_device]}"

    @property
    def _choice(self) -> str:
        if self._listed is None:
            return f"any {self.type}"
        nodes = ""
        if self.taxonomy is not None:
            nodes = f" under {len(self.taxonomy.inner):,} nodes"
        return f"{self.type} of {len(self._listed):,} values{nodes}"

    def __repr__(self) -> str:
        listed = self._listed or ()
        shown = ", ".join(listed[:_MOST_SHOWN])
        hidden = len(listed) - _MOST_SHOWN
        more = ""
        if hidden > 0:
            more = f" and {hidden:,} more"
        return f"<Domain {self.summary}{f': {shown}{more}' if shown else ''}>"

    def iter_values(self) -> Iterator[str]:
        """The values one by one, without keeping those that are numbers."""
        return iter(self._listed or ())

    def label(self, value: str) -> str:
        """Return what people call a value."""
        return value

    def parts(self) -> Iterator[str]:
        """Yield the texts by which a fingerprint tells the domain from others of its
        type.
        """
        yield "open" if self.size is None else str(self.size)
        yield from self._own_parts()
        if self.per_device:
            yield f"per_device={self.per_device}"
        if self.circular:
            yield "circular=true"

    def _own_parts(self) -> Iterable[str]:
        yield from self.iter_values()

    @property
    def estimand(self) -> str:
        """Changes made to answers before they are counted; empty where there are
        none.
        """
        if self.per_device:
            from ldp.answers.contributions import estimand

            return estimand(self.per_device, self._bounds)
        if self.ends is None:
            return ""
        from ldp.answers.scales import estimand_of

        return estimand_of(self.outside, *self.ends)

    @property
    def _bounds(self) -> str:
        """Treatment of single records outside the range; empty where there is none."""
        from ldp.answers.contributions import bounds_text

        if self.ends is None:
            return ""
        return bounds_text(self.outside, *self.ends)

    def value(self, answer: object) -> Value:
        """The index of an answer; or its bytes, or set.

        An answer is a bool for a boolean question, an int for an integer one, a number
        for one of type number, a sequence of numbers for one of type vector, else a
        str, or a collection of them where several values may be held, a mapping where a
        number comes with each, a dict of such by field for one of type table or place
        (for which a pair will do), or a sequence where a device has many records.
        Raises `AnswerError`, also for a number between two points of a scale.
        """
        places = self.places(answer)
        if any(rest for _, rest in places):
            raise AnswerError(
                "expected a number on the scale, got one between two points"
            )
        return self._value_at(places)

    def _value_at(self, places: tuple[Placed, ...]) -> Value:
        return places[0][0]

    def place(self, answer: object) -> Placed:
        """The value of an answer, and how far a number is on the way to the next one.

        That is 2^64 times how far a number is on the way from its point of the scale to
        the next, and 0 for all other answers. Of several records of which one is drawn,
        that of the first. Raises `AnswerError`.
        """
        places = self.places(answer)
        # Who holds no key has no place.
        if places:
            return places[0]
        return (0, 0)

    def places(self, answer: object) -> tuple[Placed, ...]:
        """Locate each record, where one of several is drawn, or each key with its
        number.
        """
        if self.per_device:
            return self._places_of_records(answer)
        return ((self._value(answer), 0),)

    def _places_of_records(self, answer: object) -> tuple[Placed, ...]:
        from ldp.answers.contributions import OF_NUMBERS, combine, select

        if self.per_device not in OF_NUMBERS:
            return tuple(map(self.place_record, select(self.per_device, answer)))
        line = self._line
        assert line is not None  # noqa: S101 (the modes of numbers are for numbers alone)
        return (line.locate(combine(self.per_device, answer, line)),)

    @property
    def _line(self) -> NumericRange | None:
        return None

    def place_record(self, record: object) -> Placed:
        """Locate one record as `place` does an answer."""
        return self._value(record), 0

    def _value(self, answer: object) -> Value:
        if not isinstance(answer, str):
            raise AnswerError(
                f"expected text, got something of type {type(answer).__name__}"
            )
        if self._listed is None:
            return text_bytes(answer)
        # Nearly all answers are listed as they are written.
        index = (self._places or self._index).get(answer)
        if index is None:
            index = self.index_of(answer)
        if index is None:
            raise AnswerError(
                f"expected one of the question's {self.size} values, got some other "
                "text"
            )
        return index

    def parse(self, cell: str) -> object:
        """The answer that a cell of a table holds, ready for `value`.

        Records of a device stand between separators.
        """
        if self.per_device:
            return tuple(
                self.parse_record(part.strip()) for part in cell.split(SEPARATOR)
            )
        return self.parse_record(cell)

    def parse_record(self, cell: str) -> object:
        """Parse one record as `parse` does an answer."""
        return cell

    def is_missing(self, cell: object) -> bool:
        """Whether a cell of a table stands for no answer: it is empty, or the survey
        says so.
        """
        if not isinstance(cell, str):
            return False
        text = cell.strip()
        return not text or to_nfc(text) in map(to_nfc, self.missing)

    def index_of(self, value: object) -> int | None:
        """The place of a listed value, in whichever normalization form; None if it is
        none.
        """
        if not isinstance(value, str):
            return None
        return (self._places or self._index).get(to_nfc(value))

    @property
    def _index(self) -> dict[str, int]:
        """The place of each value, made when an answer first asks for one."""
        if self._places is None:
            self._places = {
                to_nfc(value): index for index, value in enumerate(self.iter_values())
            }
        return self._places
