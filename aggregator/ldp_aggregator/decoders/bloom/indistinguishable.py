"""Candidates that no report tells apart are one group, under all of their names.

Two candidates may set the same bits in all cohorts that reported, or the bits of one
may be combinations of those of others. The frequency of each is then anybody's guess,
and that of the group is not: one candidate with their bits for the former, a sum for
the latter (`bloom.sums`). Bits are compared by two sums of random numbers for each
candidate, and bit by bit where these agree.

    dependent   columns n with (X - b) n = 0, b the background: candidates i and j
                belong together if the projection on these has P_ij != 0. The sum of a
                group can be told if it is the same for all solutions, that is, if P
                times its ones is 0
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_aggregator.decoders.bloom.sums import CandidateSums
from ldp_aggregator.decoders.moments.bit_designs import of_candidates
from ldp_aggregator.decoders.other_results import Candidates, Grouped
from ldp_aggregator.numerics.arrays import Counts, Floats, Indices

Mask = NDArray[np.bool_]

MOST_DEPENDENT = 2_000
"""Candidates among which dependent ones are looked for: their matrix is dense."""
_MOST_NAMED = 5
_EXACT = 1 << 53
_ZERO = 1e-9
_LINKED = 1e-6


def alike_together(candidates: Candidates, counts: Counts) -> Grouped:
    """Candidates with the same bits in all cohorts that have reports, as one."""
    design = candidates.design
    present = np.repeat(counts[:, 0] > 0, counts.shape[1] - 1)
    suspects = _suspects(design, present)
    if not len(suspects):
        return Grouped(candidates, ())
    # The bits of those alone, one candidate after the other.
    part = design[:, suspects].tocsc()
    by_bits: dict[bytes, list[int]] = {}
    for place, number in enumerate(suspects.tolist()):
        bits = np.sort(part.indices[part.indptr[place] : part.indptr[place + 1]])
        by_bits.setdefault(bits[present[bits]].tobytes(), []).append(number)
    members = [numbers for numbers in by_bits.values() if len(numbers) > 1]
    return _merge_groups(candidates, members)


def _suspects(design: Any, present: Mask) -> Indices:
    """The candidates whose sums of random numbers are those of another, rising."""
    generator = np.random.default_rng(1)
    # Sums of whole numbers below 2^53 are exact, in whatever order they are made.
    most = _EXACT // len(present)
    sums = np.stack([design.T @ _draw(generator, most, present) for _ in range(2)])
    order = np.lexsort(sums)
    same = (sums[:, order[1:]] == sums[:, order[:-1]]).all(axis=0)
    again = np.zeros(len(order), dtype=bool)
    again[1:] |= same
    again[:-1] |= same
    suspects: Indices = np.sort(order[again])
    return suspects


def _draw(generator: np.random.Generator, most: int, present: Mask) -> Floats:
    drawn: Floats = generator.integers(1, most, len(present)).astype(float) * present
    return drawn


def _merge_groups(candidates: Candidates, members: Sequence[Sequence[int]]) -> Grouped:
    """With the first of each group in place of all of it."""
    names = list(candidates.names)
    groups = tuple(tuple(names[number] for number in numbers) for numbers in members)
    kept = np.ones(len(names), dtype=bool)
    for numbers, group in zip(members, groups, strict=True):
        names[numbers[0]] = group_name(group)
        kept[list(numbers[1:])] = False
    places = np.flatnonzero(kept)
    shown = tuple(names[place] for place in places.tolist())
    return Grouped(Candidates(shown, of_candidates(candidates.design, places)), groups)


def dependent_together(
    candidates: Candidates, counts: Counts, background: float
) -> Grouped | None:
    """Candidates that depend on each other as one; the design is then `CandidateSums`.

    None where there are none, too many to look for them, or where even sums cannot be
    told.
    """
    size = len(candidates.names)
    if size > MOST_DEPENDENT:
        return None
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    present = np.repeat(counts[:, 0] > 0, counts.shape[1] - 1)
    columns = candidates.design.toarray()[present] - background
    # (size, d): an orthonormal basis of what makes no difference to any bit.
    values, vectors = np.linalg.eigh(columns.T @ columns)
    free = vectors[:, values <= _ZERO * max(float(values[-1]), 1.0)]
    projection = free @ free.T
    number, labels = connected_components(csr_array(np.abs(projection) > _LINKED))
    members = [np.flatnonzero(labels == label) for label in range(number)]
    unsure = max(float(np.abs(projection @ _ones(own, size)).max()) for own in members)
    if number == size or unsure > _LINKED:
        return None
    kept = [own[_independent(columns[:, own])] for own in members]
    sums = np.zeros((number, sum(map(len, kept))))
    start = 0
    for row, own in enumerate(kept):
        sums[row, start : start + len(own)] = 1
        start += len(own)
    groups = tuple(tuple(candidates.names[place] for place in own) for own in members)
    design = CandidateSums(candidates.design[:, np.concatenate(kept)], sums)
    names = tuple(map(group_name, groups))
    return Grouped(
        Candidates(names, design), tuple(group for group in groups if len(group) > 1)
    )


def _ones(places: Indices, size: int) -> Floats:
    ones = np.zeros(size)
    ones[places] = 1
    return ones


def _independent(columns: Floats) -> Indices:
    """As many columns as are independent, rising."""
    if columns.shape[1] == 1:
        return np.zeros(1, dtype=np.intp)
    from scipy.linalg import qr

    _, factor, order = qr(columns, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(factor))
    return np.sort(order[: int((sizes > np.sqrt(_ZERO) * sizes[0]).sum())])


def group_name(names: Sequence[str]) -> str:
    """Return the name of a group in tables."""
    if len(names) == 1:
        return names[0]
    rest = len(names) - _MOST_NAMED
    named = names
    if rest > 0:
        named = [*names[:_MOST_NAMED], f"{rest} more"]
    return " or ".join(named)


def group_warnings(groups: Iterable[Sequence[str]]) -> list[str]:
    """Warn of the groups, with all names."""
    return [
        f"these reports cannot tell {len(group)} candidates apart, which are estimated "
        f"together, as one: {', '.join(group)}"
        for group in groups
    ]
