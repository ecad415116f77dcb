"""Choosing the mechanism with the least total error, as far as reports stay short.

    R = [p (1-p) + (d-1) q (1-q)] / (p-q)^2, the summed variance over all values times the number of reports

R does not depend on the frequencies, so it can be compared before anyone is asked. The comparison is made in exact
fractions: every device and every aggregator that reads the survey chooses the same.

The key `report_bytes` limits the size of a report. Where the survey gives no limit, reports of up to 256 bytes are
preferred, and longer ones, up to 4,096, considered where the least error is less than .965 of what short ones reach.
"""

from __future__ import annotations

from fractions import Fraction

from ldp.domain import Domain
from ldp.keys import Keys
from ldp.mechanisms.contract import Mechanism, Pure

SHORT, LONG = 256, 4096
WORTH_IT = Fraction(965, 1000)


def total_error(randomizer: Pure) -> Fraction:
    """R: the summed variance of all estimated frequencies, times the number of reports."""
    p, q = randomizer.support
    return (p * (1 - p) + (randomizer.size - 1) * q * (1 - q)) / (p - q) ** 2


def least_error(candidates: tuple[Mechanism, ...], keys: Keys, domain: Domain) -> Mechanism:
    """The candidate whose design for this question has the least total error; ties go to the first.

    Where no candidate keeps to the survey's limit, the one with the shortest report is taken.
    """
    limit = keys.integer("report_bytes", 1, 1 << 20, 0)
    designs = [(row, _pure(row, keys, domain)) for row in candidates]

    def best(most: int) -> tuple[Mechanism, Pure]:
        return min(designs, key=lambda pair: (max(pair[1].layout.width - most, 0), total_error(pair[1])))

    if limit:
        return best(limit)[0]
    (short_row, short), (long_row, long) = best(SHORT), best(LONG)
    return long_row if total_error(long) < WORTH_IT * total_error(short) else short_row


def _pure(row: Mechanism, keys: Keys, domain: Domain) -> Pure:
    randomizer, _ = row.design(keys, domain)
    if not isinstance(randomizer, Pure):
        raise TypeError(f"{row.name} has no total error that does not depend on the frequencies")
    return randomizer
