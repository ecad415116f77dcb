"""Numbers of the command line, read as people write them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import click

from ldp.exact import fraction


def number(least: Fraction | int, most: Fraction | int) -> Callable[[str], Fraction]:
    """Reads a number as people write it: 1e6, 0.01, 1/3."""

    def read(text: str) -> Fraction:
        try:
            number = fraction(text)
        except ValueError:
            number = None
        if number is None or not least <= number <= most:
            came = repr(text) if len(text) <= 80 else repr(text[:77] + "...")
            raise click.BadParameter(
                f"expected a number from {float(least):.10g} to {float(most):.10g}, got {came}"
            )
        return number

    return read


def whole(least: int, most: int) -> Callable[[str], int]:
    """Reads a whole number, however it is written."""
    read_any = number(least, most)

    def read(text: str) -> int:
        number = read_any(text)
        if number.denominator != 1:
            raise click.BadParameter(f"expected a whole number, got {text!r}")
        return int(number)

    return read
