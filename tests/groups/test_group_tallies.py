"""Tallies by combination: they merge as others do, and what they say of a group is
unbiased.
"""

from functools import cache

import numpy as np
import pytest
from group_samples import PLATFORM, SURVEY, people_of, questions, reports_of, survey_of

import ldp
from ldp.errors import EstimateError, UnknownNameError, WireError
from ldp.wire.wire import (
    TALLY_MAGIC,
    encode_frame,
    pack_array,
    read_frames,
    unpack_array,
)
from ldp_aggregator import (
    Ingest,
    NumberOptions,
    Options,
    aggregate,
    decode_tally,
    encode_tally,
    estimate,
    estimate_groups,
)
from ldp_simulations import randomize

PEOPLE = 20_000


@cache
def data():
    """Reports of everyone."""
    return reports_of(SURVEY, PEOPLE)


@cache
def tally_of_all():
    """The tally of all reports."""
    return aggregate(SURVEY, data())


RESPONDENTS = people_of(PEOPLE)


def test_combinations_add_up():
    """To the counts of the question; a group of questions has them as well."""
    for name in ("mode", "ok", "daily"):
        parts = tally_of_all().groups(name)
        assert np.array_equal(sum(parts.values()), tally_of_all().counts[name])
    joint = ldp.survey(
        "groups", *questions()[:2], joint=["mode", "ok"], attributes=[PLATFORM]
    )
    tally = aggregate(joint, reports_of(joint, 500))
    parts = tally.groups("mode+ok")
    assert np.array_equal(sum(parts.values()), tally.counts["mode+ok"])
    assert (
        parts.keys()
        == tally.groups("ok").keys()
        == {("unknown",), ("android",), ("ios",)}
    )


def test_they_count_who_is_in_them():
    """As many reports as there are people of each combination."""
    ios = (RESPONDENTS["platform"] == "ios") & (RESPONDENTS["country"] == "us")
    assert tally_of_all().groups("mode")["ios", "us"].sum() == ios.sum()
    alone = aggregate(ldp.survey("plain", *questions()), reports_of_plain())
    assert list(alone.groups("mode")) == [()]
    with pytest.raises(UnknownNameError):
        tally_of_all().groups("nothing")


def reports_of_plain():
    return randomize(ldp.survey("plain", *questions()), RESPONDENTS, seed=1)


def test_merging_is_bit_identical():
    """In any order and however it is cut, a tally of parts is that of all."""
    frames = [encode_frame(payload) for payload in read_frames(data())]
    halves = [aggregate(SURVEY, b"".join(frames[start::2])) for start in (0, 1)]
    one, other = halves[0].merge(halves[1]), halves[1].merge(halves[0])
    assert encode_tally(one) == encode_tally(other) == encode_tally(tally_of_all())
    assert decode_tally(encode_tally(tally_of_all()), SURVEY) == tally_of_all() == one
    again = Ingest(SURVEY)
    again.feed(data() + data())
    again.end_of_stream()
    assert (
        again.tally.combinations["ok"].keys()
        == tally_of_all().combinations["ok"].keys()
    )
    assert np.array_equal(again.tally.counts["ok"], tally_of_all().counts["ok"])


def test_memory_is_for_combinations_that_came():
    """Of a thousand that might, one is kept."""
    many = ldp.attribute("version", [str(number) for number in range(900)])
    survey = ldp.survey("many", questions()[0], attributes=[many])
    tally = aggregate(
        survey, randomize(survey, {"mode": ["car"] * 9, "version": ["7"] * 9})
    )
    assert list(tally.groups("mode")) == [("7",)]


def forged(change):
    parts = unpack_array(encode_tally(tally_of_all())[16:], 1 << 20, "snapshot-damaged")
    change(parts)
    return encode_frame(pack_array(parts), TALLY_MAGIC)


FORGERIES = {
    "format 1": lambda parts: parts.__setitem__(0, 1),
    "no combinations": lambda parts: parts.pop(),
    "a combination too few": lambda parts: parts[4].pop(),
    "a combination beyond all": lambda parts: parts[4][0].__setitem__(1, 9),
    "another question": lambda parts: parts[4][0].__setitem__(0, "nothing"),
    "a count more": lambda parts: parts[4][0].__setitem__(
        2, (np.frombuffer(parts[4][0][2], "<i8") + 1).tobytes()
    ),
    "counts too short": lambda parts: parts[4][0].__setitem__(2, bytes(8)),
    "another order": lambda parts: parts[4].reverse(),
    "a text for a number": lambda parts: parts[4][0].__setitem__(1, "0"),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_forged_combinations_are_refused(change):
    """Whole, behind a sound checksum."""
    with pytest.raises(WireError):
        decode_tally(forged(change), SURVEY)


@pytest.mark.parametrize("mechanism", ["grr", "oue", "pgr", "olh", "cms"])
def test_estimates_of_a_group_are_of_its_people(mechanism):
    """Within 6 standard errors (2e-9 each) of the share of cyclists, which differs by
    0.4.
    """
    survey = survey_of(questions(mechanism)[0])
    people = people_of(4_000, seed=3)
    tally = aggregate(survey, randomize(survey, people, seed=3))
    groups = estimate_groups(tally, by=["platform"])
    for platform in ("android", "ios"):
        of_it = people["platform"] == platform
        truth = (people["mode"][of_it] == "bike").mean()
        share = groups[platform]["mode"]["bike"]
        assert groups[platform]["mode"].reports == of_it.sum()
        assert abs(share.frequency - truth) < 6 * share.standard_error < 0.25
    everyone = estimate(tally)["mode"]["bike"]
    assert groups.total["mode"]["bike"].frequency == everyone.frequency


def test_groups_within_a_group():
    """`where` cuts, `by` divides what is left, and the total is of what is left."""
    groups = estimate_groups(tally_of_all(), by=["platform"], where={"country": "de"})
    assert groups.total.labels == {"country": "de"}
    alone = estimate_groups(tally_of_all(), where={"country": "de"})
    assert alone.total["mode"].reports == groups.total["mode"].reports
    of_both = estimate_groups(tally_of_all(), by=["platform", "country"])
    assert of_both["ios", "de"]["ok"].reports == groups["ios"]["ok"].reports
    # A question that does not say the country is in no such group.
    assert "daily" not in groups.total.questions


def test_what_is_suppressed_is_said():
    """In every format, and nothing of it but its name."""
    groups = estimate_groups(
        tally_of_all(), by=["platform", "country"], names=("mode",)
    )
    assert groups.suppressed
    assert "mode: platform unknown, country unknown" in groups.suppressed
    assert "suppressed, because they have fewer than 100 reports" in groups.rendered(
        "table"
    )
    assert {"platform": "unknown", "country": "unknown"} in groups.to_dict()[
        "suppressed"
    ]["mode"]
    shown = {(row["platform"], row["country"]) for row in groups.rows()}
    assert len(shown) == 1 + len(groups)
    # Attributes are texts too, before question and value.
    assert len(groups.to_polars()) == len(groups.to_frame()) == len([*groups.rows()])
    for form in ("json", "csv", "markdown", "html"):
        assert groups.rendered(form)


def test_only_more_can_be_asked_for():
    """The least group of the survey holds whatever is asked for."""
    with pytest.raises(
        EstimateError, match="expected a least group of 100 reports or more"
    ):
        estimate_groups(tally_of_all(), by=["platform"], least_group=99)
    few = estimate_groups(tally_of_all(), by=["platform"], least_group=15_000)
    assert not len(few)
    assert few.total["mode"].reports == PEOPLE


def test_asking_for_more_shows_a_part_of_what_is_shown():
    """So that two tables of the same reports show no more than the one by the lowest
    least.
    """
    lowest = {
        group.name
        for group in estimate_groups(tally_of_all(), by=["platform", "country"])
    }
    for least_group in (150, 300, 1_000):
        groups = estimate_groups(
            tally_of_all(), by=["platform", "country"], least_group=least_group
        )
        assert {group.name for group in groups} <= lowest


def test_several_reports_of_each_count_as_one():
    """A group is large enough by its people, as far as they are known."""
    one = estimate_groups(tally_of_all(), by=["platform"], names=("daily",))
    unknown = one["unknown"]["daily"].reports
    options = Options(reports_per_person=unknown // SURVEY.least_group + 1)
    four = estimate_groups(
        tally_of_all(), by=["platform"], names=("daily",), options=options
    )
    assert unknown < four.least == options.reports_per_person * SURVEY.least_group
    assert len(four) < len(one)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"by": ["planet"]}, UnknownNameError),
        ({"where": {"platform": "web"}}, EstimateError),
        ({"by": ["platform"], "where": {"platform": "ios"}}, EstimateError),
        ({"by": ["platform", "platform"]}, EstimateError),
    ],
)
def test_groups_that_there_are_none_of(asked, error):
    """The message says what there is."""
    with pytest.raises(error, match="platform"):
        estimate_groups(tally_of_all(), **asked)


def test_ranges_by_group():
    """Are asked of numbers, and no obstacle to groups of which other questions alone
    are shown.
    """
    age = ldp.question(
        "age", type="integer", low=0, high=99, goal="distribution", epsilon="4"
    )
    country = ldp.attribute("country", ["de", "us"], questions=["mode"])
    survey = ldp.survey("ages", age, questions()[0], attributes=[PLATFORM, country])
    people = people_of(1_500) | {"age": np.arange(1_500) % 100}
    tally = aggregate(survey, randomize(survey, people, seed=1))
    options = Options(numbers=NumberOptions(ranges=(("18", "65"),)))
    of_platform = estimate_groups(tally, by=["platform"], options=options)
    assert "18 to 64" in of_platform.rendered("table")
    assert of_platform["android"].questions.keys() == {"age", "mode"}
    of_country = estimate_groups(tally, by=["country"], options=options)
    assert of_country["de"].questions.keys() == {"mode"}


def test_an_earlier_release_counts():
    """Two tallies whose difference is a small group are not both shown."""
    frames = [encode_frame(payload) for payload in read_frames(data())]
    earlier = aggregate(SURVEY, b"".join(frames[:-1]))
    before = estimate_groups(earlier, by=["platform"])
    now = estimate_groups(tally_of_all(), by=["platform"], earlier=[earlier])
    for name in ("mode", "ok", "daily"):
        for platform in ("android", "ios", "unknown"):
            shown = [
                next(
                    (
                        group[name].reports
                        for group in groups
                        if group.name.endswith(platform)
                    ),
                    0,
                )
                for groups in (before, now)
                if name in groups.total.questions
            ]
            assert shown[1] - shown[0] == 0 or shown[1] - shown[0] >= 100 or 0 in shown
    with pytest.raises(EstimateError, match="no more reports at an earlier release"):
        estimate_groups(earlier, by=["platform"], earlier=[tally_of_all()])
