"""Batches as others report them: normal noise (mu), Renyi divergences, and
`dp_accounting`.

What a batch is worth is a curve: a delta for each epsilon (`ldp.privacy`). Those who
add it up with other releases may need it in another form. All of these are read off the
same grid of the curve, whose envelope is no less than any batch's (`composition`):

    gaussian_view  the least mu such that normal noise of standard deviation sensitivity
                   / mu has at least the batch's delta at every epsilon, down to a
                   delta: below it the curve of a batch, whose loss ends at one report's
                   epsilon, is not looked at
    renyi_view     the Renyi divergence of an order above 1. What is lost beyond the
                   grid has a loss of one report's epsilon at most: the envelope ends at
                   (e^epsilon, 0)
    accounting     a `PrivacyLossDistribution` of Google's dp_accounting, if that is
                   installed

Numeric, as composition is: floats, on the side of more.

Sources: Dong, Roth and Su 2022 (mu); Mironov 2017 (Renyi); Balle and Wang 2018, Theorem
8.
"""

from __future__ import annotations

import math
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

from ldp.mechanisms.blankets import Blanket
from ldp.numbers.exact import log_upper
from ldp.privacy.batches import power
from ldp.privacy.deltas import delta_above, quick
from ldp_aggregator.explanations.composition import POINTS, grid_step, loss_masses
from ldp_aggregator.explanations.trusted_curator import mu_delta

_LEAST = Fraction(1, 10**12)
"""The delta at the end of the grid."""
_EPSILONS = 40
_MOST_MU = 64.0


def gaussian_view(blanket: Blanket, reports: int, delta: Fraction) -> float:
    """The mu of normal noise that is no better than a batch, at epsilons from 0 down to
    `delta`.
    """
    end = grid_step(blanket, reports, delta) * POINTS
    effort = quick(reports, blanket.both > 0)
    worst = 0.0
    for place in range(_EPSILONS + 1):
        epsilon = Fraction(str(round(end * place / _EPSILONS, 9)))
        above = float(delta_above(blanket, reports, power(epsilon), effort=effort))
        if above >= delta:
            worst = max(worst, _least_mu(float(epsilon), above))
    return worst


def renyi_view(blanket: Blanket, reports: int, order: float) -> float:
    """A bound of the Renyi divergence of this order of batches that differ in an
    answer, in nats.

    Raises `ValueError` for an order that is not above 1.
    """
    if not 1 < order < math.inf:
        raise ValueError(f"expected an order above 1, got {order}")
    local = log_upper(max(blanket.first, blanket.second))
    step = grid_step(blanket, reports, _LEAST)
    masses, lost = loss_masses(blanket, reports, step)
    half = len(masses) // 2
    losses = step * np.arange(-half, half + 1)
    exponents = (order - 1) * losses
    # Nothing is lost beyond one report's epsilon; its bound may be above 0 up to twice
    # of it.
    end = local if losses[-1] < local else log_upper(blanket.first * blanket.second)
    if lost > 0:
        beyond = lost / -math.expm1(losses[-1] - end)
        # Of the mass at the end of the grid so much counts as a loss of one report's
        # epsilon.
        masses = np.append(masses, beyond)
        masses[-2] = max(masses[-2] - (beyond - lost), 0.0)
        exponents = np.append(exponents, (order - 1) * end)
    seen = masses > 0
    logarithms = np.log(masses[seen]) + exponents[seen]
    return min(float(np.logaddexp.reduce(logarithms)) / (order - 1), local)


def accounting(blanket: Blanket, reports: int, delta: Fraction) -> Any:
    """A batch as a `dp_accounting` privacy-loss distribution, whose end has a
    thousandth of delta.

    Raises `ImportError` where that package is not installed.
    """
    laws = import_module("dp_accounting.pld.pld_pmf")
    distributions = import_module("dp_accounting.pld.privacy_loss_distribution")
    step = grid_step(blanket, reports, delta / 1000)
    masses, lost = loss_masses(blanket, reports, step)
    law = laws.DensePLDPmf(step, -(len(masses) // 2), masses, lost, True)
    return distributions.PrivacyLossDistribution(law)


def _least_mu(epsilon: float, delta: float) -> float:
    low, high = 0.0, _MOST_MU
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (
            (low, middle) if mu_delta(middle, epsilon) >= delta else (middle, high)
        )
    return high
