"""Sums and means of the numbers that come with keys, with standard errors and
intervals.

Of a key let f be the share who hold it and t the balance of its ends (`laws`),
estimated by S and T from n reports. On the range from -1 to 1 a mean among the holders
is t / f, and on the public one

    mean = middle + half t / f        sum = middle f + half t = mean x f

with middle and half for the range's. The sum is over all respondents, those who do not
hold the key counting 0, and over their number: so it is unbiased, with

    n Var = middle^2 E[s^2] + 2 middle half E[s t] + half^2 E[t^2] - sum^2           of a population

and for the respondents the mean square of what they hold in place of sum^2. How their
numbers spread no report tells, as every number became an end; so it is taken for the
least that it may be, as if all who hold a key had the same number, and errors are
rather too large than too small.

The mean is a ratio of two estimates, of which the lower one may be near 0. Its interval
has all m for which T - m S is within its error of 0 (Fieller 1954), z times the root of

    V(m) / n = (E[t^2] - 2 m E[s t] + m^2 E[s^2]) / n,  with E[s t] = c m f

which is exact for a population, and the most that it may be for the respondents. With a
= E[t^2], b = E[s^2] - 2 c f and k = z^2 / n these are the m between the roots of

    (S^2 - k b) m^2 - 2 S T m + (T^2 - k a) = 0

if S^2 > k b and S is above z standard errors of a key that no one holds. Where that is
not so the reports do not even tell whether anyone holds the key: nothing is known of
the mean, so its interval is the whole range, and no estimate is shown. A mean is never
made from a share that was first cut to be above 0: that would draw means of rare keys
towards the middle of the range.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ldp_aggregator.decoders.key_laws import Balances
from ldp_aggregator.numerics.arrays import Flags, Floats
from ldp_aggregator.numerics.interval import WithInterval


@dataclass(frozen=True)
class KeyNumber(WithInterval):
    """A number of one key: its sum over the respondents, or its mean among those who
    hold it.

    A mean that the reports do not tell is NaN, with the whole range for an interval.
    """

    estimate: float
    standard_error: float
    low: float
    high: float

    @property
    def is_told(self) -> bool:
        """Whether there is an estimate."""
        return not math.isnan(self.estimate)

    def format_number(self, number: float) -> str:
        """A number with the decimals that the standard error can bear: two digits of
        it.
        """
        if math.isnan(number):
            return "-"
        decimals = 4 if self.is_told else 3
        if self.standard_error > 0:
            decimals = min(max(0, 1 - math.floor(math.log10(self.standard_error))), 9)
        return f"{number:.{decimals}f}"

    @property
    def cells(self) -> tuple[str, str]:
        """Estimate and interval, as text."""
        if self.is_told:
            low, high = self.format_number(self.low), self.format_number(self.high)
            return self.format_number(self.estimate), f"[{low}, {high}]"
        return "-", f"[{self.low:g}, {self.high:g}]"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; what is not told is None."""
        return {
            "estimate": self.estimate if self.is_told else None,
            "standard_error": self.standard_error if self.is_told else None,
            "interval": [self.low, self.high],
        }


@dataclass(frozen=True, eq=False)
class KeyColumns:
    """Such a number of every key: arrays of shape (M,)."""

    estimate: Floats
    standard_error: Floats
    low: Floats
    high: Floats

    def __iter__(self) -> Iterator[KeyNumber]:
        return (self[place] for place in range(len(self.estimate)))

    def __getitem__(self, place: int) -> KeyNumber:
        columns = (self.estimate, self.standard_error, self.low, self.high)
        return KeyNumber(*(float(column[place]) for column in columns))

    def only(self, places: NDArray[np.int64]) -> KeyColumns:
        """Return the columns at these places."""
        columns = (self.estimate, self.standard_error, self.low, self.high)
        return KeyColumns(*(column[places] for column in columns))


@dataclass(frozen=True, eq=False)
class KeyMeans:
    """Sums and means of every key, in the unit of the numbers."""

    sums: KeyColumns
    means: KeyColumns
    range: tuple[float, float]
    """The least and the greatest number that may come with a key."""

    def only(self, places: NDArray[np.int64]) -> Self:
        """Return the rows of some keys."""
        return type(self)(self.sums.only(places), self.means.only(places), self.range)

    @property
    def untold(self) -> Flags:
        """Keys whose mean has the whole range for an interval, (M,)."""
        low, high = self.range
        flags: Flags = (self.means.low <= low) & (self.means.high >= high)
        return flags


def key_means(
    balances: Balances, ends: tuple[Fraction, Fraction], missing: float, estimand: str
) -> KeyMeans:
    """The sums and means of all keys, each interval missing the truth with that
    probability.
    """
    low, high = (float(end) for end in ends)
    from scipy.special import ndtri  # slow to import

    quantile = -float(ndtri(missing / 2))
    return KeyMeans(
        _sums(balances, (low, high), quantile, estimand=estimand),
        _means(balances, (low, high), quantile),
        (low, high),
    )


def _sums(
    balances: Balances, ends: tuple[float, float], quantile: float, estimand: str
) -> KeyColumns:
    low, high = ends
    middle, half = (low + high) / 2, (high - low) / 2
    sums = middle * balances.share + half * balances.balance
    # (M,): the share and the balance as they may be, for what errors depend on.
    share, balance = _possible(balances)
    law = balances.law
    squares = (
        middle**2 * law.of_share.at(share)
        + 2 * middle * half * law.together * balance
        + half**2 * law.of_balance.at(share)
    )
    if estimand == "population":
        known = (middle * share + half * balance) ** 2
    else:
        # The least mean square of what they hold: that of numbers all alike.
        alike = np.divide(balance**2, share, out=np.zeros_like(share), where=share > 0)
        known = middle**2 * share + 2 * middle * half * balance + half**2 * alike
    errors = np.sqrt(np.maximum(squares - known, 0.0) / balances.reports)
    least, most = min(low, 0.0), max(high, 0.0)
    return KeyColumns(
        sums,
        errors,
        low=np.clip(sums - quantile * errors, least, most),
        high=np.clip(sums + quantile * errors, least, most),
    )


def _means(
    balances: Balances, ends: tuple[float, float], quantile: float
) -> KeyColumns:
    low, high = ends
    middle, half = (low + high) / 2, (high - low) / 2
    share, _ = _possible(balances)
    law, factor = balances.law, quantile**2 / balances.reports
    # (M,): a, b and the coefficients of the equation above.
    constant = law.of_balance.at(share)
    slope = law.of_share.at(share) - 2 * law.together * share
    square = balances.share**2 - factor * slope
    middles = balances.share * balances.balance
    rest = balances.balance**2 - factor * constant
    # A share that no one holding the key would hardly have.
    detected = balances.share > quantile * np.sqrt(
        law.of_share.other / balances.reports
    )
    known = (square > 0) & detected
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.sqrt(np.maximum(middles**2 - square * rest, 0.0)) / square
        ratio = balances.balance / balances.share
        spread = constant + np.clip(ratio, -1.0, 1.0) ** 2 * slope
        error = np.sqrt(np.maximum(spread, 0.0) / balances.reports) / balances.share
        lower, upper = (middles / square - reach, middles / square + reach)
    return KeyColumns(
        np.where(known, middle + half * ratio, np.nan),
        np.where(known, half * error, np.nan),
        low=np.where(known, np.clip(middle + half * lower, low, high), low),
        high=np.where(known, np.clip(middle + half * upper, low, high), high),
    )


def _possible(balances: Balances) -> tuple[Floats, Floats]:
    """The share, cut to [0, 1], and the balance, cut to what that allows."""
    share = np.clip(balances.share, 0.0, 1.0)
    return share, np.clip(balances.balance, -share, share)
