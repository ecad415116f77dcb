"""Public attributes: what a report may say openly of the device that it comes from.

    [[attribute]]
    name = "platform"
    values = ["android", "ios", "web"]
    questions = ["mode"]          (optional) those whose reports carry it; all, if none are listed

An app gives one of the values, or none: then the attribute is *unknown*. Attributes are
not randomized. They divide the crowd of respondents into groups, and the smaller a
group, the more it says of whoever is in it: a survey lists what may be told, and groups
of fewer reports than its `least_group` are not shown (docs/groups.md).

A report carries one number, its *combination*: that of its values in a mixed radix, the
first attribute in front, each counted from 1, and 0 for unknown. A report of which
nothing is known has combination 0 and the bytes that it would have without attributes.

Rules
- Names and values are part of the fingerprints of the questions they go with: what a
  combination means does not change under one fingerprint.
- Questions that are answered together carry the same attributes.
- An app says what holds when an answer is recorded; whether there is a report does not
  depend on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ldp.errors import AnswerError

if TYPE_CHECKING:
    from ldp.answers.keys import Keys

UNKNOWN = "unknown"
"""What stands for no value."""
MOST_ATTRIBUTES = 8
MOST_COMBINATIONS = 1000
LEAST_GROUP, SMALLEST_GROUP, LARGEST_GROUP = 100, 10, 1_000_000
"""Reports that a group needs to be shown: unless the survey says otherwise; and what it
may say.
"""
NOTHING_SAID: Mapping[str, str] = {}
_LONGEST_VALUE = 64
_SEPARATORS = frozenset(",=&")
"""What stands between names and values where groups are asked for."""


class Attribute(NamedTuple):
    """Public attribute of a device: a name, its values, and the questions it goes
    with.
    """

    name: str
    values: tuple[str, ...]
    questions: tuple[str, ...] = ()
    """Those whose reports carry it; all, if empty."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Values that can be known of it, in the order of its digits."""
        return (UNKNOWN, *self.values)

    def goes_with(self, question: str) -> bool:
        """Whether reports to a question carry it."""
        return not self.questions or question in self.questions


Attributes = tuple[Attribute, ...]
Combination = tuple[str, ...]
"""A value, or `UNKNOWN`, for each attribute."""


def size_of(attributes: Attributes) -> int:
    """How many combinations there are; one without attributes."""
    return math.prod(len(attribute.labels) for attribute in attributes)


def labels_of(attributes: Attributes, number: int) -> Combination:
    """The values that a combination stands for, in the order of the attributes."""
    labels = []
    for attribute in reversed(attributes):
        number, digit = divmod(number, len(attribute.labels))
        labels.append(attribute.labels[digit])
    return tuple(reversed(labels))


def combination_of(attributes: Attributes, given: Mapping[str, str]) -> int:
    """The number of the combination of the values that are given, by the names of
    attributes.

    Values of attributes that are not among these are passed over.
    """
    number = 0
    for attribute in attributes:
        label = given.get(attribute.name, UNKNOWN)
        number = number * len(attribute.labels) + attribute.labels.index(label)
    return number


def check_given(attributes: Attributes, given: Mapping[str, str]) -> None:
    """Raise `AnswerError` for an attribute, or a value of one, that the survey does not
    list.
    """
    listed = {attribute.name: attribute for attribute in attributes}
    for name, value in given.items():
        if name not in listed:
            names = ", ".join(listed) or "there is none"
            raise AnswerError(
                f"expected one of the survey's attributes ({names}), got {name!r}"
            )
        if value not in listed[name].values:
            values = ", ".join(listed[name].values)
            raise AnswerError(
                f"attribute {name!r}: expected one of its values ({values}), or none "
                f"of them where it is unknown, got {value!r}"
            )


def parts_of(attributes: Attributes) -> Iterator[str]:
    """Yield the texts of attributes that the fingerprint of a question covers."""
    for attribute in attributes:
        yield f"attribute={attribute.name}"
        yield str(len(attribute.values))
        yield from attribute.values


def attributes_of(tables: Sequence[Keys], name_of: Callable[[Keys], str]) -> Attributes:
    """The attributes that a survey's tables declare; their problems are noted in the
    tables.
    """
    attributes: list[Attribute] = []
    for number, keys in enumerate(tables, 1):
        attribute = Attribute(name_of(keys), _values(keys), _questions(keys))
        keys.finish()
        if attribute.name in [other.name for other in attributes]:
            keys.problem(
                "name", "attributes whose names all differ", f"{attribute.name} again"
            )
        if number == MOST_ATTRIBUTES + 1:
            keys.problem("name", f"at most {MOST_ATTRIBUTES} attributes", "one more")
        attributes.append(attribute)
        combinations = size_of(tuple(attributes))
        if combinations > MOST_COMBINATIONS:
            expected = (
                f"at most {MOST_COMBINATIONS:,} combinations, with unknown as a value"
            )
            keys.problem("values", expected, f"{combinations:,}")
            break
    return tuple(attributes)


def note_unknown(
    tables: Sequence[Keys],
    attributes: Attributes,
    questions: Collection[str],
    joint: Sequence[Sequence[str]],
) -> None:
    """Note in its table where an attribute goes with no question, or with a part of a
    group.
    """
    for keys, attribute in zip(tables, attributes, strict=False):
        if attribute.name in questions:
            keys.problem("name", "another name than those of questions", attribute.name)
        for name in attribute.questions:
            if name not in questions:
                keys.problem(
                    "questions", "names of sound questions of the survey", name
                )
        for group in joint:
            if len({attribute.goes_with(name) for name in group}) > 1:
                together = " and ".join(group)
                expected = "all questions that are answered together, or none of them"
                keys.problem("questions", expected, f"a part of {together}")


def _values(keys: Keys) -> tuple[str, ...]:
    values = keys.texts("values", 1, MOST_COMBINATIONS - 1)
    for value in values:
        is_clear = value.isprintable() and not _SEPARATORS.intersection(value)
        if len(value) > _LONGEST_VALUE or not is_clear or value == UNKNOWN:
            expected = (
                f"texts of at most {_LONGEST_VALUE} printable characters without "
                f"commas, equals signs and ampersands, {UNKNOWN!r} not among them"
            )
            keys.problem("values", expected, value)
            break
    return values


def _questions(keys: Keys) -> tuple[str, ...]:
    if "questions" in keys:
        return keys.texts("questions", 1, MOST_COMBINATIONS)
    return ()
