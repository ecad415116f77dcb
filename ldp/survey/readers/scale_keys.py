"""The keys of a question of type number in a survey file, read into a scale.

low, high           its ends
step | bins         points a step apart, or equal cells; if neither, 4,096 steps
edges               or the ends of the cells one by one, in place of low and high
outside             refuse (unless said otherwise) | clip | a number from low to high
unit, missing       what it is counted in; texts that stand for no answer

The number that comes with a key has the two ends for points: low, high, outside, unit
and missing.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from ldp.answers.domain import MOST_LISTED
from ldp.answers.keys import Keys
from ldp.answers.scales import EvenPoints, Scale
from ldp.numbers.exact import decimal_text

FURTHEST = Fraction(10**15)
MOST_STEPS = 10**15
USUAL_STEPS = 1 << 12
MOST_MISSING = 100
_OUTSIDE = ("refuse", "clip")
_HARMLESS = 4
"""Cells of a scale whose keys are wrong, so that no mechanism finds fault with their
number.
"""


def scale_of(keys: Keys) -> Scale:
    """The scale that the keys describe; a harmless one, and a problem, where they do
    not.
    """
    edges = None
    if "edges" in keys:
        edges = _edges(keys)
    if edges is None:
        scale = _evenly(keys)
    else:
        scale = Scale(edges[0], edges[-1], len(edges) - 1, edges=edges)
    return _complete(keys, scale)


def two_ends_of(keys: Keys) -> Scale:
    """The scale of two points, the ends of a range, that the keys describe."""
    low, high = _ends(keys)
    return _complete(keys, Scale(low, high, 2, step=high - low))


def _complete(keys: Keys, scale: Scale) -> Scale:
    """With what is done with other numbers, the unit, and what stands for no answer."""
    missing = missing_of(keys)
    outside = outside_of(keys, scale.low, scale.high)
    return scale._replace(outside=outside, unit=_unit(keys), missing=missing)


def missing_of(keys: Keys) -> tuple[str, ...]:
    """The texts that stand for no answer in tables of answers."""
    if "missing" in keys:
        return keys.texts("missing", 1, MOST_MISSING)
    return ()


def _unit(keys: Keys) -> str:
    """Read the unit of numbers, as it stands beside them in a line of text."""
    unit = keys.text("unit", "")
    if unit.isprintable():
        return unit
    keys.problem("unit", "a text without line breaks and control characters", unit)
    return ""


def _edges(keys: Keys) -> tuple[Fraction, ...]:
    for key in ("low", "high", "step", "bins"):
        if key in keys:
            keys.problem(
                key, "nothing, since the edges of all cells are given", "a number"
            )
    before = keys.found
    edges = keys.fractions("edges", 3, MOST_LISTED + 1, furthest=FURTHEST)
    falling = next(((low, high) for low, high in pairwise(edges) if low >= high), None)
    if falling is not None:
        first, second = map(decimal_text, falling)
        keys.problem("edges", "numbers that go up", f"{first} before {second}")
    if keys.found > before:
        return tuple(map(Fraction, range(_HARMLESS + 1)))
    return edges


def _ends(keys: Keys) -> tuple[Fraction, Fraction]:
    """The least and the greatest number; harmless ones, and a problem, where they are
    none.
    """
    low = keys.fraction("low", -FURTHEST, FURTHEST)
    high = keys.fraction("high", -FURTHEST, FURTHEST)
    if low >= high:
        if not keys.problems:
            keys.problem(
                "high", f"a number above {decimal_text(low)}", decimal_text(high)
            )
        low, high = Fraction(0), Fraction(1)
    return low, high


def _evenly(keys: Keys) -> Scale:
    low, high = _ends(keys)
    if "bins" in keys:
        if "step" in keys:
            keys.problem("step", "nothing, since bins are given", "a number")
        before = keys.found
        bins = keys.integer("bins", 2, MOST_LISTED)
        if keys.found > before:
            bins = _HARMLESS
        width = (high - low) / bins
        return Scale(low, high, bins, edges=EvenPoints(low, width, bins + 1))
    step = (high - low) / USUAL_STEPS
    if "step" in keys:
        step = _step(keys, low, high)
    return Scale(low, high, int((high - low) / step) + 1, step=step)


def _step(keys: Keys, low: Fraction, high: Fraction) -> Fraction:
    width = high - low
    step = keys.fraction("step", width / MOST_STEPS, width)
    if (width / step).denominator == 1:
        return step
    keys.problem(
        "step",
        f"a number of which {decimal_text(width)}, from low to high, is a multiple",
        decimal_text(step),
    )
    return width


def outside_of(
    keys: Keys, low: Fraction, high: Fraction, what: str = "a number"
) -> str | Fraction:
    """Read the treatment of numbers outside of a range: a word, or the number that
    stands in.
    """
    if "outside" not in keys:
        return "refuse"
    outside = keys.word_or_fraction("outside", _OUTSIDE)
    if isinstance(outside, str):
        return outside
    is_fitting = outside.denominator == 1 or what == "a number"
    if low <= outside <= high and is_fitting:
        return outside
    expected = (
        f"refuse, clip or {what} from {decimal_text(low)} to {decimal_text(high)}"
    )
    keys.problem("outside", expected, decimal_text(outside))
    return "refuse"
