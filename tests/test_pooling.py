"""Versions of a question, through different mechanisms, as one estimate."""

import numpy as np
import pytest

from ldp import parse_survey
from ldp.errors import EstimateError
from ldp_aggregator.estimation import estimate_question
from ldp_aggregator.options import Options
from ldp_aggregator.pooling import Version, estimate_pooled, poolable
from ldp_simulations.holders import Holders
from ldp_simulations.sampling import sample_counts

VALUES = ("car", "bus", "bike", "walk")
TRUTH = np.array([0.5, 0.3, 0.2, 0.0])


def question(mechanism, epsilon, values=VALUES):
    listed = ", ".join(f'"{value}"' for value in values)
    return parse_survey(
        f'[survey]\nname = "s"\n[[question]]\nname = "transport"\ntype = "category"\nvalues = [{listed}]\n'
        f'mechanism = "{mechanism}"\nepsilon = "{epsilon}"\n'
    )["transport"]


def draw(asked, respondents, generator, *, population=False):
    """Counts of so many respondents who hold the values as TRUTH says, or are drawn from such a population."""
    held = generator.multinomial(respondents, TRUTH) if population else np.round(respondents * TRUTH).astype(np.int64)
    return Version(asked, sample_counts(asked, Holders(VALUES, held), generator))


def test_versions_with_one_mechanism_pool_to_what_one_tally_gives():
    """Weights by reports make the pooled estimate of equal mechanisms that of the summed counts, errors included."""
    asked, generator = question("grr", 1), np.random.default_rng(1)
    parts = [draw(asked, respondents, generator) for respondents in (1000, 3000)]
    together = estimate_question(asked, parts[0].counts + parts[1].counts, Options())
    pooled = estimate_pooled(parts, Options())
    for name in ("frequency", "standard_error", "low", "high", "null_error"):
        np.testing.assert_allclose(getattr(pooled, name), getattr(together, name), rtol=1e-9, atol=1e-12)
    assert pooled.reports == pooled.respondents == together.reports == 4000
    assert pooled.manipulation.reach == pytest.approx(together.manipulation.reach)


@pytest.mark.parametrize("estimand", ["respondents", "population"])
def test_intervals_of_pooled_estimates_hold_the_truth(estimand):
    """In 2,000 surveys of two versions, 95 % intervals hold the truth in 95 %: between 92.2 and 97.5 (one in 10^6)."""
    versions, generator = [question("grr", 1), question("oue", 2)], np.random.default_rng(7)
    runs, covered, total = 2000, np.zeros(4), np.zeros(4)
    for _ in range(runs):
        parts = [
            draw(asked, respondents, generator, population=estimand == "population")
            for asked, respondents in zip(versions, (2000, 500), strict=True)
        ]
        found = estimate_pooled(parts, Options(estimand=estimand))
        covered += (found.low <= TRUTH) & (found.high >= TRUTH)
        total += found.unbiased
        error = found.standard_error
    assert (covered / runs > 0.922).all()
    assert (covered[:3] / runs < 0.975).all()  # an interval that is cut at 0 may hold 0 more often
    assert (np.abs(total / runs - TRUTH) < 5 * error / np.sqrt(runs)).all()


@pytest.mark.parametrize(("estimand", "weights"), [("respondents", (0.8, 0.2)), ("population", None)])
def test_errors_add_up_as_those_of_independent_estimates(estimand, weights):
    """The variance where nobody holds the value is the sum of those of the versions, times their squared weights."""
    versions, generator = [question("grr", 1), question("oue", 2)], np.random.default_rng(3)
    parts = [draw(each, size, generator) for each, size in zip(versions, (2000, 500), strict=True)]
    options = Options(estimand=estimand)
    alone = [estimate_question(part.question, part.counts, options) for part in parts]
    if weights is None:  # in proportion to the inverse variances
        inverse = np.array([1 / each.null_error[0] ** 2 for each in alone])
        weights = inverse / inverse.sum()
    found = estimate_pooled(parts, options)
    expected = sum(weight**2 * each.null_error**2 for weight, each in zip(weights, alone, strict=True))
    np.testing.assert_allclose(found.null_error**2, expected, rtol=1e-9)
    mixed = sum(weight * each.unbiased for weight, each in zip(weights, alone, strict=True))
    np.testing.assert_allclose(found.unbiased, mixed, rtol=1e-9)


def test_weights_do_not_depend_on_the_answers():
    """Other answers to the same mechanisms, as many of them: the same weights."""
    versions, generator = [question("grr", 1), question("oue", 2)], np.random.default_rng(5)
    notes = set()
    for held in ([1000, 0, 0, 0], [0, 0, 500, 500]):
        parts = [Version(each, sample_counts(each, Holders(VALUES, np.array(held)), generator)) for each in versions]
        notes.add(estimate_pooled(parts, Options(estimand="population")).note)
    assert len(notes) == 1


def test_forged_reports_are_bounded_where_they_weigh_the_most():
    """All forged reports may be sent to one version: the bound is the greater of what they can do there."""
    versions, generator = [question("grr", 1), question("oue", 2)], np.random.default_rng(5)
    parts = [draw(each, size, generator) for each, size in zip(versions, (2000, 500), strict=True)]
    alone = [
        estimate_question(each, part.counts, Options()).manipulation.reach
        for each, part in zip(versions, parts, strict=True)
    ]
    assert estimate_pooled(parts, Options()).manipulation.reach == pytest.approx(max(alone))


def test_other_values_are_not_pooled():
    """Versions that ask for other values stay apart, and a covariance is refused."""
    versions = [question("grr", 1), question("grr", 1, ("car", "bus"))]
    assert not poolable(versions)
    generator = np.random.default_rng(5)
    parts = [draw(question("grr", 1), 100, generator), draw(question("grr", 2), 100, generator)]
    with pytest.raises(EstimateError, match="covariance"):
        estimate_pooled(parts, Options(covariance=True))
