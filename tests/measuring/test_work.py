"""How much work an estimate is: calls of the product's functions, which no machine changes."""

import cProfile
import pstats
from pathlib import Path

import numpy as np
import pytest

import ldp
import ldp_aggregator
from ldp_aggregator import Tally, aggregate, estimate
from ldp_simulations import randomize

OURS = tuple(str(Path(package.__file__).parent) for package in (ldp, ldp_aggregator))


def product_calls(question, answers):
    """How many calls of ours the estimate of one question takes, its tally given."""
    survey = ldp.survey("s", question)
    tally = aggregate(survey, randomize(survey, {"x": answers}))
    assert isinstance(tally, Tally)
    assert estimate(tally)["x"].reports == len(answers)  # loads what is loaded when it is used
    profile = cProfile.Profile()
    profile.enable()
    assert np.isfinite(estimate(tally)["x"].frequency).all()
    profile.disable()
    calls = pstats.Stats(profile).stats.items()
    return sum(row[0] for (file, *_), row in calls if file.startswith(OURS))


def test_one_question_takes_few_calls():
    """Frequencies, errors and intervals of `oue` with 128 values."""
    values = [f"value {number}" for number in range(128)]
    question = ldp.question("x", values, epsilon=1, mechanism="oue")
    assert product_calls(question, values * 20) <= 250


@pytest.mark.parametrize("mechanism", ["grr", "oue"])
def test_what_was_not_asked_for_is_not_worked_out(mechanism):
    """Frequencies of whole numbers: the line that they lie on is not listed, however long."""
    size = 4096
    names = [f"value {number}" for number in range(size)]
    whole = ldp.question("x", type="integer", low=1, high=size, epsilon=1, mechanism=mechanism)
    named = ldp.question("x", names, epsilon=1, mechanism=mechanism)
    calls = product_calls(whole, list(range(1, size + 1)))
    assert calls <= 1.2 * product_calls(named, names)
