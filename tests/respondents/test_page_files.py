"""The files of a page: bound to each other, safe with any text, refused where it cannot
ask.
"""

import base64
import json
import re
from hashlib import sha384
from types import SimpleNamespace

import pytest
from calling import run
from places import ROOT
from respondent_pages import PAGE, SHOWN, SURVEY

from ldp import parse_survey
from ldp_service.commands.running import _say_public
from ldp_service.respondents.folder import Site, headers_text, page_files
from ldp_service.respondents.presentation import PageError, parse_presentation
from ldp_service.respondents.words import PAPER, WORDS, shipped_languages, words_of

QUESTION = '[survey]\nname = "x"\n[[question]]\nname = "q"\nepsilon = "1"\n'
PLACES = re.compile(r"\{(\w+)\}")


def test_the_document_binds_every_other_file():
    """By SHA-384; it has no script, style or handler within, and names no other
    host.
    """
    files = page_files(SURVEY, SHOWN, Site("https://collect.example"))
    document = files.pop("index.html").decode()
    for content in files.values():
        assert (
            f"sha384-{base64.b64encode(sha384(content).digest()).decode()}" in document
        )
    assert not re.search(r"<style|<script>|<script [^>]*>[^<]| on\w+=|style=", document)
    addresses = set(re.findall(r"https?://[^\s;&\"]+", document))
    assert addresses == {"https://collect.example"}
    assert "frame-ancestors 'none'" in headers_text(SHOWN, Site())


def test_the_figures_are_those_of_explain():
    """Three quarters for two coins, ln 3; and the survey's bytes are its compiled
    form.
    """
    files = page_files(SURVEY, SHOWN, Site())
    shown = json.loads(files["texts.json"])["questions"]["smoker"]
    assert (shown["percent"], shown["epsilon"], shown["same"]) == (
        "75.0",
        "1.099",
        "75",
    )
    assert json.loads(files["survey.json"])["fingerprint"] == SURVEY.fingerprint.hex()


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ('type = "vector"\ndimensions = 3\nradius = 1\nmechanism = "auto"', "vector"),
        (
            (
                'type = "integer"\nlow = 0\nhigh = 9\nper_device = "mean"\nmechanism = '
                '"dithered"'
            ),
            "per_device",
        ),
    ],
)
def test_what_a_page_cannot_ask_is_said_when_it_is_made(keys, expected):
    """By the name of the question."""
    survey = parse_survey(QUESTION + keys)
    with pytest.raises(PageError, match=f"question q: .*{expected}"):
        page_files(survey, parse_presentation(survey, {}), Site())


def test_texts_and_addresses_of_others_stay_what_they_are():
    """A title is no markup, and an address adds nothing to the policy."""
    shown = parse_presentation(
        SURVEY, {**PAGE, "page": {"title": "<script>alert(1)</script>"}}
    )
    assert b"<script>alert" not in page_files(SURVEY, shown, Site())["index.html"]
    for address in (
        "javascript:alert(1)",
        "https://a.example; script-src *",
        "ftp://a",
        "https://",
    ):
        with pytest.raises(PageError, match="address"):
            page_files(SURVEY, SHOWN, Site(address))


def test_every_mistake_of_a_page_file_is_said_at_once():
    """Unknown keys and questions, values that are none, two ways to say nothing."""
    wrong = {
        "page": {"titel": "x"},
        "question": {"nobody": {}, "way": {"refusal": "never", "widget": "wheel"}},
    }
    with pytest.raises(PageError) as caught:
        parse_presentation(SURVEY, wrong)
    for words in ("titel", "nobody", "refusal", "widget"):
        assert words in str(caught.value)


def test_one_of_a_group_cannot_be_left_out_by_itself():
    """Its questions are answered together or not at all: a refusal is a value of the
    question.
    """
    with pytest.raises(
        PageError, match=r"walks.*skip: expected no such thing where .* together"
    ):
        parse_presentation(SURVEY, {"question": {"walks": {"skip": "visible"}}})
    parse_presentation(SURVEY, {"question": {"smoker": {"skip": "visible"}}})


def test_what_a_language_leaves_unsaid_is_told():
    """Texts, helps and labels that stand there in the survey's language; numbers are
    the same.
    """
    assert [*SHOWN.unsaid] == ["ar", "de"]
    [arabic, german] = SHOWN.warnings()
    assert (
        "language ar leaves unsaid: asked_by, purpose, question.smoker.help" in arabic
    )
    assert (
        "question.way.labels (zebracar, quaggabus, okapibike, rather not say)" in arabic
    )
    assert "question.way.labels (quaggabus, okapibike, rather not say)" in german
    assert "title" not in german
    assert "hours" not in german
    ages = parse_survey(
        QUESTION + 'mechanism = "grr"\ntype = "category"\nvalues = ["18-24", "25+"]\n'
    )
    whole = {"page": {"title": "Ages"}, "language": {"de": {"title": "Alter"}}}
    assert parse_presentation(ages, whole).warnings() == []


def test_labels_are_for_values_that_there_are():
    """One that is mistyped would never be shown."""
    wrong = {"question": {"way": {"labels": {"zebracars": "By car"}}}}
    with pytest.raises(
        PageError, match=r"zebracars.*expected one of zebracar, quaggabus"
    ):
        parse_presentation(SURVEY, wrong)


def test_words_that_no_page_speaks_are_refused(tmp_path, monkeypatch):
    """By their file, with what would use them; and they are taken where the page has
    them.
    """
    monkeypatch.chdir(tmp_path)
    survey, words = tmp_path / "x.toml", tmp_path / "fr.json"
    survey.write_text(QUESTION + 'mechanism = "grr"\ntype = "boolean"\n')
    words.write_text(json.dumps(words_of("en")))
    command = ("survey", "page", survey, "-o", "page", "--words", words)
    assert "[language.fr] in a page file" in run(*command, code=1).stderr
    (tmp_path / "x.page.toml").write_text('[page]\ntitle = "X"\n[language.fr]\n')
    said = run(*command).stderr
    assert "warning: language fr leaves unsaid: title" in said
    assert (
        "fr" in json.loads((tmp_path / "page" / "texts.json").read_bytes())["languages"]
    )
    assert (
        "--words: expected --public"
        in run("serve", survey, "--words", words, code=2).stderr
    )


@pytest.mark.parametrize("tag", shipped_languages())
def test_languages_have_all_words_and_their_places(tag):
    """The same keys as English, and the same figures in each sentence."""
    for part in (WORDS, PAPER):
        english, words = (
            words_of(language, parts=(part,))[part] for language in ("en", tag)
        )
        assert words.keys() == english.keys()
        for key, text in english.items():
            assert {*PLACES.findall(words[key])} == {*PLACES.findall(text)}, key


def test_the_example_asks_for_the_answer_and_not_for_a_toss(tmp_path):
    """A browser tosses the coin; who tossed one as well would be randomized twice."""
    run("survey", "page", ROOT / "examples" / "affairs.toml", "-o", tmp_path / "page")
    asked = json.loads((tmp_path / "page" / "texts.json").read_bytes())["languages"][
        "en"
    ]
    assert "coin" in (ROOT / "examples" / "affairs.toml").read_text()
    assert "Have you had an affair?" in json.dumps(asked)
    assert "coin" not in json.dumps(asked).lower()


@pytest.mark.parametrize(
    ("address", "is_said"),
    [
        ("http://0.0.0.0:8000", True),
        ("http://192.0.2.1:8000", True),
        ("http://127.0.0.1:8000", False),
        ("https://ask.example", False),
    ],
)
def test_a_link_that_browsers_refuse_is_no_surprise(address, is_said, caplog):
    """Of a page that comes by http from another machine: its service says so when it
    begins.
    """
    _say_public(SimpleNamespace(paths=[ROOT / "examples" / "affairs.toml"]), address)
    assert ("nobody can answer there" in caplog.text) is is_said
