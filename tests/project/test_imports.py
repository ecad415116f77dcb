"""Who imports whom: one way between the packages, and next to nothing on a device."""

import ast
import re
import sys
from functools import cache
from importlib.metadata import distribution

from children import loaded_by
from places import FOLDERS, ROOT

from ldp.mechanisms import _PLACES as PLACES
from ldp.mechanisms import MECHANISMS
from ldp.survey.survey_file import parse_survey
from ldp_client import Client, report_bytes
from tests.affected import imports

PACKAGES = {
    "ldp": ROOT / "ldp",
    "ldp_client": ROOT / "client" / "ldp_client",
    "ldp_aggregator": ROOT / "aggregator" / "ldp_aggregator",
    "ldp_service": ROOT / "aggregator" / "ldp_service",
    "ldp_simulations": ROOT / "simulations" / "ldp_simulations",
}
MAY_IMPORT = {
    "ldp": set(),
    "ldp_client": {"ldp"},
    "ldp_aggregator": {"ldp"},
    "ldp_service": {"ldp", "ldp_aggregator"},
    "ldp_simulations": {"ldp", "ldp_client", "ldp_aggregator", "ldp_service"},
}
DEVICE = ("ldp", "ldp_client")
ON_DEVICE = {"ldp", "ldp_client", "msgpack", "xxhash"}
OF_SOME = {
    "__init__": {"ldpkit_core"},
    "keyrings": {"keyring"},
    "oblivious": {"cryptography", "pyhpke"},
    "sealing": {"cryptography"},
}
HEAVY = (
    "numpy",
    "scipy",
    "click",
    "rich",
    "pandas",
    "polars",
    "matplotlib",
    "ldp_aggregator",
    "ldp_simulations",
)

WHEN_NEEDED = ("sqlite3", "http.client", "ssl", "logging", "tomllib", "json")

MODULES = [
    (package, path)
    for package, folder in PACKAGES.items()
    for path in sorted(folder.rglob("*.py"))
]
DEVICE_MODULES = [(package, path) for package, path in MODULES if package in DEVICE]


@cache
@cache
def imported(path):
    """The names of all modules that a file imports, wherever in it.

    `from a import b` counts as `a` and as `a.b`.
    """
    names = imports(path)
    assert not any(name.startswith(".") for name in names), (
        f"{path}: imports are absolute"
    )
    return names | {name.rpartition(".")[0] for name in names} - {""}


def called(path):
    """The names of everything that a file calls, as `name` or `.name`."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return {
        f".{call.attr}" if isinstance(call, ast.Attribute) else getattr(call, "id", "")
        for call in calls
    }


def roots(names):
    """The packages that the modules are in."""
    return {name.partition(".")[0] for name in names}


def test_imports_run_one_way():
    """Simulations import client and aggregator, both import the core, and none the
    other way.

    The laboratory is imported by none of them.
    """
    wrong = {
        str(path): names
        for package, path in MODULES
        if (
            names := roots(imported(path))
            & {*PACKAGES, "lab"} - {package} - MAY_IMPORT[package]
        )
    }
    assert wrong == {}


def test_what_runs_on_a_device_imports_next_to_nothing():
    """The core and the client import the standard library, msgpack and xxhash.

    What an extra is for imports that one as well, and a package what says that `ldp` is
    another.
    """
    wrong = {}
    for _, path in DEVICE_MODULES:
        allowed = sys.stdlib_module_names | ON_DEVICE | OF_SOME.get(path.stem, set())
        if names := roots(imported(path)) - allowed:
            wrong[str(path)] = names
    assert wrong == {}


def test_no_toy_randomness_on_a_device():
    """No module of the core or the client imports `random`."""
    assert [
        path for _, path in DEVICE_MODULES if "random" in roots(imported(path))
    ] == []


IO_MODULES = {
    "io",
    "pathlib",
    "socket",
    "subprocess",
    "tempfile",
    "shutil",
    "urllib",
    "http",
    "time",
    "logging",
}
IO_CALLS = {
    "open",
    "print",
    "input",
    ".open",
    ".read_text",
    ".read_bytes",
    ".write_text",
    ".write_bytes",
    ".now",
}


def test_the_core_does_no_input_or_output():
    """The core opens no file, prints nothing, asks no clock.

    Of the operating system it knows the random source.
    """
    for path in (path for package, path in MODULES if package == "ldp"):
        names = imported(path)
        assert roots(names) & IO_MODULES == set(), path
        assert called(path) & IO_CALLS == set(), path
        assert "os" not in names or path.name == "randomness.py", path


def test_one_module_knows_msgpack():
    """Only the wire imports msgpack."""
    assert [
        path.relative_to(ROOT).as_posix()
        for _, path in MODULES
        if "msgpack" in imported(path)
    ] == ["ldp/wire/wire.py"]


def test_every_module_is_looked_at():
    """The laws above are about something: packages have modules, and written imports
    are seen.
    """
    assert {package for package, _ in MODULES} == PACKAGES.keys()
    assert "numpy" in imported(
        PACKAGES["ldp_aggregator"] / "tallies" / "counting" / "counting.py"
    )
    assert "scipy.special.ndtri" in imported(
        PACKAGES["ldp_aggregator"] / "decoders" / "intervals" / "intervals.py"
    )
    assert "open" in called(PACKAGES["ldp_client"] / "answering" / "terms.py")


def test_replayed_randomness_is_for_tests():
    """Of the client, one module can replay randomness, and no other knows that one."""
    client = [path for package, path in MODULES if package == "ldp_client"]
    assert [
        path.name
        for path in client
        if "ldp.numbers.randomness.Replay" in imported(path)
    ] == ["testing.py"]
    assert not [path for path in client if "ldp_client.testing" in imported(path)]


def test_importing_the_client_stays_small():
    """`import ldp_client` loads neither numpy nor click, nor anything that is not
    allowed.
    """
    loaded = loaded_by("import ldp_client") - loaded_by("pass")
    assert loaded.isdisjoint({*HEAVY, *WHEN_NEEDED})
    extension_runtimes = {
        name for name in loaded if name.startswith(("cython_runtime", "_cython_"))
    }
    assert roots(loaded - extension_runtimes) - sys.stdlib_module_names == ON_DEVICE


def test_recording_answers_loads_no_more(tmp_path):
    """Reading a survey, answering it, keeping state and making bytes load nothing
    heavy.
    """
    code = f"""
from surveys import COMMUTE
from ldp_client import Client, parse_survey, report_bytes
client = Client(parse_survey(COMMUTE), state={str(tmp_path / "state")!r})
assert report_bytes([client.record("smoker", True), client.record("homepage", "a")])
"""
    assert loaded_by(
        f"import sys; sys.path[:0] = {[*map(str, FOLDERS)]!r}\n{code}"
    ).isdisjoint(HEAVY)


def test_a_device_loads_the_mechanisms_of_its_survey():
    """No mechanism's module comes with the client, and with a survey none that it
    lacks.

    Nor what batches of reports are worth.
    """
    rows = {f"ldp.mechanisms.{module}" for module, _ in PLACES.values()}
    rows.add("ldp.mechanisms.blankets")
    assert loaded_by("import ldp_client").isdisjoint(rows)
    survey = (
        '[survey]\nname = "s"\n[[question]]\nname = "q"\n'
        'type = "boolean"\nmechanism = "grr"\nepsilon = 1\n'
    )
    assert loaded_by(
        f"import ldp_client\nldp_client.parse_survey({survey!r})"
    ) & rows == {"ldp.mechanisms.values.grr"}


def test_an_estimate_loads_few_modules(tmp_path):
    """What counts, decodes and prints one question, and no other kind of answer."""
    survey = parse_survey(
        '[survey]\nname = "s"\n[[question]]\nname = "q"\ntype = "category"\n'
        'values = ["a", "b", "c"]\nmechanism = "oue"\nepsilon = 1\n'
    )
    (tmp_path / "survey.toml").write_text(survey.to_toml())
    reports = report_bytes([Client(survey).record("q", "a")])
    (tmp_path / "reports").write_bytes(reports)
    loaded = loaded_by(f"""
import os
from ldp_aggregator.commands.main import main
os.chdir({str(tmp_path)!r})
words = ["estimate", "survey.toml", "reports", "-o", "estimates.json"]
main(words, standalone_mode=False)""")
    assert "scipy.stats" not in loaded
    ours = [name for name in loaded if name.split(".")[0] in PACKAGES]
    assert len(ours) <= 115


def test_rows_are_found_under_their_names():
    """The table of places names every row as it names itself."""
    assert {name: row.name for name, row in MECHANISMS.items()} == {
        name: name for name in MECHANISMS
    }


def requirements(name):
    """Every distribution that installing one brings along, itself included; extras are
    left out.
    """
    names = {name}
    for requirement in distribution(name).requires or ():
        needed = re.match(r"[A-Za-z0-9._-]+", requirement).group().lower()
        if "extra ==" not in requirement:
            names |= requirements(needed)
    return names


def test_a_device_installs_four_distributions():
    """The client's environment holds core, client, msgpack and xxhash, by their
    metadata.
    """
    assert requirements("ldpkit-client") == {
        "ldpkit-client",
        "ldpkit-core",
        "msgpack",
        "xxhash",
    }


def test_the_core_has_no_command():
    """The script `ldp` needs click, so it belongs to a distribution that has it.

    The client has one of its own, which needs nothing.
    """
    assert not distribution("ldpkit-core").entry_points.select(group="console_scripts")
    assert [point.name for point in distribution("ldpkit-client").entry_points] == [
        "ldp-client"
    ]
    assert loaded_by("import ldp_client.tools.command").isdisjoint(HEAVY)
    assert "argparse" not in loaded_by("import ldp_client") - loaded_by("pass")
