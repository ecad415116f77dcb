"""Choosing the mechanism with the least total error.

    R = [p (1-p) + (d-1) q (1-q)] / (p-q)^2, the summed variance over all values times the number of reports

R does not depend on the frequencies, so it can be compared before anyone is asked. The comparison is made in exact
fractions: every device and every aggregator that reads the survey chooses the same.
"""

from __future__ import annotations

from fractions import Fraction

from ldp.domain import Domain
from ldp.keys import Keys
from ldp.mechanisms.contract import Mechanism, Pure


def total_error(randomizer: Pure) -> Fraction:
    """R: the summed variance of all estimated frequencies, times the number of reports."""
    p, q = randomizer.support
    return (p * (1 - p) + (randomizer.size - 1) * q * (1 - q)) / (p - q) ** 2


def least_error(candidates: tuple[Mechanism, ...], keys: Keys, domain: Domain) -> Mechanism:
    """The candidate whose design for this question has the least total error; ties go to the first."""

    def error(row: Mechanism) -> Fraction:
        randomizer, _ = row.design(keys, domain)
        if not isinstance(randomizer, Pure):
            raise TypeError(f"{row.name} has no total error that does not depend on the frequencies")
        return total_error(randomizer)

    return min(candidates, key=error)
