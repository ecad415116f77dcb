"""What the packages export: lazy, documented, typed, and all that examples and pages
need.
"""

import ast
import doctest
import importlib
import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import get_origin

import pytest
from children import loaded_by
from mypy import api as mypy
from places import EXAMPLES, ROOT

import ldp
import ldp_aggregator
import ldp_client
import ldp_simulations

TOPS = {
    module.__name__: module
    for module in (ldp, ldp_client, ldp_aggregator, ldp_simulations)
}
INNER = {*TOPS, "ldp_service", "lab"}
PUBLIC = {*TOPS, "ldpkit", "ldp_client.testing", "ldp.privacy"}
"""What examples and documentation import from; `ldp_client.testing` is for tests of
apps alone.
"""

INSIDE = {
    "docs/mechanisms.md": (
        "the mathematics of each mechanism, on the modules that hold it"
    ),
    "docs/register.md": "proofs, as who keeps a register of their own makes them",
    "docs/rappor.md": "formats of google/rappor, whose folder is a package of its own",
    "docs/scaling.md": "engines that count with our parts",
    "docs/service-options.md": "the service within an application of one's own",
    "docs/wire.md": "the wire format, for those who write clients in other languages",
    "examples/rappor.py": "formats of google/rappor",
    "examples/studies.py": "the service within a program",
}
"""Pages and examples that are about the inside, and import from there."""

UNTYPED = {
    "docs/mechanisms.md": "asks randomizers for what only their own kind has",
    "docs/rappor.md": "the same",
    "docs/scaling.md": "engines without types",
    "docs/wire.md": "the steps of a client, in as few words as any language needs",
}
"""Pages whose blocks are not checked by mypy."""

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md")])
SCRIPTS = sorted(EXAMPLES.rglob("*.py"))


def named(path):
    """A path as the tables above have it."""
    return path.relative_to(ROOT).as_posix()


def code_of(path):
    """The Python of a script, or of all blocks of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return text
    return "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))


def imports_of(code):
    """The modules of ours that some code imports from."""
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
    return {name for name in names if name.partition(".")[0] in INNER}


@pytest.mark.parametrize("path", [*PAGES, *SCRIPTS], ids=named)
def test_examples_and_docs_import_from_the_top(path):
    """What people copy imports from the packages themselves, unless it is about their
    inside.
    """
    within = imports_of(code_of(path)) - PUBLIC
    assert bool(within) is (named(path) in INSIDE), within


@pytest.mark.parametrize("package", TOPS)
def test_every_public_name_is_there(package):
    """Each name of `__all__` can be imported, in any order; a page shows them all."""
    module = TOPS[package]
    page = ROOT / "docs" / "api" / f"{package.removeprefix('ldp_')}.md"
    assert f"::: {package}\n" in page.read_text(encoding="utf-8")
    for name in module.__all__:
        assert hasattr(module, name), name
        assert name in dir(module)


@pytest.mark.parametrize("package", ["ldp_client", "ldp_aggregator", "ldp_simulations"])
def test_lazy_names_are_what_their_modules_have(package):
    """However a name is reached, whatever was loaded before, it is the same thing.

    No folder of a package hides what the package exports.
    """
    module = TOPS[package]
    homes = {
        name: importlib.import_module(f"{package}.{home}")
        for name, home in module._HOMES.items()
    }
    for name, home in homes.items():
        assert getattr(module, name) is getattr(home, name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing


WAYS_TO_A_SURVEY = (
    "import ldp",
    "import ldp.survey",
    "import ldp.survey as survey; assert survey is __import__('ldp').survey",
    "from ldp import survey; assert callable(survey)",
    "from ldp.survey.survey import Survey; assert Survey is __import__('ldp').Survey",
    "from ldp.survey.survey_file import parse_survey",
    "import ldp_client",
)


@pytest.mark.parametrize("first", WAYS_TO_A_SURVEY)
def test_the_core_exports_functions(first):
    """`ldp.survey` is the function, whatever was imported before and after, in any way.

    The module of its name is loaded before it, and is there to import from.
    """
    use = "assert ldp.survey('s', ldp.question('x', ['a', 'b'], epsilon=1))"
    loaded = loaded_by("; import ldp; ".join([first, use, *WAYS_TO_A_SURVEY, use]))
    assert {"ldp.survey.declarations", "ldp.survey"} <= loaded


@pytest.mark.parametrize("package", ["ldp_aggregator", "ldp_simulations"])
def test_importing_a_package_loads_no_numbers(package):
    """Names are loaded when they are used: a command that says what it can do waits for
    none.
    """
    assert loaded_by(f"import {package}").isdisjoint(
        {"numpy", "scipy", "pandas", "matplotlib"}
    )


@pytest.mark.parametrize("package", TOPS)
def test_every_public_name_has_an_example(package):
    """A class or function has one that runs, or names what has."""
    module = TOPS[package]
    for name in module.__all__:
        thing = getattr(module, name)
        if not callable(thing) or get_origin(thing):
            continue
        assert re.search(r">>> |` has an example", thing.__doc__), name
        for test in doctest.DocTestFinder(recurse=False).find(thing, name, globs={}):
            failed, _ = doctest.DocTestRunner().run(test, out=lambda _: None)
            assert not failed, f"{package}.{name}"


VERBS = [
    (ldp, "parse_survey survey"),
    (ldp_client, "Client EmbeddedClient read_survey"),
    (
        ldp_aggregator,
        "aggregate estimate associate read_survey read_candidates decode_tally",
    ),
    (ldp_simulations, "attack from_table plan randomize simulate synthetic"),
]


def test_verbs_name_their_errors():
    """What can go wrong is part of what a verb says about itself."""
    for module, names in VERBS:
        for name in names.split():
            assert re.search(r"[Rr]aises? ", getattr(module, name).__doc__), name


def test_one_version_everywhere():
    """The constant of the core is that of all distributions, and of what they need of
    others.
    """
    assert {module.__version__ for module in TOPS.values()} == {ldp.__version__}
    for place in (ROOT, ROOT / "client", ROOT / "aggregator", ROOT / "simulations"):
        project = tomllib.loads((place / "pyproject.toml").read_text())["project"]
        assert project["version"] == ldp.__version__
        ours = [text for text in project["dependencies"] if text.startswith("ldpkit-")]
        assert all(text.endswith(f"=={ldp.__version__}") for text in ours)
        assert version(project["name"]) == ldp.__version__
    assert (
        json.loads((ROOT / "client/js/package.json").read_text())["version"]
        == ldp.__version__
    )


def test_examples_and_docs_are_typed(tmp_path):
    """What people copy passes mypy, strictly: a page's blocks are one module, in their
    order.

    A name that a package has not is refused, else the comments that expect so would be.
    """
    wrong = tmp_path / "names_that_there_are_not.py"
    refused = (f"{name}.nothing  # type: ignore[attr-defined]" for name in TOPS)
    wrong.write_text("\n".join([f"import {', '.join(TOPS)}", *refused]))
    files = [str(wrong), *(str(path) for path in SCRIPTS)]
    for page in PAGES:
        code = code_of(page)
        if code and named(page) not in UNTYPED:
            file = tmp_path / f"page_{re.sub(r'[^a-z]', '_', named(page).lower())}.py"
            file.write_text(code)
            files.append(str(file))
    assert len(files) > 15
    # Programs that share no code with the project are written without types, to be read
    # quickly.
    loose = ["--allow-untyped-defs", "--allow-untyped-calls", "--allow-incomplete-defs"]
    cache = Path(tmp_path / "cache")
    config = str(ROOT / "pyproject.toml")
    report, errors, code = mypy.run(
        ["--config-file", config, "--cache-dir", str(cache), *loose, *files]
    )
    assert code == 0, report + errors
