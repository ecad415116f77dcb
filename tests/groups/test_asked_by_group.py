"""Queries, comparisons and trends by public attributes: of what `ldp estimate --by`
shows.
"""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from calling import run
from group_samples import SURVEY, people_of, questions, reports_of, survey_of

import ldp
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator import (
    Options,
    aggregate,
    compare,
    compare_groups,
    encode_tally,
    estimate_groups,
    follow_groups,
    query,
    query_groups,
    regress,
    weigh,
)
from ldp_aggregator.commands.analyses.trend import CHANGED
from ldp_simulations import randomize


@cache
def tally_of_all():
    """The tally of six thousand people."""
    return aggregate(SURVEY, reports_of(SURVEY, 6_000))


BY = {"by": ["platform"]}
PLAIN = Options(estimand="population")
"""Exact intervals for the respondents of each group would take a second."""
BIKES = "share(mode = bike)"
EVERY = ("android", "ios", "unknown")


def test_queries_by_group():
    """Each group answers as its estimates say, and everyone as without groups."""
    groups = query_groups(tally_of_all(), BIKES, "share(ok = true) - 10%", **BY)
    estimates = estimate_groups(tally_of_all(), **BY)
    answered = {labels.get("platform", ""): answers for labels, answers in groups}
    assert list(answered) == ["", *("unknown", "android", "ios")]
    for platform in EVERY:
        share = estimates[platform]["mode"]["bike"].frequency
        assert answered[platform][0].contrast.estimate == pytest.approx(share)
    assert (
        answered[""][0].contrast.estimate
        == query(tally_of_all(), BIKES)[0].contrast.estimate
    )
    # One family are all answers of all groups.
    alone, together = (
        query_groups(
            tally_of_all(), BIKES, options=Options(simultaneous=family), **BY
        ).answers[0][1][0]
        for family in (None, "bonferroni")
    )
    wider = (together.contrast.high - together.contrast.low) / (
        alone.contrast.high - alone.contrast.low
    )
    assert wider > 1.2


def test_what_is_suppressed_stays_so():
    """In queries, comparisons and trends it is named as in estimates, and nothing else
    of it.
    """
    asked = {"by": ["platform", "country"]}
    expected = estimate_groups(tally_of_all(), names=("mode",), **asked)
    hidden = expected.to_dict()["suppressed"]["mode"]
    assert hidden
    shown = {tuple(group.labels.items()) for group in expected}
    queried = query_groups(tally_of_all(), BIKES, **asked)
    compared = compare_groups(tally_of_all(), question="mode", options=PLAIN, **asked)
    history = [
        (epoch, estimate_groups(part, **asked))
        for epoch, part in enumerate([tally_of_all()] * 2)
    ]
    followed = follow_groups(history, question="mode", values=["bike"])
    for result in (queried, compared):
        assert result.suppressed == expected.suppressed
        assert result.to_dict()["suppressed"]["mode"] == hidden
        assert expected.remarks[0] in result.rendered("table")
    assert "mode: ios, country unknown (in epochs 0, 1)" in followed.rendered("table")
    for result in (queried, compared, followed):
        keys = {tuple(labels.items()) for labels, _ in result if len(labels) == 2}
        assert keys == shown
        for form in ("json", "csv", "markdown", "html"):
            assert result.rendered(form)
    # A tally of a group says nothing of those who are not in it, whatever is asked of
    # it.
    parts = queried.parts.parts
    assert all(not part.tally.combinations for part in parts)
    assert all(not part.tally.counts["daily"].any() for part in parts)


def test_groups_with_each_other():
    """Each against the rest, or a baseline; both are what two tallies of these people
    would say.
    """
    people = people_of(6_000)
    against_rest = compare_groups(tally_of_all(), question="mode", options=PLAIN, **BY)
    bike = against_rest["ios"]["bike"]
    of_it = people["platform"] == "ios"
    truth = np.mean(people["mode"][of_it] == "bike") - np.mean(
        people["mode"][~of_it] == "bike"
    )
    # 6 standard errors: 2e-9.
    assert abs(bike.difference - truth) < 6 * bike.standard_error < 0.2
    assert bike.p_value < 1e-6
    ios = against_rest["ios"]
    assert ios.names == ("the rest", "ios")
    assert ios.first.reports + ios.second.reports == 6_000
    assert ios.first.reports == (~of_it).sum()
    based = compare_groups(tally_of_all(), question="mode", baseline="android", **BY)
    estimates = estimate_groups(tally_of_all(), **BY)
    alone = compare(estimates["android"]["mode"], estimates["ios"]["mode"])
    assert based["ios"].rows == alone.rows
    with pytest.raises(UnknownNameError, match="android"):
        based["android"]


def test_the_rest_rests_on_enough():
    """Where a group's rest would be a small group, the group is not shown; it is no way
    around.
    """
    survey = survey_of(SURVEY["mode"])
    people = {"mode": ["car"] * 1_000, "platform": ["ios"] * 950 + ["android"] * 50}
    tally = aggregate(survey, randomize(survey, people))
    with pytest.raises(
        EstimateError, match="expected groups that can be compared, got none"
    ):
        compare_groups(tally, **BY)
    everyone = {"mode": ["car"] * 1_000, "platform": ["ios"] * 1_000}
    tally = aggregate(survey, randomize(survey, everyone))
    with pytest.raises(EstimateError, match="got ios"):
        compare_groups(tally, **BY)


@pytest.mark.parametrize("simultaneous", ["bonferroni", "holm", "bh"])
def test_groups_are_one_family(simultaneous):
    """All values of all groups are looked at, and their p-values say so."""
    asked = {"options": PLAIN, **BY}
    groups = compare_groups(
        tally_of_all(), question="mode", simultaneous=simultaneous, **asked
    )
    one = compare_groups(
        tally_of_all(),
        question="mode",
        simultaneous=simultaneous,
        baseline="ios",
        **asked,
    )
    alone = compare_groups(tally_of_all(), question="mode", **asked)
    rows = [row for _, comparison in groups for row in comparison]
    plain = [row.p_value for _, comparison in alone for row in comparison]
    assert [row.p_value for row in rows] == plain
    assert len(rows) == 9
    assert len(one) == 2
    if simultaneous == "bonferroni":
        assert [row.adjusted for row in rows] == pytest.approx(
            np.minimum(9 * np.array(plain), 1)
        )
    assert all(row.adjusted >= row.p_value for row in rows)
    assert "one family: the values of all 3 comparisons" in groups.rendered("table")
    assert "one family" not in alone.rendered("table")


def test_the_same_groups_at_two_times():
    """Group by group; one that either tally does not show is suppressed."""
    later = aggregate(SURVEY, reports_of(SURVEY, 2_500, seed=5))
    few = estimate_groups(later, names=("mode",), **BY)
    both = compare_groups(
        tally_of_all(),
        later,
        question="mode",
        names=("May", "June"),
        options=PLAIN,
        **BY,
    )
    assert set(both.suppressed) == set(few.suppressed)
    assert both["ios"].second.reports == few["ios"]["mode"].reports
    with pytest.raises(EstimateError, match="expected one tally for a baseline"):
        compare_groups(tally_of_all(), later, question="mode", baseline="ios", **BY)


def test_a_question_that_does_not_carry_the_attribute():
    """Is named, as there are no such groups of it."""
    for ask in (
        lambda: query_groups(tally_of_all(), "share(daily = true)", by=["country"]),
        lambda: compare_groups(tally_of_all(), question="daily", by=["country"]),
    ):
        with pytest.raises(
            EstimateError, match="question 'daily': expected reports that carry"
        ):
            ask()


def test_several_questions_in_a_query():
    """Are answered of groups that are shown of all of them."""
    groups = query_groups(
        tally_of_all(), "share(ok = true) - share(daily = true)", **BY
    )
    assert [labels.get("platform") for labels, _ in groups] == [
        None,
        *("unknown", "android", "ios"),
    ]


WEEKS = 5


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A survey and a tally for each week; from the fourth, all with ios take the
    bus.
    """
    folder = tmp_path_factory.mktemp("groups")
    survey = survey_of(
        ldp.question("mode", ["car", "bus", "bike"], mechanism="grr", epsilon="3")
    )
    (folder / "survey.toml").write_text(survey.to_toml())
    for week in range(WEEKS):
        people = people_of(2_500, seed=week)
        if week > 2:
            people["mode"] = np.where(
                people["platform"] == "ios", "bus", people["mode"]
            )
        tally = aggregate(survey, randomize(survey, people, seed=week))
        (folder / f"week{week}.tally").write_bytes(encode_tally(tally))
    return folder


def test_the_commands(files):
    """Take the options of `ldp estimate`, and say the same of what is suppressed."""
    words = (files / "survey.toml", files / "week0.tally")
    asked = ("--by", "platform")
    sentence = "suppressed, because they have fewer than 200 reports"
    other = files / "week1.tally"
    for command in (
        ("estimate", *words),
        ("analyze", "query", *words, BIKES),
        ("analyze", "compare", *words, other, "--estimand", "population"),
        ("analyze", "trend", *words, other, "--value", "bus"),
    ):
        shown = run(*command, *asked, "--least-group", "200").stdout
        assert sentence in " ".join(shown.split())
        record = json.loads(run(*command, *asked, "--format", "json").stdout)
        assert record["by"] == ["platform"]
        assert record["least_group"] == 100
        low = run(*command, *asked, "--least-group", "20", code=1).output
        assert "expected a least group of 100" in " ".join(low.split())
        assert (
            "--by and --where"
            in run(*command[:3], *command[3:], "--least-group", "200", code=2).output
        )
    only = json.loads(
        run(
            "analyze",
            "query",
            *words,
            BIKES,
            "--where",
            "platform=ios",
            "--format",
            "json",
        ).stdout
    )
    assert [group["group"] for group in only["groups"]] == [{"platform": "ios"}]
    earlier = ("--released", files / "week0.tally")
    assert run("analyze", "query", *words, BIKES, *asked, *earlier).stdout


def test_refusals_of_the_commands(files):
    """One tally without --by, --baseline with two, sides that are called alike."""
    one, two = files / "week0.tally", files / "week1.tally"
    words = ("analyze", "compare", files / "survey.toml", one)
    assert "expected A and B, or A alone and --by" in run(*words, code=2).output
    assert "--baseline" in run(*words, two, "--baseline", "ios", code=2).output
    assert "--names" in run(*words, "--by", "platform", "--names", "a,b", code=2).output
    assert "two different names" in run(*words, two, "--names", "a,a", code=2).output
    for command in (words, ("analyze", "trend", *words[2:])):
        output = run(*command, two, "--question", "mod", code=1).output
        assert "one of the survey's questions (mode), got 'mod'" in " ".join(
            output.split()
        )
    population = ("--estimand", "population")
    table = run(*words, "--by", "platform", "--baseline", "ios", *population).stdout
    assert "android" in table


def test_a_change_in_one_group(files):
    """Is found there; the rate is divided among all groups, those that are not shown as
    well.
    """
    words = (
        "analyze",
        "trend",
        files / "survey.toml",
        *(files / f"week{week}.tally" for week in range(WEEKS)),
    )
    asked = ("--by", "platform", "--value", "bus", "--alert", "--format", "json")
    record = json.loads(run(*words, *asked, code=CHANGED).stdout)
    assert record["alarm"]
    alarms = {
        group["group"].get("platform", ""): group["alarm"] for group in record["groups"]
    }
    assert alarms["ios"]
    assert not alarms["android"]
    assert {group["alarm_rate"] for group in record["groups"]} == {0.01 / 4}
    assert "all 4 groups together" in record["remarks"][0]


def test_an_epoch_without_a_group():
    """Is one in which the group is missing; a group of a single epoch is not
    followed.
    """
    small = aggregate(SURVEY, reports_of(SURVEY, 150, seed=9))
    groups = [
        estimate_groups(tally, names=("mode",), **BY)
        for tally in (tally_of_all(), small, tally_of_all())
    ]
    followed = follow_groups(enumerate(groups), question="mode", values=["bike"])
    assert np.isnan(followed["ios"]["bike"].seen.estimate[1])
    assert "(in epochs 1)" in followed.remarks[-1]
    alone = [replace(groups[1], groups=(groups[1].groups[0],)), groups[0]]
    remarks = follow_groups(enumerate(alone), question="mode", values=["bike"]).remarks
    assert "ios: not followed" in " ".join(remarks)


SMALL = (
    "got some that are suppressed, because they have fewer than 100 reports.*android, "
    "us"
)


def test_weights_and_regressions_are_of_groups_that_are_shown():
    """So they tell no more; what they would be made of beside these is refused, with
    advice.
    """
    margins = {"platform": {"android": 0.5, "ios": 0.45, "unknown": 0.05}}
    weighted = weigh(tally_of_all(), "mode", margins)
    shown = estimate_groups(tally_of_all(), names=("mode",), **BY)
    # It follows from what is shown by groups.
    again = sum(
        share * shown[value]["mode"]["bike"].frequency
        for value, share in margins["platform"].items()
    )
    assert weighted["bike"].estimate == pytest.approx(again)
    assert regress(tally_of_all(), "ok", "ok ~ platform").reports == 6_000
    both = {**margins, "country": {"de": 0.8, "us": 0.19, "unknown": 0.01}}
    for ask in (
        lambda: weigh(tally_of_all(), "mode", both),
        lambda: regress(tally_of_all(), "ok", "ok ~ platform + country"),
    ):
        with pytest.raises(EstimateError, match=SMALL) as caught:
            ask()
        assert "use fewer of the attributes, or merge values" in str(caught.value)
    careful = replace(tally_of_all(), survey=survey_of(*questions(), least_group=400))
    with pytest.raises(EstimateError, match="fewer than 400 reports"):
        weigh(careful, "mode", margins)


def test_weights_by_more_attributes_than_groups_have():
    """Are refused, as such groups are never shown."""
    names = ["a", "b", "c", "d"]
    attributes = [ldp.attribute(name, ["x"]) for name in names]
    survey = ldp.survey("many", SURVEY["ok"], attributes=attributes)
    people = {"ok": [True] * 500, **{name: ["x"] * 500 for name in names}}
    tally = aggregate(survey, randomize(survey, people))
    assert weigh(tally, "ok", {name: {"x": 1.0} for name in names[:3]})
    with pytest.raises(EstimateError, match="at most 3 attributes together"):
        weigh(tally, "ok", {name: {"x": 1.0} for name in names})
