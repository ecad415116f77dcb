"""Linear functions of a question's shares: what they are estimated to be, and how they
err.

A function gives each value a weight, and is the mean of the weights of what people
hold: a sum of shares has weights 1 and 0, a difference 1 and -1, a score any numbers.
It is estimated without bias from the same reports as the shares, at no further cost of
privacy, and its variance is that of the score of one report for it
(`moments.joint_errors`). For a population that the respondents were drawn from, what
they hold varies as well: sum_z f_z q_z r_z - (q'f) (r'f), over n.

Where a tally does not tell how values go together, standard errors are added up: a
bound that no error exceeds, and results say so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from ldp.answers.booleans import canonical_value
from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.intervals.intervals import miss
from ldp_aggregator.decoders.moments.joint_errors import Covariance, ScoreCumulants
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.interval import Estimated
from ldp_aggregator.output.checks import Remark

_ADDED_UP = (
    "a bound: the tally does not tell how errors of values go together, so they are "
    "added up"
)
_HELD_TOGETHER = (
    "a bound: no report tells who holds which values together, so what sampling adds "
    "is added up"
)

_FEW_REPORTS = Remark(
    "few-reports",
    (
        "Few reports: the interval goes by the jumps that single reports make, as "
        "normal theory fails."
    ),
)
_BEYOND = Remark(
    "beyond-range",
    (
        "The estimate is beyond all that the number can be: the interval is of the "
        "nearest possible."
    ),
)

_HARDLY_ANY = 1e-12
"""The variance of a function that shows no noise, but for rounding."""


@dataclass(frozen=True)
class Contrast(Estimated):
    """A linear function of shares, or a ratio of two."""

    name: str
    estimate: float
    """Unbiased; of a ratio, the quotient of two unbiased estimates, NaN if the lower
    may be 0.
    """
    standard_error: float
    low: float
    high: float
    p_value: float
    """Of a test whether it is 0, two-sided; of a ratio, whether it is 1."""
    bound: str = ""
    """Why errors are bounds, if they are."""
    remarks: tuple[Remark, ...] = ()
    """What to know before believing it, if anything."""


class Estimable(Protocol):
    """Estimates that err together, of which functions are made."""

    @property
    def frequency(self) -> Floats:
        """Frequency of shape (M,): unbiased."""

    @property
    def reports(self) -> int:
        """How many they rest on."""

    def erring(self, weights: Floats, estimand: str | None = None) -> Erring:
        """How functions with weights (Q, M) err together."""

    def range_of(self, weights: Floats) -> tuple[float, float]:
        """The least and the greatest that a function with weights (M,) can be."""


class Erring(NamedTuple):
    """How functions err together."""

    covariance: Floats
    """(Q, Q)."""
    bound: str = ""
    """Why it is a bound, if it is one: then off the diagonal it is as bad as it can be
    for ratios.
    """


@dataclass(frozen=True, eq=False)
class Functions:
    """The linear functions of one question's shares."""

    name: str
    """The question's."""
    values: Sequence[str]
    """What weights are called by, in Python; none where they are asked for by ranges.
    """
    frequency: Floats
    """Of shape (M,): unbiased."""
    reports: int
    options: Options
    covariance: Covariance
    """For the respondents; raises `EstimateError` where the tally does not tell."""
    errors: Callable[[], Floats]
    """The standard errors of single values, (M,), for the options' estimand."""
    spread: Callable[[Floats], ScoreCumulants] | None = None
    """The law of one report's function with weights (M,)."""
    shares: Moments | None = None
    """Those of single values, where there are any."""
    exclusive: bool = True
    """Whether everyone holds exactly one of the values."""

    def beside_others(self) -> Functions:
        """The same of values that are some of all: the others are one more, which has
        no weight.

        They hold what these leave of 1. Where they are few, nothing need be estimated
        of the rest.
        """
        rest = 1 - float(self.frequency.sum())
        return replace(
            self,
            frequency=np.append(self.frequency, rest),
            covariance=lambda weights: self.covariance(weights[:, :-1]),
            errors=lambda: np.append(self.errors(), 0.0),
        )

    def weights(self, chosen: Mapping[str, float] | Collection[str]) -> Floats:
        """Weights of a mapping by value, or 1 for each of some values: of shape (M,).

        Raises `UnknownNameError` for what is no value of the question.
        """
        by_value = chosen if isinstance(chosen, Mapping) else dict.fromkeys(chosen, 1.0)
        weights = np.zeros(len(self.frequency))
        for named, weight in by_value.items():
            value = canonical_value(named, self.values)
            if value not in self.values:
                what = f"one of the values of question {self.name!r}"
                raise UnknownNameError(value, tuple(self.values), what)
            if not isinstance(weight, int | float) or not math.isfinite(weight):
                raise EstimateError(
                    f"expected a finite number for {value!r}, got {weight!r}"
                )
            weights[self.values.index(value)] = weight
        return weights

    def erring(self, weights: Floats, estimand: str | None = None) -> Erring:
        """How functions with weights (Q, M) err together, for an estimand or the
        options'.
        """
        return self._erring(weights, [self._spread(row) for row in weights], estimand)

    def _erring(
        self,
        weights: Floats,
        spreads: Sequence[ScoreCumulants | None],
        estimand: str | None = None,
    ) -> Erring:
        try:
            covariance = self.covariance(weights)
        except EstimateError:
            return Erring(added_up(np.abs(weights) @ self.errors()), _ADDED_UP)
        # Few reports may show less noise than there can be, whatever is held.
        least = [
            self._noise_of_values(row) if one is None else float(one.variance.min())
            for row, one in zip(weights, spreads, strict=True)
        ]
        if any(one is None for one in spreads):
            # What is not known of all together is not said of functions that do err.
            least = np.where(np.diag(covariance) > _HARDLY_ANY, 0.0, least).tolist()
        covariance = _at_least(covariance, np.array(least) / self.reports)
        if (estimand or self.options.estimand) == "respondents":
            return Erring(covariance)
        if self.exclusive:
            held = weights @ self.frequency
            drawn = (weights * self.frequency) @ weights.T - np.outer(held, held)
            return Erring(
                covariance + _at_least(drawn / self.reports, np.zeros(len(weights)))
            )
        shares = self.frequency.clip(0, 1)
        drawn = np.abs(weights) @ np.sqrt(shares * (1 - shares) / self.reports)
        return Erring(
            added_up(np.sqrt(np.diag(covariance).clip(0)) + drawn), _HELD_TOGETHER
        )

    def share(self, values: Collection[str]) -> Contrast:
        """The share of those who hold one of some values.

        Raises `EstimateError` for several values that one respondent may hold together.
        """
        if not self.exclusive and len(values) != 1:
            raise EstimateError(
                f"question {self.name!r}: expected a single value, got {len(values)} "
                "of which a respondent may hold several, so that a sum of their shares "
                "is no share; contrast({value: 1, ...}) adds them up, which is how "
                "many of them respondents hold, on average"
            )
        return self.function(f"share of {', '.join(values)}", self.weights(values))

    def function(
        self, name: str, weights: Floats, constant: float = 0.0, *, family: int = 1
    ) -> Contrast:
        """`constant` plus the function with these weights, (M,), one of a family of so
        many.
        """
        from ldp_aggregator.answers.contrasts.ends import (
            Slopes,
            score_ends,
            slopes,
            two_sided_p_value,
        )
        from ldp_aggregator.answers.contrasts.few_reports import (
            careful_chance,
            careful_ends,
        )

        estimate = float(weights @ self.frequency)
        spread = self._spread(weights)
        erring = self._erring(weights[None], [spread])
        variance = float(erring.covariance[0, 0])
        slope = slopes(
            weights,
            self.frequency,
            None if spread is None else spread.variance,
            drawn=self.options.estimand == "population" and self.exclusive,
            variance=variance,
        )
        slope = Slopes(*(one / self.reports for one in slope))
        missing = miss(self.options.level, family, self.options.simultaneous)
        quantile = quantile_of(self.options, family)
        plain = ends = score_ends(estimate, variance, slope, quantile=quantile)
        chance = two_sided_p_value(constant + estimate, variance, slope)
        least, most = self.range_of(weights)
        law = self._law(weights, spread, variance * self.reports, quantile=quantile)
        if law is not None:
            ends = careful_ends(
                ends,
                law,
                (least, most),
                one_count=self._one_count(weights),
                missing=missing,
                estimand=self.options.estimand,
            )
            nothing = (-constant - least) / (most - least)
            if 0 <= nothing <= 1:
                chance = careful_chance(chance, law, nothing)
        remarks = () if ends == plain else (_FEW_REPORTS,)
        low, high = (min(max(end, least), most) for end in ends)
        if low == high and least < most:
            remarks = (*remarks, _BEYOND)
            ends = score_ends(low, variance, slope, quantile=quantile)
            low, high = (min(max(end, least), most) for end in ends)
        return Contrast(
            name,
            constant + estimate,
            math.sqrt(variance),
            low=constant + low,
            high=constant + high,
            p_value=chance,
            bound=erring.bound,
            remarks=remarks,
        )

    def _spread(self, weights: Floats) -> ScoreCumulants | None:
        if self.spread is None:
            return None
        return self.spread(weights)

    def _noise_of_values(self, weights: Floats) -> float:
        """The variance of one report's function, if scores of values were
        independent.
        """
        # Of everyone nothing need be estimated.
        if self.shares is None or np.ptp(weights) == 0:
            return 0.0
        held = self.shares.frequency.clip(0, 1)
        noise = (
            held * self.shares.variance_if_held
            + (1 - held) * self.shares.variance_if_not
        )
        return float(weights[: len(noise)] ** 2 @ noise)

    def _law(
        self,
        weights: Floats,
        spread: ScoreCumulants | None,
        variance: float,
        quantile: float,
    ) -> Moments | None:
        """The law where few reports matter; None where it is not known, or nothing can
        vary.
        """
        from ldp_aggregator.answers.contrasts.few_reports import (
            law_of_function,
            spread_of_values,
        )

        bounds = self.range_of(weights)
        if bounds[0] == bounds[1]:
            return None
        drawn = self.options.estimand == "population"
        if spread is None or not self.exclusive:
            if self.shares is None or self.shares.jumps is None:
                return None
            # With all that sampling adds; jumps are those of values.
            spread, drawn = spread_of_values(self.shares, weights, variance), False
        return law_of_function(
            weights,
            self.frequency,
            spread,
            ends=bounds,
            reports=self.reports,
            drawn=drawn,
            quantile=quantile,
        )

    def _one_count(self, weights: Floats) -> Moments | None:
        """The share of those who hold a value of the greater weight, where one count
        tells that.
        """
        places = np.flatnonzero(weights == weights.max())
        known = self.shares
        if (
            known is None
            or len(np.unique(weights)) > 2
            or places[-1] >= len(known.frequency)
        ):
            return None
        return known.of_one_count(places)

    def range_of(self, weights: Floats) -> tuple[float, float]:
        """The least and the greatest that a function can be."""
        if self.exclusive:
            return float(weights.min()), float(weights.max())
        return float(weights.clip(max=0).sum()), float(weights.clip(0).sum())

    def ratio(
        self, name: str, top: Floats, bottom: Floats, *, family: int = 1
    ) -> Contrast:
        """The quotient of two functions, with weights (M,)."""
        weights = np.stack([top, bottom])
        parts, erring = weights @ self.frequency, self.erring(weights)
        number = quotient(
            name, parts, erring, quantile=quantile_of(self.options, family)
        )
        # Whether it is 1 is whether the difference of the two is 0.
        return replace(number, p_value=self.function(name, top - bottom).p_value)


def quantile_of(options: Options, family: int = 1) -> float:
    """How many standard errors an interval reaches, in a family of so many."""
    from scipy.special import ndtri  # slow to import

    missing = miss(options.level, family, options.simultaneous)
    return -float(ndtri(missing / 2))


def weighted_text(weights: Mapping[str, float]) -> str:
    """Name a function by its values with their weights."""
    parts = []
    for value, weight in weights.items():
        sign = "-" if weight < 0 else "+"
        size = ""
        if abs(weight) != 1:
            size = f"{abs(weight):g} "
        parts.append(f"{sign} {size}{value}")
    return " ".join(parts).removeprefix("+ ") or "nothing"


def quotient(name: str, parts: Floats, erring: Erring, quantile: float) -> Contrast:
    """The quotient of two estimates, (2,)."""
    from ldp_aggregator.answers.contrasts.ends import FLAT, two_sided_p_value
    from ldp_aggregator.answers.contrasts.ratios import ratio_ends, ratio_error

    top, bottom = parts.tolist()
    covariance = erring.covariance
    low, high = ratio_ends(top, bottom, covariance, quantile=quantile)
    # What may be divided by nothing may be anything.
    known = math.isfinite(low)
    # Whether it is 1 is whether the difference of the two is 0.
    apart = np.array([1.0, -1.0])
    difference = float(apart @ covariance @ apart)
    if erring.bound:
        difference = float(np.sqrt(np.diag(covariance)).sum() ** 2)
    return Contrast(
        name,
        top / bottom if known else math.nan,
        ratio_error(top, bottom, covariance) if known else math.nan,
        low=low,
        high=high,
        p_value=two_sided_p_value(top - bottom, difference, FLAT),
        bound=erring.bound,
    )


def _at_least(covariance: Floats, variances: Floats) -> Floats:
    """A covariance, (Q, Q), with no variance less than these, (Q,)."""
    short = np.maximum(variances - np.diag(covariance), 0.0)
    return np.asarray(covariance + np.diag(short))


def added_up(errors: Floats) -> Floats:
    """A matrix of errors (Q,) that go against each other, (Q, Q)."""
    matrix = -np.outer(errors, errors)
    np.fill_diagonal(matrix, errors**2)
    return matrix
