"""Randomness as an argument, and exact draws from it.

Rules
- A source is a function from a size to that many bytes. Devices use `system`; tests and
  vectors use `Replay`.
- Every draw compares integers: no floats, so a probability of a/b is a/b.
- The number of bytes drawn never depends on a true value. `randbelow` rejects before
  its result is put to use; `draw_bits` takes a fixed number of bytes, whatever the
  thresholds.
- A failing source is a `RandomnessError`, so that no report is made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeVar

from ldp.errors import RandomnessError

Item = TypeVar("Item")

Random = Callable[[int], bytes]
"""A source of randomness: given a size, returns that many bytes."""

WORD = 64
"""Bits in a threshold: a bit is 1 with probability T / 2^WORD."""

BLOCK = 32
"""Integers that `draw_below` reads from the source at once."""

_RESERVE = 16


def system(size: int) -> bytes:
    """`size` bytes from the operating system's generator.

    Raises `RandomnessError` if it has none to give.
    """
    try:
        drawn = os.urandom(size)
    except (OSError, NotImplementedError) as error:
        raise RandomnessError(
            f"the operating system gave no randomness ({type(error).__name__})"
        ) from error
    if len(drawn) != size:
        raise RandomnessError(
            f"the operating system gave {len(drawn)} random bytes of {size}"
        )
    return drawn


class Replay:
    """A source that replays a tape, for tests and vectors.

    At its end it raises `RandomnessError`.
    """

    def __init__(self, tape: bytes) -> None:
        self._tape = tape
        self.used = 0

    def __call__(self, size: int) -> bytes:
        """The next `size` bytes of the tape."""
        drawn = self._tape[self.used : self.used + size]
        if len(drawn) != size:
            raise RandomnessError(f"the tape of {len(self._tape)} bytes is at its end")
        self.used += size
        return drawn


def randbelow(bound: int, random: Random) -> int:
    """A uniform integer in [0, bound), by rejection from whole bytes
    (little-endian).
    """
    size, limit = _whole_multiples(bound)
    while (drawn := int.from_bytes(random(size), "little")) >= limit:
        pass
    return drawn % bound


@lru_cache(maxsize=256)
def _whole_multiples(bound: int) -> tuple[int, int]:
    """How many bytes to draw, and the largest multiple of the bound that they hold."""
    size = (bound.bit_length() + 7) >> 3
    span = 1 << (size << 3)
    return size, span - span % bound


def shuffle(items: Iterable[Item], random: Random) -> list[Item]:
    """The items in a uniformly random order (Fisher and Yates)."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        chosen = randbelow(last + 1, random)
        order[last], order[chosen] = order[chosen], order[last]
    return order


def bernoulli(numerator: int, denominator: int, random: Random) -> bool:
    """True with probability numerator / denominator, exactly."""
    return randbelow(denominator, random) < numerator


def draw_below(bound: int, random: Random) -> Iterator[int]:
    """Uniform integers in [0, bound), one after the other, read from the source in
    blocks.
    """
    size = (bound.bit_length() + 11) >> 3
    span = 1 << (size << 3)
    limit = span - span % bound
    while True:
        block = random(BLOCK * size)
        for at in range(0, BLOCK * size, size):
            drawn = int.from_bytes(block[at : at + size], "little")
            if drawn < limit:
                yield drawn % bound


def draw_bits(
    chosen: int,
    size: int,
    if_chosen: int,
    if_other: int,
    random: Random,
    word: int = WORD,
) -> int:
    """A vector of `size` independent bits, as an integer whose bit i is position i.

    Position i is 1 with probability `if_chosen / 2^word` where bit i of `chosen` is
    set, else `if_other / 2^word`; both thresholds lie in [0, 2^word).

    All positions compare their own uniform word with their threshold at once, one
    bit-plane at a time from the top. Half of the undecided positions decide at each
    plane, so after log2(size) + 4 planes hardly any is left; the few that are read a
    reserve of 16 words. How many bytes are drawn is therefore fixed, unless more than
    16 positions are still tied (probability below 1e-29, and independent of the
    thresholds, since a tie has probability 1/2 for any of them). Stopping as soon as
    all are decided would be quicker and wrong: when a bit decides depends on its
    threshold, hence on the value.
    """
    width = (size + 7) >> 3
    planes = min(word, size.bit_length() + 3)
    rest = word - planes
    reserve_width = (rest + 7) >> 3
    tape = random(planes * width + _RESERVE * reserve_width)
    everywhere = (1 << size) - 1
    digits_of = (0, everywhere & ~chosen, chosen, everywhere)
    ones = at = 0
    tied = everywhere
    from_bytes = int.from_bytes
    for which in _digits(if_chosen, if_other, word, planes=planes):
        threshold = digits_of[which]
        decided = tied & (from_bytes(tape[at : at + width], "little") ^ threshold)
        ones |= decided & threshold
        tied ^= decided
        at += width
    low_bits = (1 << rest) - 1
    while tied and rest:
        if at == len(tape):
            tape = random(_RESERVE * reserve_width)
            at = 0
        position = tied & -tied
        threshold = (if_chosen if chosen & position else if_other) & low_bits
        if (
            int.from_bytes(tape[at : at + reserve_width], "little") & low_bits
            < threshold
        ):
            ones |= position
        tied ^= position
        at += reserve_width
    return ones


@lru_cache(maxsize=256)
def _digits(if_chosen: int, if_other: int, word: int, planes: int) -> tuple[int, ...]:
    """The first binary digits of two thresholds, from the top.

    Each is twice that of `if_chosen`, plus that of `if_other`.
    """
    shifts = range(word - 1, word - 1 - planes, -1)
    return tuple(
        (if_chosen >> shift & 1) << 1 | if_other >> shift & 1 for shift in shifts
    )
