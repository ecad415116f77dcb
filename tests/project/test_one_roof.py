"""`import ldpkit`: what notebooks need, and errors that say what to do."""

import re
from copy import copy

import pytest

import ldp
import ldp_aggregator
import ldp_client
import ldp_simulations
import ldpkit

PACKAGES = (ldp, ldp_client, ldp_aggregator, ldp_simulations)
SURVEY = ldpkit.survey("trip", ldpkit.question("mode", ["car", "bus"], epsilon=1))
TABLE = {"mode": ["car", "bus"] * 50}
REPORTS = ldpkit.randomize(SURVEY, TABLE)


def test_each_name_is_that_of_its_package():
    """None is made here, and few are offered."""
    homes = {
        name: [one for one in PACKAGES if name in one.__all__] for name in dir(ldpkit)
    }
    for name, packages in homes.items():
        assert getattr(ldpkit, name) in [getattr(package, name) for package in packages]
    assert len(homes) < 40


def test_results_list_what_they_have():
    """What only other kinds of answers have is an error that says what this one has."""
    mode = ldpkit.estimate(SURVEY, REPORTS)["mode"]
    assert len(dir(mode)) < 20
    assert all(hasattr(mode, name) for name in dir(mode))
    with pytest.raises(
        AttributeError, match="'mode', answered by grr, has no 'map'; it has describe"
    ):
        _ = mode.map
    assert copy(mode).values == mode.values


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ldpkit.estimate(SURVEY, TABLE), "randomize(survey, table)"),
        (lambda: ldpkit.estimate(REPORTS, SURVEY), "the survey comes first"),
        (lambda: ldpkit.estimate(SURVEY), "got a survey alone"),
        (lambda: ldpkit.estimate("trip.toml", REPORTS), "read_survey(path)"),
        (lambda: ldpkit.randomize(TABLE, SURVEY), "the survey comes first"),
        (lambda: ldpkit.simulate(TABLE, SURVEY), "the survey comes first"),
        (lambda: ldpkit.aggregate(REPORTS, SURVEY), "the survey comes first"),
        (lambda: ldpkit.plan(TABLE, half_width=0.1), "the survey comes first"),
    ],
)
def test_wrong_arguments_say_what_to_do(call, words):
    """Swapped ones, a path for a survey, true answers for reports."""
    with pytest.raises(TypeError, match=re.escape(words)):
        call()


def test_arguments_beside_options():
    """Level and estimand of estimates and simulations; made-up people, and a table of
    people.
    """
    narrow = ldpkit.estimate(SURVEY, REPORTS, level=0.5, estimand="population")[
        "mode"
    ].options
    assert narrow == ldpkit.Options(level=0.5, estimand="population")
    assert ldpkit.simulate(SURVEY, respondents=70).population["mode"].respondents == 70
    simulated = ldpkit.simulate(SURVEY, TABLE, level=0.5)
    assert simulated.population["mode"].counts.tolist() == [50, 50]
    assert simulated.first["mode"].options.level == 0.5
    assert repr(REPORTS) == f"<100 reports, {len(REPORTS)} bytes>"
