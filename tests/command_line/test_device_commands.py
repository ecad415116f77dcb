"""`ldp client ledger` and `ldp client codegen`: plain words for people, types for
editors.
"""

import ast
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from calling import run
from children import loaded_by
from places import EXAMPLE_SURVEYS, EXAMPLES
from surveys import COMMUTE, COMMUTE_SURVEY, survey_of, yes_no

from ldp import parse_survey
from ldp_client import EmbeddedClient
from ldp_client.testing import RecordingTransport
from ldp_client.tools.codegen import module

EVERY_TYPE = """
[survey]
name = "types"
joint = ["a.b", "class"]
[[question]]
name = "a.b"
text = 'Say "yes" \\ or no'
type = "boolean"
mechanism = "grr"
epsilon = 1
[[question]]
name = "class"
type = "category"
values = ["it's", 'a "quoted" one', "back\\\\slash"]
mechanism = "grr"
epsilon = 1
[[question]]
name = "A-B"
type = "integer"
low = -3
high = 8
mechanism = "grr"
epsilon = 1
[[question]]
name = "a_b"
type = "multi"
values = ["x", "y", "z"]
most = 2
mechanism = "auto"
epsilon = 1
[[question]]
name = "3rd"
type = "text"
mechanism = "rappor"
bloom_bits = 32
p = "0.25"
q = "0.75"
f = "0.5"
"""


@pytest.fixture
def answers(tmp_path):
    """The generated module for a survey with every type of question."""
    path = tmp_path / "answers.py"
    path.write_text(module(parse_survey(EVERY_TYPE)))
    spec = importlib.util.spec_from_file_location("answers", path)
    written = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(written)
    return written


def test_generated_functions_record(answers):
    """Every question, and every group, has a function that records its answer."""
    survey = parse_survey(EVERY_TYPE)
    transport = RecordingTransport()
    with EmbeddedClient(
        survey, state=None, transport=transport, strict=True, pins=[answers.TERMS]
    ) as client:
        assert answers.record_a_b(client, 5)
        assert answers.record_a_b_2(client, ["x", "z"])
        assert answers.record_question_3rd(client, "anything")
        assert answers.record_a_b_class(client, a_b=True, class_='a "quoted" one')
        assert client.flush(30.0)
    assert {batch.fingerprint for batch in transport.batches} == {
        envelope.fingerprint for envelope in survey.envelopes
    }


def test_generated_modules_are_typed(answers):
    """The types are those of the questions, and the text of a question is what an
    editor shows.
    """
    annotations = {
        node.name: [
            ast.unparse(argument.annotation)
            for argument in (*node.args.args[1:], *node.args.kwonlyargs)
        ]
        for node in ast.parse(Path(answers.__file__).read_text()).body
        if isinstance(node, ast.FunctionDef)
    }
    assert annotations == {
        "record_a_b": ["int"],
        "record_a_b_2": ["Collection[Literal['x', 'y', 'z']]"],
        "record_question_3rd": ["str"],
        "record_question_3rd_daily": ["str"],
        "record_a_b_class": [
            "bool",
            "Literal[\"it's\", 'a \"quoted\" one', 'back\\\\slash']",
        ],
    }
    assert answers.record_a_b_class.__doc__ == 'Say "yes" \\ or no; class'


def test_a_type_checker_finds_wrong_values(tmp_path):
    """Right values pass, and each wrong one is reported."""
    (tmp_path / "answers.py").write_text(module(COMMUTE_SURVEY))
    (tmp_path / "app.py").write_text(
        "from answers import record_homepage, record_smoker, record_transport\n"
        "from ldp_client.embedding.embedded import EmbeddedClient\n"
        "def use(client: EmbeddedClient) -> None:\n"
        "    record_smoker(client, True)\n"
        '    record_transport(client, "bus")\n'
        '    record_homepage(client, "a")\n'
        '    record_smoker(client, "yes")\n'
        '    record_transport(client, "zeppelin")\n'
        "    record_homepage(client, 3)\n"
    )
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        str(tmp_path / "cache"),
        "app.py",
    ]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    lines = [
        line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line
    ]
    assert lines == ["7", "8", "9"], done.stdout


def test_generated_modules_pass_a_strict_type_checker(tmp_path):
    """Those of all examples and of every type of question, and the example app that
    uses one.

    In a folder of its own, without this project's settings.
    """
    for path in EXAMPLE_SURVEYS:
        survey = parse_survey(path.read_text(encoding="utf-8"))
        name = f"{path.parent.name}_{path.stem}.py"
        (tmp_path / name).write_text(module(survey), encoding="utf-8")
    (tmp_path / "every_type.py").write_text(
        module(parse_survey(EVERY_TYPE)), encoding="utf-8"
    )
    for name in ("answers.py", "notes.py"):
        shutil.copy(EXAMPLES / "notes" / name, tmp_path)
    names = sorted(path.name for path in tmp_path.glob("*.py"))
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", *names]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == f"Success: no issues found in {len(names)} source files\n"


def test_codegen_writes_a_module(tmp_path):
    """To standard output, or to a file."""
    survey = tmp_path / "survey.toml"
    survey.write_text(COMMUTE)
    shown = run("client", "codegen", survey)
    written = tmp_path / "answers.py"
    said = run("client", "codegen", survey, "--output", written).output
    assert said == f"{written}: written, {written.stat().st_size:,} bytes\n"
    assert (
        shown.output == (tmp_path / "answers.py").read_text() == module(COMMUTE_SURVEY)
    )


def test_ledger_shows_what_the_client_shows(tmp_path):
    """`ldp client ledger STATE` prints the client's ledger, while the app has the file
    open.
    """
    with EmbeddedClient(survey_of(yes_no("a")), state=tmp_path / "state") as client:
        client.record("a", True)
        shown = run("client", "ledger", tmp_path / "state")
        assert shown.output == f"{client.ledger()}\n"
        assert "a: epsilon 1.000000, charged once" in shown.output


@pytest.mark.parametrize(
    ("content", "code"), [(None, 2), (b"", 1), (b"something else", 1)]
)
def test_ledger_of_something_else(content, code, tmp_path):
    """A file that is not there, or is no state, gives a message and is left as it
    is.
    """
    path = tmp_path / "state"
    if content is not None:
        path.write_bytes(content)
    assert "Error" in run("client", "ledger", path, code=code).output
    assert (path.read_bytes() if path.exists() else None) == content


def test_the_commands_load_no_numpy():
    """Both are for devices and editors."""
    assert loaded_by(
        "from ldp_simulations.commands.devices import codegen, ledger"
    ).isdisjoint({"numpy", "scipy"})


def test_names_that_look_alike_are_numbered():
    """Each gets the next number, a word of Python an underscore.

    What begins with a digit, `question_`.
    """
    names = ["a.b", "a-b", "A_b", "client", "class", "1st"]
    source = module(survey_of(*(yes_no(name) for name in names)))
    functions = [
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
    ]
    assert functions == [
        f"record_{name}"
        for name in ("a_b", "a_b_2", "a_b_3", "client_2", "class_", "question_1st")
    ]


def test_what_is_memoized_has_a_daily_function(tmp_path):
    """Beside the usual one, under a name of its own, where no group holds it; it
    records once.
    """
    chosen = (
        'type = "boolean"\nmechanism = "l-grr"\nepsilon_first = '
        '"1"\nepsilon_lifetime = "2"'
    )
    tables = [f'name = "{name}"\n{chosen}' for name in ("a", "a-daily", "b")]
    survey = survey_of(*tables, yes_no("c"), head='joint = ["b", "c"]')
    (tmp_path / "daily_answers.py").write_text(module(survey))
    source = (tmp_path / "daily_answers.py").read_text()
    functions = [
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
    ]
    names = ("a", "a_daily_2", "a_daily", "a_daily_daily", "b_c")
    assert functions == [f"record_{name}" for name in names]
    space = {}
    exec(source, space)  # noqa: S102
    with EmbeddedClient(survey, state=None) as client:
        daily = space["record_a_daily_2"]
        assert [daily(client, True), daily(client, False)] == [True, False]
        assert client.counts() == {"recorded": 1, "daily": 1}


@pytest.mark.parametrize(("number", "type_"), [(200, "Literal["), (201, "str")])
def test_as_many_values_become_a_literal_type(number, type_):
    """More would help no one who types."""
    values = ", ".join(f'"v{place}"' for place in range(number))
    keys = (
        'name = "q"\ntype = "category"\nmechanism = "grr"\nepsilon = "1"\nvalues = '
        f"[{values}]"
    )
    assert f"value: {type_}" in module(survey_of(keys))
