"""More candidates than reports can bear: what is shown of each holds all the same.

Collections of 300 candidates for 256 bit rates, 20 of them held, drawn anew with fixed seeds.
"""

import numpy as np
import pytest
from bloom_draws import Shape, draw_counts, draw_design, falling
from scipy.special import ndtr
from scipy.stats import false_discovery_control

from ldp import EstimateError
from ldp_aggregator.bloom.regression import regress
from ldp_aggregator.bloom.selection import decode

CANDIDATES, HELD, COLLECTIONS, RESPONDENTS = 300, 20, 100, 400_000
SHAPE = Shape(16, 2, 16, p=0.4, q=0.6, f=0.25)


@pytest.fixture(scope="module")
def collections():
    """(decoded, truth) of each collection; held texts come first."""
    generator = np.random.default_rng(17)
    held = np.concatenate([falling(HELD, RESPONDENTS), np.zeros(CANDIDATES - HELD, dtype=np.int64)])
    found = []
    for _ in range(COLLECTIONS):
        design = draw_design(SHAPE, CANDIDATES, generator)
        counts = draw_counts(SHAPE, design, held, generator=generator)
        found.append(decode(counts, design, SHAPE.noise(), background=SHAPE.background))
    return found, held / held.sum()


def test_coverage_after_choosing(collections):
    """95 % of the 2,000 intervals of texts that are held (a standard error of .005), and of the
    28,000 others.
    """
    found, truth = collections
    held = np.stack(
        [np.abs(each.frequency - truth) <= 1.96 * np.sqrt(each.variance) for each in found]
    )
    assert 0.93 <= held[:, :HELD].mean() <= 0.975
    assert 0.94 <= held[:, HELD:].mean() <= 0.96


def test_discoveries_after_choosing(collections):
    """Benjamini-Hochberg at 5 % finds more than a third of the texts held, and no more than one
    wrong in 20.
    """
    found, _ = collections
    chances = np.stack([ndtr(-each.frequency / np.sqrt(each.variance)) for each in found])
    detected = false_discovery_control(chances, axis=1) <= 0.05
    wrong = detected[:, HELD:].sum(axis=1) / np.maximum(detected.sum(axis=1), 1)
    # The mean of 100 shares of wrong ones, whose standard error is below .01.
    assert wrong.mean() <= 0.05 + 0.03
    assert detected[:, :HELD].mean() >= 1 / 3


def test_purposes_are_told(collections):
    """The note names how many reports chose, and how many were estimated from."""
    found, _ = collections
    reports = [
        int(word.replace(",", ""))
        for word in found[0].note.split()
        if word.replace(",", "").isdigit()
    ]
    assert sum(number for number in reports if number > 1_000) == found[0].respondents
    assert "8 cohorts at even places chose" in found[0].note
    with pytest.raises(EstimateError, match="fewer candidates for a covariance"):
        found[0].covariance()


def test_chosen_ones_are_regressed_together():
    """With few candidates, nothing is chosen, and the answer is that of one regression on all
    reports.
    """
    generator = np.random.default_rng(19)
    design = draw_design(SHAPE, HELD, generator)
    counts = draw_counts(SHAPE, design, falling(HELD, RESPONDENTS), generator=generator)
    counts[3] = 0
    decoded = decode(counts, design, SHAPE.noise(), background=SHAPE.background)
    alone = regress(counts, design, SHAPE.noise(), background=SHAPE.background)
    assert decoded.note == ""
    assert decoded.residual == alone.residual
    np.testing.assert_array_equal(decoded.frequency, alone.frequency)


def test_choosing_among_equals():
    """Two equal candidates that nobody holds do not hinder.

    In one cohort nothing can be chosen, and it says so.
    """
    generator = np.random.default_rng(23)
    design = draw_design(SHAPE, CANDIDATES, generator)
    held = np.concatenate([falling(HELD, RESPONDENTS), np.zeros(CANDIDATES - HELD, dtype=np.int64)])
    counts = draw_counts(SHAPE, design, held, generator=generator)
    twice = design[:, [*range(CANDIDATES), CANDIDATES - 1]]
    decoded = decode(counts, twice, SHAPE.noise(), background=SHAPE.background)
    with pytest.raises(EstimateError, match=r"combinations of others|cannot be told apart"):
        decode(
            counts, design[:, [*range(CANDIDATES), 0]], SHAPE.noise(), background=SHAPE.background
        )
    assert decoded.frequency[-1] == pytest.approx(decoded.frequency[-2])
    with pytest.raises(EstimateError, match="at most 16 candidates"):
        decode(counts[:1], design[:16], SHAPE.noise(), background=SHAPE.background)
