"""Every command that writes a file, with every ending: it writes, or refuses before it
begins.
"""

import shlex
from functools import cache

import click
import pytest
from calling import run
from click.testing import CliRunner

from ldp import parse_survey
from ldp_aggregator import aggregate, encode_tally
from ldp_aggregator.commands.main import main
from ldp_aggregator.output.formats.formats import FORMATS
from ldp_client import Client, report_bytes

WHOLE = """
[survey]
name = "endings"
joint = [["home", "garden"]]
[[question]]
name = "home"
type = "boolean"
mechanism = "grr"
epsilon = "2"
[[question]]
name = "garden"
type = "boolean"
mechanism = "grr"
epsilon = "2"
[[question]]
name = "life"
type = "table"
mechanism = "grr"
epsilon = "3"
[[question.field]]
name = "drinks"
type = "boolean"
[[question.field]]
name = "sex"
type = "category"
values = ["female", "male"]
[[question]]
name = "spot"
type = "place"
mechanism = "grr"
epsilon = "2"
cells = 8
x = { low = 0, high = 8 }
y = { low = 0, high = 8 }
"""
PET = """
[survey]
name = "pets"
[[question]]
name = "pet"
type = "boolean"
mechanism = "warner"
truth = "0.65"
"""
# A command and its words; `{}` is the file.
LINES = {
    "analyze associate": "whole.toml whole --questions home,garden -q -o {}",
    "survey simulate-attacks": "pet.toml -q --respondents 100 --seed 1 -o {}",
    "client test": "pet.toml -q --budget 100 -o {}",
    "client codegen": "pet.toml -o {}",
    "analyze compare": "pet.toml young old -q -o {}",
    "analyze crosstab": "whole.toml whole --question life --fields drinks,sex -q -o {}",
    "survey next-stage": "whole.toml whole --question spot -q -o {}",
    "estimate": "pet.toml young -q -o {}",
    "aggregate": "pet.toml young old -q -o {}",
    "survey paper-counts": "pet.toml counts.csv -o {}",
    "survey paper": "pet.toml -o {}",
    "plan": "pet.toml --respondents 1e3 -o {}",
    "analyze query": "pet.toml young -q 'share(pet = true)' -o {}",
    "randomize": "pet.toml -q -i answers.csv -o {}",
    "rappor associate": "--schema vars.csv --reports bits.csv --params-dir . -q --var1 "
    "a --var2 b -o {}",
    "rappor import": "--params p.csv --counts k.csv -q -o {}",
    "rappor ngrams": "--schema vars.csv --reports words.csv --params-dir . -q --text t "
    "--part u --part v --ngrams parts.txt --client cpp -o {}",
    "rappor survey": "--params texts.csv -o {}",
    "survey register prove consistency": "log --since 1 -o {}",
    "survey register prove inclusion": "log pet.toml -o {}",
    "survey register show": "log -o {}",
    "analyze regress": "pet.toml --rows rows.csv --formula 'pet ~ age' -q -o {}",
    "analyze publish": "pet.toml young -q -o {}",
    "analyze sql": "pet.toml pet -o {}",
    "survey stop-list sign": "pet.toml --key key --stop pet -o {}",
    "analyze synthesize": "whole.toml whole --question life --rows 9 -q -o {}",
    "analyze trend": "pet.toml young old -q -o {}",
    "analyze weight": (
        "pet.toml --rows rows.csv --question pet --weight weight -q -o {}"
    ),
}
ELSEWHERE = {"new": "a survey file", "survey page": "a folder", "simulate": "a folder"}
SLOW = ("client test", "analyze compare")
OF_MANY_FILES = "rappor ngrams"
"""It has the options of `rappor import`, and its files are long."""


def commands(group=main, words=()):
    """Each command, by its words."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


@cache
def options():
    """Of each command, by name."""
    return {
        words: {option.name: option for option in command.params}
        for words, command in commands()
    }


def words(name, file):
    """The command, to write this file."""
    return [*name.split(), *shlex.split(LINES[name].format(file))]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """What these commands read."""
    folder = tmp_path_factory.mktemp("endings")
    whole, pets = parse_survey(WHOLE), parse_survey(PET)
    lives = []
    for number in range(60):
        client = Client(whole)
        sex = "male" if number % 3 else "female"
        lives += [
            client.record_together({"home": True, "garden": number % 2 == 0}),
            client.record("life", {"drinks": number % 2 == 0, "sex": sex}),
            client.record("spot", {"x": number % 7, "y": number % 5}),
        ]
    reports = [Client(pets).record("pet", number % 3 == 0) for number in range(60)]
    rows = [
        f"{20 + number},{1 + number % 2},{report_bytes([report]).hex()}"
        for number, report in enumerate(reports)
    ]
    texts = {
        "whole.toml": WHOLE,
        "pet.toml": PET,
        "rows.csv": "age,weight,pet\n" + "\n".join(rows),
        "counts.csv": "question,value,count\npet,true,12\npet,false,18\n",
        "answers.csv": "pet\ntrue\nfalse\n",
        "p.csv": "k,h,m,p,q,f\n1,1,1,0.25,0.75,0.5\n",
        "texts.csv": "k,h,m,p,q,f\n16,2,2,0.25,0.75,0.5\n",
        "k.csv": "100,48\n",
        "vars.csv": "metric,var,var_type,params\nm,a,boolean,p\nm,b,boolean,p\n",
        "bits.csv": "client,cohort,a,b\n" + "x,0,1,1\nx,0,0,1\nx,0,0,0\n" * 20,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "whole").write_bytes(encode_tally(aggregate(whole, report_bytes(lives))))
    for name, chosen in {"young": reports[:30], "old": reports[30:]}.items():
        (folder / name).write_bytes(encode_tally(aggregate(pets, report_bytes(chosen))))
    run("survey", "register", "add", folder / "log", folder / "pet.toml")
    run("survey", "stop-list", "key", folder / "key")
    return folder


def test_every_command_that_writes_a_file_is_walked():
    """A new one is tried with every ending as well."""
    writing = {name for name, known in options().items() if "output" in known}
    assert writing == {*LINES, *ELSEWHERE}


@pytest.mark.parametrize("name", LINES)
def test_an_ending_that_a_command_does_not_write_is_refused_first(
    name, tmp_path, monkeypatch
):
    """Before it looks for its files, which are not there."""
    monkeypatch.chdir(tmp_path)
    form = options()[name].get("form")
    for row in FORMATS.values():
        if form is not None and row.name not in form.type.choices:
            said = run(*words(name, f"out.{row.ending}"), code=2).stderr
            assert "expected a file ending in one of .txt, .json, " in said


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in LINES
        if name != OF_MANY_FILES
    ],
)
def test_every_ending_is_written_or_refused(name, inputs, tmp_path, monkeypatch):
    """No file of nothing, and none that an exit code other than 0 leaves behind."""
    monkeypatch.chdir(inputs)
    form = options()[name].get("form")
    for row in FORMATS.values():
        if not row.available or (
            form is not None and row.name not in form.type.choices
        ):
            continue
        file = tmp_path / f"out.{row.ending}"
        result = CliRunner().invoke(main, words(name, file))
        if result.exit_code == 0:
            assert len(file.read_bytes().strip()) > 1, row.name
        else:
            assert "this result has no" in result.output, result.output
            assert not file.exists()
