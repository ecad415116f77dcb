"""Permanent responses and repeated reports, worked out apart from the code under test.

A permanent response starts from a *state*: the true symbol or bucket, or the vector of
true bits as an integer.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

from written_out import product_law

from ldp.mechanisms.chains.bit_flip import BitFlip
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.numbers.channel import Channel


def permanent_channel(randomizer):
    """P[permanent response | state]."""
    if isinstance(randomizer, BitFlip):
        return _of_bits(randomizer.sampled, *randomizer.within)
    if not isinstance(randomizer, Chain):
        flip = Fraction(randomizer.flip, 1 << randomizer.word)
        return _of_bits(randomizer.bits, 1 - flip, flip)
    lasting = randomizer.lasting
    if lasting.layout.bits:
        return _of_bits(
            lasting.size, *(Fraction(rate, 1 << lasting.word) for rate in lasting[1:3])
        )
    return _of_symbols(lasting.layout.symbols, lasting.truth, lasting.other)


def instantaneous_channel(randomizer):
    """P[body of a report | permanent response]."""
    if isinstance(randomizer, BitFlip):
        return _of_bits(randomizer.sampled, Fraction(1), Fraction(0))
    if not isinstance(randomizer, Chain):
        span = 1 << randomizer.word
        return _of_bits(
            randomizer.bits,
            Fraction(randomizer.if_one, span),
            Fraction(randomizer.if_zero, span),
        )
    size, truth, other = randomizer.fresh
    bits = randomizer.layout.bits
    if bits:
        return _of_bits(bits, *_rates(size, truth, other))
    return _of_symbols(size, truth, other)


def cohorts_of(randomizer):
    """Every cohort that a device may be in, or every seed of a hash function that it
    may keep.
    """
    modulus = randomizer.layout.modulus
    return [b << 32 | a for a in range(1, modulus) for b in range(modulus)] or list(
        range(randomizer.layout.cohorts)
    )


def true_state(randomizer, value, cohort):
    """Where the permanent response to a value starts from."""
    if isinstance(randomizer, BitFlip):
        return sum(
            1 << place
            for place in range(randomizer.sampled)
            if (cohort + place) % randomizer.size == value
        )
    if not isinstance(randomizer, Chain):
        return randomizer.true_bits(value, cohort)
    modulus = randomizer.layout.modulus
    if modulus:
        return (
            (cohort % 2**32 * value + cohort // 2**32)
            % modulus
            * randomizer.layout.symbols
            // modulus
        )
    return 2**value if randomizer.layout.bits else value


def true_states(randomizer):
    """Every state that values of a closed domain can give."""
    if isinstance(randomizer, BitFlip):
        return [1 << bit for bit in range(randomizer.sampled)] + [0] * (
            randomizer.sampled < randomizer.size
        )
    if randomizer.layout.symbols:
        return range(randomizer.layout.symbols)
    return [1 << bit for bit in range(randomizer.size)]


def worst_of_repeated(permanents, fresh, reports):
    """The largest ratio of two values' chances of the same reports, over all that can
    come.
    """
    worst = Fraction(1)
    for chances, _ in repeated_reports(permanents, fresh, reports):
        if max(chances) == 0:
            continue
        worst = max(worst, Fraction(max(chances), min(chances)))
    return worst


def best_guess(permanents, fresh, reports):
    """How often the best guess at one of equally likely values is right, after n
    reports.
    """
    total = scale = 0
    for chances, often in repeated_reports(permanents, fresh, reports):
        total += often * max(chances)
        scale += often * sum(chances)
    return Fraction(total, scale)


def repeated_reports(permanents, fresh, reports):
    """For each number of reports, in whatever order: each value's chance of them on a
    common scale.

    In how many orders.

    P[y1 ... yt | x] = sum over permanent responses z of P1[z | x] P2[y1 | z] ... P2[yt
    | z]
    """
    first, second = map(_whole, (permanents, fresh))
    for drawn in combinations_with_replacement(range(len(second[0])), reports):
        counts = Counter(drawn)
        likely = [
            math.prod(row[y] ** often for y, often in counts.items()) for row in second
        ]
        orders = math.factorial(reports) // math.prod(
            map(math.factorial, counts.values())
        )
        yield (
            [sum(a * b for a, b in zip(row, likely, strict=True)) for row in first],
            orders,
        )


def _whole(rows):
    scale = math.lcm(*(entry.denominator for row in rows for entry in row))
    return [[int(entry * scale) for entry in row] for row in rows]


def _of_bits(size, if_one, if_zero):
    return Channel(
        tuple(
            product_law(state, size, if_one, if_zero=if_zero)
            for state in range(1 << size)
        )
    )


def _of_symbols(size, truth, other):
    p, q = _rates(size, truth, other)
    return Channel(
        tuple(tuple(p if x == y else q for y in range(size)) for x in range(size))
    )


def _rates(size, truth, other):
    total = truth + (size - 1) * other
    return Fraction(truth, total), Fraction(other, total)
