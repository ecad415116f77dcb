"""Bits that are independent given what respondents hold, drawn from their exact law: two binomials
for each.

    ones = Binomial(set_by, p) + Binomial(reports - set_by, q)

`set_by` of the reports have the bit set before the noise; such a report shows it with probability
p, any other with q.
"""

from __future__ import annotations

from fractions import Fraction

from numpy.random import Generator

from ldp.mechanisms.contract import Pure
from ldp.mechanisms.unary import UnaryEncoding
from ldp_aggregator.arrays import Counts
from ldp_aggregator.tallies.counting import empty_counts
from ldp_simulations.reports.forging import plain_bits
from ldp_simulations.reports.form import Form, by_counts


def ones(
    set_by: Counts, reports: int | Counts, rates: tuple[Fraction, Fraction], generator: Generator
) -> Counts:
    """How many of the reports show each bit; `rates` are (p, q)."""
    p, q = (float(rate) for rate in rates)
    shown: Counts = generator.binomial(set_by, p) + generator.binomial(reports - set_by, q)
    return shown


def vector_counts(randomizer: Pure, set_by: Counts, reports: int, generator: Generator) -> Counts:
    """The counts of so many reports in which the bits of all values are independent."""
    counts = empty_counts(randomizer.layout)
    counts[0, 0] = reports
    counts[0, 1:] = ones(set_by, reports, randomizer.support, generator=generator)
    return counts


def unary_counts(randomizer: UnaryEncoding, held: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `held` holders, by value."""
    return vector_counts(randomizer, held, int(held.sum()), generator=generator)


FORM = Form(by_counts(unary_counts), plain_bits)
