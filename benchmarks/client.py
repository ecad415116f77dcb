"""One answer becomes one report: `Client(survey).record`, on a new client wherever a question is answered once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.figures import Figure, median_seconds
from benchmarks.material import QUESTION, closed_survey, text_survey
from ldp import Survey
from ldp_client import Client

_TIMES = 2000

# (mechanism, number of values, microseconds to stay below)
_CLOSED = (
    ("warner", 2, 5),
    ("grr", 4, 5),
    ("grr", 1024, 5),
    ("sue", 128, None),
    ("sue", 1024, 40),
    ("oue", 128, None),
    ("oue", 1024, 40),
    ("pgr", 1024, 10),
    ("olh", 1024, 10),
)


def figures() -> Iterator[Figure]:
    """Microseconds for one report of each mechanism."""
    for mechanism, size, target in _CLOSED:
        survey = closed_survey(mechanism, size)
        yield _figure(f"{mechanism}, {size:,} values", partial(_first, survey, "v1"), target)
    survey = text_survey(1024)
    yield _figure("rappor, 1,024 bits, first report", partial(_first, survey, "some text"), 40)
    yield _figure("rappor, 1,024 bits, repeated", partial(Client(survey).record, QUESTION, "some text"), 40)


def _first(survey: Survey, answer: str) -> None:
    Client(survey).record(QUESTION, answer)


def _figure(name: str, work: partial[object], target: float | None) -> Figure:
    return Figure(f"client: {name}", median_seconds(work, _TIMES) * 1e6, "us", target)
