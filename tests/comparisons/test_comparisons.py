"""Two sets of estimates side by side: intervals, tests, what is shared, and what is
refused.
"""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy

import ldp
from lab.changes.cells import PAIRS, PANELS
from lab.changes.pairs import measured
from lab.changes.panels import permanent_counts, reported
from ldp import EstimateError
from ldp_aggregator import Options, compare, estimate_question
from ldp_aggregator.analyses.comparisons import mover
from ldp_aggregator.analyses.comparisons.any_change import (
    any_difference,
    quadratic_form,
)
from ldp_aggregator.analyses.comparisons.sharing import lasting_variance, sharing_of
from ldp_aggregator.analyses.comparisons.sides import Side
from ldp_aggregator.analyses.comparisons.significance import (
    LevelIntervals,
    adjust,
    different,
    equivalent,
    missing_of,
)
from ldp_aggregator.decoders.intervals.intervals import score_interval
from ldp_aggregator.decoders.values.pure import pure_moments
from ldp_simulations import Holders
from ldp_simulations.sampling.table import sample_counts

VALUES = ("a", "b", "c", "d")
NONE = np.zeros(1)
PEOPLE = "population"


def asked(mechanism="grr", values=VALUES, **keys):
    """A question with some mechanism."""
    keys = keys or {"epsilon": "1"}
    return ldp.survey(
        "s", ldp.question("q", list(values), mechanism=mechanism, **keys)
    )["q"]


def estimated(question, held, seed=1, **options):
    """Estimates from sampled reports."""
    holders = Holders(question.domain.values, np.array(held))
    counts = sample_counts(question, holders, np.random.default_rng(seed))
    return estimate_question(question, counts, Options(**options))


def normal(estimate, error):
    """A side with the normal law."""
    estimate = np.atleast_1d(estimate).astype(float)
    error = np.atleast_1d(error).astype(float)

    def ends(missing):
        reach = scipy.stats.norm.isf(missing / 2) * error
        return estimate - reach, estimate + reach

    return Side(estimate, error, ends)


def fixed(estimate, low, high):
    """A side whose interval is given, at any level."""
    return Side(
        np.array([estimate]), NONE, lambda _: (np.array([low]), np.array([high]))
    )


BEFORE, AFTER = (5_000, 3_000, 1_500, 500), (4_000, 4_000, 1_500, 500)


def test_newcombes_example():
    """56 of 70 against 48 of 80: the interval that Newcombe 1998 gives, .0524 to
    .3339.
    """
    question = asked("grr", ("no", "yes"), epsilon="30")
    # At such an epsilon a report is the answer, and the intervals are Wilson's.
    first, second = (
        estimated(question, held, estimand="population")
        for held in ((32, 48), (14, 56))
    )
    sides = [
        Side(
            one.unbiased,
            NONE,
            lambda missing, law=one.law: score_interval(law, missing, PEOPLE),
        )
        for one in (first, second)
    ]
    low, high = mover.difference(*sides, 0.05, together=np.zeros(2))
    assert (low[1], high[1]) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    # Of 14 who say no normal theory knows too little: that end is exact, and farther
    # out.
    yes = compare(first, second)["yes"]
    assert yes.difference == pytest.approx(0.2)
    assert yes.interval == pytest.approx((0.0524, 0.3393), abs=5e-5)


def test_normal_sides_have_the_interval_of_two_errors():
    """And p-values as two normal numbers have them, with correlations taken off."""
    first, second = normal(0.3, 0.03), normal(0.4, 0.04)
    for together in (0.0, 0.5):
        error = np.sqrt(0.0009 + 0.0016 - 2 * together * 0.0012)
        known = np.array([together])
        low, high = mover.difference(first, second, 0.05, together=known)
        assert (low[0], high[0]) == pytest.approx(
            (0.1 - 1.959964 * error, 0.1 + 1.959964 * error)
        )
        levels = LevelIntervals(
            np.array([0.1]),
            lambda m, k=known: mover.difference(first, second, m, together=k),
        )
        assert different(levels)[0] == pytest.approx(
            2 * scipy.stats.norm.sf(0.1 / error), rel=1e-3
        )
        assert levels.above(-0.05)[0] == pytest.approx(
            scipy.stats.norm.sf(0.15 / error), rel=1e-3
        )
        for margin in (0.05, 0.2):
            alike = max(
                scipy.stats.norm.sf((margin + 0.1) / error),
                scipy.stats.norm.sf((margin - 0.1) / error),
            )
            assert equivalent(levels, margin)[0] == pytest.approx(alike, rel=1e-3)


def test_ratios_of_normal_sides_are_fiellers():
    """The roots of Fieller's quadratic, with and without a correlation; none above
    where 0 is.
    """
    first, second = normal(0.3, 0.03), normal(0.4, 0.04)
    z = scipy.stats.norm.isf(0.025)
    for together in (0.0, 0.6):
        low, high = mover.ratio(first, second, 0.05, together=np.array([together]))
        square, constant = 0.3**2 - (z * 0.03) ** 2, 0.4**2 - (z * 0.04) ** 2
        middle = 0.12 - together * z**2 * 0.0012
        roots = np.roots([square, -2 * middle, constant])
        assert (low[0], high[0]) == pytest.approx(tuple(sorted(roots)))
    low, high = mover.ratio(normal(0.01, 0.03), second, 0.05, together=NONE)
    assert high[0] == np.inf
    assert 0 < low[0] < 40
    low, high = mover.ratio(first, normal(0.01, 0.04), 0.05, together=NONE)
    assert low[0] == 0
    assert 0 < high[0] < 1


def test_odds_ratios():
    """Differences of logits, where both estimates and all ends have one; else of both
    at once.
    """
    first, second = fixed(0.2, 0.1, 0.3), fixed(0.5, 0.4, 0.6)
    low, high = mover.odds_ratio(first, second, 0.05, together=NONE)

    def logit(share):
        return np.log(share / (1 - share))

    below = np.hypot(logit(0.5) - logit(0.4), logit(0.3) - logit(0.2))
    above = np.hypot(logit(0.6) - logit(0.5), logit(0.2) - logit(0.1))
    assert (low[0], high[0]) == pytest.approx((4 * np.exp(-below), 4 * np.exp(above)))
    low, high = mover.odds_ratio(first, fixed(-0.01, -0.02, 0.1), 0.05, together=NONE)
    assert (low[0], high[0]) == pytest.approx((0.0, 1.0))
    low, high = mover.odds_ratio(fixed(0.01, 0.0, 0.1), second, 0.05, together=NONE)
    assert (low[0], high[0]) == pytest.approx((6.0, np.inf))
    assert np.isnan(mover.odds_of(np.array([0.0]), np.array([0.5]))[0])
    assert mover.odds_of(np.array([0.2]), np.array([0.5]))[0] == pytest.approx(4)
    assert np.isnan(mover.ratio_of(np.array([-0.1]), np.array([0.5]))[0])


def test_corrections():
    """Those of the textbook, by hand; and how often intervals beside them may miss."""
    chances = np.array([0.01, 0.04, 0.03, 0.5])
    assert adjust(chances, None).tolist() == chances.tolist()
    assert adjust(chances, "bonferroni") == pytest.approx([0.04, 0.16, 0.12, 1.0])
    assert adjust(chances, "holm") == pytest.approx([0.04, 0.09, 0.09, 0.5])
    by_share = adjust(chances, "bh")
    assert by_share == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])
    assert missing_of(0.95, None, by_share) == pytest.approx(0.05)
    assert missing_of(0.95, "holm", by_share) == pytest.approx(0.0125)
    assert missing_of(0.95, "bh", by_share) == pytest.approx(0.0125)
    assert missing_of(0.9, "bh", by_share) == pytest.approx(0.075)


@pytest.mark.parametrize("mechanism", ["grr", "oue", "ss", "l-osue", "geometric"])
def test_intervals_and_p_values_agree(mechanism):
    """A p-value is below .05 where the interval leaves 0 out, and only there."""
    values, keys = VALUES, {"epsilon": "1"}
    if mechanism == "l-osue":
        keys = {"epsilon_first": "1", "epsilon_lifetime": "2"}
    if mechanism == "geometric":
        asked_of = ldp.question(
            "q", low=0, high=3, mechanism=mechanism, type="integer", **keys
        )
        question = ldp.survey("s", asked_of)["q"]
    else:
        question = asked(mechanism, values, **keys)
    for seed in range(5):
        first = estimated(question, BEFORE, seed, frequencies=True)
        second = estimated(question, AFTER, 99 - seed, frequencies=True)
        for row in compare(first, second, margin=0.05):
            low, high = row.interval
            clear = abs(row.p_value - 0.05) > 1e-3
            assert not clear or (row.p_value < 0.05) is (low > 0 or high < 0), row
            assert row.difference == pytest.approx(row.second - row.first)


def test_pearsons_chi_square_on_the_reports():
    """The test of all values of `grr`, for a population, is Pearson's on the table of
    reports.
    """
    from scipy.stats import chi2_contingency

    question = asked("grr")
    generator = np.random.default_rng(4)
    counts = [
        sample_counts(question, Holders(VALUES, np.array(held)), generator)
        for held in (BEFORE, (2_000, 1_400, 700, 300))
    ]
    sides = [
        estimate_question(question, one, Options(estimand="population"))
        for one in counts
    ]
    test = any_difference(*sides, np.ones(4)).chi_square
    pearson = chi2_contingency(np.concatenate(counts), correction=False)
    assert test.statistic == pytest.approx(pearson.statistic)
    assert test.freedom == pearson.dof == 3
    assert test.p_value == pytest.approx(pearson.pvalue)


def test_a_form_of_a_singular_covariance():
    """Directions without variance are left out, and counted out."""
    covariance = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 4.0]])
    assert quadratic_form(np.array([1.0, -1.0, 2.0]), covariance) == pytest.approx(
        (2.0, 2)
    )


def test_without_a_covariance_there_is_a_bound():
    """The least p-value times the number of values; it is said to be a bound."""
    first, second = (
        estimated(asked(), held, seed) for seed, held in enumerate((BEFORE, AFTER))
    )

    def refuse():
        raise EstimateError("expected another mechanism for a covariance")

    first = replace(first, law=replace(first.law, covariance=refuse))
    comparison = compare(first, second)
    least = min(row.p_value for row in comparison.rows)
    assert comparison.any_difference.p_value == pytest.approx(min(1, 4 * least))
    assert comparison.any_difference.chi_square is None
    assert "at most" in repr(comparison)


@pytest.mark.parametrize(
    ("mechanism", "keys"),
    [
        ("l-grr", {"epsilon_first": "1", "epsilon_lifetime": "2"}),
        ("l-osue", {"epsilon_first": "1", "epsilon_lifetime": "2"}),
        ("loloha", {"epsilon_first": "1", "epsilon_lifetime": "2", "buckets": 3}),
        ("rappor", {"p": "0.25", "q": "0.75", "f": "0.5"}),
    ],
)
def test_what_permanent_responses_share(mechanism, keys):
    """The variance of an estimate from permanent responses, from the exact rates of
    both steps.
    """
    question = asked(mechanism, **keys)
    estimates = estimated(question, BEFORE, estimand="respondents")
    (own, other), (fresh_own, fresh_other) = question.randomizer.steps
    signal = (own - other) * (fresh_own - fresh_other)
    if_held, if_not = (
        float(rate * (1 - rate) * (fresh_own - fresh_other) ** 2 / signal**2)
        for rate in (own, other)
    )
    shares = np.array([0.5, 0.3, 0.15, 0.05])
    of_one = shares * if_held + (1 - shares) * if_not
    assert lasting_variance(estimates, shares) == pytest.approx(of_one)
    again = replace(estimates, unbiased=estimates.unbiased + 0.01)
    middle = estimates.unbiased + 0.005
    known = sharing_of(estimates, again, 0.25)
    inside = np.clip(middle, 0, 1)
    expected = 0.25 * (inside * if_held + (1 - inside) * if_not) / 10_000
    assert known.least == pytest.approx(expected)
    unknown = sharing_of(estimates, again, None)
    assert not unknown.least.any()
    assert unknown.most == pytest.approx(4 * expected)
    assert Fraction(1) > own > other > 0


@pytest.mark.parametrize("mechanism", ["l-grr", "l-osue"])
def test_the_covariance_of_the_same_devices(mechanism):
    """Of 4,000 pairs of tallies: as stated, to 5 of its standard errors; and not 0.

    A sample covariance of n pairs errs by about the variance over sqrt(n), here .016 of
    it; what is shared is .2 to .4 of it.
    """
    pair = PANELS[f"{mechanism}, 100% in both"]
    question, generator = pair.question, np.random.default_rng(7)
    held = np.array(BEFORE)
    estimates = []
    for _ in range(4_000):
        kept = permanent_counts(question, held, generator)
        both = [reported(question, [(kept, 10_000)], generator) for _ in range(2)]
        estimates.append(
            [pure_moments(question.randomizer, one).frequency for one in both]
        )
    # (pairs, 2, values)
    drawn = np.array(estimates)
    known = estimate_question(question, both[0], Options(estimand="respondents"))
    truth = held / held.sum()
    stated = lasting_variance(known, truth) / 10_000
    variance = drawn.var(axis=0).mean(axis=0)
    centred = drawn - drawn.mean(axis=0)
    covariance = (centred[:, 0] * centred[:, 1]).mean(axis=0)
    assert np.abs(covariance - stated) == pytest.approx(
        0, abs=5 * variance.max() / 4_000**0.5
    )
    assert (covariance > 7 * variance / 4_000**0.5).all()


def test_overlaps_narrow_intervals_and_unknown_ones_do_not():
    """The interval is widest for none; how narrow it may be is told beside it."""
    question = asked("l-osue", epsilon_first="1", epsilon_lifetime="2")
    first, second = (
        estimated(question, held, seed) for seed, held in enumerate((BEFORE, AFTER))
    )
    unknown, none, half, all_of_them = (
        compare(first, second, overlap=overlap)["a"]
        for overlap in (None, 0.0, 0.5, 1.0)
    )
    assert unknown.interval == none.interval
    assert unknown.narrowest == pytest.approx(all_of_them.interval)
    assert (
        none.low < half.low < all_of_them.low < all_of_them.high < half.high < none.high
    )
    assert none.p_value >= half.p_value
    said = " ".join(compare(first, second).remarks)
    assert "not known" in said
    assert "--overlap" in said
    people = [
        estimated(asked(), held, seed) for seed, held in enumerate((BEFORE, AFTER))
    ]
    plain = [replace(one, options=Options(estimand="respondents")) for one in people]
    assert compare(*plain, overlap=1.0)["a"].interval == compare(*plain)["a"].interval
    assert compare(*people, overlap=1.0)["a"].high < compare(*people)["a"].high


def test_no_ratio_over_what_may_be_nothing():
    """A ratio is given where its interval has an upper end, and only there."""
    question = ldp.survey("s", ldp.question("q", values=["a", "b", "c"], epsilon="1"))[
        "q"
    ]
    sides = [np.array([1000, 900, 0]), np.array([900, 1000, 100])]
    comparison = compare(*(estimated(question, side, 3) for side in sides))
    spans = [span for row in comparison.rows for span in (row.ratio, row.odds_ratio)]
    assert math.isnan(comparison["c"].ratio.estimate)
    assert [math.isfinite(span.estimate) for span in spans] == [
        math.isfinite(span.high) for span in spans
    ]
    assert {math.isnan(span.estimate) for span in spans} == {True, False}


def test_means_are_compared():
    """Also of mechanisms that estimate no frequencies; with a ratio, and without
    odds.
    """
    minutes = ldp.question(
        "q", low=0, high=20, type="integer", goal="mean", epsilon="2"
    )
    question = ldp.survey("s", minutes)["q"]
    size = question.domain.size
    low, high = np.zeros(size, dtype=int), np.zeros(size, dtype=int)
    low[5], high[6] = 200_000, 200_000
    comparison = compare(
        estimated(question, low, 1), estimated(question, high, 2), margin=2.0
    )
    mean = comparison["mean"]
    assert len(comparison.rows) == 0
    assert mean.low < 1 < mean.high
    assert mean.p_value < 1e-6
    assert mean.equivalence < 1e-3
    assert mean.odds_ratio is None
    assert mean.ratio.low < 1.2 < mean.ratio.high
    assert comparison.any_difference is None


def test_medians_are_compared():
    """The interval goes by those of both sides, and its p-value by that interval."""
    hours = ldp.question(
        "q", low=0, high=40, type="integer", goal="distribution", epsilon="4"
    )
    question = ldp.survey("s", hours)["q"]
    held = np.random.default_rng(3).binomial(40, 0.5, 20_000)
    first, second = (
        estimated(question, np.bincount(held + more, minlength=41), more)
        for more in (0, 2)
    )
    median = compare(first, second)["median"]
    sides = [side.quantiles[1] for side in (first, second)]
    assert median.difference == sides[1].estimate - sides[0].estimate
    assert median.low <= 2 <= median.high
    assert (
        median.p_value
        < 0.05
        < compare(first, first, allow_equal=True)["median"].p_value
    )


def test_versions_and_mechanisms_are_compared():
    """Each decoded by its own channel; a remark says so."""
    first = estimated(asked("grr"), BEFORE)
    second = estimated(asked("oue", epsilon="3"), AFTER)
    comparison = compare(first, second)
    assert comparison["a"].interval[1] < 0
    assert any("versions" in remark for remark in comparison.remarks)


def test_refusals():
    """What cannot be compared is said, with what to do."""
    first, second = estimated(asked(), BEFORE, 1), estimated(asked(), AFTER, 2)
    for other, words in (
        (first, "allow-equal"),
        (estimated(asked(values="abce"), BEFORE), "'d', 'e'"),
        (estimated(asked(values="abdc"), BEFORE), "another order"),
        (estimated(asked(), AFTER, estimand="respondents"), "estimand"),
        (
            estimate_question(asked(), np.zeros((1, 4), dtype=np.int64), Options()),
            "reports",
        ),
    ):
        with pytest.raises(EstimateError, match=words):
            compare(first, other)
    assert compare(first, first, allow_equal=True)["a"].p_value == 1
    for keys, words in (
        ({"overlap": 1.5}, "overlap"),
        ({"simultaneous": "sidak"}, "holm"),
        ({"margin": 2.0}, "at most 1"),
        ({"level": 1.0}, "level"),
    ):
        with pytest.raises(EstimateError, match=words):
            compare(first, second, **keys)
    with pytest.raises(KeyError, match="'e'"):
        _ = compare(first, second)["e"]


def test_what_it_shows():
    """Every format has every value; the record is JSON, frames have a row for each."""
    first, second = estimated(asked(), BEFORE, 1), estimated(asked(), AFTER, 2)
    comparison = compare(
        first, second, simultaneous="bh", margin=0.1, names=("May", "June")
    )
    for form in ("table", "markdown", "html", "csv", "json"):
        text = comparison.rendered(form)
        assert all(value in text for value in VALUES)
    record = json.loads(comparison.rendered("json"))
    assert record["second"] == {"name": "June", "reports": 10_000}
    assert record["values"][0]["interval"] == list(comparison["a"].interval)
    frame = comparison.to_frame()
    assert frame["value"].tolist() == list(VALUES)
    assert frame["difference"].tolist() == [row.difference for row in comparison]
    assert comparison.to_polars().height == 4
    assert comparison.picture().startswith(b"<svg")
    assert "Benjamini-Hochberg" in repr(comparison)
    assert comparison["a"].different
    assert not comparison["d"].different


PART = (
    ("grr, epsilon 1, respondents, nothing differs", 300),
    ("oue, epsilon 1, population, nothing differs", 300),
    ("grr, epsilon 4, population, two values moved", 300),
    ("grr, epsilon 4, population, few, rare", 100),
    ("grr, epsilon 4, respondents, few, rare", 40),
)


@pytest.mark.parametrize(("name", "pairs"), PART)
def test_a_share_of_the_measurements(name, pairs):
    """Intervals miss at most 5 % of the time, but for chance, and tests alarm as often.

    A share of n pairs has a standard error of at most .218 / sqrt(n), less where it is
    of 4 values; the gates are 5 of them from .05 and .95.
    """
    seen, gate = measured(PAIRS[name], pairs, seed=3), 0.05 + 5 * 0.218 / pairs**0.5
    for what in ("difference", "ratio", "odds"):
        assert seen[what] > 1 - gate, (what, seen[what])
    if "nothing" in name:
        assert seen["value"] < gate
        assert seen["any"] < gate
