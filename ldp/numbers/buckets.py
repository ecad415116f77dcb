"""The buckets of a hash function: residues modulo a prime P, shared out as evenly as
they go.

A residue belongs to bucket floor(residue g / P), for g buckets.
"""

from __future__ import annotations

MODULUS = (1 << 31) - 1
MOST_BUCKETS = 1 << 16


def sizes(residues: int, buckets: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """(how many buckets, residues in each), twice.

    P mod g of the buckets have one residue more than the others.
    """
    least, more = divmod(residues, buckets)
    return (more, least + 1), (buckets - more, least)
