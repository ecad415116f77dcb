"""Laws of the likelihood and of the equations, in exact expectation and by
differences.
"""

import math

import numpy as np
import pytest

import ldp
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator import RegressionOptions, Tally, read_rows, regress, regress_rows
from ldp_aggregator.analyses.regression.likelihood import (
    Observed,
    derivatives,
    likeliest,
    log_likelihood,
)
from ldp_aggregator.analyses.regression.profile import profile_interval

TABLE = np.array([[1.0, x, z] for x in (-1.5, 0.0, 0.7, 2.0) for z in (0.0, 1.0)])
TRUTH = np.array([-0.4, 0.8, -0.6])
CHANNEL = np.array([[0.8, 0.2], [0.3, 0.7]])
"""P[report | answer]."""


def expected(channel=CHANNEL, size=1000.0):
    """Reports as often as they are expected, beside each row of covariates."""
    chance = 1 / (1 + np.exp(-TABLE @ TRUTH))
    reports = (1 - chance)[:, None] * channel[0] + chance[:, None] * channel[1]
    return Observed(
        np.repeat(TABLE, 2, axis=0),
        (size * reports).ravel(),
        np.ones(2 * len(TABLE)),
        chances=np.tile(channel.T, (len(TABLE), 1)),
    )


def test_truth_is_found():
    """Of expected reports the likelihood is greatest at the truth, and both errors are
    one.
    """
    fit = likeliest(expected())
    assert fit.converged
    assert fit.coefficients == pytest.approx(TRUTH, abs=1e-8)
    assert fit.covariance(robust=True) == pytest.approx(
        fit.covariance(robust=False), rel=1e-6
    )


def test_derivatives():
    """Those of the formulas, against differences, anywhere."""
    observed = expected()
    point, step = np.array([0.3, -0.2, 0.5]), 1e-5
    slope, information, _ = derivatives(observed, point)
    for place, unit in enumerate(np.eye(3) * step):
        up, down = (log_likelihood(observed, point + sign * unit) for sign in (1, -1))
        assert slope[place] == pytest.approx((up - down) / (2 * step), rel=1e-6)
        above, below = (
            derivatives(observed, point + sign * unit)[0] for sign in (1, -1)
        )
        assert -information[place] == pytest.approx(
            (above - below) / (2 * step), rel=1e-5
        )


def test_a_wrong_channel_is_noticed():
    """With a channel that is not that of the reports the truth is missed by far."""
    wrong = expected()._replace(
        chances=np.tile(np.array([[0.9, 0.1], [0.1, 0.9]]), (8, 1))
    )
    assert np.abs(likeliest(wrong).coefficients - TRUTH).max() > 0.2


def test_no_maximum_is_told():
    """Reports that only yes explains, in one group: the search ends, and says it found
    none.
    """
    observed = expected()
    alike = observed.alike.copy()
    alike[0], alike[1] = 0.0, 1000.0
    separated = observed._replace(
        table=np.stack([np.ones(16), [1.0, 1.0] + [0.0] * 14], axis=1), alike=alike
    )
    fit = likeliest(separated)
    assert not fit.converged


def survey():
    question = ldp.question(
        "life",
        fields=[
            ldp.field("smokes", type="boolean"),
            ldp.field("sport", ["never", "weekly", "daily"]),
        ],
        mechanism="grr",
        epsilon="1",
    )
    return ldp.survey("laws", question)


def tally_of(shares, reports=100_000):
    """Expected counts of cells with these shares, as whole numbers."""
    asked = survey()
    tally = Tally.empty(asked)
    law = np.array(
        [
            [float(mass) for mass in row]
            for row in asked["life"].randomizer.channel().rows
        ]
    )
    tally.counts["life"] += np.round(reports * np.ravel(shares) @ law).astype(np.int64)[
        None
    ]
    return tally


def test_cells_give_the_odds():
    """A saturated logit on randomized predictors: log odds and their differences."""
    shares = np.array([[0.3, 0.2, 0.1], [0.05, 0.15, 0.2]])
    regression = regress(tally_of(shares, 10**12), "life", "smokes ~ sport")
    odds = np.log(shares[1] / shares[0])
    expected_ones = [odds[0], odds[1] - odds[0], odds[2] - odds[0]]
    assert [row.estimate for row in regression.coefficients] == pytest.approx(
        expected_ones, abs=1e-6
    )
    assert regression.reports == pytest.approx(10**12, abs=10)


def test_shares_and_coefficients_together():
    """Of expected reports the likelihood finds the odds as well, and the shares with
    them.
    """
    shares = np.array([[0.3, 0.2, 0.1], [0.05, 0.15, 0.2]])
    tally = tally_of(shares, 10**9)
    likely = RegressionOptions(method="likelihood")
    regression = regress(tally, "life", "smokes ~ sport", likely)
    equations = regress(tally, "life", "smokes ~ sport")
    assert regression.converged
    assert regression.method == "likelihood"
    for one, other in zip(regression.coefficients, equations.coefficients, strict=True):
        assert one.estimate == pytest.approx(other.estimate, abs=1e-6)
        # As many coefficients as the shares have freedom: nothing is gained, nor lost.
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-4)


def test_a_restricted_model_gains():
    """One slope for three values: errors are no larger than those of the equations."""
    shares = np.array([0.5, 0.3, 0.2]) * np.array([[0.7, 0.5, 0.3], [0.3, 0.5, 0.7]])
    asked = ldp.survey(
        "laws",
        ldp.question(
            "life",
            fields=[
                ldp.field("smokes", type="boolean"),
                ldp.field("sport", type="integer", low=0, high=2),
            ],
            mechanism="grr",
            epsilon="2",
        ),
    )
    tally = Tally.empty(asked)
    law = np.array(
        [
            [float(mass) for mass in row]
            for row in asked["life"].randomizer.channel().rows
        ]
    )
    tally.counts["life"] += np.round(10**9 * shares.ravel() @ law).astype(np.int64)[
        None
    ]
    likely, equations = (
        regress(tally, "life", "smokes ~ sport", RegressionOptions(method=method))
        for method in ("likelihood", "equations")
    )
    slope = np.log(7 / 3)
    assert likely["sport"].estimate == pytest.approx(slope, abs=1e-5)
    assert equations["sport"].estimate == pytest.approx(slope, abs=1e-5)
    assert likely["sport"].standard_error < equations["sport"].standard_error
    test = likely.tests[0]
    assert test.kind == "likelihood ratio"
    assert test.p_value < 1e-6


def test_negative_cells_are_told():
    """An unbiased share below 0 is used as it is, and said; nothing is cut silently."""
    tally = tally_of([[0.4, 0.2, 0.1], [0.1, 0.1, 0.1]])
    tally.counts["life"][0, 5] = 0
    regression = regress(
        tally, "life", "smokes ~ sport", RegressionOptions(model="linear")
    )
    remarks = {remark.name: remark.text for remark in regression.remarks}
    assert remarks["negative-cells"].startswith("1 of 6 cells")
    logit = regress(tally, "life", "smokes ~ sport")
    assert not logit.converged
    assert "NOT CONVERGED" in repr(logit)
    assert "not-converged" in {remark.name for remark in logit.remarks}


def test_cost_comes_first():
    """Before any number: what a report spent, and what linking would have."""
    regression = regress(tally_of(np.full((2, 3), 1 / 6)), "life", "smokes ~ sport")
    assert repr(regression).startswith(
        "privacy: a report of life tells of smokes and sport"
    )
    assert "epsilon 1" in regression.spent[0]
    assert "would spend 2" in regression.spent[0]
    assert [*regression.to_dict()][1] == "privacy"
    assert str(regression.rendered("markdown")).index("privacy") < str(
        regression.rendered("markdown")
    ).index("estimate")


@pytest.mark.parametrize(
    ("formula", "choices", "message"),
    [
        ("smokes ~ age", {}, "age"),
        ("nobody ~ sport", {}, "nobody"),
        ("sport ~ smokes", {}, "event"),
        ("sport ~ smokes", {"method": "likelihood", "event": "daily"}, "equations"),
        ("smokes ~ sport", {"method": "likelihood", "interval": "profile"}, "Wald"),
        ("smokes ~ sport", {"interval": "profile"}, "Wald"),
        ("smokes ~ sport", {"event": "maybe"}, "maybe"),
    ],
)
def test_refusals(formula, choices, message):
    """What cannot be, with what was expected."""
    tally = tally_of(np.full((2, 3), 1 / 6))
    with pytest.raises((EstimateError, UnknownNameError), match=message):
        regress(tally, "life", formula, RegressionOptions(**choices))


def test_a_value_among_several():
    """`event` explains the chance of one of several values."""
    shares = np.array([[0.3, 0.2, 0.1], [0.05, 0.15, 0.2]])
    regression = regress(
        tally_of(shares, 10**12),
        "life",
        "sport ~ smokes",
        RegressionOptions(event="daily"),
    )
    first, second = (row[2] / row[:2].sum() for row in shares)
    assert regression["(intercept)"].estimate == pytest.approx(np.log(first), abs=1e-6)
    assert regression["smokes=true"].estimate == pytest.approx(
        np.log(second / first), abs=1e-6
    )


@pytest.mark.parametrize("keys", [{"level": 1}, {"model": "gompit"}, {"errors": "hc3"}])
def test_choices(keys):
    """What does not exist is refused with what does."""
    with pytest.raises(EstimateError, match="expected"):
        RegressionOptions(**keys)


def test_where_one_group_has_one_answer():
    """The likelihood has no greatest point: its profile has one open end.

    Of plain answers Firth's penalty adds half an answer to each cell of a table (Firth
    1993).
    """
    held = np.array([[12.0, 0.0], [9.0, 7.0]])
    observed = Observed(
        np.repeat([[1.0, 0.0], [1.0, 1.0]], 2, axis=0),
        held.ravel(),
        np.ones(4),
        chances=np.tile(np.eye(2), (2, 1)),
    )
    fit = likeliest(observed)
    low, high = profile_interval(observed, fit, 0, level=0.95)
    # 12 of 12: the least share of which that is no surprise is exp(-1.92 / 12).
    assert low == -math.inf
    assert 1 / (1 + math.exp(high)) == pytest.approx(math.exp(-1.9207 / 12), rel=1e-4)
    assert not fit.inside
    penalized = likeliest(observed._replace(prior=observed.table))
    none, both = (math.log((yes + 0.5) / (no + 0.5)) for no, yes in held)
    assert penalized.converged
    assert penalized.coefficients == pytest.approx([none, both - none], rel=1e-8)


def test_penalties_of_noisy_reports():
    """Fewer yes than the design alone gives: an end, where the likelihood has none."""
    survey = ldp.survey(
        "s",
        ldp.question(
            "q",
            type="boolean",
            mechanism="forced",
            forced_true="1/4",
            forced_false="1/4",
        ),
    )
    rows = read_rows(survey, {"q": [1] * 20 + [0] * 80}, "q")
    plain = regress_rows(rows, "q ~ 1", RegressionOptions(interval="profile"))
    firth = regress_rows(rows, "q ~ 1", RegressionOptions(penalty="firth"))
    assert plain.remarks[0].name == "boundary"
    assert plain["(intercept)"].low == -math.inf
    assert firth.converged
    assert firth.aic is None
    assert firth["(intercept)"].estimate < plain["(intercept)"].high
