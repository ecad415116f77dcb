"""Published factors: the example of Kalton and Flores-Cervantes, "Weighting methods"
(2003).

Their tables of weights, Journal of Official Statistics 19(2), for 1,000 respondents of
a population of 1,500 in four rows and three columns: post-stratification, raking and
linear weighting.
"""

import numpy as np
import pytest

import ldp
from ldp_aggregator import Tally, weigh
from ldp_aggregator.analyses.weighting.calibration import factors_for, targets_of
from ldp_aggregator.analyses.weighting.margins import margins_of
from ldp_aggregator.analyses.weighting.reading import answers_in

ROWS, COLUMNS = ("1", "2", "3", "4"), ("1", "2", "3")
SAMPLE = np.array([20, 50, 100, 30, 40, 140, 50, 100, 40, 310, 50, 70]).reshape(3, 4).T
POPULATION = (
    np.array([80, 60, 170, 55, 40, 150, 60, 165, 55, 340, 200, 125]).reshape(3, 4).T
)
BY_CELL = [
    [4.00, 1.00, 1.375],
    [1.20, 1.07, 1.10],
    [1.70, 1.20, 4.00],
    [1.83, 1.65, 1.79],
]
RAKED = [[1.81, 1.45, 2.02], [1.08, 0.87, 1.21], [2.20, 1.76, 2.45], [1.83, 1.47, 2.04]]
LINEAR = [
    [1.82, 1.50, 1.97],
    [1.09, 0.78, 1.24],
    [2.19, 1.88, 2.34],
    [1.83, 1.52, 1.98],
]
SURVEY = ldp.survey("kalton", ldp.question("answer", type="boolean", epsilon="40"))


def tallies():
    """In each cell half of the respondents say yes."""
    by_cell = {}
    for row, name in enumerate(ROWS):
        for column, other in enumerate(COLUMNS):
            tally = Tally.empty(SURVEY)
            tally.counts["answer"] += SAMPLE[row, column] // 2
            by_cell[name, other] = tally
    return by_cell


def margin(axis, names):
    return dict(zip(names, POPULATION.sum(axis=axis).tolist(), strict=True))


def factors(margins, method):
    answers = answers_in(tallies(), "answer", attributes=["a", "b"])
    targets = targets_of(answers, margins_of(margins))
    factor = factors_for(answers, targets, method).factors
    # Theirs are per person of the sample, scaled to the population.
    return factor.reshape(4, 3) * POPULATION.sum() / SAMPLE.sum()


BOTH = {"a": margin(1, ROWS), "b": margin(0, COLUMNS)}
CELLS = {
    "a & b": {
        f"{row} & {column}": int(POPULATION[i, j])
        for i, row in enumerate(ROWS)
        for j, column in enumerate(COLUMNS)
    }
}


@pytest.mark.parametrize(
    ("margins", "method", "published"),
    [
        (CELLS, "raking", BY_CELL),
        (CELLS, "linear", BY_CELL),
        (BOTH, "raking", RAKED),
        (BOTH, "linear", LINEAR),
    ],
)
def test_published_factors(margins, method, published):
    """To the two decimals that they print."""
    assert factors(margins, method) == pytest.approx(np.array(published), abs=0.0051)


@pytest.mark.parametrize("method", ["raking", "linear"])
def test_margins_are_met(method):
    """To a part in 10^10; and what is the same everywhere stays the same."""
    weighted = weigh(tallies(), "answer", BOTH, attributes=["a", "b"], method=method)
    for one in weighted.margins:
        assert one.met == pytest.approx(one.known, abs=1e-10)
    assert weighted["true"].estimate == pytest.approx(0.5, abs=1e-12)
    assert {one.margin for one in weighted.margins} == {"a", "b"}
    # Kish: 1,000 / (1 + the squared coefficient of variation of the weights).
    spread = factors(BOTH, method)
    weights = np.repeat(spread.ravel(), SAMPLE.ravel())
    expected = weights.sum() ** 2 / (weights**2).sum()
    assert weighted.effective == pytest.approx(expected, rel=1e-9)


def test_response_rates():
    """Counts of people say how many of them answered: 200 of 365 in the first row."""
    weighted = weigh(tallies(), "answer", BOTH, attributes=["a", "b"])
    first = weighted.margins[0]
    people = POPULATION[0].sum()
    assert first.responded == pytest.approx(SAMPLE[0].sum() / people)
