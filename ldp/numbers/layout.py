"""One report as an integer, and as bytes of a fixed width.

A report is a prefix followed by a body. The prefix is nothing, or a cohort (2 bytes),
or the seed (a, b) of a hash function (2 x 4 bytes, with 0 < a < modulus and b <
modulus), or any 8 bytes, the seed of codewords. The body is a symbol in [0, symbols),
as 1, 2 or 4 bytes, or a vector of `places` such symbols, or a vector of bits, position
i being bit i % 8 of byte i // 8, unused bits zero; if `ones` is given, that many are
set.

All of it is little-endian, so a report is also one integer, body x 2^(8 x prefix bytes)
+ prefix, and the width of its bytes depends on the question alone, never on the answer.
"""

from __future__ import annotations

from typing import NamedTuple

COHORT_WIDTH = 2
SEED_WIDTH = 8
MOST_COHORTS = 1 << 16
MOST_SYMBOLS = 1 << 22
MOST_BITS = 1 << 22


class Folding(NamedTuple):
    """How a tally folds the points of a projective space into `slices`.

    `ldp_aggregator.numerics.projective.folding` says what that means.
    """

    slices: int
    order: int
    dimension: int


class Layout(NamedTuple):
    """The shape of a report.

    `cohorts` (1: none is sent) or a hash `modulus` (0: no seed), and `symbols` or
    `bits`.
    """

    cohorts: int = 1
    symbols: int = 0
    bits: int = 0
    ones: int = 0
    modulus: int = 0
    hashed: int = 0
    """How many values a hash function takes to symbols; a tally counts their support.
    """
    folding: Folding | None = None
    """Where symbols are points in such numbers that a tally does not count them one by
    one.
    """
    places: int = 1
    """How many symbols a report has."""
    codewords: int = 0
    """How many coordinates the word has that a seed and a symbol name; a tally adds
    these up.
    """

    @property
    def counters(self) -> int:
        """Number of counters in a tally: values that reports may support, or sums they
        add to.

        0 where it counts symbols.
        """
        return self.bits or self.hashed or 2 * self.codewords

    @property
    def cells(self) -> int:
        """How many numbers a tally has that is not folded."""
        return (
            self.cohorts
            * self.places
            * (1 + self.counters if self.counters else self.symbols)
        )

    @property
    def prefix_width(self) -> int:
        """Bytes of the cohort or seed."""
        if self.modulus or self.codewords:
            return SEED_WIDTH
        if self.cohorts > 1:
            return COHORT_WIDTH
        return 0

    @property
    def body_width(self) -> int:
        """Bytes of the symbols or of the bits."""
        if self.bits:
            return (self.bits + 7) // 8
        return self.places * self.symbol_width

    @property
    def symbol_width(self) -> int:
        """Bytes of one symbol."""
        if self.symbols <= 1 << 8:
            return 1
        if self.symbols <= 1 << 16:
            return 2
        return 4

    @property
    def width(self) -> int:
        """Bytes of a report."""
        return self.prefix_width + self.body_width

    def report(self, body: int, prefix: int = 0) -> int:
        """The report whose symbol or vector is `body`."""
        return body << 8 * self.prefix_width | prefix


def with_cohort(body: int, cohort: int, cohorts: int) -> int:
    """The report of a mechanism with so many cohorts, as its layout has it, without
    making one.

    Of one cohort nothing is sent.
    """
    if cohorts > 1:
        return body << 8 * COHORT_WIDTH | cohort
    return body
