"""Channels, scores and counts worked out from a randomizer's integers, apart from the code that they are to check."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ldp.channel import Channel, inverse
from ldp_aggregator.counting import count_rows


def taylor_exp(exponent, terms=300, digits=120):
    """Rational (lower, upper) bounds of e^exponent for 0 <= exponent <= 50: its series, rounded down and up."""
    low = high = low_term = high_term = unit = 10**digits
    for count in range(1, terms):
        low_term = low_term * exponent.numerator // (exponent.denominator * count)
        high_term = -(-high_term * exponent.numerator // (exponent.denominator * count))
        low, high = low + low_term, high + high_term
    # From here on each term is less than half of the one before, so all of them together are less than the last.
    return Fraction(low, unit), Fraction(high + high_term, unit)


def warner(ratio):
    """The channel of two values that are told apart with the odds `ratio`."""
    truth = ratio / (ratio + 1)
    return Channel(((truth, 1 - truth), (1 - truth, truth)))


def product_law(pattern, size, if_one, if_zero):
    """The law of a vector of independent bits, each 1 with a probability that depends on the pattern's bit."""
    law = []
    for report in range(1 << size):
        mass = Fraction(1)
        for bit in range(size):
            one = if_one if pattern >> bit & 1 else if_zero
            mass *= one if report >> bit & 1 else 1 - one
        law.append(mass)
    return tuple(law)


def declared_law(randomizer, value):
    """{report: probability} of the channel that a randomizer states."""
    if randomizer.kind != "bloom":
        return dict(enumerate(randomizer.channel().rows[value]))
    return {
        (body << 16 | cohort if randomizer.cohorts > 1 else body): mass / randomizer.cohorts
        for cohort in range(randomizer.cohorts)
        for body, mass in enumerate(randomizer.channel_row(randomizer.true_bits(value, cohort)))
    }


def supported(randomizer, report):
    """The values that a report votes for: the bits it sets, or the symbol it names."""
    bits = randomizer.layout.bits
    return {bit for bit in range(bits) if report >> bit & 1} if bits else {report}


def scores(randomizer):
    """What each report adds to the estimate of each value, exactly."""
    if randomizer.kind == "matrix":
        return inverse(randomizer.channel())
    p, q = randomizer.support
    reports = range(1 << randomizer.layout.bits if randomizer.layout.bits else randomizer.layout.symbols)
    return tuple(
        tuple((int(x in supported(randomizer, y)) - q) / (p - q) for x in range(randomizer.size)) for y in reports
    )


def counts_of(randomizer, reports):
    """The aggregator's counts of `{report: how often}`, through the bytes of the reports."""
    layout = randomizer.layout
    total = 0
    for report, often in reports.items():
        row = np.frombuffer(report.to_bytes(layout.width, "little"), dtype=np.uint8)[None]
        total = total + often * count_rows(row, layout)
    return total
