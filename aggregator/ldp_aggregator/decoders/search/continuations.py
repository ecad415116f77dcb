"""How a text may go on: as well-formed UTF-8 without control characters of ASCII.

A prefix may break off within a character; its bytes (`partial_character`) decide what
may follow. With an alphabet (of ASCII) there are no such bytes, and any of its
characters may follow.

Source: The Unicode Standard, Table 3-7 (well-formed UTF-8 byte sequences).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

_FIRST = (*range(0x20, 0x7F), *range(0xC2, 0xF5))
_LATER = range(0x80, 0xC0)
_SECOND = {
    0xE0: range(0xA0, 0xC0),
    0xED: range(0x80, 0xA0),
    0xF0: range(0x90, 0xC0),
    0xF4: range(0x80, 0x90),
}


class Continuations(NamedTuple):
    """Bytes that may follow a prefix."""

    ending: tuple[bytes, ...]
    """Fewer bytes than asked for, down to none, that complete a text."""
    going_on: tuple[bytes, ...]
    """As many as asked for."""


def partial_character(prefix: bytes) -> bytes:
    """The bytes at the end that are only part of a character."""
    for size in range(1, min(len(prefix), 3) + 1):
        if prefix[-size] >= 0xC0:
            if size < _size_of_character(prefix[-size]):
                return prefix[-size:]
            return b""
    return b""


@lru_cache(maxsize=32)
def continuations(begun: bytes, size: int, alphabet: str) -> Continuations:
    """Continuations of up to `size` bytes, within an alphabet (or any characters).

    `begun` are the bytes of a character that the prefix ends with, if it ends within
    one.
    """
    ending: list[bytes] = []
    going_on = [b""]
    for _ in range(size):
        ending += [part for part in going_on if not partial_character(begun + part)]
        going_on = [
            part + bytes([byte])
            for part in going_on
            for byte in _following(partial_character(begun + part), alphabet)
        ]
    return Continuations(tuple(ending), tuple(going_on))


def _following(begun: bytes, alphabet: str) -> tuple[int, ...] | range:
    if not begun:
        return tuple(alphabet.encode()) or _FIRST
    if len(begun) == 1:
        return _SECOND.get(begun[0], _LATER)
    return _LATER


def _size_of_character(first: int) -> int:
    if first < 0xE0:
        return 2
    if first < 0xF0:
        return 3
    return 4
