"""The most likely table: exact where it is known, and reached within the work that is
allowed.
"""

import numpy as np
import pytest

from ldp_aggregator.analyses.association import likelihood
from ldp_aggregator.analyses.association.likelihood import most_likely, through

FLIPS = np.array([[0.75, 0.25], [0.25, 0.75]])
"""The law of a yes or no that is turned in one of four reports."""


@pytest.fixture
def steps(monkeypatch):
    """A list that grows with each step: two sums over all cells, after one for the
    weights.
    """
    sums = []

    def counted(table, functions):
        sums.append(len(functions))
        return through(table, functions)

    monkeypatch.setattr(likelihood, "through", counted)
    return lambda: (len(sums) - 1) / 2


def test_exact_reports_are_their_own_frequencies(steps):
    """Without noise the first step is there, and the second finds that nothing
    moves.
    """
    table = np.array([[3.0, 1.0], [4.0, 2.0]])
    np.testing.assert_allclose(
        most_likely(table, [np.eye(2), np.eye(2)]), table / 10, rtol=1e-12
    )
    assert steps() == 2


def test_noise_is_taken_away():
    """Where the unbiased frequencies are no less than 0 the most likely ones are the
    same.
    """
    truth = np.array([[0.5, 0.1], [0.15, 0.25]])
    table = through(truth, [FLIPS.T, FLIPS.T]) * 80
    np.testing.assert_allclose(most_likely(table, [FLIPS, FLIPS]), truth, atol=1e-5)


def test_values_may_have_more_marks_than_others():
    """Each is divided by the marks of its own reports."""
    law, truth = np.array([[0.9, 0.6], [0.1, 0.2]]), np.array([0.6, 0.4])
    np.testing.assert_allclose(most_likely(truth @ law * 50, [law]), truth, atol=1e-5)


def test_what_moves_ends_where_it_has_settled(steps, monkeypatch):
    """It stops at the first step of less than a part of the greatest frequency."""
    table = np.array([60.0, 40.0])
    taken, frequency = 0, np.full(2, 1 / 2)
    while True:
        taken += 1
        step = frequency * (FLIPS @ (table / (FLIPS.T @ frequency))) / 100
        moved, frequency = np.abs(step - frequency).max(), step
        if moved < 1e-3 * frequency.max():
            break
    monkeypatch.setattr(likelihood, "_SETTLED", 1e-3)
    np.testing.assert_allclose(most_likely(table, [FLIPS]), frequency, rtol=1e-12)
    assert taken > 3
    assert steps() == taken


@pytest.mark.parametrize(
    ("allowed", "taken"), [(0, 20), (25, 25), (25.9, 25), (10**9, 50)]
)
def test_work_is_bounded(steps, monkeypatch, allowed, taken):
    """Twice the cells times the values for each step; 20 steps at least, and no more
    than a limit.

    Six cells, three values of one question and two of the other: 2 x 6 x 5 is one step.
    """
    laws = [np.array([[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4]]), FLIPS]
    monkeypatch.setattr(likelihood, "_WORK", int(allowed * 60))
    monkeypatch.setattr(likelihood, "_STEPS", 50)
    monkeypatch.setattr(likelihood, "_SETTLED", 0.0)
    most_likely(np.array([[9.0, 0.0], [2.0, 5.0], [1.0, 1.0]]), laws)
    assert steps() == taken


def test_cells_that_never_come_say_nothing():
    """A report that no value has is neither expected nor seen: 0 of 0."""
    laws = [np.array([[0.75, 0.25, 0.0], [0.25, 0.75, 0.0]])]
    frequency = most_likely(np.array([60.0, 40.0, 0.0]), laws)
    np.testing.assert_allclose(frequency, [0.7, 0.3], atol=1e-5)
