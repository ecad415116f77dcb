"""Tallies of projective-geometry response, drawn from their exact law.

The weights R (supporters of the value) and 1 (other points) are a weight of 1 for all
and R - 1 more for supporters. So the reports of a value's holders are a binomial number
of *marked* ones, uniform over its supporters, and the rest are uniform over all points.
In the cyclic order of the design the supporters of every value are one set, shifted;
marked reports are drawn there, one by one (in numpy) where a value has fewer than it
has supporters, else by one multinomial. Where the tally is folded, its slices depend on
each other through the points, so all reports are drawn one by one.

The cost is that of min(marked reports, values x supporters) draws, or where the tally
is folded of one for each report; beyond MOST_DRAWS (minutes) it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from ldp.errors import EstimateError
from ldp.mechanisms.values.projective import ProjectiveResponse, geometry
from ldp_aggregator.decoders.moments.supports import support_counts
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers
from ldp_aggregator.numerics.projective.cyclic_design import cyclic_design
from ldp_aggregator.numerics.projective.field_arrays import FieldArrays
from ldp_aggregator.numerics.projective.folding import folded_vectors
from ldp_aggregator.numerics.projective.points import coordinates, vectors
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_simulations.reports.forging import best_symbols
from ldp_simulations.reports.form import Form, Wanted, by_counts

MOST_DRAWS = 1 << 34

_TOGETHER = 1 << 20


def projective_counts(
    randomizer: ProjectiveResponse, holders: Counts, generator: Generator
) -> Counts:
    """The counts of one report from each of `held[x]` holders of every value x."""
    _, order, dimension, truth, other, folded = randomizer
    points, block, _ = geometry(order, dimension)
    surplus = (truth - other) * block
    marked = generator.binomial(holders, surplus / (surplus + other * points))
    unmarked = int((holders - marked).sum())
    draws = int(holders.sum() if folded else np.minimum(marked, block).sum())
    if draws > MOST_DRAWS:
        raise EstimateError(
            f"expected a simulation of at most {MOST_DRAWS:,} draws of points, got "
            f"{draws:,}"
        )
    return (_fold if folded else _by_point)(randomizer, marked, unmarked, generator)


def _by_point(
    randomizer: ProjectiveResponse, marked: Counts, unmarked: int, generator: Generator
) -> Counts:
    points, block, _ = geometry(randomizer.order, randomizer.dimension)
    design = cyclic_design(randomizer.order, randomizer.dimension)
    supporters = np.flatnonzero(design.zeros)
    counts = np.zeros(points, dtype=np.int64)
    for value in np.flatnonzero(marked >= block).tolist():
        drawn = generator.multinomial(marked[value], np.full(block, 1 / block))
        counts[(supporters - design.place_of[value]) % points] += drawn
    for values in _one_by_one(np.where(marked < block, marked, 0)):
        drawn = (
            supporters[generator.integers(block, size=len(values))]
            - design.place_of[values]
        )
        counts += np.bincount(drawn % points, minlength=points)
    by_index = generator.multinomial(unmarked, np.full(points, 1 / points))
    by_index[design.report_at] += counts
    return by_index[None, :]


def _fold(
    randomizer: ProjectiveResponse, marked: Counts, unmarked: int, generator: Generator
) -> Counts:
    layout, counts = randomizer.layout, empty_counts(randomizer.layout)
    assert layout.folding  # noqa: S101 (a fact about our own layouts, not about input)
    for values in _one_by_one(marked):
        counts += folded_vectors(
            _supporters(values, randomizer, generator), layout.folding
        )
    for some in _one_by_one(np.array([unmarked])):
        anywhere = generator.integers(
            1, randomizer.order**randomizer.dimension, size=len(some)
        )
        counts += folded_vectors(anywhere, layout.folding)
    return counts


def _supporters(
    values: Counts, randomizer: ProjectiveResponse, generator: Generator
) -> Counts:
    """For each value a uniform vector orthogonal to it, as `ProjectiveResponse` draws
    it.
    """
    order, dimension = randomizer.order, randomizer.dimension
    field, (true, places) = FieldArrays(order), vectors(values, order, dimension)
    rest = generator.integers(1, order ** (dimension - 1), size=len(values))
    high, low = np.divmod(rest, places)
    pairs = zip(
        coordinates(true - places, order, dimension),
        coordinates(low, order, dimension),
        strict=True,
    )
    at_place = field.combination(
        (field.negative(1), field.products(one, other)) for one, other in pairs
    )
    supporters: Counts = (high * order + at_place) * places + low
    return supporters


def _one_by_one(numbers: Counts) -> Iterator[Counts]:
    """Every index as often as its number says, in arrays of moderate size."""
    ends = np.cumsum(numbers)
    for start in range(0, int(ends[-1]), _TOGETHER):
        yield np.searchsorted(
            ends, np.arange(start, min(start + _TOGETHER, ends[-1])), "right"
        )


def worth_of_points(space: ProjectiveResponse, targets: Integers) -> Floats:
    """How many of the targets each point supports: by decoding the targets as if they
    were reports.

    Raises `EstimateError` where the tally is folded.
    """
    if space.folded:
        raise EstimateError(
            "expected a question whose reports can be searched for the best one, got "
            "one with more points than are counted; try the attacks random and input"
        )
    points = space.layout.symbols
    tally = np.bincount(targets, minlength=points)[None]
    return support_counts(space._replace(size=points), tally).astype(float)


def _worths(space: ProjectiveResponse, wanted: Wanted) -> list[Floats]:
    return [worth_of_points(space, wanted.targets)]


FORM = Form(by_counts(projective_counts), best_symbols(_worths))
