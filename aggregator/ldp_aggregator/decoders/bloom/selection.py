"""Decoding Bloom filters, also where there are more candidates than the reports can
bear.

Frequencies are those of a regression. Tests go by the joint fit of all candidates
(`joint`), whose estimates have less error; by the regression for candidates that share
many bits with another.

A regression on nearly as many candidates as there are bit rates loses its precision,
and on more it has no solution. Up to `MOST_JOINT` candidates, frequencies are then
those of the joint fit as well. Beyond, each half of the cohorts (at even and at odd
places) chooses for the other:

    choose     of the `MOST_TRIED` candidates that look most frequent one by one, those
               to which non-negative least squares gives at least `CHOICE` standard
               errors
    estimate   every candidate, chosen or not: the regression on what the other half
               chose and on the candidate itself; texts beyond these set their bits
               anywhere, and spread the residuals, which counts as noise

and the two estimates of a candidate are averaged. A respondent's cohort is drawn at
random, whatever the answer, so what is chosen does not depend on the reports that are
then estimated from, and no candidate is left out or shown for its estimate being low or
high. So intervals and p-values hold for all candidates, as if nothing had been chosen.
Where a half cannot tell candidates apart that all cohorts can, it is one regression all
the same, with the errors that this has.

With fewer than `FEW_COHORTS` cohorts, or halves of fewer than `FEW_RATES` bit rates,
candidates share many bits by chance, errors are a little too small, and a note says so.

They hold over the choice of hash functions. Given these, texts that are not in a
regression add to the estimates of those whose bits they share: a bias that is part of
the stated variance, the same in every survey of the same texts, and not reduced by more
reports. Some candidates have one of several standard errors (`lab.coverage` has it).

Sources: Lawson and Hanson 1974 (non-negative least squares); Chernozhukov et al. 2018
(cross-fitting).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.decoders.bloom.joint import ALIKE, MOST_SWEEPS, joint
from ldp_aggregator.decoders.bloom.regression import (
    MOST_AT_ONCE,
    BloomRegression,
    ChiSquare,
    centred_rates,
    first_shares,
    normal_matrix,
    regress,
    reporting,
    slopes,
)
from ldp_aggregator.decoders.moments.bit_covariance import BitNoise, precision
from ldp_aggregator.numerics.arrays import Counts, Floats, Indices

CROWDED = 0.5
"""Candidates for each bit rate beyond which they are chosen from."""
MOST_JOINT = 2_000_000
MOST_ALIKE = 0.6
"""Correlation of two candidates' bits from which they are not fitted jointly."""
FEW_COHORTS, FEW_RATES = 4, 256
"""In fewer cohorts, or where halves of fewer bit rates choose, errors are too small."""
_ROUGH_SWEEPS = 8
MOST_TRIED = 1_000
CHOICE = 2.0
_COLUMNS = 4_096
_LEAST = 1e-9
"""The part of a candidate's information that must be left to it alone."""
_JOINTLY = (
    "more candidates than these reports can tell apart at once: each is estimated from "
    "what the others leave, none of them below 0 and all together 1 at most. Errors "
    "hold over the choice of hash functions: given these, texts that are hardly held "
    "may leave a bias that more reports do not reduce"
)


_FEW = (
    "so few cohorts and bits make candidates share many of them by chance, and errors "
    "a little too small: of 0.95 intervals, 0.90 to 0.94 held in simulations; shorten "
    "the list of candidates"
)


class Decoded(NamedTuple):
    """Frequencies of M candidates and their errors; variances are for the
    population.
    """

    respondents: float
    frequency: Floats
    shares: Floats
    """The frequencies that the variances are for: first guesses, which have less noise
    than `frequency`.
    """
    variance: Floats
    covariance: Callable[[], Floats]
    unallocated: tuple[float, float] | None
    """The share of respondents with a text that is no candidate, and its standard
    error.

    None where candidates are more than can be told apart at once: nothing then tells
    texts that are no candidates from candidates that are too rare to be seen.
    """
    residual: ChiSquare | None
    """Whether the candidates are all the texts there are.

    None where they are more than can be told apart at once.
    """
    tested: tuple[Floats, Floats] | None = None
    """Estimates and variances that tests go by; None for those above."""
    likely: tuple[Floats, Floats] | None = None
    """Posterior means and medians of the joint fit; None where there is none."""
    note: str = ""
    """Which reports served which purpose, where candidates were chosen."""


def decode(counts: Counts, design: Any, noise: BitNoise, background: float) -> Decoded:
    """The frequencies of all candidates; the arguments are those of
    `bloom_regression.regress`.

    Raises `EstimateError` if the candidates cannot be told apart.
    """
    counts, design = reporting(counts, design)
    rates, candidates = design.shape
    crowded = candidates > min(CROWDED * rates, MOST_AT_ONCE)
    if not crowded or len(counts) < 2:
        return _together(counts, design, noise, background=background)
    decoded = None
    if candidates <= MOST_JOINT:
        decoded = _jointly(counts, design, noise, background=background)
    if decoded is None:
        halves = _half(counts, design, 0), _half(counts, design, 1)
        try:
            decoded = _cross_fit(*halves, noise, background=background)
        except EstimateError:
            # What half of a few cohorts cannot tell apart all of them may.
            if candidates > min(rates, MOST_AT_ONCE):
                raise
            return _together(counts, design, noise, background=background)
    few = len(counts) < FEW_COHORTS or (decoded.likely is None and rates < FEW_RATES)
    if few:
        return decoded._replace(note=f"{decoded.note}; {_FEW}")
    return decoded


def _together(
    counts: Counts, design: Any, noise: BitNoise, background: float
) -> Decoded:
    """One regression on all candidates, with the tests and posteriors of their joint
    fit.
    """
    fit = regress(counts, design, noise, background=background)
    tested = likely = None
    if design.shape[1] <= MOST_JOINT:
        rates, _ = centred_rates(counts, noise, background)
        fitted = joint(
            rates, design, fit.inverse, background=background, cohorts=len(counts)
        )
        alone = fitted.alike > ALIKE
        tested = (
            np.where(alone, fit.frequency, fitted.estimate),
            np.where(alone, fit.variance, fitted.variance),
        )
        likely = fitted.mean, fitted.median
    return Decoded(
        fit.respondents,
        fit.frequency,
        fit.shares,
        variance=fit.variance,
        covariance=lambda: fit.covariance,
        unallocated=fit.remainder,
        residual=fit.residual,
        tested=tested,
        likely=likely,
    )


def _jointly(
    counts: Counts, design: Any, noise: BitNoise, background: float
) -> Decoded | None:
    """The joint fit alone; None where two candidates share more bits than chance has
    it.

    It is made twice, since the covariance of the rates depends on the frequencies:
    first roughly, as if no candidate were held.
    """
    rates, sizes = centred_rates(counts, noise, background)
    shares, columns = np.zeros(design.shape[1]), design.tocsc()
    for sweeps in (_ROUGH_SWEEPS, MOST_SWEEPS):
        inverse = precision(design, sizes, noise, background=background, shares=shares)
        fitted = joint(
            rates,
            columns,
            inverse,
            background=background,
            cohorts=len(sizes),
            sweeps=sweeps,
        )
        if (fitted.alike > MOST_ALIKE).any():
            return None
        shares = fitted.mean
    return Decoded(
        float(sizes.sum()),
        fitted.estimate,
        shares,
        variance=fitted.variance,
        covariance=_no_covariance,
        unallocated=None,
        residual=None,
        likely=(fitted.mean, fitted.median),
        note=_JOINTLY,
    )


class _Half(NamedTuple):
    counts: Counts
    design: Any


def _half(counts: Counts, design: Any, first: int) -> _Half:
    """Every other cohort."""
    here = np.arange(len(counts)) % 2 == first
    return _Half(counts[here], design[np.repeat(here, counts.shape[1] - 1)])


def _cross_fit(even: _Half, odd: _Half, noise: BitNoise, background: float) -> Decoded:
    """Each half estimated with what the other chose, and the mean of both."""
    by_even, by_odd = choose(*even, noise, background), choose(*odd, noise, background)
    fits, (frequency, shares, variance) = [], np.zeros((3, even.design.shape[1]))
    for half, chosen in ((even, by_odd), (odd, by_even)):
        fit = regress(half.counts, half.design[:, chosen], noise, background=background)
        estimates, variances = one_by_one(
            half.design, chosen, fit, background=background
        )
        frequency += estimates / 2
        shares[chosen] += fit.shares / 2
        variance += variances / 4
        fits.append(fit)
    return Decoded(
        sum(fit.respondents for fit in fits),
        frequency,
        shares,
        variance=variance,
        covariance=_no_covariance,
        unallocated=None,
        residual=None,
        note=_purposes(even, odd, len(by_even), by_odd=len(by_odd)),
    )


def choose(counts: Counts, design: Any, noise: BitNoise, background: float) -> Indices:
    """The candidates that explain most of the counts, as rising indices; always at
    least one.
    """
    from scipy.linalg import cholesky, solve_triangular
    from scipy.optimize import nnls

    rates, sizes = centred_rates(counts, noise, background)
    tried = np.sort(
        np.argsort(-slopes(design, rates, background))[: min(MOST_TRIED, len(rates))]
    )
    design = design[:, tried]
    inverse = precision(
        design,
        sizes,
        noise,
        background=background,
        shares=first_shares(rates, sizes, design, background=background),
    )
    matrix = normal_matrix(design, inverse, background)
    diagonal = np.diag(matrix).copy()
    # A ridge far below the noise, for candidates that are alike in these cohorts.
    np.fill_diagonal(matrix, diagonal * (1 + 1e-9))
    factor = cholesky(matrix, overwrite_a=True)
    shares, _ = nnls(
        factor,
        solve_triangular(
            factor, slopes(design, inverse.times(rates), background), trans="T"
        ),
    )
    # (tried,): in standard errors.
    strength = shares * np.sqrt(diagonal)
    chosen: Indices = tried[strength >= min(CHOICE, strength.max())]
    return chosen


def one_by_one(
    design: Any, chosen: Indices, fit: BloomRegression, background: float
) -> tuple[Floats, Floats]:
    """(frequency, variance) of every candidate, each in a regression of its own.

    That is on the `chosen` ones (whose regression is `fit`) and itself.

    By the partitioned inverse: with P the precision, S the kept columns and x that of
    the candidate, centred, and r the residuals, f_x = x'Pr / v and Var(f_x) = 1 / v,
    where v = x'Px - x'PS (S'PS)^-1 S'Px.
    """
    # (rows, chosen): S, and P S.
    weights, deflation = fit.inverse
    columns, centred = design.tocsc(), design[:, chosen].toarray() - background
    weighted = weights[:, None] * centred - deflation.T @ (deflation @ centred)
    left = fit.inverse.times(fit.left)
    frequency, information = np.empty(design.shape[1]), np.empty(design.shape[1])
    for start in range(0, design.shape[1], _COLUMNS):
        here = slice(start, start + _COLUMNS)
        part = columns[:, here]
        # v of each candidate here: `own`, less what deflation and the chosen ones take
        # of it.
        deflated = (deflation @ part).toarray() - background * deflation.sum(axis=1)[
            :, None
        ]
        shared = fit.root.T @ (part.T @ weighted - background * weighted.sum(axis=0)).T
        own = (1 - 2 * background) * (part.T @ weights) + background**2 * weights.sum()
        information[here] = own - (deflated**2).sum(axis=0) - (shared**2).sum(axis=0)
        information[here][information[here] < _LEAST * own] = 0.0
        frequency[here] = slopes(part, left, background)
    information[chosen] = 1.0
    if not information.all():
        raise EstimateError(
            "expected candidates that set different bits, got some that are "
            "combinations of others"
        )
    frequency, variance = frequency / information, fit.dispersion / information
    frequency[chosen], variance[chosen] = fit.frequency, fit.variance
    return frequency, variance


def _no_covariance() -> Floats:
    raise EstimateError(
        "expected fewer candidates for a covariance: half as many as there are bit "
        "rates, or less"
    )


def _purposes(even: _Half, odd: _Half, by_even: int, by_odd: int) -> str:
    """Which reports served which purpose."""
    first, second = (
        f"{int(half.counts[:, 0].sum()):,} reports of {len(half.counts)} cohorts"
        for half in (even, odd)
    )
    return (
        f"more candidates than these reports can tell apart at once: {first} at even "
        f"places chose {by_even:,} of them, with which {second} at odd places were "
        f"estimated; those chose {by_odd:,} for the former in turn. Errors hold over "
        "the choice of hash functions: given these, texts that were not chosen leave a "
        "bias, for some candidates of several standard errors, which more reports do "
        "not reduce"
    )
