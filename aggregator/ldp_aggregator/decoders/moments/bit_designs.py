"""The bits of many candidates, two bytes each: what a sparse matrix needs twelve for.

A candidate sets at most h bits in each cohort. So a design (which candidate sets which
bit) is a table of positions, and products with it are sums of table look-ups:

    places   (cohorts h, M): slot c h + i has, for each candidate, the position of a bit
             that it sets in cohort c; k (one more than the last position) where two
             hash functions agree
    X' r     for each slot, r by position, where position k has 0
    X f      for each slot, the sums of f by position

and where k is small, of pairs of slots by pairs of positions.

A million candidates in 64 cohorts with two bits each are 256 MB, and 1.5 GB as a sparse
matrix. Up to `FEW` candidates the sparse matrix is made; of more, that of any few
candidates can be had (`design[:, some]`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_aggregator.numerics.arrays import Floats, Indices

FEW = 1 << 16
_MOST_PAIRS = 1 << 15
"""Pairs of positions of which a table stays in the cache."""
_AT_ONCE = 1 << 13
"""Candidates whose numbers stay in the processor's cache."""

Places = NDArray[np.unsignedinteger[Any]]


def design_of(places: Places, bits: int) -> Any:
    """The design of a table of places as above, in which positions may repeat.

    A sparse matrix (cohorts * bits, M) where candidates are few, else a `BitDesign`.
    """
    cohorts = len(places)
    unique = once(places, bits).reshape(cohorts * places.shape[1], places.shape[2])
    design = BitDesign(unique, cohorts, bits)
    if places.shape[-1] <= FEW:
        return design[:, :]
    return design


def of_candidates(design: Any, places: Indices) -> Any:
    """The design of some of its candidates."""
    if isinstance(design, BitDesign) and len(places) > FEW:
        return BitDesign(design.places[:, places], design.cohorts, design.bits)
    return design[:, places]


def place_type(bits: int) -> type[np.unsignedinteger[Any]]:
    """The least type that has positions, and one for no position."""
    if bits < 1 << 16:
        return np.uint16
    return np.uint32


def once(places: Places, bits: int) -> Places:
    """Positions (cohorts, h, M) of which those that repeat one before them are none, in
    place.
    """
    for slot in range(1, places.shape[1]):
        for before in range(slot):
            same = places[:, slot] == places[:, before]
            places[:, slot][same] = bits
    return places


class BitDesign:
    """A design of shape (cohorts * bits, M), as a sparse matrix would have it."""

    def __init__(self, places: Places, cohorts: int, bits: int) -> None:
        self.places, self.cohorts, self.bits = places, cohorts, bits
        self.hashes = len(places) // cohorts
        self.shape = (cohorts * bits, places.shape[1])

    @property
    def T(self) -> Transposed:  # noqa: N802
        """What is multiplied by bits to give candidates."""
        return Transposed(self)

    def tocsc(self) -> BitDesign:
        """Itself: it is by candidate."""
        return self

    def __matmul__(self, shares: Floats) -> Floats:
        """X f, of shape (cohorts * bits,)."""
        codes, size = self.codes, self.code_size
        by_cohort = len(codes) // self.cohorts
        sums = np.zeros((self.cohorts, size))
        for start in range(0, self.shape[1], _AT_ONCE):
            weights = np.asarray(shares[start : start + _AT_ONCE], dtype=float)
            for slot, places in enumerate(codes[:, start : start + _AT_ONCE]):
                sums[slot // by_cohort] += np.bincount(places, weights, size)
        if size > self.bits + 1:
            # (cohorts, one position, the other).
            paired = sums.reshape(self.cohorts, self.bits + 1, self.bits + 1)
            sums = paired.sum(axis=1) + paired.sum(axis=2)
        return sums[:, :-1].ravel()

    @property
    def code_size(self) -> int:
        """How many codes there are."""
        alone = self.bits + 1
        if self.hashes % 2 == 0 and alone**2 <= _MOST_PAIRS:
            return alone**2
        return alone

    @cached_property
    def codes(self) -> Places:
        """The positions of two slots of a cohort as one number each, where there are
        few such.

        That halves the look-ups; else the positions.
        """
        alone = self.bits + 1
        if self.code_size == alone:
            return self.places
        codes = self.places[::2] * np.uint16(alone)
        codes += self.places[1::2]
        return codes

    def __getitem__(self, key: Any) -> Any:
        """Some rows (a mask of whole cohorts), or all rows of some candidates, which is
        sparse.
        """
        if not isinstance(key, tuple):
            return self._of_cohorts(
                np.asarray(key).reshape(self.cohorts, self.bits)[:, 0]
            )
        from scipy.sparse import csc_array

        _, some = key
        # (slots, some), then one candidate after the other.
        places = self.places[:, some]
        rows = places.T.astype(np.int32)
        rows += np.repeat(
            np.arange(self.cohorts, dtype=np.int32) * self.bits, self.hashes
        )
        there = self.bits > places.T
        starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
        indices = rows[there]
        return csc_array(
            (np.ones(len(indices)), indices, starts), shape=(self.shape[0], len(there))
        )

    def tocoo(self) -> Any:
        """The sparse matrix, by entry."""
        return self[:, :].tocoo()

    def sum(self, axis: int) -> Floats:
        """The bits of each candidate, (M,), for axis 0; the candidates of each bit, for
        axis 1.
        """
        if axis:
            return self @ np.ones(self.shape[1])
        counted: Floats = (
            (self.places < self.bits).sum(axis=0, dtype=np.int64).astype(float)
        )
        return counted

    def together(self, cohort: int, shares: Floats) -> Floats:
        """X diag(f) X' of one cohort: the shares of candidates that set both of two
        bits.
        """
        size = self.bits + 1
        slots = self.places[cohort * self.hashes : (cohort + 1) * self.hashes]
        sums = np.zeros(size * size)
        for one in slots:
            cells = one.astype(np.int64) * size
            for other in slots:
                sums += np.bincount(cells + other, shares, size * size)
        return sums.reshape(size, size)[:-1, :-1]

    def _of_cohorts(self, some: NDArray[np.bool_]) -> BitDesign:
        if some.all():
            return self
        places = self.places[np.repeat(some, self.hashes)]
        return BitDesign(places, int(some.sum()), self.bits)


class Transposed:
    """X'."""

    def __init__(self, design: BitDesign) -> None:
        self.design = design
        self.shape = design.shape[::-1]

    def __matmul__(self, rates: Floats) -> Floats:
        """X' r, of shape (M,)."""
        design = self.design
        table = np.zeros((design.cohorts, design.bits + 1))
        table[:, :-1] = np.reshape(rates, (design.cohorts, design.bits))
        codes = design.codes
        by_cohort = len(codes) // design.cohorts
        if design.code_size > table.shape[1]:
            # (cohorts, one position, the other), by code.
            table = (table[:, :, None] + table[:, None, :]).reshape(design.cohorts, -1)
        sums = np.zeros(design.shape[1])
        for start in range(0, len(sums), _AT_ONCE):
            here = sums[start : start + _AT_ONCE]
            for slot, places in enumerate(codes[:, start : start + _AT_ONCE]):
                # No place is beyond the table; "clip" does without a test of that.
                here += table[slot // by_cohort].take(places, mode="clip")
        return sums
