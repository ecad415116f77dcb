"""What the benchmark says of other ways to all pairs is so: estimators without bias,
figures.
"""

import numpy as np
import pytest

from lab.benchmarks.subsets import EPSILONS, WAYS, exact, measured, people, true_tables

PUBLISHED = {8: (112, 31.4, 11.5, 7.1), 16: (425, 119, 43.8, 27)}
"""n Var of a cell with InpHT, on the reference page."""


@pytest.mark.parametrize("questions", PUBLISHED)
def test_figures_of_parities_are_the_published_ones(questions):
    """Within 1 %."""
    for epsilon, figure in zip(EPSILONS, PUBLISHED[questions], strict=True):
        assert exact(questions, epsilon)["InpHT"] == pytest.approx(figure, rel=0.01)


@pytest.mark.parametrize("questions", PUBLISHED)
def test_subsets_err_least(questions):
    """Of all ways, at every epsilon, and above what is possible."""
    for epsilon in EPSILONS:
        errors = exact(questions, epsilon)
        ours = errors.pop("subsets")
        assert errors.pop("bound") < ours
        assert ours <= min(errors.values())


@pytest.mark.parametrize("name", WAYS)
def test_every_way_is_unbiased(name):
    """Of four questions at epsilon 2, 100 surveys: means within 5 standard errors of
    the truth.
    """
    answers, generator = people(4), np.random.default_rng(2)
    true = true_tables(answers)
    tables = [WAYS[name](answers, "2", generator) for _ in range(100)]
    for pair, share in true.items():
        estimates = np.array([table[pair] for table in tables])
        error = estimates.std(axis=0) / 10
        assert (np.abs(estimates.mean(axis=0) - share) < 5 * error).all()


@pytest.mark.parametrize("name", WAYS)
def test_errors_are_as_stated(name):
    """Of four questions, 100 surveys: within 15 %, as answers are not quite spread
    evenly.
    """
    answers = people(4)
    error = measured(WAYS[name], answers, "2", runs=100)
    assert error**2 * len(answers) == pytest.approx(exact(4, "2")[name], rel=0.15)
