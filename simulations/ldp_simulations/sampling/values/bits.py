"""Bits that are independent given what respondents hold, from their exact law: two
binomials each.

    ones = Binomial(set_by, p) + Binomial(reports - set_by, q)

`set_by` of the reports have the bit set before the noise; such a report shows it with
probability p, any other with q.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.contract import Pure
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.numbers.accounting import Rates
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_simulations.holders import Holders
from ldp_simulations.reports.forging import plain_bits
from ldp_simulations.reports.form import Form, by_counts


def ones(
    set_by: Counts,
    reports: int | Counts,
    rates: tuple[Fraction, Fraction],
    generator: Generator,
) -> Counts:
    """How many of the reports show each bit; `rates` are (p, q)."""
    p, q = (float(rate) for rate in rates)
    shown: Counts = generator.binomial(set_by, p) + generator.binomial(
        reports - set_by, q
    )
    return shown


def vector_counts(
    randomizer: Pure, set_by: Counts, reports: int, generator: Generator
) -> Counts:
    """The counts of n reports in which the bits of all values are independent."""
    counts = empty_counts(randomizer.layout)
    counts[0, 0] = reports
    counts[0, 1:] = ones(set_by, reports, randomizer.support, generator=generator)
    return counts


def repeated_vectors(
    steps: tuple[Rates, Rates], holders: Holders, repeats: int, generator: Generator
) -> Counts:
    """The counts of n reports from each holder, in which the bits of all values are
    independent.

    First those of the permanent response are drawn, then those of each report of it.
    """
    lasting, fresh = steps
    respondents = holders.respondents
    kept = ones(holders.counts, respondents, lasting, generator=generator)
    reports = repeats * respondents
    shown = ones(repeats * kept, reports, fresh, generator=generator)
    return np.concatenate([[reports], shown])[None]


def unary_counts(
    randomizer: UnaryEncoding, holders: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `holders`, by value."""
    return vector_counts(randomizer, holders, int(holders.sum()), generator=generator)


FORM = Form(by_counts(unary_counts), plain_bits)
