"""Questions with fields: how they are declared, answered and told apart."""

import itertools
import math

import numpy as np
import pytest

import ldp
from ldp.answers.fields import by_name
from ldp.survey.compiled import compile_survey
from ldp_aggregator import Options, estimate
from ldp_client import Client, report_bytes
from ldp_client.tools.codegen import module

SMOKES = ldp.field("smokes", type="boolean", text="Do you smoke?")
SPORT = ldp.field("sport", ["never", "weekly", "daily"])
AGE = ldp.field("age", edges=[0, 18, 40, 100], outside="clip", missing=["-"])
CHILDREN = ldp.field("children", low=0, high=4)
FIELDS = [SMOKES, SPORT, AGE, CHILDREN]


def habits(*fields, **keys):
    """A survey with one question, of these fields or of all."""
    asked = ldp.question("habits", fields=fields or FIELDS, **{"epsilon": 1, **keys})
    return ldp.survey("habits-2026", asked)


def test_cells_are_all_combinations():
    """The last field varies fastest; names are the fields' values side by side."""
    domain = habits()["habits"].domain
    assert domain.size == 2 * 3 * 3 * 5
    by_field = (
        ["false", "true"],
        SPORT["values"],
        ["[0, 18)", "[18, 40)", "[40, 100]"],
        "01234",
    )
    names = [" & ".join(values) for values in itertools.product(*by_field)]
    assert list(domain.values) == names
    for place, name in enumerate(names):
        assert domain.value(domain.parse(name)) == place
    assert domain.summary == "table of smokes (2) x sport (3) x age (3) x children (5)"


def test_answers_by_name():
    """In any order; what does not fit is refused by field, and not repeated."""
    question = habits()["habits"]
    answer = {"smokes": True, "sport": "weekly", "age": 39.9, "children": 2}
    place = ((1 * 3 + 1) * 3 + 1) * 5 + 2
    assert question.value(answer) == place
    assert question.value(dict(reversed(answer.items()))) == place
    assert question.value(answer | {"age": 400}) == place + 5
    for wrong, expected in (
        ({"sport": "secret"}, "field 'sport': expected one of the question's 3 values"),
        ({"smokes": 1}, "field 'smokes': expected True or False"),
        ({"children": 77}, "field 'children': expected a whole number from 0 to 4"),
        (
            {"more": 1},
            "expected an answer for each of the fields smokes, sport, age, children",
        ),
    ):
        with pytest.raises(ldp.AnswerError, match=f"'habits': {expected}") as caught:
            question.value(answer | wrong)
        assert not any(secret in str(caught.value) for secret in ("secret", "77"))
    for wrong in (None, 3, "true & weekly & [0, 18) & 1", [True], {}, {"smokes": True}):
        with pytest.raises(ldp.AnswerError, match="for each of the fields"):
            question.value(wrong)


def test_one_report_tells_of_all_fields():
    """A client charges the question's epsilon once, whatever the number of fields."""
    client = Client(habits())
    report = client.record(
        "habits", {"smokes": True, "sport": "never", "age": 9, "children": 0}
    )
    assert report.fingerprint == habits()["habits"].fingerprint
    assert client.ledger().epsilon() == pytest.approx(1, abs=1e-9)


def test_texts_parse_to_equal_surveys():
    """What is written down is the same survey, in the same words."""
    survey = habits()
    again = ldp.parse_survey(survey.to_toml())
    assert again == survey
    assert again["habits"].domain.fields[0].text == "Do you smoke?"
    asked = (
        '[[question.field]]\nname = "a"\ntype = "boolean"\n'
        '[[question.field]]\nname = "b"\ntype = "category"\n'
    )
    head = (
        '[survey]\nname = "s"\n[[question]]\nname = "q"\ntype = "table"\nmechanism '
        '= "grr"\n'
    )
    by_headers = ldp.parse_survey(f'{head}epsilon = 1\n{asked}values = ["x", "y"]\n')
    fields = [ldp.field("a", type="boolean"), ldp.field("b", ["x", "y"])]
    assert by_headers == ldp.survey(
        "s", ldp.question("q", fields=fields, mechanism="grr", epsilon=1)
    )


@pytest.mark.parametrize(
    "fields",
    [
        [SPORT, SMOKES, AGE, CHILDREN],
        [SMOKES | {"name": "drinks"}, SPORT, AGE, CHILDREN],
        [SMOKES, SPORT | {"values": ["never", "daily", "weekly"]}, AGE, CHILDREN],
        [SMOKES, SPORT, AGE | {"edges": [0, 20, 40, 100]}, CHILDREN],
        [SMOKES, SPORT, AGE | {"outside": "refuse"}, CHILDREN],
        [SMOKES, SPORT, AGE, CHILDREN | {"low": 1, "high": 5}],
    ],
)
def test_fingerprints_cover_fields(fields):
    """Names, order, values and what becomes of numbers outside: each makes another
    question.
    """
    assert habits(*fields)["habits"].fingerprint != habits()["habits"].fingerprint


def test_fingerprints_do_not_cover_texts():
    """Versions whose words changed share a tally."""
    other = habits(SMOKES | {"text": "Rauchen Sie?"}, SPORT, AGE, CHILDREN)
    assert other["habits"].fingerprint == habits()["habits"].fingerprint


@pytest.mark.parametrize(
    ("fields", "problems"),
    [
        (
            [SMOKES],
            ["field: expected 2 to 16 tables [[question.field]], got 1 of them"],
        ),
        (
            [SMOKES, SMOKES],
            ["field: expected names that all differ, got smokes, smokes"],
        ),
        ([{"type": "boolean"}, SMOKES], ["field 1.name: expected a text"]),
        (
            [{"name": "x"}, SMOKES],
            ["field 1 (x).type: expected one of boolean, category"],
        ),
        (
            [{"name": "x", "type": "text"}, SMOKES],
            ["field 1 (x).type: expected one of boolean"],
        ),
        (
            [ldp.field("x", low=0, high=3, type="number"), SMOKES],
            ["field 1 (x).edges: expected"],
        ),
        (
            [ldp.field("x", ["a & b", "c"]), SMOKES],
            ["field 1 (x).values: expected values without"],
        ),
        (
            [SMOKES | {"epsilon": 1}, SPORT],
            ["field 1 (smokes).epsilon: expected one of"],
        ),
        (
            [SPORT | {"parents": {"a": "b"}}, SMOKES],
            ["field 1 (sport).parents: expected nothing"],
        ),
        (
            [ldp.field("x", low=0, high=999), ldp.field("y", low=0, high=999)],
            ["at most 65,536 cells together, or `collect", "got 1,000,000 of them"],
        ),
        (
            [SMOKES | {"smoke": 1}, {"name": "a b", "type": "boolean"}],
            ["smoke", "field 2 (a b)."],
        ),
    ],
)
def test_bad_fields_are_told(fields, problems):
    """Each by its place, all at once."""
    with pytest.raises(ldp.SurveyError) as caught:
        habits(*fields)
    for problem in problems:
        assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        (
            {"per_device": "last"},
            "per_device: expected nothing: a table has one answer",
        ),
        ({"candidates": "names.txt"}, "candidates: expected nothing"),
        ({"values": ["a", "b"]}, "an unknown key"),
        ({"mechanism": "geometric"}, "a question of type integer or number"),
        ({"mechanism": "arcs"}, "a question of type integer or number"),
        ({"goal": "mean"}, "a question of type integer or number"),
        ({"mechanism": "warner"}, "a question with exactly two values"),
    ],
)
def test_what_does_not_go_with_fields(keys, problem):
    """Keys of other types, and mechanisms of numbers."""
    with pytest.raises(ldp.SurveyError, match=problem):
        habits(**keys)


def test_fields_need_the_type():
    """They belong to tables alone, and a table to them."""
    with pytest.raises(ldp.SurveyError, match="got an unknown key"):
        habits(type="boolean")
    with pytest.raises(ldp.SurveyError, match="2 to 16 tables"):
        ldp.survey("s", ldp.question("q", type="table", epsilon=1))


def test_generated_code_has_an_argument_for_each_field():
    """With the types of their values."""
    source = module(habits())
    assert "smokes: bool, sport: Literal[" in source
    assert "age: float, children: int) -> RecordOutcome:" in source
    assert (
        '{"smokes": smokes, "sport": sport, "age": age, "children": children}' in source
    )
    compile(source, "answers.py", "exec")


def test_compiled_form_has_fields():
    """And no list of cells, of which there may be many."""
    question = compile_survey(habits())["questions"][0]
    assert question["values"] is None
    assert [field["name"] for field in question["fields"]] == [
        "smokes",
        "sport",
        "age",
        "children",
    ]
    assert question["fields"][2]["scale"]["edges"] == ["0", "18", "40", "100"]


def test_the_estimand_names_what_becomes_of_numbers():
    """Of each field that changes any."""
    assert habits()["habits"].domain.estimand == "age: numbers are clipped to [0, 100]"


@pytest.mark.parametrize(
    "mechanism", ["auto", "grr", "ss", "oue", "sue", "pgr", "hr", "olh"]
)
def test_cells_are_estimated_like_values(mechanism):
    """Whatever the mechanism: the errors are those of a question with as many
    values.
    """
    survey = habits(SMOKES, SPORT, mechanism=mechanism)
    plain = ldp.survey(
        "plain", ldp.question("q", list("abcdef"), mechanism=mechanism, epsilon=1)
    )
    tables = survey["habits"].randomizer, plain["q"].randomizer
    assert tables[0] == tables[1]
    assert survey["habits"].layout == plain["q"].layout


def test_estimates_come_by_cell():
    """Six cells from 3,000 clients, each within six standard errors (false alarms:
    1e-8).
    """
    survey = habits(SMOKES, SPORT, epsilon=4)
    generator = np.random.default_rng(11)
    answers = [
        {"smokes": bool(smokes), "sport": SPORT["values"][sport]}
        for smokes, sport in zip(
            generator.integers(0, 2, 3000), generator.integers(0, 3, 3000), strict=True
        )
    ]
    reports = [Client(survey).record("habits", answer) for answer in answers]
    shares = estimate(survey, report_bytes(reports), options=Options())["habits"]
    for value in shares:
        smokes, sport = value.value.split(" & ")
        share = np.mean(
            [a["smokes"] == (smokes == "true") and a["sport"] == sport for a in answers]
        )
        assert abs(value.frequency - share) < 6 * value.standard_error
    assert math.isclose(sum(value.frequency for value in shares), 1, abs_tol=1e-9)


def test_a_list_for_fields_has_one_entry_each():
    """In their order; what has more or fewer, and a text, stay as they are."""
    fields = habits(SMOKES, SPORT)["habits"].domain.fields
    for pair in ((True, "daily"), [True, "daily"]):
        assert by_name(fields, pair) == {"smokes": True, "sport": "daily"}
    for other in (
        (True,),
        [True, "daily", 1],
        "ab",
        {"smokes": True, "sport": "daily"},
    ):
        assert by_name(fields, other) is other
