"""Exact intervals where an estimate is one count, C of n reports: Clopper and Pearson's
idea.

    an interval holds every frequency under which neither P[C >= c] nor P[C <= c] is
    half of what may be missed, or less

    population    C is binomial with the rate q + f (p - q); the ends are quantiles of
                  beta laws
    respondents   C is a sum of two binomials (`intervals.count_law`), of m holders and
                  of n - m others; the ends are whole numbers of holders over n, found
                  by halving: P[C >= c] rises with m

Both hold the truth at least as often as they say, for every n, p, q and frequency.
Counts are whole, so they hold it more often, the more so the fewer are expected. Where
p < q, the reports that do not support the value are counted instead.

Source: Clopper and Pearson 1934.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ldp_aggregator.decoders.intervals.count_law import tails
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Flags, Floats


def for_respondents(moments: Moments, missing: float) -> tuple[Floats, Floats]:
    """(low, high) of one-count estimates, each of shape (M,); not yet cut to [0, 1]."""
    reports = moments.reports
    counted, back = np.unique(np.stack(rising(moments)), axis=1, return_inverse=True)
    count, p, q = counted
    back = back.ravel()
    # As many holders as make so high a count likely enough; and one less than make so
    # low a count too unlikely.
    least = _least(
        reports,
        len(count),
        lambda holders: tails(count, holders, reports, p=p, q=q).upper > missing / 2,
    )
    most = (
        _least(
            reports,
            len(count),
            lambda holders: (
                tails(count + 1, holders, reports, p=p, q=q).lower <= missing / 2
            ),
        )
        - 1
    )
    return (least / reports)[back], (most / reports)[back]


def for_population(moments: Moments, missing: float) -> tuple[Floats, Floats]:
    """The same, of those that the respondents were drawn from."""
    from scipy.special import betaincinv

    (count, p, q), trials = rising(moments), moments.reports
    with np.errstate(invalid="ignore"):
        low = np.where(
            count > 0, betaincinv(count, trials - count + 1, missing / 2), 0.0
        )
        high = np.where(
            count < trials, betaincinv(count + 1, trials - count, 1 - missing / 2), 1.0
        )
    return (low - q) / (p - q), (high - q) / (p - q)


def null_chances(moments: Moments) -> Floats:
    """P[C >= c] if no one holds the value, for either estimand; shape (M,)."""
    from scipy.special import betainc

    count, _, q = rising(moments)
    with np.errstate(invalid="ignore"):
        chances: Floats = np.where(
            count > 0, betainc(count, moments.reports - count + 1, q), 1.0
        )
    return chances


def rising(moments: Moments) -> tuple[Floats, Floats, Floats]:
    """(count, p, q) such that p > q: of reports that support the value, or of those
    that do not.
    """
    assert moments.count is not None  # noqa: S101 (callers have looked)
    count, (p, q) = moments.count.supports.astype(float), moments.count.rates
    lies = p < q
    return (
        np.where(lies, moments.reports - count, count),
        np.where(lies, 1 - p, p),
        np.where(lies, 1 - q, q),
    )


def _least(reports: int, size: int, holds: Callable[[Floats], Flags]) -> Floats:
    """The least numbers of holders for which it holds.

    One more than there are reports where it never does.
    """
    below, enough = np.full(size, -1.0), np.full(size, reports + 1.0)
    while (enough - below > 1).any():
        middle = np.floor((below + enough) / 2)
        passes = holds(middle)
        below = np.where(passes, below, middle)
        enough = np.where(passes, middle, enough)
    return enough
