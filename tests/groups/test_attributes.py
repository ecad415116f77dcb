"""Public attributes: what a survey declares of them, what clients say, and what
travels.
"""

import json

import pytest
from group_samples import COUNTRY, PLATFORM, SURVEY, questions

import ldp
from ldp.privacy.disclosure import disclosure
from ldp.survey.attributes import (
    MOST_ATTRIBUTES,
    UNKNOWN,
    Attribute,
    combination_of,
    labels_of,
    size_of,
)
from ldp.survey.compiled import compile_survey
from ldp.wire.wire import decode_batch, encode_batch, read_frames
from ldp_aggregator.explanations.explanation import explanation
from ldp_client import Client, EmbeddedClient, report_bytes
from ldp_client.answering.consent import agreement
from ldp_client.testing import RecordingTransport
from ldp_client.tools.codegen import module
from ldp_client.tools.codegen_typescript import module as typescript_module

PLAIN = ldp.survey("groups", *questions())
IOS = {"platform": "ios"}


def test_a_combination_is_a_number_in_a_mixed_radix():
    """Each has a number of its own, and 0 says nothing."""
    attributes = SURVEY.attributes
    numbers = range(size_of(attributes))
    assert [
        combination_of(
            attributes,
            {
                attribute.name: label
                for attribute, label in zip(
                    attributes, labels_of(attributes, number), strict=True
                )
                if label != UNKNOWN
            },
        )
        for number in numbers
    ] == [*numbers]
    assert labels_of(attributes, 0) == (UNKNOWN, UNKNOWN)
    assert labels_of(attributes, 7) == ("ios", "de")
    assert (size_of(attributes), size_of(())) == (9, 1)


def test_a_survey_without_attributes_is_as_it_was():
    """Fingerprints, terms, the compiled form and what people are told say nothing of
    any.
    """
    assert PLAIN["mode"].fingerprint != SURVEY["mode"].fingerprint
    assert PLAIN.terms != SURVEY.terms
    assert agreement(PLAIN) != agreement(SURVEY)
    assert not {"attributes", "least_group"} & compile_survey(PLAIN).keys()
    assert "attribute" not in PLAIN.to_toml() + disclosure(PLAIN) + explanation(PLAIN)
    assert "attributes" not in module(PLAIN) + typescript_module(PLAIN)


def test_names_values_and_the_least_group_are_agreed_to():
    """Each of them changes the terms; the least group alone changes no report."""
    other = ldp.attribute("platform", ["android", "web"])
    surveys = [
        SURVEY,
        ldp.survey("groups", *questions(), attributes=[other, COUNTRY]),
        ldp.survey("groups", *questions(), attributes=[PLATFORM]),
        ldp.survey("groups", *questions(), attributes=[COUNTRY, PLATFORM]),
        ldp.survey(
            "groups", *questions(), attributes=[PLATFORM, COUNTRY], least_group=500
        ),
    ]
    assert len({survey.terms for survey in surveys}) == len(surveys)
    assert surveys[-1].fingerprint == SURVEY.fingerprint
    assert (surveys[0].least_group, surveys[-1].least_group) == (100, 500)


def test_an_attribute_goes_with_the_questions_it_lists():
    """The fingerprints of others do not change with it."""
    assert SURVEY["daily"].attributes == (Attribute("platform", ("android", "ios")),)
    without = ldp.survey("groups", *questions(), attributes=[PLATFORM])
    assert without["daily"].fingerprint == SURVEY["daily"].fingerprint
    assert without["mode"].fingerprint != SURVEY["mode"].fingerprint


def test_the_text_of_a_survey_parses_to_it():
    """Attributes and the least group included."""
    survey = ldp.survey(
        "groups", *questions(), attributes=[PLATFORM, COUNTRY], least_group=50
    )
    assert ldp.parse_survey(survey.to_toml()) == survey
    assert ldp.parse_survey(survey.to_toml()).to_toml() == survey.to_toml()


BAD = {
    "no values": [ldp.attribute("a", [])],
    "a value twice": [ldp.attribute("a", ["x", "x"])],
    "unknown as a value": [ldp.attribute("a", ["unknown"])],
    "a value with a comma": [ldp.attribute("a", ["x,y"])],
    "a value with an equals sign": [ldp.attribute("a", ["x=y"])],
    "a long value": [ldp.attribute("a", ["x" * 65])],
    "a value of two lines": [ldp.attribute("a", ["x\ny"])],
    "a name twice": [ldp.attribute("a", ["x"]), ldp.attribute("a", ["x"])],
    "the name of a question": [ldp.attribute("mode", ["x"])],
    "no such question": [ldp.attribute("a", ["x"], questions=["nothing"])],
    "an unknown key": [{"name": "a", "values": ["x"], "random": True}],
    "too many": [
        ldp.attribute(f"a{number}", ["x"]) for number in range(MOST_ATTRIBUTES + 1)
    ],
    "too many combinations": [
        ldp.attribute(name, map(str, range(40))) for name in "ab"
    ],
}


@pytest.mark.parametrize("attributes", BAD.values(), ids=BAD)
def test_what_no_survey_may_declare(attributes):
    """It is named with its place."""
    with pytest.raises(ldp.SurveyError, match="attribute"):
        ldp.survey("groups", *questions(), attributes=attributes)


@pytest.mark.parametrize("least", [0, 9, 1_000_001, "100"])
def test_a_least_group_has_bounds(least):
    """It cannot be switched off."""
    with pytest.raises(ldp.SurveyError, match="least_group"):
        ldp.survey("groups", *questions(), attributes=[PLATFORM], least_group=least)


def test_a_least_group_needs_attributes():
    """Without any there is nothing to divide."""
    with pytest.raises(ldp.SurveyError, match="no attribute divides the crowd"):
        ldp.survey("groups", *questions(), least_group=100)


def test_questions_that_are_answered_together_say_the_same():
    """An attribute goes with all of them, or none."""
    joint = ["mode", "ok"]
    assert ldp.survey("groups", *questions(), joint=joint, attributes=[COUNTRY]).groups
    part = ldp.attribute("country", ["de"], questions=["ok"])
    with pytest.raises(ldp.SurveyError, match="answered together"):
        ldp.survey("groups", *questions(), joint=joint, attributes=[part])


@pytest.mark.parametrize(
    "said", [{"planet": "mars"}, {"platform": "web"}, {"platform": UNKNOWN}]
)
def test_a_client_says_nothing_that_the_survey_does_not_list(said):
    """It is refused when it is opened, before there is an answer."""
    for opened in (lambda: Client(SURVEY, attributes=said), lambda: embedded(said)):
        with pytest.raises(ldp.AnswerError, match="expected one of"):
            opened()


def embedded(said, state=None, **settings):
    return EmbeddedClient(
        SURVEY, state=state, attributes=said, interval=None, **settings
    )


def test_reports_carry_what_their_question_has():
    """A question without an attribute does not say it; what says nothing is as it
    was.
    """
    client = Client(SURVEY, attributes={"country": "de", **IOS})
    assert client.record("mode", "bus").combination == 7
    assert client.record("daily", True).combination == 2
    assert Client(SURVEY).record("mode", "bus").combination == 0
    plain = Client(SURVEY).record("mode", "bus")
    (payload,) = read_frames(report_bytes([plain]))
    assert payload[:2] == b"\x95\x01"
    assert len(plain.record()) == 2


def test_the_bytes_drawn_and_the_report_hang_on_no_attribute():
    """What is said openly is said beside a report, and changes nothing else of it."""
    rows = []
    for said in ({}, IOS, {"country": "us", **IOS}):
        drawn = []

        def source(size, drawn=drawn):
            drawn.append(size)
            return bytes(size)

        rows.append(
            (
                Client(SURVEY, attributes=said, random=source)
                .record("mode", "bus")
                .row,
                drawn,
            )
        )
    assert rows[0] == rows[1] == rows[2]


def test_reports_of_two_combinations_share_no_batch(tmp_path):
    """An app that was updated sends what waits under what held when it was recorded."""
    state, sent = tmp_path / "device.db", RecordingTransport()
    with embedded(IOS, state) as client:
        assert client.record("daily", True)
    with embedded({"platform": "android"}, state, transport=sent) as client:
        assert client.record("daily", True)
        assert client.record("daily", False)
        assert client.flush()
    batches = sent.batches
    assert sorted((batch.combination, batch.size) for batch in batches) == [
        (1, 2),
        (2, 1),
    ]
    assert all(decode_batch(encode_batch(batch)) == batch for batch in batches)


def test_a_draft_that_waits_keeps_what_held(tmp_path):
    """And so does a report that was kept with a mark, or of a survey with epochs."""
    survey = ldp.survey("groups", *questions(), attributes=[PLATFORM], epoch="1d")
    client = Client(survey, state=tmp_path / "device.db", attributes=IOS)
    report = client.record("mode", "bus")
    assert (report.combination, report.epoch, len(report.mark)) == (2, 86_400, 16)
    assert type(report).of_record(report.record()) == report
    bare = report._replace(mark=None, epoch=None)
    assert type(bare).of_record(bare.record()) == bare


def test_what_is_said_openly_is_told():
    """In the disclosure, by explain, and in modules that are written for an app."""
    page = disclosure(SURVEY)
    assert "The platform of your device, openly and not at random" in page
    assert "fewer than 100 such reports" in page
    assert "android, ios, or unknown; with reports to all questions" in explanation(
        SURVEY
    )
    assert "not randomized" in explanation(SURVEY)
    names = {}
    source = module(SURVEY)
    exec(source, names)  # noqa: S102 (our own)
    assert names["attributes"](platform="ios") == IOS
    assert 'readonly "platform"?: "android" | "ios";' in typescript_module(SURVEY)
    assert json.loads(json.dumps(compile_survey(SURVEY)))["attributes"][1][
        "questions"
    ] == [
        "mode",
        "ok",
    ]
