"""Stripes: holders fall to frequencies, then part of them send an arc that holds their
place.

The weights of a report are 1 for every arc, and R - 1 more for the t arcs that hold the
place, as for arcs of a line (`numbers.arcs`). Frequencies times cells are millions
here, so that up to so many respondents are drawn one by one, and more of them some
cells at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.places.stripes import Stripes, frequency_of
from ldp_aggregator.decoders.stripes.plane import plane_of, scores, windows
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers
from ldp_simulations.reports.forging import best_symbols, count_places
from ldp_simulations.reports.form import REPORTS, Form, Wanted, by_counts
from ldp_simulations.sampling.numbers.starts import starts_of

_FEW = 1 << 22
"""Respondents that are drawn one by one."""
_CELLS = 256
"""Of whose holders more are drawn at a time."""


def stripe_counts(stripes: Stripes, held: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `held` holders, of shape (K, P)."""
    ratio, width = float(stripes.ratio), stripes.width
    sure = width * (ratio - 1) * stripes.other / stripes.mass
    draw = _one_by_one if held.sum() <= _FEW else _many
    # (K, P): holders who send an arc that holds their place for sure, by where that is;
    # and (K,).
    own, others = draw(stripes, held, sure, generator=generator)
    counts = generator.multinomial(
        others, np.full(stripes.modulus, 1 / stripes.modulus)
    )
    return counts + starts_of(own, width, generator)


def _one_by_one(
    stripes: Stripes, held: Counts, sure: float, generator: Generator
) -> tuple[Counts, Counts]:
    law, modulus = plane_of(stripes).law, stripes.modulus
    values = np.repeat(np.arange(stripes.size), held)
    cohorts = generator.choice(len(law), size=len(values), p=law)
    is_sure = generator.random(len(values)) < sure
    here = cohorts[is_sure]
    cells = here * modulus + places(stripes, values[is_sure], here)
    own = np.bincount(cells, minlength=len(law) * modulus).reshape(len(law), modulus)
    return own, np.bincount(cohorts[~is_sure], minlength=len(law))


def _many(
    stripes: Stripes, held: Counts, sure: float, generator: Generator
) -> tuple[Counts, Counts]:
    law, modulus = plane_of(stripes).law, stripes.modulus
    own = np.zeros((len(law), modulus), dtype=np.int64)
    others = np.zeros(len(law), dtype=np.int64)
    cohorts = np.arange(len(law))
    for start in range(0, stripes.size, _CELLS):
        values = np.arange(start, min(start + _CELLS, stripes.size))
        # (cells, K): how many holders of each cell draw each frequency.
        spread = generator.multinomial(held[values], law)
        certain = generator.binomial(spread, sure)
        others += (spread - certain).sum(axis=0)
        for value, row in zip(values, certain, strict=True):
            own[cohorts, places(stripes, value, cohorts)] += row
    return own, others


def places(
    stripes: Stripes, values: Integers | np.int64, cohorts: Integers
) -> Integers:
    """The place of each cell on the circle of a frequency."""
    across, up = frequency_of(cohorts, stripes.modulus)
    x, y = divmod(values, stripes.side)
    return np.asarray((across * x + up * y) % stripes.modulus)


def _expect(
    stripes: Stripes,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    plane = plane_of(stripes)
    # (K, P): the share of the people whose place each arc holds.
    inside = windows(plane, plane.laid(frequency))
    law = 1 + (float(stripes.ratio) - 1) * inside
    shares = plane.law[:, None] * law * stripes.other / stripes.mass
    return np.asarray(np.rint(REPORTS * shares), dtype=np.int64)


def _worths(stripes: Stripes, wanted: Wanted) -> list[Floats]:
    """By frequency: what each arc is worth to the targets."""
    plane = plane_of(stripes)
    of_targets = scores(plane, count_places(stripes.size, wanted.targets)[None])
    return list(windows(plane, of_targets.alpha[0]))


FORM = Form(
    by_counts(stripe_counts), best_symbols(_worths, best_cohorts_only=True), _expect
)
