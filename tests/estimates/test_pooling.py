"""Versions of a question, through different mechanisms, as one estimate."""

from dataclasses import replace

import numpy as np
import pytest
from specimens import DESIGNED

from ldp import parse_survey
from ldp.errors import EstimateError
from ldp_aggregator.answers.estimates.pooling import (
    Version,
    estimate_pooled,
    pool_moments,
    poolable,
    weights_of,
)
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.manipulation import Manipulation
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.intervals.intervals import null_error
from ldp_aggregator.decoders.moments.moments import Collisions, Findings, Moments
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

VALUES = ("car", "bus", "bike", "walk")
TRUTH = np.array([0.5, 0.3, 0.2, 0.0])


def epsilons(mechanism, epsilon):
    if not mechanism.startswith("l-"):
        return f'epsilon = "{epsilon}"'
    return f'epsilon_first = "{epsilon}"\nepsilon_lifetime = "{2 * epsilon}"'


def question(mechanism, epsilon, values=VALUES):
    listed = ", ".join(f'"{value}"' for value in values)
    return parse_survey(
        '[survey]\nname = "s"\n[[question]]\nname = "transport"\n'
        f'type = "category"\nvalues = [{listed}]\n'
        f'mechanism = "{mechanism}"\n{epsilons(mechanism, epsilon)}\n'
    )["transport"]


def draw(asked, respondents, generator, *, population=False):
    """Counts of respondents who hold the values as TRUTH says, or are drawn from such
    people.
    """
    holders = np.round(respondents * TRUTH).astype(np.int64)
    if population:
        holders = generator.multinomial(respondents, TRUTH)
    return Version(asked, sample_counts(asked, Holders(VALUES, holders), generator))


def test_versions_with_one_mechanism_pool_to_what_one_tally_gives():
    """Weights by reports make the pooled estimate of equal mechanisms that of the
    summed counts.
    """
    asked, generator = question("grr", 1), np.random.default_rng(1)
    parts = [draw(asked, respondents, generator) for respondents in (1000, 3000)]
    together = estimate_question(asked, parts[0].counts + parts[1].counts, Options())
    pooled = estimate_pooled(parts, Options())
    for name in ("frequency", "standard_error", "low", "high"):
        np.testing.assert_allclose(
            getattr(pooled, name), getattr(together, name), rtol=1e-9, atol=1e-12
        )
    assert pooled.reports == pooled.respondents == together.reports == 4000
    assert pooled.manipulation.reach == pytest.approx(together.manipulation.reach)


@pytest.mark.parametrize("estimand", ["respondents", "population"])
def test_intervals_of_pooled_estimates_hold_the_truth(estimand):
    """In 2,000 surveys of two versions, 95 % intervals hold in 92.2 to 97.5 % (one in
    10^6).
    """
    versions = [question("grr", 1), question("oue", 2)]
    generator = np.random.default_rng(7)
    runs, covered, total = 2000, np.zeros(4), np.zeros(4)
    for _ in range(runs):
        parts = [
            draw(asked, respondents, generator, population=estimand == "population")
            for asked, respondents in zip(versions, (2000, 500), strict=True)
        ]
        estimates = estimate_pooled(parts, Options(estimand=estimand))
        covered += (estimates.low <= TRUTH) & (estimates.high >= TRUTH)
        total += estimates.unbiased
        error = estimates.standard_error
    assert (covered / runs > 0.922).all()
    assert (
        covered[:3] / runs < 0.975
    ).all()  # an interval that is cut at 0 may hold 0 more often
    assert (np.abs(total / runs - TRUTH) < 5 * error / np.sqrt(runs)).all()


@pytest.mark.parametrize(
    ("estimand", "weights"), [("respondents", (0.8, 0.2)), ("population", None)]
)
def test_errors_add_up_as_those_of_independent_estimates(estimand, weights):
    """The variance of a value that no one holds is the versions' sum, by their squared
    weights.
    """
    versions = [question("grr", 1), question("oue", 2)]
    generator = np.random.default_rng(3)
    parts = [
        draw(version, size, generator)
        for version, size in zip(versions, (2000, 500), strict=True)
    ]
    options = Options(estimand=estimand)
    alone = [estimate_question(part.question, part.counts, options) for part in parts]
    if weights is None:  # in proportion to the inverse variances
        inverse = np.array(
            [1 / null_error(estimates.law)[0] ** 2 for estimates in alone]
        )
        weights = inverse / inverse.sum()
    estimates = estimate_pooled(parts, options)
    expected = sum(
        weight**2 * null_error(estimates.law) ** 2
        for weight, estimates in zip(weights, alone, strict=True)
    )
    np.testing.assert_allclose(null_error(estimates.law) ** 2, expected, rtol=1e-9)
    mixed = sum(
        weight * estimates.unbiased
        for weight, estimates in zip(weights, alone, strict=True)
    )
    np.testing.assert_allclose(estimates.unbiased, mixed, rtol=1e-9)


def test_weights_do_not_depend_on_the_answers():
    """Other answers to the same mechanisms, as many of them: the same weights."""
    versions = [question("grr", 1), question("oue", 2)]
    generator = np.random.default_rng(5)
    notes = set()
    for holders in ([1000, 0, 0, 0], [0, 0, 500, 500]):
        parts = [
            Version(
                version,
                sample_counts(version, Holders(VALUES, np.array(holders)), generator),
            )
            for version in versions
        ]
        notes.add(estimate_pooled(parts, Options(estimand="population")).note)
    assert len(notes) == 1


def test_forged_reports_are_bounded_where_they_weigh_the_most():
    """All forged reports may be sent to one version: the bound is the greatest of
    theirs.
    """
    versions = [question("grr", 1), question("oue", 2)]
    generator = np.random.default_rng(5)
    parts = [
        draw(version, size, generator)
        for version, size in zip(versions, (2000, 500), strict=True)
    ]
    alone = [
        estimate_question(
            version, part.counts, Options(estimand="respondents")
        ).manipulation.reach
        for version, part in zip(versions, parts, strict=True)
    ]
    assert estimate_pooled(
        parts, Options(estimand="respondents")
    ).manipulation.reach == pytest.approx(max(alone))


def test_what_guards_the_moments_of_a_version_guards_the_pooled_ones():
    """Variances for frequencies below the estimate, and known jumps, of whatever
    version.
    """
    asked = [question("hr", 5), question("grr", 5), question("she", 2)]
    assert asked[0].randomizer.blocks > 1
    generator = np.random.default_rng(17)
    blocks, symbols, levels = (
        moments_of(version.randomizer, draw(version, 60, generator).counts, VALUES)
        for version in asked
    )
    assert blocks.below is not None
    assert symbols.below is None
    # One whose jumps are not known.
    blocks = replace(blocks, jumps=None)

    both = pool_moments([blocks, symbols], np.array([0.5, 0.5]))
    for place, own in enumerate((symbols.variance_if_held, symbols.variance_if_not)):
        np.testing.assert_allclose(
            both.below[place], (blocks.below[place] + own) / 2, rtol=1e-9
        )
        # The third cumulant of the half of an estimate: an eighth of it, over twice as
        # many reports, squared.
        np.testing.assert_allclose(
            both.jumps.third[place],
            symbols.jumps.third[place] * 120**2 / 60**2 / 8,
            rtol=1e-9,
        )
    all_three = pool_moments([blocks, symbols, levels], np.array([0.25, 0.25, 0.5]))
    for place in (0, 1):
        jumps = (
            symbols.jumps.third[place] ** 2
            / (symbols.variance_if_held, symbols.variance_if_not)[place]
        )
        worth = all_three.reports**3 / 60**3
        np.testing.assert_allclose(
            all_three.jumps.fourth[place],
            worth * (jumps / 4**4 + levels.jumps.fourth[place] / 2**4),
        )


def test_a_low_end_goes_by_the_variances_for_frequencies_below():
    """Pooled with itself, a question has the intervals of summed counts, symmetrical or
    not.
    """
    asked, generator = question("hr", 5), np.random.default_rng(19)
    parts = [draw(asked, 400, generator) for _ in range(2)]
    together = estimate_question(asked, parts[0].counts + parts[1].counts, Options())
    estimates = estimate_pooled(parts, Options())
    np.testing.assert_allclose(estimates.low[:3], together.low[:3], atol=5e-4)
    np.testing.assert_allclose(estimates.high[:3], together.high[:3], atol=5e-4)


def test_few_reports_of_one_version_are_told_of_beside_another():
    """Where one version knows how its estimates jump and the other does not, the remark
    stays.
    """
    generator = np.random.default_rng(23)
    parts = [draw(question(name, 5), 30, generator) for name in ("hr", "grr")]
    assert "few-reports" in [
        remark.name for remark in estimate_pooled(parts, Options()).remarks
    ]


def test_respondents_with_several_reports_are_counted_once():
    """Of a memoized question, frequencies times respondents, not times reports."""
    asked, generator = question("l-grr", 1), np.random.default_rng(29)
    parts = [draw(asked, 400, generator), draw(question("l-grr", 2), 200, generator)]
    estimates = estimate_pooled(parts, Options(reports_per_person=4))
    assert (estimates.reports, estimates.respondents) == (600, 150)
    mixed = estimate_pooled(
        [draw(question("grr", 2), 200, generator), parts[0]],
        Options(reports_per_person=4),
    )
    assert mixed.respondents == 200 + 100
    assert "reports_per_person is not for" in mixed.note


def test_what_does_not_shrink_is_pooled_by_powers_of_weights():
    """Lasting variances by squares, third cumulants by cubes, fourth by fourth powers.

    Unknown is what one is.
    """
    frequency, ones = np.array([0.2, 0.8]), np.ones(2)
    parts = [
        Moments(
            reports,
            frequency,
            if_held * ones,
            variance_if_not=2 * ones,
            covariance=lambda: np.eye(2),
            collisions=Collisions(collisions * ones, 2 * collisions, 3 * collisions),
            findings=Findings(unknown=unknown),
        )
        for reports, if_held, collisions, unknown in (
            (30, 3.0, 0.1, None),
            (60, 5.0, 0.3, np.array([True, False])),
            (90, 4.0, 0.2, np.array([False, False])),
        )
    ]
    weights = np.array([0.2, 0.5, 0.3])
    mixed = pool_moments(parts, weights)
    assert mixed.reports == round(1 / (0.2**2 / 30 + 0.5**2 / 60 + 0.3**2 / 90))
    np.testing.assert_allclose(mixed.frequency, frequency)
    spread = 0.2**2 * 3 / 30 + 0.5**2 * 5 / 60 + 0.3**2 * 4 / 90
    np.testing.assert_allclose(mixed.variance_if_held, mixed.reports * spread * ones)
    np.testing.assert_allclose(
        mixed.collisions.variance, (0.2**2 * 0.1 + 0.5**2 * 0.3 + 0.3**2 * 0.2) * ones
    )
    np.testing.assert_allclose(
        mixed.collisions.third, 2 * (0.2**3 * 0.1 + 0.5**3 * 0.3 + 0.3**3 * 0.2)
    )
    np.testing.assert_allclose(
        mixed.collisions.fourth, 3 * (0.2**4 * 0.1 + 0.5**4 * 0.3 + 0.3**4 * 0.2)
    )
    assert mixed.findings.unknown.tolist() == [True, False]
    assert mixed.jumps is mixed.below is None
    assert pool_moments(parts[:1], np.ones(1)).findings.unknown is None


def test_the_newest_version_describes_all():
    """Of three versions it is the last; the note has the weight of each, in their
    order.
    """
    generator = np.random.default_rng(31)
    asked = [question("grr", 1), question("oue", 1), question("grr", 2)]
    parts = [
        draw(version, size, generator)
        for version, size in zip(asked, (100, 200, 700), strict=True)
    ]
    estimates = estimate_pooled(parts, Options(estimand="respondents"))
    assert estimates.question is asked[2]
    assert "pooled over 3 versions" in estimates.note
    assert (
        "epsilon 1, 100 reports: 10.0%; oue, epsilon 1, 200 reports: 20.0%; grr, "
        "epsilon 2"
    ) in estimates.note
    assert "reports_per_person" not in estimates.note
    drawn = [draw(question("l-grr", epsilon), 400, generator) for epsilon in (1, 2)]
    assert (
        "reports_per_person"
        not in estimate_pooled(drawn, Options(reports_per_person=4)).note
    )


def test_weights_where_variances_are_known_before():
    """For a population by their inverses, if all mechanisms have them.

    Else, and for respondents, by reports.
    """
    generator = np.random.default_rng(37)
    parts = [draw(question(*keys), 300, generator) for keys in (("grr", 1), ("oue", 2))]
    known = [
        moments_of(part.question.randomizer, part.counts, VALUES) for part in parts
    ]
    inverse = np.array([1 / moments.variance_if_not[0] for moments in known])
    np.testing.assert_allclose(
        weights_of(parts, known, "population"), inverse / inverse.sum()
    )
    np.testing.assert_allclose(weights_of(parts, known, "respondents"), [0.5, 0.5])
    mixed = [parts[0], draw(question("hr", 5), 100, generator)]
    known = [
        moments_of(part.question.randomizer, part.counts, VALUES) for part in mixed
    ]
    np.testing.assert_allclose(weights_of(mixed, known, "population"), [0.75, 0.25])


@pytest.mark.parametrize(
    ("name", "known"),
    [("grr", True), ("she", True), ("cms", True), ("dbitflip", True), ("hr", False)],
)
def test_where_variances_are_known_before(name, known):
    """Whoever holds what, others' scores vary by the same; elsewhere weights are by
    reports.
    """
    randomizer = next(kind.randomizer for kind in DESIGNED if kind.name == f"{name}-0")
    assert decoder_of(randomizer).shares.known_before == known
    generator = np.random.default_rng(47)
    values = tuple(map(str, range(randomizer.size)))
    variances = [
        moments_of(randomizer, tally, values).variance_if_not
        for tally in generator.integers(
            20, 90, (2, *empty_counts(randomizer.layout).shape)
        )
    ]
    assert not known or np.allclose(*variances)


def test_one_version_alone_is_itself():
    """Whatever it knows of its law goes on, with the weight 1."""
    part = draw(question("grr", 1), 300, np.random.default_rng(43))
    alone = moments_of(part.question.randomizer, part.counts, VALUES)
    mixed = pool_moments([alone], np.array([1.0]))
    assert mixed.reports == alone.reports
    for place in range(2):
        np.testing.assert_allclose(mixed.jumps.third[place], alone.jumps.third[place])
    np.testing.assert_allclose(mixed.variance_if_not, alone.variance_if_not)


def test_a_version_without_a_bound_on_forged_reports(monkeypatch):
    """Then there is none for all of them, for the reason of that version."""
    generator = np.random.default_rng(41)
    reason = Manipulation(None, reason="not known")
    parts = [draw(question("grr", epsilon), 100, generator) for epsilon in (1, 2)]
    bounds = iter((Manipulation(3.0), reason))
    monkeypatch.setattr(
        "ldp_aggregator.answers.estimates.pooling.manipulation",
        lambda *_, **__: next(bounds),
    )
    assert (
        estimate_pooled(parts, Options(estimand="respondents")).manipulation is reason
    )
    bounds = iter((Manipulation(3.0), Manipulation(7.0)))
    assert (
        estimate_pooled(parts, Options(estimand="respondents")).manipulation.reach == 7
    )


def test_what_can_be_pooled():
    """The same listed values, whatever the mechanism.

    Neither numbers, which have a mean, nor open questions.
    """
    head = '[survey]\nname = "s"\n[[question]]\nname = "transport"\n'
    text = (
        'mechanism = "rappor"\nbloom_bits = 8\nhashes = 1\n'
        'cohorts = 2\np = "0.2"\nq = "0.8"\nf = "0"'
    )
    numbers, texts = (
        parse_survey(f"{head}{keys}\n")["transport"]
        for keys in (
            'type = "integer"\nlow = 0\nhigh = 3\nmechanism = "grr"\nepsilon = 1',
            f'type = "text"\n{text}',
        )
    )
    assert poolable([question("grr", 1), question("oue", 2)])
    assert poolable([question("grr", 1)])
    assert not poolable([numbers])
    assert not poolable([texts, texts])
    counts = np.full((2, 9), 5)
    with pytest.raises(
        EstimateError,
        match="question 'transport': expected versions that ask for the same values",
    ):
        estimate_pooled([Version(texts, counts)] * 2, Options())
    parts = [draw(question("grr", 1), 100, np.random.default_rng(5))]
    other = question("grr", 1, ("car", "bus", "bike", "boat"))
    with pytest.raises(EstimateError, match="the same values"):
        estimate_pooled([*parts, Version(other, parts[0].counts)], Options())


def test_other_values_are_not_pooled():
    """Versions that ask for other values stay apart, and a covariance is refused."""
    versions = [question("grr", 1), question("grr", 1, ("car", "bus"))]
    assert not poolable(versions)
    generator = np.random.default_rng(5)
    parts = [
        draw(question("grr", 1), 100, generator),
        draw(question("grr", 2), 100, generator),
    ]
    with pytest.raises(EstimateError, match="covariance"):
        estimate_pooled(parts, Options(covariance=True))
