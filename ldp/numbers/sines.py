"""Sines as fixed-point numbers, the same to the last bit on every machine."""

from __future__ import annotations

UNIT = 64
"""Bits after the point of the numbers that are returned."""
_FINE = 160
"""Bits after the point of the numbers in between."""
_PI = 0x3243F6A8885A308D313198A2E03707344A4093822
"""Pi, rounded down to 160 bits after the point."""


def squared_sines(modulus: int, width: int, most: int) -> list[int]:
    """Return sin^2(pi m t/P) for m = 0, ..., `most`, in units of 2^-64, rounded
    down.
    """
    # cos(2 pi t/P) by Taylor's series, then those of its multiples by Chebyshev's
    # recurrence.
    angle = 2 * _PI * width // modulus
    square = angle * angle >> _FINE
    cosine = term = 1 << _FINE
    order = 0
    while term:
        order += 2
        term = (term * square >> _FINE) // (order * (order - 1))
        cosine += -term if order % 4 else term
    cosines = [1 << _FINE, cosine]
    while len(cosines) <= most:
        cosines.append((cosine * cosines[-1] >> _FINE - 1) - cosines[-2])
    return [
        ((1 << _FINE) - double) >> (_FINE + 1 - UNIT) for double in cosines[: most + 1]
    ]
