"""The keys of a question of type place in a survey file: two axes, and a grid over them.

x, y    tables of their own, the axes: `low` and `high`; optionally what a number has besides
        (`unit`, `outside`, `missing`), `text`, and `name`, if it is not to be called x or y
cells   how many equal cells each axis is divided into: a power of two up to 64
"""

from __future__ import annotations

from ldp.domain import Domain
from ldp.field_keys import Read, field_of
from ldp.fields import Field, Fields, names_of
from ldp.keys import Keys

AXES = ("x", "y")
MOST_CELLS = 64
"""Along one axis."""


def axes_of(keys: Keys, read: Read) -> Fields:
    """The axes of a place, divided into cells; harmless ones, and problems, where they are none."""
    cells = keys.integer("cells", 2, MOST_CELLS)
    if cells & (cells - 1):
        keys.problem("cells", f"a power of two from 2 to {MOST_CELLS}", cells)
    axes = tuple(_axis(keys, axis, cells, read=read) for axis in AXES)
    names = names_of(axes)
    if not keys.problems and len(set(names)) < len(names):
        keys.problem("y", "a name that differs from that of x", names[0])
    if keys.problems:
        return tuple(Field(axis, Domain("category", ("0", "1"))) for axis in AXES)
    return axes


def _axis(keys: Keys, axis: str, cells: int, read: Read) -> Field:
    own = Keys(f"{keys.place}: {axis}", {"name": axis, **keys.table(axis)})
    own = own.extended({"type": "number", "bins": cells}, "`cells`")
    field = field_of(own, read)
    own.finish()
    keys.adopt(own)
    return field
