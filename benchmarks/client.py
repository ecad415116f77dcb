"""Answers become reports: one by one through `Client(survey).record`, and in bulk as `ldp randomize` draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.figures import REPEATS, Figure, median_seconds
from benchmarks.material import QUESTION, closed_survey, text_survey
from ldp import Survey
from ldp.randomness import system
from ldp_client import Client
from ldp_simulations.bulk import bulk_draw

_TIMES = 2000

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
        survey = closed_survey(mechanism, size)
        yield _figure(f"{mechanism}, {size:,} values", _first(survey, "v1"), target)
    survey = text_survey(1024)
    yield _figure("rappor, 1,024 bits, first report", _first(survey, "some text"), 40)
    yield _figure("rappor, 1,024 bits, repeated", partial(Client(survey).record, QUESTION, "some text"), 40)

    for mechanism, size, count, target in _BULK:
        draw = bulk_draw(closed_survey(mechanism, size)[QUESTION].randomizer)
        values = np.random.default_rng(1).integers(0, size, count)
        rate = count / median_seconds(partial(draw, values, system))
        yield Figure(f"client: {mechanism}, {size:,} values, in bulk", rate, "reports/s", target, at_least=True)


def _first(survey: Survey, answer: str) -> Callable[[], object]:
    """The first answer of one device after the other."""
    waiting = [Client(survey) for _ in range(1 + REPEATS * _TIMES)]
    return lambda: waiting.pop().record(QUESTION, answer)


def _figure(name: str, work: Callable[[], object], target: float | None) -> Figure:
    return Figure(f"client: {name}", median_seconds(work, _TIMES) * 1e6, "us", target)
