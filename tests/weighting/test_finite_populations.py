"""Who asks everyone has no error of sampling, but all of the noise; and other sizes."""

import math

import numpy as np
import pytest

import ldp
from ldp import EstimateError
from ldp_aggregator import (
    RegressionOptions,
    SamplingFrame,
    read_rows,
    regress_rows,
    weigh_rows,
)

SURVEY = ldp.survey(
    "school",
    ldp.question(
        "copied",
        type="boolean",
        mechanism="forced",
        forced_true="1/4",
        forced_false="1/4",
    ),
)
NOISE = 0.1875 / 0.25
"""The variance of a debiased score, whatever is held."""


def rows(answers, **columns):
    """A row for each randomized answer."""
    return read_rows(SURVEY, {"copied": answers, **columns})


def error(size, people=100):
    """The standard error of the share, where two in five say yes."""
    yes = people * 2 // 5
    table = rows([1] * yes + [0] * (people - yes), size=[size] * people)
    return weigh_rows(table, "copied", margins={}, frame=SamplingFrame(size="size"))[
        "true"
    ].standard_error


@pytest.mark.parametrize("size", [100, 200, 1000, 10**9])
def test_the_noise_stays(size):
    """(1 - f) s^2 / n + f V / n: a census was said to have no error at all."""
    scores = np.array([1.5] * 40 + [-0.5] * 60)
    asked = 100 / size
    expected = (1 - asked) * scores.var(ddof=1) / 100 + asked * NOISE / 100
    assert error(size) == pytest.approx(math.sqrt(expected), rel=1e-9)


def test_fewer_than_were_asked_are_refused():
    """The error was 0, without a word."""
    with pytest.raises(EstimateError, match="at least the 100 clusters"):
        error(50)


def test_a_stratum_has_one_size():
    """The last row's was taken."""
    table = rows([1, 0] * 50, size=[1000, 2000] * 50)
    with pytest.raises(EstimateError, match="one number in column 'size'"):
        weigh_rows(table, "copied", margins={}, frame=SamplingFrame(size="size"))


def test_clusters_too():
    """Of all clusters that there are, the noise is that of the reports."""
    table = rows(
        [1, 1, 0, 0, 0] * 20, size=[20] * 100, school=np.repeat(np.arange(20), 5)
    )
    frame = SamplingFrame(cluster="school", size="size")
    share = weigh_rows(table, "copied", margins={}, frame=frame)["true"]
    assert share.standard_error == pytest.approx(math.sqrt(NOISE / 100), rel=1e-9)


@pytest.mark.parametrize("model", ["linear", "logit"])
def test_regressions_of_a_census_have_errors(model):
    """They were 0 as well, and p-values not a number."""
    table = rows([1, 1, 0, 0, 0] * 20, size=[100] * 100, group=[0, 1] * 50)
    regression = regress_rows(
        table,
        "copied ~ group",
        choices=RegressionOptions(model=model),
        frame=SamplingFrame(size="size"),
    )
    assert all(row.standard_error > 0.05 for row in regression.coefficients)


def test_few_clusters_have_intervals_of_t():
    """Of 5 clusters in 2 strata t has 3 degrees of freedom: normal intervals held .84
    of 95 %.
    """
    columns = {"school": np.arange(50) // 10, "part": np.arange(50) // 30}
    table = rows([1, 1, 0, 0, 0, 1, 0] * 7 + [1], **columns)
    frame = SamplingFrame(cluster="school", stratum="part")
    weighted = weigh_rows(table, "copied", margins={}, frame=frame)
    share = weighted["true"]
    assert weighted.freedom == 3
    assert "t with 3 degrees of freedom" in weighted.describe()
    assert share.high - share.estimate == pytest.approx(
        3.182446 * share.standard_error, rel=1e-6
    )


def test_groups_are_ratios_of_the_whole_sample():
    """As `svyby` has them: totals of clusters of scores (y - mean) that are 0 outside
    the group.
    """
    generator = np.random.default_rng(3)
    answers = generator.integers(0, 2, 200)
    sex, school = generator.choice(["f", "m"], 200), np.arange(200) // 20
    weight = generator.uniform(0.5, 2, 200)
    table = rows(answers, sex=sex, school=school, part=school // 5, weight=weight)
    frame = SamplingFrame("weight", "part", "school")
    weighted = weigh_rows(table, "copied", margins={}, frame=frame, by=["sex"])
    score = 2.0 * answers - 0.5
    for group in ("f", "m"):
        inside = weight * (sex == group) / weight[sex == group].sum()
        mean = inside @ score
        totals = np.bincount(school, inside * (score - mean)).reshape(2, 5)
        error = math.sqrt(5 * totals.var(axis=1, ddof=1).sum())
        share = weighted[f"{group}: true"]
        assert (share.estimate, share.standard_error) == pytest.approx(
            (mean, error), rel=1e-9
        )
    alone = weigh_rows(table, "copied", margins={}, frame=frame, where={"sex": "m"})
    assert alone["sex = m: true"].interval == pytest.approx(
        weighted["m: true"].interval
    )
    half = weigh_rows(
        table, "copied", margins={}, frame=frame, where={"part": "0"}, by=["sex"]
    )
    assert [share.value for share in half.shares][1::2] == ["f: true", "m: true"]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [({"by": ["hat"]}, "got 'hat'"), ({"where": {"sex": "x"}}, "sex = x, got none")],
)
def test_groups_that_are_not_there(wanted, message):
    """A column that the table lacks, and a value that nobody has."""
    table = rows([1, 0] * 20, sex=["f", "m"] * 20)
    with pytest.raises(ldp.LDPError, match=message):
        weigh_rows(table, "copied", margins={}, **wanted)
