"""Questions about numbers in hostile hands: what is wrong is said in a sentence."""

import numpy as np
import pytest
from calling import run

import ldp
from ldp.errors import AnswerError, EstimateError, SurveyError
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.output.columns import align
from ldp_aggregator.output.sheet import TextTable
from ldp_service.analysis.queries import options_of
from ldp_simulations.holders import Holders
from ldp_simulations.population import points_of
from ldp_simulations.sampling.table import sample_counts

HEAD = (
    '[survey]\nname = "s"\n[[question]]\nname = "x"\ntype = "number"\nmechanism = '
    '"auto"\n'
)
REFUSED_AT_ONCE = ("nan", "", "5", "a:b", "1:2:3", "nan,2")
HOURS = 'goal = "distribution"\nepsilon = 4\nlow = 0\nhigh = 60\nstep = 0.5\n'


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("edges = [3, 2, 1]", "x).edges: expected numbers that go up, got 3 before 2"),
        ("edges = [1, 1, 2]", "x).edges: expected numbers that go up, got 1 before 1"),
        ("edges = [1, 2]", "x).edges: expected a list of 3 to"),
        ("low = 0\nhigh = 1\nbins = 0", "x).bins: expected a whole number from 2 to"),
        ("low = 0\nhigh = 1\nbins = 2.5", "x).bins: expected a whole number from 2 to"),
        ("low = 0\nhigh = inf\nbins = 9", "x).high: expected a number"),
        (
            "low = 0\nhigh = 1\nbins = 9\noutside = 5",
            "x).outside: expected refuse, clip or a number from 0 to 1, got '5'",
        ),
        (
            'low = 0\nhigh = 1\nbins = 9\nunit = "h\\u001b[31m"',
            "x).unit: expected a text without line breaks and control characters",
        ),
        (
            'low = 0\nhigh = 1\nbins = 9\nunit = "h\\nx"',
            "x).unit: expected a text without line breaks and control characters",
        ),
    ],
)
def test_one_mistake_is_one_problem(keys, message):
    """Said with its place, and not followed by what a scale that no one asked for
    cannot do.
    """
    with pytest.raises(SurveyError) as caught:
        ldp.parse_survey(f'{HEAD}goal = "distribution"\nepsilon = 1\n{keys}\n')
    assert len(caught.value.problems) == 1
    assert message in str(caught.value)
    assert "\x1b" not in str(caught.value)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "s.toml").write_text(HEAD + HOURS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (
            "NaN",
            (
                "got a text that is none (texts that stand for no answer belong in "
                "`missing`)"
            ),
        ),
        ("inf", "got a text that is none"),
        ("abc", "got a text that is none"),
        ("1_000", "got a text that is none"),
        (
            "1e999",
            "expected a number that is finite, of at most 400 digits, got another",
        ),
        ("61", "expected a number from 0 to 60, got another"),
    ],
)
def test_cells_that_are_no_numbers(folder, cell, message):
    """The row is named and what to do is said; the cell is not repeated."""
    (folder / "a.csv").write_text(f"x\n39.0\n1e1\n5/2\n{cell}\n")
    said = run("randomize", "s.toml", "-i", "a.csv", "-o", "r.bin", code=1).output
    assert "row 5: question 'x'" in said
    assert message in said
    assert cell not in said.replace("`missing`", "") or cell == "61"
    assert not (folder / "r.bin").exists()


def test_columns_of_several_types():
    """Of a data frame with numbers, texts and nothing: the texts that are none are
    told.
    """
    import pandas

    import ldp_simulations

    survey = ldp.parse_survey(HEAD + HOURS)
    cells = [1, 2.5, "3", np.int64(4), np.float32(5), None, float("nan")]
    assert ldp_simulations.randomize(survey, pandas.DataFrame({"x": cells}))
    for bad in ("three", True, float("inf"), 10**500):
        with pytest.raises(ldp_simulations.AnswersError, match="row 2"):
            ldp_simulations.randomize(survey, {"x": [cells[0], bad]})
    with pytest.raises(ldp_simulations.AnswersError, match="row 2"):
        ldp_simulations.randomize(survey, pandas.DataFrame({"x": [cells[0], "three"]}))
    with pytest.raises(
        AnswerError, match="expected a number that is finite, of at most 400 digits"
    ):
        survey["x"].value(float("inf"), lambda size: bytes(size))


@pytest.mark.parametrize(
    "words",
    [
        ("--quantiles", "1.5"),
        ("--quantiles", "nan"),
        ("--quantiles", ""),
        ("--range", "5"),
        ("--range", "a:b"),
        ("--range", "5:3"),
        ("--range", "1:2:3"),
        ("--edges", "3,2,1"),
        ("--edges", "nan,2"),
        ("--edges", "200,300"),
    ],
)
def test_bad_options(folder, words):
    """A sentence with what was expected and what came, of the command and of a URL's
    query.
    """
    (folder / "a.csv").write_text("x\n" + "7.5\n" * 20)
    run("randomize", "s.toml", "-i", "a.csv", "-o", "r.bin")
    code = 2 if words[1] in REFUSED_AT_ONCE else 1
    said = run("estimate", "s.toml", "r.bin", "-q", *words, code=code).output
    assert "expected " in said
    assert words[1].split(",")[0] in said
    asked = ldp.parse_survey(HEAD + HOURS)["x"]
    everyone = Holders(points_of(asked.domain), np.ones(121, dtype=np.int64))
    counts = sample_counts(asked, everyone, np.random.default_rng(1))
    key = {"--range": "ranges"}.get(words[0], words[0].strip("-"))
    if not words[1]:
        return
    with pytest.raises(EstimateError, match="expected "):
        _ = estimate_question(asked, counts, options_of({key: words[1]})).ranges


def test_control_characters_steer_no_terminal():
    """Not in captions, nor in remarks: they are written by their numbers."""
    text = align(
        TextTable("x", "in \x1b[31mh", ("a",), rows=[("1",)], remarks=["\x07"])
    )
    assert "\\x1b[31mh" in text
    assert "\\x07" in text
    assert not {"\x1b", "\x07"} & set(text)


@pytest.mark.parametrize("post_process", ["norm-sub", "base-cut", "posterior-mean"])
def test_a_tree_has_no_such_view(post_process):
    """What there is in its place is said."""
    parents = {"a": "n", "b": "n", "c": "s", "d": "s"}
    tree = ldp.question(
        "place", list("abcd"), parents=parents, mechanism="taxonomy", epsilon=1
    )
    asked = ldp.survey("s", tree)["place"]
    counts = np.ones((asked.layout.cohorts, asked.layout.symbols), dtype=np.int64)
    with pytest.raises(EstimateError, match="chosen by --at, --finest and --crowd"):
        estimate_question(asked, counts, Options(post_process=post_process))
    with pytest.raises(SurveyError, match="reported as symbols or bits"):
        ldp.survey(
            "s",
            tree,
            ldp.question("o", type="boolean", epsilon=1),
            joint=["place", "o"],
        )
