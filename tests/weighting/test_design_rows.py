"""Weights and regressions of rows that were asked by different designs."""

import numpy as np
import pytest
from calling import run

import ldp
from ldp.errors import EstimateError
from ldp_aggregator import DesignedRows, read_rows, regress_rows, weigh_rows

PEOPLE = 6000
WORDS = "crosswise p=.15; warner p=.7; direct"
SAYS_YES = np.array([[0.85, 0.15], [0.3, 0.7], [0.0, 1.0]])
"""The chance of others and of carriers, by design."""


@pytest.fixture(scope="module")
def table():
    """Three designs, and a trait that one in ten holds, in the other group three in
    ten.
    """
    generator = np.random.default_rng(37)
    group, arm = generator.integers(0, (2, 3), (PEOPLE, 2)).T
    held = generator.random(PEOPLE) < 0.1 + 0.2 * group
    z = (generator.random(PEOPLE) < SAYS_YES[arm, held.astype(int)]).astype(int)
    return {"z": z.tolist(), "group": group.tolist(), "arm": (arm + 1).tolist()}


def log_likelihood(table, coefficients):
    """By hand: the chance of each answer, given the sample and the group."""
    z, group, arm = (np.array(table[name]) for name in ("z", "group", "arm"))
    share = 1 / (1 + np.exp(-coefficients[0] - coefficients[1] * group))
    others, carriers = SAYS_YES[arm - 1].T
    yes = share * carriers + (1 - share) * others
    return np.log(np.where(z == 1, yes, 1 - yes)).sum()


def test_one_likelihood_pools_designs(table):
    """Greatest where the likelihood by hand is; near the truth within six errors."""
    rows = DesignedRows(WORDS, table, "z", arm="arm")
    regression = regress_rows(rows, "z ~ group")
    best = np.array([row.estimate for row in regression.coefficients])
    assert regression.log_likelihood == pytest.approx(
        log_likelihood(table, best), rel=1e-9
    )
    for step in np.eye(2) * 1e-3:
        assert log_likelihood(table, best) > log_likelihood(table, best + step)
        assert log_likelihood(table, best) > log_likelihood(table, best - step)
    truth = np.log(0.3 / 0.7) - np.log(0.1 / 0.9)
    assert abs(best[1] - truth) < 6 * regression["group"].standard_error
    share = weigh_rows(rows, "z", {})["yes"]
    assert abs(share.estimate - 0.2) < 6 * share.standard_error
    assert "no finite epsilon" in " ".join(regression.spent)


def test_a_design_says_what_a_survey_says(table):
    """Of one sample: the same shares, errors and coefficients."""
    survey = ldp.survey(
        "s", ldp.question("z", type="boolean", mechanism="warner", truth="0.7")
    )
    frame = {"z": table["z"], "group": table["group"]}
    surveyed = read_rows(survey, frame)
    designed = DesignedRows("warner p=.7", frame, "z")
    margins = {"group": {"0": 0.3, "1": 0.7}}
    one = weigh_rows(surveyed, "z", margins)["true"]
    other = weigh_rows(designed, "z", margins)["yes"]
    assert other.estimate == pytest.approx(one.estimate, rel=1e-12)
    assert other.standard_error == pytest.approx(one.standard_error, rel=1e-12)
    fits = [regress_rows(rows, "z ~ group")["group"] for rows in (surveyed, designed)]
    assert fits[1].estimate == pytest.approx(fits[0].estimate, rel=1e-9)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("cheater yes=.2,.8", "everybody follows"),
        ("warner p=.5", "tell|cannot|singular|apart"),
    ],
)
def test_designs_that_have_no_scores(words, message, table):
    """Are refused, with where their shares are."""
    with pytest.raises(EstimateError, match=message):
        weigh_rows(DesignedRows(words, table, "z", arm="arm"), "z", {})


def test_commands(tmp_path, table):
    """`ldp analyze weight` and `ldp analyze regress` in place of a survey file."""
    lines = [
        "z,group,arm",
        *(",".join(map(str, row)) for row in zip(*table.values(), strict=True)),
    ]
    (tmp_path / "rows.csv").write_text("\n".join(lines[:900]))
    words = (
        "--design",
        WORDS,
        "--arm",
        "arm",
        "--rows",
        tmp_path / "rows.csv",
        "--answer",
        "z",
    )
    assert "yes" in run("analyze", "weight", *words).stdout
    shown = run("analyze", "regress", *words, "--formula", "z ~ group")
    assert "z ~ group: logit of yes by likelihood" in shown.stdout
    assert "column z: no (0)" in shown.stderr
    assert (
        "in its place"
        in run("analyze", "weight", tmp_path / "s.toml", *words, code=2).output
    )
    assert (
        "got 'q'"
        in run("analyze", "regress", *words, "--formula", "q ~ group", code=1).output
    )
