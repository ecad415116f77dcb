"""Simulations of distributions: how often bands, cumulative shares and quantiles
hold.
"""

import json

import numpy as np
import pytest

import ldp
import ldp_simulations as sim
from ldp_aggregator.output.formats.formats import render_sheet
from ldp_simulations.simulation import report


def simulated(runs=40, **keys):
    """Of 3,000 respondents, more of them the higher the number is; seed 21."""
    survey = ldp.survey("s", ldp.question("x", goal="distribution", epsilon=3, **keys))
    size = survey["x"].domain.size
    values = list(survey["x"].domain.values)
    table = {
        "x": np.repeat(
            values, np.arange(1, size + 1) * 6000 // (size * (size + 1))
        ).tolist()
    }
    if survey["x"].domain.scale is not None and survey["x"].domain.scale.edges:
        edges = [float(edge) for edge in survey["x"].domain.scale.edges]
        middles = (np.array(edges[1:]) + edges[:-1]) / 2
        table = {"x": np.repeat(middles, np.arange(1, size + 1) * 30).tolist()}
    population = sim.from_table(survey, table)
    return sim.simulate(survey, population, runs=runs, seed=21)


@pytest.mark.parametrize(
    "keys",
    [{"low": 0, "high": 49}, {"low": 0, "high": 30, "bins": 15}],
    ids=["points", "cells"],
)
def test_what_simulations_say_of_distributions(keys):
    """Shares of .95 are seen within .88 to 1, and errors within a fifth of what was
    stated.

    Of 40 runs the chance to fail is below 1e-6: cumulative shares of one run go
    together.
    """
    result = simulated(**keys)
    runs = result.runs["x"].distribution
    assert runs.interval_share.mean() == pytest.approx(0.95, abs=0.07)
    assert runs.error.mean() == pytest.approx(runs.stated.mean(), rel=0.2)
    assert runs.band_holds.sum() > 30
    assert runs.monotone_distance.mean() <= runs.distance.mean()
    assert runs.quantile_holds.shape == (40, 3)
    assert runs.quantile_holds.mean() > 0.88
    text = render_sheet(report.sheet(result), "table")
    assert "Of cumulative shares: " in text
    assert "Of quantiles: " in text
    record = json.loads(render_sheet(report.sheet(result), "json"))["questions"]["x"][
        "distribution"
    ]
    assert record["distance"] == pytest.approx(runs.distance.mean())
    assert result.only(["x"]).runs["x"].distribution is runs


def test_other_questions_say_nothing_of_it():
    """A question about frequencies has no distribution."""
    survey = ldp.survey("s", ldp.question("x", ["a", "b"], epsilon=1))
    result = sim.simulate(survey, sim.synthetic(survey, 100), runs=2, seed=1)
    assert result.runs["x"].distribution is None
    assert "cumulative" not in render_sheet(report.sheet(result), "table")


def test_very_many_values_are_simulated_by_cells():
    """Beside a question whose values are listed: a row for each cell of a histogram,
    and its truth.

    Of 5,000 respondents at epsilon 4, no cell is off by six standard errors (false
    alarms: 1e-8).
    """
    survey = ldp.survey(
        "s",
        ldp.question(
            "income", low=0, high=49_999, step=1, goal="distribution", epsilon=4
        ),
        ldp.question("age", low=0, high=99, goal="distribution", epsilon=4),
    )
    result = sim.simulate(survey, sim.synthetic(survey, 5000, "normal"), seed=1)
    income, age = result.runs["income"], result.runs["age"]
    assert list(result.runs) == ["income", "age"]
    assert len(age.truth) == 100
    assert 2 <= len(income.truth) < 100
    assert income.truth.sum() == pytest.approx(1)
    gaps = np.abs(income.frequency[0] - income.truth) / income.standard_error[0]
    assert (gaps < 6).all()
    assert income.distribution is not None
