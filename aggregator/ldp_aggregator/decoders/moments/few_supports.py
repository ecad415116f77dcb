"""Supports of a few values, and pairs of them, where a tally counts symbols.

A transform tells for all values at once how many reports support each, and takes a
fraction of a second for a million. For few of them a sum for each is quicker:

    projective   the symbols that support a value are those orthogonal to it: a cyclic
                 shift of the zeros of one sequence, in the order of the design. Those
                 that support two values are the zeros of both.
    rows         T_a = sum_y count_y (-1)^(common bits of a and y), a number of the Walsh-Hadamard
                 transform, from the halves of the bits of y: signs for the lower half
                 times a matrix of counts, then signs for the upper. As (-1)^(...) for a
                 times that for b is that for a xor b, pairs are numbers of the
                 transform, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_aggregator.numerics.projective.cyclic_design import cyclic_design

if TYPE_CHECKING:
    from ldp.mechanisms.values.projective import ProjectiveResponse
    from ldp_aggregator.numerics.arrays import Counts, Floats, Indices


def point_supports(
    response: ProjectiveResponse, counts: Counts, places: Indices
) -> tuple[Counts, Counts]:
    """How many reports support each value, (K,), and each pair of them, (K, K).

    `counts` are of reports by the point that they name, (points,), of a response that
    is not folded.
    """
    if response.order == 2:
        # The bits of a point are its index plus 1.
        rows = places + 1
        return _by_halves(np.concatenate([[0], counts]), rows)
    design = cyclic_design(response.order, response.dimension)
    points, many = len(design.zeros), len(places)
    shifts = design.place_of[places].tolist()
    supports = np.zeros(many, dtype=np.int64)
    pairs = np.zeros((many, many), dtype=np.int64)
    for first, shift in enumerate(shifts):
        # (block,): the places of the symbols that support the value, and how often each
        # came.
        there = design.zero_places - shift
        there[there < 0] += points
        came = counts[design.report_at[there]]
        supports[first] = pairs[first, first] = came.sum()
        for second in range(first):
            shared = there + shifts[second]
            shared[shared >= points] -= points
            pairs[first, second] = pairs[second, first] = came[
                design.zeros[shared]
            ].sum()
    return supports, pairs


def _by_halves(counts: Counts, rows: Indices) -> tuple[Counts, Counts]:
    """The same of rows of a Hadamard matrix: a symbol supports a row if they share even
    bits.
    """
    total = counts.sum()
    transformed = walsh_at(counts, rows)
    crossed = walsh_at(counts, np.bitwise_xor.outer(rows, rows).ravel())
    pairs = total + transformed[:, None] + transformed[None, :]
    return (total + transformed) // 2, (pairs + crossed.reshape(pairs.shape)) // 4


def walsh_at(counts: Counts, rows: Indices) -> Counts:
    """The numbers of the Walsh-Hadamard transform of counts, (2^m,), at some rows,
    (R,).
    """
    bits = len(counts).bit_length() - 1
    low = bits // 2
    different, back = np.unique(rows, return_inverse=True)
    # (2^high, 2^low) by the signs of the lower bits: (2^high, R). Exact below 2^53
    # reports.
    below = _signs(different & (1 << low) - 1, low)
    halfway = counts.reshape(1 << bits - low, 1 << low).astype(np.float64) @ below
    above = _signs(different >> low, bits - low)
    transformed: Counts = np.rint((above * halfway).sum(axis=0)).astype(np.int64)
    return transformed[back.ravel()]


def _signs(rows: Indices, bits: int) -> Floats:
    """(-1)^(number of common bits), of all numbers below 2^bits and of rows: (2^bits,
    R).
    """
    common = np.arange(1 << bits)[:, None] & rows[None, :]
    signs: Floats = 1.0 - 2.0 * (np.bitwise_count(common) & 1)
    return signs
