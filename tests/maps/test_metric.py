"""Metric privacy: a promise that fades with distance, what it comes to, and what it is
worth.
"""

import importlib
import json
import math
import sys
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from click.testing import CliRunner
from places import EXAMPLES

import ldp
import ldp_simulations as sim
from ldp.errors import SurveyError
from ldp.numbers.exact import exp_lower, exp_upper, log, sqrt_lower
from ldp.privacy.certificate import certificate
from ldp_aggregator import Options
from ldp_aggregator.answers.estimates.estimation import estimate_question
from ldp_aggregator.commands.main import main
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

SEED = 20261123
REFERENCE = 8.0
"""n x mean squared distance x epsilon^2 of geometric noise along both axes, in its
appendix.
"""


def surveyed(per_unit="1/2", cells=8, x=(0, 10), y=(0, 10), **keys):
    question = ldp.question(
        "home",
        x=x,
        y=y,
        cells=cells,
        mechanism="metric",
        epsilon_per_unit=per_unit,
        **keys,
    )
    return ldp.survey("city", question)


def told_apart(question):
    """The largest ratio of any two cells, by how many steps they are apart along x and
    y.
    """
    rows = question.randomizer.weights
    cells = math.isqrt(len(rows))
    most = {}
    for first, second in permutations(range(len(rows)), 2):
        (x, y), (u, v) = divmod(first, cells), divmod(second, cells)
        ratio = max(
            Fraction(a, b) for a, b in zip(rows[first], rows[second], strict=True)
        )
        apart = abs(x - u), abs(y - v)
        most[apart] = max(most.get(apart, ratio), ratio)
    return most


@pytest.mark.parametrize(
    ("per_unit", "cells", "keys"),
    [
        ("1/2", 4, {}),
        ("1", 4, {"lengths": ["0.3", 2]}),
        ("0.001", 4, {"x": (0, 100), "y": (-7, 3)}),
        ("3", 2, {}),
    ],
)
def test_cells_are_told_apart_by_their_distance_at_most(per_unit, cells, keys):
    """Exactly, of every pair; along a diagonal of square cells all of it is used, to
    1e-15.
    """
    question = surveyed(per_unit, cells, **keys)["home"]
    across, up = question.declared.metric.steps
    for (x, y), ratio in told_apart(question).items():
        square = (x * across) ** 2 + (y * up) ** 2
        most = Fraction(per_unit) * sqrt_lower(Fraction(square))
        assert ratio <= exp_lower(most)
        if x == y and across == up:
            assert log(ratio) == pytest.approx(float(most), rel=1e-15)


def test_a_law_that_is_not_told_apart_enough_would_be_seen():
    """One that is a thousandth above the promise is refuted by the largest diagonal."""
    question = surveyed("1/2", 4)["home"]
    ratio = told_apart(question)[3, 3]
    less = Fraction(1, 2) / Fraction(1001, 1000) * sqrt_lower(2 * Fraction(15, 2) ** 2)
    assert ratio > exp_upper(less)


def test_what_is_declared_is_the_total_across_the_map():
    """The epsilon for a unit, times the largest distance: on a square, all that is
    delivered.
    """
    question = surveyed()["home"]
    diameter = math.hypot(7 * 1.25, 7 * 1.25)
    assert float(question.declared.text) == pytest.approx(diameter / 2, rel=1e-11)
    assert question.randomizer.ratio <= question.declared.bound
    assert log(question.randomizer.ratio) == pytest.approx(diameter / 2, rel=1e-11)
    long = surveyed(x=(0, 50))["home"]
    assert log(long.randomizer.ratio) < 0.99 * float(long.declared.text)


def test_noise_is_as_wide_as_the_reference_says():
    """Of 64 x 64 km in 8 x 8 cells, from the middle: the mean squared distance is 8 /
    epsilon^2.

    Less what is cut at the borders, and up to the width of cells: within 10 %.
    """
    question = surveyed("0.25", x=(0, 64), y=(0, 64))["home"]
    row = np.array(question.randomizer.weights[8 * 4 + 4], dtype=float)
    steps = (np.arange(8) - 4) * 8.0
    square = steps[:, None] ** 2 + steps**2
    mean = float((row.reshape(8, 8) * square).sum() / row.sum())
    step = math.exp(-0.25 * 8 / math.sqrt(2))
    assert mean == pytest.approx(2 * 64 * 2 * step / (1 - step) ** 2, rel=0.05)
    narrow = math.exp(-0.25 * 0.01 / math.sqrt(2))
    of_cells = 2 * 0.01**2 * 2 * narrow / (1 - narrow) ** 2
    assert of_cells * 0.25**2 == pytest.approx(REFERENCE, rel=1e-3)


def test_shares_of_cells_and_rectangles_are_unbiased():
    """Mean z^2 over 200 surveys of 5,000 within 5 standard errors of 1, in each of the
    families.
    """
    question = surveyed("1", 4, x=(0, 4), y=(0, 4))["home"]
    generator = np.random.default_rng(SEED)
    held = generator.multinomial(5_000, generator.dirichlet(np.ones(16) / 2))
    truth = held / 5_000
    everybody = Holders(question.domain.values, held)
    cells, rectangles = [], []
    for _ in range(200):
        counts = sample_counts(question, everybody, generator)
        known = estimate_question(question, counts, Options())
        cells.append(((known.frequency - truth) / known.standard_error) ** 2)
        share = known.rectangle(x=(0, 2), y=(1, 4))
        off = share.frequency - truth.reshape(4, 4)[:2, 1:].sum()
        rectangles.append((off / share.standard_error) ** 2)
    # Cells of one survey err together: the spread of their mean is that of the surveys.
    means = np.mean(cells, axis=1)
    assert np.mean(means) == pytest.approx(1, abs=5 * means.std() / np.sqrt(200))
    assert np.mean(rectangles) == pytest.approx(1, abs=5 * np.sqrt(2 / 200))


def test_explain_says_both_promises(tmp_path):
    (tmp_path / "city.toml").write_text(surveyed().to_toml())
    said = CliRunner().invoke(main, ["explain", str(tmp_path / "city.toml")]).output
    assert "declared epsilon    6.187184335383" in said
    assert (
        "metric epsilon      0.5 for each unit of distance: ANOTHER PROMISE than "
        "epsilon"
    ) in said
    assert (
        "across the map      the declared epsilon of 6.187184335383, at 12.37 units"
        in said
    )
    assert "every question once: epsilon 6.187185" in said


def test_a_certificate_has_both_and_the_program_checks_both(monkeypatch):
    """It refutes an epsilon for a unit that is less than what cells are told apart
    by.
    """
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    checker = importlib.import_module("check_certificate")
    stated = json.loads(json.dumps(certificate(surveyed(cells=4, lengths=["0.5", 1]))))
    (question,) = stated["questions"]
    assert question["metric"] == {"epsilon_per_unit": "1/2", "lengths": ["1/2", "1"]}
    assert checker.failures(question, stated) == []
    lines, sound = checker.verdicts(stated)
    assert sound
    assert (
        "epsilon 1/2 a unit where 1 of x is 1/2 units and 1 of y 1: holds" in lines[0]
    )
    question["metric"]["epsilon_per_unit"] = "1/3"
    assert checker.failures(question, stated) == [
        "it is not so that cells are told apart by their distance at most",
        "it is not so that what is declared is that across the map",
    ]
    del question["metric"]
    with pytest.raises(ValueError, match="expected an object of"):
        checker.failures(question, stated)


@pytest.mark.parametrize(
    "keys",
    [
        {"per_unit": 10**6, "cells": 2, "x": (0, "0.00002"), "y": (0, "0.00002")},
        {"per_unit": "0.000001", "cells": 2, "lengths": [10**6, 1]},
    ],
)
def test_the_most_that_is_taken(keys):
    """A million for a unit of distance, and as many of these for one of an axis."""
    question = surveyed(**keys)["home"]
    assert question.declared.metric.per_unit == Fraction(keys["per_unit"])
    assert log(question.randomizer.ratio) <= float(question.declared.text)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"per_unit": 10**6 + 1}, "expected a number from 1/1000000 to 1000000"),
        ({"lengths": [10**6 + 1, 1]}, "lengths: expected"),
        (
            {"per_unit": 5},
            "epsilon_per_unit: expected a total from 1/1000 to 40 across the map",
        ),
        ({"per_unit": "0.00001"}, "expected a total from 1/1000 to 40 across the map"),
        ({"per_unit": 0}, "epsilon_per_unit: expected a number from"),
        ({"lengths": [0, 1]}, "lengths: expected two lengths above 0"),
        ({"cells": 16}, "expected a question of type place with at most 64 cells"),
        ({"epsilon": 1}, 'epsilon: expected "epsilon_per_unit"'),
    ],
)
def test_what_is_refused(keys, problem):
    with pytest.raises(SurveyError) as raised:
        surveyed(**keys)
    assert problem in str(raised.value)


@pytest.mark.parametrize(("maps", "others"), [(4, 0), (4, 2), (5, 0)])
def test_a_survey_has_few_maps_with_a_matrix(maps, others):
    """Four of 8 x 8 cells fill what a file may have in matrices; other maps have
    none.
    """
    metric = 'mechanism = "metric"\nepsilon_per_unit = 1'
    pyramid = 'mechanism = "pyramid"\nepsilon = 1'
    text = '[survey]\nname = "city"\n'
    for number, keys in enumerate([metric] * maps + [pyramid] * others):
        text += f'[[question]]\nname = "q{number}"\ntype = "place"\ncells = 8\n{keys}\n'
        text += "x = { low = 0, high = 10 }\ny = { low = 0, high = 10 }\n"
    if maps == 4:
        assert len(ldp.parse_survey(text).questions) == maps + others
        return
    with pytest.raises(SurveyError, match=r"at most 16,384 numbers in .* got '20,480'"):
        ldp.parse_survey(text)


def test_it_is_chosen_by_name_alone():
    """`auto` never makes this promise in place of an epsilon, and it serves places
    alone.
    """
    axes = {"x": (0, 1), "y": (0, 1), "cells": 4}
    for goal in ("map", "rectangles"):
        survey = ldp.survey("s", ldp.question("home", **axes, goal=goal, epsilon=1))
        assert survey["home"].mechanism != "metric"
        assert survey["home"].declared.metric is None
    with pytest.raises(SurveyError, match="expected a question of type place"):
        ldp.survey(
            "s", ldp.question("a", ["x", "y"], mechanism="metric", epsilon_per_unit=1)
        )


def test_plans_have_the_maps_that_it_has():
    planned = sim.plan(surveyed(), respondents=100_000)
    assert [row.cells for row in planned.places[0].rows] == [2, 4, 8]
