"""From a tally of Bloom filters to the estimates of ten thousand candidates.

Run as a program, `python -m lab.benchmarks.candidates` prints the processor seconds and
the peak of its resident memory in MiB; `python -m lab.benchmarks.candidates 64 100000`
those for n cohorts and candidates.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

import numpy as np

from lab.benchmarks.figures import Figure, median_seconds
from lab.benchmarks.material import QUESTION, survey_of
from lab.benchmarks.processes import peak, printed
from ldp_aggregator import Options
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_simulations.population import synthetic
from ldp_simulations.sampling.table import sample_counts

_BITS, _COHORTS, _CANDIDATES, _RESPONDENTS = 128, 128, 10_000, 10_000_000
_REPEATS = 3
_KEYS = f'bloom_bits = {_BITS}\nhashes = 2\np = "0.25"\nq = "0.75"\nf = "0.5"\n'


def figures() -> Iterator[Figure]:
    """Time and memory. Measure this before anything that needs more memory."""
    seconds, most = printed("lab.benchmarks.candidates")
    name = (
        f"candidates: rappor, {_BITS} bits, {_COHORTS} cohorts, {_CANDIDATES:,} "
        "candidates"
    )
    yield Figure(name, seconds, "s", target=10)
    yield Figure(f"{name}, peak", most, "MiB", target=2048)


def _median_seconds(cohorts: int = _COHORTS, many: int = _CANDIDATES) -> float:
    survey = survey_of(
        f'type = "text"\nmechanism = "rappor"\ncohorts = {cohorts}\n{_KEYS}'
    )
    candidates = tuple(f"candidate {number}" for number in range(many))
    holders = synthetic(
        survey, _RESPONDENTS, "zipf:1", candidates={QUESTION: candidates}
    )[QUESTION]
    counts = sample_counts(survey[QUESTION], holders, np.random.default_rng(1))
    work = partial(estimate_question, survey[QUESTION], counts, Options(), candidates)
    return median_seconds(work, repeats=_REPEATS)


if __name__ == "__main__":
    print(_median_seconds(*map(int, sys.argv[1:])), peak())
