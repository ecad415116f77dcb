"""One report as an integer, and as bytes of a fixed width.

A report is an optional cohort (2 bytes) followed by one body: a symbol in [0, symbols), as 1, 2 or 4 bytes, or a
vector of bits, position i being bit i % 8 of byte i // 8, unused bits zero. All of it is little-endian, so a report is
also one integer, body x 2^16 + cohort (or just the body where there are no cohorts), and the width of its bytes
depends on the question alone, never on the answer.
"""

from __future__ import annotations

from typing import NamedTuple

COHORT_WIDTH = 2
MOST_COHORTS = 1 << 16
MOST_SYMBOLS = 1 << 22
MOST_BITS = 1 << 22


class Layout(NamedTuple):
    """The shape of a report: `cohorts` (1: none is sent), and either `symbols` or `bits`."""

    cohorts: int = 1
    symbols: int = 0
    bits: int = 0

    @property
    def cohort_width(self) -> int:
        """Bytes of the cohort."""
        return COHORT_WIDTH if self.cohorts > 1 else 0

    @property
    def body_width(self) -> int:
        """Bytes of the symbol or of the bits."""
        if self.bits:
            return (self.bits + 7) // 8
        return 1 if self.symbols <= 1 << 8 else 2 if self.symbols <= 1 << 16 else 4

    @property
    def width(self) -> int:
        """Bytes of a report."""
        return self.cohort_width + self.body_width

    def report(self, body: int, cohort: int = 0) -> int:
        """The report whose symbol or bit vector is `body`."""
        return body << 16 | cohort if self.cohorts > 1 else body
