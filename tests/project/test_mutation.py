"""Lists of the mutation tool go with the code: what they quote is there."""

import tomllib
from types import SimpleNamespace

import pytest
from places import ROOT

from lab.endurance.mutation import __main__ as mutation
from lab.endurance.mutation import fork_server
from lab.endurance.mutation.__main__ import AREAS, LEFT, modules, source_of
from lab.endurance.mutation.mutating import mistakes
from lab.endurance.mutation.statements import normal_lines

AGGREGATOR = ROOT / "aggregator" / "ldp_aggregator"
ESTIMATORS = (
    "analyses/association",
    "analyses/health_checks",
    "answers",
    "decoders",
    "numerics/projective",
)


@pytest.mark.parametrize("area", AREAS)
def test_mistakes_can_be_made(area):
    """Each line of the table is of a module or a package, and its tests are there.

    A mistake is a text that its module has once, and the changed module is still
    Python.
    """
    assert source_of(area).exists()
    assert mutation.tests_of(area)
    for module in modules([area]):
        source = source_of(module).read_text(encoding="utf-8")
        for mistake in mistakes(module, source):
            assert mistake.source != source, module
            compile(mistake.source, mistake.after, "exec")


@pytest.mark.parametrize("room", ESTIMATORS)
def test_what_estimates_has_an_area(room):
    """So that no module goes without mutants when it is added, or moved."""
    paths = [
        path for path in (AGGREGATOR / room).rglob("*.py") if path.name != "__init__.py"
    ]
    assert paths
    assert {str(path) for path in paths} <= {
        str(source_of(name)) for name in modules([])
    }


def test_explained_mutants_are_of_lines_that_are_there():
    """A line that has changed needs another look."""
    listed = tomllib.loads(LEFT.read_text(encoding="utf-8"))["mutant"]
    lines = {
        name: normal_lines(source_of(name).read_text(encoding="utf-8"))
        for name in modules([])
    }
    gone = [
        mutant for mutant in listed if mutant["before"] not in lines[mutant["module"]]
    ]
    assert gone == []


def test_what_was_measured_goes_for_every_copy_of_the_project(tmp_path):
    """By names from its root on: a copy with another source is measured again."""
    kept = tmp_path / "kept"
    run = fork_server.Run(0.5, {}, {"source.py": frozenset({7})})
    asked = []

    def measured_in(root, source):
        root.mkdir()
        (root / "source.py").write_text(source, encoding="utf-8")
        (root / "tests.py").write_text("", encoding="utf-8")
        server = object.__new__(fork_server.Server)
        server.root, server.kept = root, kept
        server.items = {"tests.py::test": SimpleNamespace(nodeid="tests.py::test")}
        server._measured = lambda *_: asked.append(root.name) or {"tests.py::test": run}
        return fork_server.Measured(server._all_measured(), {}).passing(
            root / "source.py", [7]
        )

    for name, source in (("first", "1"), ("copy", "1"), ("other", "2")):
        assert measured_in(tmp_path / name, source) == {"tests.py::test"}
    assert asked == ["first", "other"]
