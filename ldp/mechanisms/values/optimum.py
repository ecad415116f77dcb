"""The least total error that any mechanism can have, and how near to it a mechanism
comes.

    n R*(d, E) = min over w of [p_w (1-p_w) + (d-1) q_w (1-q_w)] / (p_w - q_w)^2
    with E = e^epsilon and the rates of subset selection
    p_w = w E / (w E + d - w),  q_w = p_w (w-1)/(d-1) + (1-p_w) w/(d-1)
    n R* + 1 - 1/d = (d-1)^2 (w E + d - w)^2 / (d w (d-w) (E-1)^2)

No mechanism has a smaller worst case, so an efficiency of 1 means optimal. Arithmetic
is exact: E is the rational that a randomizer delivers.

Sources: Ye and Barg 2018 (the bound for many reports); Park, Nam and Lee 2023 (exactly
minimax).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ldp.mechanisms.auto import total_error
from ldp.mechanisms.contract import (
    Blocked,
    Pure,
    Randomizer,
    SetValued,
    is_blocked,
    is_pure,
)
from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.histogram import NoisyHistogram
from ldp.mechanisms.values.subset import SubsetSelection, least_error_size


def optimal_total_error(size: int, ratio: Fraction) -> Fraction:
    """The least summed variance of `size` frequencies, times the number of reports (n
    R*).

    At e^epsilon = `ratio`.

    Raises `ValueError` for fewer than two values, or a ratio that lets nothing through.
    """
    if size < 2 or ratio <= 1:
        raise ValueError(
            f"expected at least 2 values and a ratio above 1, got {size} and {ratio}"
        )
    supported = least_error_size(size, ratio)
    return total_error(
        SubsetSelection(size, supported, ratio.numerator, other=ratio.denominator)
    )


def efficiency(
    randomizer: Randomizer, ratio: Fraction | None = None
) -> Fraction | None:
    """The efficiency R* / R: the optimal mechanism errs as little with this share of
    respondents.

    The optimal one is that for e^epsilon = `ratio`, or for what the mechanism delivers
    if none is given. None where R depends on the frequencies, and so is no single
    number (with blocks of unequal sizes the largest one counts).
    """
    settled = settled_error(randomizer)
    if settled is None:
        return None
    return optimal_total_error(settled.size, ratio or randomizer.ratio) / settled.error


class SettledError(NamedTuple):
    """A total error that is the same whatever the frequencies are, times the reports: n
    R.

    Of blocks: at most this.
    """

    size: int
    """The number of values that it is summed over."""
    error: Fraction


def settled_error(randomizer: Randomizer) -> SettledError | None:
    """The total error of a mechanism; None where it depends on the frequencies."""
    if isinstance(randomizer, NoisyHistogram):
        return SettledError(randomizer.size, randomizer.size * randomizer.variance())
    alike = _with_the_same_errors(randomizer)
    if alike is None:
        return None
    return SettledError(alike.size, total_error(alike))


def _with_the_same_errors(randomizer: Randomizer) -> Pure | Blocked | None:
    """Itself, if its error is settled.

    A matrix with equal rates on and off its diagonal is a pure mechanism too.
    """
    if isinstance(randomizer, SetValued):
        # How large their total error is depends on how many values are held.
        return None
    if is_pure(randomizer) or is_blocked(randomizer):
        return randomizer
    if isinstance(randomizer, StochasticMatrix):
        rows = randomizer.weights
        own = {row[x] for x, row in enumerate(rows)}
        other = {
            weight
            for x, row in enumerate(rows)
            for y, weight in enumerate(row)
            if x != y
        }
        if len(own) == len(other) == 1:
            return RandomizedResponse(len(rows), *own, *other)
    return None
