"""Running a randomized function over every tape of randomness: its law, exactly.

The source branches only where bytes are read, so what is drawn and never looked at
costs nothing. In call number i every byte read takes the values below 2^bits[i] (a
function that ignores the higher bits of its bytes needs no more). What asks for another
call than those is put down as `UNFINISHED`: with one call, a sampler by rejection gives
its law on the tapes that are accepted at once, and the mass of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

UNFINISHED = "unfinished"

Law = dict[Any, Fraction]
"""Probabilities, by outcome."""


class OutOfCallsError(Exception):
    """More calls than the exploration allows."""


class TooManyTapesError(Exception):
    """More tapes than the exploration allows."""


class _Drawn:
    """Bytes that are chosen when they are read."""

    def __init__(self, tape: _Tape, size: int, bits: int) -> None:
        self._tape, self._size, self._bits = tape, size, bits
        self._read: dict[int, int] = {}

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, key: int | slice) -> Any:
        if isinstance(key, slice):
            return bytes(self[offset] for offset in range(*key.indices(self._size)))
        if key not in self._read:
            self._read[key] = self._tape.next_digit(self._bits)
        return self._read[key]

    def __bytes__(self) -> bytes:
        return bytes(self[:])


class _Tape:
    """One path: digits that were fixed beforehand, then zeros."""

    def __init__(self, fixed: Sequence[int], bits: Sequence[int]) -> None:
        self.digits: list[int] = list(fixed)
        self.sizes: list[int] = []
        self._bits = bits
        self._calls = self._at = 0

    def __call__(self, size: int) -> Any:
        if self._calls == len(self._bits):
            raise OutOfCallsError
        self._calls += 1
        return _Drawn(self, size, self._bits[self._calls - 1])

    def next_digit(self, bits: int) -> int:
        if self._at == len(self.digits):
            self.digits.append(0)
            self.sizes.append(bits)
        elif self._at == len(self.sizes):
            self.sizes.append(bits)
        self._at += 1
        return self.digits[self._at - 1]


def every_tape(
    draw: Callable[[Any], Hashable], bits: Sequence[int], most: int | None = None
) -> Law:
    """The law of `draw(random)` as {outcome: probability}.

    `bits` has one entry for each call it may make. Raises `TooManyTapesError` beyond
    `most` tapes.
    """
    masses: Counter[tuple[Hashable, int]] = Counter()
    digits: list[int] = []
    tapes = 0
    while True:
        tape = _Tape(digits, bits)
        try:
            outcome = draw(tape)
        except OutOfCallsError:
            outcome = UNFINISHED
        masses[outcome, sum(tape.sizes)] += 1
        tapes += 1
        if most is not None and tapes > most:
            raise TooManyTapesError
        digits, sizes = tape.digits, tape.sizes
        while digits and digits[-1] + 1 == 1 << sizes[-1]:
            digits.pop()
            sizes.pop()
        if not digits:
            break
        digits[-1] += 1
    law: Law = {}
    for (outcome, size), paths in masses.items():
        law[outcome] = law.get(outcome, Fraction(0)) + Fraction(paths, 1 << size)
    return law


def condition_on_finish(law: Law) -> Law:
    """A law on condition that it finished; empty if it never did."""
    finished = 1 - law.get(UNFINISHED, Fraction(0))
    return {
        outcome: mass / finished
        for outcome, mass in law.items()
        if outcome != UNFINISHED
    }
