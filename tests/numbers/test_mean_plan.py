"""Plans of means: errors that simulations keep, and respondents that are enough and no
more.
"""

import json

import numpy as np
import pytest
from calling import run

import ldp
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_simulations import plan
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import sample_counts

SURVEYS = {
    "shape": ldp.question(
        "x", low=0, high=99, step="0.5", unit="h", goal="shape", epsilon=1
    ),
    "dithered": ldp.question(
        "x", low=0, high=99, step="0.5", unit="h", goal="mean", epsilon=1
    ),
    "one-bit": ldp.question("x", low=18, high=98, mechanism="one-bit", epsilon=2),
    "coarse": ldp.question("x", low=0, high=10**6, step=1, goal="mean", epsilon=4),
}


@pytest.mark.parametrize("estimand", ["respondents", "population"])
@pytest.mark.parametrize("name", SURVEYS)
def test_planned_errors_are_those_of_simulations(name, estimand):
    """Of 8,194 respondents spread evenly: 30 tallies state what was planned, within 3
    %, seed 4.

    A plan without the spread of a population, or off by a step's width, is detected.
    """
    survey, generator = ldp.survey("s", SURVEYS[name]), np.random.default_rng(4)
    (planned,) = plan(survey, respondents=8194, estimand=estimand).means
    question = survey["x"]
    if question.domain.is_listed:
        size = question.domain.size
    else:
        size = question.randomizer.grid + 1
    everyone = Holders((), apportion(8194, np.ones(size)))
    stated = [
        estimate_question(
            question,
            sample_counts(question, everyone, generator),
            Options(estimand=estimand),
        ).mean.standard_error
        for _ in range(30)
    ]
    assert planned.error == pytest.approx(np.mean(stated), rel=0.03)
    assert planned.half_width == pytest.approx(1.959964 * planned.error)


@pytest.mark.parametrize("name", SURVEYS)
def test_least_respondents(name):
    """They keep the half-width, and one fewer do not."""
    survey = ldp.survey("s", SURVEYS[name])
    (planned,) = plan(survey, mean_half_width=0.5).means
    (again,) = plan(survey, respondents=planned.respondents).means
    (fewer,) = plan(survey, respondents=planned.respondents - 1).means
    assert again.half_width <= 0.5 < fewer.half_width
    assert plan(survey, mean_half_width=1e-9).means[0].respondents is None


def test_what_is_to_be_found_has_to_be_said():
    """Means and frequencies each need a number of respondents or what to find them
    by.
    """
    both = ldp.survey(
        "s", SURVEYS["dithered"], ldp.question("y", ["a", "b"], epsilon=1)
    )
    with pytest.raises(EstimateError, match="'y', of which frequencies"):
        plan(both, mean_half_width=1)
    with pytest.raises(EstimateError, match="'x', of which a mean"):
        plan(both, half_width=0.1)
    with pytest.raises(EstimateError, match="finds respondents"):
        plan(both, respondents=10, mean_half_width=1)
    planned = plan(both, half_width=0.01, mean_half_width=1)
    assert [len(planned.plans), len(planned.means)] == [1, 1]
    assert "mean of" in repr(planned)


def test_some_questions_alone(tmp_path):
    """A goal that is for one question of several is asked of that one; unknown names
    are told.
    """
    both = ldp.survey(
        "s", SURVEYS["dithered"], ldp.question("y", ["a", "b"], epsilon=1)
    )
    planned = plan(both, mean_half_width=1, names=["x"])
    assert [len(planned.plans), len(planned.means)] == [0, 1]
    planned = plan(both, half_width=0.1, names=["y"])
    assert [len(planned.plans), len(planned.means)] == [1, 0]
    with pytest.raises(UnknownNameError):
        plan(both, respondents=10, names=["z"])
    path = tmp_path / "survey.toml"
    path.write_text(both.to_toml())
    alone = run(
        "plan", path, "--question", "x", "--mean-half-width", "1", "--format", "json"
    )
    assert [entry["name"] for entry in json.loads(alone.stdout)["plans"]] == ["x"]
    assert (
        "expected --question"
        in run("plan", path, "--question", "z", "-n", "9", code=1).stderr
    )


def test_from_the_command_line(tmp_path):
    """The unit is told, and how far forged reports move the mean."""
    path = tmp_path / "survey.toml"
    path.write_text(ldp.survey("s", SURVEYS["dithered"]).to_toml())
    output = run(
        "plan",
        str(path),
        "--mean-half-width",
        "1",
        "--forged",
        "50",
        "--format",
        "json",
    )
    (record,) = json.loads(output.stdout)["plans"]
    assert record["mean"]["half_width"] <= 1
    assert (record["unit"], record["forged"]["reports"]) == ("h", 50)
    shown = run("plan", str(path), "-n", "1e5").stdout
    assert "mean of" in shown
    assert "100,000" in shown
    assert (
        "--mean-half-width"
        in run("plan", str(path), "--half-width", "0.1", code=1).stderr
    )
