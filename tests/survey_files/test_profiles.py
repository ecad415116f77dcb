"""Profiles: published parameters give the epsilons that were published."""

import pytest
from specimens import question

from ldp import Survey, SurveyError
from ldp.mechanisms.contract import lifetime_ratio
from ldp.numbers.exact import log_upper
from ldp.survey.profiles import PROFILES
from ldp.survey.survey_file import parse_survey
from ldp_aggregator.explanations.explanation import explanation, warnings

PUBLISHED = {
    "rappor-paper": (0.5343, 2.0433),
    "rappor-reference": (1.0743, 4.3944),
    "chromium-normal": (2.0433, 4.3944),
    "chromium-sparse": (3.1538, 7.7836),
    "apple-emoji": (4, 4),
    "tests-only": (20, 20),
}

SIZES = {
    "rappor-paper": (128, 2, 32),
    "rappor-reference": (16, 2, 64),
    "chromium-normal": (128, 2, 128),
    "chromium-sparse": (32, 2, 128),
}
"""Bits, hash functions and cohorts, as published."""


def profiled(name, keys=""):
    """A question under a profile, open if that is one of RAPPOR's."""
    kind = 'type = "category"\nvalues = ["a", "b"]'
    if PROFILES[name].keys["mechanism"] == "rappor":
        kind = 'type = "text"'
    text = (
        f'[survey]\nname = "s"\n[[question]]\nname = "x"\n{kind}\nprofile = '
        f'"{name}"\n{keys}\n'
    )
    return parse_survey(text)["x"]


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_give_what_was_published(name):
    """eps_1 and eps_inf of every profile, to four digits.

    Its fingerprint is that of its keys written out.
    """
    asked = profiled(name)
    one, ever = asked.randomizer.ratio, lifetime_ratio(asked.randomizer)
    assert (log_upper(one), log_upper(ever)) == pytest.approx(
        PUBLISHED[name], abs=5.1e-5
    )
    keys = {
        key: value for key, value in PROFILES[name].keys.items() if key != "mechanism"
    }
    listed = 'type = "category"\nvalues = ["a", "b"]'
    kind = 'type = "text"' if asked.domain.values is None else listed
    written = "\n".join(
        [
            kind,
            *(
                f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}"
                for key, value in keys.items()
            ),
        ]
    )
    assert asked.fingerprint == question(asked.mechanism, written).fingerprint


@pytest.mark.parametrize(("name", "sizes"), SIZES.items())
def test_filters_have_the_published_sizes(name, sizes):
    """No epsilon tells them."""
    design = profiled(name).randomizer
    assert (design.bits, design.hashes, design.cohorts) == sizes


def test_a_sketch_has_the_published_width():
    """And a quarter of the hash functions that were published."""
    design = profiled("apple-emoji").randomizer
    assert (design.cohorts, design.buckets) == (65_536 // 4, 1024)


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_are_explained(name):
    """`ldp explain` says where the numbers come from; only the one for tests is warned
    of.
    """
    survey = Survey("s", (profiled(name),))
    assert all(part in explanation(survey) for part in PROFILES[name][1:4])
    assert any("for tests only" in warning for warning in warnings(survey)) == (
        name == "tests-only"
    )


def test_profiles_are_whole():
    """A key beside the profile that gives it, and a name that is no profile's, are
    problems.
    """
    with pytest.raises(
        SurveyError, match=r"f.*expected nothing: profile rappor-paper gives it"
    ):
        profiled("rappor-paper", 'f = "0.1"')
    with pytest.raises(
        SurveyError, match=r"mechanism.*nothing: profile tests-only gives it"
    ):
        profiled("tests-only", 'mechanism = "grr"')
    with pytest.raises(SurveyError, match="one of rappor-paper, "):
        parse_survey(
            '[survey]\nname = "s"\n[[question]]\nname = "x"\ntype = "text"\nprofile = '
            '"mine"\n'
        )
