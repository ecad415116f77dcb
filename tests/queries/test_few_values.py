"""A few of many values, estimated without the others, against all that a transform
tells.
"""

import numpy as np
import pytest

import ldp
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp_aggregator.analyses.queries import subjects
from ldp_aggregator.analyses.queries.answering import query
from ldp_aggregator.answers.contrasts.ends import slopes
from ldp_aggregator.answers.contrasts.linear_functions import functions_of
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.moments.few_supports import walsh_at
from ldp_aggregator.decoders.moments.supports import walsh_hadamard
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.tallies.tally import Tally
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

VALUES = [f"v{place}" for place in range(300)]
MECHANISMS = ("grr", "ss", "oue", "the", "pgr", "hr", "l-grr")
PLACES = np.array([0, 7, 8, 250, 299])
TEXTS = (
    "share(q in {v0, v7})",
    "share(q in {v7, v250}) - share(q = v299)",
    "share(q = v250) / share(q in {v0, v8})",
    "1 - share(q != v7)",
    "score(q, v0: 2, v8: -1)",
    "share(q = v7) - share(q = v7)",
)


def tally_of(mechanism, epsilon="2"):
    """Of twenty thousand people, many of whom hold the values that are asked for."""
    epsilons = {"epsilon": epsilon}
    if mechanism.startswith("l-"):
        epsilons = {"epsilon_first": epsilon, "epsilon_lifetime": "9"}
    survey = ldp.survey("s", ldp.question("q", VALUES, mechanism=mechanism, **epsilons))
    held = np.full(300, 10)
    held[PLACES] = 3400
    tally = Tally.empty(survey)
    holders, generator = Holders(tuple(VALUES), held), np.random.default_rng(3)
    tally.counts["q"] += sample_counts(survey["q"], holders, generator)
    return tally


@pytest.mark.parametrize("epsilon", [".5", "4"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_they_are_as_among_all(mechanism, epsilon):
    """Frequencies, what their errors depend on, and how they err together; in any
    order.
    """
    tally = tally_of(mechanism, epsilon)
    randomizer, counts = tally.survey["q"].randomizer, tally.counts["q"]
    whole = moments_of(randomizer, counts, VALUES)
    for places in (PLACES, PLACES[:1], PLACES[:0]):
        few = decoder_of(randomizer).shares.of_few(randomizer, counts, places)
        assert few.reports == whole.reports
        for name in ("frequency", "variance_if_held", "variance_if_not"):
            assert getattr(few, name) == pytest.approx(getattr(whole, name)[places])
        weights = np.random.default_rng(1).normal(size=(2, len(places)))
        scattered = np.zeros((2, len(VALUES)))
        scattered[:, places] = weights
        assert few.linear.covariance(weights) == pytest.approx(
            whole.linear.covariance(scattered), abs=1e-15
        )


@pytest.mark.parametrize(("order", "dimension"), [(2, 6), (3, 4), (4, 4), (5, 3)])
def test_points_of_every_order(order, dimension):
    """Of projective spaces, by the transform and by sums for each."""
    response = ProjectiveResponse(30, order, dimension, truth=5, other=1)
    counts = np.random.default_rng(order).integers(
        2000, size=(1, response.layout.symbols)
    )
    places = np.array([3, 4, 11, 29])
    whole = moments_of(response, counts, ())
    few = decoder_of(response).shares.of_few(response, counts, places)
    assert (few.count.supports == whole.count.supports[places]).all()
    weights = np.eye(4)
    scattered = np.zeros((4, 30))
    scattered[:, places] = weights
    assert few.linear.covariance(weights) == pytest.approx(
        whole.linear.covariance(scattered)
    )


def test_numbers_of_a_transform():
    """Single ones are those of the whole, rows that come twice included; and of a
    single cell.
    """
    counts = np.random.default_rng(5).integers(10**9, size=1 << 9)
    rows = np.array([0, 511, 37, 37, 256])
    assert (walsh_at(counts, rows) == walsh_hadamard(counts[None])[0][rows]).all()
    assert walsh_at(np.array([7]), np.array([0])) == [7]


def test_many_values_go_the_long_way():
    """Where one transform is quicker than a sum for each; sets, whose values are held
    together.
    """
    for response in (
        ProjectiveResponse(200, 3, dimension=6, truth=5, other=1),
        HadamardResponse(200, 1, 256, truth=3, other=1),
    ):
        counts = np.ones((1, response.layout.symbols), dtype=int)
        assert (
            decoder_of(response).shares.of_few(response, counts, np.arange(17)) is None
        )


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_answers_are_the_same_both_ways(mechanism, monkeypatch):
    """Estimates, errors, intervals and chances, whether others are estimated or not."""
    tally = tally_of(mechanism)
    short = query(tally, *TEXTS)
    monkeypatch.setattr(subjects.Subject, "_of_few", lambda *_: None)
    for few, whole in zip(short, query(tally, *TEXTS), strict=True):
        ours, theirs = few.contrast, whole.contrast
        for name in ("estimate", "standard_error", "low", "high", "p_value"):
            expected = getattr(theirs, name)
            assert getattr(ours, name) == pytest.approx(expected, rel=1e-6, abs=1e-9), (
                name
            )


def test_few_values_take_no_estimate_of_the_others(monkeypatch):
    """Nothing is decoded for all values, but where most of them are asked for."""
    tally = tally_of("pgr")

    def refuse(*_, **__):
        raise AssertionError("every value was decoded")

    monkeypatch.setattr(subjects, "moments_of", refuse)
    assert query(tally, TEXTS[0])[0].contrast.standard_error > 0
    with pytest.raises(AssertionError, match="every value"):
        query(tally, TEXTS[3])


def test_the_rest_holds_what_is_left():
    """Estimates of a million values that no one holds add up to hundreds where they are
    above 0.

    What is asked for is held by a fifth all the same: the slope of its variance is 1 -
    2 / 5.
    """
    shares = np.random.default_rng(1).normal(0, 0.002, 1_000_000)
    weights = np.zeros(1_000_000)
    weights[3], shares[3] = 1.0, 0.2
    assert slopes(weights, shares, None, drawn=True) == pytest.approx((0.6, 0.6))
    few = slopes(np.array([1.0, 0.0]), np.array([0.2, 0.8]), None, drawn=True)
    assert few == pytest.approx((0.6, 0.6))


def test_functions_beside_others():
    """One more value without weight: the same sums, errors and ends, which 0 belongs
    to.
    """
    tally = tally_of("oue")
    question, counts = tally.survey["q"], tally.counts["q"]
    randomizer = question.randomizer
    moments = decoder_of(randomizer).shares.of_few(randomizer, counts, PLACES)
    functions = functions_of(
        moments, question, [VALUES[at] for at in PLACES], options=Options()
    )
    beside = functions.beside_others()
    assert beside.frequency.sum() == pytest.approx(1)
    weights = np.array([1.0, 0.5, 1.0, 1.0, 2.0, 0.0])
    assert beside.range_of(weights) == (0.0, 2.0)
    alone, among = functions.function("", weights[:-1]), beside.function("", weights)
    assert (among.estimate, among.standard_error) == (
        alone.estimate,
        alone.standard_error,
    )
    assert (beside.errors()[:-1] == functions.errors()).all()
