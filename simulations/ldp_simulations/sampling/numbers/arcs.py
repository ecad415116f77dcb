"""Arcs: holders fall to frequencies, then part of them send an arc that holds their
place.

The weights of a report are 1 for every arc, and R - 1 more for the t arcs that hold the
place. So a multinomial shares holders of each value out over the frequencies, a
binomial tells how many of them send one of their own arcs for sure, and binomials where
these begin (`ldp_simulations.sampling.numbers.starts`); all others send any arc.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.numbers.arcs import Arcs
from ldp_aggregator.decoders.arcs.circle import (
    around,
    circle_of,
    places,
    scores,
    windows_under,
)
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_simulations.reports.forging import best_symbols, count_places
from ldp_simulations.reports.form import REPORTS, Form, Wanted, by_counts
from ldp_simulations.sampling.numbers.starts import starts_of

_FEW_EACH = 4
"""Holders for each arc, below which it is quicker to draw them one by one."""


def arc_counts(arcs: Arcs, held: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `held` holders, of shape (K, P)."""
    circle = circle_of(arcs)
    # (values, K): how many holders of each value draw each frequency.
    spread = generator.multinomial(held, circle.law)
    ratio = float(arcs.ratio)
    sure = generator.binomial(spread, arcs.width * (ratio - 1) * arcs.other / arcs.mass)
    anywhere = np.full(arcs.modulus, 1 / arcs.modulus)
    counts = generator.multinomial((spread - sure).sum(axis=0), anywhere)
    where = places(arcs)
    if sure.sum() < _FEW_EACH * counts.size:
        values, cohorts = np.nonzero(sure)
        often = sure[values, cohorts]
        cohort = np.repeat(cohorts, often)
        behind = generator.integers(arcs.width, size=len(cohort))
        starts = (np.repeat(where[cohorts, values], often) - behind) % arcs.modulus
        cells = np.bincount(cohort * arcs.modulus + starts, minlength=counts.size)
        return counts + cells.reshape(counts.shape)
    # (K, P): how many hold each place. Under one frequency no two values share one.
    own = np.zeros_like(counts)
    np.put_along_axis(own, where, sure.T, axis=1)
    return counts + starts_of(own, arcs.width, generator)


def _expect(
    arcs: Arcs,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    circle = circle_of(arcs)
    placed = np.zeros((arcs.layout.cohorts, arcs.modulus))
    np.put_along_axis(
        placed, places(arcs), np.broadcast_to(frequency, places(arcs).shape), axis=1
    )
    # (K, P): the share of the people whose place each arc holds.
    inside = np.roll(around(placed, arcs.width), 1 - arcs.width, axis=1)
    law = 1 + (float(arcs.ratio) - 1) * inside
    shares = circle.law[:, None] * law * arcs.other / arcs.mass
    return np.asarray(np.rint(REPORTS * shares), dtype=np.int64)


def _worths(arcs: Arcs, wanted: Wanted) -> list[Floats]:
    """By frequency: what each arc is worth to the targets."""
    circle = circle_of(arcs)
    targets = count_places(arcs.size, wanted.targets)[None]
    of_targets = scores(circle, targets)
    return [
        windows_under(circle, of_targets, cohort)
        for cohort in range(arcs.layout.cohorts)
    ]


FORM = Form(by_counts(arc_counts), best_symbols(_worths), _expect)
