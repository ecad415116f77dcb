"""An extension of Griffe: docstrings of the project, as the generated reference shows
them.

A table of arguments becomes a section of parameters, with types and defaults of the
signature; lines of doctest become a block of code.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_TABLE = re.compile(r"(?:^ {4}\S.*\n?)(?:^ {4,}\S.*\n?)*", re.MULTILINE)
_DOCTEST = re.compile(r"^>>> .*(?:\n(?!\n).*)*", re.MULTILINE)
_ROW = re.compile(r"^ {4}(\w+(?:, ?\w+)*)(?:  +| *$)(.*)")


class HouseDocstrings(griffe.Extension):
    """Rewrite each docstring into the sections that mkdocstrings renders."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring is None:
            return
        names = {name.strip("*") for name in _parameters(obj)}
        obj.docstring.value = sections(obj.docstring.value, names)


def _parameters(thing: griffe.Object) -> list[str]:
    if thing.is_class and "__init__" in thing.members:
        return _parameters(thing.members["__init__"])
    if thing.is_class:
        return list(thing.members)
    return [one.name for one in getattr(thing, "parameters", ())]


def sections(text: str, names: set[str]) -> str:
    """Return a docstring with `Args:` and fenced examples."""

    def table(block: re.Match[str]) -> str:
        rows: list[list[str]] = []
        for line in block[0].splitlines():
            row = _ROW.match(line)
            if row and all(name.strip() in names for name in row[1].split(",")):
                rows.append([row[1], row[2]])
            elif rows:
                rows[-1][1] += f" {line.strip()}"
            else:
                return block[0]
        lines = (
            f"    {name.strip()}: {meaning.strip()}"
            for group, meaning in rows
            for name in group.split(",")
        )
        return "Args:\n" + "\n".join(lines) + "\n"

    fenced = _DOCTEST.sub(lambda example: f"```pycon\n{example[0].rstrip()}\n```", text)
    return _TABLE.sub(table, fenced)
