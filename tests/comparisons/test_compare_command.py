"""`ldp analyze compare`: files in, a table, a record or a picture out."""

import json

import numpy as np
import pytest
from calling import run

import ldp
from ldp_aggregator import Tally, encode_tally
from ldp_aggregator.analyses.comparisons.comparison import IntervalEstimate
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
    newer = ldp.survey(
        "trip", ldp.question("mode", ["car", "bus", "bike"], epsilon="3")
    )
    for name, survey, held in (
        ("may", SURVEY, (500, 300, 200)),
        ("june", SURVEY, (300, 500, 200)),
        ("newer", newer, (300, 500, 200)),
    ):
        (tmp_path / f"{survey.fingerprint.hex()[:4]}.toml").write_text(survey.to_toml())
        tally, mode = Tally.empty(survey), survey["mode"]
        holders = Holders(mode.domain.values, 10 * np.array(held))
        tally.counts["mode"] += sample_counts(
            mode, holders, np.random.default_rng(len(name))
        )
        (tmp_path / f"{name}.tally").write_bytes(encode_tally(tally))
    (tmp_path / "survey.toml").write_text(SURVEY.to_toml())
    (tmp_path / "newer.toml").write_text(newer.to_toml())
    return tmp_path


def test_formats(files):
    """A table for people, records for machines, pictures by the ending of the file."""
    words = (
        files / "survey.toml",
        files / "may.tally",
        files / "june.tally",
        "--question",
        "mode",
    )
    table = run(
        "analyze", "compare", *words, "--simultaneous", "holm", "--margin", "0.3"
    ).stdout
    assert "may" in table
    assert "Holm" in table
    record = json.loads(run("analyze", "compare", *words, "--format", "json").stdout)
    assert record["values"][0]["difference"] < -0.1
    # Exact intervals for the respondents take a second each.
    words = (*words, "--estimand", "population")
    for ending, start in (
        ("svg", b"<svg"),
        ("png", b"\x89PNG"),
        ("md", b"# mode"),
        ("csv", b"q"),
    ):
        run("analyze", "compare", *words, "-o", files / f"out.{ending}")
        assert (files / f"out.{ending}").read_bytes().startswith(start)


def test_names_and_versions(files):
    """What sides are called is asked for; another version of the survey is read by its
    own file.
    """
    table = run(
        *(
            "analyze",
            "compare",
            files / "survey.toml",
            files / "may.tally",
            files / "newer.tally",
        ),
        *(
            "--question",
            "mode",
            "--other-survey",
            files / "newer.toml",
            "--names",
            "old, new",
        ),
    ).stdout
    assert "old" in table
    assert "versions" in table


def test_refusals(files):
    """The same tally twice, several questions and none named, names that are not
    two.
    """
    may, june = files / "may.tally", files / "june.tally"
    words = ("analyze", "compare", files / "survey.toml", may)
    assert "allow-equal" in run(*words, may, "--question", "mode", code=1).output
    assert "--question" in run(*words, june, code=1).output
    run(*words, may, "--question", "mode", "--allow-equal")
    assert (
        "two different names"
        in run(*words, june, "--question", "mode", "--names", "a", code=2).output
    )


INFINITE = float("inf")


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((2, 1, 3), "2 [1, 3]"),
        ((0, 0, 0), "0: no certainty"),
        ((INFINITE, INFINITE, INFINITE), "infinite: no certainty"),
        ((float("nan"), 0, INFINITE), "not bounded"),
        ((float("nan"), 1.2, INFINITE), "above 1.2"),
        ((float("nan"), 0, 0.3), "below 0.3"),
    ],
)
def test_quotients_without_bounds_are_said_in_words(numbers, words):
    """Nobody reads [0, 0] or [inf, inf] as what they are."""
    assert str(IntervalEstimate(*numbers)) == words


def test_two_groups_are_compared_once(tmp_path):
    """Either is the rest of the other; p-values that allow for all values have their
    own column.
    """
    question = ldp.question("q", type="boolean", mechanism="warner", truth="0.8")
    (tmp_path / "s.toml").write_text(ldp.survey("exam", question).to_toml())
    (tmp_path / "rows.csv").write_text(
        "q,sex\n" + "1,f\n0,f\n0,f\n1,m\n1,m\n0,m\n" * 50
    )
    words = (
        "analyze",
        "compare",
        tmp_path / "s.toml",
        "--rows",
        tmp_path / "rows.csv",
        "--by",
        "sex",
        "-q",
    )
    [line] = [
        line for line in run(*words).stdout.splitlines() if " less, and over, " in line
    ]
    assert line.startswith("q, m: m (150 reports) less, and over, f (150 reports)")
    assert "adjusted" not in run(*words).stdout
    shown = run(*words, "--simultaneous", "holm").stdout
    assert "adjusted\n" in shown.replace(" ", "")
