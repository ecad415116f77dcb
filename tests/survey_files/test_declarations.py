"""Surveys written in Python say what survey files say, and are refused in the same
words.

They can be written down as such files.
"""

import tomllib
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import EXAMPLE_SURVEYS
from specimens import DESIGNS
from surveys import COMMUTE, DEVICE

import ldp
from ldp.survey.profiles import PROFILES
from ldp.survey.survey import survey_table
from ldp.survey.survey_toml import toml_text

TOML = """
[survey]
name = "trip"
joint = ["mode", "age"]
lifetime_epsilon = "7/2"
epoch = "12h"
grace = "2w"

[[question]]
name = "mode"
text = "How do you get to work?"
type = "category"
values = ["car", "bus", "bike"]
mechanism = "auto"
epsilon = "1"
report_bytes = 1

[[question]]
name = "age"
type = "integer"
low = 18
high = 67
mechanism = "ss"
epsilon = 0.5

[[question]]
name = "modes"
type = "multi"
values = ["car", "bus", "bike"]
most = 2
mechanism = "set-unary"
epsilon = 1

[[question]]
name = "homepage"
type = "text"
candidates = "homepages.txt"
profile = "rappor-paper"

[[question]]
name = "matrix"
type = "boolean"
mechanism = "matrix"
matrix = [["2/3", "1/3"], ["1/3", "2/3"]]
"""

MODE = ldp.question("mode", ["car", "bus"], epsilon="1")


def trip():
    """The survey above, in Python."""
    values = ["car", "bus", "bike"]
    third = Fraction(1, 3)
    return ldp.survey(
        "trip",
        ldp.question(
            "mode",
            values,
            text="How do you get to work?",
            epsilon=Decimal(1),
            report_bytes=1,
        ),
        ldp.question("age", low=18, high=67, mechanism="ss", epsilon=0.5),
        ldp.question("modes", values, most=2, mechanism="set-unary", epsilon=1),
        ldp.question("homepage", candidates="homepages.txt", profile="rappor-paper"),
        ldp.question(
            "matrix",
            type="boolean",
            mechanism="matrix",
            matrix=((2 * third, third), (third, 2 * third)),
        ),
        joint=("mode", "age"),
        lifetime_epsilon=Fraction(7, 2),
        epoch="12h",
        grace="2w",
    )


def problems(*questions, **keys):
    """What is said about a survey, one line each."""
    with pytest.raises(ldp.SurveyError) as caught:
        ldp.survey(keys.pop("name", "s"), *questions, **keys)
    return [str(problem) for problem in caught.value.problems]


def told(survey):
    """All that a survey says: its terms, which hold its fingerprint, and what people
    read.
    """
    head = survey.name, survey.terms, survey.epoch, survey.grace, len(survey.groups)
    return head, [
        (asked.fingerprint, asked.text, asked.candidates, asked.profile, asked.choice)
        for asked in survey
    ]


def test_python_says_what_a_file_says():
    """The same keys give the same survey, question by question, texts and terms
    included.
    """
    assert told(trip()) == told(ldp.parse_survey(TOML))
    assert trip() == ldp.parse_survey(TOML)


def surveys():
    """Survey files of every kind, by what they are: all designs of all mechanisms among
    them.
    """
    yield "documented", COMMUTE
    yield "device", DEVICE
    yield "whole", TOML
    yield from ((path.name, path.read_text()) for path in EXAMPLE_SURVEYS)
    for mechanism, designs in DESIGNS.items():
        for number, keys in enumerate(designs):
            head = (
                '[survey]\nname = "s"\n[[question]]\nname = "x"\nmechanism = '
                f'"{mechanism}"\n'
            )
            yield f"{mechanism}-{number}", head + keys
    for name in PROFILES:
        kind = 'type = "boolean"'
        if "rappor" in name or "chromium" in name:
            kind = 'type = "text"'
        yield (
            name,
            (
                f'[survey]\nname = "s"\n[[question]]\nname = "x"\n{kind}\nprofile = '
                f'"{name}"\n'
            ),
        )


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=name) for name, text in surveys()]
)
def test_every_survey_can_be_written_down(text):
    """What a survey writes parses to an equal one, and that one writes the same."""
    survey = ldp.parse_survey(text)
    again = ldp.parse_survey(survey.to_toml())
    assert again == survey
    assert told(again) == told(survey)
    assert again.to_toml() == survey.to_toml()


def test_questions_go_from_one_survey_to_another():
    """A question of a survey that was read can be asked again in another, under its
    name.
    """
    commute = ldp.parse_survey(COMMUTE)
    copied = ldp.survey("commute-2026", *commute)
    assert copied == commute
    other = ldp.survey("other", commute["smoker"])
    assert other["smoker"].fingerprint != commute["smoker"].fingerprint
    assert other["smoker"].text == "Do you smoke?"


@given(
    st.text(min_size=1, max_size=40, alphabet=st.characters(exclude_categories=["Cs"]))
)
def test_texts_come_back_whatever_they_are(text):
    """Quotes, line breaks, control characters, any script: a table says what it was
    given.
    """
    table = {
        "survey": {"text": text, text: 1},
        "question": [{"values": [text, "b" * 99]}],
    }
    assert tomllib.loads(toml_text(table)) == table


def test_surveys_come_back_whatever_people_read():
    """Texts and values with quotes, backslashes and line breaks survive as part of a
    survey.
    """
    strange = ['"', "\\", "'''", 'a"""b', "\t\r\n", "\x7f\x00", "#", "Ж\u2028𝄞"]
    survey = ldp.survey(
        "s", ldp.question("x", strange, text="\n".join(strange), epsilon=1)
    )
    again = ldp.parse_survey(survey.to_toml())
    assert told(again) == told(survey)
    assert again["x"].domain.values == tuple(strange)


def test_values_are_any_ordered_list():
    """Lists of all libraries, and their numbers."""
    import polars

    values = ["car", "bus"]
    for named in (tuple(values), np.array(values), polars.Series(values), iter(values)):
        asked = ldp.question(
            "mode", named, epsilon=np.float64(1), report_bytes=np.int64(1)
        )
        survey = ldp.survey("s", asked)
        assert survey == ldp.survey("s", MODE)
        assert ldp.parse_survey(survey.to_toml()) == survey


@pytest.mark.parametrize(
    ("questions", "keys", "words"),
    [
        (
            [MODE],
            {"name": "two words"},
            ["survey.name", "up to 64 letters", "two words"],
        ),
        ([], {}, ["question", "1 to 1000", "0 of them"]),
        ([MODE, MODE], {}, ["all differ", "'mode' more than once"]),
        (
            [MODE],
            {"joint": ["mode", "age"]},
            ["survey.joint", "sound questions", "age"],
        ),
        ([MODE], {"epoch": "1 day"}, ["survey.epoch", "length of time", "1 day"]),
        ([MODE], {"grace": "1d"}, ["survey.grace", "without an epoch"]),
        ([MODE], {"lifetime_epsilon": -1}, ["survey.lifetime_epsilon", "-1"]),
    ],
)
def test_problems_name_the_argument(questions, keys, words):
    """The reader of survey files checks, and says which argument is wrong."""
    lines = problems(*questions, **keys)
    assert any(all(word in line for word in words) for line in lines), lines


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"values": ["a", "b"], "epsilon": None}, ["question (x).epsilon", "nothing"]),
        ({"values": ["a"]}, ["(x).values", "1 of them"]),
        ({"values": ["a", "b"], "epsilon": 0}, ["(x).epsilon", "1/10000 to 40", "0"]),
        ({"values": ["a", "b"], "epsilom": 1}, ["(x).epsilom", '"epsilon"']),
        ({}, ["(x).type", "boolean, category", "nothing"]),
        ({"values": "ab"}, ["(x).values", "list of texts", "'ab'"]),
        # The order of a set differs from run to run, and fingerprints would with it.
        ({"values": {"a", "b"}}, ["(x).values", "list of texts"]),
        ({"low": object(), "high": 3}, ["(x).low", "whole number", "object"]),
        ({"low": -(10**5000), "high": 3}, ["(x).low", "whole number", "enormous"]),
    ],
)
def test_a_question_fails_where_it_is_written(keys, words):
    """With the name of the argument that is wrong."""
    with pytest.raises(ldp.SurveyError) as caught:
        ldp.question("x", **{"epsilon": 1} | keys)
    lines = str(caught.value).splitlines()
    assert any(all(word in line for word in words) for line in lines), lines


def test_a_question_can_be_looked_at():
    """By attributes that editors complete."""
    asked = MODE.name, MODE.type, MODE.text, MODE.mechanism
    assert asked == ("mode", "category", "", "auto")


def test_all_problems_are_said_at_once():
    """As for a file: a question's problems do not hide those of another."""
    wrong = (
        {"name": "a", "type": "category", "values": ["x"], "epsilon": 1},
        MODE | {"mechanism": "gr"},
    )
    assert len(problems(*wrong, epoch=3)) == 3


def test_what_is_no_question_is_refused():
    """A text in place of a question is a mistake that can be said plainly."""
    with pytest.raises(TypeError, match=r"question 2: expected what ldp\.question"):
        ldp.survey("s", MODE, "age")


def test_limits_of_files_hold_in_python():
    """A survey that no file of its length may ask for is none in Python: all can be
    written.
    """
    qualities = [[int(row == column) for column in range(64)] for row in range(64)]
    values = [str(value) for value in range(64)]
    tables = [
        ldp.question(
            name, values, mechanism="exponential", epsilon=1, quality=qualities
        )
        for name in "abcde"
    ]
    assert "numbers in `matrix` and `quality`" in problems(*tables)[0]
    largest = ldp.survey("s", *tables[:4])
    assert ldp.parse_survey(largest.to_toml()) == largest


def test_a_question_without_keys_cannot_be_written():
    """One that was put together by hand says so, rather than something else."""
    smoker = ldp.parse_survey(COMMUTE)["smoker"]
    bare = ldp.Question(
        smoker.name,
        smoker.domain,
        smoker.mechanism,
        randomizer=smoker.randomizer,
        declared=smoker.declared,
    )
    with pytest.raises(ValueError, match=r"'smoker': expected one that was read"):
        ldp.Survey("s", (bare,)).to_toml()


def test_written_surveys_are_laid_out_for_people():
    """A header and a line for each key; long lists have a line for each item."""
    long = [f"value number {number}" for number in range(20)]
    text = ldp.survey("s", ldp.question("x", long, epsilon="1")).to_toml()
    assert text.startswith(
        '[survey]\nname = "s"\n\n[[question]]\nname = "x"\ntype = "category"\n'
    )
    assert 'values = [\n    "value number 0",\n' in text
    assert text.endswith('mechanism = "auto"\nepsilon = "1"\n')
    assert max(map(len, text.splitlines())) <= 100


def test_surveys_are_equal_if_their_terms_are():
    """Neither texts nor the spelling of a number make another survey; names and
    epsilons do.
    """
    survey = ldp.survey("s", MODE)
    reworded = ldp.survey("s", MODE | {"text": "How?", "epsilon": 1.0})
    assert survey == reworded
    assert hash(survey) == hash(reworded)
    assert survey != ldp.survey("t", MODE)
    assert survey != ldp.survey("s", MODE | {"epsilon": 2})
    assert survey != "s"


def test_surveys_show_what_they_are():
    """The `repr` of a survey, a question, a group and a domain say what they ask for,
    briefly.
    """
    survey = trip()
    assert (
        repr(survey["mode"])
        == "<Question 'mode': category of 3 values; grr, epsilon 1>"
    )
    assert repr(survey["age"].domain) == "<Domain integer from 18 to 67>"
    assert (
        repr(survey["modes"].domain)
        == "<Domain multi, up to 2 of 3 values: car, bus, bike>"
    )
    assert repr(survey["homepage"].domain) == "<Domain any text>"
    assert repr(survey.groups[0]) == "<Group mode+age: answered together>"
    assert repr(survey).startswith(
        f"<Survey 'trip', fingerprint {survey.fingerprint.hex()}:\n  <"
    )
    assert repr(survey).count("<Question") == 5
    many = ldp.survey("s", *(MODE | {"name": f"q{number}"} for number in range(30)))
    assert "and 10 more questions" in repr(many)
    wide = ldp.survey("s", ldp.question("x", map(str, range(10**4)), epsilon=1))
    assert (
        repr(wide["x"].domain)
        == "<Domain category of 10,000 values: 0, 1, 2, 3, 4 and 9,995 more>"
    )


def test_tables_hold_what_the_file_does():
    """The table of a survey is the file's, but for what the reader makes explicit."""
    table = survey_table(ldp.parse_survey(TOML))
    assert table["question"] == tomllib.loads(TOML)["question"]
