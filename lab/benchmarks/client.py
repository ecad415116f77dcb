"""Answers become reports: one by one through `Client(survey).record`, and in bulk.

In bulk as `ldp randomize` draws them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from functools import partial

import numpy as np

from lab.benchmarks.figures import REPEATS, Figure, median_seconds
from lab.benchmarks.material import QUESTION, closed_survey, text_survey
from ldp import Survey
from ldp.numbers.randomness import system
from ldp_client import Client
from ldp_simulations.reports.bulk import bulk_draw

_TIMES, _DEVICES = 2000, 500

# (mechanism, number of values, microseconds to stay below)
_CLOSED = (
    ("warner", 2, 5),
    ("grr", 4, 3),
    ("grr", 1024, 3),
    ("ss", 1024, 17),
    ("sue", 128, None),
    ("sue", 1024, 17),
    ("oue", 128, None),
    ("oue", 1024, 17),
    ("pgr", 1024, 10),
    ("hr", 1024, 10),
    ("olh", 1024, 10),
)

# (mechanism, number of values, reports drawn at once, reports a second to reach)
_BULK = (("grr", 1024, 100_000, 10_000_000), ("oue", 1024, 1000, 300_000))


def figures() -> Iterator[Figure]:
    """Microseconds for one report of each mechanism, and reports a second in bulk."""
    for mechanism, size, target in _CLOSED:
        seconds = first_seconds(closed_survey(mechanism, size), "v1")
        yield Figure(
            f"client: {mechanism}, {size:,} values", seconds * 1e6, "us", target=target
        )
    survey = text_survey(1024)
    text = "some text"
    yield Figure(
        "client: rappor, 1,024 bits, first report",
        first_seconds(survey, text) * 1e6,
        "us",
        target=40,
    )
    again = median_seconds(partial(Client(survey).record, QUESTION, text), _TIMES)
    yield Figure("client: rappor, 1,024 bits, repeated", again * 1e6, "us", target=40)
    for mechanism, size, count, target in _BULK:
        draw = bulk_draw(closed_survey(mechanism, size)[QUESTION].randomizer)
        values = np.random.default_rng(1).integers(0, size, count)
        rate = count / median_seconds(partial(draw, values, system))
        yield Figure(
            f"client: {mechanism}, {size:,} values, in bulk",
            rate,
            "reports/s",
            target=target,
            at_least=True,
        )


def first_seconds(survey: Survey, answer: object) -> float:
    """The median over repeats of the processor seconds that a device takes for its
    first answer.
    """
    times = []
    for _ in range(REPEATS):
        # Few at a time, as a device that records has its memory at hand.
        devices = [Client(survey) for _ in range(_DEVICES)]
        start = time.process_time()
        for device in devices:
            device.record(QUESTION, answer)
        times.append((time.process_time() - start) / _DEVICES)
    return statistics.median(times)
