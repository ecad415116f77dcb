"""The most likely joint frequencies: never negative, sum 1, biased towards the middle;
for display.

    F <- F x [sum over cells of (observed / expected) x law] / [sum over cells of law],
    expected = law F

the EM algorithm. Where a report has one mark this climbs the likelihood of the reports.
Where it has several (bits) it climbs that of as many independent Poisson counts as the
joint tally has cells: a quasi-likelihood, consistent too.

Sources: Dempster, Laird and Rubin 1977; Richardson 1972, Lucy 1974 (the same for
Poisson counts).
"""

from __future__ import annotations

import math

import numpy as np

from ldp_aggregator.numerics.arrays import Floats

_STEPS, _FEWEST = 5000, 20
_WORK = 1 << 36
"""Multiplications after which it stops wherever it is: early on, the frequencies are
too smooth.
"""
_SETTLED = 1e-7


def most_likely(table: Floats, laws: list[Floats]) -> Floats:
    """The joint frequencies under which the joint tally (any multiple of it) is most
    likely.

    Laws are (M, C).
    """
    # The table has an axis of cells for each question, frequencies an axis of values.
    observed = table / table.max()
    frequency = np.full(
        [len(law) for law in laws], 1 / math.prod(len(law) for law in laws)
    )
    back = [law.T for law in laws]
    weight = through(np.ones_like(observed), laws)
    # A step multiplies the table by each law, there and back.
    work = 2 * table.size * sum(len(law) for law in laws)
    for _ in range(max(_FEWEST, min(_STEPS, _WORK // work))):
        expected = through(frequency, back)
        ratio = np.divide(
            observed, expected, out=np.zeros_like(observed), where=observed > 0
        )
        step = frequency * through(ratio, laws) / weight
        step /= step.sum()
        moved = float(np.abs(step - frequency).max())
        frequency = step
        if moved < _SETTLED * float(frequency.max()):
            break
    return frequency


def through(table: Floats, functions: list[Floats]) -> Floats:
    """The table with each axis taken through a linear function.

    Functions are matrices of shape (new length, old length).
    """
    for function in functions:
        # The first axis goes, and its image comes last: after all of them the order is
        # the old one.
        table = np.tensordot(table, function, axes=(0, 1))
    return table
