"""The law of each estimator, in the form that standard errors and intervals need.

Every estimator here is a mean over reports of a score that is unbiased given what its respondent
holds. All that its error depends on is the variance of one score for value x, if the respondent
holds x (`hold`), and if not (`other`):

    Var(estimate of f_x | the respondents) = [f_x hold_x + (1 - f_x) other_x] / n
    Var(estimate of f_x), respondents drawn from a population = the same + f_x (1 - f_x) / n

Sketches have a variance besides that stays whatever n is: `lasting`.

    pure     estimate (C / n - q) / (p - q);  hold = p (1-p) / (p-q)^2, other = q (1-q) / (p-q)^2
    matrix   estimate h B / n with A B = 1 (`decoding`);  score variance of value v: sum_y A[v,y] B[y,x]^2 - [v = x];
             other_x is their mean over the values other than x, weighted by the estimated frequencies
    sum      estimate: the mean score of the numbers in the value's place;  hold = other = the variance of a score, and
             places are independent given the value
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Pure, Randomizer
from ldp.mechanisms.histogram import NoisyHistogram
from ldp.mechanisms.matrix import StochasticMatrix
from ldp_aggregator.arrays import Counts, Floats
from ldp_aggregator.checks import Check, Remark
from ldp_aggregator.moments.jumps import Jumps, jumps_of
from ldp_aggregator.moments.supports import support_counts
from ldp_aggregator.tallies.counting import total_reports

Rates = TypeVar("Rates", float, Floats)
Places = NDArray[np.intp] | NDArray[np.bool_] | slice


@dataclass(frozen=True)
class Moments:
    """Unbiased frequencies of M values from n reports, and what their errors depend on.

    Arrays of shape (M,).
    """

    reports: int
    frequency: Floats
    hold: Floats
    other: Floats
    covariance: Callable[[], Floats]
    """The (M, M) covariance for the respondents, computed when asked for."""
    supports: Counts | None = None
    """How many reports support each value, where the estimate is a function of that count alone."""
    rates: tuple[Floats, Floats] | None = None
    """(p, q) by value: how often a report supports its own and another value.

    Goes with `supports`.
    """
    below: tuple[Floats, Floats] | None = None
    """(hold, other) for frequencies below the estimate, where those above are not right for them.
    """
    lasting: Floats | float = 0.0
    """Variance that no number of reports reduces, to be added to the above."""
    third: tuple[Floats, Floats] | None = None
    """The third central moments of a score, as `hold` and `other` are the second.

    None if not known.
    """
    fourth: tuple[Floats, Floats] | None = None
    """Their fourth cumulants; only where scores may jump by different amounts, or both ways.

    Goes with `third`.
    """
    rising: tuple[Floats, Floats] | None = None
    """What jumps upwards have of the fourth; all, if it is None."""
    falling: tuple[Floats, Floats] | None = None
    """What jumps downwards have of it."""
    lasting_third: Floats | float = 0.0
    """The third cumulant of what no number of reports reduces."""
    lasting_fourth: Floats | float = 0.0
    note: str = ""
    """What an analyst has to know about the estimates."""
    unallocated: tuple[float, float] | None = None
    """Of an open question: the share of respondents whose text is no candidate, and its standard
    error for the population.
    """
    checks: tuple[Check, ...] = ()
    """What the estimator itself found out about the reports."""
    unknown: NDArray[np.bool_] | None = None
    """Values of which the reports are too few to say anything, whatever their estimate is."""
    remarks: tuple[Remark, ...] = ()
    """What to know before believing the estimates, if anything."""

    def of_values(self, places: Places) -> Moments:
        """The moments of some of the values, without their covariance."""

        def some(numbers: Floats | float) -> Floats:
            return np.broadcast_to(numbers, self.frequency.shape)[places]

        def both(numbers: tuple[Floats, Floats] | None) -> tuple[Floats, Floats] | None:
            return None if numbers is None else (numbers[0][places], numbers[1][places])

        return replace(
            self,
            frequency=self.frequency[places],
            hold=self.hold[places],
            other=self.other[places],
            supports=None if self.supports is None else self.supports[places],
            rates=both(self.rates),
            lasting=some(self.lasting),
            third=both(self.third),
            fourth=both(self.fourth),
            rising=both(self.rising),
            falling=both(self.falling),
            below=both(self.below),
            unknown=None if self.unknown is None else self.unknown[places],
            lasting_third=some(self.lasting_third),
            lasting_fourth=some(self.lasting_fourth),
        )


def pure_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments of a mechanism in which every report supports its own value with p and any other with
    q.
    """
    assert isinstance(randomizer, Pure)  # noqa: S101 (a fact about our own table, not about input)
    supports = support_counts(randomizer, counts)
    reports = total_reports(counts, randomizer.layout)
    p, q = (float(rate) for rate in randomizer.support)
    frequency = (supports / reports - q) / (p - q)
    scale = (p - q) ** 2
    size = len(frequency)

    def covariance() -> Floats:
        joint = randomizer.joint_support()
        if joint is None:
            raise EstimateError(
                "expected a mechanism whose reports support pairs of values evenly for a covariance"
            )
        both_own, both_other = (float(rate) for rate in joint)
        own = frequency[:, None] + frequency[None, :]
        off = own * (both_own - p * q) + (1 - own) * (both_other - q * q)
        np.fill_diagonal(off, frequency * p * (1 - p) + (1 - frequency) * q * (1 - q))
        matrix: Floats = off / (reports * scale)
        return matrix

    return Moments(
        reports,
        frequency,
        np.full(size, p * (1 - p) / scale),
        np.full(size, q * (1 - q) / scale),
        covariance,
        supports,
        (np.full(size, p), np.full(size, q)),
        third=third_of_rates(np.full(size, p), np.full(size, q)),
    )


def matrix_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments of a stochastic matrix."""
    assert isinstance(randomizer, StochasticMatrix)  # noqa: S101
    channel = channel_array(randomizer)
    inverse = decoding(channel)
    observed = counts[0]
    reports = int(observed.sum())
    frequency = observed / reports @ inverse
    score_variance = np.maximum(channel @ inverse**2 - np.eye(len(channel)), 0.0)
    # With [v = x] for the mean, E[(B - mean)^3] = E[B^3] - 3 mean E[B^2] + 2 mean.
    score_third = channel @ inverse**3 - np.diag(3 * np.diag(score_variance) + 1)
    hold = np.diag(score_variance).copy()
    held = np.clip(frequency, 0, 1)
    weights = np.where(np.eye(len(held), dtype=bool), 0.0, held[:, None] + 1e-12)
    other = (weights * score_variance).sum(axis=0) / weights.sum(axis=0)
    third = np.diag(score_third).copy(), (weights * score_third).sum(axis=0) / weights.sum(axis=0)

    def covariance() -> Floats:
        spread = np.diag(frequency @ channel) - channel.T @ np.diag(frequency) @ channel
        matrix: Floats = inverse.T @ spread @ inverse / reports
        return matrix

    if channel.shape != (2, 2):
        return Moments(reports, frequency, hold, other, covariance, third=third)
    own = np.diag(channel).copy()
    return Moments(
        reports, frequency, hold, other, covariance, observed, (own, 1 - own[::-1]), third=third
    )


def sum_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments of a vector of noisy numbers."""
    assert isinstance(randomizer, NoisyHistogram)  # noqa: S101
    reports = total_reports(counts, randomizer.layout)
    frequency = counts @ np.array([float(score) for score in randomizer.scores()]) / reports
    variance = np.full(len(frequency), float(randomizer.variance()))
    scores = np.array([float(score) for score in randomizer.scores()])
    laws = (
        np.array([float(mass) for mass in randomizer.level_law(holds=holds)])
        for holds in (True, False)
    )

    def covariance() -> Floats:
        matrix: Floats = np.diag(variance / reports)
        return matrix

    moments = Moments(reports, frequency, variance, variance, covariance)
    return with_jumps(moments, *(jumps_of(scores, law) for law in laws))


def with_jumps(moments: Moments, own: Jumps, other: Jumps) -> Moments:
    """The moments of scores that jump alike for all values: if the respondent holds the value, and
    if not.
    """
    size = len(moments.frequency)
    third, fourth, rising, falling = (
        (np.full(size, if_held), np.full(size, if_not))
        for if_held, if_not in zip(own, other, strict=True)
    )
    return replace(moments, third=third, fourth=fourth, rising=rising, falling=falling)


def fourth_of_rates(p: Rates, q: Rates) -> tuple[Rates, Rates]:
    """The fourth cumulants of (support - q) / (p - q), for those who hold the
    value and for others.
    """
    of_holder, of_other = p * (1 - p), q * (1 - q)
    return of_holder * (1 - 6 * of_holder) / (p - q) ** 4, of_other * (1 - 6 * of_other) / (
        p - q
    ) ** 4


def third_of_rates(p: Rates, q: Rates) -> tuple[Rates, Rates]:
    """The third central moments of (support - q) / (p - q), for those who hold the value and for
    others.
    """
    scale = (p - q) ** 3
    return p * (1 - p) * (1 - 2 * p) / scale, q * (1 - q) * (1 - 2 * q) / scale


def decoding(channel: Floats) -> Floats:
    """The inverse of a channel.

    If it has more reports than values, its right inverse as in `ldp.channel`.
    """
    if channel.shape[0] == channel.shape[1]:
        return np.asarray(np.linalg.inv(channel), dtype=float)
    posterior = (channel / channel.sum(axis=0)).T
    return np.asarray(posterior @ np.linalg.inv(channel @ posterior), dtype=float)


def channel_array(randomizer: StochasticMatrix) -> Floats:
    """The matrix as floats, rows by true value."""
    totals = map(sum, randomizer.weights)
    return np.array(
        [
            [weight / total for weight in row]
            for row, total in zip(randomizer.weights, totals, strict=True)
        ]
    )
