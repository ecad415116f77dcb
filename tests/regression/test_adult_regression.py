"""Real people: regressions and weights of Adult (1994, 32,561 rows), beside the plain
ones.

The data lie beside the checkout, in shared/data; without them these tests are skipped.
Reports are drawn with a fixed seed from the channel of the survey.
"""

import csv

import numpy as np
import pytest
from places import DATA

import ldp
from ldp_aggregator import Tally, regress, weigh

ADULT = DATA / "adult.data"
pytestmark = pytest.mark.needs("adult.data")
SCHOOL = ["school", "college", "degree"]
DEGREES = {"Bachelors", "Masters", "Doctorate", "Prof-school"}
COLLEGE = {"Some-college", "Assoc-acdm", "Assoc-voc"}


@pytest.fixture(scope="module")
def adult():
    """(rich, school, sex): places of values, by person."""
    with ADULT.open(encoding="utf-8", newline="") as file:
        rows = [
            row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15
        ]
    school = [2 if row[3] in DEGREES else int(row[3] in COLLEGE) for row in rows]
    return (
        np.array([row[14].startswith(">50K") for row in rows]).astype(int),
        np.array(school),
        np.array([row[9] == "Male" for row in rows]).astype(int),
    )


@pytest.fixture(scope="module")
def survey():
    fields = [
        ldp.field("rich", type="boolean"),
        ldp.field("school", SCHOOL),
        ldp.field("sex", ["female", "male"]),
    ]
    return ldp.survey(
        "adult", ldp.question("life", fields=fields, mechanism="grr", epsilon="2")
    )


def tally_of(survey, people, seed):
    """What reports of these people come to."""
    rich, school, sex = people
    holders = np.bincount((rich * 3 + school) * 2 + sex, minlength=12)
    law = np.array(
        [
            [float(mass) for mass in row]
            for row in survey["life"].randomizer.channel().rows
        ]
    )
    tally = Tally.empty(survey)
    generator = np.random.default_rng(seed)
    tally.counts["life"] += generator.multinomial(holders, law).sum(axis=0)[None]
    return tally


def test_coefficients_of_plain_data_are_held(adult, survey):
    """Of ten surveys, and four coefficients, the plain ones are within five errors, and
    mostly two.

    Intervals allow for sampling as well, so that at least 95 % hold the plain
    coefficients; of 40 at least 29 have to (false alarm 4e-7 at .95).
    """
    import statsmodels.api as sm

    rich, school, sex = adult
    table = np.column_stack([np.ones(len(rich)), school == 1, school == 2, sex]).astype(
        float
    )
    plain = sm.Logit(rich, table).fit(disp=0).params
    held = 0
    for seed in range(10):
        fit = regress(tally_of(survey, adult, seed), "life", "rich ~ school + sex")
        assert fit.converged
        for row, value in zip(fit.coefficients, plain.tolist(), strict=True):
            assert abs(row.estimate - value) < 5 * row.standard_error
            held += row.low < value < row.high
    assert held >= 29


def test_a_skewed_sample_is_mended(adult, survey):
    """Half of the men are left out; the margin of sex, itself randomized, brings the
    share back.
    """
    rich, _, sex = adult
    stays = (sex == 0) | (np.arange(len(sex)) % 2 == 0)
    sample = tuple(part[stays] for part in adult)
    known = {
        "sex": {"female": float((sex == 0).mean()), "male": float((sex == 1).mean())}
    }
    truth = float(rich.mean())
    weighted = weigh(tally_of(survey, sample, 1), "life", known, of="rich")["true"]
    assert abs(weighted.estimate - truth) < 5 * weighted.standard_error
    assert abs(sample[0].mean() - truth) > 0.02
