"""No one asks for the class of a randomizer but the tables of what is known of each
kind and class.

So a mechanism of a new kind is added in the modules of its rows, and nowhere else.
"""

import ast
import re
from collections import Counter

import pytest
from places import ROOT
from test_imports import PACKAGES

from ldp_simulations.sampling.table import FORMS

HOMES = {
    "ldp_aggregator": {
        "decoders": "a row for each kind",
        "exchange": "files of one mechanism",
    },
    "ldp_simulations": {
        "reports": "draws in bulk, by class",
        "audit": "events and small integers, by class",
    },
}
"""The folders of each package whose modules may ask, and why."""
CLASSES = {class_.__name__ for class_ in FORMS}


def names_in(node):
    """The last parts of all names in an expression or a pattern."""
    parts = list(ast.walk(node))
    return {part.id for part in parts if isinstance(part, ast.Name)} | {
        part.attr for part in parts if isinstance(part, ast.Attribute)
    }


def asked(tree):
    """The classes that some code asks whether an object is of, by lines."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id="isinstance" | "issubclass"), args=[_, classes]
            ):
                yield node.lineno, names_in(classes)
            case ast.Compare() if "type" in names_in(node):
                yield node.lineno, names_in(node)
            case ast.MatchClass():
                yield node.lineno, names_in(node.cls)


def found_in(text):
    """The lines of some code that ask for classes of randomizers."""
    return sorted({line for line, names in asked(ast.parse(text)) if names & CLASSES})


def test_public_class_names_are_unique():
    """In the whole product: who searches for a class finds one."""
    paths = [path for folder in PACKAGES.values() for path in folder.rglob("*.py")]
    names = Counter(
        name
        for path in paths
        for name in re.findall(
            r"^ *class ([A-Za-z]\w*)[(:\[]", path.read_text("utf-8"), re.MULTILINE
        )
    )
    assert [name for name, uses in names.items() if uses > 1] == []


@pytest.mark.parametrize("package", HOMES)
def test_only_the_tables_ask_for_classes(package):
    """All else goes by a row: of `ldp_aggregator.decoders`, or of
    `ldp_simulations.sampling`.
    """
    folder = PACKAGES[package]
    lines = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted(folder.rglob("*.py"))
        if path.relative_to(folder).parts[0] not in HOMES[package]
        for line in found_in(path.read_text(encoding="utf-8"))
    ]
    assert lines == []


@pytest.mark.parametrize("package", HOMES)
def test_homes_are_there_and_ask(package):
    """A folder is in the table because a module of it asks."""
    for home in HOMES[package]:
        paths = (PACKAGES[package] / home).rglob("*.py")
        assert any(found_in(path.read_text(encoding="utf-8")) for path in paths), home


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("isinstance(x, Rappor)", 1),
        ("isinstance(x, Chain | rappor.Rappor)", 1),
        ("isinstance(x, (int, CountMean))", 1),
        ("issubclass(x, OneBitMean)", 1),
        ("type(x) is Rappor", 1),
        ("match x:\n  case Rappor(): pass", 1),
        ("isinstance(x, Memoized)", 0),
        ("Rappor(1, 2, 3)", 0),
    ],
)
def test_questions_are_found(text, number):
    """In any of the ways that Python has. Protocols may be asked for: they say what can
    be done.
    """
    assert len(found_in(text)) == number
