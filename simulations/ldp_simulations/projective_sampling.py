"""Tallies of projective-geometry response, drawn from their exact law.

The weights R (supporters of the value) and 1 (other points) are a weight of 1 for all and R - 1 more for supporters. So
the reports of a value's holders are a binomial number of *marked* ones, uniform over its supporters, and the rest are
uniform over all points. In the cyclic order of the design the supporters of every value are one set, shifted; marked
reports are drawn there, one by one (in numpy) where a value has fewer than it has supporters, else by one multinomial.

The cost is that of min(marked reports, values x supporters) draws; beyond MOST_DRAWS (minutes) it is refused.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.errors import EstimateError
from ldp.mechanisms.projective import ProjectiveResponse, geometry
from ldp_aggregator.counting import Counts
from ldp_aggregator.projective_design import cyclic_design

MOST_DRAWS = 1 << 34

_TOGETHER = 1 << 20


def projective_counts(randomizer: ProjectiveResponse, held: Counts, generator: Generator) -> Counts:
    """The counts of one report from each of `held[x]` holders of every value x."""
    _, order, dimension, truth, other = randomizer
    points, block, _ = geometry(order, dimension)
    surplus = (truth - other) * block
    marked = generator.binomial(held, surplus / (surplus + other * points))
    draws = int(np.minimum(marked, block).sum())
    if draws > MOST_DRAWS:
        raise EstimateError(f"expected a simulation of at most {MOST_DRAWS:,} draws of points, got {draws:,}")
    design = cyclic_design(order, dimension)
    supporters = np.flatnonzero(design.zeros)
    counts = np.zeros(points, dtype=np.int64)
    for value in np.flatnonzero(marked >= block).tolist():
        drawn = generator.multinomial(marked[value], np.full(block, 1 / block))
        counts[(supporters - design.place_of[value]) % points] += drawn
    few = np.where(marked < block, marked, 0)
    ends = np.cumsum(few)
    for start in range(0, int(ends[-1]), _TOGETHER):
        places = design.place_of[np.searchsorted(ends, np.arange(start, min(start + _TOGETHER, ends[-1])), "right")]
        drawn = supporters[generator.integers(block, size=len(places))] - places
        counts += np.bincount(drawn % points, minlength=points)
    by_index = generator.multinomial(int((held - marked).sum()), np.full(points, 1 / points))
    by_index[design.report_at] += counts
    return by_index[None, :]
