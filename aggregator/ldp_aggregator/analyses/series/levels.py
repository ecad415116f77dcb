"""Level and trend over time, with bands, by state space models with known observation
noise.

The estimate of an epoch is its level plus noise, whose variance R_t is known from the
mechanism and the number of reports; the level moves by steps of a variance q that is
not known:

    estimate_t = level_t [+ season_t] + N(0, R_t),     level_t+1 = level_t [+ slope_t] + N(0, q)
    slope_t+1 = slope_t + N(0, r)  (if a slope is asked for),   season_t: fixed, of sum 0

A Kalman smoother gives the level of each epoch from all estimates, for any q and r; an
epoch without an estimate has a level all the same, with a wider band. The likelihood of
q, from which the initial level is left out (diffuse), has a flat top where epochs are
few: so levels and bands are of the mixture over what q may be, by likelihood
(`series.mixtures`), and as wide as not knowing it makes them.

Before that all q are equally likely, up to about a hundred variances of an estimate: a
level is believed to stand still only once that is seen. A flat law of a variance is the
one under which bands of such hierarchies hold as often as they say whatever the
variance is, where one that is flat in the size of steps, or half-Cauchy, holds too
rarely at steps of one or two errors. Beyond, it falls like a Cauchy law of the size, so
that few epochs have an answer, too. What a slope changes by is half-Cauchy: flat, it
would say next to nothing of the slope.

Sources: Harvey 1989; Durbin and Koopman 2012, chapters 2 to 7; Hamilton 1986 (bands
that allow for unknown variances); Morris and Lysy 2012, section 2 (the flat law);
Gelman 2006 (half-Cauchy). The smoother is that of statsmodels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.series.mixtures import Mixture
from ldp_aggregator.numerics.arrays import Floats

FULL_SEASONS = 3
"""Estimates that each place of a season has to have, at least."""
_STEPS, _STEPS_BESIDE_SLOPES, _SLOPES = 32, 16, 8
"""Sizes that are tried."""
_SCALE, _LARGEST = 10.0, 100.0
"""Sizes of steps up to which variances are equally likely, and that are tried, in
errors.
"""
_SMALLEST = 0.3
"""The least that is tried, over all epochs together."""
_SLOPE_SCALE = 0.3
"""The size of what slopes change by that is as likely as not, in errors."""


class TrendLevel(NamedTuple):
    """Level of each of T epochs, and of how they follow each other."""

    law: Mixture
    """Of the level of each."""
    step: float
    """The likeliest standard deviation of what a level moves by from one epoch to the
    next.
    """
    slope: tuple[float, float] | None
    """Of the last epoch, and its standard error; None if none was asked for."""
    season: Floats | None
    """What each epoch of a season adds to the level, from the first epoch on."""

    @property
    def level(self) -> Floats:
        """Level of each epoch, shape (T,)."""
        return self.law.mean

    @property
    def error(self) -> Floats:
        """The standard error of each, shape (T,)."""
        return self.law.error


class _Fit(NamedTuple):
    before: float
    """The logarithm of how likely its step variances were before."""
    likelihood: float
    steps: float
    level: Floats
    variance: Floats
    slope: tuple[float, float]
    season: Floats


def level_of(
    estimate: Floats,
    variance: Floats,
    season: int | None = None,
    *,
    slope: bool = False,
) -> TrendLevel:
    """The level behind estimates (NaN for missing ones) with these variances.

    Raises `EstimateError` for too few estimates, and if statsmodels is not there.
    """
    _check(estimate, season, slope=slope)
    unit = float(np.nanmedian(variance))
    fits = list(_fits(estimate, variance, unit, season=season, slope=slope))
    likelihoods = np.array([fit.likelihood for fit in fits])
    likely = likelihoods + np.array([fit.before for fit in fits])
    # (fits,): how much each counts.
    weights = np.exp(likely - likely.max())
    weights /= weights.sum()
    levels = np.array([fit.level for fit in fits])
    law = Mixture(weights, levels, np.array([fit.variance for fit in fits]))
    slopes = np.array([fit.slope for fit in fits])
    mean = float(weights @ slopes[:, 0])
    error = float(np.sqrt(weights @ (slopes[:, 1] + (slopes[:, 0] - mean) ** 2)))
    return TrendLevel(
        law,
        step=float(np.sqrt(fits[int(likelihoods.argmax())].steps)),
        slope=(mean, error) if slope else None,
        season=weights @ np.array([fit.season for fit in fits]) if season else None,
    )


def _check(estimate: Floats, season: int | None, *, slope: bool) -> None:
    there = ~np.isnan(estimate)
    least = 2 + slope
    if np.count_nonzero(there) < least:
        raise EstimateError(
            f"expected at least {least} epochs with reports, got "
            f"{np.count_nonzero(there)}"
        )
    if season is None:
        return
    if season < 2:
        raise EstimateError(f"expected a season of at least 2 epochs, got {season}")
    by_place = np.bincount(np.flatnonzero(there) % season, minlength=season)
    if by_place.min() < FULL_SEASONS:
        raise EstimateError(
            f"expected at least {FULL_SEASONS} full seasons of {season} epochs, got a "
            f"place with {by_place.min()}: with fewer, a season cannot be told from a "
            "change"
        )


def _fits(
    estimate: Floats, variance: Floats, unit: float, season: int | None, *, slope: bool
) -> Iterator[_Fit]:
    """For all step variances that are tried."""
    model, level = _model(estimate, variance, season, slope=slope)
    steps = _sizes(_STEPS_BESIDE_SLOPES if slope else _STEPS, len(estimate))
    turns = _half_cauchy(_SLOPES) if slope else [0.0]
    for step, before in steps:
        for turn in turns:
            variances = unit * step**2, unit * turn**2
            model["state_cov"] = np.diag(variances[: 1 + slope])
            smoothed = model.smooth()
            yield _Fit(
                before,
                float(smoothed.llf),
                steps=variances[0],
                level=smoothed.smoothed_state[0],
                variance=smoothed.smoothed_state_cov[0, 0],
                slope=_last_slope(smoothed) if slope else (0.0, 0.0),
                season=smoothed.smoothed_state[level] if season else np.zeros(1),
            )


def _last_slope(smoothed: Any) -> tuple[float, float]:
    return float(smoothed.smoothed_state[1, -1]), float(
        smoothed.smoothed_state_cov[1, 1, -1]
    )


def _model(
    estimate: Floats, variance: Floats, season: int | None, *, slope: bool
) -> tuple[Any, int]:
    """The smoother, but for the variances of states; and the first state of the
    season.
    """
    try:
        from statsmodels.tsa.statespace.kalman_smoother import KalmanSmoother
    except ImportError:
        raise EstimateError(
            "expected statsmodels for levels over time, found none; install it with "
            "pip install "
            '"ldpkit-aggregator[trend]"'
        ) from None
    moving, seasons = 1 + slope, (season or 1) - 1
    model = KalmanSmoother(k_endog=1, k_states=moving + seasons, k_posdef=moving)
    model.bind(np.asfortranarray(estimate[None, :]))
    design = np.zeros((1, moving + seasons))
    transition = np.zeros((moving + seasons,) * 2)
    design[0, 0] = 1.0
    transition[:moving, :moving] = np.triu(np.ones((moving, moving)))
    if seasons:
        # The season of an epoch is minus the sum of the others, which were before.
        design[0, moving] = 1.0
        transition[moving, moving:] = -1.0
        transition[moving + 1 :, moving:-1] = np.eye(seasons - 1)
    model["design"], model["transition"] = design, transition
    model["selection"] = np.eye(moving + seasons, moving)
    model["obs_cov"] = np.nan_to_num(variance, nan=1.0)[None, None, :]
    # Exactly diffuse: the likelihood leaves out what is spent on where things begin.
    model.initialize_diffuse()
    return model, moving


def _sizes(many: int, epochs: int) -> Iterator[tuple[float, float]]:
    """Sizes of steps in equal ratios, and the logarithm of how likely each was before.

    The density of the variance is (1 + size^2 / scale^2)^-1.5; among equal ratios of
    sizes it is multiplied by size^2.
    """
    for size in np.geomspace(_SMALLEST / epochs, _LARGEST, many).tolist():
        yield size, float(2 * np.log(size) - 1.5 * np.log1p((size / _SCALE) ** 2))


def _half_cauchy(many: int) -> list[float]:
    """Sizes of what slopes change by that are equally likely."""
    middles = (np.arange(many) + 0.5) / many
    sizes: list[float] = (_SLOPE_SCALE * np.tan(np.pi / 2 * middles)).tolist()
    return sizes
