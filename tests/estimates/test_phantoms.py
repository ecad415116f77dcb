"""Phantom values look like no one holds them where reports are honest, and only there.

For each population 400 tallies of 20,000 reports are drawn from their law, with fixed
seeds. The mean of the mean squares is compared with 1 at 6 standard errors; p-values
below 0.05 may make up 11.5 % at most (6 standard errors again). A score that ignored
the correlation of points on a line would give 25 to 29 % in the plane of order 37.
"""

import math
from itertools import combinations

import numpy as np
import pytest
from written_out import counts_of, orthogonal, projective_points

from ldp import EstimateError
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp_aggregator.analyses.health_checks.phantoms import phantom_score
from ldp_simulations.sampling.values.projective import projective_counts

TALLIES, REPORTS = 400, 20_000
PHANTOMS = {
    ProjectiveResponse(40, 2, 7, truth=11, other=10): 127 - 40,
    ProjectiveResponse(60, 4, 4, truth=27, other=10): 85 - 60,
    ProjectiveResponse(60, 37, 3, truth=546, other=10): 1407 - 60,
    ProjectiveResponse(60, 7, 4, truth=80, other=10, folded=True): 57 + 49 - 60,
}
"""How many phantoms a tally tells of."""

POPULATIONS = {
    "one value": lambda size: np.where(np.arange(size) == 7, REPORTS, 0),
    "all values alike": lambda size: np.full(size, REPORTS // size),
    "two thirds one value": lambda size: np.where(
        np.arange(size) == 0, REPORTS * 2 // 3, REPORTS // 3 // size
    ),
}


@pytest.mark.parametrize(
    "randomizer", PHANTOMS, ids=lambda randomizer: f"order {randomizer.order}"
)
@pytest.mark.parametrize("population", POPULATIONS)
def test_honest_reports(randomizer, population):
    """The mean square is 1 in expectation, and p-values are not smaller than they
    say.
    """
    holders = POPULATIONS[population](randomizer.size)
    generator = np.random.default_rng(23)
    scores = [
        phantom_score(randomizer, projective_counts(randomizer, holders, generator))
        for _ in range(TALLIES)
    ]
    squares = np.array([score.mean_square for score in scores])
    assert scores[0].phantoms == PHANTOMS[randomizer]
    # Points on a line with the one value are correlated also with each other's mean, by
    # less than a hundredth.
    assert abs(squares.mean() - 1) < 6 * squares.std() / np.sqrt(TALLIES) + 0.01
    assert np.mean([score.p_value < 0.05 for score in scores]) < 0.05 + 6 * np.sqrt(
        0.05 * 0.95 / TALLIES
    )


@pytest.mark.parametrize(
    "randomizer", PHANTOMS, ids=lambda randomizer: f"order {randomizer.order}"
)
def test_reports_that_were_made_up(randomizer):
    """Three reports in a hundred that are all alike give a p-value below 1e-6."""
    holders = POPULATIONS["all values alike"](randomizer.size) * 97 // 100
    counts = projective_counts(randomizer, holders, np.random.default_rng(29))
    counts += counts_of(
        randomizer, {randomizer.layout.symbols // 3: REPORTS * 3 // 100}
    )
    assert phantom_score(randomizer, counts).p_value < 1e-6


SPACE = ProjectiveResponse(20, 3, 4, truth=27, other=10)
POINTS = projective_points(3, 4)
INCIDENT = np.array([[orthogonal(x, y, 3) for y in POINTS] for x in POINTS])
"""Which of the 40 points are supported by which of the 40 reports."""


def correlation_on_a_line():
    """Of two points on a line with the value 0, which all hold, less that of two
    others.
    """
    chances = np.where(INCIDENT[0], 27, 10) / (13 * 27 + 27 * 10)
    rates, both = INCIDENT @ chances, INCIDENT * chances @ INCIDENT.T
    q = rates[1]
    np.testing.assert_allclose(rates[1:], q)
    # Where all that supports both supports the value as well, the three are on a line.
    on_a_line, elsewhere = set(), set()
    for x, z in combinations(range(1, 40), 2):
        shared = INCIDENT[x] & INCIDENT[z]
        kind = on_a_line if (shared <= INCIDENT[0]).all() else elsewhere
        kind.add(round(both[x, z] / (q * (1 - q)), 12))
    (near,), (far,) = on_a_line, elsewhere
    return near - far


@pytest.mark.parametrize(
    ("held", "share"), [(300, 0), (300, 20), (20_000, 11), (20_000, 20)]
)
@pytest.mark.parametrize("seed", range(5))
def test_score_written_out(held, share, seed):
    """The formulas, from the support of every point; `share` twentieths hold one value.

    Squares of frequencies count from 0, where they are less than noise, to 1.
    """
    from scipy.stats import chi2

    holders = np.full(20, held * (20 - share) // 400)
    holders[3] += held * share // 20
    counts = projective_counts(SPACE, holders, np.random.default_rng(seed))
    reports, supports = counts.sum(), INCIDENT @ counts[0]
    p, q = (float(rate) for rate in SPACE.support)
    frequency = (supports[:20] / reports - q) / (p - q)
    squares = (frequency**2 - q * (1 - q) / (reports * (p - q) ** 2)).sum()
    z = (supports[20:] - reports * q) / math.sqrt(reports * q * (1 - q))
    mean_square = ((z - z.mean()) ** 2).sum() / 19 * 39 / 40
    freedom = 19 / (1 + 3 * correlation_on_a_line() ** 2 * min(max(squares, 0.0), 1.0))
    score = phantom_score(SPACE, counts)
    assert score.phantoms == 20
    assert score.mean_square == pytest.approx(mean_square, rel=1e-12)
    assert 1e-6 < score.p_value < 1 - 1e-6
    assert score.p_value == pytest.approx(
        chi2.sf(mean_square * freedom, freedom), rel=1e-9
    )


def test_without_reports_or_phantoms_there_is_no_score():
    """It says what it needs."""
    full = ProjectiveResponse(12, 3, 3, truth=2, other=1)
    with pytest.raises(EstimateError, match="at least 2 phantoms, got 5 and 1"):
        phantom_score(full, np.eye(13, dtype=np.int64)[:1] * 5)
    with pytest.raises(EstimateError, match="got 0 and 8"):
        phantom_score(full._replace(size=5), np.zeros((1, 13), dtype=np.int64))
    two = full._replace(size=11)
    assert phantom_score(two, np.arange(13, dtype=np.int64)[None]).phantoms == 2
