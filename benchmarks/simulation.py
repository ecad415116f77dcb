"""A billion respondents, drawn from the law of their reports and estimated, for every mechanism that counts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.figures import Figure, seconds
from benchmarks.material import survey_of, values
from ldp_simulations.population import synthetic
from ldp_simulations.simulation import LAW, simulate

_RESPONDENTS, _VALUES, _RUNS = 1_000_000_000, 1000, 10
_CATEGORY, _INTEGER = f'type = "category"\n{values(_VALUES)}', f'type = "integer"\nlow = 1\nhigh = {_VALUES}\n'
_SETS = f'type = "multi"\n{values(_VALUES)}most = 10\n'
_EPSILON, _TWO_EPSILONS = "epsilon = 1\n", "epsilon_first = 1\nepsilon_lifetime = 2\n"
_MECHANISMS = (
    (_CATEGORY + _EPSILON, ("grr", "ss", "pgr", "hr", "sue", "oue", "the", "she", "olh", "blh", "cms", "hcms")),
    (_CATEGORY + _TWO_EPSILONS, ("l-grr", "l-sue", "l-osue", "loloha")),
    (f'{_CATEGORY}p = "0.25"\nq = "0.75"\nf = "0.5"\n', ("rappor",)),
    (f"{_CATEGORY}{_EPSILON}sampled = 10\n", ("dbitflip",)),
    (_INTEGER + _EPSILON, ("geometric", "laplace")),
    (_SETS + _EPSILON, ("set-unary", "pad-grr", "pad-ss", "pad-pgr", "pad-hr")),
)


def figures() -> Iterator[Figure]:
    """Processor seconds for all runs together."""
    for keys, mechanisms in _MECHANISMS:
        for mechanism in mechanisms:
            survey = survey_of(f'{keys}mechanism = "{mechanism}"\n')
            population = synthetic(survey, _RESPONDENTS, "zipf:1.1", {})
            taken = seconds(partial(simulate, survey, population, runs=_RUNS, seed=1, way=LAW))
            yield Figure(f"simulation: {mechanism}, {_VALUES:,} values, {_RUNS} runs", taken, "s", 20)
