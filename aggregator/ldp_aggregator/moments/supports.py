"""Support counts: how many reports support each value, from the tally of a mechanism that is pure
or has blocks.

Where a report names the values that it supports, the tally is that count already. Elsewhere the
tally counts symbols, and a transform that knows which symbol supports which values turns it into
support counts, all at once and exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp.mechanisms.contract import Blocked, Pure, is_pure
from ldp.mechanisms.hadamard import HadamardResponse
from ldp.mechanisms.pad_and_sample import PadAndSample
from ldp.mechanisms.projective import ProjectiveResponse, geometry
from ldp_aggregator.arrays import Counts
from ldp_aggregator.projective.design import cyclic_design


def support_counts(randomizer: Pure, counts: Counts) -> Counts:
    """The support counts, of shape (values,), from counts as in `ldp_aggregator.tallies.counting`,
    of one cohort.
    """
    if isinstance(randomizer, PadAndSample):
        assert is_pure(randomizer.oracle)  # noqa: S101 (as it is itself)
        # The dummies come last.
        return support_counts(randomizer.oracle, counts)[: randomizer.size]
    if randomizer.layout.counted:
        return counts[0, 1:]
    return _TRANSFORMS.get(type(randomizer), _unchanged)(randomizer, counts)


def block_supports(randomizer: Blocked, counts: Counts) -> tuple[Counts, Counts]:
    """How many reports support each value, and how many are in its block.

    In a block, twice the support is the number of reports plus the Walsh-Hadamard transform at the
    value's row.
    """
    oracle, size = blocks_of(randomizer), randomizer.size
    transformed = walsh_hadamard(counts.reshape(oracle.blocks, oracle.rows))
    # Values are dealt out to the blocks in turn.
    in_block, by_row = transformed[:, 0], transformed[:, 1:].T
    reports = np.broadcast_to(in_block, by_row.shape).ravel()[:size]
    supports: Counts = (reports + by_row.ravel()[:size]) // 2
    return supports, reports


def blocks_of(randomizer: Blocked) -> HadamardResponse:
    """The Hadamard response that makes the reports."""
    oracle = randomizer.oracle if isinstance(randomizer, PadAndSample) else randomizer
    assert isinstance(oracle, HadamardResponse)  # noqa: S101 (a fact about our own table)
    return oracle


def walsh_hadamard(numbers: NDArray[Any]) -> NDArray[Any]:
    """The Walsh-Hadamard transform along the last axis, whose length is a power of two."""
    transformed = np.array(numbers, order="C")
    half = 1
    while half < transformed.shape[-1]:
        pairs = transformed.reshape(-1, 2, half)
        even, odd = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        pairs[:, 0], pairs[:, 1] = even, odd
        half *= 2
    return transformed


def _unchanged(_: Pure, counts: Counts) -> Counts:
    supports: Counts = counts[0]
    return supports


def _projective(randomizer: Pure, counts: Counts) -> Counts:
    assert isinstance(randomizer, ProjectiveResponse)  # noqa: S101 (the table below says so)
    size, order, dimension = randomizer.size, randomizer.order, randomizer.dimension
    if not randomizer.folded:
        return _in_space(order, dimension, counts[0], size=size)
    # The points whose upper two coordinates are 0 come first in every slice.
    _, block, common = geometry(order, dimension)
    slices = [row[0] + _in_space(order, dimension - 1, row[1:], size=block) for row in counts]
    return np.concatenate([slices[0], *(each[common:] for each in slices[1:])])[:size]


def _in_space(order: int, dimension: int, counts: Counts, size: int) -> Counts:
    """The support counts of the first points of a space."""
    if order == 2:
        # The bits of a point are its index plus 1, so this is Hadamard response with one block,
        # without the report 0.
        transformed = walsh_hadamard(np.concatenate([[0], counts]))
        supports: Counts = (transformed[0] + transformed[1 : size + 1]) // 2
        return supports
    return cyclic_design(order, dimension).supports(counts, size)


_TRANSFORMS: dict[type, Callable[[Pure, Counts], Counts]] = {
    ProjectiveResponse: _projective,
}
