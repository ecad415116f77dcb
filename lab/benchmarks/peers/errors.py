"""How far estimates are from the truth, in units of the least error that any mechanism
can have.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from ldp.mechanisms.values.optimum import optimal_total_error
from ldp.numbers.exact import exp_lower


def zipf_values(
    respondents: int, size: int, exponent: float = 1.1, seed: int = 1
) -> Any:
    """What each respondent holds: value k (from 0) in proportion to (k +
    1)^-exponent.
    """
    weights = np.arange(1, size + 1) ** -exponent
    return np.random.default_rng(seed).choice(
        size, respondents, p=weights / weights.sum()
    )


def error_over_optimum(estimated: Any, held: Any, epsilon: str) -> float:
    """Squared errors against the frequencies among those who reported, over the least
    expected.
    """
    size = len(estimated)
    reports = len(held)
    errors = np.asarray(estimated) - np.bincount(held, minlength=size) / reports
    return float(reports * (errors**2).sum() / _least(size, epsilon))


def share_of_largest(estimated: Any, held: Any) -> float:
    """The estimate of the most frequent value, over its true frequency."""
    counts = np.bincount(held)
    return float(estimated[counts.argmax()] * len(held) / counts.max())


@cache
def _least(size: int, epsilon: str) -> float:
    return float(optimal_total_error(size, exp_lower(Fraction(epsilon))))
