"""The likelihood at work on published figures: Heck and Moshagen 2018, "RRreg: An R
Package".

Their survey on minarets (Radukic and Musch 2014) asked by a stochastic lie detector:
those who endorse a ban say so with a chance t, which is estimated too; the others say
yes with 1 - p, for p of 2/12 or 10/12 by group; a third group was asked directly. Given
t that is a channel, so the likelihood is ours, and t is where its maximum is greatest.
Figures are those of Section 4.3.

The data, `minarets` of their package as a CSV file, have to lie beside the checkout, in
shared/data; without them these tests are skipped. Not compared: RRlin, whose outcome
lies in the clear, and RRmixed, which has random effects.
"""

import csv

import numpy as np
import pytest
from places import DATA

from ldp_aggregator.analyses.regression.likelihood import (
    Observed,
    likeliest,
    log_likelihood,
)

MINARETS = DATA / "minarets.csv"
pytestmark = pytest.mark.needs("minarets.csv")
FIRST = (1.89659, 0.01364, 0.62442, -0.02039, 0.65170)
SECOND = (0.76516, 1.05568, 0.47765, 0.09676, 0.65300)
SECOND_ERRORS = (0.17804, 0.17804, 0.08001, 0.08001, 0.01805)


@pytest.fixture(scope="module")
def minarets():
    """Columns of numbers, by name."""
    with MINARETS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def chances(data, truthful):
    """P[report | answer], (people, 2), if carriers tell the truth with this chance."""
    condition = data["condition"]
    direct = condition == 0
    yes_of_others = np.where(direct, 0.0, 1 - np.where(condition == 1, 2 / 12, 10 / 12))
    yes_of_carriers = np.where(direct, 1.0, truthful)
    says = data["rrt"] == 1
    return np.stack(
        [np.where(says, yes, 1 - yes) for yes in (yes_of_others, yes_of_carriers)],
        axis=1,
    )


def observed_of(data, table, truthful):
    ones = np.ones(len(table))
    return Observed(table, ones, ones, chances=chances(data, truthful))


def best(data, table):
    """(coefficients and t, log-likelihood) where the likelihood is greatest."""
    from scipy.optimize import minimize_scalar

    search = minimize_scalar(
        lambda truthful: -likeliest(observed_of(data, table, truthful)).log_likelihood,
        bounds=(0.4, 0.99),
        method="bounded",
        options={"xatol": 1e-10},
    )
    fit = likeliest(observed_of(data, table, search.x))
    return np.append(fit.coefficients, search.x), fit.log_likelihood


def errors_at(data, table, point):
    """Standard errors of coefficients and t together, by second differences."""
    steps = 1e-4 * np.append(1 / np.abs(table).max(axis=0), 1.0)
    size = len(point)

    def value(*moves):
        moved = point + sum(sign * steps * np.eye(size)[place] for place, sign in moves)
        return log_likelihood(observed_of(data, table, moved[-1]), moved[:-1])

    second = np.array(
        [
            [
                sum(
                    one * other * value((row, one), (column, other))
                    for one in (-1, 1)
                    for other in (-1, 1)
                )
                / (4 * steps[row] * steps[column])
                for column in range(size)
            ]
            for row in range(size)
        ]
    )
    return np.sqrt(np.diag(np.linalg.inv(-second)))


def table_of(data, first, second):
    """Two columns and their product."""
    one, other = data[first], data[second]
    return np.stack([np.ones(len(one)), one, other, one * other], axis=1)


def test_both_formats(minarets):
    """Of RRdesign * leftRight.c, from all 1,621: coefficients, errors and tests to
    1e-4.
    """
    table = table_of(minarets, "RRdesign", "leftRight.c")
    point, likelihood = best(minarets, table)
    assert likelihood == pytest.approx(-1051.466, abs=1e-3)
    assert point == pytest.approx(np.array(SECOND), abs=1e-4)
    assert errors_at(minarets, table, point) == pytest.approx(
        np.array(SECOND_ERRORS), abs=1e-4
    )
    for column, published in enumerate((34.1689, 75.5982, 29.9496, 1.6434)):
        _, less = best(minarets, np.delete(table, column, axis=1))
        assert 2 * (likelihood - less) == pytest.approx(published, abs=2e-4)


def randomized_alone(minarets):
    """Those who were randomized, and the table of age.c * leftRight.c."""
    randomized = minarets["RRdesign"] == 1
    data = {name: column[randomized] for name, column in minarets.items()}
    return data, table_of(data, "age.c", "leftRight.c")


def test_randomized_alone(minarets):
    """Of age.c * leftRight.c, from the 1,256 who were randomized.

    The published point is short of the maximum, which is flat: its log-likelihood is
    6e-7 lower, and its coefficients differ from those of the maximum by less than a
    thousandth of their errors.
    """
    data, table = randomized_alone(minarets)
    point, likelihood = best(data, table)
    assert likelihood == pytest.approx(-821.084, abs=1e-3)
    published = np.array(FIRST)
    theirs = log_likelihood(observed_of(data, table, published[-1]), published[:-1])
    assert 0 < likelihood - theirs < 1e-6
    errors = errors_at(data, table, point)
    assert np.abs((point - published) / errors).max() < 1e-3
    assert errors == pytest.approx(
        np.array([0.38104, 0.06071, 0.15681, 0.01168, 0.01800]), rel=5e-3
    )
    # Of age and of the product; the published test of leftRight.c is from a lower local
    # maximum of the model without it, as their manual warns.
    for column, test in ((1, 0.0634), (3, 1.9996)):
        _, less = best(data, np.delete(table, column, axis=1))
        assert 2 * (likelihood - less) == pytest.approx(test, abs=2e-4)
