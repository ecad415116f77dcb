"""Exact arithmetic: numbers as people write them, and rational bounds of e^x, ln x and
roots.

Rules
- A probability or an epsilon is a decimal string, a fraction string or a `Fraction`. A
  float is taken at its shortest decimal text (0.1 means one tenth), never at its binary
  value.
- Bounds are directed: `exp_lower(x) <= e^x`, `log_upper(x) >= ln x`. Privacy claims
  rest on `exp_lower` alone.
- e^x comes from `decimal`, whose exp is correctly rounded; stepping one unit in the
  last place down makes it a bound.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

_DIGITS = 80
_NUMBER = re.compile(
    r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,2})?", re.ASCII
)
_RATIO = re.compile(r"[+-]?\d{1,40}/\d{1,40}", re.ASCII)
_LOGARITHM = re.compile(r"ln\((.{1,81})\)")
_EPSILON_DECIMALS = 12
_NO_NUMBER = 'expected a number such as "0.5" or "1/3"'

MOST_DIGITS = 30
"""Digits of a denominator: what follows from a survey's numbers must stay printable."""

_GUARD_BITS = 360
"""Of `decays`: e^-50 is above 2^-73, and of the bits below it 232 make 70 digits."""

WEIGHT_SCALE = 1 << 32
"""Integer weights express odds on a grid of 2^-32."""


def fraction(number: str | int | float | Decimal | Fraction) -> Fraction:
    """The exact value of a number as it is written.

    That is `"1/3"`, `"0.25"`, `"1e-3"`, an int, a Fraction, a float.

    Raises `ValueError` for anything else, infinities, NaN and numbers of more than 30
    digits.
    """
    if isinstance(number, bool) or (isinstance(number, int) and abs(number) >= 10**40):
        raise ValueError(_NO_NUMBER)
    if isinstance(number, Fraction):
        return number
    text = number.strip() if isinstance(number, str) else str(number)
    is_ratio = _RATIO.fullmatch(text) and int(text.partition("/")[2]) != 0
    if not is_ratio and not _NUMBER.fullmatch(text):
        raise ValueError(_NO_NUMBER)
    exact = Fraction(text)
    if exact.denominator > 10**MOST_DIGITS:
        raise ValueError(f"expected a number of at most {MOST_DIGITS} digits")
    return exact


def epsilon_of(number: str | int | float | Decimal | Fraction) -> Fraction:
    """The exact value of an epsilon as it is written, also as the logarithm of a ratio.

    `"ln(3)"` is taken for the decimal of 12 places just below it.

    Raises `ValueError` as `fraction` does.

    >>> epsilon_of("ln(3)")
    Fraction(274653072167, 250000000000)
    """
    ratio = logarithm_of(number)
    if ratio is None:
        return fraction(number)
    return _log_lower(ratio)


def limit_of(number: str | int | float | Decimal | Fraction) -> Fraction:
    """The exact value of what may be spent: the decimal just above `"ln(3)"` allows a
    ratio of 3.

    Raises `ValueError` as `fraction` does.
    """
    ratio = logarithm_of(number)
    if ratio is None:
        return fraction(number)
    return _log_lower(ratio) + Fraction(1, 10**_EPSILON_DECIMALS)


def logarithm_of(number: object) -> Fraction | None:
    """The ratio whose logarithm a text such as `ln(3)` is; None for another number.

    Raises `ValueError` for a ratio that is none, or not above 1.
    """
    logarithm = None
    if isinstance(number, str):
        logarithm = _LOGARITHM.fullmatch(number.strip())
    if logarithm is None:
        return None
    ratio = fraction(logarithm[1])
    if ratio <= 1:
        raise ValueError("expected the logarithm of a ratio above 1")
    return ratio


def _log_lower(ratio: Fraction) -> Fraction:
    """A decimal of 12 places that is at most ln(ratio)."""
    context = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
    quotient = context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    exact = Fraction(context.next_minus(context.ln(quotient)))
    unit = 10**_EPSILON_DECIMALS
    return Fraction(math.floor(exact * unit), unit)


def exp_lower(exponent: Fraction) -> Fraction:
    """A rational lower bound of e^exponent, relative error below 1e-70."""
    # Kept by its parts: the hash of a fraction takes a modular inverse, and every
    # mechanism asks.
    return _exp_lower(*exponent.as_integer_ratio())


@lru_cache(maxsize=256)
def _exp_lower(numerator: int, denominator: int) -> Fraction:
    down = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
    below = down.divide(Decimal(numerator), Decimal(denominator))
    return Fraction(down.next_minus(down.exp(below)))


def decays(step: Fraction, counts: Collection[int]) -> dict[int, int]:
    """Lower bounds of e^(-step k) for whole numbers k >= 0, all over one power of two.

    `counts` are these numbers.

    Relative error below 1e-70, as long as step k stays below 50. One exponential
    function gives them all: the powers of e^-step are multiplied together, rounding
    down, as the digits of k in base 16 say.
    """
    places = -(-max(counts, default=0).bit_length() // 4)
    bits = _GUARD_BITS + 4 * places
    context = Context(prec=bits // 3, rounding=ROUND_FLOOR)
    exponent = context.divide(Decimal(-step.numerator), Decimal(step.denominator))
    power = math.floor(
        Fraction(context.next_minus(context.exp(exponent))) * (1 << bits)
    )
    # A table for each digit of k in base 16: its powers 0 to 15, over 2^bits.
    tables: list[list[int]] = []
    for _ in range(places):
        table = [1 << bits]
        for _ in range(15):
            table.append(table[-1] * power >> bits)
        power = table[-1] * power >> bits
        tables.append(table)
    shares = {}
    for count in counts:
        share = 1 << bits
        digits = count
        for table in tables:
            share = share * table[digits & 15] >> bits
            digits >>= 4
        shares[count] = share
    return shares


def exp_upper(exponent: Fraction) -> Fraction:
    """A rational upper bound of e^exponent, relative error below 1e-70."""
    up = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    above = up.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    return Fraction(up.next_plus(up.exp(above)))


def sqrt_lower(square: Fraction) -> Fraction:
    """A rational lower bound of the square root, absolute error below 1e-80."""
    unit = 10**_DIGITS
    return Fraction(math.isqrt(math.floor(square * unit**2)), unit)


def log(ratio: Fraction) -> float:
    """ln(ratio) as the nearest float, accurate also next to 1."""
    context = Context(prec=_DIGITS)
    return float(
        context.ln(context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))
    )


def log_upper(ratio: Fraction) -> float:
    """A float that is at least ln(ratio): what may be printed as a delivered
    epsilon.
    """
    up = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    above = up.next_plus(
        up.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    )
    exact = up.next_plus(up.ln(above))
    nearest = float(exact)
    if Decimal(nearest) >= exact:
        return nearest
    return math.nextafter(nearest, math.inf)


def float_upper(number: Fraction) -> float:
    """The least float that is at least this number."""
    nearest = float(number)
    if nearest >= number:
        return nearest
    return math.nextafter(nearest, math.inf)


def text_upper(number: Fraction | float, places: int) -> str:
    """A number from 0 on with n decimals, rounded up: a bound stays one when it is
    shown.
    """
    whole, part = divmod(math.ceil(Fraction(number) * 10**places), 10**places)
    return f"{whole}.{part:0{places}d}"


def percent_below(share: Fraction) -> str:
    """A share below 1 in percent, rounded up, with as many decimals as keep it below
    100.
    """
    places = 1
    while places < 12 and math.ceil(share * 100 * 10**places) >= 100 * 10**places:
        places += 1
    return text_upper(share * 100, places)


def log_text(ratio: Fraction, places: int) -> str:
    """ln(ratio) with n decimals, rounded up: a delivered epsilon as people are shown
    it.
    """
    return text_upper(log_upper(ratio), places)


def odds(epsilon: Fraction) -> tuple[int, int]:
    """Integer weights (favoured, other) whose ratio is at most e^epsilon.

    It is the largest on the 2^-32 grid.
    """
    return math.floor(exp_lower(epsilon) * WEIGHT_SCALE), WEIGHT_SCALE


def decimal_text(number: Fraction) -> str:
    """A fraction in the notation that people wrote it in, if it has finitely many
    decimals.
    """
    return _decimal_text(*number.as_integer_ratio())


@lru_cache(maxsize=256)
def _decimal_text(numerator: int, denominator: int) -> str:
    rest = denominator
    digits = 0
    for factor in (2, 5):
        times = 0
        while rest % factor == 0:
            rest //= factor
            times += 1
        digits = max(digits, times)
    if rest != 1:
        return f"{numerator}/{denominator}"
    whole, part = divmod(abs(numerator) * 10**digits // denominator, 10**digits)
    sign = "-" if numerator < 0 else ""
    if digits:
        return f"{sign}{whole}.{part:0{digits}d}"
    return f"{sign}{whole}"
