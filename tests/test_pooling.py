"""Versions of a question, through different mechanisms, as one estimate."""

import numpy as np
import pytest

from ldp import parse_survey
from ldp.errors import EstimateError
from ldp_aggregator.estimation import estimate_question, moments_of
from ldp_aggregator.options import Options
from ldp_aggregator.pooling import Version, estimate_pooled, poolable, pooled
from ldp_simulations.holders import Holders
from ldp_simulations.sampling import sample_counts

VALUES = ("car", "bus", "bike", "walk")
TRUTH = np.array([0.5, 0.3, 0.2, 0.0])


def epsilons(mechanism, epsilon):
    if not mechanism.startswith("l-"):
        return f'epsilon = "{epsilon}"'
    return f'epsilon_first = "{epsilon}"\nepsilon_lifetime = "{2 * epsilon}"'


def question(mechanism, epsilon, values=VALUES):
    listed = ", ".join(f'"{value}"' for value in values)
    return parse_survey(
        f'[survey]\nname = "s"\n[[question]]\nname = "transport"\ntype = "category"\nvalues = [{listed}]\n'
        f'mechanism = "{mechanism}"\n{epsilons(mechanism, epsilon)}\n'
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


def test_what_guards_the_moments_of_a_version_guards_the_pooled_ones():
    """Variances for frequencies below the estimate, and jumps that are known, of whatever version has them."""
    asked = [question("hr", 5), question("grr", 5), question("she", 2)]
    assert asked[0].randomizer.blocks > 1
    generator = np.random.default_rng(17)
    blocks, symbols, levels = (moments_of(each.randomizer, draw(each, 60, generator).counts, VALUES) for each in asked)
    assert blocks.below is not None
    assert symbols.below is blocks.third is None

    both = pooled([blocks, symbols], np.array([0.5, 0.5]))
    for place, own in enumerate((symbols.hold, symbols.other)):
        np.testing.assert_allclose(both.below[place], (blocks.below[place] + own) / 2, rtol=1e-9)
        # The third cumulant of the half of an estimate: an eighth of it, over twice as many reports, squared.
        np.testing.assert_allclose(both.third[place], symbols.third[place] * 120**2 / 60**2 / 8, rtol=1e-9)
    all_three = pooled([blocks, symbols, levels], np.array([0.25, 0.25, 0.5]))
    for place in (0, 1):
        jumps = symbols.third[place] ** 2 / (symbols.hold, symbols.other)[place]
        worth = all_three.reports**3 / 60**3
        np.testing.assert_allclose(all_three.fourth[place], worth * (jumps / 4**4 + levels.fourth[place] / 2**4))


def test_a_low_end_goes_by_the_variances_for_frequencies_below():
    """Pooled with itself, a question has the intervals of the summed counts, also where these are not symmetrical."""
    asked, generator = question("hr", 5), np.random.default_rng(19)
    parts = [draw(asked, 400, generator) for _ in range(2)]
    together = estimate_question(asked, parts[0].counts + parts[1].counts, Options())
    found = estimate_pooled(parts, Options())
    np.testing.assert_allclose(found.low[:3], together.low[:3], atol=5e-4)
    np.testing.assert_allclose(found.high[:3], together.high[:3], atol=5e-4)


def test_few_reports_of_one_version_are_told_of_beside_another():
    """Where one version knows how its estimates jump and the other does not, the remark stays."""
    generator = np.random.default_rng(23)
    parts = [draw(question(name, 5), 30, generator) for name in ("hr", "grr")]
    assert "few-reports" in [each.name for each in estimate_pooled(parts, Options()).remarks]


def test_respondents_with_several_reports_are_counted_once():
    """Of a memoized question, frequencies times respondents, not times reports."""
    asked, generator = question("l-grr", 1), np.random.default_rng(29)
    parts = [draw(asked, 400, generator), draw(question("l-grr", 2), 200, generator)]
    found = estimate_pooled(parts, Options(reports_each=4))
    assert (found.reports, found.respondents) == (600, 150)
    mixed = estimate_pooled([draw(question("grr", 2), 200, generator), parts[0]], Options(reports_each=4))
    assert mixed.respondents == 200 + 100
    assert "reports_each is not for" in mixed.note


def test_other_values_are_not_pooled():
    """Versions that ask for other values stay apart, and a covariance is refused."""
    versions = [question("grr", 1), question("grr", 1, ("car", "bus"))]
    assert not poolable(versions)
    generator = np.random.default_rng(5)
    parts = [draw(question("grr", 1), 100, generator), draw(question("grr", 2), 100, generator)]
    with pytest.raises(EstimateError, match="covariance"):
        estimate_pooled(parts, Options(covariance=True))
