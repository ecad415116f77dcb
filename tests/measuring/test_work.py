"""How much work a report and an estimate are, in calls of the product, which no machine
changes.
"""

import cProfile
import pstats
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import ldp
import ldp_aggregator
import ldp_client
from ldp_aggregator import Tally, aggregate, estimate
from ldp_client import Client, EmbeddedClient
from ldp_simulations import randomize

OURS = tuple(
    str(Path(package.__file__).parent) for package in (ldp, ldp_client, ldp_aggregator)
)


def calls_of(work):
    """How many calls of ours some work takes."""
    profile = cProfile.Profile()
    profile.enable()
    work()
    profile.disable()
    calls = pstats.Stats(profile).stats.items()
    return sum(row[0] for (file, *_), row in calls if file.startswith(OURS))


@pytest.mark.parametrize(
    ("opens", "first", "next_"),
    [
        (Client, 35, 30),
        (lambda survey: EmbeddedClient(survey, state=None, interval=None), 158, 108),
    ],
    ids=["Client", "EmbeddedClient"],
)
def test_a_report_takes_few_calls(opens, first, next_):
    """A question that is answered once: the limits are kept with the first report of a
    device.
    """
    questions = (
        ldp.question(name, ["x", "y"], epsilon=1, mechanism="grr") for name in "abc"
    )
    survey = ldp.survey("s", *questions)
    for name in "abc":
        opens(survey).record(name, "x")  # loads what is loaded when it is used
    # Draws are repeated by chance: the fewest calls of some devices count.
    devices = [opens(survey) for _ in range(8)]
    assert (
        min(calls_of(partial(device.record, "a", "x")) for device in devices) <= first
    )
    assert (
        min(calls_of(partial(device.record, "b", "y")) for device in devices) <= next_
    )


def product_calls(question, answers):
    """How many calls of ours the estimate of one question takes, its tally given."""
    survey = ldp.survey("s", question)
    tally = aggregate(survey, randomize(survey, {"x": answers}))
    assert isinstance(tally, Tally)
    assert estimate(tally)["x"].reports == len(
        answers
    )  # loads what is loaded when it is used
    return calls_of(lambda: np.isfinite(estimate(tally)["x"].frequency))


def test_one_question_takes_few_calls():
    """Frequencies, errors and intervals of `oue` with 128 values."""
    values = [f"value {number}" for number in range(128)]
    question = ldp.question("x", values, epsilon=1, mechanism="oue")
    assert product_calls(question, values * 20) <= 250


@pytest.mark.parametrize("mechanism", ["grr", "oue"])
def test_what_was_not_asked_for_is_not_worked_out(mechanism):
    """Frequencies of whole numbers: the line that they lie on is not listed, however
    long.
    """
    size = 4096
    names = [f"value {number}" for number in range(size)]
    whole = ldp.question(
        "x", type="integer", low=1, high=size, epsilon=1, mechanism=mechanism
    )
    named = ldp.question("x", names, epsilon=1, mechanism=mechanism)
    calls = product_calls(whole, list(range(1, size + 1)))
    assert calls <= 1.2 * product_calls(named, names)
