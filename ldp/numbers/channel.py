"""Channels written out: P[report | value] as a matrix of exact fractions.

A channel of a small domain can be written down, so its privacy, bias and variance are
checked by arithmetic and not by sampling. Rows are true values, columns are reports;
every row sums to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Row = tuple[Fraction, ...]

_PRIME = (1 << 127) - 1


class Channel:
    """A stochastic matrix: `rows[x][y]` is the probability of report y when the true
    value is x.

    Raises `ValueError` if a row does not sum to 1, has a negative entry, or differs in
    length from the first.
    """

    __slots__ = ("rows",)

    def __init__(self, rows: tuple[Row, ...]) -> None:
        for row in rows:
            if len(row) != len(rows[0]):
                raise ValueError("every row of a channel has the same length")
            if min(row) < 0 or sum(row) != 1:
                raise ValueError("every row of a channel is a probability distribution")
        self.rows = rows


def worst_ratio(channel: Channel) -> Fraction | None:
    """Max over reports and pairs of values of P[y|x] / P[y|x']; None if it is infinite.

    Its logarithm is epsilon.
    """
    worst = Fraction(1)
    for column in zip(*channel.rows, strict=True):
        high, low = max(column), min(column)
        if high == 0:
            continue
        if low == 0:
            return None
        worst = max(worst, high / low)
    return worst


def chain(first: Channel, second: Channel) -> Channel:
    """The channel that sends the report of `first` through `second`."""
    columns = list(zip(*second.rows, strict=True))
    return Channel(
        tuple(tuple(_dot(row, column) for column in columns) for row in first.rows)
    )


def inverse(channel: Channel) -> tuple[Row, ...] | None:
    """The exact inverse of a square channel, by Gauss-Jordan elimination.

    None if it is singular.
    """
    size = len(channel.rows)
    # The channel, and the unit matrix beside it.
    table = [
        [*row, *(Fraction(int(i == j)) for j in range(size))]
        for i, row in enumerate(channel.rows)
    ]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(table[row][column]))
        if table[pivot][column] == 0:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        scale = table[column][column]
        table[column] = [entry / scale for entry in table[column]]
        for row in range(size):
            factor = table[row][column]
            if row != column and factor != 0:
                table[row] = [
                    a - factor * b
                    for a, b in zip(table[row], table[column], strict=True)
                ]
    return tuple(tuple(row[size:]) for row in table)


def right_inverse(channel: Channel) -> tuple[Row, ...] | None:
    """A matrix B with channel x B = 1; None if there is none.

    There have to be as many reports as values or more.

    Of the many, the one with the least variance if all values are held alike: each
    report is taken for a value by its posterior under an even prior, and the square
    channel of both steps is inverted.
    """
    columns = zip(*channel.rows, strict=True)
    posterior = Channel(
        tuple(tuple(mass / sum(column) for mass in column) for column in columns)
    )
    inverted = inverse(chain(channel, posterior))
    if inverted is None:
        return None
    values = list(zip(*inverted, strict=True))
    return tuple(tuple(_dot(row, value) for value in values) for row in posterior.rows)


def has_full_rank(rows: Sequence[Sequence[int]]) -> bool:
    """Whether no mixture of rows equals another, by elimination modulo a prime.

    True is certain; independent rows are mistaken for dependent ones only if the prime
    divides their minors.
    """
    remaining = [[entry % _PRIME for entry in row] for row in rows]
    while remaining:
        pivot = remaining.pop()
        place = next((place for place, entry in enumerate(pivot) if entry), None)
        if place is None:
            return False
        scale = pow(pivot[place], -1, _PRIME)
        for number, row in enumerate(remaining):
            factor = row[place] * scale % _PRIME
            remaining[number] = [
                (a - factor * b) % _PRIME for a, b in zip(row, pivot, strict=True)
            ]
    return True


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))
