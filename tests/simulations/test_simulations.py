"""Populations, tables of answers and simulations of whole surveys."""

import json

import numpy as np
import pytest

from ldp.survey.survey_file import parse_survey
from ldp_aggregator.output.formats.formats import render_sheet
from ldp_simulations.answers import AnswersError, read_answers
from ldp_simulations.population import PopulationError, apportion, from_table, synthetic
from ldp_simulations.simulation import report
from ldp_simulations.simulation.simulation import LAW, REPORTS, simulate

SURVEY = parse_survey("""
[survey]
name = "small"
[[question]]
name = "smoker"
type = "boolean"
mechanism = "warner"
epsilon = "2"
[[question]]
name = "pet"
text = "<script>alert('$x$')</script>"
type = "category"
values = ["cat", "dog", "none"]
mechanism = "auto"
epsilon = "2"
[[question]]
name = "site"
type = "text"
mechanism = "rappor"
bloom_bits = 32
cohorts = 4
p = "0.1"
q = "0.9"
f = "0.1"
""")
CANDIDATES = {"site": ("a.example", "b.example", "c.example")}


@pytest.fixture
def table(tmp_path):
    def write(text):
        path = tmp_path / "answers.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("distribution", "shares"),
    [
        ("uniform", [1 / 3, 1 / 3, 1 / 3]),
        ("zipf:1", [6 / 11, 3 / 11, 2 / 11]),
        ("zipf:0", [1 / 3, 1 / 3, 1 / 3]),
        ("geometric:0.5", [4 / 7, 2 / 7, 1 / 7]),
        ("normal", [np.exp(-2), 1, np.exp(-2)]),
    ],
)
def test_distributions(distribution, shares):
    """A synthetic population has the distribution's proportions, to the nearest
    respondent.
    """
    holders = synthetic(SURVEY, 1001, distribution, candidates=CANDIDATES)["pet"]
    assert holders.respondents == 1001
    assert np.abs(holders.counts - 1001 * np.array(shares) / sum(shares)).max() < 1


def test_apportion_gives_everything_away():
    """Shares are whole, sum to the total, and are never more than one away from the
    exact ones.
    """
    weights = np.random.default_rng(0).random(1000)
    shares = apportion(12_345, weights)
    assert shares.sum() == 12_345
    assert np.abs(shares - 12_345 * weights / weights.sum()).max() < 1


@pytest.mark.parametrize(
    "distribution",
    [
        "",
        "zipf",
        "zipf:x",
        "zipf:-1",
        "zipf:nan",
        "geometric:2",
        "uniform:3",
        "file:",
        "file:none.csv",
        "cauchy",
    ],
)
def test_unknown_distributions(distribution):
    """A distribution that does not exist is refused with the list of those that do."""
    with pytest.raises(PopulationError, match="expected"):
        synthetic(SURVEY, 10, distribution, candidates=CANDIDATES)


def test_weights_of_a_file(table):
    """Weights may come from a table; a value without a row has none."""
    path = table(
        "question,value,weight\nsmoker,true,1\nsmoker,false,3\npet,dog,2\nsite,a.example,1\n"
        "site,c.example,1\n"
    )
    population = synthetic(SURVEY, 8, f"file:{path}", candidates=CANDIDATES)
    assert population["smoker"].counts.tolist() == [6, 2]
    assert population["pet"].counts.tolist() == [0, 8, 0]
    assert population["site"].counts.tolist() == [4, 0, 4]


@pytest.mark.parametrize(
    "rows",
    [
        "pet,horse,1\n",
        "pet,dog,-1\n",
        "pet,dog,many\n",
        "pet,dog,inf\n",
        "pet,dog,0\n",
        "",
    ],
)
def test_bad_weights(table, rows):
    """Weights for unknown values, or that are no weights, are refused."""
    others = "smoker,true,1\nsite,a.example,1\n"
    with pytest.raises(PopulationError, match="weight"):
        synthetic(
            SURVEY,
            8,
            f"file:{table('question,value,weight' + chr(10) + others + rows)}",
            candidates=CANDIDATES,
        )


def test_open_question_needs_candidates():
    """There is nothing to make up answers to an open question from, unless it has
    candidates.
    """
    with pytest.raises(PopulationError, match="--population"):
        synthetic(SURVEY, 10, "uniform", candidates={})


def test_answers(table):
    """Columns in any order, others ignored, empty cells no answer, booleans in any
    spelling.
    """
    path = table(
        "\ufeffpet,age,site,smoker\ncat,3,a.example,yes\n,4,,\n dog "
        ",5,b.example,False\n\n"
    )
    assert list(read_answers(path, SURVEY)) == [
        {"smoker": True, "pet": "cat", "site": "a.example"},
        {},
        {"smoker": False, "pet": "dog", "site": "b.example"},
    ]


def test_bad_answers_are_named_but_not_told(table):
    """Every bad cell is named by row and question, none is quoted, and skipping is
    offered.
    """
    path = table("smoker,pet,site\nyes,unicorn,a\nperhaps,cat,b\nyes,cat\n")
    with pytest.raises(AnswersError) as caught:
        list(read_answers(path, SURVEY))
    message = str(caught.value)
    assert "row 2: question 'pet'" in message
    assert "row 3: question 'smoker'" in message
    assert "row 4: expected 3 cells, got 2" in message
    assert "unicorn" not in message
    assert "perhaps" not in message
    answers = list(read_answers(path, SURVEY, skip_invalid=True))
    assert answers == [{"smoker": True, "site": "a"}, {"pet": "cat", "site": "b"}]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "one column for each question"),
        ("smoker,pet\n", "none for site"),
        ("smoker,pet,site,pet\n", "a column name twice"),
        (b"smoker,pet,site\n\xff,cat,a\n", "UTF-8"),
        ('smoker,pet,site\n"yes,cat,a\n', "CSV"),
        ("smoker,pet,site\n,cat,a\n", "answers to question 'smoker'"),
    ],
)
def test_unusable_tables(table, content, expected):
    """A table that is none, or lacks a question, is refused with what was expected."""
    with pytest.raises(AnswersError, match=expected):
        from_table(SURVEY, table(content), CANDIDATES)


def test_population_of_a_table(table):
    """The truth of a table counts every text, candidate or not."""
    path = table(
        "smoker,pet,site\nyes,cat,a.example\nno,cat,elsewhere.example\nno,dog,a.example\n"
    )
    population = from_table(SURVEY, path, CANDIDATES)
    assert population["smoker"].counts.tolist() == [2, 1]
    assert population["site"].frequencies(["a.example", "b.example"]) == [2 / 3, 0]
    assert population["site"].respondents == 3


def simulated(**options):
    population = synthetic(SURVEY, 500, "zipf:1", candidates=CANDIDATES)
    return simulate(SURVEY, population, candidates=CANDIDATES, **options)


def test_seeds_repeat_simulations():
    """The same seed gives the same reports and estimates; another seed, or none, gives
    others.
    """
    records = [report.to_dict(simulated(seed=seed)) for seed in (1, 1, 2, None)]
    assert records[0] == records[1]
    assert records[0] != records[2]
    assert records[2] != records[3]


def test_reports_are_made_when_asked_for():
    """Tallies come from the reports' law, of a billion respondents too, unless told
    otherwise.
    """
    assert (simulated().way, simulated().report_size) == (LAW, 0)
    assert simulated(way=REPORTS).way == REPORTS
    assert simulated(way=REPORTS).report_size > 0
    large = simulate(
        SURVEY,
        synthetic(SURVEY, 10**9, "uniform", candidates=CANDIDATES),
        candidates=CANDIDATES,
        seed=1,
    )
    assert large.way == LAW
    assert large.first["pet"].reports == 10**9
    assert (
        np.abs(large.first["pet"].frequency - 1 / 3).max()
        < 7 * large.first["pet"].standard_error.max()
    )


def test_runs_are_calibrated():
    """Over 400 runs errors are as stated, within 6 standard errors (3.5 % each) of
    their ratio.
    """
    result = simulated(runs=400, way=LAW, seed=3)
    for runs in result.runs.values():
        ratio = np.sqrt(
            (runs.empirical_error**2).mean() / (runs.stated_error**2).mean()
        )
        assert ratio == pytest.approx(1, abs=6 * 0.035)
        assert runs.coverage.min() > 0.95 - 6 * 0.011
        bias = (runs.frequency.mean(axis=0) - runs.truth) / (runs.stated_error / 20)
        assert np.abs(bias).max() < 6


def test_page_is_self_contained():
    """The HTML page fetches nothing, runs nothing, and escapes what the survey says."""
    page = report.page(simulated(seed=1, runs=2))
    assert page.startswith("<!doctype html>")
    assert page.count("<svg") == 3
    assert "&lt;script&gt;" in page
    for sign in ("<script", "<link", "<img", "src=", 'href="http', "@import"):
        assert sign not in page, sign


def test_records_are_json():
    """The records hold the truth beside each estimate and survive JSON without NaN."""
    record = report.to_dict(simulated(seed=1))
    again = json.loads(json.dumps(record, allow_nan=False))
    value = again["questions"]["pet"]["values"][0]
    assert value["truth"] == pytest.approx(6 / 11, abs=1 / 500)
    assert value["covered"] in (0.0, 1.0)


def test_table_tells_one_run_from_many():
    """One run says whether each interval holds the truth; many say how often."""
    assert "holds the truth" in render_sheet(report.sheet(simulated(seed=1)), "table")
    assert "coverage" in render_sheet(report.sheet(simulated(seed=1, runs=3)), "table")
