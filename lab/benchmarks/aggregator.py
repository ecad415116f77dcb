"""From the bytes of a report file to a tally, on one core."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial

from lab.benchmarks.figures import Figure, median_seconds
from lab.benchmarks.material import QUESTION, closed_survey, frames, text_survey
from ldp import Survey
from ldp_aggregator import Ingest

# (what, survey, reports, batch size, reports per second to reach); for olh, 3
# nanoseconds for each report and value
_RUNS = (
    ("grr, 4 values", closed_survey("grr", 4), 5_000_000, 1000, 3e6),
    ("grr, 1,024 values", closed_survey("grr", 1024), 5_000_000, 1000, 3e6),
    ("oue, 1,024 bits", closed_survey("oue", 1024), 500_000, 1000, 1e6),
    ("pgr, 22,000 values", closed_survey("pgr", 22_000), 5_000_000, 1000, 3e6),
    ("olh, 1,024 values", closed_survey("olh", 1024), 100_000, 1000, 1e9 / (3 * 1024)),
    (
        "olh, 16,384 values",
        closed_survey("olh", 16_384),
        20_000,
        1000,
        1e9 / (3 * 16_384),
    ),
    ("rappor, 1,024 bits, 16 cohorts", text_survey(1024), 500_000, 1000, 4e6),
    ("grr, 4 values", closed_survey("grr", 4), 300_000, 1, 3e5),
    ("oue, 128 bits", closed_survey("oue", 128), 300_000, 1, 3e5),
    ("oue, 1,024 bits", closed_survey("oue", 1024), 300_000, 1, 3e5),
    ("rappor, 1,024 bits, 16 cohorts", text_survey(1024), 300_000, 1, 3e5),
)


def figures() -> Iterator[Figure]:
    """Reports per second, in batches of 1,000 and of one."""
    for what, survey, reports, size, target in _RUNS:
        file = b"".join(frames(survey, reports, size))
        seconds = median_seconds(partial(tally, survey, file, reports))
        name = f"aggregator: {what}, batches of {size:,}"
        yield Figure(name, reports / seconds, "reports/s", target=target, at_least=True)


def tally(survey: Survey, file: bytes, reports: int) -> None:
    """Count a report file that has so many."""
    ingest = Ingest(survey)
    ingest.file(io.BytesIO(file))
    if ingest.tally.reports(QUESTION) != reports:
        raise RuntimeError("expected every report to be counted")
