"""Weighted estimates of skewed samples, beside the population that they were drawn
from.

Whether somebody answers depends on age and sex, and on nothing else; known margins of
age and sex, in the clear or randomized themselves, bring the population back. The truth
is the population's share (or mean); beside it stands how far off the unweighted
estimate is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.random import Generator

from lab.model_coverage.regressions import Case, Run, Seen
from lab.model_coverage.surveys import TABLE, YES, of_table, of_yes, tally_of
from ldp_aggregator.analyses.weighting.weighing import weigh
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.tallies.tally import Tally

AGES, SEXES = ("young", "middle", "old"), ("female", "male")
POPULATION = np.array([[0.15, 0.15], [0.2, 0.2], [0.18, 0.12]])
"""Shares by age and sex, (3, 2)."""
ANSWERING = np.outer([3.0, 1.5, 0.5], [1.0, 0.6])
"""How likely each is to answer: the young and women more."""
CHANCE = np.array([[0.6, 0.5], [0.4, 0.45], [0.2, 0.1]])
"""Of the answer yes."""
SAMPLE = POPULATION * ANSWERING / (POPULATION * ANSWERING).sum()
TRUTH = float((POPULATION * CHANCE).sum())
SKEWED = float((SAMPLE * CHANCE).sum())

BOTH = {
    "age": dict(zip(AGES, POPULATION.sum(axis=1).tolist(), strict=True)),
    "sex": dict(zip(SEXES, POPULATION.sum(axis=0).tolist(), strict=True)),
}
CELLS = {
    "age & sex": {
        f"{age} & {sex}": float(POPULATION[i, j])
        for (i, age), (j, sex) in product(enumerate(AGES), enumerate(SEXES))
    }
}


def cases() -> list[Case]:
    """All of them."""
    listed = []
    for epsilon, people in (("1", 3000), ("4", 600)):
        for name, margins, method in (
            ("post-stratified", CELLS, "raking"),
            ("raked", BOTH, "raking"),
        ):
            run = _clear(epsilon, people, margins, method=method)
            listed.append(
                Case(
                    f"{name}, epsilon {epsilon}",
                    "margins in the clear",
                    people,
                    run=run,
                )
            )
    for name, margins, method, sizes in (
        # Shares of combinations are noisier than those of ages and of sexes.
        ("post-stratified", CELLS, "raking", (80_000, 4000)),
        ("raked", BOTH, "raking", (20_000, 4000)),
        ("linear", BOTH, "linear", (20_000, 4000)),
    ):
        for epsilon, people in zip(("2", "4"), sizes, strict=True):
            run = _randomized(epsilon, people, margins, method=method)
            listed.append(
                Case(
                    f"{name}, epsilon {epsilon}", "randomized margins", people, run=run
                )
            )
    listed.append(
        Case(f"{name}, epsilon {epsilon}", "margins in the clear", people, run=run)
    )
    for epsilon, people in (("2", 20_000), ("4", 4000)):
        for name, margins, method in (
            ("post-stratified", CELLS, "raking"),
            ("raked", BOTH, "raking"),
            ("linear", BOTH, "linear"),
        ):
            run = _randomized(epsilon, people, margins, method=method)
            listed.append(
                Case(
                    f"{name}, epsilon {epsilon}", "randomized margins", people, run=run
                )
            )
    listed.append(
        Case("design weights, epsilon 2", "of a frame", 2000, run=_framed("2", 2000))
    )
    return listed


def truth_of(method: str) -> float:
    """What a weighted estimate comes to with endless respondents.

    Post-stratification comes to the population's share whatever it is; margins alone do
    as far as answering is a product of what they are of, as it is here, and their
    factors find it: raking exactly, linear ones nearly.
    """
    if method == "raking":
        return TRUTH
    rows = np.array(
        [
            [1.0, *(age == one for one in AGES[1:]), sex == SEXES[1]]
            for age, sex in product(AGES, SEXES)
        ],
        dtype=np.float64,
    )
    known = rows.T @ POPULATION.ravel()
    solution = np.linalg.solve(rows.T @ (SAMPLE.ravel()[:, None] * rows), known)
    return float((rows @ solution) @ (SAMPLE * CHANCE).ravel())


def _clear(
    epsilon: str, people: int, margins: dict[str, dict[str, float]], method: str
) -> Run:
    """A tally for each combination of age and sex."""
    survey, truth = of_yes(epsilon), truth_of(method)

    def run(generator: Generator) -> Iterator[Seen]:
        tallies = _by_combination(generator, SAMPLE, people, epsilon=epsilon)
        weighted = weigh(
            tallies, YES, margins, attributes=["age", "sex"], method=method
        )
        share = weighted["true"]
        held = share.low <= truth <= share.high
        yield Seen(share.estimate - truth, share.standard_error, held)

    assert survey[YES].domain.size == 2
    return run


def _framed(epsilon: str, people: int) -> Run:
    """A sampling frame that took the young more often, by known chances."""
    design: dict[tuple[str, ...], float] = {
        (age, sex): float(POPULATION[i, j] / SAMPLE[i, j])
        for (i, age), (j, sex) in product(enumerate(AGES), enumerate(SEXES))
    }

    def run(generator: Generator) -> Iterator[Seen]:
        tallies = _by_combination(generator, SAMPLE, people, epsilon=epsilon)
        weighted = weigh(tallies, YES, {}, attributes=["age", "sex"], design=design)
        share = weighted["true"]
        yield Seen(
            share.estimate - TRUTH,
            share.standard_error,
            share.low <= TRUTH <= share.high,
        )

    return run


def _by_combination(
    generator: Generator, shares: Floats, people: int, *, epsilon: str
) -> dict[tuple[str, ...], Tally]:
    survey = of_yes(epsilon)
    sizes = generator.multinomial(people, shares.ravel()).reshape(shares.shape)
    yes = generator.binomial(sizes, CHANCE)
    return {
        (age, sex): tally_of(
            survey, YES, np.array([sizes[i, j] - yes[i, j], yes[i, j]]), generator
        )
        for (i, age), (j, sex) in product(enumerate(AGES), enumerate(SEXES))
    }


def _randomized(
    epsilon: str, people: int, margins: dict[str, dict[str, float]], method: str
) -> Run:
    """One report of answer, age and sex: nothing is in the clear."""
    survey, truth = of_table(epsilon), truth_of(method)
    law = np.stack([SAMPLE * (1 - CHANCE), SAMPLE * CHANCE]).ravel()

    def run(generator: Generator) -> Iterator[Seen]:
        tally = tally_of(survey, TABLE, generator.multinomial(people, law), generator)
        share = weigh(tally, TABLE, margins, of=YES, method=method)["true"]
        held = share.low <= truth <= share.high
        yield Seen(share.estimate - truth, share.standard_error, held)

    return run
