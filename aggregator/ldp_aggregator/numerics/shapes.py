"""The shape of a distribution, from places that lie about the answers: EM, and EMS.

Which frequencies explain best how often each place was reported? Start with all alike;
work out how many reports of each place they would make one expect; give each value its
share of those that came; repeat. With A the law of reports (a row for each place, a
column for each value), h the counts and n reports, a step is

    f <- f A'(h / (A f)) / n                                EM, expectation maximization
    then f <- S f, S f = (f(x-1) + 2 f(x) + f(x+1)) / 4     EMS, with smoothing; (2 f + f) / 3 at
                                                            both ends

As A has but two values, `far` and within a window `near`, prefix sums make a step
O(values).

EM does not lower the likelihood of the reports, and ends at frequencies that have it
highest, which are spikes; stopped where a step adds less than 1e-3 R to its logarithm
(R the odds), they are rounded by having come from even ones. EMS stops at a change of
1e-3. Neither view is unbiased: EM leans to its start, and EMS spreads what is narrow,
heaps and spikes above all, by an amount that more reports do not lessen. So no interval
about either says where the truth lies.

Source: Li, Wang, Lopuhaa-Zwakenberg, Skoric and Li 2020, Section 5 (both, and when to
stop); Dempster, Laird and Rubin 1977 (EM); Silverman et al. 1990 (EMS).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Counts, Floats

MOST_STEPS = 10_000
_CHANGE = 1e-3
"""Of the logarithm of the likelihood: a smaller one ends the steps."""


class Window(NamedTuple):
    """The law of reports: a place is reported with `near` in the window that begins at
    a value.
    """

    size: int
    width: int
    near: float
    far: float

    def expectation(self, frequency: Floats) -> Floats:
        """A f: the share of each place among the reports, of shape (size + width -
        1,).
        """
        # (size + width,): what all values before each one hold, and beyond the last all
        # of them.
        below = np.concatenate([[0.0], np.cumsum(frequency), np.zeros(self.width - 1)])
        below[self.size :] = below[self.size]
        # (places,): what the values hold whose windows have the place.
        within = below[1:].copy()
        within[self.width :] -= below[1 : self.size]
        return self._weigh(within, float(below[self.size]))

    def gather(self, worth: Floats) -> Floats:
        """A' g: what the places that each value may be reported as are worth to it,
        (size,).
        """
        below = np.concatenate([[0.0], np.cumsum(worth)])
        within = below[self.width :] - below[: self.size]
        return self._weigh(within, float(below[-1]))

    def _weigh(self, within: Floats, total: float) -> Floats:
        # What is left of nothing by rounding must not outweigh `far`, which may be
        # tiny.
        return self.far * total + (self.near - self.far) * np.maximum(within, 0.0)


def shape_of(window: Window, counts: Counts, *, smooth: bool) -> Floats:
    """Frequencies of all values, from the counts of all places: EMS if they are to be
    smooth.
    """
    reports = int(counts.sum())
    frequency = np.full(window.size, 1 / window.size)
    enough = _CHANGE if smooth else _CHANGE * window.near / window.far
    expected = window.expectation(frequency)
    likelihood = log_likelihood(counts, expected)
    for _ in range(MOST_STEPS):
        frequency = frequency * window.gather(counts / expected) / reports
        if smooth:
            frequency = smooth_shape(frequency)
        expected = window.expectation(frequency)
        before, likelihood = likelihood, log_likelihood(counts, expected)
        if abs(likelihood - before) < enough:
            break
    return np.asarray(frequency / frequency.sum())


def log_likelihood(counts: Counts, expected: Floats) -> float:
    """Log likelihood of the counts of all places, if they are expected in these
    shares.
    """
    return float(counts @ np.log(expected))


def smooth_shape(frequency: Floats) -> Floats:
    """Each with its neighbours, by 1, 2 and 1; then so that the sum is 1 again."""
    # (size + 2,): no one at either side, and weights that leave it out.
    padded = np.concatenate([[0.0], frequency, [0.0]])
    weights = np.full(len(frequency), 4.0)
    weights[[0, -1]] = 3.0
    blurred = (padded[:-2] + 2 * frequency + padded[2:]) / weights
    return np.asarray(blurred / blurred.sum())
