"""Plans of trees: errors by level that simulations keep, at the survey's shares or at
others.
"""

import json

import numpy as np
import pytest
from calling import run
from random_trees import survey_of

from ldp.errors import EstimateError
from ldp_aggregator import Options
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_simulations import attack, plan, simulate, synthetic
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

SURVEY = survey_of(
    {f"v{x}": f"n{x % 6}" for x in range(60)}, "1.5", levels=["large", "small"]
)


@pytest.mark.parametrize("estimand", ["respondents", "population"])
def test_planned_errors_are_those_of_simulations(estimand):
    """Of 60,000 respondents spread evenly: 20 tallies state what was planned, to 3 %,
    seed 4.
    """
    (tree,) = plan(SURVEY, respondents=60_000, estimand=estimand).trees
    question, generator = SURVEY["home"], np.random.default_rng(4)
    stated = [
        estimate_question(
            question,
            sample_counts(question, Holders((), np.full(60, 1000)), generator),
            Options(estimand=estimand),
        ).standard_error
        for _ in range(20)
    ]
    errors = np.sqrt(np.mean(np.square(stated), axis=0))
    for level, of_level in zip(tree.levels, (errors[:6], errors[6:]), strict=True):
        assert of_level.max() == pytest.approx(level.error / 60_000**0.5, rel=0.03)


def test_shares_in_place_of_those_of_the_survey():
    """More people on the large nodes: these are known better, the small ones less."""
    usual, more = (
        plan(SURVEY, respondents=10_000, shares=shares).trees[0].levels
        for shares in (None, ["1/2"])
    )
    assert [level.share for level in usual] == [0.2, 0.8]
    assert [level.share for level in more] == [0.5, 0.5]
    assert more[0].error < usual[0].error
    assert more[1].error > usual[1].error
    assert all(level.error > level.alone for level in usual)
    for shares in ([], ["1"], ["0.1", "0.1"]):
        with pytest.raises(EstimateError, match="shares of its 1 upper levels"):
            plan(SURVEY, respondents=10_000, shares=shares)


def test_respondents_for_a_half_width():
    """Enough for the widest node, and not one more."""
    (tree,) = plan(SURVEY, half_width=0.01).trees
    worst = max(level.error for level in tree.levels) * tree.quantile
    assert worst / tree.respondents**0.5 <= 0.01 < worst / (tree.respondents - 1) ** 0.5
    with pytest.raises(EstimateError, match="leaves of a tree: expected --respondents"):
        plan(SURVEY, mean_half_width=1)


def test_the_command(tmp_path):
    """A row for each level, as a table and as records."""
    path = tmp_path / "survey.toml"
    path.write_text(SURVEY.to_toml())
    said = run("plan", path, "-n", "1e5", "--shares", "0.1").output
    assert "large" in said
    assert "0.9" in said
    record = json.loads(run("plan", path, "-n", "1e5", "--format", "json").stdout)
    (planned,) = record["plans"]
    assert [level["name"] for level in planned["levels"]] == ["large", "small"]
    assert "--shares" in run("plan", path, "-n", "1e5", "--shares", "x", code=2).output


def test_simulations_know_the_truth_of_nodes():
    """Of inner ones too, in every way to a tally: nine tenths of the intervals hold it,
    or more.
    """
    people = synthetic(SURVEY, 3000)
    truth = people["home"].frequencies(["n0", "v0", "v6"])
    assert truth[0] > truth[1] + truth[2] > 0
    for way, runs in (("law", 20), ("reports", 3), ("clients", 1)):
        done = simulate(SURVEY, people, runs=runs, seed=1, way=way).runs["home"]
        assert done.truth[:6].sum() == pytest.approx(1)
        assert done.coverage.mean() > 0.9


def test_attacks_move_nodes_no_further_than_their_bound():
    """A value or an inner node; forged reports of honest law move it by what they
    hold.
    """
    people = synthetic(SURVEY, 5000)
    for target in ("n3", "v7"):
        done = attack(SURVEY, people, targets=[target], runs=5, seed=2)
        for attacked in done.attacked:
            for outcome in attacked.outcomes:
                assert np.abs(outcome.gain).max() <= outcome.bound
        gains = {
            record["attack"]: record["targets"][0]["gain"] for record in done.records()
        }
        assert gains["maximal-gain"] > 2 * gains["input"] > 0
