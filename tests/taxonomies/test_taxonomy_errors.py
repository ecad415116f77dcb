"""Estimates of trees: unbiased, with errors that reference figures have, and sound
intervals.

That scores and errors are those of the written-out channel, in fractions,
`test_laws.py` holds.
"""

from fractions import Fraction

import numpy as np
import pytest
from random_trees import REGIONS, membership, random_parents, survey_of

from ldp.answers.taxonomies import depths_of
from ldp.mechanisms.texts.taxonomy import law_of, response_to_levels, usual_shares
from ldp.numbers.exact import odds
from ldp_aggregator import Options
from ldp_aggregator.answers.estimates.pooling import Version, estimate_pooled
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.decoders.taxonomies.two_passes import pool_nodes, pooling_of
from ldp_aggregator.decoders.taxonomies.views import score_range, view_moments
from ldp_aggregator.decoders.taxonomies.worths import frequencies, parts_of
from ldp_simulations.holders import Holders, apportion, holders_of
from ldp_simulations.sampling.table import expected_counts, sample_counts

COUNTIES, STATES = 3091, 50


def noise_of_nodes(share):
    """(state, county): n Var where a share of people is asked for 50 states, in units
    of a cell's.

    The variance of a cell's own estimate is 1 / share: of pure noise, no one being in
    it.
    """
    parents = (*[0] * STATES, *(1 + county % STATES for county in range(COUNTIES)))
    precision = np.array([float(share)] * STATES + [1 - float(share)] * COUNTIES)
    pooling = pooling_of(parents, precision)
    # Least squares are linear: the variance of a node is the sum of the squares of what
    # each own estimate counts for, over its precision.
    size = len(parents)
    state = county = 0.0
    asked = np.flatnonzero(precision)
    for some in np.array_split(asked, 16):
        direct = np.zeros((size, len(some)))
        direct[some, np.arange(len(some))] = 1.0
        counts_for = (
            pool_nodes(pooling, direct, whole=0.0)[[0, STATES]] ** 2 / precision[some]
        )
        state, county = state + counts_for[0].sum(), county + counts_for[1].sum()
    return state, county


@pytest.mark.parametrize(
    ("share", "state", "county"),
    [("0", 63, 1), ("1/10", 8.3, 1.10), ("1/4", 3.7, 1.31), ("2/5", 2.4, 1.64)],
)
def test_reference_figures(share, state, county):
    """3,091 counties in 50 states: a state beside states alone, a county beside
    counties alone.

    Here all states have 61 or 62 counties, so that those of a state are met to 4 %; at
    no share a state has the noise of its counties.
    """
    noise = noise_of_nodes(Fraction(share))
    assert noise[0] == pytest.approx(state, rel=0.04)
    assert noise[1] == pytest.approx(county, rel=0.005)


def test_the_decoder_has_the_reference_figures():
    """At epsilon 1 the stated variance of a rare county and state is that of the
    figures.
    """
    parents = (*[0] * STATES, *(1 + county % STATES for county in range(COUNTIES)))
    response = response_to_levels(
        parents, COUNTIES, (Fraction(1, 10),), odds_=odds(Fraction(1))
    )
    even = np.full(COUNTIES, 1 / COUNTIES)
    moments = view_moments(response, expected_counts(response, (), even))
    alone = [
        float(q * (1 - q) / (p - q) ** 2)
        for p, q in (one.support for one in response.oracles)
    ]
    assert moments.variance_if_not[0] / alone[0] == pytest.approx(8.3, rel=0.07)
    assert moments.variance_if_not[-1] / alone[1] == pytest.approx(1.10, rel=0.02)


@pytest.mark.parametrize("seed", range(6))
def test_scores_are_unbiased_and_bounded(seed):
    """On random trees, at shares drawn at random: E[s | x] is 1 for the nodes above x,
    else 0.

    All scores lie in the stated range, whose ends some report has.
    """
    generator = np.random.default_rng(seed)
    parents = random_parents(generator, inner=4, values=14)
    upper = max(depths_of(parents)) - 1
    shares = tuple(Fraction(int(part), 20) for part in generator.integers(0, 5, upper))
    response = response_to_levels(
        parents, 14, shares, odds_=odds(Fraction(seed + 1, 2))
    )
    rows = np.array(response.channel().rows, dtype=float)
    size = rows.shape[1]
    scores = np.stack(
        [
            frequencies(response, one.reshape(len(response.law), -1))
            for one in np.eye(size, dtype=int)
        ]
    )
    assert np.allclose(rows @ scores, membership(parents, 14), atol=1e-9)
    ends = score_range(response)
    assert float(ends.least) == pytest.approx(scores.min())
    assert float(ends.most) == pytest.approx(scores.max())


def test_variances_are_those_of_scores():
    """For the respondents (mean of s^2 - estimate) / n; a population has f (1 - f) / n
    more.
    """
    question = survey_of(REGIONS, "2")["home"]
    response, size = question.randomizer, 6
    shares = np.arange(1, size + 1) / 21
    counts = expected_counts(response, (), shares)
    law = counts / counts.sum()
    squares = np.zeros(len(response.parents))
    for part in parts_of(response):
        squares += part.scores**2 @ law[part.view.number, part.symbols]
    moments = view_moments(response, counts)
    truth = shares @ np.array(membership(response.parents, size))
    own, other = moments.variance_if_held, moments.variance_if_not
    assert np.allclose(moments.frequency, truth, atol=1e-9)
    assert np.allclose(truth * own + (1 - truth) * other, squares - truth, rtol=1e-6)
    covariance = moments.reports * moments.covariance()
    assert np.allclose(np.diag(covariance), squares - truth, rtol=1e-6)
    top = np.flatnonzero(np.array(response.parents) == 0)
    # The nodes at the top add up to 1, without an error; so do any that hold everyone
    # together.
    assert np.allclose(covariance[top].sum(axis=0), 0, atol=1e-6)


def test_covariances_have_reports_that_no_device_sends():
    """Symbols that their level does not use are reports, too: worked out report by
    report.
    """
    response = survey_of(REGIONS, "2")["home"].randomizer
    layout = len(response.law), response.layout.symbols
    counts = np.random.default_rng(3).integers(1, 50, layout)
    reports = np.eye(counts.size, dtype=int).reshape(-1, *layout)
    scores = np.stack([frequencies(response, one) for one in reports])
    moments = view_moments(response, counts)
    within = np.array(membership(response.parents, 6))
    both = within.T @ np.diag(moments.frequency[-6:]) @ within
    mean_products = scores.T @ (counts.reshape(-1, 1) * scores) / counts.sum()
    exact = (mean_products - both) / counts.sum()
    assert np.allclose(moments.covariance(), exact, rtol=1e-9, atol=1e-12)


def test_estimates_and_intervals_keep_their_word():
    """400 surveys of 20,000 people, skewed, seed 5: z^2 is 1 +- .12 on average over
    nodes.

    Intervals hold .95 +- .012. A sixth off in the variance is detected.
    """
    question = survey_of({f"v{x}": f"n{x % 5}" for x in range(25)}, "1.5")["home"]
    people = holders_of(
        question.domain,
        question.domain.values,
        apportion(20_000, 1.3 ** -np.arange(25.0)),
    )
    generator = np.random.default_rng(5)
    truth, scores, inside = None, [], []
    for _ in range(400):
        counts = sample_counts(question, people, generator)
        estimates = estimate_question(question, counts, Options())
        truth = np.array(people.frequencies(estimates.values))
        scores.append((estimates.frequency - truth) / estimates.standard_error)
        inside.append((estimates.low <= truth) & (truth <= estimates.high))
    scores = np.array(scores)
    assert np.mean(scores**2) == pytest.approx(1, abs=0.06)
    assert np.abs(scores.mean(axis=0)).max() < 5 / np.sqrt(400)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.012)


def test_shares_of_levels():
    """A fifth each, or less where less than half would be left for the values; exact
    integers.
    """
    assert law_of(usual_shares(1)) == (1, 4)
    assert law_of(usual_shares(2)) == (1, 1, 3)
    assert law_of(usual_shares(5)) == (1, 1, 1, 1, 1, 5)
    assert law_of((Fraction(1, 6), Fraction(1, 4))) == (2, 3, 7)
    assert law_of((Fraction(0),)) == (0, 1)


def test_respondents_of_a_level_that_no_one_is_asked_for():
    """Its nodes are known by the values below."""
    question = survey_of({"a": "A", "b": "A", "c": "C", "d": "C"}, "2", shares=[0])[
        "home"
    ]
    people = Holders((), np.array([4000, 3000, 2000, 1000]))
    counts = sample_counts(question, people, np.random.default_rng(3))
    assert counts[0].sum() == 0
    estimates = estimate_question(question, counts, Options())
    assert estimates["A"].frequency == pytest.approx(
        estimates["a"].frequency + estimates["b"].frequency
    )
    assert abs(estimates["A"].frequency - 0.7) < 5 * estimates["A"].standard_error


def test_versions_with_other_shares_are_pooled():
    """Two versions of one tree tell its nodes together; parents stay the sums of their
    children.
    """
    first, second = (
        survey_of({"a": "A", "b": "A", "c": "C", "d": "C"}, "2", shares=shares)["home"]
        for shares in (["0.1"], ["0.5"])
    )
    people = Holders((), np.array([4000, 3000, 2000, 1000]))
    generator = np.random.default_rng(3)
    versions = [
        Version(one, sample_counts(one, people, generator)) for one in (first, second)
    ]
    together = estimate_pooled(versions, Options())
    alone = estimate_question(second, versions[1].counts, Options())
    assert together.values == alone.values == ("A", "C", "a", "b", "c", "d")
    assert abs(together["A"].frequency - 0.7) < 5 * together["A"].standard_error
    assert together["A"].standard_error < alone["A"].standard_error
    both = together["a"].frequency + together["b"].frequency
    assert together["A"].frequency == pytest.approx(both)
