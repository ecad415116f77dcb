"""What the documentation says about the code holds: names exist, cited figures are
measured.
"""

import builtins
import importlib
import pkgutil
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from calling import run
from places import ROOT

import ldp
import ldp_aggregator
import ldp_client
import ldp_service
import ldp_simulations

PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")]
)
PACKAGES = (ldp, ldp_aggregator, ldp_client, ldp_service, ldp_simulations)

_CODE = re.compile(r"```.*?```|`([^`\n]+)`", re.DOTALL)
_CALL = re.compile(r"(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)\(.*\)")
_PLACE = re.compile(
    r"ldp(?:_aggregator|_client|_service|_simulations)?(?:\.[A-Za-z_]\w*)+"
)

OTHERS = {
    *("I", "fsync", "getLogger", "median", "patch_all"),
    *("randbelow", "random", "score"),
}
"""Functions of Python, the system, gevent, our TypeScript, and the languages people
type.
"""


def spans(page):
    """What stands between single backticks."""
    return [
        match[1]
        for match in _CODE.finditer(page.read_text(encoding="utf-8"))
        if match[1]
    ]


@cache
def known_names():
    """Every name that our sources define, as a function, a class, an attribute or a
    variable.
    """
    sources = [
        path
        for package in PACKAGES
        for path in Path(package.__file__).parent.rglob("*.py")
    ]
    sources += [
        *(ROOT / "client" / "js" / "src").rglob("*.ts"),
        *(ROOT / "examples").rglob("*.py"),
    ]
    python = r"(?:def|class|function|export const)\s+(\w+)|^(\w+)\s*[:=]"
    script = r"^\s+(?:async )?(\w+)\([^)]*\).*\{$"
    defined = re.compile(f"{python}|{script}", re.MULTILINE)
    return {
        name
        for path in sources
        for names in defined.findall(path.read_text(encoding="utf-8"))
        for name in names
    }


def resolves(place):
    """Whether a dotted place in one of our packages is there."""
    module, *rest = place.split(".")
    thing = importlib.import_module(module)
    for at, name in enumerate(rest, 1):
        if not hasattr(thing, name):
            try:
                importlib.import_module(".".join([module, *rest[:at]]))
            except ImportError:
                return False
        thing = getattr(thing, name)
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_calls_in_the_documentation_are_of_functions_that_exist(page):
    """What is written as a call, `name(...)`, is defined somewhere in our sources."""
    calls = {match[1] for span in spans(page) if (match := _CALL.fullmatch(span))}
    assert calls - known_names() - OTHERS - set(dir(builtins)) == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_places_in_the_documentation_exist(page):
    """What is written as a place in a package of ours, `ldp.numbers.exact`, can be
    imported.
    """
    places = {
        span
        for span in spans(page)
        if _PLACE.fullmatch(span) and not span.endswith((".toml", ".py", ".db"))
    }
    assert {place for place in places if not resolves(place)} == {
        "ldp.commands"
    } & places, "an entry-point group"


@pytest.mark.parametrize(
    "name", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/internals.md"]
)
def test_files_in_the_documentation_exist(name):
    """A path is that of a file or a folder, or the end of one that is named before
    it.
    """
    paths = {
        span for span in spans(ROOT / name) if re.fullmatch(r"[\w.]+/[\w./]+", span)
    }
    folders = (
        "ldp",
        "client",
        "aggregator/ldp_*",
        "simulations",
        "lab",
        "tests",
        "docs",
    )
    places = ("", *(f"{folder}/**/" for folder in folders))
    there = {
        path for path in paths if any(any(ROOT.glob(place + path)) for place in places)
    }
    assert paths - there == set()


def test_modules_can_be_looked_up():
    """The check above sees what is missing."""
    assert resolves("ldp.numbers.exact.exp_lower")
    assert not resolves("ldp.numbers.exact.no_such_function")
    assert {module.name for module in pkgutil.iter_modules(ldp.__path__)} >= {
        "numbers",
        "survey",
    }


def test_conversions_are_where_the_documentation_says():
    """Estimates of a survey convert to everything, those of a question to a
    dictionary.
    """
    from ldp_aggregator import QuestionEstimates, SurveyEstimates

    for name in ("to_dict", "to_csv", "to_pandas", "to_polars"):
        assert callable(getattr(SurveyEstimates, name))
    assert callable(QuestionEstimates.to_dict)


def readme():
    """Its text, in one line."""
    return " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def test_the_readme_cites_what_was_measured():
    """Figures of intervals are those of their page: so many surveys, and no method
    below 95 %.
    """
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    surveys, percent = re.search(
        r"In ([\d,]+) simulated surveys, 95 % intervals contained the truth at least (\d+) %",
        readme(),
    ).groups()
    assert surveys in page
    table = page.partition("## By mechanism")[2].partition("\n## ")[0]
    held = re.findall(r"^\| [^|]+ \| \d+ \| ([\d.]+) ([\d.]+) ±", table, re.MULTILINE)
    assert len(held) > 30
    assert min(float(share) for pair in held for share in pair) >= int(percent) / 100


def test_the_readme_counts_methods_packages_bytes_and_answers():
    """Error bars are as wide as `plan` says, from as many answers."""
    from ldp.mechanisms import MECHANISMS

    assert f"Here are {len(MECHANISMS)} methods" in readme()
    assert "± 9.4 points from 500 answers, ± 5 from 1,795" in readme()
    survey = ldp.survey("s", ldp.question("q", type="boolean", epsilon=1))
    assert "needs two small packages; it sends 1 byte for a yes or no" in readme()
    assert survey["q"].width == 1
    needed = [
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"][
            "dependencies"
        ]
        for folder in (".", "client")
    ]
    assert [len(names) for names in needed] == [2, 1], "xxhash and msgpack; the core"
    for respondents, points in ((500, 9.4), (1_795, 5.0)):
        [planned] = ldp_simulations.plan(survey, respondents=respondents).records()
        assert round(100 * planned["half_width"], 1) == points


def test_the_reference_shows_what_explain_says():
    """Its blocks on the total and on the coin-tossing question are what `ldp explain`
    prints.
    """
    page = (ROOT / "docs" / "survey.md").read_text(encoding="utf-8")
    blocks = re.findall(
        r"```text\n((?:survey affairs|affair: forced, 2).*?)```", page, re.DOTALL
    )
    text = run("explain", ROOT / "examples" / "affairs.toml").stdout
    total, affair = blocks
    assert text.startswith(total)
    assert affair in text


def test_every_extra_is_named():
    """The aggregator's README has its distribution's extras, and each command that it
    adds.
    """
    project = tomllib.loads(
        (ROOT / "aggregator" / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    page = (ROOT / "aggregator" / "README.md").read_text(encoding="utf-8")
    commands = {
        name.partition(" ")[0] for name in project["entry-points"]["ldp.commands"]
    }
    commands -= {"client"}  # most of it is of another distribution
    assert {
        name
        for name in (*project["optional-dependencies"], *commands)
        if not re.search(rf"`(?:ldp )?{name}`", page)
    } == set()
