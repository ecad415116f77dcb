"""Intervals of values that were chosen for their estimates being high.

A value is found if its estimate passes a threshold. Given that it did, the estimate is
no longer normal: its lower tail is cut off, and more so the nearer the truth is to the
threshold. An interval for it holds the frequencies under which the estimate would be no
surprise among those that pass:

    x       the estimate, T the estimate that is tested, t the least T that passes
    ends    the frequencies under which P[X >= x | T >= t] and P[X <= x | T >= t] are
            half of what may be missed
    law     X and T normal about the true frequency, each with its error at that
            frequency

Far above the threshold these are the usual intervals. Near it they reach further down,
as far as 0 where noise alone would do. Each holds as often as it says among those that
are chosen, whatever the truth, and so on average does the family (the false-coverage
rate).

Where tests go by another estimate than the one shown (`CandidateFit.tested`), that one has
less error, and what the shown one errs more is noise of its own: their correlation is
error(T) / error(X).

Where the normal law does not hold at an end, nor at the threshold, plain intervals take
the place of these, at the level 1 - missing R / M for R of M that are chosen, which
holds under any law.

Sources: Weinstein, Fithian and Benjamini 2013 (intervals given selection); Hausman 1978
(the correlation); Benjamini and Yekutieli 2005 (R / M); Owen 1956 (the two-dimensional
normal law).
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.decoders.intervals.cumulants import cumulants, far_from_normal
from ldp_aggregator.decoders.intervals.intervals import INTERVAL_ENDS, within_bounds
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Flags, Floats, Indices

_HALVINGS = 50
_SAME = 1 - 1e-9
"""Correlation from which two estimates are one."""
_LEAST = 1e-300


def intervals_of_chosen(
    moments: Moments,
    chosen: Indices,
    cut: float,
    missing: float,
    kind: str,
    estimand: str,
) -> tuple[Floats, Floats]:
    """(low, high) of the chosen ones, whose p-values are at most `cut`, out of all in
    `moments`.
    """
    some = moments.of_values(chosen)
    all_at_once = missing * len(chosen) / len(moments.frequency)
    low, high = within_bounds(INTERVAL_ENDS[kind](some, all_at_once, estimand))
    if kind != "score":
        return low, high
    normal = np.flatnonzero(
        ~_far(some, (low, high), cut, missing=all_at_once, estimand=estimand)
    )
    if normal.size:
        law = _Chosen(some.of_values(normal), cut, estimand)
        low[normal] = law.first(0.0, 1.0, missing / 2)
        high[normal] = law.first(1.0, 0.0, missing / 2)
    return low, high


def _far(
    moments: Moments,
    ends: tuple[Floats, Floats],
    cut: float,
    missing: float,
    estimand: str,
) -> Flags:
    """Whether normal theory fails at an end, or for a value that no one holds at the
    threshold.
    """
    from scipy.special import ndtri

    z = -float(ndtri(missing / 2))
    at_ends = [far_from_normal(moments, end, z, estimand=estimand) for end in ends]
    tested = moments.fit.tested or moments
    threshold = -float(ndtri(cut))
    at_cut = far_from_normal(
        tested, np.zeros_like(ends[0]), threshold, estimand=estimand
    )
    far: Flags = np.logical_or.reduce([*at_ends, at_cut])
    return far


class _Chosen:
    """The law of estimates that passed."""

    def __init__(self, moments: Moments, cut: float, estimand: str) -> None:
        from scipy.special import ndtri

        self.moments, self.estimand = moments, estimand
        self.tested = moments.fit.tested or moments
        nothing = np.zeros_like(moments.frequency)
        self.threshold: Floats = -float(ndtri(cut)) * self._error(self.tested, nothing)

    def _error(self, moments: Moments, frequency: Floats) -> Floats:
        return np.sqrt(cumulants(moments, frequency, self.estimand).variance)

    def first(self, start: float, end: float, missing: float) -> Floats:
        """By value, the first frequency on the way from start to end with more in that
        tail.
        """
        upwards = end > start
        firsts = np.full(len(self.moments.frequency), start)
        left = ~(self._tail(firsts, upwards=upwards) > missing)
        # It does not hold at `outside`, and does at `inside`, or nowhere.
        outside, inside = firsts.copy(), np.full_like(firsts, end)
        for _ in range(_HALVINGS):
            middle = (outside + inside) / 2
            holds = self._tail(middle, upwards=upwards) > missing
            outside = np.where(holds, outside, middle)
            inside = np.where(holds, middle, inside)
        return np.where(left, inside, firsts)

    def _tail(self, frequency: Floats, *, upwards: bool) -> Floats:
        """P[X >= x | T >= t], or P[X <= x | T >= t], under these frequencies."""
        from scipy.special import ndtr

        error, error_tested = (
            self._error(moments, frequency) for moments in (self.moments, self.tested)
        )
        short = (self.threshold - frequency) / error_tested
        passing = np.maximum(ndtr(-short), _LEAST)
        correlation = np.minimum(error_tested / error, 1.0)
        beyond = _both_above(
            (self.moments.frequency - frequency) / error, short, correlation
        )
        share = np.clip(beyond / passing, 0.0, 1.0)
        if upwards:
            return share
        return 1 - share


def _both_above(first: Floats, second: Floats, correlation: Floats) -> Floats:
    """P[U >= first, V >= second] of two standard normal numbers."""
    from scipy.special import ndtr, owens_t

    both: Floats = ndtr(-np.maximum(first, second))
    apart = np.flatnonzero(correlation < _SAME)
    if not apart.size:
        return both
    # P[U <= h, V <= k] with h = -first, k = -second; Owen's T has no value where h or k
    # is 0.
    h, k = (np.where(end == 0, _LEAST, -end)[apart] for end in (first, second))
    rest = np.sqrt(1 - correlation[apart] ** 2)
    slopes = (k / h - correlation[apart]) / rest, (h / k - correlation[apart]) / rest
    half = np.where(h * k < 0, 0.5, 0.0)
    both[apart] = (
        (ndtr(h) + ndtr(k)) / 2 - owens_t(h, slopes[0]) - owens_t(k, slopes[1]) - half
    )
    return np.clip(both, 0.0, 1.0)
