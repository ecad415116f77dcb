"""A billion respondents, drawn from the law of their reports and estimated, for every
mechanism.

And many values, from the text of a survey to the table of `ldp simulate`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from lab.benchmarks.figures import Figure, seconds
from lab.benchmarks.material import closed_survey, survey_of, values
from ldp_aggregator.output.formats.formats import render_sheet
from ldp_simulations.population import synthetic
from ldp_simulations.simulation import report
from ldp_simulations.simulation.simulation import LAW, simulate

_RESPONDENTS, _VALUES, _RUNS = 1_000_000_000, 1000, 10
_CATEGORY = f'type = "category"\n{values(_VALUES)}'
_INTEGER = f'type = "integer"\nlow = 1\nhigh = {_VALUES}\n'
_SETS = f'type = "multi"\n{values(_VALUES)}most = 10\n'
_SIZES = ((4000, 10), (16_000, 10), (32_000, 10), (100_000, 10), (1_000_000, 60))
_ROWS = 65_536
_EPSILON, _TWO_EPSILONS = "epsilon = 1\n", "epsilon_first = 1\nepsilon_lifetime = 2\n"
_MECHANISMS = (
    (
        _CATEGORY + _EPSILON,
        (
            "grr",
            "ss",
            "pgr",
            "hr",
            "sue",
            "oue",
            "the",
            "she",
            "olh",
            "blh",
            "cms",
            "hcms",
        ),
    ),
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
            population = synthetic(survey, _RESPONDENTS, "zipf:1.1", candidates={})
            taken = seconds(
                partial(simulate, survey, population, runs=_RUNS, seed=1, way=LAW)
            )
            yield Figure(
                f"simulation: {mechanism}, {_VALUES:,} values, {_RUNS} runs",
                taken,
                "s",
                target=20,
            )
    for size, target in _SIZES:
        yield Figure(
            f"simulation: auto, {size:,} values, with its table",
            seconds(partial(_whole, size)),
            "s",
            target=target,
        )
    survey = closed_survey("grr", _ROWS)
    estimates = simulate(
        survey, synthetic(survey, 10_000, "zipf:1.1", candidates={}), seed=1
    ).first
    yield Figure(
        f"simulation: a table of {_ROWS:,} values, in full",
        seconds(estimates.rendered),
        "s",
        target=3,
    )


def _whole(size: int) -> None:
    """What `ldp simulate` does with a survey of n values, but for reading the file."""
    survey = closed_survey("auto", size)
    population = synthetic(survey, 10_000, "zipf:1.1", candidates={})
    render_sheet(report.sheet(simulate(survey, population, seed=1)), "table")
