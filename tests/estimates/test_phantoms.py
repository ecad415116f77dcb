"""Phantom values look like nobody holds them where reports are honest, and only there.

For each population 400 tallies of 20,000 reports are drawn from their law, with fixed seeds. The
mean of the mean squares is compared with 1 at 6 standard errors; p-values below 0.05 may make up
11.5 % at most (6 standard errors again). A score that ignored the correlation of points on a line
would give 25 to 29 % in the plane of order 37.
"""

import numpy as np
import pytest
from written_out import counts_of

from ldp import EstimateError
from ldp.mechanisms.projective import ProjectiveResponse
from ldp_aggregator.health_checks.phantoms import phantom_score
from ldp_simulations.sampling.projective import projective_counts

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


@pytest.mark.parametrize("randomizer", PHANTOMS, ids=lambda randomizer: f"order {randomizer.order}")
@pytest.mark.parametrize("population", POPULATIONS)
def test_honest_reports(randomizer, population):
    """The mean square is 1 in expectation, and p-values are not smaller than they say."""
    held, generator = POPULATIONS[population](randomizer.size), np.random.default_rng(23)
    scores = [
        phantom_score(randomizer, projective_counts(randomizer, held, generator))
        for _ in range(TALLIES)
    ]
    squares = np.array([score.mean_square for score in scores])
    assert scores[0].phantoms == PHANTOMS[randomizer]
    # Points on a line with the one value are correlated also with each other's mean, by less than a
    # hundredth.
    assert abs(squares.mean() - 1) < 6 * squares.std() / np.sqrt(TALLIES) + 0.01
    assert np.mean([score.p_value < 0.05 for score in scores]) < 0.05 + 6 * np.sqrt(
        0.05 * 0.95 / TALLIES
    )


@pytest.mark.parametrize("randomizer", PHANTOMS, ids=lambda randomizer: f"order {randomizer.order}")
def test_reports_that_were_made_up(randomizer):
    """Three reports in a hundred that are all alike give a p-value below 1e-6."""
    held = POPULATIONS["all values alike"](randomizer.size) * 97 // 100
    counts = projective_counts(randomizer, held, np.random.default_rng(29))
    counts += counts_of(randomizer, {randomizer.layout.symbols // 3: REPORTS * 3 // 100})
    assert phantom_score(randomizer, counts).p_value < 1e-6


def test_without_reports_or_phantoms_there_is_no_score():
    """It says what it needs."""
    full = ProjectiveResponse(12, 3, 3, truth=2, other=1)
    with pytest.raises(EstimateError, match="at least 2 phantoms, got 5 and 1"):
        phantom_score(full, np.eye(13, dtype=np.int64)[:1] * 5)
    with pytest.raises(EstimateError, match="got 0 and 8"):
        phantom_score(full._replace(size=5), np.zeros((1, 13), dtype=np.int64))
