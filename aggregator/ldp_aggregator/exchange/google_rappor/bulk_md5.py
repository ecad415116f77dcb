"""MD5 of many texts at once, each behind the four bytes of a cohort.

google/rappor hashes each candidate again for each cohort: 64 million digests for a
million candidates and 64 cohorts. Here one step of the algorithm is one operation on
thousands of texts. As the cohort is the first of the 32-bit words that are hashed, the
others are laid out once.

    message   cohort (big-endian uint32) || text || 0x80 || zeros || length in bits (64,
              little)
    step i    b' = b + rotate(a + F(b, c, d) + K_i + word_g(i), s_i);  a, c, d = d, b, c

Source: Rivest 1992 (RFC 1321), Section 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

_BLOCK = 64
_PREFIX = 4
_TAIL = 9
"""The byte 0x80 and the length."""
_START = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)
_SINES = [math.floor(abs(math.sin(step + 1)) * 2**32) for step in range(64)]
_SHIFTS = ((7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21))
_PLACES = ((1, 0), (5, 1), (3, 5), (7, 0))
"""By round, (m, n): step i takes the word m i + n, modulo 16."""


class Messages:
    """Texts that all take as many blocks, laid out for hashing."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        """Raises `ValueError` for texts of several numbers of blocks."""
        blocks = {blocks_of(text) for text in texts}
        if len(blocks) != 1:
            raise ValueError(
                f"expected texts of one number of blocks, got {len(blocks)} of them"
            )
        size = blocks.pop() * _BLOCK
        padded = b"".join(
            (b"\0\0\0\0" + text + b"\x80").ljust(size - 8, b"\0")
            + (8 * (_PREFIX + len(text))).to_bytes(8, "little")
            for text in texts
        )
        rows = np.frombuffer(padded, "<u4").reshape(len(texts), -1)
        # (words, texts), and which words are 0 in all texts, as most of short ones are.
        self.words: Words = np.ascontiguousarray(rows.T).astype(np.uint32)
        self.empty = [not words.any() for words in self.words]

    def digests(self, cohort: int) -> Words:
        """The digests behind a cohort, of shape (4, texts): little-endian words."""
        texts = self.words.shape[1]
        state = [np.full(texts, word, dtype=np.uint32) for word in _START]
        first = int.from_bytes(cohort.to_bytes(4, "big"), "little")
        for start in range(0, len(self.words), 16):
            turned = self._block(start, state, first=None if start else first)
            for whole, part in zip(state, turned, strict=True):
                whole += part
        return np.array(state)

    def _block(self, start: int, state: list[Words], first: int | None) -> list[Words]:
        a, b, c, d = (part.copy() for part in state)
        mixed, rest = np.empty_like(a), np.empty_like(a)
        for step in range(64):
            turn, number = divmod(step, 16)
            factor, shift = _PLACES[turn]
            place = (factor * number + shift) % 16
            _mix(turn, (b, c, d), mixed, rest=rest)
            a += mixed
            constant = _SINES[step]
            if place == 0 and first is not None:
                constant += first
            elif not self.empty[start + place]:
                a += self.words[start + place]
            a += np.uint32(constant & 0xFFFFFFFF)
            by = _SHIFTS[turn][number % 4]
            np.right_shift(a, np.uint32(32 - by), out=rest)
            np.left_shift(a, np.uint32(by), out=a)
            a |= rest
            a += b
            a, b, c, d = d, a, b, c
        return [a, b, c, d]


def blocks_of(text: bytes) -> int:
    """How many blocks of 64 bytes are hashed."""
    return -(-(_PREFIX + len(text) + _TAIL) // _BLOCK)


def _mix(
    turn: int, words: tuple[Words, Words, Words], mixed: Words, rest: Words
) -> None:
    """F of a round, into `mixed`."""
    b, c, d = words
    if turn == 0:  # d ^ (b & (c ^ d))
        np.bitwise_xor(c, d, out=mixed)
        mixed &= b
        mixed ^= d
    elif turn == 1:  # c ^ (d & (b ^ c))
        np.bitwise_xor(b, c, out=mixed)
        mixed &= d
        mixed ^= c
    elif turn == 2:
        np.bitwise_xor(b, c, out=mixed)
        mixed ^= d
    else:  # c ^ (b | ~d)
        np.invert(d, out=rest)
        np.bitwise_or(b, rest, out=mixed)
        mixed ^= c
