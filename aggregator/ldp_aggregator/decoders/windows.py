"""The law of estimates from permanent bits for some of the values (`ldp.mechanisms.bit_flip`).

The score of a report for value x is (b/d) (bit - q) / (p - q) if x is in its window, else 0;
windows are uniform, so

    hold = (b/d) (p (1-p) / (p-q)^2 + 1) - 1,   other = (b/d) q (1-q) / (p-q)^2

Given the value, bits are independent, and those of other values have a score of mean 0: no two
estimates correlate.
"""

from __future__ import annotations

import numpy as np

from ldp.mechanisms.bit_flip import BitFlip
from ldp.mechanisms.contract import Randomizer
from ldp_aggregator.arrays import Counts, Floats
from ldp_aggregator.moments.jumps import jumps_of
from ldp_aggregator.moments.moments import Moments, with_jumps
from ldp_aggregator.moments.repeats import check_repeats, repeats_note
from ldp_aggregator.tallies.counting import total_reports


def window_moments(randomizer: Randomizer, counts: Counts, repeats: int = 1) -> Moments:
    """Moments of every value, from the counts of each window.

    Of `repeats` reports from everybody, all alike.
    """
    assert isinstance(randomizer, BitFlip)  # noqa: S101
    size, reports = randomizer.size, total_reports(counts, randomizer.layout)
    check_repeats(reports, repeats)
    respondents = reports // repeats
    values = np.arange(size)
    asked, ones = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for place in range(randomizer.sampled):
        # A value has this place in the window that starts so much before it.
        windows = counts[(values - place) % size]
        asked += windows[:, 0]
        ones += windows[:, 1 + place]
    p, q = (float(rate) for rate in randomizer.within)
    share, signal = randomizer.sampled / size, p - q
    frequency = (ones - q * asked) / (reports * share * signal)
    hold = np.full(size, (p * (1 - p) / signal**2 + 1) / share - 1)
    other = np.full(size, q * (1 - q) / signal**2 / share)
    # Of a one, of a zero, and of a window without the value.
    scores = np.array([1 - q, -q, 0]) / (share * signal)
    jumps = (
        jumps_of(scores, np.array([share * rate, share * (1 - rate), 1 - share])) for rate in (p, q)
    )

    def covariance() -> Floats:
        matrix: Floats = np.diag((frequency * hold + (1 - frequency) * other) / respondents)
        return matrix

    note = repeats_note(respondents, repeats, respondents)
    return with_jumps(Moments(respondents, frequency, hold, other, covariance, note=note), *jumps)
