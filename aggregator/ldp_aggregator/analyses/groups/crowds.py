"""Crowds: groups of respondents by public attributes.

A crowd has a value, or "unknown", for some of the attributes that the reports to a
question carry, and any for the others. Its reports are those of all combinations that
agree with it, so that every crowd is a sum of *cells*: the counts of one combination
each. Crowds that have values for the same attributes are a table: by platform; by
platform and country.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

from ldp.survey.attributes import Attributes, labels_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_BY = 3
"""Attributes that groups may have values for, together."""

ANY = ""
"""What stands for any value of an attribute: no value is empty."""

Crowd = tuple[str, ...]
"""For each attribute a value, `ldp.survey.attributes.UNKNOWN`, or `ANY`."""


def everyone(attributes: Attributes) -> Crowd:
    """The crowd of all."""
    return (ANY,) * len(attributes)


def tables_of(attributes: Attributes) -> Iterator[list[Crowd]]:
    """All crowds but that of all, table by table, those with values for the fewest
    first.
    """
    places = range(len(attributes))
    for number in range(1, min(MOST_BY, len(attributes)) + 1):
        for chosen in combinations(places, number):
            yield crowds_by(attributes, chosen)


def crowds_by(attributes: Attributes, chosen: Iterable[int]) -> list[Crowd]:
    """The crowds that have values for the attributes at some places, in the survey's
    order.
    """
    by = set(chosen)
    options = [
        attribute.labels if place in by else (ANY,)
        for place, attribute in enumerate(attributes)
    ]
    return list(product(*options))


def members(
    attributes: Attributes, crowds: Sequence[Crowd], numbers: Sequence[int]
) -> NDArray[np.bool_]:
    """Whether a combination, by its number, is in a crowd; of shape (crowds,
    numbers).
    """
    # Slow to import, and no part of what help is printed from.
    import numpy as np

    inside = np.ones((len(crowds), len(numbers)), dtype=np.bool_)
    if not attributes or not numbers:
        return inside
    # The value of each combination by attribute, and of each crowd: (attributes, ...).
    labels = zip(*(labels_of(attributes, number) for number in numbers), strict=True)
    values = zip(*crowds, strict=True)
    for of_numbers, of_crowds in zip(labels, values, strict=True):
        wanted = np.array(of_crowds, dtype=object)[:, None]
        inside &= (wanted == ANY) | (wanted == np.array(of_numbers, dtype=object))
    return inside


def shown_crowd(attributes: Attributes, crowd: Crowd) -> dict[str, str]:
    """The values that a crowd has, by the names of the attributes."""
    names = (attribute.name for attribute in attributes)
    return {
        name: label for name, label in zip(names, crowd, strict=True) if label != ANY
    }
