"""The frequencies of all candidates together, as they are likely: none negative, of sum
1 at most.

Each frequency has a posterior, given the reports, all others, and how all of them are
spread:

    f     posterior means;  chi  posterior variances;  d  the diagonal of G (see `regression`)
    D     sum of d chi / (n phi): how much what is not known of the others adds to the
          noise
    w     V^-1 (t - b - (X - b) f): the residuals, weighted
    r     f + (1 + D) (X - b)' w / d, the estimate of each candidate that what the
          others leave gives: about Normal(its frequency, phi (1 + D) / d)
    phi   the dispersion, mean square of the residuals times 1 + D; at least 1
    law   of frequencies in units of that error, on a grid, by expectation maximization
          over all r
    f     the posterior means, given r and the law; where they add up to more than 1,
          with density exp(-l f) more, and so the least l for which they do not: a
          positive lasso, with a penalty of its own for the bound on the sum

by coordinate descent until nothing moves. n are the rates less one of each cohort: a
text sets about as many bits in every cohort, so that texts do not differ in the sum of
a cohort's rates. The law is made from the reports as well. What it follows of their
noise counts as if posterior variances were larger (`empirical_bayes.freedom_of`): in
112 rates that is 6, and in 900 next to nothing.

Where thousands are faint, no law can be told from the reports, and r has less error
than phi and D say. So the variance that is stated for r goes by the residuals: with C
the covariance of a text's bits over the choice of hash functions, a candidate that no
one holds gets (1 + D)^2 w' C w / d^2 on average of those whose bits are drawn anew; and
1 / d, the noise of the reports, is the least.

A candidate's r has less error than its coefficient in a regression wherever most of the
others are rare, since their frequencies are known better than least squares knows them.
It needs no more bit rates than candidates, either. Its law holds over the choice of
hash functions, for candidates whose bits coincide as chance has it: of those that share
far more, `indistinguishable` tells.

Sources: Thouless, Anderson and Palmer 1977; Donoho, Maleki and Montanari 2009 (the term
D); Javanmard and Montanari 2014 (r as a debiased estimate); Opper and Winther 2001 (its
law).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ldp_aggregator.decoders.bloom.regression import normal_matrix, slopes
from ldp_aggregator.decoders.moments.bit_covariance import Precision
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.empirical_bayes import (
    GRID,
    freedom_of,
    law_of,
    posteriors,
    weights_of,
)

ALIKE = 1 / 3
"""Correlation of two candidates' bits from which the law of r is not relied on."""
MOST_SWEEPS, _LEAST_SWEEPS = 40, 6
_SETTLED = 0.1
"""Standard errors; no frequency moves by more in a last sweep."""
_FIRST_ROUNDS, _ROUNDS = 30, 5
_FOLLOWED = 30
"""Rounds of expectation maximization whose worth the law follows the reports by.

All of them are more, but scores move between sweeps. Fits to reports with noise added
have as many degrees of freedom as with this number, to a tenth.
"""
_LEAST_MASS = 1e-5
"""Of each point of the grid, so that none is given up in an early sweep."""
_STEP = 0.02
_LOWEST = -50.0
_SCORES = np.arange(_LOWEST, GRID[-1] + _STEP / 2, _STEP)
_MOST_AT_ONCE, _TOP = 1_500, 1_000
_STRONG = 3.0
"""Standard errors; who has them moves by itself."""
_COLUMNS = 4_096
_HALVINGS = 14


class Joint(NamedTuple):
    """Joint of M candidates; shape (M,) each."""

    mean: Floats
    median: Floats
    estimate: Floats
    """r: unbiased over the choice of hash functions, unless `alike`."""
    variance: Floats
    """Of r, for the population."""
    alike: Floats
    """The largest correlation of a candidate's bits with those of another; of many
    candidates, of the strongest ones.
    """


def joint(
    rates: Floats,
    design: Any,
    inverse: Precision,
    background: float,
    cohorts: int,
    sweeps: int = MOST_SWEEPS,
) -> Joint:
    """The joint fit of the centred rates of so many cohorts."""
    fit = _Fit(rates, design, inverse, background=background, cohorts=cohorts)
    fit.run(sweeps)
    return fit.result()


class _Fit:
    """The state of the descent.

    Of more than `_MOST_AT_ONCE` candidates, the `_TOP` strongest move one by one, and
    then all others at once: these hardly move at all.
    """

    def __init__(
        self,
        rates: Floats,
        design: Any,
        inverse: Precision,
        background: float,
        cohorts: int,
    ) -> None:
        self.rates, self.columns, self.inverse = rates, design.tocsc(), inverse
        self.background, self.cohorts = background, cohorts
        self.freedom = max(len(rates) - cohorts, 1)
        weighted = inverse.times(rates)
        self.slope, self.square = (
            slopes(self.columns, weighted, background),
            float(rates @ weighted),
        )
        self.diagonal = information(self.columns, inverse, background)
        self.mean = np.zeros(len(self.slope))
        # The slopes that are left: s - G f.
        self.left = self.slope.copy()
        self.spread: float = min(2.0, len(self.slope) / self.freedom)
        self.dispersion, self.penalty = 1.0, 0.0
        self.law = np.full(len(GRID), 1 / len(GRID))
        # Posterior means and variances by scores.
        self.means = self.variances = _SCORES
        self.top, self.matrix = np.arange(0), np.zeros((0, 0))

    @property
    def step(self) -> Floats:
        """(1 + D) / d."""
        step: Floats = (1 + self.spread) / self.diagonal
        return step

    @property
    def error(self) -> Floats:
        """Error of each estimate r."""
        error: Floats = np.sqrt(self.dispersion * self.step)
        return error

    @property
    def estimate(self) -> Floats:
        """Estimate r, as above."""
        return self.mean + self.step * self.left

    def run(self, sweeps: int) -> None:
        """Sweep until nothing moves."""
        for sweep in range(sweeps):
            if sweep:
                # In the direction in which texts do not differ, a cohort's rates have
                # noise alone.
                unexplained = (
                    self.square - self.mean @ (self.slope + self.left) - self.cohorts
                )
                self.dispersion = max(
                    1.0, float(unexplained) / self.freedom * (1 + self.spread)
                )
            rounds = _ROUNDS if sweep else _FIRST_ROUNDS
            law = np.maximum(
                law_of(self.estimate / self.error, self.law, rounds), _LEAST_MASS
            )
            self.law = law / law.sum()
            weights = _weights()
            total = weights @ self.law
            self.means = weights @ (self.law * GRID) / total
            self.variances = weights @ (self.law * GRID**2) / total - self.means**2
            self.keep_up()
            moved = self.descend()
            self.bound()
            error = self.error
            variances = _at(
                self.estimate / error - self.penalty * error, self.variances, 1.0
            )
            free = float(variances.sum()) + freedom_of(
                self.estimate / error, self.law, _FOLLOWED
            )
            change = (1 + self.spread) * min(
                free, len(error)
            ) / self.freedom - self.spread
            self.spread += change / 2
            settled = moved < _SETTLED and abs(change) < 0.01 * (1 + self.spread)
            if settled and sweep >= _LEAST_SWEEPS:
                return

    def keep_up(self) -> None:
        """Have the matrix of those that move one by one."""
        size = len(self.slope)
        if size <= _MOST_AT_ONCE:
            wanted, enough = np.arange(size), len(self.top) == size
        else:
            scores = self.estimate / self.error
            wanted = np.sort(np.argpartition(-scores, _TOP)[:_TOP])
            strong = wanted[scores[wanted] >= _STRONG]
            enough = bool(len(self.top)) and bool(np.isin(strong, self.top).all())
        if not enough:
            self.top = wanted
            upper = normal_matrix(
                self.columns[:, wanted].tocsr(), self.inverse, self.background
            )
            upper = np.asarray(upper, dtype=float)
            self.matrix = np.triu(upper) + np.triu(upper, 1).T

    def descend(self) -> float:
        """One sweep over all candidates, the strongest first; the largest move, in
        errors.
        """
        all_errors, scores = self.error, self.estimate / self.error
        steps, errors = self.step[self.top].tolist(), all_errors[self.top].tolist()
        means, last, largest = self.means.tolist(), len(_SCORES) - 1, 0.0
        left, mean = self.left[self.top], self.mean[self.top]
        # Never further than the plain solution is, which would not settle.
        share = 1 / (1 + self.spread)
        for place in np.argsort(-scores[self.top]).tolist():
            error, before = errors[place], float(mean[place])
            score = (
                before + steps[place] * float(left[place])
            ) / error - self.penalty * error
            if score >= GRID[-1]:
                after = score
            else:
                index = min(max((score - _LOWEST) / _STEP, 0.0), last - 1e-9)
                low = int(index)
                after = means[low] + (index - low) * (means[low + 1] - means[low])
            move = share * (after * error - before)
            if abs(move) > 1e-3 * error:
                left -= move * self.matrix[place]
                mean[place] = before + move
                largest = max(largest, abs(move) / error)
        if len(self.top) == len(self.mean):
            self.left, self.mean = left, mean
            return largest
        others = _at(scores - self.penalty * all_errors, self.means) * all_errors
        self.mean += share / 2 * (others - self.mean)
        self.mean[self.top] = mean
        residuals = self.rates - (
            self.columns @ self.mean - self.background * float(self.mean.sum())
        )
        self.left = slopes(self.columns, self.inverse.times(residuals), self.background)
        return largest

    def bound(self) -> None:
        """Move the penalty towards the least one under which the means add up to 1 at
        most.
        """
        error, scores = self.error, self.estimate / self.error

        def total(penalty: float) -> float:
            return float(_at(scores - penalty * error, self.means) @ error)

        unit = 1 / float(error.mean())
        low, high = 0.0, 0.0
        if total(0.0) > 1:
            high = unit
            while total(high) > 1 and high < -_LOWEST * unit:
                low, high = high, 2 * high
            for _ in range(_HALVINGS):
                middle = (low + high) / 2
                low, high = (middle, high) if total(middle) > 1 else (low, middle)
        self.penalty = (self.penalty + high) / 2
        if self.penalty < 1e-3 * unit:
            self.penalty = 0.0

    def noise(self) -> float:
        """The variance of r times d, by the residuals; at least 1."""
        explained = self.columns @ self.mean - self.background * float(self.mean.sum())
        weighted = self.inverse.times(self.rates - explained).reshape(self.cohorts, -1)
        own, shared = covariance_of_bits(weighted.shape[1], self.background)
        square = (own - shared) * float((weighted**2).sum())
        square += shared * float((weighted.sum(axis=1) ** 2).sum())
        return max(1.0, (1 + self.spread) ** 2 * square / float(self.diagonal.mean()))

    def result(self) -> Joint:
        """Result of the last sweep."""
        error = self.error
        mean, _, median = posteriors(
            self.estimate / error - self.penalty * error, self.law
        )
        mean, median = mean * error, median * error
        scale = np.sqrt(np.diag(self.matrix))
        correlations = np.abs(self.matrix / scale / scale[:, None])
        np.fill_diagonal(correlations, 0.0)
        alike = np.zeros(len(mean))
        alike[self.top] = correlations.max(axis=0, initial=0.0)
        return Joint(
            mean / max(1.0, float(mean.sum())),
            median / max(1.0, float(median.sum())),
            self.estimate,
            variance=self.noise() / self.diagonal,
            alike=alike,
        )


def information(columns: Any, inverse: Precision, background: float) -> Floats:
    """The diagonal of G, of columns of a design; shape (M,)."""
    weights, deflation = inverse
    own: Floats = (1 - 2 * background) * (
        columns.T @ weights
    ) + background**2 * weights.sum()
    shift = background * np.asarray(deflation.sum(axis=1)).reshape(-1, 1)
    for start in range(0, len(own), _COLUMNS):
        here = slice(start, start + _COLUMNS)
        deflated = (deflation @ columns[:, here]).toarray() - shift
        own[here] -= (deflated**2).sum(axis=0)
    return own


def covariance_of_bits(bits: int, background: float) -> tuple[float, float]:
    """The variance of a bit of any text, and the covariance of two, over the choice of
    hashes.
    """
    none = 1 - background
    hashes = np.log(none) / np.log(1 - 1 / bits)
    neither = (1 - 2 / bits) ** hashes
    return background * none, float(neither - none**2)


@cache
def _weights() -> Floats:
    return weights_of(_SCORES)


def _at(scores: Floats, table: Floats, beyond: float | None = None) -> Floats:
    """A table by scores; beyond the grid a number, or the scores themselves."""
    places = np.clip(
        (np.maximum(scores, _LOWEST) - _LOWEST) / _STEP + 0.5, 0, len(table) - 1
    ).astype(np.int32)
    end = scores if beyond is None else beyond
    return np.where(scores >= GRID[-1], end, table[places])
