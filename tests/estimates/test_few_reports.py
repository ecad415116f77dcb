"""Few expected reports: laws and intervals against enumeration, families against
simulations.

A family of 95 % may be missed in 1 survey of 20. Of `SURVEYS` surveys more than
`MOST_MISSED` are missed with a chance below 1e-6 (binomial); and a mean share of false
discoveries above `MOST_FALSE` has, if 5 % is true, a chance below 1e-6 by Hoeffding's
bound for means of numbers between 0 and 1. Families missed in 1 of 5 are told from
those with certainty.
"""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import scipy
from specimens import question

from ldp.answers.domain import Domain
from ldp.mechanisms import MECHANISMS
from ldp_aggregator import Options, detected
from ldp_aggregator.answers.estimates.pooling import Version, estimate_pooled
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.decoders.intervals import scaled_poisson
from ldp_aggregator.decoders.intervals.count_intervals import (
    _least,
    for_population,
    for_respondents,
)
from ldp_aggregator.decoders.intervals.count_law import tails
from ldp_aggregator.decoders.intervals.cumulants import (
    Cumulants,
    cumulants,
    far_from_normal,
)
from ldp_aggregator.decoders.intervals.intervals import (
    INTERVAL_ENDS,
    careful_interval,
    null_error,
    score_interval,
)
from ldp_aggregator.decoders.intervals.null_chances import chance_to_pass, null_chances
from ldp_aggregator.decoders.intervals.scaled_poisson import lower_tail, upper_tail
from ldp_aggregator.decoders.moments.jumps import third_of_rates
from ldp_aggregator.decoders.moments.moments import (
    Findings,
    Moments,
    OneCount,
    ScoreJumps,
)
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.planning.kinds.asking import Ask
from ldp_simulations.planning.kinds.planning import design_for
from ldp_simulations.sampling.table import sample_counts

RATES = [
    (0.75, 2.5e-4),
    (0.5, 3.3e-4),
    (0.999, 0.001),
    (0.6, 0.4),
    (0.02, 0.001),
    (0.2, 0.7),
]


def law(p, q, reports, holders):
    """P[C = c] for every c, by convolution."""
    others = reports - holders
    return np.convolve(
        scipy.stats.binom.pmf(np.arange(holders + 1), holders, p),
        scipy.stats.binom.pmf(np.arange(others + 1), others, q),
    )


def moments(p, q, reports, counts):
    """The moments of a pure mechanism for such counts, each as if it were one
    value's.
    """
    scale, ones = (p - q) ** 2, np.ones(len(counts))
    return Moments(
        reports,
        (counts / reports - q) / (p - q),
        p * (1 - p) / scale * ones,
        variance_if_not=q * (1 - q) / scale * ones,
        covariance=lambda: np.full((1, 1), np.nan),
        count=OneCount(counts, (p * ones, q * ones)),
        jumps=ScoreJumps(third_of_rates(p * ones, q * ones)),
    )


@pytest.mark.parametrize(("p", "q"), RATES)
@pytest.mark.parametrize("reports", [1, 2, 5, 50, 400])
def test_tails_are_those_of_the_convolution(reports, p, q):
    """Both tails at every count and for few, some and all holders, to nine digits."""
    counts = np.arange(reports + 2)
    for holders in {0, 1, reports // 3, reports - 1, reports}:
        masses = law(p, q, reports, holders=holders)
        both = tails(counts, holders, reports, p=p, q=q)
        np.testing.assert_allclose(
            both.upper, np.append(masses[::-1].cumsum()[::-1], 0), rtol=1e-9, atol=1e-13
        )
        np.testing.assert_allclose(
            both.lower, np.append(0, masses.cumsum()), rtol=1e-9, atol=1e-13
        )


@pytest.mark.parametrize(
    ("reports", "rate", "count"),
    [(10**9, 1e-8, 30), (10**12, 1e-11, 40), (10**6, 0.5, 505_000)],
)
def test_tails_of_many_reports(reports, rate, count):
    """Where no convolution is feasible, scipy's binomial tail, of 1e-7 to 1e-23, to
    nine digits.
    """
    assert tails(count, 0.0, reports, p=0.9, q=rate).upper == pytest.approx(
        scipy.stats.binom.sf(count - 1, reports, rate), rel=1e-9
    )


@pytest.mark.parametrize(("p", "q"), RATES)
@pytest.mark.parametrize("reports", [7, 60])
def test_exact_intervals_are_never_missed_more_often_than_stated(reports, p, q):
    """Enumerated: for every number of holders, 95 % intervals miss either side in 2.5 %
    at most.
    """
    known = moments(p, q, reports, counts=np.arange(reports + 1))
    low, high = for_respondents(known, 0.05)
    for holders in range(reports + 1):
        masses, truth = law(p, q, reports, holders=holders), holders / reports
        assert masses[low > truth + 1e-12].sum() <= 0.025 + 1e-12
        assert masses[high < truth - 1e-12].sum() <= 0.025 + 1e-12
    low, high = for_population(known, 0.05)
    for truth in np.linspace(0, 1, 41):
        masses = scipy.stats.binom.pmf(
            np.arange(reports + 1), reports, q + truth * (p - q)
        )
        assert masses[(low > truth) | (high < truth)].sum() <= 0.05


def test_exact_intervals_for_respondents_are_narrower():
    """Who answered is known; so intervals for respondents lie within those for the
    population.
    """
    known = moments(0.75, 0.001, 500, counts=np.arange(0, 501, 10))
    low, high = for_respondents(known, 0.05)
    wide_low, wide_high = for_population(known, 0.05)
    assert (high - low)[10:].mean() < 0.8 * (wide_high - wide_low)[10:].mean()


def test_normal_theory_is_kept_where_it_holds():
    """From 20 expected reports on a score interval of 95 % stands.

    Below, or for a large family, it does not.
    """
    for expected, normal in ((19, False), (22, True)):
        known = moments(0.75, expected / 10_000, 10_000, counts=np.array([expected]))
        assert (
            bool(far_from_normal(known, np.zeros(1), 1.96, estimand="respondents")[0])
            is not normal
        )
    known = moments(0.75, 0.01, 10_000, counts=np.arange(80, 400))
    for careful, score in zip(
        careful_interval(known, 0.05, "respondents"),
        score_interval(known, 0.05, "respondents"),
        strict=True,
    ):
        np.testing.assert_array_equal(careful, score)
    assert far_from_normal(known, np.zeros(320), 4.06, estimand="respondents").all()


def test_p_values_are_binomial_tails():
    """Where p < q as well, for which few supporting reports speak for a value."""
    assert null_chances(
        moments(0.75, 0.001, 500, counts=np.array([0, 1, 9]))
    ) == pytest.approx(
        [1, scipy.stats.binom.sf(0, 500, 0.001), scipy.stats.binom.sf(8, 500, 0.001)],
        rel=1e-9,
    )
    assert null_chances(moments(0.2, 0.7, 10, counts=np.array([4]))) == pytest.approx(
        [scipy.stats.binom.cdf(4, 10, 0.7)], rel=1e-9
    )


@pytest.mark.parametrize("expected", [0.3, 4.0, 300.0])
def test_scaled_poisson_tails(expected):
    """Those of the count at its steps, either way up; without steps, those of the
    normal law.
    """
    from scipy.stats import poisson

    size, counts = 0.01, np.arange(1, 12) + int(expected)
    excess = (counts - expected) * size
    variance = np.full(len(counts), expected * size**2)
    up = Cumulants(variance, np.full(len(counts), size), np.full(len(counts), -size))
    assert upper_tail(excess, up) == pytest.approx(
        poisson.sf(counts - 1, expected), rel=1e-9
    )
    assert lower_tail(excess, up) == pytest.approx(
        poisson.cdf(counts, expected), rel=1e-9
    )
    down = Cumulants(variance, up.down, up.up)
    assert lower_tail(-excess, down) == pytest.approx(
        poisson.sf(counts - 1, expected), rel=1e-9
    )
    none = Cumulants(variance, np.zeros(len(counts)), np.zeros(len(counts)))
    assert upper_tail(excess, none) == pytest.approx(
        scipy.stats.norm.sf(excess / np.sqrt(variance)), rel=1e-9
    )


def test_rates_of_zero_and_one():
    """Where all holders of a value support it and no one else does, the count is their
    number.
    """
    for p, q in ((1.0, 0.0), (0.5, 0.0), (1.0, 0.25)):
        masses = law(p, q, 9, holders=4)
        both = tails(np.arange(11), 4, 9, p=p, q=q)
        np.testing.assert_allclose(
            both.upper, np.append(masses[::-1].cumsum()[::-1], 0), atol=1e-9
        )
        np.testing.assert_allclose(both.lower, np.append(0, masses.cumsum()), atol=1e-9)


def test_shapes_of_tails():
    """Arrays broadcast; beyond all counts nothing is left to be computed."""
    both = tails(np.arange(4)[:, None], np.array([0.0, 2.0, 3.0]), 3, p=0.75, q=0.125)
    assert both.upper.shape == both.lower.shape == (4, 3)
    assert both.upper[2, 1] == pytest.approx(
        law(0.75, 0.125, 3, holders=2)[2:].sum(), rel=1e-9
    )
    assert tails(np.array([-1, 0, 4]), 1.0, 3, p=0.75, q=0.125).upper.tolist() == [
        1,
        1,
        0,
    ]
    assert tails(np.array([-1, 0, 4]), 1.0, 3, p=0.75, q=0.125).lower.tolist() == [
        0,
        0,
        1,
    ]
    assert tails(np.array([0, 1, 2]), 0.0, 0, p=0.75, q=0.125).upper.tolist() == [
        1,
        0,
        0,
    ]


@pytest.mark.parametrize(("p", "q"), RATES)
@pytest.mark.parametrize("reports", [1, 7, 60])
def test_exact_intervals_are_the_frequencies_that_are_not_too_unlikely(reports, p, q):
    """Every number of holders tried: those left out lack a tail of 2.5 %, those in have
    both.
    """
    from scipy.stats import binomtest

    known, missing = moments(p, q, reports, counts=np.arange(reports + 1)), 0.05
    low, high = for_respondents(known, missing)
    masses = np.array(
        [law(p, q, reports, holders=holders) for holders in range(reports + 1)]
    )
    if p < q:
        masses = masses[:, ::-1]
    for place in range(reports + 1):
        count = reports - place if p < q else place
        not_too_high = masses[:, count:].sum(axis=1) > missing / 2
        not_too_low = masses[:, : count + 1].sum(axis=1) > missing / 2
        least = np.argmax(not_too_high) if not_too_high.any() else reports + 1
        most = np.flatnonzero(not_too_low).max() if not_too_low.any() else -1
        # Ends are cut to [0, 1] later.
        assert max(low[place] * reports, 0) == pytest.approx(least)
        assert max(high[place] * reports, 0) == pytest.approx(max(most, 0))
    low, high = for_population(known, missing)
    for place in range(reports + 1):
        exact = binomtest(place, reports).proportion_ci(1 - missing, "exact")
        ends = sorted((end - q) / (p - q) for end in exact)
        assert (low[place], high[place]) == (
            pytest.approx(ends[0], abs=1e-9),
            pytest.approx(ends[1], abs=1e-9),
        )


def skewed(size=6):
    """Moments of an estimate with long tails that is no single count, also below 0 and
    above 1.
    """
    ones = np.ones(size)
    return Moments(
        40,
        np.linspace(-0.2, 1.3, size),
        0.5 * ones,
        variance_if_not=0.4 * ones,
        covariance=lambda: np.eye(size),
        jumps=ScoreJumps(
            third=(1.5 * ones, 1.2 * ones),
            fourth=(8 * ones, 6 * ones),
            rising=(5 * ones, 4 * ones),
            falling=(3 * ones, 2 * ones),
        ),
    )


@pytest.mark.parametrize("estimand", ["respondents", "population"])
def test_scaled_poisson_ends_are_where_tails_begin(estimand):
    """At an end within (0, 1) the tail is half of what may be missed.

    An end that is cut has more of it.
    """
    known, missing = skewed(), 0.05
    low, high = scaled_poisson.interval(known, missing, estimand)
    for ends, tail in ((low, upper_tail), (high, lower_tail)):
        chance = tail(known.frequency - ends, cumulants(known, ends, estimand))
        inside = (ends > 0) & (ends < 1)
        assert inside.any()
        assert chance[inside] == pytest.approx(
            np.full(inside.sum(), missing / 2), rel=1e-6
        )
    assert (low[0], high[0]) == (0, 0) or high[0] > 0
    assert low[1] == 0
    assert low[-1] > 0.9
    assert high[-1] == 1
    assert (low <= high).all()
    beyond = replace(known, frequency=np.array([-2.0, -2, -2, 3, 3, 3]))
    low, high = scaled_poisson.interval(beyond, missing, estimand)
    assert (low.tolist(), high.tolist()) == ([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1])


def test_tails_of_next_to_no_steps_are_normal():
    """Below a thousandth of an error; above it, and where nothing varies at all, they
    are not.
    """
    from scipy.special import gammaincc

    variance, excess = np.full(3, 4.0), np.array([-1.0, 0.0, 5.0])
    for share, normal in ((0.9e-3, True), (1.5, False)):
        law = Cumulants(variance, np.full(3, 2 * share), np.full(3, -2 * share))
        assert (
            np.allclose(
                upper_tail(excess, law), scipy.stats.norm.sf(excess / 2), rtol=1e-12
            )
            == normal
        )
    certain = Cumulants(np.zeros(3), np.zeros(3), np.zeros(3))
    assert upper_tail(excess, certain).tolist() == [1, 1, 0]
    far = Cumulants(np.ones(3), np.full(3, 0.5), np.full(3, -0.5))
    assert upper_tail(np.array([-2.5, -2.0, 100.0]), far) == pytest.approx([1, 1, 0])
    assert lower_tail(np.array([-2.5, -2.0, 100.0]), far) == pytest.approx(
        [0, np.exp(-4), 1]
    )
    assert lower_tail(np.array([-2.25]), Cumulants(*(law[:1] for law in far)))[
        0
    ] == pytest.approx(gammaincc(0.5, 4), rel=1e-9)


@pytest.mark.parametrize("estimand", ["respondents", "population"])
@pytest.mark.parametrize(("p", "q"), [(0.75, 0.01), (0.2, 0.9)])
def test_the_chance_to_pass_is_that_of_the_least_count_that_does(p, q, estimand):
    """Enumerated: of the counts whose p-value passes, at every frequency."""
    reports, missing = 40, 0.01
    counts = np.round(reports * (q + np.arange(0, 1.05, 0.1) * (p - q)))
    known = replace(
        moments(p, q, reports, counts=counts), frequency=np.arange(0, 1.05, 0.1)
    )
    chances = chance_to_pass(known, missing, estimand)
    passing = (
        null_chances(moments(p, q, reports, counts=np.arange(reports + 1))) <= missing
    )
    for place, frequency in enumerate(known.frequency):
        holders = round(frequency * reports)
        masses = law(p, q, reports, holders=holders)
        if estimand == "population":
            masses = scipy.stats.binom.pmf(
                np.arange(reports + 1), reports, q + frequency * (p - q)
            )
        assert chances[place] == pytest.approx(
            masses[passing].sum(), rel=1e-6, abs=1e-12
        )


@pytest.mark.parametrize("estimand", ["respondents", "population"])
def test_the_chance_to_pass_of_other_estimates(estimand):
    """That of the least estimate whose p-value passes, found by another solver.

    By the normal law of many reports.
    """
    known, missing = replace(skewed(5), frequency=np.linspace(0, 1, 5)), 0.01
    nothing = cumulants(known, 0.0, estimand)
    truth = cumulants(known, known.frequency, estimand)
    first = Cumulants(*(law[:1] for law in nothing))
    least = scipy.optimize.brentq(
        lambda place: upper_tail(np.array([place]), first)[0] - missing,
        0,
        5,
        xtol=1e-14,
    )
    expected = upper_tail(least - known.frequency, truth)
    assert chance_to_pass(known, missing, estimand) == pytest.approx(expected, rel=1e-6)
    many = replace(known, reports=10**7, frequency=np.array([0, 1e-4, 5e-4, 1e-3, 0.5]))
    nothing = cumulants(many, 0.0, estimand)
    truth = cumulants(many, many.frequency, estimand)
    short = (
        scipy.stats.norm.isf(missing) * np.sqrt(nothing.variance) - many.frequency
    ) / np.sqrt(truth.variance)
    assert chance_to_pass(many, missing, estimand) == pytest.approx(
        scipy.stats.norm.sf(short), rel=1e-6
    )


def test_p_values_of_other_estimates():
    """Those of the law at frequency 0; 1 where reports are too few to say anything."""
    known = skewed()
    expected = upper_tail(known.frequency, cumulants(known, 0.0, "respondents"))
    assert null_chances(known) == pytest.approx(expected, rel=1e-12)
    unknown = np.arange(6) % 2 == 0
    assert null_chances(
        replace(known, findings=Findings(unknown=unknown))
    ) == pytest.approx(np.where(unknown, 1, expected), rel=1e-12)


SURVEYS, MOST_MISSED, MOST_FALSE = 200, 27, 0.14903


def test_the_families_are_judged_wrongly_once_in_a_million():
    """Missed surveys are binomial; Hoeffding's bound is about discoveries."""
    assert scipy.stats.binom.sf(MOST_MISSED, SURVEYS, 0.05) <= 1e-6
    bound = scipy.special.rel_entr([MOST_FALSE, 1 - MOST_FALSE], [0.05, 0.95]).sum()
    assert np.exp(-SURVEYS * bound) <= 1e-6


def closed(name, size, keys):
    values = ", ".join(f'"v{index}"' for index in range(size))
    return question(name, f'type = "category"\nvalues = [{values}]\n{keys}')


BLOOM = (
    'type = "text"\np = ".02"\nq = ".75"\nf = "0"\nbloom_bits = 128\nhashes = '
    "2\ncohorts = 16"
)
FAMILIES = {
    "grr": (closed("grr", 1000, "epsilon = 8"), 10_000, 1000),
    "oue": (closed("oue", 1000, "epsilon = 8"), 10_000, 1000),
    "l-grr": (
        closed("l-grr", 1000, "epsilon_first = 6\nepsilon_lifetime = 10"),
        10_000,
        1000,
    ),
    "dbitflip": (closed("dbitflip", 1000, "epsilon = 8\nsampled = 16"), 10_000, 1000),
    "she": (closed("she", 200, "epsilon = 12"), 100, 200),
    "bloom": (question("rappor", BLOOM), 200, 100),
}
"""A question, and the numbers of respondents and of values."""


def collections(asked, respondents, size):
    """(estimates of the family, truth) of surveys with ten values held, by falling
    shares.
    """
    values, weights = tuple(f"v{index}" for index in range(size)), np.zeros(size)
    weights[:10] = 1 / np.arange(1, 11)
    holders, generator = apportion(respondents, weights), np.random.default_rng(11)
    for _ in range(SURVEYS):
        counts = sample_counts(asked, Holders(values, holders), generator)
        yield (
            estimate_question(
                asked, counts, Options(simultaneous="bonferroni"), candidates=values
            ),
            holders / respondents,
        )


def kept(surveys):
    """Surveys that missed a family, that found a value wrongly (Bonferroni).

    The mean share of false discoveries.
    """
    missed, wrong, false = 0, 0, []
    for estimates, truth in surveys:
        missed += bool(
            ((estimates.low > truth + 1e-9) | (estimates.high < truth - 1e-9)).any()
        )
        wrong += bool(detected(estimates, correction="bonferroni")[truth == 0].any())
        shown = detected(estimates)
        false.append(shown[truth == 0].sum() / max(shown.sum(), 1))
    return missed, wrong, np.mean(false)


@pytest.mark.parametrize("name", FAMILIES)
def test_claims_for_families_are_kept(name):
    """Simultaneous intervals, Bonferroni's false alarms, Benjamini and Hochberg's
    discoveries.
    """
    missed, wrong, false = kept(collections(*FAMILIES[name]))
    assert missed <= MOST_MISSED
    assert wrong <= MOST_MISSED
    assert false <= MOST_FALSE


@pytest.mark.parametrize("name", ["grr", "l-grr", "she"])
def test_normal_theory_keeps_none_of_them(name, monkeypatch):
    """Score intervals and normal p-values miss 30 % of the families, where the law is
    exact or not.

    They find a value wrongly in 29 % of the surveys and more: where an estimate is one
    count, and where it is not. (So it is with `oue` and `dbitflip`; the Bloom filters
    here are no harder than normal theory bears.)
    """
    monkeypatch.setitem(INTERVAL_ENDS, "score", score_interval)
    monkeypatch.setattr(
        "ldp_aggregator.answers.shares.frequencies.null_chances",
        lambda estimates: scipy.stats.norm.sf(
            estimates.frequency / null_error(estimates)
        ),
    )
    missed, wrong, false = kept(collections(*FAMILIES[name]))
    assert missed >= 0.3 * SURVEYS
    assert wrong >= 0.29 * SURVEYS
    assert false > MOST_FALSE


def test_claims_for_pooled_versions_are_kept():
    """The same of two versions, a question asked with two epsilons."""
    asked = [closed("grr", 1000, f"epsilon = {epsilon}") for epsilon in (8, 9)]
    weights = np.zeros(1000)
    weights[:10] = 1 / np.arange(1, 11)
    holders, generator = apportion(5_000, weights), np.random.default_rng(13)
    values = asked[0].domain.values

    def pooled():
        for _ in range(SURVEYS):
            parts = [
                Version(
                    version, sample_counts(version, Holders(values, holders), generator)
                )
                for version in asked
            ]
            yield (
                estimate_pooled(parts, Options(simultaneous="bonferroni")),
                holders / 5_000,
            )

    missed, wrong, false = kept(pooled())
    assert missed <= MOST_MISSED
    assert wrong <= MOST_MISSED
    assert false <= MOST_FALSE


def test_it_is_said_where_normal_theory_is_not_used():
    """A remark names how many values it concerns.

    With many reports, or another kind of interval, there is none.
    """
    asked = closed("grr", 1000, "epsilon = 8")
    few, many = np.full((1, 1000), 4), np.full((1, 1000), 10_000)
    [remark] = estimate_question(asked, few, Options()).remarks
    assert remark.name == "few-reports"
    assert "1,000 of 1,000 values" in remark.text
    assert not estimate_question(asked, many, Options()).remarks
    assert not estimate_question(
        asked, few, Options(interval="clopper-pearson")
    ).remarks


@pytest.mark.parametrize(
    ("name", "epsilon"), [("grr", "8"), ("oue", "8"), ("grr", "6")]
)
def test_plans_promise_what_is_kept(name, epsilon):
    """Exactly: a test of 1,000 values has 5 % false alarms at most, and finds what was
    planned.

    The planned frequency is found 4 times in 5.
    """
    domain, reports = Domain("category", tuple(map(str, range(1000)))), 10_000
    design = design_for(MECHANISMS[name], domain, epsilon)
    p, q = (float(rate) for rate in design.randomizer.support)
    passing = next(
        count
        for count in range(reports)
        if scipy.stats.binom.sf(count - 1, reports, q) <= 0.05 / 1000
    )
    holders = int(
        np.ceil(design.detectable(reports, Ask(estimand="respondents")) * reports)
    )
    assert law(p, q, reports, holders=holders)[passing:].sum() >= 0.8
    assert law(p, q, reports, holders=holders - 1)[passing:].sum() < 0.8
    assert design.chance(
        holders / reports, reports, Ask(estimand="respondents")
    ) == pytest.approx(law(p, q, reports, holders=holders)[passing:].sum(), rel=1e-9)


def test_bloom_errors_do_not_sink_where_chance_made_an_estimate_high():
    """No candidate that no one holds has less than the noise of its own bits, 2 in each
    cohort.
    """
    asked, respondents, size = FAMILIES["bloom"]
    least = np.sqrt(0.02 * 0.98 / 2 / 0.73**2 / respondents)
    for estimates, _ in islice(collections(asked, respondents, size), 20):
        assert null_error(estimates.law).min() >= least * (1 - 1e-9)


@pytest.mark.parametrize(
    ("bound", "least"), [(-5, 0), (0, 0), (3, 3), (7, 7), (8, 8), (50, 8)]
)
def test_the_least_number_of_holders(bound, least):
    """From 0 to as many as there are reports; one more where it never holds."""
    assert _least(7, 2, lambda holders: holders >= bound).tolist() == [least, least]
