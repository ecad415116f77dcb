"""Frequencies shrunk to what is likely, given how all of them are spread.

    z = estimate / standard error of a frequency of zero ~ Normal(m, 1),  m >= 0 drawn from a law G
    G       the law on a grid of m that makes the z most likely, by expectation
            maximization
    mean    the posterior mean of m, given z, times the standard error
    median  the posterior median: of all views that with the least absolute error to
            expect, and 0 wherever no frequency is as likely as any

Of many candidates most are rare, and an estimate that stands out among them does so
partly by chance; a posterior takes that part back. Estimates beyond the grid are left
as they are.

The law follows the scores that it is made from, and the means follow the law. With P_xj
how much more likely point j makes score x than the law G does, B_xj = P_xj (m_j - mean
of x) is by how much the mean moves with the weight of j, and, over the number M of
scores, how a score moves that weight. A round of expectation maximization takes back L
= sqrt(G) P'P sqrt(G) / M of what weights are off, so that in n rounds a steady pull
moves them (1 - (1 - L)^n) / L times as far as in one.

Sources: Robbins 1956; Kiefer and Wolfowitz 1956; Koenker and Mizera 2014 (on a grid).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Counts, Floats

GRID = np.arange(0, 10.125, 0.125)
LEAST, _WIDTH = -6.0, 0.05
_EDGES = np.arange(LEAST, GRID[-1] + _WIDTH, _WIDTH)
_ROUNDS = 200
_FIRST_BINS = np.arange(0, len(_EDGES) - 1, 4)
_FIRST_POINTS = np.r_[0, 1 : len(GRID) : 2]
_POINTS = np.r_[0.0, (GRID[1::2] + GRID[2::2]) / 2]
"""Nothing, and two points of the grid each."""
_AT_ONCE = 1 << 14


class Posterior(NamedTuple):
    """Posterior of each of M frequencies; shape (M,), in the units of the scores."""

    mean: Floats
    variance: Floats
    median: Floats


def posterior_mean(frequency: Floats, null_error: Floats) -> Floats:
    """The mean of each of M frequencies, as a view."""
    return _shrink(frequency, null_error, median=False)


def posterior_median(frequency: Floats, null_error: Floats) -> Floats:
    """The median of each of M frequencies, as a view: 0 for most of those that no one
    holds.
    """
    return _shrink(frequency, null_error, median=True)


def _shrink(frequency: Floats, null_error: Floats, *, median: bool) -> Floats:
    scores = np.divide(
        frequency, null_error, out=np.full(len(frequency), np.inf), where=null_error > 0
    )
    within = scores < GRID[-1]
    if not within.any():
        return frequency.copy()
    likely = posteriors(np.maximum(scores[within], LEAST), law_of(scores[within]))
    view = frequency.copy()
    view[within] = null_error[within] * (likely.median if median else likely.mean)
    return view


def law_of(scores: Floats, law: Floats | None = None, rounds: int = _ROUNDS) -> Floats:
    """The law of m on `GRID`, from scores of which those beyond it do not count.

    `law` is where to begin, and `rounds` how many steps of expectation maximization to
    take.
    """
    if law is None:
        law = np.full(len(GRID), 1 / len(GRID))
    tallied = _histogram(scores)
    if not tallied.any():
        return law
    likely = _likelihood_of_bins()
    for _ in range(rounds):
        law = law * (likely.T @ (tallied / (likely @ law))) / tallied.sum()
    return law


def freedom_of(scores: Floats, law: Floats, rounds: int) -> float:
    """By how much all means move with their own scores as the law follows these, in so
    many rounds.

    Those are degrees of freedom beside the sum of the posterior variances, for which
    the law stays.
    """
    # Of (bins, points) that are coarser: ten times as quick, and nearly the same.
    tallied = np.add.reduceat(_histogram(scores), _FIRST_BINS)
    if not tallied.any():
        return 0.0
    # P, and B with the law's square root on it.
    root = np.sqrt(np.add.reduceat(law, _FIRST_POINTS))
    likely = _coarse_likelihood()
    more_likely = likely / (likely @ root**2)[:, None] * root
    pulls = more_likely * (_POINTS - (more_likely * root) @ _POINTS[:, None])
    weighted = more_likely.T * (tallied / tallied.sum())
    shares, directions = np.linalg.eigh(weighted @ more_likely)
    shares = np.clip(shares, 1e-12, 1.0)
    moved = (1 - (1 - shares) ** rounds) / shares
    along = (pulls @ directions) ** 2
    return float(tallied @ along @ moved / tallied.sum())


def posteriors(scores: Floats, law: Floats) -> Posterior:
    """Of scores below the end of the grid by the law; of those beyond, the scores
    themselves.
    """
    mean, variance, median = np.empty((3, len(scores)))
    for start in range(0, len(scores), _AT_ONCE):
        here = slice(start, start + _AT_ONCE)
        weights = weights_of(scores[here]) * law
        total = weights.sum(axis=1)
        mean[here] = weights @ GRID / total
        variance[here] = weights @ GRID**2 / total - mean[here] ** 2
        median[here] = GRID[
            (np.cumsum(weights, axis=1) >= total[:, None] / 2).argmax(axis=1)
        ]
    beyond = scores >= GRID[-1]
    return Posterior(
        np.where(beyond, scores, mean),
        np.where(beyond, 1.0, variance),
        median=np.where(beyond, scores, median),
    )


def weights_of(scores: Floats) -> Floats:
    """How likely each point of the grid makes a score, but for a factor they have in
    common.
    """
    weights: Floats = np.exp(np.minimum(scores, GRID[-1])[:, None] * GRID - GRID**2 / 2)
    return weights


def _histogram(scores: Floats) -> Counts:
    """How many of those on the grid are in each bin."""
    within = np.maximum(scores[scores < GRID[-1]], LEAST)
    tallied: Counts = np.histogram(within, _EDGES)[0]
    return tallied


@cache
def _likelihood_of_bins() -> Floats:
    middles = _EDGES[:-1] + _WIDTH / 2
    density: Floats = np.exp(-((middles[:, None] - GRID) ** 2) / 2)
    return density


@cache
def _coarse_likelihood() -> Floats:
    middles = _EDGES[_FIRST_BINS] + 2 * _WIDTH
    density: Floats = np.exp(-((middles[:, None] - _POINTS) ** 2) / 2)
    return density
