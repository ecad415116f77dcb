"""`ldp-client`, for app developers, and the page "what is sent"."""

import io
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from calling import run
from children import loaded_by
from markdown_it import MarkdownIt
from places import EXAMPLE_SURVEYS
from surveys import COMMUTE, COMMUTE_SURVEY, survey_of, yes_no

from ldp import parse_survey
from ldp.privacy.disclosure import disclosure
from ldp_client import Client, EmbeddedClient, report_bytes
from ldp_client.tools.codegen import module
from ldp_client.tools.command import main

HOSTILE = (
    "<script>alert(1)</script>",
    "[a](https://evil.example) ![b](c) `d` *e* __f__ ~~g~~",
    "https://evil.example www.evil.example me@evil.example &lt; &#60;",
    "# heading\\n\\n- item\\n1. item\\n> quote | cell",
)


@pytest.fixture
def commute(tmp_path):
    """The file of a survey."""
    path = tmp_path / "survey.toml"
    path.write_text(COMMUTE)
    return path


def called(*words, capsysbinary, code=0):
    """What the command writes to standard output and standard error."""
    assert main([str(word) for word in words]) == code
    captured = capsysbinary.readouterr()
    assert b"Traceback" not in captured.err
    return captured.out.decode(), captured.err.decode()


class _Texts(HTMLParser):
    """The texts of a page, and the names of its elements."""

    def __init__(self, page):
        super().__init__()
        self.parts, self.elements = [], set()
        self.feed(page.partition("<body>")[2] or page)
        self.close()
        self.lines = [line for line in "".join(self.parts).splitlines() if line]

    def handle_starttag(self, name, attributes):
        self.elements.add(name)
        assert not attributes

    def handle_data(self, data):
        self.parts.append(data)


def test_codegen(commute, tmp_path, capsysbinary):
    """It writes what `ldp client codegen` writes."""
    assert called("codegen", commute, capsysbinary=capsysbinary)[0] == module(
        COMMUTE_SURVEY
    )
    called(
        "codegen",
        commute,
        "--output",
        tmp_path / "answers.py",
        capsysbinary=capsysbinary,
    )
    assert (tmp_path / "answers.py").read_text() == module(COMMUTE_SURVEY)


def test_ledger(tmp_path, capsysbinary):
    """It shows what the client shows; a file that is not there is not made."""
    with EmbeddedClient(survey_of(yes_no("a")), state=tmp_path / "state") as client:
        client.record("a", True)
        shown, _ = called("ledger", tmp_path / "state", capsysbinary=capsysbinary)
        assert shown == f"{client.ledger()}\n"
    _, complaint = called(
        "ledger", tmp_path / "none", capsysbinary=capsysbinary, code=1
    )
    assert complaint.startswith("Error: expected a state file")
    assert not (tmp_path / "none").exists()


def test_decode(commute, tmp_path, capsysbinary, monkeypatch):
    """It explains what `ldp client decode` explains, also from standard input."""
    upload = report_bytes([Client(COMMUTE_SURVEY).record("smoker", True)])
    (tmp_path / "reports.ldp").write_bytes(upload)
    words = ("decode", tmp_path / "reports.ldp", "--survey", commute)
    shown, _ = called(*words, capsysbinary=capsysbinary)
    assert shown == run("client", *words).output
    assert "question smoker" in shown
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(upload)))
    again, _ = called("decode", "-", "--survey", commute, capsysbinary=capsysbinary)
    assert again == shown


@pytest.mark.parametrize("form", ["md", "html"])
def test_explain(form, commute, capsysbinary):
    """Both commands write the same page."""
    words = ("explain", commute, "--disclosure", form)
    shown, _ = called(*words, capsysbinary=capsysbinary)
    assert shown == run(*words).output == disclosure(COMMUTE_SURVEY, form)


@pytest.mark.parametrize(
    "words", [("explain", "none.toml"), ("decode", "none"), ("codegen", ".")]
)
def test_what_cannot_be_used_is_told_in_a_line(words, capsysbinary):
    """Exit code 1."""
    _, complaint = called(*words, capsysbinary=capsysbinary, code=1)
    assert complaint.startswith("Error: ")


def test_it_is_a_program():
    """Of the client's distribution, which loads nothing but the standard library and
    its own.
    """
    program = Path(sys.executable).with_name("ldp-client")
    done = subprocess.run(
        [program, "--version"], check=True, capture_output=True, text=True
    )
    assert done.stdout.startswith("ldp-client ")
    assert subprocess.run([program], check=False, capture_output=True).returncode == 2
    loaded = loaded_by("import ldp_client.tools.command")
    assert loaded.isdisjoint({"numpy", "click", "rich", "ldp_aggregator", "sqlite3"})


@pytest.mark.parametrize("path", EXAMPLE_SURVEYS, ids=lambda path: path.stem)
def test_both_forms_of_the_page_say_the_same(path):
    """Of every example: all text, heading by heading, and no element that runs or
    loads.
    """
    survey = parse_survey(
        path.read_bytes(), files=lambda name: (path.parent / name).read_text()
    )
    by_markdown = _Texts(
        MarkdownIt("gfm-like", {"linkify": False}).render(disclosure(survey))
    )
    by_html = _Texts(disclosure(survey, "html"))
    assert by_markdown.lines == by_html.lines
    assert by_markdown.elements == by_html.elements == {"h1", "h2", "p", "ul", "li"}


def test_texts_of_a_survey_are_no_markup():
    """Whatever a question says is shown letter by letter, in both forms."""
    questions = (
        f'{yes_no(f"q{number}")}\ntext = """{text}"""'
        for number, text in enumerate(HOSTILE)
    )
    survey = survey_of(*questions)
    for page in (MarkdownIt().render(disclosure(survey)), disclosure(survey, "html")):
        texts = _Texts(page)
        assert texts.elements == {"h1", "h2", "p", "ul", "li"}
        for question in survey:
            assert " ".join(question.text.split()) in texts.lines
    assert "://" not in disclosure(survey)


def test_the_numbers_are_those_of_explain(commute):
    """Each belief and epsilon of the page is one that `ldp explain` prints."""
    explained = run("explain", commute).output
    page = disclosure(COMMUTE_SURVEY)
    assert "73.2 % likely (epsilon 1.000000)" in page
    assert "73.2% likely" in explained
    for line in explained.splitlines():
        if line.startswith(
            ("total for one respondent", "most that a device ever charges")
        ):
            assert f"(epsilon {line.rpartition(' ')[2]})" in page


def test_the_page_says_what_is_particular():
    """Draws, epochs, groups, limits, permanent responses."""
    kept = (
        'name = "kept"\ntype = "text"\nbloom_bits = 64\nmechanism = "rappor"\nf = '
        '"0.5"\n'
        'p = "0.25"\nq = "0.75"'
    )
    head = 'joint = ["a", "b"]\nepoch = "1d"\nlifetime_epsilon = "3"'
    draw = '[[draw]]\nquestions = ["c", "d"]'
    questions = [yes_no(name) for name in "abcd"]
    page = disclosure(survey_of(kept, *questions, head=f"{head}\n{draw}"))
    for part in (
        "The day in which a batch was made",
        "so known to be one person's: a, b.",
        "a share of 1\\/2 of the devices",
        "stops before that comes to epsilon 3.",
        "each time it is asked",
        "once, ever",
        "one device",
    ):
        assert part in page
