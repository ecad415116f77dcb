"""Surveys of whole numbers whose distribution is estimated: what its intervals miss.

below      the shares of answers below each value, by value
band       whether the band about all of these misses any
range      the shares of ranges between quarters of the values, by range
quantile   quantiles, by share; what is missed is the least value that so many lie at or
           below
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.random import Generator

from lab.coverage.cells import Cell
from lab.coverage.estimands import Observed, Survey, misses, twice
from lab.coverage.populations import POPULATIONS
from lab.coverage.questions import Row, question_of, whole_numbers
from ldp_aggregator.answers.distributions.distribution import (
    Distribution,
    distribution_of,
)
from ldp_aggregator.answers.options import Options
from ldp_aggregator.numerics.arrays import Floats
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_ROUNDING = 1e-9
"""Shares are sums of rounded ones."""


def distributions(cell: Cell, rows: tuple[Row, ...]) -> Survey:
    """Surveys through a mechanism that has a distribution."""
    question = question_of(
        rows[0], cell.size, cell.epsilon, domain=whole_numbers(cell.size)
    )
    values = question.domain.values or ()
    shares = POPULATIONS[cell.population](cell.size)

    def survey(generator: Generator, _: int) -> Observed:
        for estimand, holders, truth in twice(cell, shares, generator):
            counts = sample_counts(question, Holders(values, holders), generator)
            known = distribution_of(question, counts, Options(estimand=estimand))
            assert known is not None
            yield from _missed(known, truth, estimand)

    return survey


def _missed(known: Distribution, truth: Floats, estimand: str) -> Observed:
    below = np.append(0.0, np.cumsum(truth))
    cumulative = known.cdf()
    yield f"below, {estimand}", misses(cumulative.low, cumulative.high, below[1:-1])
    outside = misses(cumulative.band_low, cumulative.band_high, below[1:-1])
    yield f"band, {estimand}", float(outside.any())
    places = [part * len(truth) // 4 for part in range(5)]
    ranges = [ends for ends in combinations(places, 2) if ends != (0, len(truth))]
    asked = [known.at_places(first, last) for first, last in ranges]
    yield (
        f"range, {estimand}",
        np.array(
            [
                misses(share.low, share.high, below[last] - below[first])
                for share, (first, last) in zip(asked, ranges, strict=True)
            ]
        ),
    )
    yield (
        f"quantile, {estimand}",
        np.array([_missed_quantile(known, share, below) for share in QUANTILES]),
    )


def _missed_quantile(known: Distribution, share: float, below: Floats) -> bool:
    """Of whole numbers from 0 on."""
    quantile = known.quantile(share)
    true = int(np.argmax(below[1:] >= share - _ROUNDING))
    return not quantile.low <= true <= quantile.high
