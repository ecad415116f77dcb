"""The Bloom filter of RAPPOR: which bits a text sets, in each cohort.

A text is hashed once, to the 8 big-endian bytes of its XXH64; those bytes are hashed
again under the seed `cohort * 256 + i` for the i-th hash function, modulo the number of
bits. The input of the second hash has a fixed length, so a table of candidates can be
hashed in bulk, and every language gets the same bits.

Source: Erlingsson, Pihur and Korolova 2014, Section 2 (with XXH64 where they left the
hash open).
"""

from __future__ import annotations

from xxhash import xxh64_digest, xxh64_intdigest

MOST_HASHES = 16


def bloom_positions(text: bytes, cohort: int, hashes: int, bits: int) -> list[int]:
    """The positions that `text` sets in `cohort`, one per hash function; they need not
    differ.
    """
    short = xxh64_digest(text)
    return [xxh64_intdigest(short, seed) % bits for seed in hash_seeds(cohort, hashes)]


def hash_seeds(cohort: int, hashes: int) -> range:
    """The seeds of the second hash, one per hash function."""
    return range(cohort * 256, cohort * 256 + hashes)


def bloom_vector(text: bytes, cohort: int, hashes: int, bits: int) -> int:
    """The Bloom filter of one text as an integer whose bit i is position i."""
    vector = 0
    for position in bloom_positions(text, cohort, hashes, bits=bits):
        vector |= 1 << position
    return vector
