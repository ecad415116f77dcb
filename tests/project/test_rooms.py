"""Where modules live: imports run downwards and in no circle, and no folder is too
full.

All imports count: at the top, within functions, and for types alone.
"""

import graphlib
import re
from collections import Counter

import pytest
from places import TESTS
from test_imports import PACKAGES, imported

from ldp.mechanisms import modules

MOST_MODULES = 15


def modules_of(package):
    """A package's modules, by their dotted names, without those that say what a folder
    holds.
    """
    folder = PACKAGES[package]
    paths = (path for path in folder.rglob("*.py") if path.name != "__init__.py")
    return {
        ".".join((package, *path.relative_to(folder).with_suffix("").parts)): path
        for path in paths
    }


def imports_between(modules):
    """Which of the modules each of them imports."""
    return {
        name: (imported(path) & modules.keys()) - {name}
        for name, path in modules.items()
    }


def folder_of(module):
    """The folder that a module is in, as a dotted name."""
    return module.rpartition(".")[0]


def circle_of(graph):
    """A way through the graph that comes back to where it began; nothing if there is
    none.
    """
    try:
        list(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        return error.args[1]
    return []


@pytest.mark.parametrize("package", PACKAGES)
def test_files_import_in_no_circle(package):
    """A module can be read without those that import it."""
    assert circle_of(imports_between(modules_of(package))) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_folders_import_downwards(package):
    """There is an order of the folders in which each imports only from those before
    it.
    """
    between = {}
    for module, names in imports_between(modules_of(package)).items():
        folder = folder_of(module)
        between.setdefault(folder, set()).update(
            {folder_of(name) for name in names} - {folder}
        )
    assert circle_of(between) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_folder_is_too_full(package):
    """A folder has at most 15 modules."""
    sizes = Counter(map(folder_of, modules_of(package)))
    assert {folder: size for folder, size in sizes.items() if size > MOST_MODULES} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_folder_says_what_lives_there(package):
    """A folder has a docstring that names each of its modules, so that none moves in
    unseen.

    Modules of mechanisms are named by their table.
    """
    folder = PACKAGES[package]
    in_tables = modules()
    for room in {path.parent for path in modules_of(package).values()} - {folder}:
        text = (room / "__init__.py").read_text(encoding="utf-8")
        missing = [
            path.stem
            for path in room.glob("*.py")
            if path.stem.strip("_") not in text
            and path.stem[0] != "_"
            and f"ldp.mechanisms.{room.name}.{path.stem}" not in in_tables
        ]
        assert not missing, f"{room.relative_to(folder)} does not name {missing}"


def neighbours(package):
    """The folders beside each folder that its modules import, by the folder's dotted
    name.
    """
    used = {}
    for module, names in imports_between(modules_of(package)).items():
        own = module.split(".")[:-1]
        for depth in range(1, len(own)):
            others = (name.split(".")[:-1] for name in names)
            beside = {
                other[depth]
                for other in others
                if other[:depth] == own[:depth] != other
            }
            used.setdefault(".".join(own[: depth + 1]), set()).update(
                beside - {own[depth]}
            )
    return used


@pytest.mark.parametrize("package", PACKAGES)
def test_folders_name_the_neighbours_that_they_import(package):
    """In the first sentence after "Imports:"."""
    for folder, beside in neighbours(package).items():
        place = PACKAGES[package].joinpath(*folder.split(".")[1:], "__init__.py")
        _, _, rest = place.read_text(encoding="utf-8").partition("\nImports: ")
        named = set(re.findall(r"`(\w+)`", rest.partition(".")[0]))
        assert named == beside, folder


def test_folders_of_tests_are_small():
    """The tests live in rooms as well."""
    sizes = Counter(path.parent.relative_to(TESTS) for path in TESTS.rglob("*.py"))
    assert {
        str(folder): size for folder, size in sizes.items() if size > MOST_MODULES
    } == {}


def test_names_of_tests_are_unique():
    """Helpers are imported by their names alone, wherever they are."""
    names = Counter(path.stem for path in TESTS.rglob("*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_a_circle_is_found():
    """The guards above can fail: a circle of three files is found, also of types
    alone.
    """
    assert circle_of({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert set(circle_of({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == {"a", "b", "c"}
