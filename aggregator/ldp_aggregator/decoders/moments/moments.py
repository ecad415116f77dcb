"""The law of each estimator, in the form that standard errors and intervals need.

Every estimator here is a mean over reports of a score that is unbiased given what its
respondent holds. All that its error depends on is the variance of one score for value
x, if the respondent holds x (v_x), and if not (w_x):

    Var(estimate of f_x | the respondents) = [f_x v_x + (1 - f_x) w_x] / n
    Var(estimate of f_x), respondents drawn from a population = the same + f_x (1 - f_x) / n

Where values share hash functions, their collisions add a variance that stays whatever n
is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_aggregator.decoders.moments.jumps import Jumps
from ldp_aggregator.decoders.moments.together import Covariance, ScoreCumulants
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.output.checks import Check, Remark

Places = NDArray[np.intp] | NDArray[np.bool_] | slice


@dataclass(frozen=True)
class Moments:
    """Unbiased frequencies of M values from n reports, and what their errors depend on.

    Arrays of shape (M,).
    """

    reports: int
    frequency: Floats
    variance_if_held: Floats
    """Of one report's score for a value, if its respondent holds that."""
    variance_if_not: Floats
    """The same, if the respondent holds another value."""
    covariance: Callable[[], Floats]
    """The (M, M) covariance for the respondents, computed when asked for."""
    together: Covariance | None = None
    """The same of linear functions, (Q, M), where that takes no matrix of all values.
    """
    spread: Callable[[Floats], ScoreCumulants] | None = None
    """Of one report's function with weights (M,)."""
    disjoint: bool = False
    """Whether a report supports one value at most."""
    supports: Counts | None = None
    """How many reports support each value, where the estimate is a function of that
    count alone.
    """
    rates: tuple[Floats, Floats] | None = None
    """(p, q) by value: how often a report supports its own and another value.

    Goes with `supports`.
    """
    below: tuple[Floats, Floats] | None = None
    """(variance_if_held, variance_if_not) for frequencies below the estimate, where
    those above are not right for them.
    """
    lasting: tuple[Floats, Floats] | None = None
    """What of (variance_if_held, variance_if_not) all reports of one permanent response
    share.

    None if no response is kept, or if it is not known how much.
    """
    collision_variance: Floats | float = 0.0
    """Variance that hash collisions add to an estimate: no number of reports reduces
    it.
    """
    third: tuple[Floats, Floats] | None = None
    """The third central moments of a score, if its respondent holds the value and if
    not.

    None if not known.
    """
    fourth: tuple[Floats, Floats] | None = None
    """Their fourth cumulants; only where scores may jump by different amounts, or both
    ways.

    Goes with `third`.
    """
    rising: tuple[Floats, Floats] | None = None
    """What jumps upwards have of the fourth; all, if it is None."""
    falling: tuple[Floats, Floats] | None = None
    """What jumps downwards have of it."""
    collision_third: Floats | float = 0.0
    """The third cumulant of what hash collisions add."""
    collision_fourth: Floats | float = 0.0
    """The fourth of it."""
    note: str = ""
    """What an analyst has to know about the estimates."""
    unallocated: tuple[float, float] | None = None
    """Of an open question: the share of respondents whose text is no candidate, and its
    standard error for the population.
    """
    checks: tuple[Check, ...] = ()
    """What the estimator itself found out about the reports."""
    unknown: NDArray[np.bool_] | None = None
    """Values of which the reports are too few to say anything, whatever their estimate
    is.
    """
    remarks: tuple[Remark, ...] = ()
    """What to know before believing the estimates, if anything."""
    answering: Any = None
    """How any query of a distribution is answered (`decoder.Queries`), where reports
    are for that.
    """

    tested: Moments | None = None
    """Of the same values, by estimates of less error that only tests go by; None for
    these.
    """
    likely: tuple[Floats, Floats] | None = None
    """Means and medians of the frequencies' joint posterior, where an estimator has
    one.
    """

    def of_values(self, places: Places) -> Moments:
        """The moments of some of the values, without their covariance."""

        def some(numbers: Floats | float) -> Floats:
            return np.broadcast_to(numbers, self.frequency.shape)[places]

        def both(numbers: tuple[Floats, Floats] | None) -> tuple[Floats, Floats] | None:
            return None if numbers is None else (numbers[0][places], numbers[1][places])

        return replace(
            self,
            together=None,
            spread=None,
            frequency=self.frequency[places],
            variance_if_held=self.variance_if_held[places],
            variance_if_not=self.variance_if_not[places],
            supports=None if self.supports is None else self.supports[places],
            rates=both(self.rates),
            collision_variance=some(self.collision_variance),
            third=both(self.third),
            fourth=both(self.fourth),
            rising=both(self.rising),
            falling=both(self.falling),
            below=both(self.below),
            lasting=both(self.lasting),
            unknown=None if self.unknown is None else self.unknown[places],
            tested=None if self.tested is None else self.tested.of_values(places),
            likely=both(self.likely),
            collision_third=some(self.collision_third),
            collision_fourth=some(self.collision_fourth),
        )

    def of_one_count(self, places: Places) -> Moments | None:
        """How many hold one of these values, as one count, if it is one."""
        if self.rates is None or self.supports is None:
            return None
        supports = self.supports[places]
        if len(supports) > 1 and not self.disjoint:
            return None
        p, q = (rate[places] for rate in self.rates)
        others = q.sum() - q[:1]
        return replace(
            self.of_values(places).of_values(slice(1)),
            frequency=self.frequency[places].sum(keepdims=True),
            supports=supports.sum(keepdims=True),
            rates=(p[:1] + others, q[:1] + others),
        )


def alike_for(size: int, number: float) -> Floats:
    """One number for each of so many values, (M,), which takes no room."""
    return np.broadcast_to(number, size)


def with_jumps(moments: Moments, own: Jumps, other: Jumps) -> Moments:
    """Moments with scores that jump alike for all values: if the value is held, and if
    not.
    """
    size = len(moments.frequency)
    third, fourth, rising, falling = (
        (alike_for(size, if_held), alike_for(size, if_not))
        for if_held, if_not in zip(own, other, strict=True)
    )
    return replace(moments, third=third, fourth=fourth, rising=rising, falling=falling)


def of_others(powers: Floats) -> Floats:
    """By value, the sum over all other values."""
    rest: Floats = powers.sum() - powers
    return rest
