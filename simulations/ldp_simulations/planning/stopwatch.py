"""How long a report takes a client, and a tally the decoder, measured briefly on this
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, islice
from time import perf_counter

import numpy as np

from ldp.answers.domain import Value
from ldp.mechanisms.contract import Randomizer, SetValued
from ldp.numbers.randomness import system
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.intervals.intervals import (
    careful_interval,
    miss,
    standard_error,
)
from ldp_simulations.sampling.table import expected_counts

_PATIENCE, _BOUT = 0.02, 0.002
"""Seconds that a figure may take, once it has been measured at all, and seconds of one
bout.
"""


def client_microseconds(randomizer: Randomizer, values: Sequence[str]) -> float:
    """One report, from the operating system's randomness; the values take turns."""
    spread = range(0, len(values), max(1, len(values) // 50))
    turns = cycle([_as_input(randomizer, values, index) for index in spread])

    def some(count: int) -> None:
        for value in islice(turns, count):
            randomizer.randomize(value, system)

    return _seconds(some) * 1e6


def _as_input(randomizer: Randomizer, values: Sequence[str], index: int) -> Value:
    """A value as the randomizer takes it.

    Where it takes sets, the set that holds this value alone.
    """
    if randomizer.kind == "bloom":
        return values[index].encode()
    if isinstance(randomizer, SetValued):
        return 1 << index
    return index


def decode_milliseconds(randomizer: Randomizer, values: Sequence[str]) -> float:
    """From a tally to frequencies, standard errors and intervals of all values."""
    counts = expected_counts(randomizer, values, np.full(len(values), 1 / len(values)))

    def decode(times: int) -> None:
        for _ in range(times):
            moments = moments_of(randomizer, counts, values)
            standard_error(moments, "respondents")
            careful_interval(moments, miss(0.95, len(values), None), "respondents")

    return _seconds(decode) * 1e3


def _seconds(task: Callable[[int], None]) -> float:
    """How long the task takes once, in the quickest of several bouts.

    What else the machine does can only add.
    """
    task(1)  # may prepare tables that later calls find
    once = _time(task, 1)
    bout = max(1, int(_BOUT / once))
    bouts = max(0, int(_PATIENCE / max(once, _BOUT)))
    return min([once, *(_time(task, bout) for _ in range(bouts))])


def _time(task: Callable[[int], None], times: int) -> float:
    start = perf_counter()
    task(times)
    return (perf_counter() - start) / times
