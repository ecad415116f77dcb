"""`ldp compare`: files in, a table, a record or a picture out."""

import json

import numpy as np
import pytest
from calling import run

import ldp
from ldp_aggregator import Tally, encode_tally
from ldp_simulations import Holders
from ldp_simulations.sampling.table import sample_counts

SURVEY = ldp.survey(
    "trip",
    ldp.question("mode", ["car", "bus", "bike"], epsilon="2"),
    ldp.question("smoker", type="boolean", mechanism="warner", epsilon="1"),
)


@pytest.fixture
def files(tmp_path):
    """A survey, two tallies, and a newer version of the survey with its tally."""
    newer = ldp.survey("trip", ldp.question("mode", ["car", "bus", "bike"], epsilon="3"))
    for name, survey, held in (
        ("may", SURVEY, (500, 300, 200)),
        ("june", SURVEY, (300, 500, 200)),
        ("newer", newer, (300, 500, 200)),
    ):
        (tmp_path / f"{survey.fingerprint.hex()[:4]}.toml").write_text(survey.to_toml())
        tally, mode = Tally.empty(survey), survey["mode"]
        holders = Holders(mode.domain.values, 10 * np.array(held))
        tally.counts["mode"] += sample_counts(mode, holders, np.random.default_rng(len(name)))
        (tmp_path / f"{name}.tally").write_bytes(encode_tally(tally))
    (tmp_path / "survey.toml").write_text(SURVEY.to_toml())
    (tmp_path / "newer.toml").write_text(newer.to_toml())
    return tmp_path


def test_formats(files):
    """A table for people, records for machines, pictures by the ending of the file."""
    words = (files / "survey.toml", files / "may.tally", files / "june.tally", "--question", "mode")
    table = run("compare", *words, "--simultaneous", "holm", "--margin", "0.3").stdout
    assert "may" in table
    assert "Holm" in table
    record = json.loads(run("compare", *words, "--format", "json").stdout)
    assert record["values"][0]["difference"] < -0.1
    # Exact intervals for the respondents take a second each.
    words = (*words, "--estimand", "population")
    for ending, start in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("md", b"# mode"), ("csv", b"q")):
        run("compare", *words, "-o", files / f"out.{ending}")
        assert (files / f"out.{ending}").read_bytes().startswith(start)


def test_names_and_versions(files):
    """What sides are called is asked for; another version of the survey is read by its own file."""
    table = run(
        *("compare", files / "survey.toml", files / "may.tally", files / "newer.tally"),
        *("--question", "mode", "--other-survey", files / "newer.toml", "--names", "old, new"),
    ).stdout
    assert "old" in table
    assert "versions" in table


def test_refusals(files):
    """The same tally twice, several questions and none named, names that are not two."""
    may, june = files / "may.tally", files / "june.tally"
    words = ("compare", files / "survey.toml", may)
    assert "allow-equal" in run(*words, may, "--question", "mode", code=1).output
    assert "--question" in run(*words, june, code=1).output
    run(*words, may, "--question", "mode", "--allow-equal")
    assert (
        "two different names"
        in run(*words, june, "--question", "mode", "--names", "a", code=2).output
    )
