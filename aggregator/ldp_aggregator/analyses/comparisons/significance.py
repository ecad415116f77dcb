"""How likely chance alone shows such a difference: p-values, equivalence, and many
values at once.

A p-value is the share at which an interval just reaches a point: that for "no
difference" is below .05 where, and only where, the 95 % interval leaves 0 out.
Intervals are made at many levels, and the one that ends at the point is found between
two of them. What is right where counts are few for intervals is so for tests as well.

    difference     from 0: two-sided
    equivalence    two one-sided tests (TOST): the difference is shown to be above
                   -margin and below margin, by the larger of the two p-values
    bonferroni     the chance that any value is called different wrongly
    holm           the same, step by step: never larger than Bonferroni's
    bh             of the values called different, the share that is not, on average
                   (Benjamini and Hochberg)

The intervals beside them: for `bonferroni` and `holm` all hold together; for `bh` those
of the values called different miss so seldom that of these the stated share hold, on
average (false coverage rate).

Sources: Schuirmann 1987 (TOST); Holm 1979; Benjamini and Hochberg 1995; Benjamini and
Yekutieli 2005 (intervals for selected values).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ldp_aggregator.analyses.comparisons.sides import Ends
from ldp_aggregator.numerics.arrays import Floats

CORRECTIONS = ("bh", "bonferroni", "holm")
FARTHEST = 7.0
"""In standard errors: no chance below that of the normal law there, 3e-12, is told
apart.
"""
_LEVELS = ((50, 57), (500, 29))
"""How many intervals are made: up to so many values, so many; as ends hardly bend, few
will do.
"""
_FEWEST_LEVELS = 15


class LevelIntervals:
    """Intervals of a difference at many levels, of shape (levels, M)."""

    def __init__(self, estimate: Floats, ends: Callable[[float], Ends]) -> None:
        from scipy.special import ndtr

        self._estimate = estimate
        # (levels,): how far out they are, in standard errors.
        many = next(
            (many for most, many in _LEVELS if len(estimate) <= most), _FEWEST_LEVELS
        )
        self._far = np.linspace(0.0, FARTHEST, many)
        of_levels = [ends(float(missing)) for missing in 2 * ndtr(-self._far[1:])]
        low = np.array([estimate, *(low for low, _ in of_levels)])
        high = np.array([estimate, *(high for _, high in of_levels)])
        # Intervals of higher levels are no narrower.
        self._low = np.minimum.accumulate(low)
        self._high = np.maximum.accumulate(high)

    def above(self, point: float) -> Floats:
        """The chance of an estimate so high if the difference is `point`, of shape
        (M,).
        """
        from scipy.special import ndtr

        chance: Floats = ndtr(-self._distance(point))
        return chance

    def below(self, point: float) -> Floats:
        """The chance of one so low."""
        from scipy.special import ndtr

        chance: Floats = ndtr(self._distance(point))
        return chance

    def _distance(self, point: float) -> Floats:
        """How far an estimate is above a point, in standard errors of the level that
        reaches it.
        """
        columns = zip(self._estimate, self._low.T, self._high.T, strict=True)
        return np.array([self._reaching(point, *column) for column in columns])

    def _reaching(
        self, point: float, estimate: float, low: Floats, high: Floats
    ) -> float:
        if point <= estimate:
            return self._least_far(estimate - point, estimate - low)
        return -self._least_far(point - estimate, high - estimate)

    def _least_far(self, distance: float, reach: Floats) -> float:
        """How far out the first interval is that reaches a distance."""
        first = int(np.searchsorted(reach, distance)) + 1
        return float(np.interp(distance, reach[:first], self._far[:first]))


def different(levels: LevelIntervals) -> Floats:
    """Two-sided p-values of no difference."""
    smaller = np.minimum(levels.above(0.0), levels.below(0.0))
    return np.asarray(np.minimum(1.0, 2 * smaller))


def equivalent(levels: LevelIntervals, margin: float) -> Floats:
    """P-values of a difference as large as the margin, in either direction."""
    return np.maximum(levels.above(-margin), levels.below(margin))


def adjust(chances: Floats, correction: str | None) -> Floats:
    """P-values with what looking at all values costs."""
    size = len(chances)
    if correction is None or not size:
        return chances
    if correction == "bonferroni":
        return np.minimum(1.0, size * chances)
    if correction == "holm":
        order = np.argsort(chances, kind="stable")
        stepped = np.maximum.accumulate((size - np.arange(size)) * chances[order])
        by_value = np.empty(size)
        by_value[order] = np.minimum(1.0, stepped)
        return by_value
    from scipy.stats import false_discovery_control

    controlled: Floats = false_discovery_control(chances)
    return controlled


def missing_of(level: float, correction: str | None, chances: Floats) -> float:
    """How often the interval of one value may miss; `chances` are the adjusted ones."""
    missing, size = 1 - level, max(1, len(chances))
    if correction in ("bonferroni", "holm"):
        return missing / size
    if correction == "bh":
        selected = int(np.count_nonzero(chances <= missing))
        return missing * max(1, selected) / size
    return missing
