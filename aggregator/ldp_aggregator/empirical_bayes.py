"""Frequencies shrunk to what is likely, given how all of them are spread.

    z = estimate / standard error of a frequency of zero ~ Normal(m, 1),  m >= 0 drawn from a law G
    G     the law on a grid of m that makes the z most likely, by expectation maximization
    view  the posterior mean of m, given z, times the standard error

Of many candidates most are rare, and an estimate that stands out among them does so partly by
chance; the posterior mean takes that part back. Estimates beyond the grid are left as they are.

Sources: Robbins 1956; Kiefer and Wolfowitz 1956; Koenker and Mizera 2014 (on a grid).
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.arrays import Floats

_GRID = np.arange(0, 10.125, 0.125)
_LEAST, _WIDTH = -6.0, 0.05
_ROUNDS = 200


def posterior_mean(frequency: Floats, null_error: Floats) -> Floats:
    """The view of all M frequencies."""
    scores = np.divide(
        frequency, null_error, out=np.full(len(frequency), np.inf), where=null_error > 0
    )
    within = scores < _GRID[-1]
    edges = np.arange(_LEAST, _GRID[-1] + _WIDTH, _WIDTH)
    tallied = np.histogram(np.maximum(scores[within], _LEAST), edges)[0]
    likely = _likelihood(edges[:-1] + _WIDTH / 2)
    law = np.full(len(_GRID), 1 / len(_GRID))
    for _ in range(_ROUNDS if within.any() else 0):
        law = law * (likely.T @ (tallied / (likely @ law))) / tallied.sum()
    view = frequency.copy()
    weights = _likelihood(np.maximum(scores[within], _LEAST)) * law
    view[within] = null_error[within] * (weights @ _GRID) / weights.sum(axis=1)
    return view


def _likelihood(scores: Floats) -> Floats:
    density: Floats = np.exp(-((scores[:, None] - _GRID) ** 2) / 2)
    return density
