"""The joint table that has the tables of all pairs, and otherwise as little dependence
as may be.

Of all joint tables with given tables of pairs one has the greatest entropy: the log of
a cell is a sum of a number for each pair of its values, and nothing binds three fields
beyond what binds them two by two. Both ways to it start from all cells alike:

    proportional   iterative proportional fitting: for each pair in turn, every cell
                   times the ratio of the table that is wanted to the table that is
                   there
    weights        multiplicative weights: for each pair in turn, every cell times exp(4
                   (wanted - there)), no step of which can overshoot, as a share times
                   what is left is at most 1/4; slower, most of all for rare cells

Sources: Deming and Stephan 1940; Csiszar 1975 (the limit has the greatest entropy);
Hardt, Ligett and McSherry 2012, MWEM, figure 1 (without its noise: these tables are
private already).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ldp_aggregator.analyses.synthesis.pairs import Pair
from ldp_aggregator.numerics.arrays import Floats

ROUNDS, STEPS = 200, 500
_NEAR = 1e-6
"""Shares that differ by less are the same: far below the noise of any survey."""


def proportional(sizes: tuple[int, ...], tables: Mapping[Pair, Floats]) -> Floats:
    """The joint table, an axis for each field, by iterative proportional fitting."""
    joint = _even(sizes)
    for _ in range(ROUNDS):
        farthest = 0.0
        for pair, wanted in tables.items():
            there = table_of(joint, pair)
            farthest = max(farthest, float(np.abs(wanted - there).max()))
            ratio = np.divide(wanted, there, out=np.zeros_like(wanted), where=there > 0)
            joint *= _along(ratio, pair, len(sizes))
        if farthest < _NEAR:
            break
    return np.asarray(joint / joint.sum())


def multiplicative(sizes: tuple[int, ...], tables: Mapping[Pair, Floats]) -> Floats:
    """Maximize by multiplicative weights."""
    joint = _even(sizes)
    for _ in range(STEPS):
        farthest = 0.0
        for pair, wanted in tables.items():
            off = wanted - table_of(joint, pair)
            farthest = max(farthest, float(np.abs(off).max()))
            joint *= _along(np.exp(4 * off), pair, len(sizes))
            joint /= joint.sum()
        if farthest < _NEAR:
            break
    return joint


def table_of(joint: Floats, pair: Pair) -> Floats:
    """Table of two fields, of a joint table."""
    others = tuple(axis for axis in range(joint.ndim) if axis not in pair)
    return np.asarray(joint.sum(axis=others))


def _even(sizes: tuple[int, ...]) -> Floats:
    joint = np.ones(sizes)
    return joint / joint.size


def _along(table: Floats, pair: Pair, fields: int) -> Floats:
    """A table of two fields as factors of a joint table."""
    shape = [1] * fields
    for axis, place in enumerate(pair):
        shape[place] = table.shape[axis]
    return table.reshape(shape)
