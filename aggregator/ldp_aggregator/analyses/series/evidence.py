"""Whether anything has changed, at a false-alarm rate that holds however long one
looks.

A test that is repeated every epoch raises an alarm sooner or later, changed or not. An
e-value is evidence of another kind: it is 1 on average as long as nothing changes, and
grows if something has. By Ville's inequality the chance that it ever reaches 1 / a, at
any epoch, is at most a. So one may look after every epoch, stop when one likes, or
never.

    null          the estimates are a constant [and a fixed season], plus errors of the
                  covariance C
    alternative   a step of a size N(0, s^2) from some epoch on. Epochs k = 2, 3, ...
                  have the weights 1 / (k (k-1)), which sum to 1; s is 1, 3 or 9
                  standard errors, each with a third
    evidence      E_t = sum_k weight_k p(y_1..t | step at k) / p(y_1..t | no step)

With y = L z for the Cholesky factor L of C, u the step and m = L^-1 u, the ratio of a
step is

    (1 + s^2 B)^(-1/2) exp(s^2 A^2 / (2 (1 + s^2 B))),   A = sum m z,  B = sum m^2, up to t

The constant and the season are not known: each has a very wide law, the same in both
densities, which leaves what does not depend on them. As E_t is an average of likelihood
ratios it is a nonnegative martingale of mean 1 under the null.

Where the covariance is not known (`series.errors_over_time`), the numerator is the mean
over what is usual, and the denominator the largest over all that it may be: at most 1
on average whichever holds. Evidence for several values is averaged, which is evidence
against "none has changed" however they depend on each other; a single value of M is
called changed at M / a.

Since when: with k the epoch of the one change that there was, the likelihood of the
best step at k is at least a times the sum above, but for a chance of a. All such k are
a set that holds the true one at least as often, at any time, if there was one change,
and nothing drifts.

Errors are taken to be normal with known variances: what few reports make otherwise is
not tested.

Sources: Ville 1939; Robbins 1970 (mixtures); Shafer, Shen, Vereshchagin and Vovk 2011;
Wasserman, Ramdas and Balakrishnan 2020 (largest likelihoods below, and sets); Vovk and
Wang 2021 (averages); Shin, Ramdas and Rinaldo 2023 (changes).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp_aggregator.analyses.series.errors_over_time import Covariances
from ldp_aggregator.numerics.arrays import Flags, Floats

_VAGUE = 1e7
"""The variance of what is not known, over the largest variance of an estimate."""
_SIZES = (1.0, 3.0, 9.0)
"""Standard deviations of steps, over a typical standard error."""


class Evidence(NamedTuple):
    """Evidence of T estimates: E after each, and what is likely about the epoch of a
    change.
    """

    values: Floats
    """(T,), 1 before there is anything to compare."""
    steps: Floats
    """(T,): the likelihood of a step at each, over the sum that E is; the first has
    none: 0.
    """
    size: Floats
    """(T,): the likeliest size of a step there."""


def evidence_of(
    estimate: Floats, covariances: Covariances, seasons: Floats | None = None
) -> Evidence:
    """Evidence of a change in estimates of which none is missing.

    `seasons` has the place of each in its season.
    """
    size = len(estimate)
    from scipy.special import logsumexp

    variance = np.diag(covariances.usual[0])
    unknown = _vague(size, float(variance.max()), seasons)
    unit, weights = float(np.median(variance)), _weights(size)
    shares = np.append(weights, 1 - weights.sum())
    nulls, mixtures, best, sizes = [], [], [], []
    for place, covariance in enumerate((*covariances.usual, *covariances.swapped)):
        null, step_a, step_b = _sums(estimate, covariance + unknown)
        nulls.append(null)
        if place >= len(covariances.usual):
            continue
        ratio = _ratios(step_a, step_b, unit)
        # (T, steps + 1): a step that is still to come has the ratio 1, as have all
        # after the last.
        ratio = np.column_stack([ratio, np.zeros(size)])
        mixtures.append(null + logsumexp(ratio, axis=1, b=shares))
        peak = np.divide(
            step_a[-1], step_b[-1], out=np.zeros(size), where=step_b[-1] > 0
        )
        best.append(null[-1] + peak * step_a[-1] / 2)
        sizes.append(peak)
    numerator = _log_mean(np.array(mixtures))
    values = np.exp(np.clip(numerator - np.max(nulls, axis=0), -700, 700))
    chosen = np.argmax(best, axis=0)
    likeliest = np.max(best, axis=0)
    steps = np.exp(np.clip(likeliest - numerator[-1], -700, 700))
    steps[0] = 0.0
    values[: 1 if seasons is None else len(set(seasons.tolist()))] = 1.0
    return Evidence(values, steps, size=np.array(sizes)[chosen, np.arange(size)])


def _vague(size: int, variance: float, seasons: Floats | None) -> Floats:
    """The covariance (T, T) of what is not known: the constant, and places in a
    season.
    """
    everywhere = np.ones((size, size))
    if seasons is not None:
        everywhere = (seasons[:, None] == seasons[None, :]).astype(float)
    vague: Floats = _VAGUE * variance * everywhere
    return vague


def _weights(size: int) -> Floats:
    """Weights of steps at each place: none at the first, 1 / (k (k-1)) at the k-th."""
    ranks = np.arange(1, size + 1, dtype=float)
    weights: Floats = np.divide(
        1.0, ranks * (ranks - 1), out=np.zeros(size), where=ranks > 1
    )
    return weights


def _sums(estimate: Floats, covariance: Floats) -> tuple[Floats, Floats, Floats]:
    """Up to each place: the log likelihood without a step, (T,), and A and B by step,
    (T, T).
    """
    from scipy.linalg import solve_triangular

    size = len(estimate)
    factor = np.linalg.cholesky(covariance)
    # (T, 1 + T): the estimates, and a step from each place on.
    columns = np.column_stack([estimate - estimate.mean(), np.tri(size)])
    whitened = solve_triangular(factor, columns, lower=True)
    errors, steps = whitened[:, 0], whitened[:, 1:]
    likelihood = -np.cumsum(errors**2 / 2 + np.log(np.diag(factor)))
    return (
        likelihood,
        np.cumsum(steps * errors[:, None], axis=0),
        np.cumsum(steps**2, axis=0),
    )


def _ratios(step_a: Floats, step_b: Floats, unit: float) -> Floats:
    """Log likelihood ratios of a step, averaged over its possible sizes; (T, T)."""
    ratios = []
    for size in _SIZES:
        square = size**2 * unit
        spread = 1 + square * step_b
        ratios.append(square * step_a**2 / (2 * spread) - np.log(spread) / 2)
    return _log_mean(np.array(ratios))


def _log_mean(logs: Floats) -> Floats:
    """The logarithm of the mean over the first axis."""
    most = logs.max(axis=0)
    mean: Floats = most + np.log(np.exp(logs - most).mean(axis=0))
    return mean


def since(evidence: Evidence, missing: float) -> Flags:
    """Whether the change may have come with each epoch, (T,): all that miss at most so
    often.
    """
    possible: Flags = evidence.steps > missing
    return possible
