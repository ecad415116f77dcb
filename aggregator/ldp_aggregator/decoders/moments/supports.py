"""Support counts: how many reports support each value, from the tally of a pure
mechanism.

Where a report names the values that it supports, the tally is that count already.
Elsewhere the tally counts symbols, and a transform that knows which symbol supports
which values turns it into support counts, all at once and exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ldp.mechanisms.contract import Pure, is_pure
from ldp_aggregator.numerics.arrays import Counts, Flags, Floats

if TYPE_CHECKING:
    from ldp.mechanisms.sets.pad_and_sample import PadAndSample
    from ldp.mechanisms.values.projective import ProjectiveResponse


def support_counts(randomizer: Pure, counts: Counts) -> Counts:
    """The support counts, (values,), from the counts of one cohort, as `counting` has
    them.
    """
    if randomizer.layout.bits:
        # Dummies come last.
        return counts[0, 1 : 1 + randomizer.size]
    transform = _transforms().get(type(randomizer))
    if transform is not None:
        return transform(randomizer, counts)
    return counts[0, 1:] if randomizer.layout.counters else counts[0]


def is_counted(randomizer: Pure) -> bool:
    """Whether the tally has the support counts as they are."""
    if randomizer.layout.bits:
        return randomizer.layout.bits == randomizer.size
    return type(randomizer) not in _transforms()


def supporters(randomizer: Pure, symbols: slice) -> Flags:
    """Which values some of the symbols support, of shape (values, symbols), of
    one-symbol reports.

    Of projective responses that are not folded, and of k-ary response.
    """
    from ldp.mechanisms.values.projective import ProjectiveResponse

    if isinstance(randomizer, ProjectiveResponse):
        return _orthogonal(randomizer, symbols)
    # k-ary response: a symbol supports itself.
    values = np.arange(randomizer.size)
    same: Flags = values[:, None] == values[symbols]
    return same


def supported_weights(randomizer: ProjectiveResponse, weights: Floats) -> Floats:
    """The sum of the weights that each symbol supports, of shape (Q, symbols).

    Weights are those of the first points, such as the values: of shape (Q, points or
    fewer).

    The transform above the other way round; a point is orthogonal to those that are to
    it. Of responses that are not folded.
    """
    from ldp.mechanisms.values.projective import geometry

    order, dimension = randomizer.order, randomizer.dimension
    points = geometry(order, dimension).points
    padded = np.zeros((len(weights), points))
    padded[:, : weights.shape[1]] = weights
    if order == 2:
        transformed = walsh_hadamard(np.pad(padded, ((0, 0), (1, 0))))
        return np.asarray((transformed[:, :1] + transformed[:, 1:]) / 2)
    from ldp_aggregator.numerics.projective.cyclic_design import cyclic_design

    return cyclic_design(order, dimension).sums(padded)


def walsh_hadamard(numbers: NDArray[Any]) -> NDArray[Any]:
    """The Walsh-Hadamard transform along the last axis, whose length is a power of
    two.
    """
    transformed = np.array(numbers, order="C")
    half = 1
    while half < transformed.shape[-1]:
        pairs = transformed.reshape(-1, 2, half)
        even, odd = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        pairs[:, 0], pairs[:, 1] = even, odd
        half *= 2
    return transformed


def _of_entries(randomizer: PadAndSample, counts: Counts) -> Counts:
    """Those of the mechanism of entries; the dummies come last."""
    assert is_pure(randomizer.oracle)  # noqa: S101 (as it is itself)
    return support_counts(randomizer.oracle, counts)[: randomizer.size]


def _projective(randomizer: ProjectiveResponse, counts: Counts) -> Counts:
    from ldp.mechanisms.values.projective import geometry

    size, order, dimension = randomizer.size, randomizer.order, randomizer.dimension
    if not randomizer.folded:
        return _in_space(order, dimension, counts[0], size=size)
    # The points whose upper two coordinates are 0 come first in every slice.
    _, block, common = geometry(order, dimension)
    slices = [
        row[0] + _in_space(order, dimension - 1, row[1:], size=block) for row in counts
    ]
    return np.concatenate([slices[0], *(supports[common:] for supports in slices[1:])])[
        :size
    ]


def _in_space(order: int, dimension: int, counts: Counts, size: int) -> Counts:
    """The support counts of the first points of a space."""
    if order == 2:
        # The bits of a point are its index plus 1, so this is Hadamard response with
        # one block, without the report 0.
        transformed = walsh_hadamard(np.concatenate([[0], counts]))
        supports: Counts = (transformed[0] + transformed[1 : size + 1]) // 2
        return supports
    from ldp_aggregator.numerics.projective.cyclic_design import cyclic_design

    return cyclic_design(order, dimension).supports(counts, size)


def _orthogonal(randomizer: ProjectiveResponse, symbols: slice) -> Flags:
    from ldp_aggregator.numerics.projective.cyclic_design import cyclic_design

    design = cyclic_design(randomizer.order, randomizer.dimension)
    # (symbols,): where each report is in the order of the design.
    places = np.argsort(design.report_at)[symbols]
    shifts = design.place_of[: randomizer.size, None] + places
    zeros: Flags = design.zeros[shifts % len(design.zeros)]
    return zeros


@cache
def _transforms() -> Mapping[type, Callable[[Any, Counts], Counts]]:
    """Return the transforms of symbol counts into support counts, by class.

    Mechanisms are imported when symbols are first decoded: bits need none of these.
    """
    from ldp.mechanisms.sets.pad_and_sample import PadAndSample, SignedItems
    from ldp.mechanisms.values.projective import ProjectiveResponse

    return {
        PadAndSample: _of_entries,
        ProjectiveResponse: _projective,
        SignedItems: _of_entries,
    }
