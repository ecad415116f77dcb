"""The example for R, where R is."""

import csv
import json
import subprocess

import numpy as np
import pytest
from calling import run
from places import ROOT

import ldp
from ldp_aggregator import estimate
from ldp_aggregator.tallies.tally import Tally

READER = ROOT / "examples" / "read_estimates.R"


def estimates():
    """Of a question with two values."""
    survey = ldp.survey("s", ldp.question("x", ["a", "b"], epsilon=1, mechanism="grr"))
    return estimate(Tally(survey, {"x": np.array([[60, 40]])})).to_dict()


def test_the_reader_names_what_estimates_have():
    """Each name that it takes from a value is in the JSON, so that R need not be here
    to see it.
    """
    record = estimates()
    assert record["format"] == 1
    for value in record["questions"]["x"]["values"]:
        assert {"value", "count", "frequency", "standard_error", "interval"} <= set(
            value
        )


@pytest.mark.needs("Rscript")
def test_r_reads_estimates(tmp_path):
    """A row for each value."""
    known = subprocess.run(
        ["Rscript", "-e", "library(jsonlite)"], capture_output=True, check=False
    )
    if known.returncode:
        pytest.skip("jsonlite is not installed")
    file = tmp_path / "estimates.json"
    file.write_text(json.dumps(estimates()), encoding="utf-8")
    shown = subprocess.run(
        ["Rscript", READER, file], capture_output=True, text=True, check=True
    )
    assert shown.stdout.count("x") >= 2
    assert "standard_error" in shown.stdout


@pytest.fixture
def weighted(tmp_path):
    """The file of scores, and the share with its error by strata and clusters."""
    words = (
        "--answer answer --codes yes=same,no=different --weight weight --stratum region"
    )
    scores = tmp_path / "scores.csv"
    shown = run(
        "analyze",
        "weight",
        ROOT / "examples" / "plagiarism.toml",
        "--rows",
        ROOT / "examples" / "plagiarism.csv",
        *words.split(),
        *("--cluster", "school", "--scores", scores, "--format", "json", "-q"),
    )
    [share] = [
        one for one in json.loads(shown.stdout)["estimates"] if one["value"] == "true"
    ]
    return scores, share


def test_scores_have_the_weighted_share(weighted):
    """The mean of scores is the share, and their totals by cluster have its error."""
    scores, share = weighted
    with scores.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    weights = np.array([float(row["final_weight"]) for row in rows])
    parts = weights * [float(row["score_true"]) - share["weighted"] for row in rows]
    assert len(rows) == 310
    assert parts.sum() == pytest.approx(0, abs=1e-9)
    clusters = {(row["region"], row["school"]): 0.0 for row in rows}
    for row, part in zip(rows, parts, strict=True):
        clusters[row["region"], row["school"]] += part
    variance = 0.0
    for region in {region for region, _ in clusters}:
        own = [total for (known, _), total in clusters.items() if known == region]
        variance += len(own) * np.var(own, ddof=1)
    error = np.sqrt(variance) / weights.sum()
    assert share["standard_error"] == pytest.approx(error, rel=1e-9)


@pytest.mark.needs("Rscript")
def test_r_weighs_scores(weighted):
    """The share and the error that svymean prints."""
    scores, share = weighted
    shown = subprocess.run(
        ["Rscript", ROOT / "examples" / "weigh_scores.R", scores],
        capture_output=True,
        text=True,
        check=False,
    )
    if "there is no package" in shown.stderr:
        pytest.skip("survey is not installed")
    printed = shown.stdout.split("score_true")[1].split()[:2]
    numbers = share["weighted"], share["standard_error"]
    assert [float(one) for one in printed] == pytest.approx(numbers, abs=1e-4)
