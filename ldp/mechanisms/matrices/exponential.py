"""The exponential mechanism: an output is the likelier, the better it is for the true
value.

    P[y | x] in proportion to exp(epsilon q(x, y) / (2 D))
    D = max over y of (max_x q(x, y) - min_x q(x, y))

q is the `quality` of output y for value x, and D its sensitivity. A row becomes
integers over 2^192, rounded down; the first of the outputs that are best for the value
gets what is left.

What is delivered stays below epsilon: an output that becomes e^(epsilon/2) times as
good does not also have itself become worse among the others, so that the ratio is at
most 1 - p (1 - e^-epsilon) of e^epsilon, p being its probability where it is likelier.
That leaves more room than rounding takes, because p^2 epsilon is far above 2^-192:
qualities in a row may differ by 100 D / epsilon.

Source: McSherry and Talwar 2007.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain

from ldp.answers.domain import Domain
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Mechanism, needs_short_list
from ldp.mechanisms.matrices.matrix import (
    MOST_DENOMINATOR_BITS,
    MOST_VALUES,
    StochasticMatrix,
    common_denominator,
)
from ldp.numbers.channel import has_full_rank
from ldp.numbers.exact import decays

MOST_OUTPUTS = 256

_TOTAL = 1 << 192
_FURTHEST = 50
"""The most that an exponent may lie below that of the best output: e^-50 / 256 is above
2^-81.
"""


def design(keys: Keys, domain: Domain) -> tuple[StochasticMatrix, Declared]:
    """`epsilon`, `quality` (rows by true value), and `sensitivity` if it shall be more.

    It is that of the quality otherwise.
    """
    epsilon = keys.epsilon()
    quality = keys.rows("quality", domain.size or 2, MOST_OUTPUTS)
    stand_in = StochasticMatrix(((3, 1), (1, 3))), Declared.epsilon(epsilon)
    denominator = common_denominator(quality)
    if denominator is None:
        keys.problem(
            "quality",
            f"a common denominator of at most {MOST_DENOMINATOR_BITS} bits",
            "a longer one",
        )
        return stand_in
    whole = [[int(entry * denominator) for entry in row] for row in quality]
    widest = max(max(column) - min(column) for column in zip(*whole, strict=True))
    actual = Fraction(widest, denominator)
    if actual == 0:
        keys.problem(
            "quality", "outputs that are better for some values than for others", "none"
        )
    sensitivity = keys.fraction("sensitivity", actual, 10**6 * actual, default=actual)
    scale = epsilon / (2 * sensitivity) if sensitivity else Fraction(0)
    if scale * max(max(row) - min(row) for row in whole) > _FURTHEST * denominator:
        keys.problem(
            "quality",
            (
                f"qualities that differ by at most {100 * sensitivity / epsilon} in "
                "each row"
            ),
            "more",
        )
    if keys.problems:
        return stand_in
    distances = [[max(row) - entry for entry in row] for row in whole]
    odds = decays(scale / denominator, set(chain.from_iterable(distances)))
    randomizer = StochasticMatrix(
        tuple(_weights([odds[distance] for distance in row]) for row in distances)
    )
    if not has_full_rank(randomizer.weights):
        keys.problem(
            "quality",
            "outputs from which frequencies can be recovered",
            "values that no output tells apart, or a mixture of values that gives the "
            "same reports as another",
        )
    return randomizer, Declared.epsilon(epsilon)


def _weights(odds: list[int]) -> tuple[int, ...]:
    """Return the weights of a row, from the odds of its outputs."""
    total = sum(odds)
    weights = [_TOTAL * chance // total for chance in odds]
    weights[odds.index(max(odds))] += _TOTAL - sum(weights)
    return tuple(weights)


MECHANISM = Mechanism(
    "exponential",
    "the exponential mechanism, for any quality of outputs",
    ("epsilon", "quality", "sensitivity"),
    accepts=needs_short_list(MOST_VALUES),
    design=design,
)
