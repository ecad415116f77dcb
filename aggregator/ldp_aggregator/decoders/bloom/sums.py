"""Candidates of which some can only be told apart from others as a sum.

If the bits of some candidates are combinations of the bits of others, as those of a and
b together are those of c and d, then reports fit many frequencies equally well. The sum
of the candidates that depend on each other is still one number. A regression on as many
of them as are independent shares the others' frequencies out among these, so that its
sum is that of all of them:

    f_group = c'f,  Var(f_group) = c' Cov(f) c,  c being 1 for the candidates that were kept
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ldp_aggregator.decoders.moments.moments import CandidateFit, Moments, ScoreJumps
from ldp_aggregator.numerics.arrays import Floats


class CandidateSums(NamedTuple):
    """A design of candidates that can be told apart, and which sums of these are asked
    for.
    """

    design: Any
    """As for a regression, (rows, kept)."""
    sums: Floats
    """Zeros and ones, (sums, kept): each candidate that was kept is in one sum."""


def sum_moments(moments: Moments, sums: Floats) -> Moments:
    """The moments of sums, from those of the candidates that are in them."""
    many = sums.sum(axis=1) > 1
    covariance = sums @ moments.covariance() @ sums.T
    # (sums,): of a candidate alone it is its own, which sampling and the least noise
    # are in; of several no less than the least of theirs.
    own = np.where(sums > 0, moments.variance_if_held, np.inf).min(axis=1)
    together = np.maximum(moments.reports * np.diag(covariance), own)
    scaled = np.where(many, together, own)
    jumps = None
    if moments.jumps is not None:
        # (kept,): by how much a score jumps, of which a sum has the largest.
        by_one = moments.jumps.third[0] / moments.variance_if_held
        largest = np.where(sums > 0, by_one, -np.inf).max(axis=1) * scaled
        jumps = ScoreJumps((largest, largest))
    return Moments(
        moments.reports,
        sums @ moments.frequency,
        scaled,
        variance_if_not=scaled,
        covariance=_constant(covariance),
        jumps=jumps,
        findings=moments.findings,
        fit=CandidateFit(unallocated=moments.fit.unallocated),
    )


def _constant(covariance: Floats) -> Callable[[], Floats]:
    return lambda: covariance
