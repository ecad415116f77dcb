"""Answers in another normalization form of Unicode: an é of one character, or of
two.
"""

from unicodedata import normalize

import pytest

import ldp
from ldp import parse_survey
from ldp.answers.texts import first_repetition, to_nfc
from ldp.errors import AnswerError, SurveyError
from ldp_aggregator import Ingest, estimate, read_candidates
from ldp_client import Client, report_bytes

CITIES = ["Genève", "Zürich", "Åland", "Bern"]
APART = [normalize("NFD", city) for city in CITIES]
FORMS = [CITIES, APART]
NAMES = ["composed", "apart"]

CATEGORY = {"values": CITIES, "epsilon": 1}
QUESTIONS = {
    "category": (CATEGORY, lambda city: city),
    "multi": ({**CATEGORY, "most": 2}, lambda city: [city, "Bern"]),
    "per device": ({**CATEGORY, "per_device": "last"}, lambda city: ["Bern", city]),
    "key-value": (
        {"keys": CITIES, "most": 2, "low": 0, "high": 1, "epsilon": 1},
        lambda city: {city: 1, "Bern": 0},
    ),
    "table": (
        {
            "fields": [ldp.field("city", CITIES), ldp.field("sick", type="boolean")],
            "epsilon": 1,
        },
        lambda city: {"city": city, "sick": True},
    ),
}


@pytest.mark.parametrize("kind", QUESTIONS)
@pytest.mark.parametrize("listed", FORMS, ids=NAMES)
def test_an_answer_fits_its_value_in_either_form(kind, listed):
    """Whichever form the survey lists, for every kind of answer that names values."""
    keys, answer = QUESTIONS[kind]
    swapped = {
        name: listed if name in ("values", "keys") else value
        for name, value in keys.items()
    }
    if kind == "table":
        swapped["fields"] = [
            ldp.field("city", listed),
            ldp.field("sick", type="boolean"),
        ]
    question = ldp.survey("cities", ldp.question("q", **swapped))["q"]
    for plain, apart in zip(CITIES[:3], APART[:3], strict=True):
        assert plain != apart
        assert question.domain.value(answer(plain)) == question.domain.value(
            answer(apart)
        )


def test_values_stay_as_the_file_has_them():
    """A survey whose values are taken apart keeps them, and differs from one that
    composes them.
    """
    surveys = [
        ldp.survey("s", ldp.question("q", cities, epsilon=1)) for cities in FORMS
    ]
    assert [list(survey["q"].domain.values) for survey in surveys] == FORMS
    assert surveys[0]["q"].fingerprint != surveys[1]["q"].fingerprint


@pytest.mark.parametrize("key", ["values", "keys"])
def test_values_that_differ_by_their_form_alone_are_refused(key):
    """No answer could tell them apart."""
    keys = {key: [CITIES[0], APART[0]], "epsilon": 1}
    if key == "keys":
        keys |= {"most": 1, "low": 0, "high": 1}
    with pytest.raises(
        SurveyError, match=r"all differ, got .* in two forms of Unicode"
    ):
        ldp.survey("s", ldp.question("q", **keys))


def test_leaves_that_differ_by_their_form_alone_are_refused():
    """As the children in a tree, where no values are listed."""
    tree = {CITIES[0]: "west", APART[0]: "east", "Bern": "west", "Chur": "east"}
    with pytest.raises(
        SurveyError, match=r"all differ, got .* in two forms of Unicode"
    ):
        ldp.survey("s", ldp.question("q", parents=tree, epsilon=1))


def test_one_key_in_two_forms_is_refused():
    """A set of signed items never holds both of a key; the message has neither."""
    question = ldp.survey("s", ldp.question("q", **QUESTIONS["key-value"][0]))["q"]
    with pytest.raises(AnswerError, match="keys that all differ") as caught:
        question.domain.value({CITIES[0]: 1, APART[0]: 0})
    assert "Gen" not in str(caught.value)


def test_texts_are_hashed_composed():
    """An open question takes the bytes of NFC; ASCII and composed texts stay as they
    were.
    """
    assert [to_nfc(city) for city in APART] == CITIES
    assert to_nfc("Bern") == "Bern"
    question = parse_survey(f"{HEAD}{HOME}")["home"]
    for plain, apart in zip(CITIES, APART, strict=True):
        assert (
            question.domain.value(apart)
            == question.domain.value(plain)
            == plain.encode()
        )


HEAD = '[survey]\nname = "cities"\n'
HOME = """
[[question]]
name = "home"
type = "text"
candidates = "cities.txt"
mechanism = "rappor"
bloom_bits = 32
p = "0.01"
q = "0.99"
f = "0"
"""
RESPONDENTS = 400


@pytest.mark.parametrize("answers", FORMS, ids=NAMES)
@pytest.mark.parametrize("candidates", FORMS, ids=NAMES)
def test_candidates_meet_answers_in_either_form(answers, candidates, tmp_path):
    """Texts and candidates, from a file or not, are estimated as one, under the
    composed name.

    400 respondents in equal shares; standard errors are below 0.01 by far, and without
    composition three of the shares would be 0.
    """
    survey = parse_survey(f"{HEAD}{HOME}")
    reports = [
        Client(survey).record("home", answers[number % len(answers)])
        for number in range(RESPONDENTS)
    ]
    ingest = Ingest(survey)
    ingest.feed(report_bytes(reports))
    ingest.end_of_stream()
    (tmp_path / "cities.txt").write_text(
        "\n".join([*candidates, *CITIES]), encoding="utf-8"
    )
    from_file = read_candidates(survey, tmp_path / "cities.toml")
    assert from_file == {"home": tuple(CITIES)}
    for known in (from_file, {"home": candidates}):
        home = estimate(ingest.tally, candidates=known)["home"]
        assert list(home.values) == CITIES
        assert max(abs(home.frequency - 1 / len(CITIES))) < 0.1


def test_repeated_texts_are_found_in_any_form():
    """The first one that stands there before."""
    assert first_repetition(["a", "b", CITIES[0], APART[0], "a"]) == APART[0]
    assert first_repetition([*CITIES, "a"]) is None
