"""The keys of a question of type vector in a survey file, read into a ball.

dimensions  how many numbers a vector has
radius      how long it may be: the root of the sum of its squares
outside     refuse (unless said otherwise) | clip, which shortens longer ones to the
            radius
"""

from __future__ import annotations

from fractions import Fraction

from ldp.answers.balls import MOST_DIMENSIONS, Ball
from ldp.answers.keys import Keys

SMALLEST = Fraction(1, 10**15)
GREATEST = Fraction(10**15)
_OUTSIDE = ("refuse", "clip")


def ball_of(keys: Keys) -> Ball:
    """The ball that the keys describe; a harmless one, and a problem, where they do
    not.
    """
    dimensions = keys.integer("dimensions", 2, MOST_DIMENSIONS)
    radius = keys.fraction("radius", SMALLEST, GREATEST)
    outside = None
    if "outside" in keys:
        outside = keys.choice("outside", _OUTSIDE)
    return Ball(dimensions, radius, outside or "refuse")
