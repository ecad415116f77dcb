"""Channels written out: P[report | value] as a matrix of exact fractions.

A channel of a small domain can be written down, so its privacy, bias and variance are
checked by arithmetic and not by sampling. Rows are true values, columns are reports;
every row sums to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ldp.numbers.exact import log

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


def product(first: Channel, second: Channel) -> Channel:
    """The channel that reports one value through both, independently.

    Of the pairs, the second varies fastest.
    """
    pairs = zip(first.rows, second.rows, strict=True)
    return Channel(
        tuple(tuple(a * b for a in left for b in right) for left, right in pairs)
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


def renyi_divergence(channel: Channel, alpha: float) -> float:
    """The largest Renyi divergence of order alpha > 1 between the rows of a channel, in
    nats.

    D_a(P || Q) = ln(sum_y P(y)^a Q(y)^(1-a)) / (a - 1); infinite if some Q(y) = 0 <
    P(y) (Mironov 2017, Definition 3).
    """
    if not alpha > 1:
        raise ValueError(f"expected an order alpha > 1, got {alpha}")
    if worst_ratio(channel) is None:
        return math.inf
    logs = [
        [log(entry) if entry else -math.inf for entry in row] for row in channel.rows
    ]
    worst = 0.0
    for p_row in logs:
        for q_row in logs:
            terms = [
                alpha * p + (1 - alpha) * q
                for p, q in zip(p_row, q_row, strict=True)
                if p > -math.inf
            ]
            top = max(terms)
            total = math.log(math.fsum(math.exp(term - top) for term in terms)) + top
            worst = max(worst, total / (alpha - 1))
    return worst


def best_true_positive_rate(
    channel: Channel, value: int, other: int, false_positive_rate: Fraction
) -> Fraction:
    """The best chance of recognising `value` from one report.

    Given the chance of mistaking `other` for it.

    The Neyman-Pearson test: reports in order of their likelihood ratio, randomizing on
    the last one.
    """
    if not 0 <= false_positive_rate <= 1:
        raise ValueError(
            f"expected a false-positive rate from 0 to 1, got {false_positive_rate}"
        )
    reports = [
        (p, q)
        for p, q in zip(channel.rows[value], channel.rows[other], strict=True)
        if p > 0
    ]
    mistakes = false_positive_rate
    recognised = Fraction(0)
    for p, q in sorted(reports, key=lambda pair: pair[1] / pair[0]):
        if q > mistakes:
            return recognised + p * mistakes / q
        mistakes -= q
        recognised += p
    return recognised


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))
