"""The table of mechanisms.

One module for each algorithm; each module opens with its rules, formula and source, and ends with its row of this
table. What a mechanism must provide is written in `ldp.mechanisms.contract`.
"""

from __future__ import annotations

from ldp.mechanisms import (
    forced,
    grr,
    hadamard,
    local_hashing,
    matrix,
    projective,
    rappor,
    sketches,
    subset,
    unary,
    unrelated,
    warner,
)
from ldp.mechanisms.contract import Declared, Mechanism, Memoized, Pure, Randomizer

_ROWS = (
    warner.MECHANISM,
    forced.MECHANISM,
    unrelated.MECHANISM,
    matrix.MECHANISM,
    grr.MECHANISM,
    subset.MECHANISM,
    projective.MECHANISM,
    unary.SYMMETRIC,
    unary.OPTIMIZED,
    hadamard.MECHANISM,
    local_hashing.OPTIMIZED,
    local_hashing.BINARY,
    sketches.MECHANISM,
    sketches.HADAMARD,
    rappor.MECHANISM,
)

MECHANISMS: dict[str, Mechanism] = {row.name: row for row in _ROWS}
"""Every mechanism, by the name that a survey file uses."""

AUTOMATIC = (grr.MECHANISM, subset.MECHANISM, projective.MECHANISM, hadamard.MECHANISM)
"""What `mechanism = "auto"` chooses from: those that no other beats in error, size of reports and time to decode."""

__all__ = ["AUTOMATIC", "MECHANISMS", "Declared", "Mechanism", "Memoized", "Pure", "Randomizer"]
