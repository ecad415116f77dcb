"""Tables of answers as people have them: what is an answer, what is none, and what is
refused.
"""

import csv
import io
import json
import random
from collections import Counter
from importlib import import_module

import numpy as np
import pytest

import ldp
import ldp_simulations as sim
from ldp.numbers.randomness import system
from ldp.wire.wire import FrameReader, decode_batch
from ldp_aggregator import Ingest, Options, estimate
from ldp_simulations.simulation import randomizing
from ldp_simulations.tables import columns_of

SURVEY = ldp.survey(
    "trip",
    ldp.question(
        "mode", ["car", "bus", "1"], missing=["-9"], mechanism="grr", epsilon="20"
    ),
    ldp.question(
        "smoker", type="boolean", missing=["NA"], mechanism="grr", epsilon="20"
    ),
    ldp.question(
        "age", low=-5, high=99, missing=["999"], mechanism="oue", epsilon="20"
    ),
    ldp.question(
        "pets",
        ["cat", "dog", "fish"],
        most=2,
        missing=["NA"],
        mechanism="set-unary",
        epsilon="30",
    ),
    ldp.question("homepage", mechanism="heavy-hitters", type="text", epsilon="4"),
)
ROWS = [
    {"mode": "car", "smoker": True, "age": -5, "pets": ["cat"], "homepage": "a.org"},
    {
        "mode": "bus",
        "smoker": False,
        "age": 7,
        "pets": ["cat", "dog"],
        "homepage": "b.org",
    },
    {"mode": "1", "smoker": None, "age": None, "pets": [], "homepage": None},
    {"mode": None, "smoker": True, "age": 99, "pets": None, "homepage": "a.org"},
]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
WANTED = {
    "mode": ["car", "bus", "1", None],
    "smoker": [True, False, None, True],
    "age": [-5, 7, None, 99],
    "pets": [{"cat"}, {"cat", "dog"}, set(), None],
    "homepage": ["a.org", "b.org", None, "a.org"],
}


def csv_file(folder):
    """The same as a CSV file, sets and booleans as such files write them."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in ROWS:
        pets = None if row["pets"] is None else "|".join(row["pets"]) or "|"
        writer.writerow([row["mode"], row["smoker"], row["age"], pets, row["homepage"]])
    path = folder / "answers.csv"
    path.write_text(text.getvalue())
    return path


TABLES = {
    "dict of lists": lambda _: COLUMNS,
    "dict of arrays": lambda _: {
        name: np.array([*cells, None], dtype=object)[:-1]
        for name, cells in COLUMNS.items()
    },
    "iterable of dicts": lambda _: iter(ROWS),
    "dicts without what is missing": lambda _: [
        {name: cell for name, cell in row.items() if cell is not None} for row in ROWS
    ],
    "pandas": lambda _: import_module("pandas").DataFrame(ROWS),
    "pandas with its own missing values": lambda _: (
        import_module("pandas").DataFrame(ROWS).convert_dtypes()
    ),
    "polars": lambda _: import_module("polars").DataFrame(ROWS),
    "pyarrow": lambda _: import_module("pyarrow").Table.from_pylist(ROWS),
    "records of pandas": lambda folder: TABLES["pandas"](folder).to_dict("records"),
    "path": csv_file,
    "text of a path": lambda folder: str(csv_file(folder)),
    "texts": lambda _: {
        "mode": ["car", " bus ", 1, "-9"],
        "smoker": ["yes", 0, " NA", 1.0],
        "age": ["-5", 7.0, "999", np.int64(99)],
        "pets": ["cat", "dog|cat", "|", "NA"],
        "homepage": ["a.org", "b.org", None, "a.org"],
    },
}


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(
            kind, marks=[pytest.mark.needs("pyarrow")] if kind == "pyarrow" else []
        )
        for kind in TABLES
    ],
)
def test_every_table_says_the_same(kind, tmp_path):
    """Whatever holds the answers, each respondent's are the same, missing ones
    included.
    """
    columns = columns_of(SURVEY, TABLES[kind](tmp_path))
    for name, wanted in WANTED.items():
        codes, answers = columns[name]
        column = [None if code < 0 else answers[code] for code in codes.tolist()]
        if name == "pets":
            column = [None if answer is None else set(answer) for answer in column]
        assert column == wanted, name


@pytest.mark.parametrize(
    "kind", ["dict of lists", "iterable of dicts", "pandas", "path"]
)
def test_reports_of_a_table_decode(kind, tmp_path):
    """At an epsilon that leaves no noise, estimates are the shares in the table."""
    reports = sim.randomize(SURVEY, TABLES[kind](tmp_path))
    estimates = estimate(SURVEY, reports, options=Options(estimand="population"))
    assert [question.reports for question in estimates] == [3, 3, 3, 3, 3]
    assert estimates["mode"].frequency == pytest.approx([1 / 3] * 3, abs=1e-5)
    assert estimates["smoker"]["true"].frequency == pytest.approx(2 / 3, abs=1e-5)
    assert estimates["pets"].frequency == pytest.approx([2 / 3, 1 / 3, 0], abs=1e-2)


BAD = [
    ({"mode": ["car"]}, "none for smoker, age, pets, homepage"),
    (COLUMNS | {"mode": ["car"]}, "1 rows of mode, 4 rows of smoker"),
    (COLUMNS | {"mode": ["car", "secret", "bus", "secret"]}, "row 4: question 'mode'"),
    (COLUMNS | {"smoker": ["yes", 2, None, None]}, "row 2: question 'smoker'"),
    (COLUMNS | {"age": [1.5, True, 100, None]}, "got 3 that do not"),
    (COLUMNS | {"pets": [["cat", "cat"], ["cow"], {1}, None]}, "got 3 that do not"),
]


@pytest.mark.parametrize(("table", "words"), BAD)
def test_what_does_not_fit_is_named_by_its_place(table, words):
    """Row and question, and never the answer itself."""
    with pytest.raises(sim.AnswersError, match=words) as caught:
        sim.randomize(SURVEY, table)
    assert "secret" not in str(caught.value)


def test_what_does_not_fit_can_be_skipped():
    """Such cells are taken for no answer where that is asked for."""
    columns = columns_of(
        SURVEY, COLUMNS | {"age": [1.5, True, 100, 5]}, skip_invalid=True
    )
    assert (columns["age"].codes >= 0).tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (7, "got something of type int"),
        (["car"], "row 1: expected a dict of answers"),
        (dict.fromkeys(COLUMNS, "car"), "column 'mode': expected an array or a list"),
    ],
)
def test_what_is_no_table_is_refused(table, words):
    """A call that mixes something up is told what is expected."""
    with pytest.raises(TypeError, match=words):
        sim.randomize(SURVEY, table)


TOGETHER = ldp.survey(
    "together",
    ldp.question("a", type="boolean", mechanism="grr", epsilon="1"),
    ldp.question("b", ["x", "y", "z"], mechanism="grr", epsilon="1"),
    joint=["a", "b"],
)


def test_groups_are_answered_together_or_not_at_all():
    """Half an answer to a group is a problem, or no answer."""
    table = {"a": [True, False, None], "b": ["x", None, None]}
    with pytest.raises(
        sim.AnswersError, match=r"row 2: expected answers to all of a\+b or to non"
    ):
        sim.randomize(TOGETHER, table)
    reports = sim.randomize(TOGETHER, table, skip_invalid=True)
    assert estimate(TOGETHER, reports)["a"].reports == 1


def test_no_answers_make_no_reports():
    """An empty table, and one without any answer, give an empty report file."""
    assert sim.randomize(TOGETHER, []) == b""
    assert sim.randomize(TOGETHER, {"a": [None], "b": [""]}) == b""


@pytest.mark.parametrize("mechanism", ["grr", "oue", "ss", "hr"])
def test_columns_are_drawn_in_parts(mechanism, monkeypatch):
    """However many reports are drawn together, there is one for each answer, of its
    value.

    It is found if a fifth of a value's reports are not its own (six standard errors of
    `oue`, which errs most).
    """
    monkeypatch.setattr(randomizing, "_AT_ONCE", 7)
    survey = ldp.survey(
        "s", ldp.question("x", list("abcd"), mechanism=mechanism, epsilon="20")
    )
    reports = sim.randomize(survey, {"x": list("aaab" * 400)}, seed=1)
    question = estimate(survey, reports)["x"]
    assert question.reports == 1600
    assert question["a"].frequency == pytest.approx(
        0.75, abs=0.01 + 6 * question["a"].standard_error
    )


def test_reports_leave_in_any_order():
    """The first respondent's report is anywhere in the file.

    Of 3,000 files, about as many times in each of three places (a chi-square of 27.6 on
    two degrees of freedom has a chance of 1e-6).
    """
    survey = ldp.survey(
        "s", ldp.question("x", ["a", "b"], mechanism="grr", epsilon="40")
    )
    places = Counter()
    for seed in range(3000):
        (frame,) = FrameReader().feed(
            sim.randomize(survey, {"x": ["b", "a", "a"]}, seed=seed)
        )
        places[decode_batch(frame).rows.index(b"\1")] += 1
    assert sum((places[place] - 1000) ** 2 / 1000 for place in range(3)) < 27.6


def test_seeds_repeat_reports():
    """The same seed gives the same reports; without one, the operating system draws
    them.
    """
    table = {"a": [True] * 50, "b": ["x"] * 50}
    rows = [
        _rows(sim.randomize(TOGETHER, table, seed=seed))
        for seed in (1, 1, 2, None, None)
    ]
    assert rows[0] == rows[1]
    assert len({*rows}) == 4


def _rows(file):
    """The reports in a file, without the ids of its batches."""
    frames = FrameReader().feed(file)
    return tuple(decode_batch(frame).rows for frame in frames)


def test_randomness_is_the_systems(monkeypatch):
    """Without a seed no other source is asked."""
    asked = []
    monkeypatch.setattr(
        randomizing, "system", lambda size: asked.append(size) or system(size)
    )
    monkeypatch.setattr(random, "Random", None)
    sim.randomize(TOGETHER, {"a": [True], "b": ["x"]})
    assert asked


def test_populations_of_tables():
    """Who holds what, of any table: sets as sets, open questions by their texts."""
    population = sim.from_table(SURVEY, TABLES["pandas"](None), {"homepage": ["c.org"]})
    assert population["mode"].counts.tolist() == [1, 1, 1]
    assert population["age"].counts.sum() == 3
    assert population["homepage"].values == ("c.org", "a.org", "b.org")
    assert population["homepage"].counts.tolist() == [0, 2, 1]
    assert population["pets"].holding(3).tolist() == [2, 1, 0]
    with pytest.raises(
        sim.AnswersError, match="answers to question 'a' in the table, got none"
    ):
        sim.from_table(TOGETHER, {"a": [None], "b": [None]})


def test_a_survey_from_its_table_to_its_error_bars():
    """The verbs in a row: plan, simulate, attack, randomize, estimate."""
    population = sim.synthetic(TOGETHER, 2000)
    planned = sim.plan(TOGETHER, respondents=2000)
    result = sim.simulate(TOGETHER, population, runs=3, seed=5, way="reports")
    attacks = sim.attack(TOGETHER, population, kind="maximal-gain", runs=2, seed=5)
    assert [plan.label for plan in planned.plans] == ["a", "b"]
    assert "rare_error" in json.dumps(planned.to_dict())
    assert "question   mechanism" in repr(planned)
    assert repr(result).startswith(
        "<Simulation of survey 'together', 3 runs by reports:\n  a: 2 v"
    )
    assert [outcome.attack.question.name for outcome in attacks.attacked] == ["a", "b"]
    assert len(attacks.records()) == 2
    assert "forged reports beside 2,000 honest" in repr(attacks)
    stated = result.runs["b"].stated_error.max()
    assert planned.records()[1]["typical_error"] == pytest.approx(stated, rel=0.1)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "expected a survey, or values with epsilon or respondents; got neither"),
        (
            {"survey": TOGETHER, "values": 3},
            "expected a survey, or values and epsilon; got both",
        ),
        ({"survey": TOGETHER, "epsilon": 1, "respondents": 9}, "got both"),
        ({"values": 9}, "expected epsilon or respondents"),
        (
            {"survey": TOGETHER, "respondents": 9, "half_width": 0.1},
            "half_width finds respondents or epsilon: leave one of them out",
        ),
        (
            {"survey": TOGETHER, "respondents": 9, "forged": 10},
            r"forged: expected at most as many as respondents \(9\), got 10",
        ),
        ({"values": 9, "epsilon": 1}, "expected respondents, or half_width or detect"),
        (
            {"values": 9, "respondents": 100},
            "expected epsilon, or half_width or detect",
        ),
    ],
)
def test_plans_say_what_they_need(asked, words):
    """Arguments that no plan can be found by are named."""
    with pytest.raises(ldp.EstimateError, match=words):
        sim.plan(**asked)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"question": "c"}, "one of a, b, got 'c'"),
        ({"targets": ["w"]}, "got 'w'"),
        ({"fraction": 1.5}, "between 0 and 1"),
        ({"fraction": 1 - 1e-9}, "at most 10,000,000 forged"),
    ],
)
def test_attacks_say_what_they_need(asked, words):
    """What cannot be attacked is named."""
    with pytest.raises(sim.AttackError, match=words):
        sim.attack(TOGETHER, sim.synthetic(TOGETHER, 100), **asked)


def test_bulk_and_ingest_agree_on_a_large_table():
    """A hundred thousand rows in bulk: as many reports, and estimates within six
    errors.
    """
    survey = ldp.survey(
        "s", ldp.question("x", list("abcd"), mechanism="oue", epsilon="2")
    )
    values = np.random.default_rng(1).choice(
        list("abcd"), 100_000, p=[0.4, 0.3, 0.2, 0.1]
    )
    ingest = Ingest(survey)
    ingest.feed(sim.randomize(survey, {"x": values}, seed=3))
    ingest.end_of_stream()
    question = estimate(ingest.tally)["x"]
    assert question.reports == 100_000
    truth = np.array([np.mean(values == value) for value in "abcd"])
    assert (np.abs(question.frequency - truth) < 6 * question.standard_error).all()
