"""Regressions of drawn reports, beside the coefficients that they were drawn from.

Each run draws a population anew, its answers, and the reports; what is seen of it is,
for each coefficient, the estimate less the truth, its standard error, whether the
interval holds the truth, and, of a predictor that explains nothing, whether the test of
it rejects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import comb

from lab.model_coverage.surveys import (
    NUMBER,
    TABLE,
    YES,
    cells_of,
    of_number,
    of_table,
    of_yes,
    tally_of,
)
from ldp_aggregator.analyses.regression.fitting import fit_answers, regress
from ldp_aggregator.analyses.regression.formula import formula_of
from ldp_aggregator.analyses.regression.links import LOGIT
from ldp_aggregator.analyses.regression.options import RegressionOptions
from ldp_aggregator.analyses.regression.result import Regression
from ldp_aggregator.numerics.arrays import Floats

AGES = np.arange(-2, 2.5, 0.5)
"""Standard deviations from the mean."""
NOTHING = "nothing"
"""What the predictor is called that explains nothing."""


class Seen(NamedTuple):
    """One number that was estimated in one run."""

    error: float
    standard_error: float
    held: bool
    rejected: bool | None = None
    """Of a hypothesis that is true; None where there is none."""


Run = Callable[[Generator], Iterator[Seen]]


class Case(NamedTuple):
    """What is run again and again."""

    name: str
    what: str
    respondents: int
    run: Run
    part: int = 1
    """Of the runs that are asked for, one in so many, where a run takes long."""


def cases() -> list[Case]:
    """All of them."""
    listed = [
        Case(
            f"logit, likelihood, epsilon {epsilon}",
            "covariates in the clear",
            people,
            run=run,
        )
        for epsilon, people, run in (
            ("1", 6000, _clear("1", 6000, RegressionOptions())),
            ("2", 3000, _clear("2", 3000, RegressionOptions())),
            ("4", 1000, _clear("4", 1000, RegressionOptions())),
        )
    ]
    clear = "covariates in the clear"
    profile = RegressionOptions(interval="profile")
    model = RegressionOptions(errors="model")
    equations = RegressionOptions(method="equations")
    more = (
        ("logit, likelihood, profile, epsilon 1", 3000, profile, "1", 10),
        ("logit, likelihood, model errors, epsilon 2", 3000, model, "2", 1),
        ("logit, equations, epsilon 2", 4000, equations, "2", 1),
        ("logit, equations, epsilon 1", 10_000, equations, "1", 1),
    )
    listed += [
        Case(name, clear, people, run=_clear(epsilon, people, choices), part=part)
        for name, people, choices, epsilon, part in more
    ]
    listed += [
        Case(
            f"linear, number, epsilon {epsilon}",
            clear,
            2000,
            run=_number(epsilon, 2000),
        )
        for epsilon in ("1", "4")
    ]
    for form, epsilon, people, method in (
        ("logit", "2", 40_000, "equations"),
        ("logit", "4", 5000, "equations"),
        ("logit, likelihood", "4", 5000, "likelihood"),
        ("linear", "2", 20_000, "equations"),
        ("linear", "4", 3000, "equations"),
    ):
        choices = RegressionOptions(form.partition(",")[0], method=method)
        run = _together(choices, epsilon, people)
        listed.append(
            Case(f"{form}, epsilon {epsilon}", "randomized predictors", people, run=run)
        )
    return listed


def _clear(epsilon: str, people: int, choices: RegressionOptions) -> Run:
    """A number, a category and a number that explains nothing; anew in each run, all of
    them.
    """
    truth = np.array([-0.8, 0.7, 0.5, 0.0])
    formula = formula_of(f"{YES} ~ age + sex + {NOTHING}")
    ages, sexes, nothings = AGES, np.array([0.0, 1.0]), np.array([-1.0, 0.0, 1.0])
    # (combinations, 3): what lies in the clear.
    known = np.stack(
        [one.ravel() for one in np.meshgrid(ages, sexes, nothings)], axis=1
    )
    weight = np.exp(-(known[:, 0] ** 2) / 2)
    chance = 1 / (1 + np.exp(-(truth[0] + known @ truth[1:])))
    attributes = {
        "age": [str(one) for one in known[:, 0].tolist()],
        "sex": ["male" if one else "female" for one in known[:, 1].tolist()],
        NOTHING: [str(one) for one in known[:, 2].tolist()],
    }

    def run(generator: Generator) -> Iterator[Seen]:
        sizes = generator.multinomial(people, weight / weight.sum())
        yes = generator.binomial(sizes, chance)
        holders = np.stack([sizes - yes, yes], axis=1)
        answers = cells_of(
            of_yes(epsilon), YES, holders, attributes=attributes, generator=generator
        )
        yield from _seen(fit_answers(answers, formula, choices), truth)

    return run


def _number(epsilon: str, people: int) -> Run:
    """A number that is linear in one covariate, with errors that grow with it."""
    truth = np.array([4.0, 1.0, 0.0])
    formula = formula_of(f"{NUMBER} ~ age + {NOTHING}")
    ages, nothings = np.arange(4.0), np.array([-1.0, 0.0, 1.0])
    known = np.stack([one.ravel() for one in np.meshgrid(ages, nothings)], axis=1)
    # (combinations, 11): whole numbers about the mean, binomial.
    share = (truth[0] + truth[1] * known[:, :1]) / 10
    numbers = np.arange(11)
    law = comb(10, numbers) * share**numbers * (1 - share) ** (10 - numbers)
    attributes = {
        "age": [str(one) for one in known[:, 0].tolist()],
        NOTHING: [str(one) for one in known[:, 1].tolist()],
    }

    def run(generator: Generator) -> Iterator[Seen]:
        sizes = generator.multinomial(people, np.full(len(known), 1 / len(known)))
        holders = generator.multinomial(sizes, law)
        answers = cells_of(
            of_number(epsilon),
            NUMBER,
            holders,
            attributes=attributes,
            generator=generator,
        )
        yield from _seen(fit_answers(answers, formula, RegressionOptions()), truth)

    return run


def _together(choices: RegressionOptions, epsilon: str, people: int) -> Run:
    """Outcome and predictors in one report: age explains, sex does not."""
    shares = np.array([[0.2, 0.15], [0.2, 0.15], [0.1, 0.2]])
    truth = np.array([-0.5, 0.8, 1.2, 0.0])
    if choices.model != LOGIT:
        truth = np.array([0.3, 0.2, 0.35, 0.0])
    age = np.array([0, 1, 2])[:, None]
    linear = (
        truth[0] + np.where(age == 1, truth[1], 0) + np.where(age == 2, truth[2], 0)
    )
    chance = 1 / (1 + np.exp(-linear)) if choices.model == LOGIT else linear
    # (smokes, age, sex): in the order of the cells.
    law = np.stack([shares * (1 - chance), shares * chance])
    survey = of_table(epsilon)

    def run(generator: Generator) -> Iterator[Seen]:
        holders = generator.multinomial(people, law.ravel())
        tally = tally_of(survey, TABLE, holders, generator)
        yield from _seen(regress(tally, TABLE, f"{YES} ~ age + sex", choices), truth)

    return run


def _seen(regression: Regression, truth: Floats) -> Iterator[Seen]:
    last = len(truth) - 1
    for place, (row, value) in enumerate(
        zip(regression.coefficients, truth.tolist(), strict=True)
    ):
        rejected = None
        if place == last:
            rejected = regression.tests[-1].p_value < 1 - regression.level
        held = regression.converged and row.low <= value <= row.high
        yield Seen(row.estimate - value, row.standard_error, held, rejected=rejected)
