"""Tables of answers to questions with fields: a column for each of these."""

import numpy as np
import pytest

import ldp
from ldp_aggregator import estimate
from ldp_simulations import from_table, randomize, simulate, synthetic
from ldp_simulations.answers import AnswersError, read_answers
from ldp_simulations.tables import columns_of

SURVEY = ldp.survey(
    "habits",
    ldp.question(
        "habits",
        fields=[
            ldp.field("smokes", type="boolean"),
            ldp.field("age", edges=[0, 18, 40], missing=["-"]),
            ldp.field("children", low=0, high=3),
        ],
        epsilon=4,
    ),
    ldp.question("town", ["Cork", "Lyon"], epsilon=4),
)
COLUMNS = {
    "smokes": [True, False, None, True],
    "age": [17, 39.5, float("nan"), 18],
    "children": [0, 3.0, None, 2],
    "town": ["Cork", "Lyon", "Lyon", None],
}
PLACES = [0 * 8 + 4 * 0 + 8, 4 + 3, -1, 8 + 4 + 2]
"""The cells of these answers: two ages and four numbers of children beside smoking or
not.
"""
CSV = "smokes,age,children,town\nyes,17,0,Cork\nno,39.5,3,Lyon\n,-,,Lyon\ntrue,18,2,\n"


def cells_of(table):
    """The cell of each respondent's answer, -1 without one."""
    column = columns_of(SURVEY, table)["habits"]
    answers = [SURVEY["habits"].value(answer) for answer in column.answers]
    return [answers[code] if code >= 0 else -1 for code in column.codes]


def rows_of(columns):
    """The same answers row by row."""
    return [
        dict(zip(columns, cells, strict=True))
        for cells in zip(*columns.values(), strict=True)
    ]


def test_columns_rows_frames_and_files_say_the_same(tmp_path):
    """Booleans, floats of whole numbers, missing texts and all."""
    import pandas as pd

    path = tmp_path / "answers.csv"
    path.write_text(CSV, encoding="utf-8")
    arrays = {name: np.array(column, dtype=object) for name, column in COLUMNS.items()}
    by_question = [
        {"habits": {"smokes": True, "age": 17, "children": 0}, "town": "Cork"},
        {"habits": {"smokes": False, "age": 39.5, "children": 3}, "town": "Lyon"},
        {"habits": None, "town": "Lyon"},
        {"habits": {"smokes": True, "age": 18, "children": 2}},
    ]
    for table in (
        COLUMNS,
        rows_of(COLUMNS),
        arrays,
        pd.DataFrame(COLUMNS),
        path,
        by_question,
    ):
        assert cells_of(table) == PLACES


def test_reports_and_populations_come_of_columns():
    """As many reports as answers; of 3,000 at epsilon 4 every cell within six standard
    errors.
    """
    rows = [row for row in rows_of(COLUMNS) if row["smokes"] is not None] * 1000
    columns = {name: [row[name] for row in rows] for name in COLUMNS} | {
        "town": ["Cork"] * 3000
    }
    shares = estimate(SURVEY, randomize(SURVEY, columns, seed=1))["habits"]
    assert shares.reports == 3000
    population = from_table(SURVEY, columns)["habits"]
    assert (
        population.counts[[place for place in PLACES if place >= 0]].tolist()
        == [1000] * 3
    )
    for value, truth in zip(shares, population.counts / 3000, strict=True):
        assert abs(value.frequency - truth) < 6 * value.standard_error


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"age": [17, None, None, 18]},
            "row 2: question 'habits': expected answers to all of",
        ),
        (
            {"children": [0, 3, None, 9]},
            "row 4: question 'habits': field 'children': expected",
        ),
        (
            {"age": [17, 41, None, 18]},
            "row 2: question 'habits': field 'age': expected a number",
        ),
        (
            {"smokes": ["secret", False, None, True]},
            "row 1: question 'habits': field 'smokes'",
        ),
        ({"smokes": [True, False]}, "columns of one length"),
    ],
)
def test_what_does_not_fit_is_told_by_row_and_field(changed, words):
    """And not repeated; half an answer is none."""
    with pytest.raises(AnswersError) as caught:
        columns_of(SURVEY, COLUMNS | changed)
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_files_are_refused_alike(tmp_path):
    """Columns that are missing, cells that do not fit, and half an answer."""
    path = tmp_path / "answers.csv"
    for text, words in (
        (CSV.replace("children,", "kids,"), "got none for children"),
        (CSV.replace("39.5", "41"), "row 3: question 'habits': field 'age'"),
        (
            CSV.replace(",-,", ",7,"),
            "row 4: question 'habits': expected answers to all of smokes",
        ),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(AnswersError) as caught:
            list(read_answers(path, SURVEY))
        assert words in str(caught.value)
    without = {name: column for name, column in COLUMNS.items() if name != "age"}
    with pytest.raises(
        AnswersError, match="for each question or field, got none for age"
    ):
        columns_of(SURVEY, without)


@pytest.mark.parametrize("way", ["clients", "reports", "law"])
@pytest.mark.parametrize(
    "asked",
    [
        SURVEY,
        ldp.survey("ages", ldp.question("age", edges=[0, 18, 40, "99.5"], epsilon=1)),
    ],
    ids=["fields", "cells"],
)
def test_all_ways_simulate_them(asked, way):
    """Made-up respondents have a name of a cell for an answer, which reads as one that
    fits.
    """
    population = synthetic(asked, 300, "uniform", candidates={})
    result = simulate(asked, population, seed=3, way=way)
    assert [estimates.reports for estimates in result.first] == [300] * len(asked)
