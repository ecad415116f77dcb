"""JSON as text, in pieces, so that a million records are never in memory at once.

Objects are indented; each item of a list has a line of its own, in which it is whole. A
list may be an iterator.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ldp_aggregator.output.sheet import Sheet

_STEP = "  "
_line = json.JSONEncoder(allow_nan=False).encode


def write(sheet: Sheet) -> Iterator[str]:
    """The record of a sheet."""
    return json_pieces(sheet.record())


def json_pieces(record: Mapping[str, Any]) -> Iterator[str]:
    """The text of an object, line by line, and a last line break."""
    yield from _object(record, "")
    yield "\n"


def _object(record: Mapping[str, Any], margin: str) -> Iterator[str]:
    if not record:
        yield "{}"
        return
    inner = margin + _STEP
    for number, (key, value) in enumerate(record.items()):
        yield f"{',' if number else '{'}\n{inner}{_line(key)}: "
        if isinstance(value, Mapping):
            yield from _object(value, inner)
        elif isinstance(value, str) or not isinstance(value, Iterable):
            yield _line(value)
        else:
            yield from _list(value, inner)
    yield f"\n{margin}}}"


def _list(items: Iterable[Any], margin: str) -> Iterator[str]:
    opened = False
    for item in items:
        yield f"{',' if opened else '['}\n{margin}{_STEP}{_line(item)}"
        opened = True
    yield f"\n{margin}]" if opened else "[]"
