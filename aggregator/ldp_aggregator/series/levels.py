"""Level and trend over time, with bands, by state space models with known observation noise.

The estimate of an epoch is its level plus noise, whose variance R_t is known from the mechanism and
the number of reports; the level moves by steps of a variance q that is not known:

    estimate_t = level_t [+ season_t] + N(0, R_t),     level_t+1 = level_t [+ slope_t] + N(0, q)
    slope_t+1 = slope_t + N(0, r)  (if a slope is asked for),   season_t: fixed, of sum 0

A Kalman smoother gives the level of each epoch from all estimates, for any q and r; an epoch
without an estimate has a level all the same, with a wider band. The likelihood of q, from which the
initial level is left out (diffuse), has a flat top where epochs are few: its maximum is shown, and
bands average over what q may be, by likelihood, so that they are as wide as not knowing it makes
them.
Before that the size of a step counts as half-Cauchy: above three standard errors of an estimate as
likely as below, so that a level is believed to stand still only once that is seen.

Sources: Harvey 1989; Durbin and Koopman 2012, chapters 2 to 7; Hamilton 1986 (bands that allow for
unknown variances); Gelman 2006 (half-Cauchy). The smoother is that of statsmodels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.arrays import Floats

FULL_SEASONS = 3
"""Estimates that each place of a season has to have, at least."""
_STEPS, _STEPS_BESIDE_SLOPES, _SLOPES = 24, 12, 8
_SCALE = 3.0
"""The size of steps that is as likely as not, in standard errors of an estimate."""
_SLOPE_SCALE = 0.1
"""The size of what slopes change by, over that of steps."""


class Level(NamedTuple):
    """Of each epoch, arrays of shape (T,): the level, and its standard error."""

    level: Floats
    error: Floats
    step: float
    """The likeliest standard deviation of what a level moves by from one epoch to the next."""
    slope: tuple[float, float] | None
    """Of the last epoch, and its standard error; None if none was asked for."""
    season: Floats | None
    """What each epoch of a season adds to the level, from the first epoch on."""


class _Fit(NamedTuple):
    likelihood: float
    steps: float
    level: Floats
    variance: Floats
    slope: tuple[float, float]
    season: Floats


def level_of(
    estimate: Floats, variance: Floats, season: int | None = None, *, slope: bool = False
) -> Level:
    """The level behind estimates (NaN for missing ones) with these variances.

    Raises `EstimateError` for too few estimates, and if statsmodels is not there.
    """
    _check(estimate, season, slope=slope)
    unit = float(np.nanmedian(variance))
    fits = list(_fits(estimate, variance, unit, season=season, slope=slope))
    likelihoods = np.array([fit.likelihood for fit in fits])
    # (fits,): how much each counts.
    weights = np.exp(likelihoods - likelihoods.max())
    weights /= weights.sum()
    level = weights @ np.array([fit.level for fit in fits])
    spread = weights @ np.array([fit.variance + (fit.level - level) ** 2 for fit in fits])
    slopes = np.array([fit.slope for fit in fits])
    mean = float(weights @ slopes[:, 0])
    error = float(np.sqrt(weights @ (slopes[:, 1] + (slopes[:, 0] - mean) ** 2)))
    return Level(
        level,
        np.sqrt(spread),
        step=float(np.sqrt(fits[int(likelihoods.argmax())].steps)),
        slope=(mean, error) if slope else None,
        season=weights @ np.array([fit.season for fit in fits]) if season else None,
    )


def _check(estimate: Floats, season: int | None, *, slope: bool) -> None:
    there = ~np.isnan(estimate)
    least = 2 + slope
    if np.count_nonzero(there) < least:
        raise EstimateError(
            f"expected at least {least} epochs with reports, got {np.count_nonzero(there)}"
        )
    if season is None:
        return
    if season < 2:
        raise EstimateError(f"expected a season of at least 2 epochs, got {season}")
    by_place = np.bincount(np.flatnonzero(there) % season, minlength=season)
    if by_place.min() < FULL_SEASONS:
        raise EstimateError(
            f"expected at least {FULL_SEASONS} full seasons of {season} epochs, got a place with "
            f"{by_place.min()}: with fewer, a season cannot be told from a change"
        )


def _fits(
    estimate: Floats, variance: Floats, unit: float, season: int | None, *, slope: bool
) -> Iterator[_Fit]:
    """For step variances that are equally likely before."""
    model, level = _model(estimate, variance, season, slope=slope)
    steps = _half_cauchy(_STEPS_BESIDE_SLOPES if slope else _STEPS)
    slopes = _SLOPE_SCALE * _half_cauchy(_SLOPES) if slope else np.zeros(1)
    for step in unit * steps**2:
        for turn in unit * slopes**2:
            model["state_cov"] = np.diag([step, turn] if slope else [step])
            smoothed = model.smooth()
            yield _Fit(
                float(smoothed.llf),
                float(step),
                smoothed.smoothed_state[0],
                variance=smoothed.smoothed_state_cov[0, 0],
                slope=_last_slope(smoothed) if slope else (0.0, 0.0),
                season=smoothed.smoothed_state[level] if season else np.zeros(1),
            )


def _last_slope(smoothed: Any) -> tuple[float, float]:
    return float(smoothed.smoothed_state[1, -1]), float(smoothed.smoothed_state_cov[1, 1, -1])


def _model(
    estimate: Floats, variance: Floats, season: int | None, *, slope: bool
) -> tuple[Any, int]:
    """The smoother, but for the variances of states; and the first state of the season."""
    try:
        from statsmodels.tsa.statespace.kalman_smoother import KalmanSmoother
    except ImportError:
        raise EstimateError(
            "expected statsmodels for levels over time, found none; install it with pip install "
            '"ldpkit-aggregator[trend]"'
        ) from None
    moving, seasons = 1 + slope, (season or 1) - 1
    model = KalmanSmoother(k_endog=1, k_states=moving + seasons, k_posdef=moving)
    model.bind(np.asfortranarray(estimate[None, :]))
    design, transition = np.zeros((1, moving + seasons)), np.zeros((moving + seasons,) * 2)
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


def _half_cauchy(points: int) -> Floats:
    """So many values of a half-Cauchy law that are equally likely."""
    middles = (np.arange(points) + 0.5) / points
    values: Floats = _SCALE * np.tan(np.pi / 2 * middles)
    return values
