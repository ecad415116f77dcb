"""The frequencies of all candidates together, as they are likely: none negative, of sum 1 at most.

Each frequency has a posterior, given the reports, all others, and how all of them are spread:

    f     posterior means;  chi  posterior variances;  d  the diagonal of G (see `regression`)
    D     sum of d chi / (n phi): how much what is not known of the others adds to the noise
    r     f + (1 + D) (X - b)' V^-1 (t - b - (X - b) f) / d, the estimate of each candidate that
          what the others leave gives: Normal(its frequency, phi (1 + D) / d)
    phi   the dispersion, mean square of the residuals times 1 + D; at least 1
    law   of frequencies in units of that error, on a grid, by expectation maximization over all r
    f     the posterior means, given r and the law; where they add up to more than 1, with density
          exp(-l f) more, and so the least l for which they do not: a positive lasso, with a penalty
          of its own for the bound on the sum

by coordinate descent until nothing moves. n are the degrees of freedom of the rates: a text sets
about as many bits in every cohort, so those of a cohort have one less than there are bits.

A candidate's r has less error than its coefficient in a regression wherever most of the others are
rare, since their frequencies are known better than least squares knows them. It needs no more bit
rates than candidates, either. Its law holds over the choice of hash functions, for candidates whose
bits coincide as chance has it: of those that share far more, `alike` tells.

Sources: Thouless, Anderson and Palmer 1977; Donoho, Maleki and Montanari 2009 (the term D);
Javanmard and Montanari 2014 (r as a debiased estimate); Opper and Winther 2001 (its law).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ldp_aggregator.arrays import Floats
from ldp_aggregator.bloom.regression import normal_matrix, slopes
from ldp_aggregator.empirical_bayes import GRID, LEAST, law_of, posteriors
from ldp_aggregator.moments.bit_covariance import Precision

ALIKE = 1 / 3
"""Correlation of two candidates' bits from which the law of r is not relied on."""
_SWEEPS, _LEAST_SWEEPS = 40, 6
_SETTLED = 0.1
"""Standard errors; no frequency moves by more in a last sweep."""
_FIRST_ROUNDS, _ROUNDS = 30, 5
_LEAST_MASS = 1e-5
"""Of each point of the grid, so that none is given up in an early sweep."""
_STEP = 0.02
_HALVINGS = 14


class Joint(NamedTuple):
    """Of M candidates; shape (M,) each."""

    mean: Floats
    median: Floats
    estimate: Floats
    """r: unbiased over the choice of hash functions, unless `alike`."""
    variance: Floats
    """Of r, for the population."""
    alike: Floats
    """The largest correlation of a candidate's bits with those of another."""


def joint(rates: Floats, design: Any, inverse: Precision, background: float, freedom: int) -> Joint:
    """The joint fit of centred rates, which have `freedom` degrees of freedom."""
    upper = np.asarray(normal_matrix(design, inverse, background), dtype=float)
    matrix = np.triu(upper) + np.triu(upper, 1).T
    weighted = inverse.times(rates)
    fit = _Fit(matrix, slopes(design, weighted, background), float(rates @ weighted), freedom)
    fit.run()
    return fit.result()


class _Fit:
    """The state of the descent."""

    def __init__(self, matrix: Floats, slope: Floats, square: float, freedom: int) -> None:
        self.matrix, self.slope, self.square = matrix, slope, square
        self.freedom = max(freedom, 1)
        self.diagonal = np.diag(matrix).copy()
        self.mean = np.zeros(len(slope))
        # The slopes that are left: s - G f.
        self.left = slope.copy()
        self.spread, self.dispersion, self.penalty = min(2.0, len(slope) / self.freedom), 1.0, 0.0
        self.law = np.full(len(GRID), 1 / len(GRID))

    @property
    def step(self) -> Floats:
        """(1 + D) / d."""
        step: Floats = (1 + self.spread) / self.diagonal
        return step

    @property
    def error(self) -> Floats:
        """Of r."""
        return np.sqrt(self.dispersion * self.step)

    @property
    def estimate(self) -> Floats:
        """r."""
        return self.mean + self.step * self.left

    def run(self) -> None:
        """Sweep until nothing moves."""
        for sweep in range(_SWEEPS):
            if sweep:
                unexplained = self.square - self.mean @ (self.slope + self.left)
                self.dispersion = max(1.0, unexplained / self.freedom * (1 + self.spread))
            rounds = _ROUNDS if sweep else _FIRST_ROUNDS
            law = np.maximum(law_of(self.estimate / self.error, self.law, rounds), _LEAST_MASS)
            self.law = law / law.sum()
            moved = self.descend()
            self.bound()
            spread = self.posterior(self.penalty)[1] @ self.diagonal
            change = spread / (self.freedom * self.dispersion) - self.spread
            self.spread += change / 2
            if (
                sweep >= _LEAST_SWEEPS
                and moved < _SETTLED
                and abs(change) < 0.01 * (1 + self.spread)
            ):
                return

    def descend(self) -> float:
        """One sweep over all candidates, the strongest first; the largest move, in errors."""
        steps, errors = self.step.tolist(), self.error.tolist()
        # Posterior means by scores, as a table.
        means = posteriors(np.arange(LEAST, GRID[-1] + _STEP / 2, _STEP), self.law).mean.tolist()
        last, largest = len(means) - 1, 0.0
        # Never further than the plain solution is, which would not settle.
        share = 1 / (1 + self.spread)
        for place in np.argsort(-self.estimate / self.error).tolist():
            error, before = errors[place], float(self.mean[place])
            score = (before + steps[place] * float(self.left[place])) / error - self.penalty * error
            if score >= GRID[-1]:
                after = score
            else:
                index = min(max((score - LEAST) / _STEP, 0.0), last - 1e-9)
                low = int(index)
                after = means[low] + (index - low) * (means[low + 1] - means[low])
            move = share * (after * error - before)
            if abs(move) > 1e-3 * error:
                self.left -= move * self.matrix[place]
                self.mean[place] = before + move
                largest = max(largest, abs(move) / error)
        return largest

    def posterior(self, penalty: float) -> tuple[Floats, Floats, Floats]:
        """Means, variances and medians under a penalty on the sum."""
        error = self.error
        of_scores = posteriors(self.estimate / error - penalty * error, self.law)
        return of_scores.mean * error, of_scores.variance * error**2, of_scores.median * error

    def bound(self) -> None:
        """Move the penalty towards the least one under which the means add up to 1 at most."""
        unit = 1 / float(self.error.mean())
        low, high = 0.0, 0.0
        if self.posterior(0.0)[0].sum() > 1:
            high = unit
            while self.posterior(high)[0].sum() > 1:
                low, high = high, 2 * high
            for _ in range(_HALVINGS):
                middle = (low + high) / 2
                above = self.posterior(middle)[0].sum() > 1
                low, high = (middle, high) if above else (low, middle)
        self.penalty = (self.penalty + high) / 2
        if self.penalty < 1e-3 * unit:
            self.penalty = 0.0

    def result(self) -> Joint:
        mean, _, median = self.posterior(self.penalty)
        scale = np.sqrt(self.diagonal)
        alike = np.abs(self.matrix / scale / scale[:, None])
        np.fill_diagonal(alike, 0.0)
        return Joint(
            mean / max(1.0, float(mean.sum())),
            median / max(1.0, float(median.sum())),
            self.estimate,
            variance=self.error**2,
            alike=alike.max(axis=0, initial=0.0),
        )
