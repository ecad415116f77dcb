"""Going uphill: Newton's way with steps that are halved until they lead to something
better.

    value  the log-likelihood that is to be greatest, at a point
    slope  its first derivative there
    move   the step to where the slope would be 0, if the value were a parabola

A whole step is taken where it helps, else the first of halves, quarters, ... that does.
What is gained by a step is slope'move, to first order: once that is beside nothing, the
search is over. If no part of a step is seen in the value, it is over as well, and what
is gained tells whether that is the top or a place where the way is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import gt
from typing import NamedTuple, TypeVar

from ldp_aggregator.numerics.arrays import Floats

Value = TypeVar("Value")

_HALVINGS = 40
_ROUNDING = 1e-9
"""What a step gains, beside the value, where rounding is all that is left."""


class Top(NamedTuple):
    """Where a search ended."""

    point: Floats
    value: float
    reached: bool
    steps: int


def climb(
    value_at: Callable[[Floats], float],
    step_at: Callable[[Floats], tuple[Floats, Floats]],
    start: Floats,
    *,
    most: int,
    settled: float,
) -> Top:
    """The top above a start, after at most so many steps.

    step_at  the slope at a point, and the move
    settled  what a step gains, beside the value, below which it is not taken
    """
    point, value = start, value_at(start)
    if not point.size:
        return Top(point, value, reached=True, steps=0)
    for step in range(1, most + 1):
        slope, move = step_at(point)
        gain, beside = float(slope @ move), max(1.0, abs(value))
        if gain <= settled * beside:
            return Top(point, value, reached=True, steps=step)
        better = halve_step(value_at, point, move, value=value, is_better=gt)
        if better is None:
            return Top(point, value, reached=gain < _ROUNDING * beside, steps=step)
        point, value = better
    return Top(point, value, reached=False, steps=most)


def halve_step(
    value_at: Callable[[Floats], Value],
    point: Floats,
    move: Floats,
    *,
    value: Value,
    is_better: Callable[[Value, Value], bool],
) -> tuple[Floats, Value] | None:
    """The point after the first part of a step that leads to a better value, and that
    value.

    None if none does.
    """
    size = 1.0
    for _ in range(_HALVINGS):
        other = point + size * move
        there = value_at(other)
        if is_better(there, value):
            return other, there
        size /= 2
    return None
