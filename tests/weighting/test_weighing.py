"""Weighted estimates: the formulas, margins that are randomized, and replicates beside
them.
"""

import numpy as np
import pytest

import ldp
import ldp_aggregator
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator import (
    SamplingFrame,
    Tally,
    crosstab,
    read_rows,
    weigh,
    weigh_rows,
)
from ldp_client import Client, report_bytes

AGE = ("young", "middle", "old")
SEX = ("female", "male")
SHARES = np.array(
    [[[0.2, 0.1], [0.15, 0.1], [0.05, 0.05]], [[0.1, 0.05], [0.05, 0.05], [0.05, 0.05]]]
)
"""Of the respondents, by (smokes, age, sex)."""
MARGIN = {"age": {"young": 0.3, "middle": 0.3, "old": 0.4}}
BOTH = {**MARGIN, "sex": {"female": 0.5, "male": 0.5}}


def table_survey(epsilon, mechanism="grr"):
    fields = [
        ldp.field("smokes", type="boolean"),
        ldp.field("age", list(AGE)),
        ldp.field("sex", list(SEX)),
    ]
    question = ldp.question("life", fields=fields, mechanism=mechanism, epsilon=epsilon)
    return ldp.survey("weighing", question)


def drawn(survey, reports=20_000, seed=5):
    """Reports of respondents with these shares."""
    generator = np.random.default_rng(seed)
    holders = generator.multinomial(reports, SHARES.ravel())
    law = np.array(
        [
            [float(mass) for mass in row]
            for row in survey["life"].randomizer.channel().rows
        ]
    )
    tally = Tally.empty(survey)
    tally.counts["life"] += generator.multinomial(holders, law).sum(axis=0)[None]
    return tally


def test_post_stratification_on_a_randomized_field():
    """Of known W and unbiased J, H: sum of W J / H, with the variance of its linear
    part.
    """
    tally = drawn(table_survey("2"))
    weighted = weigh(tally, "life", MARGIN, of="smokes")
    table = crosstab(tally, "life", ldp_aggregator.Options(estimand="population"))
    shares = table.frequency
    joint, held = shares[1].sum(axis=1), shares.sum(axis=(0, 2))
    known = np.array([*MARGIN["age"].values()])
    assert weighted["true"].estimate == pytest.approx(
        float(known @ (joint / held)), abs=1e-9
    )
    # The linear part by cells: (W / H) ([smokes] - J / H) in the cells of an age.
    part = known / held * (np.array([[0.0], [1.0]]) - joint / held)
    query = np.broadcast_to(part[:, :, None], (2, 3, 2)).reshape(1, -1)
    mean = float((query @ shares.ravel())[0])
    square = float((query @ table.products @ query.T)[0, 0])
    expected = np.sqrt((square - mean**2) / (table.reports - 1))
    assert weighted["true"].standard_error == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("method", ["raking", "linear"])
def test_without_noise_it_is_the_plain_one(method):
    """Randomized margins at epsilon 40 and the same margins in the clear: one
    result.
    """
    survey = table_survey("40")
    tally = drawn(survey, 5000)
    counts = tally.counts["life"].reshape(2, 3, 2)
    asked = ldp.survey(
        "weighing",
        ldp.question("smokes", type="boolean", mechanism="grr", epsilon="40"),
    )
    tallies = {}
    for row, age in enumerate(AGE):
        for column, sex in enumerate(SEX):
            tallies[age, sex] = Tally.empty(asked)
            tallies[age, sex].counts["smokes"] += counts[None, :, row, column]
    hidden = weigh(tally, "life", BOTH, of="smokes", method=method)
    clear = weigh(tallies, "smokes", BOTH, attributes=["age", "sex"], method=method)
    for value in ("true", "false"):
        assert hidden[value].estimate == pytest.approx(clear[value].estimate, abs=1e-10)
        assert hidden[value].standard_error == pytest.approx(
            clear[value].standard_error, rel=1e-6
        )
        assert hidden[value].unweighted == pytest.approx(
            clear[value].unweighted, abs=1e-10
        )
    assert hidden.effective == pytest.approx(clear.effective, rel=1e-9)


@pytest.mark.parametrize("method", ["raking", "linear"])
@pytest.mark.parametrize("epsilon", ["2", "4"])
def test_replicates(method, epsilon):
    """The jackknife is the linear error but for terms of 1/n; the bootstrap but for its
    draws.

    400 replicates have a relative error of 3.5 %: five of them are allowed.
    """
    tally = drawn(table_survey(epsilon))
    linear = weigh(
        tally, "life", BOTH, of="smokes", method=method, replicates="jackknife"
    )
    assert linear.replicated[1] == pytest.approx(
        linear["true"].standard_error, rel=0.02
    )
    again = weigh(
        tally, "life", BOTH, of="smokes", method=method, replicates="bootstrap"
    )
    assert again.replicated[1] == pytest.approx(linear["true"].standard_error, rel=0.18)


def test_a_skewed_sample_is_mended():
    """Far off without weights, within its error with them; every output says what they
    are by.
    """
    chance = SHARES[1] / SHARES.sum(axis=0)
    known = np.array([0.3, 0.3, 0.4])
    within = SHARES.sum(axis=0) / SHARES.sum(axis=(0, 2))[:, None]
    truth = float((known[:, None] * within * chance).sum())
    weighted = weigh(drawn(table_survey("4"), 200_000), "life", MARGIN, of="smokes")
    share = weighted["true"]
    assert abs(share.unweighted - truth) > 10 * share.standard_error
    assert abs(share.estimate - truth) < 5 * share.standard_error
    assert share.design_effect > 1
    assert weighted.effective < weighted.reports
    assert "weighted by age (raking)" in repr(weighted)
    assert weighted.to_dict()["weighted_by"] == ["age"]
    assert repr(weighted).startswith("privacy: ")


def test_bits():
    """Reports of bits: their tally has no reports to be left out, and weights all the
    same.
    """
    tallies = {}
    survey = ldp.survey(
        "weighing", ldp.question("smokes", type="boolean", mechanism="oue", epsilon="2")
    )
    for age, shares in zip(AGE, SHARES.sum(axis=2).T, strict=True):
        reports = [
            report_bytes([Client(survey).record("smokes", bool(value))])
            for value, share in enumerate(shares)
            for _ in range(round(600 * share))
        ]
        tallies[age,] = ldp_aggregator.aggregate(survey, reports)
    weighted = weigh(tallies, "smokes", MARGIN, attributes=["age"])
    assert 0.01 < weighted["true"].standard_error < 0.1
    with pytest.raises(EstimateError, match="bits"):
        weigh(tallies, "smokes", MARGIN, attributes=["age"], replicates="jackknife")


def test_linked_questions():
    """Reports that travel together are weighted as one: the sum of what each spent is
    said.
    """
    survey = ldp.survey(
        "weighing",
        ldp.question("smokes", type="boolean", mechanism="grr", epsilon="40"),
        ldp.question("age", list(AGE), mechanism="grr", epsilon="40"),
        joint=["smokes", "age"],
    )
    reports = []
    for age, share in zip(AGE, SHARES.sum(axis=2).T, strict=True):
        for value, count in enumerate(np.round(1000 * share).astype(int).tolist()):
            answers = {"smokes": bool(value), "age": age}
            for _ in range(count):
                client = Client(survey)
                reports.append(report_bytes([client.record_together(answers)]))
    weighted = weigh(ldp_aggregator.aggregate(survey, reports), "smokes & age", MARGIN)
    chance = SHARES.sum(axis=2)[1] / SHARES.sum(axis=(0, 2))
    truth = float(np.array([0.3, 0.3, 0.4]) @ chance)
    assert weighted["true"].estimate == pytest.approx(truth, abs=1e-6)
    assert "epsilon 80 in all" in weighted.spent[0]


def test_rows():
    """A report each, beside covariates: rows that cannot be counted are left out, and
    told of.
    """
    survey = ldp.survey(
        "weighing",
        ldp.question("smokes", type="boolean", mechanism="grr", epsilon="40"),
    )
    reports = [
        report_bytes([Client(survey).record("smokes", number % 4 == 0)])
        for number in range(40)
    ]
    ages = ["young" if number < 30 else "old" for number in range(40)]
    table = {
        "age": [*ages, "old", "young", "old", ""],
        "report": [
            *(report.hex() for report in reports),
            "",
            reports[0].hex(),
            "00ff",
            report_bytes([Client(survey).record("smokes", True)]).hex(),
        ],
    }
    margins = {"age": {"young": 0.5, "old": 0.5}}
    rows = read_rows(survey, table, "report")
    weighted = weigh_rows(rows, "smokes", margins=margins, replicates="jackknife")
    assert weighted.reports == 40
    (remark,) = [one.text for one in weighted.remarks if one.name == "rows-left-out"]
    for reason in ("no answer", "duplicate", "frame-damaged", "lacking a covariate"):
        assert f"1 {reason} (row" in remark
    young = sum(number % 4 == 0 for number in range(30)) / 30
    old = sum(number % 4 == 0 for number in range(30, 40)) / 10
    assert weighted["true"].estimate == pytest.approx((young + old) / 2, abs=1e-9)


@pytest.mark.parametrize(
    ("margins", "keys", "message"),
    [
        ({"height": {"tall": 1}}, {}, "height"),
        ({"age": {"young": 0.5, "ancient": 0.5}}, {}, "ancient"),
        ({"age": {"young": 0.5, "middle": 0.5}}, {}, "got none of 'old'"),
        (BOTH, {"method": "trimmed"}, "raking, linear"),
        (BOTH, {"of": "weight"}, "weight"),
        (BOTH, {"replicates": "twice"}, "jackknife"),
        (MARGIN, {}, "which of smokes, age, sex"),
        ({"age & sex": {"young & female": 1}}, {}, "young & male"),
    ],
)
def test_refusals(margins, keys, message):
    """What cannot be, with what was expected."""
    tally = drawn(table_survey("2"), 1000)
    with pytest.raises((EstimateError, UnknownNameError), match=message):
        weigh(tally, "life", margins, **keys)


def test_a_value_that_no_one_holds():
    """A margin cannot be met by respondents who are not there; nor one that noise
    hides.
    """
    survey = table_survey("40")
    tally = Tally.empty(survey)
    tally.counts["life"][0, :4] = 100
    with pytest.raises(EstimateError, match="'old'"):
        weigh(tally, "life", MARGIN, of="smokes")


def test_weak_margins_are_told():
    """A share that noise may have made is divided by: said by name."""
    weighted = weigh(drawn(table_survey("1"), 1500), "life", MARGIN, of="smokes")
    remarks = {remark.name: remark.text for remark in weighted.remarks}
    assert "age old" in remarks["weak-margins"]
    strong = weigh(drawn(table_survey("4")), "life", MARGIN, of="smokes")
    assert "weak-margins" not in {remark.name for remark in strong.remarks}


def test_margins_that_contradict_each_other():
    """No factors meet them: told, after so many steps, in place of any number."""
    survey = table_survey("40")
    tally = Tally.empty(survey)
    # Women are young, and men are old.
    for cell in (0, 5, 6, 11):
        tally.counts["life"][0, cell] = 100
    margins = {
        "sex": {"female": 0.5, "male": 0.5},
        "age": {"young": 0.9, "middle": 0, "old": 0.1},
    }
    with pytest.raises(
        EstimateError, match=r"contradict|rare|nobody|respondents who hold"
    ):
        weigh(tally, "life", margins, of="smokes")


@pytest.mark.parametrize("replicates", ["jackknife", "brr"])
def test_replicates_of_clusters(replicates):
    """Of clusters of one size they are the linearized errors, to every digit.

    Design effects are their factors: of 24 answers in 6 clusters, by hand.
    """
    survey = ldp.survey(
        "s", ldp.question("q", type="boolean", mechanism="warner", truth="4/5")
    )
    answers = [place < yes for yes in (3, 1, 0, 2, 4, 2) for place in range(4)]
    table = {
        "q": answers,
        "region": np.repeat([0, 1, 2], 8),
        "school": np.repeat([3, 0, 1, 2, 5, 4], 4),
    }
    frame = SamplingFrame(stratum="region", cluster="school")
    rows = read_rows(survey, table, "q")
    weighted = weigh_rows(rows, "q", {}, frame=frame, replicates=replicates)
    errors = [share.standard_error for share in weighted.shares]
    assert weighted.replicated == pytest.approx(errors, rel=1e-12, abs=1e-12)
    share = weighted["true"]
    plain = 0.25 / 0.6**2 / 23
    noise = 0.16 / 0.6**2 / 24
    assert share.effects.noise == pytest.approx(plain / (plain - noise))
    assert share.effects.weights == pytest.approx(1)
    assert share.effects.clusters == pytest.approx(share.standard_error**2 / plain)
    other = SamplingFrame(cluster="school")
    with pytest.raises(EstimateError, match="two clusters in each stratum"):
        weigh_rows(rows, "q", {}, frame=other, replicates="brr")
