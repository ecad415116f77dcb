"""Law of counts for a warehouse: a table of worths, and variances as numbers.

Frequencies of the kinds that have it are weighted sums of the cells of a tally,

    frequency of x = (sum over cells of worth[x, cell] count[cell] / n - base) / scale

and the variance and the third central moment of one report's score are numbers: two for
all values, or one for each value and each that may be held instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldp.mechanisms.contract import Pure, Randomizer, is_pure
from ldp_aggregator.decoders.moments.jumps import third_of_rates
from ldp_aggregator.decoders.moments.supports import is_counted, support_counts
from ldp_aggregator.numerics.arrays import Floats

MOST_WORTHS = 1 << 20
"""Worths of a table: beyond, it is looked at by other means."""


@dataclass(frozen=True)
class CountLaw:
    """How the cells of a tally are decoded. A score's law is by value, (M,), or by
    pairs, (M, M).

    Of pairs, rows are values that are held, and columns those that are estimated.
    """

    worth: Floats
    """Of each cell to each value, of shape (M, cells)."""
    base: float
    scale: float
    variance_if_held: Floats
    variance_if_not: Floats
    third_if_held: Floats
    third_if_not: Floats
    signal: Floats | None = None
    """|p - q| where an estimate is one count, (M,): what a count of one is worth."""
    labels: bool = False
    """Whether a cell has the name of a value: in their order, after that of all reports
    if any.
    """

    @property
    def by_pairs(self) -> bool:
        """Whether what an estimate errs by depends on what others hold."""
        return self.variance_if_not.ndim > 1


def law_of_supports(randomizer: Randomizer) -> CountLaw | None:
    """Where every report supports its own value with p and any other with q."""
    assert is_pure(randomizer)  # noqa: S101 (a fact about our own table)
    size, worth = randomizer.size, worths(randomizer)
    if worth is None:
        return None
    p, q = (float(rate) for rate in randomizer.support)
    third = third_of_rates(p, q)
    every = np.ones(size)
    return CountLaw(
        worth,
        q,
        p - q,
        variance_if_held=every * (p * (1 - p) / (p - q) ** 2),
        variance_if_not=every * (q * (1 - q) / (p - q) ** 2),
        third_if_held=every * third[0],
        third_if_not=every * third[1],
        signal=every * abs(p - q),
        labels=is_counted(randomizer),
    )


def worths(randomizer: Pure) -> Floats | None:
    """Which cells count as support of which values, (M, cells); None where that is too
    much.
    """
    layout = randomizer.layout
    cells = layout.symbols
    if layout.counters:
        cells = 1 + layout.counters
    if (
        layout.cohorts * layout.places > 1
        or layout.folding
        or cells * randomizer.size > MOST_WORTHS
    ):
        return None
    if is_counted(randomizer):
        # The tally has them as they are, after that of all reports if there is one.
        return np.eye(randomizer.size, cells, 1 if layout.counters else 0)
    one_each = np.eye(cells, dtype=np.int64)
    by_cell = [support_counts(randomizer, one[None]) for one in one_each]
    return np.stack(by_cell, axis=1).astype(np.float64)
