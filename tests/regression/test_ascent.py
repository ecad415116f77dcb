"""Searches uphill: of parabolas in a step, through halves where a whole step is too
long.
"""

from operator import gt

import numpy as np
import pytest

from ldp_aggregator.analyses.regression.ascent import climb, halve_step


def parabola(point):
    """With its top at (1, -2)."""
    return -float((point[0] - 1) ** 2 + 3 * (point[1] + 2) ** 2)


def newton(point):
    slope = np.array([-2 * (point[0] - 1), -6 * (point[1] + 2)])
    return slope, slope / [2, 6]


def test_a_parabola_takes_one_step():
    """And one to see that it is the top."""
    top = climb(parabola, newton, np.zeros(2), most=10, settled=1e-20)
    assert top.point == pytest.approx([1, -2])
    assert (top.reached, top.steps) == (True, 2)
    assert top.value == pytest.approx(0)


def test_steps_that_are_too_long_are_halved():
    """Six times as long as they should be: a whole one and a half of it lead down."""
    point, move = np.zeros(2), 6 * newton(np.zeros(2))[1]
    other, value = halve_step(
        parabola, point, move, value=parabola(point), is_better=gt
    )
    assert other == pytest.approx(move / 4)
    assert value > parabola(point)
    long = climb(
        parabola,
        lambda at: (newton(at)[0], 6 * newton(at)[1]),
        np.zeros(2),
        most=200,
        settled=1e-20,
    )
    assert long.reached
    assert long.point == pytest.approx([1, -2], abs=1e-6)


def test_searches_that_end_elsewhere():
    """No steps left; a way that leads nowhere up; and nothing to look for."""
    assert not climb(parabola, newton, np.zeros(2), most=1, settled=1e-20).reached
    lost = climb(
        parabola,
        lambda at: (newton(at)[0] * -1, newton(at)[1] * -1),
        np.zeros(2),
        most=9,
        settled=0,
    )
    assert (lost.reached, lost.steps) == (False, 1)
    assert (
        halve_step(parabola, np.zeros(2), -np.ones(2), value=0.0, is_better=gt) is None
    )
    empty = climb(lambda _: -3.0, newton, np.zeros(0), most=9, settled=0)
    assert (empty.reached, empty.steps, empty.value) == (True, 0, -3.0)
