"""One test of all values together: is there any difference at all?

Values that take from each other differ together, and one test of all of them may see
what none shows alone. With D for the differences and C for the covariance of each side,

    X = D' (C_a + C_b)^- D

is chi-square if nothing differs, with as many degrees of freedom as the sum of
covariances has eigenvalues: one less than there are values, where frequencies sum to 1.

If nothing differs both have the same frequencies, and the covariance is that at those.
For the respondents it is linear in them, so that where both come from one channel

    n C = (n_a / n) n_a C_a + (n_b / n) n_b C_b,   n = n_a + n_b

is what reports pooled from both would show, and C_a = (n C) / n_a. For a population,
diag(f) - f f' at the pooled f is added. Of k-ary randomized response this is Pearson's
test on the reports.

Where a mechanism has no covariance, the least p-value of all values times their number
is a bound (Bonferroni). What devices in both periods share is not taken off here: the
sum of covariances is then too large, which can only hide differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.decoders.bloom.regression import ChiSquare
from ldp_aggregator.numerics.arrays import Floats

MOST_VALUES = 2048
"""Of a covariance whose eigenvalues are sought."""
NEGLIGIBLE = 1e-9
"""Eigenvalues below this share of the largest are rounding."""


class AnyDifference(NamedTuple):
    """Whether anything differs, by one test of all values."""

    p_value: float
    chi_square: ChiSquare | None
    """None where there is no covariance: the p-value is then a bound."""

    def __str__(self) -> str:
        if self.chi_square is None:
            return (
                f"any difference: p-value at most {self.p_value:.3g} (a bound, without "
                "a covariance of all values: the least p-value times their number)"
            )
        statistic, freedom = self.chi_square
        return (
            f"any difference: chi-square {statistic:,.2f} with {freedom} degrees of "
            f"freedom, p-value {self.p_value:.3g}"
        )


def any_difference(
    first: QuestionEstimates, second: QuestionEstimates, chances: Floats
) -> AnyDifference | None:
    """The test of all values; None where there are none."""
    if not len(first):
        return None
    try:
        covariance = _covariance_of_difference(first, second)
    except EstimateError:
        return AnyDifference(min(1.0, len(chances) * float(chances.min())), None)
    test = quadratic_form(second.unbiased - first.unbiased, covariance)
    return AnyDifference(test.p_value, test)


def quadratic_form(difference: Floats, covariance: Floats) -> ChiSquare:
    """D' C^- D, over the eigenvalues that are no rounding."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > NEGLIGIBLE * max(float(values[-1]), 0.0)
    along = vectors[:, kept].T @ difference
    return ChiSquare(float((along**2 / values[kept]).sum()), int(kept.sum()))


def _covariance_of_difference(
    first: QuestionEstimates, second: QuestionEstimates
) -> Floats:
    """(M, M). Raises `EstimateError` where there is none."""
    laws = [side.law for side in (first, second)]
    if None in laws or len(first) > MOST_VALUES:
        raise EstimateError("expected frequencies with a covariance, got none")
    of_population = first.options.estimand == "population"
    if of_population and not _exclusive(first):
        raise EstimateError("expected values of which everyone holds one, got others")
    matrices = [law.covariance() for law in laws if law is not None]
    sizes = [law.reports for law in laws if law is not None]
    if first.question.fingerprint == second.question.fingerprint:
        matrices = _pool(matrices, sizes)
    total = matrices[0] + matrices[1]
    if not of_population:
        return total
    pooled = (sizes[0] * first.unbiased + sizes[1] * second.unbiased) / sum(sizes)
    drawn = np.diag(pooled) - np.outer(pooled, pooled)
    return total + drawn * (1 / sizes[0] + 1 / sizes[1])


def _pool(matrices: Sequence[Floats], sizes: Sequence[int]) -> list[Floats]:
    """Covariances at the pooled frequencies."""
    of_one = sum(
        size**2 * matrix for size, matrix in zip(sizes, matrices, strict=True)
    ) / sum(sizes)
    return [np.asarray(of_one / size) for size in sizes]


def _exclusive(estimates: QuestionEstimates) -> bool:
    """Whether everybody holds one value at most."""
    domain = estimates.question.domain
    return domain.most is None and domain.taxonomy is None and not domain.collect
