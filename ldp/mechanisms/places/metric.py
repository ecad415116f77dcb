"""Metric privacy (geo-indistinguishability) on a small map: a promise that fades with
distance.

This is *another* promise than that of every other mechanism, and a weaker one. They
hold any two answers apart by at most one epsilon. Here two places are told apart the
better, the farther they are from each other: the ratio is at most e^(m d), with m the
epsilon for each unit of distance and d the distance between the middles of their cells.
Across the map that is m times the largest distance, which is what a survey declares,
what a device charges and what totals count.

    report   along each axis the cell's place plus geometric noise, cut at both ends
             (`additive`)
    one step of length s has odds of e^(m s / sqrt 2), so that of cells dx and dy steps
    apart

        P[y | x] / P[y | x'] <= e^(m (s_x dx + s_y dy) / sqrt 2) <= e^(m d)

as two sides of a triangle are at most sqrt 2 times as long as the third. Both axes
together are one matrix of integers, their product, so that a map has few cells.
Frequencies are unbiased, by the inverse; neighbours blur into each other, and single
cells err much.

`lengths` says how long a unit of x and one of y is, in units of distance: of degrees at
47 degrees north, 76 and 111.2 kilometres.

Sources: Andres, Bordenabe, Chatzikokolakis and Palamidessi 2013 (the promise); Ghosh,
Roughgarden and Sundararajan 2009 (the noise).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil, floor, lcm

from ldp.answers.domain import Domain
from ldp.answers.keys import MOST_EPSILON, Keys
from ldp.mechanisms.contract import Declared, Mechanism, Metric
from ldp.mechanisms.matrices.matrix import MOST_VALUES, StochasticMatrix
from ldp.mechanisms.numbers.additive import AdditiveNoise
from ldp.numbers.exact import decimal_text, epsilon_of, exp_lower, sqrt_lower

_MOST_PER_UNIT = Fraction(10**6)
_LEAST_PER_UNIT = 1 / _MOST_PER_UNIT
_LEAST_TOTAL = Fraction(1, 1000)
_LONGEST = Fraction(10**6)
_STEP_SCALE = 1 << 64
_LEAST = 1 << 64
"""The weight of the farthest noise: a ten-thousandth of it still has 50 bits."""
_DECIMALS = 10**12
_HARDLY = Fraction(1, 10**70)
"""More than what a root lacks."""

Rows = list[list[int]]


def design(keys: Keys, domain: Domain) -> tuple[StochasticMatrix, Declared]:
    """`epsilon_per_unit`, and `lengths` of a unit of x and of y, 1 if they are not
    given.
    """
    per_unit = keys.fraction(
        "epsilon_per_unit", _LEAST_PER_UNIT, _MOST_PER_UNIT, read=epsilon_of
    )
    lengths = (Fraction(1), Fraction(1))
    if "lengths" in keys:
        x, y = keys.fractions("lengths", 2, 2, furthest=_LONGEST)
        lengths = x, y
    if min(lengths) <= 0:
        keys.problem("lengths", "two lengths above 0", "one that is not")
    cells = domain.fields[0].size
    steps = _steps(domain, lengths)
    square = sum(((cells - 1) * step) ** 2 for step in steps)
    total = per_unit * (sqrt_lower(Fraction(square)) + _HARDLY)
    if not keys.problems and not _LEAST_TOTAL <= total <= MOST_EPSILON:
        keys.problem(
            "epsilon_per_unit",
            f"a total from {_LEAST_TOTAL} to {MOST_EPSILON} across the map",
            f"{float(total):.4g}",
        )
    if keys.problems:
        return StochasticMatrix(((3, 1), (1, 3))), Declared.ratio(Fraction(3))
    along = [_blur(cells, per_unit * step) for step in steps]
    text = decimal_text(Fraction(ceil(total * _DECIMALS), _DECIMALS))
    declared = Declared(
        text, exp_lower(Fraction(text)), metric=Metric(per_unit, lengths, steps)
    )
    return StochasticMatrix(_both(*along)), declared


def _steps(
    domain: Domain, lengths: tuple[Fraction, Fraction]
) -> tuple[Fraction, Fraction]:
    """How far it is from a cell to the next, along x and along y."""
    edges = (
        field.domain.scale.edges if field.domain.scale else ()
        for field in domain.fields
    )
    x, y = (
        (ends[1] - ends[0]) * length
        for ends, length in zip(edges, lengths, strict=True)
    )
    return x, y


def _blur(cells: int, epsilon: Fraction) -> Rows:
    """The weights of each place along an axis, by the true one; `epsilon` is that of a
    step.
    """
    near = floor(exp_lower(epsilon * sqrt_lower(Fraction(1, 2))) * _STEP_SCALE)
    noise = AdditiveNoise(cells, 0, near, far=_STEP_SCALE, least=_LEAST)
    rows = noise.channel().rows
    whole = lcm(*(entry.denominator for row in rows for entry in row))
    return [[int(entry * whole) for entry in row] for row in rows]


def _both(x: Rows, y: Rows) -> tuple[tuple[int, ...], ...]:
    """The weights of each cell of the map, by the true one: their products."""
    return tuple(
        tuple(of_x * of_y for of_x, of_y in product(across, up))
        for across, up in product(x, y)
    )


def _of_small_maps(domain: Domain) -> str | None:
    if domain.is_place and (domain.size or 0) <= MOST_VALUES:
        return None
    return f"a question of type place with at most {MOST_VALUES} cells (`cells = 8`)"


MECHANISM = Mechanism(
    "metric",
    (
        "metric privacy: epsilon for each unit of distance, another promise than "
        "epsilon alone"
    ),
    ("epsilon_per_unit", "lengths"),
    accepts=_of_small_maps,
    design=design,
)
