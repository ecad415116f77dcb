"""Every key that a survey file may have is known to comparisons, devices, Python and
the pages.

What the reader asks a file for is seen in two ways: in its code, and while it reads. A
key that is added to it fails these tests until it stands in a table of
`ldp_aggregator.versions.keys`, and until there is a case of it in `version_cases`.
"""

import ast
import inspect
import json
import re

import pytest
from places import ROOT
from version_cases import CASES

import ldp
from ldp import parse_survey
from ldp.answers import keys as reader
from ldp.mechanisms import MECHANISMS
from ldp.survey.compiled import compile_survey
from ldp_aggregator.versions.keys import OF_QUESTION, TABLES, TOP

KNOWN = {key for table in TABLES.values() for key in table} | {*TOP}
NO_CASE = {
    "question.file": (
        "names a file with what `parents` says, which takes its place when it is read"
    ),
    "question.by": "names the property of a GeoJSON file whose names take its place",
    "question.sensitivity": (
        "follows from `quality`, with which it is tried in exponential"
    ),
    "field.step": "refused: fields have cells",
}
"""Keys that no survey has any more when it is compared, or not by itself."""
NOT_COMPILED = {
    "survey.grace": "for the collector",
    "question.candidates": "for the analyst",
    "question.missing": "for tables of answers, where values are listed",
    "question.report_bytes": "for the choice of a mechanism, which it need not change",
    "question.epsilon": "devices have integers, which may be the same",
}
"""Keys that may change and leave the compiled form of a survey as it was."""
_READERS = re.compile(
    "text|choice|word_or_fraction|texts|names|integer|integers|flag|length|"
    "fraction|fractions|probability|epsilon|rows|table|tables"
)


def keys_in_code():
    """What is asked of a table by its name, anywhere in the core."""
    named = set()
    for path in (ROOT / "ldp").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                asks = _READERS.fullmatch(node.func.attr) and isinstance(
                    owner, ast.Name
                )
                if (
                    asks
                    and owner.id in {"keys", "head", "own", "top", "table"}
                    and node.args
                ):
                    named.add(node.args[0])
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
                tables = [one for one in node.comparators if isinstance(one, ast.Name)]
                if any(one.id in {"keys", "head", "own", "top"} for one in tables):
                    named.add(node.left)
    texts = (node.value for node in named if isinstance(node, ast.Constant))
    return {text for text in texts if isinstance(text, str)}


def test_keys_in_code_are_known():
    """All that the reader names, and all that mechanisms say they read."""
    in_code = keys_in_code()
    assert len(in_code) > 40
    assert in_code - KNOWN == set()
    assert {
        key for row in MECHANISMS.values() for key in row.keys
    } - OF_QUESTION.keys() == set()


def test_keys_that_are_read_are_known(monkeypatch):
    """All that the reader asks for while it reads the cases, table by table."""
    asked = {}
    contains = reader.Keys.__contains__

    def noted(table, key):
        asked.setdefault(kind_of(table.place), set()).add(key)
        return contains(table, key)

    monkeypatch.setattr(reader.Keys, "__contains__", noted)
    for case in CASES:
        parse_survey(case.before)
        parse_survey(case.after)
    assert asked.keys() >= {"top", *TABLES}
    assert asked["top"] - {*TOP} == set()
    for kind, table in TABLES.items():
        refused = {"parents", "file", "keys", "field"} if kind == "field" else set()
        assert asked[kind] - table.keys() - refused == set(), kind


def kind_of(place):
    """Which table of a file a place of its messages is."""
    last = place.split(": ")[-1]
    if last in ("x", "y"):
        return "field"
    kind = re.match("survey$|draw|attribute|question|field", last)
    return kind[0] if kind and ": " in place else "top"


@pytest.mark.parametrize("table", TABLES)
def test_every_key_has_a_case(table):
    """Or a reason why there is none; parameters of mechanisms, which judge nothing,
    need none.
    """
    tried = {case.key for case in CASES}
    parameters = {
        key for key, aspect in TABLES[table].items() if aspect == "parameters"
    }
    by_distance = {key for key, aspect in TABLES[table].items() if "distance" in aspect}
    without = [
        key
        for key in TABLES[table].keys() - parameters - by_distance
        if f"{table}.{key}" not in tried and f"{table}.{key}" not in NO_CASE
    ]
    assert without == []


def compiled_of(text):
    """The compiled form, without the digests that cover it."""

    def without_digests(content):
        if isinstance(content, list):
            return [without_digests(part) for part in content]
        if not isinstance(content, dict):
            return content
        kept = content.keys() - {"fingerprint", "terms"}
        return {name: without_digests(content[name]) for name in kept}

    return without_digests(json.loads(json.dumps(compile_survey(parse_survey(text)))))


def names_in(content):
    """The names of members, within all others, but for those that a survey gives."""
    if isinstance(content, list):
        return {name for part in content for name in names_in(part)}
    if not isinstance(content, dict):
        return set()
    parts = [
        part for name, part in content.items() if name not in ("integers", "parents")
    ]
    return content.keys() | {name for part in parts for name in names_in(part)}


def test_devices_learn_of_every_key():
    """A change of a key shows in the compiled form, or there is a reason why it does
    not.
    """
    shown = {
        case.key
        for case in CASES
        if compiled_of(case.before) != compiled_of(case.after)
    }
    assert {case.key for case in CASES} - shown == NOT_COMPILED.keys()


def test_the_typescript_client_reads_the_compiled_form():
    """Each name that it may have is one of the client's."""
    names = {name for case in CASES for name in names_in(compiled_of(case.after))}
    source = ROOT / "client" / "js" / "src"
    read = "".join(path.read_text(encoding="utf-8") for path in source.glob("*.ts"))
    known = set(re.findall(r"\breadonly (\w+)\??:", read))
    assert len(names) > 20
    assert names - known == set()


@pytest.mark.parametrize("table", ["survey", "draw", "attribute", "field"])
def test_python_takes_every_key(table):
    """As an argument; a question takes any, by its name."""
    arguments = inspect.signature(getattr(ldp, table)).parameters
    assert {key for key in TABLES[table] if f"{table}.{key}" not in NO_CASE} - {
        *arguments
    } == set()


def test_every_key_is_documented():
    """On some page, by its name."""
    pages = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")
    )
    named = set(
        re.findall(
            r"(?<=`)[a-z_]+(?=`)|^[a-z_]+(?= =)|(?<=\[\[question\.)\w+",
            pages,
            re.MULTILINE,
        )
    )
    assert {key for table in TABLES.values() for key in table} - named == set()


def test_an_unknown_key_is_worse(monkeypatch):
    """What no one has thought about does not pass."""
    from ldp_aggregator import compare_versions
    from ldp_aggregator.versions import comparison

    known = {
        key: aspect for key, aspect in OF_QUESTION.items() if key != "report_bytes"
    }
    monkeypatch.setattr(comparison, "OF_QUESTION", known)
    case = next(case for case in CASES if case.key == "question.report_bytes")
    changes = compare_versions(
        parse_survey(case.after), parse_survey(case.before)
    ).worse
    assert [change.aspect for change in changes] == ["report_bytes"]
