"""Questions about vectors: their reports, their tallies, and how near they come to
PrivUnit.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from lab.benchmarks.aggregator import tally
from lab.benchmarks.client import first_seconds
from lab.benchmarks.figures import Figure, median_seconds
from lab.benchmarks.material import QUESTION, frames, survey_of
from lab.benchmarks.privunit import (
    DIMENSIONS,
    EPSILONS,
    WORDS,
    question_of,
    variance_of,
    with_best_cap,
)
from ldp.answers.balls import UNIT
from ldp.numbers.randomness import system
from ldp_simulations.reports.bulk import bulk_draw

_COUNTED, _DRAWN = 1_000_000, 1000
_CODEBOOK = f"vectors: codebook, {DIMENSIONS} coordinates"


def figures() -> Iterator[Figure]:
    """Of vectors with a hundred coordinates."""
    keys = f"dimensions = {DIMENSIONS}\nradius = 1\nepsilon = 1\n"
    survey = survey_of(f'type = "vector"\nmechanism = "codebook"\n{keys}')
    answer = [0.05] * DIMENSIONS
    yield Figure(f"{_CODEBOOK}, a report", first_seconds(survey, answer) * 1e6, "us")
    draw = bulk_draw(survey[QUESTION].randomizer)
    values = np.full((_DRAWN, DIMENSIONS), UNIT // 20)
    rate = _DRAWN / median_seconds(partial(draw, values, system))
    yield Figure(f"{_CODEBOOK}, in bulk", rate, "reports/s")
    file = b"".join(frames(survey, _COUNTED, 1000))
    rate = _COUNTED / median_seconds(partial(tally, survey, file, _COUNTED))
    yield Figure(f"{_CODEBOOK}, counted", rate, "reports/s", target=10e6, at_least=True)
    for epsilon in EPSILONS:
        ours = variance_of(question_of(epsilon, WORDS[0]))
        best = with_best_cap(DIMENSIONS, epsilon).variance
        name = f"{_CODEBOOK}, epsilon {epsilon}, variance over that of PrivUnit"
        yield Figure(name, ours / best, "times")
