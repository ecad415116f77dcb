"""The example for R, where R is."""

import json
import subprocess

import numpy as np
import pytest
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
