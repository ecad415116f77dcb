"""Before and after: changes in values that have too few reports in an epoch to be
tested there.

Neighbouring epochs are pooled: all before each epoch, and all from it on, where either
side has enough reports for intervals at all. What is tested is the largest difference.

    splits     epochs that a change may have come with; at most `MOST_SPLITS` of them
    distance   difference over its standard error, at the frequency of all epochs
    p-value    of the split with the largest distance, as `ldp analyze compare` has it,
               times the number of splits and of values that are followed (Bonferroni)
    since      splits whose likelihood ratio exp(distance^2 / 2) is at least a times the
               mean over splits, which misses the epoch of one change with a chance of a

It is for one look at these epochs: who looks after each of them adds up the chances of
false alarms. Evidence by e-values (`evidence`) allows for that, and needs normal errors
in each epoch, and larger changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ldp_aggregator.analyses.comparisons.mover import difference
from ldp_aggregator.analyses.comparisons.sides import Side, side_of_law
from ldp_aggregator.analyses.comparisons.significance import LevelIntervals, different
from ldp_aggregator.analyses.series.history import Epoch
from ldp_aggregator.answers.estimates.pooling import pool_moments
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.decoders.intervals.cumulants import cumulants, far_from_normal
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Floats, Integers

MOST_SPLITS = 50
_FEWEST = 1.96
"""A side has enough reports if normal theory holds so many standard errors out."""
_WORTH_A_LOOK = 5.0
"""Above it, an exact law makes nothing that counts of a p-value by the normal law."""

History = Sequence[tuple[Epoch, QuestionEstimates | None]]


class SplitTest(NamedTuple):
    """The largest difference between before and after."""

    p_value: float
    since: tuple[Epoch, ...]
    change: float


def split_tests(
    history: History, values: Sequence[str], options: Options, *, family: int
) -> dict[str, SplitTest]:
    """The test of each value that has enough reports on either side of some epoch.

    family  how many values are followed
    """
    known = [
        (epoch, estimates)
        for epoch, estimates in history
        if estimates is not None
        and estimates.reports
        and set(values) <= set(estimates.values)
    ]
    laws = [_law_of(estimates, values) for _, estimates in known]
    parts = [law for law in laws if law is not None]
    if len(parts) < 2 or len(parts) < len(laws):
        return {}
    places = _places(len(parts))
    # Up to each epoch, and from each epoch on.
    before, after = [*accumulate(parts, _pool)], [*accumulate(parts[::-1], _pool)][::-1]
    sides = [(before[place - 1], after[place]) for place in places.tolist()]
    overall = np.clip(before[-1].frequency, 0.0, 1.0)
    distances = np.array([_distance(pair, overall, options.estimand) for pair in sides])
    known_distances = np.where(np.isnan(distances), 0.0, np.abs(distances))
    best = np.argmax(known_distances, axis=0)
    # How many tests a p-value of each value is the least of, (M,).
    tried = np.count_nonzero(~np.isnan(distances), axis=0) * family
    rough = 2 * ndtr(-known_distances.max(axis=0)) * tried
    chances = {
        split: _chances(sides[split], options)
        for split in np.unique(best[rough < _WORTH_A_LOOK]).tolist()
    }
    tests = {}
    for number, value in enumerate(values):
        own, split = distances[:, number], int(best[number])
        usable = ~np.isnan(own)
        if not usable.any():
            continue
        chance = 1.0
        if split in chances:
            chance = float(chances[split][number] * tried[number])
        since = places[usable][_possible(own[usable], 1 - options.level)]
        first, second = (side.frequency[number] for side in sides[split])
        tests[value] = SplitTest(
            min(1.0, chance),
            tuple(known[place][0] for place in since.tolist()),
            float(second - first),
        )
    return tests


def _law_of(estimates: QuestionEstimates, values: Sequence[str]) -> Moments | None:
    places = np.array([estimates.values.index(value) for value in values])
    return estimates.only(places).law


def _places(size: int) -> Integers:
    """First epochs of what comes after, evenly spaced where they are many."""
    many = min(size - 1, MOST_SPLITS)
    return np.unique(np.linspace(1, size - 1, many).round().astype(np.int64))


def _pool(one: Moments, other: Moments) -> Moments:
    """Estimates from the reports of both."""
    reports = np.array([one.reports, other.reports], dtype=float)
    pooled = pool_moments([one, other], reports / reports.sum())
    if one.count is None or other.count is None:
        return pooled
    supports = one.count.supports + other.count.supports
    return replace(pooled, count=one.count._replace(supports=supports))


def _distance(pair: tuple[Moments, Moments], overall: Floats, estimand: str) -> Floats:
    """How far after is above before, in standard errors, (M,); NaN of too few
    reports.
    """
    before, after = pair
    variance = sum(cumulants(side, overall, estimand).variance for side in pair)
    few = [far_from_normal(side, overall, _FEWEST, estimand=estimand) for side in pair]
    apart = (after.frequency - before.frequency) / np.sqrt(variance)
    return np.where(few[0] | few[1], np.nan, apart)


def _chances(pair: tuple[Moments, Moments], options: Options) -> Floats:
    """P-values of no difference, (M,)."""
    before, after = (side_of_law(side, options) for side in pair)
    together = np.zeros(len(before.estimate))
    ends = partial(difference, before, after, together=together)
    return different(LevelIntervals(_apart(before, after), ends))


def _apart(before: Side, after: Side) -> Floats:
    return after.estimate - before.estimate


def _possible(distances: Floats, missing: float) -> Floats:
    """Which splits may be that of the change, of one value."""
    ratios = np.exp((distances**2 - np.max(distances**2)) / 2)
    return np.asarray(ratios >= missing * ratios.mean())
