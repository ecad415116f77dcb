"""The mean of a circle: its direction, and how far it is from the middle.

Each answer is a point of a circle around 0, the value x at the angle t(x) = 2 pi (x -
start) / period. The mean of all these points, m = (mean of cos t, mean of sin t), is
two queries of a distribution: unbiased, with their covariance V, which the same reports
tell. Its direction is the circular mean of the answers; its length, from 0 to 1, says
how much they agree.

    direction   the directions a whose part of m across them, -m_1 sin a + m_2 cos a, is
                told from 0 by no more than z of its standard errors, on the side where
                m lies (Fieller)
    no one      if m' V^-1 m <= -2 ln(1 - level): then m itself cannot be told from 0
    length      the root of |m|^2 - trace of V, which is unbiased, cut at 0
    its ends    the least length r for which a mean as long as m is not too rare, for
                errors as large in all directions as V has them in any (Rice's law); and
                |m| + z of these

With errors of the normal law a direction that is told is false no more often than the
level allows: a true one is missed if the part across it is told from 0, or if m lies on
the other side of 0, and both only where m is told from 0 at all. The length misses no
more often than it says either: the part of m along its true direction is no longer than
m.

Of cells, the middles count; of points between which devices round, the polygon of
these.

Source: Mardia and Jupp 2000, Directional Statistics (mean direction, resultant length);
Fieller 1954; Rice 1945.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ldp_aggregator.answers.lines.answers import Direction, Length
from ldp_aggregator.answers.lines.line import OrderedValues
from ldp_aggregator.numerics.arrays import Floats

_FAR = 30.0
"""Standard errors from which on Rice's law is the normal one."""


class Resultant(NamedTuple):
    """The mean of the points of a circle, and the covariance of its errors."""

    mean: Floats
    """Of shape (2,): along angle 0, and across it."""
    covariance: Floats
    """Of shape (2, 2)."""


def waves(line: OrderedValues) -> Floats:
    """The queries cos, sin and their sum, of shape (3, values)."""
    angle = 2 * math.pi * (line.middles - float(line.starts[0])) / float(line.period)
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([cosine, sine, cosine + sine])


def resultant(estimate: Floats, variance: Floats) -> Resultant:
    """From what these queries are answered: the variance of a sum tells how its parts
    go together.

    Both are of shape (3,).
    """
    together = (variance[2] - variance[0] - variance[1]) / 2
    covariance = np.array([[variance[0], together], [together, variance[1]]])
    return Resultant(estimate[:2], covariance)


def direction(line: OrderedValues, known: Resultant, level: float) -> Direction:
    """Where the mean lies, in the unit of the answers, if it lies anywhere."""
    from scipy.special import ndtri  # slow to import

    start, period = float(line.starts[0]), float(line.period)
    nowhere = Direction(None, None, start, high=start + period)
    if np.linalg.eigvalsh(known.covariance)[0] <= 0:
        return nowhere
    # In these coordinates the errors of the mean are the same in all directions.
    root = np.linalg.cholesky(known.covariance)
    even = np.linalg.solve(root, known.mean)
    distance = math.hypot(*even)
    if distance**2 <= -2 * math.log(1 - level):
        return nowhere
    reach = math.asin(float(ndtri((1 + level) / 2)) / distance)
    turned = [_rotate(even, angle) for angle in (-reach, reach)]
    length = math.hypot(*known.mean)
    across = np.array([-known.mean[1], known.mean[0]]) / length
    error = math.sqrt(across @ known.covariance @ across) / length
    place, low, high = (
        start + period * _angle(point) / (2 * math.pi)
        for point in (known.mean, *(root @ point for point in turned))
    )
    return Direction(place, error * period / (2 * math.pi), low, high=high)


def length(known: Resultant, level: float) -> Length:
    """How far the mean is from the middle."""
    from scipy.special import ndtri  # slow to import

    widest = math.sqrt(max(float(np.linalg.eigvalsh(known.covariance)[1]), 0.0))
    observed = math.hypot(*known.mean)
    along = known.mean / observed if observed else np.array([1.0, 0.0])
    estimate = math.sqrt(max(observed**2 - float(np.trace(known.covariance)), 0.0))
    quantile = float(ndtri((1 + level) / 2))
    return Length(
        min(estimate, 1.0),
        math.sqrt(max(float(along @ known.covariance @ along), 0.0)),
        min(_least_length(observed, widest, quantile=quantile, level=level), 1.0),
        high=min(observed + quantile * widest, 1.0),
    )


def _rotate(point: Floats, angle: float) -> Floats:
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array([[cosine, -sine], [sine, cosine]]) @ point


def _angle(point: Floats) -> float:
    """From 0 up to a whole turn."""
    return math.atan2(point[1], point[0]) % (2 * math.pi)


def _least_length(
    observed: float, error: float, quantile: float, level: float
) -> float:
    """The least length with which as long a mean is seen in half of the misses."""
    from scipy.optimize import brentq  # slow to import
    from scipy.special import chndtr  # slow to import

    if error <= 0:
        return observed
    apart = observed / error
    if apart > _FAR:
        return error * (math.sqrt(apart**2 - 1) - quantile)

    def rarer(true: float) -> float:
        return float(chndtr(apart**2, 2, true**2)) - (1 + level) / 2

    if rarer(0.0) <= 0:
        return 0.0
    return error * float(brentq(rarer, 0.0, apart))
