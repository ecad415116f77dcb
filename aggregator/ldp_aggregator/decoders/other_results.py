"""Records that decoders of some kinds give beside moments."""

from __future__ import annotations

from typing import Any, NamedTuple

from ldp_aggregator.numerics.arrays import Floats


class SearchReach(NamedTuple):
    """Texts of up to `longest` bytes, held by `frequency` or more, are found 99 times
    in 100.
    """

    longest: int
    frequency: float | None
    """None where even a text that all hold may be missed."""


class VectorParts(NamedTuple):
    """Parts of a mean of vectors, in units of their radius: arrays of shape
    (coordinates,).

    All are unbiased.
    """

    estimate: Floats
    mean_square: Floats
    """Of what reports are worth."""
    variance: Floats
    """Of the estimate, for a population."""


class Candidates(NamedTuple):
    """M names, and the bits that each sets.

    `design`, of shape (cohorts * bits, M), is a sparse matrix of zeros and ones, or a
    `BitDesign`.
    """

    names: tuple[str, ...]
    design: Any


class Grouped(NamedTuple):
    """Candidates of which some are groups."""

    candidates: Candidates
    groups: tuple[tuple[str, ...], ...]
    """The names in each group."""
