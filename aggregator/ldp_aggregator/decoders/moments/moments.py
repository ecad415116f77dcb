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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldp_aggregator.decoders.moments.joint_errors import Covariance, ScoreCumulants
from ldp_aggregator.decoders.moments.jumps import Jumps
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.output.checks import Check, Remark

Places = NDArray[np.intp] | NDArray[np.bool_] | slice


ByHolding = tuple[Floats, Floats]
"""Numbers by value, (M,) each: if the respondent holds the value, and if not."""


class OneCount(NamedTuple):
    """The counts that estimates are functions of, where each is one of one count."""

    supports: Counts
    """How many reports support each value."""
    rates: ByHolding
    """(p, q) by value: how often a report supports its own and another value."""
    disjoint: bool = False
    """Whether a report supports one value at most."""


class ScoreJumps(NamedTuple):
    """How far the law of one report's score is from normal, by value."""

    third: ByHolding
    """Third central moments."""
    fourth: ByHolding | None = None
    """Fourth cumulants; only where scores may jump by different amounts, or both
    ways.
    """
    rising: ByHolding | None = None
    """What jumps upwards have of the fourth; all, if it is None."""
    falling: ByHolding | None = None
    """What jumps downwards have of it."""


class Collisions(NamedTuple):
    """Cumulants of what hash collisions add to an estimate: no number of reports
    reduces it.
    """

    variance: Floats | float = 0.0
    third: Floats | float = 0.0
    fourth: Floats | float = 0.0


class LinearLaw(NamedTuple):
    """Errors of linear functions of the frequencies, where they take no matrix of all
    values.
    """

    covariance: Covariance | None = None
    """Of functions, (Q, M), for the respondents."""
    spread: Callable[[Floats], ScoreCumulants] | None = None
    """Of one report's function with weights (M,)."""


class Findings(NamedTuple):
    """What the estimator itself found out about the reports."""

    note: str = ""
    """What an analyst has to know about the estimates."""
    checks: tuple[Check, ...] = ()
    remarks: tuple[Remark, ...] = ()
    """What to know before believing the estimates, if anything."""
    unknown: NDArray[np.bool_] | None = None
    """Values of which the reports are too few to say anything, whatever their estimate
    is.
    """


class CandidateFit(NamedTuple):
    """What a regression on candidates adds."""

    tested: Moments | None = None
    """Of the same values, by estimates of less error that only tests go by; None for
    these.
    """
    likely: tuple[Floats, Floats] | None = None
    """Means and medians of the frequencies' joint posterior, where there is one."""
    unallocated: tuple[float, float] | None = None
    """The share of respondents whose text is no candidate, and its standard error for
    the population.
    """


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
    linear: LinearLaw = LinearLaw()  # noqa: RUF009 (a tuple cannot change)
    count: OneCount | None = None
    """Where an estimate is a function of one count alone."""
    below: ByHolding | None = None
    """(variance_if_held, variance_if_not) for frequencies below the estimate, where
    those above are not right for them.
    """
    lasting: ByHolding | None = None
    """What of (variance_if_held, variance_if_not) all reports of one permanent response
    share.

    None if no response is kept, or if it is not known how much.
    """
    jumps: ScoreJumps | None = None
    """None if not known."""
    collisions: Collisions = Collisions()  # noqa: RUF009
    answering: Any = None
    """How any query of a distribution is answered (`decoder.Queries`), where reports
    are for that.
    """
    findings: Findings = Findings()  # noqa: RUF009
    fit: CandidateFit = CandidateFit()  # noqa: RUF009

    def of_values(self, places: Places) -> Moments:
        """The moments of some of the values, without their covariance."""

        def some(numbers: Floats | float) -> Floats:
            return np.broadcast_to(numbers, self.frequency.shape)[places]

        def both(numbers: ByHolding | None) -> ByHolding | None:
            if numbers is None:
                return None
            return (numbers[0][places], numbers[1][places])

        count, jumps, fit = self.count, self.jumps, self.fit
        unknown = self.findings.unknown
        if count is not None:
            p, q = count.rates
            count = OneCount(
                count.supports[places], (p[places], q[places]), count.disjoint
            )
        if jumps is not None:
            if_held, if_not = jumps.third
            third = if_held[places], if_not[places]
            jumps = ScoreJumps(third, *map(both, jumps[1:]))
        if unknown is not None:
            unknown = unknown[places]
        if fit.tested is not None:
            fit = fit._replace(tested=fit.tested.of_values(places))
        return replace(
            self,
            linear=LinearLaw(),
            frequency=self.frequency[places],
            variance_if_held=self.variance_if_held[places],
            variance_if_not=self.variance_if_not[places],
            count=count,
            below=both(self.below),
            lasting=both(self.lasting),
            jumps=jumps,
            collisions=Collisions(*map(some, self.collisions)),
            findings=self.findings._replace(unknown=unknown),
            fit=fit._replace(likely=both(fit.likely)),
        )

    def of_one_count(self, places: Places) -> Moments | None:
        """How many hold one of these values, as one count, if it is one."""
        if self.count is None:
            return None
        supports = self.count.supports[places]
        if len(supports) > 1 and not self.count.disjoint:
            return None
        p, q = (rate[places] for rate in self.count.rates)
        others = q.sum() - q[:1]
        return replace(
            self.of_values(places).of_values(slice(1)),
            frequency=self.frequency[places].sum(keepdims=True),
            count=OneCount(
                supports.sum(keepdims=True), (p[:1] + others, q[:1] + others)
            ),
        )


def alike_for(size: int, number: float) -> Floats:
    """One number for each of so many values, (M,), which takes no room."""
    return np.broadcast_to(number, size)


def with_jumps(moments: Moments, own: Jumps, other: Jumps) -> Moments:
    """Moments with scores that jump alike for all values: if the value is held, and if
    not.
    """
    size = len(moments.frequency)
    pairs = (
        (alike_for(size, if_held), alike_for(size, if_not))
        for if_held, if_not in zip(own, other, strict=True)
    )
    return replace(moments, jumps=ScoreJumps(*pairs))


def of_others(powers: Floats) -> Floats:
    """By value, the sum over all other values."""
    rest: Floats = powers.sum() - powers
    return rest
