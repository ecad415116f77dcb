"""Files as editors leave them: a byte order mark is passed over, and nesting without
end refused.

Windows' Notepad and Excel put such a mark first, and say nothing of it.
"""

import json

import pytest
from calling import run

from ldp import parse_survey
from ldp_aggregator.versions.pages import PageFileError, parse_page
from ldp_service.analysis.notes import NoteError, parse_notes
from ldp_service.people import roles
from ldp_service.people.roles import PeopleError
from ldp_service.respondents.words import words_of
from ldp_service.uploads.tokens import TokenError, Tokens

MARK = b"\xef\xbb\xbf"
NESTED = "a = " + "[" * 100_000
COINS = """
[survey]
name = "coins"
[[question]]
name = "coin"
type = "boolean"
mechanism = "forced"
forced_true = "1/4"
forced_false = "1/4"
"""
READERS = [
    (parse_notes, NoteError),
    (roles.parse, PeopleError),
    (Tokens.parse, TokenError),
    (parse_page, PageFileError),
]


@pytest.fixture
def survey(tmp_path):
    """A survey file that begins with a mark, and the page's own beside it."""
    path = tmp_path / "coins.toml"
    path.write_bytes(MARK + COINS.encode())
    (tmp_path / "coins.page.toml").write_bytes(MARK + b'[page]\ntitle = "Coins"\n')
    return path


@pytest.mark.parametrize(("read", "error"), READERS)
def test_toml(read, error):
    """In every reader of a service; what is refused is named."""
    read(MARK, "file")
    with pytest.raises(error, match="file"):
        read(NESTED.encode(), "file")


def test_a_survey_and_its_page(survey, tmp_path):
    """They are what they are without the mark."""
    assert (
        parse_survey(survey.read_bytes()).fingerprint == parse_survey(COINS).fingerprint
    )
    run("survey", "page", survey, "--output", tmp_path / "page")
    spoken = json.loads((tmp_path / "page" / "texts.json").read_bytes())["languages"][
        "en"
    ]
    assert spoken["survey"]["title"] == "Coins"


def test_counts_of_sheets_on_paper(survey, tmp_path):
    """As a spreadsheet saves them; separated by semicolons, as some do, they are
    refused.
    """
    counts, reports = tmp_path / "counts.csv", tmp_path / "paper.reports"
    counts.write_bytes(MARK + b"question,value,count\r\ncoin,true,7\r\n")
    run("survey", "paper-counts", survey, counts, "--output", reports)
    assert reports.read_bytes()
    counts.write_text("question;value;count\ncoin;true;7\n")
    said = run(
        "survey", "paper-counts", survey, counts, "--output", reports, code=1
    ).stderr
    assert "separated by commas; got a header 'question;value;count'" in said


def test_settings_of_a_service(survey, tmp_path):
    """A file of flags: its mark does not matter, what it says does."""
    settings = tmp_path / "settings.toml"
    for content, said in (
        (MARK + b'colour = "red"', "colour"),
        (NESTED.encode(), "expected TOML in UTF-8"),
    ):
        settings.write_bytes(content)
        assert said in run("serve", survey, "--config", settings, code=2).stderr


def test_a_page_that_is_nested_without_end(survey, tmp_path):
    """Of the page file, and of words in a language: refused, by their names."""
    words = tmp_path / "fr.json"
    words.write_text(json.dumps(words_of("en")))
    page = tmp_path / "coins.page.toml"
    page.write_text('[page]\ntitle = "Coins"\n[language.fr]\n')
    command = (
        "survey",
        "page",
        survey,
        "--output",
        tmp_path / "page",
        "--words",
        words,
    )
    run(*command)
    words.write_text("[" * 100_000)
    assert "fr.json: expected JSON in UTF-8" in run(*command, code=1).stderr
    page.write_text(NESTED)
    assert "coins.page.toml: expected TOML in UTF-8" in run(*command, code=1).stderr
