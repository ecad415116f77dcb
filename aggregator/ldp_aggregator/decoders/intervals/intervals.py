"""Confidence intervals for frequencies.

An interval holds the frequencies under which the estimate would be no surprise. As the
error of an estimate depends on the frequency itself, each end has an error of its own,
so intervals are not symmetrical around estimates.

    score             the f for which |estimate - f| <= z sqrt(Var(f)); with s = z^2 /
                      n, the roots of (1 + s c) f^2 - (2 e + s (v - w) + s c) f + e^2 -
                      s w - z^2 k = 0, with v and w for the variances of a score if the
                      value is held and if not, k for that of collisions, c = 0 for the
                      respondents and 1 for the population they were drawn from (then
                      Wilson's interval)
    clopper-pearson   the exact binomial interval of the support rate, mapped through
                      (rate - q) / (p - q): guaranteed for the population; for the
                      respondents conservative, because a sum of independent unequal
                      trials is no more spread than a binomial (Hoeffding 1956)
    careful           the score interval, but for ends at which normal theory fails (few
                      expected reports, see `intervals.cumulants`): there the exact
                      ends, where an estimate is one count
                      (`intervals.count_intervals`), or else those of a scaled Poisson
                      count (`intervals.scaled_poisson`). What is called `score`
                      everywhere but here
    simultaneous      all intervals of a question hold together: each at 1 - (1 - level)
                      / M (Bonferroni), or at level^(1 / M) (Sidak)

Ends are then cut to [0, 1]. An interval that lies outside altogether becomes the end it
lies beyond: [0, 0] means that the estimate is too low for any frequency, as befalls one
in forty values that no one holds; it is no certainty.
"""

from __future__ import annotations

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.decoders.intervals import scaled_poisson
from ldp_aggregator.decoders.intervals.count_intervals import (
    for_population,
    for_respondents,
)
from ldp_aggregator.decoders.intervals.cumulants import cumulants, far_from_normal
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Flags, Floats
from ldp_aggregator.output.checks import Remark


def miss(level: float, size: int, simultaneous: str | None) -> float:
    """How often one interval may miss, if a family of `size` is to have the given
    level.
    """
    if simultaneous == "bonferroni":
        return (1 - level) / size
    if simultaneous == "sidak":
        return -float(np.expm1(np.log(level) / size))
    return 1 - level


def standard_error(moments: Moments, estimand: str) -> Floats:
    """Square root of the variance at the estimated frequency, clipped to [0, 1]."""
    error: Floats = np.sqrt(
        cumulants(moments, np.clip(moments.frequency, 0, 1), estimand).variance
    )
    return error


def covariance_for(moments: Moments, estimand: str) -> Floats:
    """Return the covariance of frequencies of which each respondent has one."""
    covariance = moments.covariance()
    if estimand == "respondents":
        return covariance
    shares = moments.frequency
    drawn = (np.diag(shares) - np.outer(shares, shares)) / moments.reports
    return covariance + drawn


def null_error(moments: Moments) -> Floats:
    """The standard error of a value that no one holds, for either estimand."""
    error: Floats = np.sqrt(cumulants(moments, 0.0, "respondents").variance)
    return error


def score_interval(
    moments: Moments, missing: float, estimand: str
) -> tuple[Floats, Floats]:
    """(low, high), each of shape (M,)."""
    above = moments.variance_if_held, moments.variance_if_not
    low, _ = _roots(moments, moments.below or above, missing, estimand=estimand)
    _, high = _roots(moments, above, missing, estimand=estimand)
    return low, high


def _roots(
    moments: Moments, variances: tuple[Floats, Floats], missing: float, estimand: str
) -> tuple[Floats, Floats]:
    """Roots of the equation above, with these for (v, w)."""
    from scipy.special import ndtri

    estimate, (if_held, if_not) = moments.frequency, variances
    square_of_z = ndtri(1 - missing / 2) ** 2
    share = square_of_z / moments.reports
    drawn = share if estimand == "population" else 0.0
    square = 1 + drawn
    middle = (2 * estimate + share * (if_held - if_not) + drawn) / (2 * square)
    constant = estimate**2 - share * if_not - square_of_z * moments.collisions.variance
    rest = middle**2 - constant / square
    reach = np.sqrt(np.maximum(rest, 0.0))
    return middle - reach, middle + reach


def least_respondents(moments: Moments, missing: float) -> int:
    """With fewer, the score interval of every estimate in [0, 1] is wider than 1.

    That is so before it is cut, and at any frequency.

    Its half width squared is s [e v + (1 - e) w] + s^2 (v - w)^2 / 4, and more for a
    population; with the smaller of v and w in brackets it is 1/4 where n = z^2 (2
    smaller + sqrt(4 smaller^2 + (v - w)^2)).
    """
    from scipy.special import ndtri

    smaller = np.minimum(moments.variance_if_held, moments.variance_if_not)
    least = 2 * smaller + np.hypot(
        2 * smaller, moments.variance_if_held - moments.variance_if_not
    )
    return int(np.ceil(ndtri(1 - missing / 2) ** 2 * least.min()))


def careful_interval(
    moments: Moments, missing: float, estimand: str
) -> tuple[Floats, Floats]:
    """(low, high), each (M,): score ends where normal theory holds, others where it
    does not.
    """
    ends = score_interval(moments, missing, estimand)
    # The values of which an end fails, and then, of these, the ends that do.
    places = np.flatnonzero(
        np.logical_or(*_failing(moments, missing, estimand, ends=ends))
    )
    if not places.size:
        return ends
    some, sure = moments.of_values(places), [end.copy() for end in ends]
    better = interval_of_few(some, missing, estimand)
    chosen = _failing(some, missing, estimand, ends=(ends[0][places], ends[1][places]))
    for end, exact, failing in zip(sure, better, chosen, strict=True):
        end[places] = np.where(failing, exact, end[places])
    return sure[0], sure[1]


def few_reports(moments: Moments, missing: float, estimand: str) -> tuple[Remark, ...]:
    """A remark if there are careful ends that are no score ends."""
    failing = np.logical_or(
        *_failing(
            moments, missing, estimand, ends=score_interval(moments, missing, estimand)
        )
    )
    many = np.count_nonzero(failing)
    if not many:
        return ()
    instead = "are exact, from binomial tails"
    if moments.count is None:
        instead = "are those of a scaled Poisson count"
    return (
        Remark(
            "few-reports",
            f"Fewer reports are expected than normal theory needs, for {many:,} of "
            f"{len(failing):,} values: their intervals {instead}.",
        ),
    )


def _failing(
    moments: Moments, missing: float, estimand: str, ends: tuple[Floats, Floats]
) -> tuple[Flags, Flags]:
    """Whether normal theory fails if the low end were true, and if the high one
    were.
    """
    from scipy.special import ndtri

    z = -float(ndtri(missing / 2))
    low, high = (
        far_from_normal(moments, end, z, estimand=estimand)
        for end in within_bounds(ends)
    )
    return low, high


def interval_of_few(
    moments: Moments, missing: float, estimand: str
) -> tuple[Floats, Floats]:
    """(low, high), each (M,), whatever few reports matter: exact where an estimate is
    one count.
    """
    if moments.count is None:
        return scaled_poisson.interval(moments, missing, estimand)
    if estimand == "population":
        return for_population(moments, missing)
    return for_respondents(moments, missing)


def clopper_pearson(
    moments: Moments,
    missing: float,
    estimand: str,  # noqa: ARG001
) -> tuple[Floats, Floats]:
    """(low, high), each of shape (M,), good for both estimands.

    Raises `EstimateError` where an estimate is more than one count.
    """
    if moments.count is None:
        raise EstimateError(
            "expected a mechanism whose estimates are one count each for "
            "clopper-pearson intervals; ask for score intervals instead"
        )
    return for_population(moments, missing)


def within_bounds(ends: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Intervals cut to [0, 1]."""
    low, high = ends
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


INTERVAL_ENDS = {"score": careful_interval, "clopper-pearson": clopper_pearson}
