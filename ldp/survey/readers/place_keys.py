"""The keys of a question of type place in a survey file: two axes and a grid, or named
cells.

x, y    tables of their own, the axes: `low` and `high`; optionally what a number has
        besides (`unit`, `outside`, `missing`), `text`, and `name`, if it is not to be
        called x or y
cells   how many equal cells each axis is divided into: a power of two up to 64

Where the cells are those of a public geography, such as counties, there are no axes:

cells   their names; or the name of a GeoJSON file with a feature for each
by      of a file: the property of its features that is their name, "name" if it is not
        said

A question with named cells is one of type category from there on: an answer is a name,
and borders are for those who look (`answers.geography`). Files are read by whoever
reads the survey file, as this package reads none, and names take the place of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from ldp.answers.domain import Domain, Field, Fields
from ldp.answers.fields import names_of
from ldp.answers.keys import Keys
from ldp.answers.real_numbers import NumberDomain
from ldp.answers.scales import Scale
from ldp.errors import Problem, SurveyError
from ldp.survey.readers.field_keys import Read, field_of

AXES = ("x", "y")
MOST_CELLS = 64
"""Along one axis."""
MOST_NAMED = 1 << 14
"""Cells of a public geography."""
OF_NAMED = ("cells", "by")
"""What names of cells come from: they are values afterwards."""


def axes_of(keys: Keys, read: Read) -> Fields:
    """The axes of a place, divided into cells; harmless ones, and problems, where they
    are none.
    """
    cells = keys.integer("cells", 2, MOST_CELLS)
    if cells & (cells - 1):
        keys.problem("cells", f"a power of two from 2 to {MOST_CELLS}", cells)
    axes = tuple(_axis(keys, axis, cells, read=read) for axis in AXES)
    names = names_of(axes)
    if not keys.problems and len(set(names)) < len(names):
        keys.problem("y", "a name that differs from that of x", names[0])
    if keys.problems:
        return tuple(Field(axis, _stand_in()) for axis in AXES)
    return axes


def _stand_in() -> Domain:
    """Two cells of a number: what is made of a place asks for its edges."""
    edges = (Fraction(0), Fraction(1), Fraction(2))
    return NumberDomain(Scale(edges[0], edges[-1], len(edges) - 1, edges=edges))


def has_named_cells(keys: Keys) -> bool:
    """Whether the cells are those of a public geography: there are no axes for
    others.
    """
    return "cells" in keys and not any(axis in keys for axis in AXES)


def named_cells(keys: Keys) -> tuple[str, ...]:
    """The names of the cells; harmless ones, and a problem, where there are none."""
    written = keys.without(()).get("cells")
    if not isinstance(written, list):
        place = "a survey whose place is not known"
        keys.problem(
            "cells",
            "x and y beside a number of cells; or the names of cells; or, in a survey "
            "that is read from a file, the name of a GeoJSON file beside it",
            place if isinstance(written, str) else written,
        )
        return "0", "1"
    return keys.texts("cells", 2, MOST_NAMED)


def with_cells_of_file(
    entry: Mapping[str, object], place: str, read: Callable[[str], str]
) -> dict[str, object]:
    """A question with the names of the features of its GeoJSON file. Raises
    `SurveyError`.
    """
    # Imported here, as devices read no files.
    import json

    file, key = str(entry["cells"]), entry.get("by", "name")
    try:
        features = json.loads(read(file))["features"]
        names = [feature["properties"][key] for feature in features]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SurveyError(
            (
                Problem(
                    f"{place}: {file}",
                    f"GeoJSON, a collection of features that have the property {key!r} "
                    "(`by` says which property is the name)",
                    "something else",
                ),
            )
        ) from None
    keys = {name: value for name, value in entry.items() if name not in OF_NAMED}
    return {**keys, "cells": [str(name) for name in names]}


def _axis(keys: Keys, axis: str, cells: int, read: Read) -> Field:
    own = Keys(f"{keys.place}: {axis}", {"name": axis, **keys.table(axis)})
    own = own.with_keys({"type": "number", "bins": cells}, "`cells`")
    field = field_of(own, read)
    own.finish()
    keys.adopt(own)
    return field
