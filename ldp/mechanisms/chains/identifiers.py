"""How well the reports of one device can be told from others: the bits of a lasting
identifier.

A device that is asked again and again keeps something, whatever it answers: a cohort or
a hash function, which each of its reports shows in clear, and permanent responses,
which shine through the noise of each report. Both are drawn at random, so that they
differ from device to device even where all answers are the same, and link a device's
reports.

    shown        log2 of how many values there are for what precedes a report's body;
                 all of them are equally likely
    between two  shown + I(Y; Y'), with Y and Y' two reports of one permanent response
                 to a known value
    over time    shown + H(M), with M that response: what I(M; Y1 ... Yt) nears as t
                 grows

I is mutual information and H entropy, both in bits, given the value: they are what
reports tell of the device beside the answer. A response of independent bits has the sum
of theirs (a Bloom filter is taken to have as many ones as hash functions). Let n
devices have one answer. An observer of one report of each, and of a second one of one
of them, knows at most `between two` bits about which it was, and is right with
probability (between two + 1) / log2 n at most. To tell them all apart takes log2 n
bits: ten for a thousand, thirty for a billion.

Source: Cover and Thomas 2006, Sections 2.8 (data processing) and 2.10 (Fano's
inequality).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from ldp.mechanisms.chains.bit_flip import BitFlip
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.contract import Memoized
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.numbers.accounting import Rates
from ldp.numbers.layout import Layout

MOST_SHOWN = 1 << 8
"""Of what a device keeps and shows. Twice as many cohorts as any deployment that was
published (Chromium's 128): a thousand devices are then left in parties of four, and
with ten times as many cohorts most are alone in theirs.
"""

_SAME_EVERY_TIME = Fraction(1), Fraction(0)


class Identifier(NamedTuple):
    """Bits by which the reports of a device can be told to be its own."""

    shown: float
    between_two: float
    over_time: float


def shown_states(layout: Layout) -> int:
    """How many values there are for what precedes a report's body: a seed, a cohort,
    nothing.
    """
    if layout.modulus:
        return layout.modulus * (layout.modulus - 1)
    return layout.cohorts


def identifier(randomizer: Memoized) -> Identifier:
    """Return the identifier of a device that keeps permanent responses."""
    shown = math.log2(shown_states(randomizer.layout))
    between_two, over_time = _of_response(randomizer)
    return Identifier(shown, shown + between_two, shown + over_time)


def _of_response(randomizer: Memoized) -> tuple[float, float]:
    """(I(Y; Y'), H(M)) of a permanent response."""
    if isinstance(randomizer, BitFlip):
        return _of_bits(
            randomizer.sampled, 1, randomizer.within, fresh=_SAME_EVERY_TIME
        )
    if isinstance(randomizer, Rappor):
        return _of_bits(randomizer.bits, max(randomizer.hashes, 1), *randomizer.steps)
    if isinstance(randomizer, Chain) and isinstance(randomizer.lasting, UnaryEncoding):
        return _of_bits(randomizer.size, 1, *randomizer.steps)
    if isinstance(randomizer, Chain):
        return _of_symbol(randomizer.fresh.size, *randomizer.response_steps)
    raise TypeError(
        f"expected a permanent response of bits or of a symbol, got that of "
        f"{type(randomizer).__name__}"
    )


def _of_bits(bits: int, ones: int, lasting: Rates, fresh: Rates) -> tuple[float, float]:
    """Information of bits, some of which are 1 before any noise."""
    parts = ((ones, lasting[0]), (bits - ones, lasting[1]))
    between_two = sum(count * _between_bits(one, fresh) for count, one in parts)
    return between_two, sum(
        count * (_bits(one) + _bits(1 - one)) for count, one in parts
    )


def _between_bits(one: Fraction, fresh: Rates) -> float:
    """I(Y; Y') of a permanent bit that is 1 with probability `one`."""
    # P[Y = 1] and P[Y = 0], given a permanent bit of 1, and of 0.
    (if_1, if_0) = ((rate, 1 - rate) for rate in fresh)
    zero = 1 - one
    law = [one * if_1[y] + zero * if_0[y] for y in (0, 1)]
    return math.fsum(
        _excess(one * if_1[y] * if_1[z] + zero * if_0[y] * if_0[z], law[y] * law[z])
        for y in (0, 1)
        for z in (0, 1)
    )


def _of_symbol(symbols: int, lasting: Rates, fresh: Rates) -> tuple[float, float]:
    """Information of one of n symbols, the true one with p, each other with q.

    And so for each report of it.
    """
    (p, q), (same, other) = lasting, fresh
    others = symbols - 1
    # One report: it shows the true symbol, or a given wrong one.
    true = p * same + others * q * other
    wrong = p * other + q * same + (others - 1) * q * other
    # Two reports: both true; one true and one wrong; the same wrong one twice; two
    # wrong ones.
    both_true = p * same**2 + others * q * other**2
    true_and_wrong = (p + q) * same * other + (others - 1) * q * other**2
    wrong_twice = p * other**2 + q * same**2 + (others - 1) * q * other**2
    two_wrong = p * other**2 + 2 * q * same * other + (others - 2) * q * other**2
    terms = [
        _excess(both_true, true**2),
        2 * others * _excess(true_and_wrong, true * wrong),
        others * _excess(wrong_twice, wrong**2),
    ]
    if others > 1:
        terms.append(others * (others - 1) * _excess(two_wrong, wrong**2))
    return math.fsum(terms), _bits(p) + others * _bits(q)


def _excess(joint: Fraction, independent: Fraction) -> float:
    """Contribution of an outcome to a mutual information, never less than 0.

    That is j log2(j / i) - (j - i) / ln 2, the second term of which sums to 0 over all
    outcomes.
    """
    gain = float(joint / independent - 1)
    return float(independent) * _nats(gain) / math.log(2)


def _nats(gain: float) -> float:
    """(1 + g) ln(1 + g) - g."""
    if gain <= -1:
        return 1.0
    # Near 0 the logarithm would leave nothing but rounding: there it is the square's
    # half, to a relative 1e-6.
    if abs(gain) < _SMALL:
        return gain**2 / 2
    return (1 + gain) * math.log1p(gain) - gain


_SMALL = 1e-6


def _bits(probability: Fraction) -> float:
    """-p log2 p."""
    if probability:
        return -float(probability) * math.log2(probability)
    return 0.0
