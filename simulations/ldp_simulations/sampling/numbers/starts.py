"""Where arcs begin that hold a place, for all who send one of those that hold theirs.

An arc of t places that holds a place begins d places before it, d evenly one of 0, ...,
t - 1. All that begin evenly among equally many places from the same one on are alike,
wherever their own place is. So only their numbers are kept, and spans of places are
halved until one place is left: with t as a sum of powers of two, in each step from the
greatest on

    join    those whose d is in this power's part of the t values: a binomial of all
            that are left
    halve   of those in spans twice as wide, half are in the part that is farther behind

which are at most two binomials a place for each binary digit of t, where a multinomial
for each place takes t of them.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp_aggregator.numerics.arrays import Counts


def starts_of(own: Counts, width: int, generator: Generator) -> Counts:
    """How many arcs begin at each place, given how many are to hold each: both of shape
    (K, P).
    """
    waiting = own
    # (K, P): of those whose d is known but for its last digits, where the nearest arcs
    # begin.
    spans = np.zeros_like(own)
    unshared = width
    for digit in reversed(range(width.bit_length())):
        span = 1 << digit
        farther = generator.binomial(spans, 0.5)
        spans += np.roll(farther, -span, axis=1) - farther
        if width & span:
            joining = generator.binomial(waiting, span / unshared)
            waiting = waiting - joining
            spans += np.roll(joining, unshared - width, axis=1)
            unshared -= span
    return spans
