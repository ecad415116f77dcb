"""The second hash of Bloom filters, for many texts at once.

A text is hashed once, to 8 bytes; under a seed for each hash function these bytes are
hashed again (`ldp.mechanisms.chains.bloom`). XXH64 of 8 bytes, with w the little-endian
word that they are, is

    s = seed + P5 + 8;  s ^= rotate(w P2, 31) P1;  s = rotate(s, 27) P1 + P4
    then s ^= s >> 33, s *= P2, s ^= s >> 29, s *= P3, s ^= s >> 32, all modulo 2^64

Source: XXH64 (the specification at github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.numerics.arrays import Words

_PRIMES = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
_SIZE = 8
_WORD = 1 << 64


def hashed_again(short: Words, seed: int) -> Words:
    """XXH64, under a seed, of the 8 big-endian bytes of each number; shape (M,)."""
    first, second, third, fourth, _ = map(np.uint64, _PRIMES)
    # The big-endian bytes of a number are the little-endian word of the number turned
    # round.
    mixed = short.byteswap() * second
    mixed = _rotate(mixed, 31) * first
    mixed ^= np.uint64((seed + _PRIMES[4] + _SIZE) % _WORD)
    mixed = _rotate(mixed, 27) * first + fourth
    mixed ^= mixed >> np.uint64(33)
    mixed *= second
    mixed ^= mixed >> np.uint64(29)
    mixed *= third
    mixed ^= mixed >> np.uint64(32)
    return mixed


def _rotate(words: Words, by: int) -> Words:
    return (words << np.uint64(by)) | (words >> np.uint64(64 - by))
