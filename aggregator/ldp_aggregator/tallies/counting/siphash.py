"""SipHash-2-4 of many ids at once: a keyed hash that nobody predicts who does not have
the key.

Source: Aumasson, Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012, section
2. The state is four words of 64 bits, here an array of them for each; additions wrap at
2^64. An id is two words, and a third says how long it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from ldp.numbers.epochs import ID_SIZE
from ldp_aggregator.numerics.arrays import Words

KEY_SIZE = 16
_START = (
    0x736F6D6570736575,
    0x646F72616E646F6D,
    0x6C7967656E657261,
    0x7465646279746573,
)
_LENGTH = np.uint64(ID_SIZE << 56)
_END = np.uint64(0xFF)
_AT_ONCE = 1 << 14
"""Ids whose states stay in a processor's cache."""


def siphashes(key: bytes, ids: Sequence[bytes]) -> Words:
    """The hashes of ids of 16 bytes, of shape (ids,), under a key of 16 bytes."""
    # A row an id, (ids, 2).
    words = np.frombuffer(b"".join(ids), dtype="<u8").astype(np.uint64).reshape(-1, 2)
    starts = range(0, len(words), _AT_ONCE)
    hashes = [_hash(key, words[start : start + _AT_ONCE]) for start in starts]
    if hashes:
        return np.concatenate(hashes)
    return np.empty(0, dtype=np.uint64)


def _hash(key: bytes, words: Words) -> Words:
    """The hashes of rows of two words."""
    halves = [int.from_bytes(half, "little") for half in (key[:8], key[8:])]
    state = [
        np.full(len(words), constant ^ half, dtype=np.uint64)
        for constant, half in zip(_START, halves * 2, strict=True)
    ]
    for word in (words[:, 0], words[:, 1], _LENGTH):
        state[3] ^= word
        _mix(state, 2)
        state[0] ^= word
    state[2] ^= _END
    _mix(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _mix(state: list[Words], rounds: int) -> None:
    """SipRounds, in place."""
    a, b, c, d = state
    for _ in repeat(None, rounds):
        a += b
        b[:] = _rotate(b, 13) ^ a
        a[:] = _rotate(a, 32)
        c += d
        d[:] = _rotate(d, 16) ^ c
        a += d
        d[:] = _rotate(d, 21) ^ a
        c += b
        b[:] = _rotate(b, 17) ^ c
        c[:] = _rotate(c, 32)


def _rotate(words: Words, bits: int) -> Words:
    """The words, each rotated to the left."""
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))
