"""Jeffreys' prior of coefficients, which keeps estimates finite (Firth's penalty).

Where all answers of a group are likeliest to be alike, the likelihood rises without an
end. Half the logarithm of the determinant of the information that plain answers would
have is added to it: without noise that takes the bias of order 1/n out of a logit.

    prior   1/2 log det M,   M = sum of w x x',   w = m'^2 / (m (1 - m))
    slope   1/2 sum of w' (x' M^-1 x) x

Sources: Firth 1993; Heinze and Schemper 2002; Kosmidis and Firth 2021 (other links).
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.analyses.regression.links import Link
from ldp_aggregator.numerics.arrays import Floats


def log_prior(link: Link, table: Floats, linear: Floats, weight: Floats) -> float:
    """The logarithm of the prior, up to a constant."""
    spread, _ = _spread(link, linear)
    sign, logarithm = np.linalg.slogdet(_information(table, weight * spread))
    if sign > 0:
        return float(logarithm) / 2
    return -np.inf


def prior_slope(link: Link, table: Floats, linear: Floats, *, weight: Floats) -> Floats:
    """Its derivative by each linear predictor, (U,)."""
    spread, change = _spread(link, linear)
    inverse = np.linalg.pinv(_information(table, weight * spread), hermitian=True)
    leverage = np.einsum("uk,kl,ul->u", table, inverse, table)
    return np.asarray(weight * change * leverage / 2)


def _information(table: Floats, weight: Floats) -> Floats:
    return table.T @ (weight[:, None] * table)


def _spread(link: Link, linear: Floats) -> tuple[Floats, Floats]:
    """What an answer tells of its linear predictor, and its derivative."""
    at = link.at(linear)
    weight, change = link.weights(at)
    return weight * at.slope, weight * at.bend + change * at.slope
