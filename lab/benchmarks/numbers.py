"""Questions about numbers: their reports, their tallies, and what is decoded from
these.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial

import numpy as np

from lab.benchmarks.client import first_seconds
from lab.benchmarks.figures import Figure, median_seconds, seconds
from lab.benchmarks.material import QUESTION, survey_of
from ldp import Survey
from ldp.numbers.layout import COHORT_WIDTH
from ldp_aggregator import Ingest, Options, Tally
from ldp_aggregator.answers.distributions.distribution import (
    Distribution,
    distribution_of,
)
from ldp_aggregator.decoders.arcs.circle import circle_of
from ldp_client import frames, row_batches
from ldp_simulations.population import synthetic
from ldp_simulations.sampling.table import sample_counts
from ldp_simulations.simulation.simulation import LAW, simulate

_RESPONDENTS, _COUNTED = 1_000_000_000, 5_000_000
_BLOCK, _BATCH = 100_000, 1000


def figures() -> Iterator[Figure]:
    """Of a mean, and of distributions of 256 and 1,024 values."""
    hours = _asked("dithered", 100)
    ages = _asked("arcs", 256)
    fine = _asked("arcs", 1024)
    named = (("dithered, 100", hours), ("arcs, 256", ages), ("arcs, 1,024", fine))
    for name, survey in named:
        taken = first_seconds(survey, 17) * 1e6
        yield Figure(f"numbers: {name} values, a report", taken, "us", target=6)
    for (name, survey), target in zip(named, (50e6, 10e6, 10e6), strict=True):
        counted = _COUNTED / median_seconds(partial(_count, survey, _file(survey)), 3)
        yield Figure(
            f"numbers: {name} values, counted",
            counted,
            "reports/s",
            target=target,
            at_least=True,
        )
    yield Figure(
        "numbers: arcs, 1,024 values, design", _design(fine) * 1e3, "ms", target=500
    )
    tally = _tally(fine)
    decoded = median_seconds(partial(_decoded, tally)) * 1e3
    yield Figure(
        "numbers: arcs, 1,024 values, all frequencies", decoded, "ms", target=100
    )
    cumulated = seconds(lambda: _decoded(tally).cdf())
    yield Figure(
        "numbers: arcs, 1,024 values, cumulative distribution with its band",
        cumulated,
        "s",
        target=1,
    )
    for name, survey in named:
        population = synthetic(survey, _RESPONDENTS, "normal", candidates={})
        taken = seconds(partial(simulate, survey, population, seed=1, way=LAW))
        yield Figure(
            f"numbers: {name} values, a billion respondents", taken, "s", target=20
        )


def _asked(mechanism: str, size: int) -> Survey:
    keys = f'type = "integer"\nlow = 0\nhigh = {size - 1}\nepsilon = 1\n'
    return survey_of(f'{keys}mechanism = "{mechanism}"\n')


def _file(survey: Survey) -> bytes:
    """The bytes of a report file whose rows differ within a block."""
    question, generator = survey[QUESTION], np.random.default_rng(1)
    layout = question.layout
    rows = np.empty((_BLOCK, layout.width), dtype=np.uint8)
    cohorts = generator.integers(0, layout.cohorts, (_BLOCK, 1)).astype("<u2")
    rows[:, :COHORT_WIDTH] = cohorts.view(np.uint8)
    symbols = generator.integers(0, layout.symbols, (_BLOCK, 1)).astype(
        f"<u{layout.body_width}"
    )
    rows[:, COHORT_WIDTH:] = symbols.view(np.uint8)
    times = _COUNTED // _BLOCK
    batches = (
        batch
        for _ in range(times)
        for start in range(0, _BLOCK, _BATCH)
        for batch in row_batches(
            question.fingerprint,
            rows[start : start + _BATCH].tobytes(),
            question.width,
            epoch=None,
        )
    )
    return frames(batches)


def _count(survey: Survey, file: bytes) -> None:
    ingest = Ingest(survey)
    ingest.file(io.BytesIO(file))
    if ingest.tally.reports(QUESTION) != _COUNTED:
        raise RuntimeError("expected every report to be counted")


def _tally(survey: Survey) -> Tally:
    tally = Tally.empty(survey)
    population = synthetic(survey, 1_000_000, "normal", candidates={})
    question = survey[QUESTION]
    generator = np.random.default_rng(1)
    tally.counts[QUESTION] = sample_counts(question, population[QUESTION], generator)
    return tally


def _decoded(tally: Tally) -> Distribution:
    known = distribution_of(tally.survey[QUESTION], tally.counts[QUESTION], Options())
    assert known is not None
    return known


def _design(survey: Survey) -> float:
    """Weights, and the matrix that decodes."""
    randomizer = survey[QUESTION].randomizer

    def anew() -> None:
        circle_of.cache_clear()
        circle_of(randomizer)  # type: ignore[arg-type]

    return median_seconds(anew)
