"""Plans of many fields: this survey's way beside others, and the bound of all."""

import json
from fractions import Fraction

import numpy as np
import pytest

import ldp
from ldp.numbers.exact import odds
from ldp_aggregator.decoders.marginals.marginals import tables_of
from ldp_simulations import plan
from ldp_simulations.holders import Holders
from ldp_simulations.planning.kinds.field_plan import bound, by_pairs, by_splitting
from ldp_simulations.sampling.table import expected_counts, sample_counts

EPSILONS = ("1/2", "1", "2", "4")
PAIRS = {
    (2, 8): (262, 58.0, 13.7, 5.9),
    (2, 16): (1125, 249, 59, 26),
    (5, 8): (405, 95, 18.7, 2.27),
}
BOUND = {
    (2, 8): (84, 19.7, 3.7, 0.22),
    (2, 16): (270, 63, 12.3, 1.12),
    (5, 8): (254, 59.7, 11.7, 1.19),
}
"""n Var of a cell by number of values and of fields, as the reference page has them."""


def asked(values=2, fields=8, **keys):
    """A survey of so many fields."""
    named = [
        ldp.field(f"f{place}", [f"v{value}" for value in range(values)])
        for place in range(fields)
    ]
    keys = {"epsilon": 1, "collect": "subsets", **keys}
    return ldp.survey("s", ldp.question("q", fields=named, **keys))


@pytest.mark.parametrize("shape", PAIRS)
def test_other_ways_are_those_of_the_reference(shape):
    """Pairs to 5 %, as points are a little worse than sets of any size; the bound to 2
    %.
    """
    values, fields = shape
    for place, epsilon in enumerate(map(Fraction, EPSILONS)):
        sizes = (values,) * fields
        assert by_pairs(sizes, odds(epsilon)) == pytest.approx(
            PAIRS[shape][place], rel=0.05
        )
        assert bound(sizes, epsilon) == pytest.approx(BOUND[shape][place], rel=0.02)


def test_splitting_epsilon_is_a_product_of_scores():
    """Two yes/no answers at a quarter of epsilon 4: scores (1 +- C) / 2, C = (E + 1) /
    (E - 1).
    """
    coefficient = (np.e + 1) / (np.e - 1)
    square = (1 + coefficient**2) / 4
    assert by_splitting((2,) * 4, Fraction(4)) == pytest.approx(
        square**2 - 1 / 4, rel=1e-6
    )


def test_a_plan_says_what_the_decoder_does():
    """The standard error of a cell, from the tally to be expected with even answers."""
    survey = asked(3, 4, epsilon=2)
    (planned,) = plan(survey, respondents=5000, estimand="respondents").records()
    question = survey["q"]
    counts = expected_counts(question.randomizer, (), np.full(81, 1 / 81))
    tables = tables_of(question.randomizer, counts)
    shares, products = tables.table((0, 2))
    error = np.sqrt(np.mean(np.diag(products) - shares.ravel()) / 5000)
    assert planned["ways"][0]["standard_error"] == pytest.approx(error, rel=0.02)
    assert planned["together"] == question.randomizer.together
    assert planned["ways"][-1]["times"] < 1 < planned["ways"][-3]["times"]


def test_a_half_width_finds_respondents():
    """As many as keep it, and no more."""
    survey = asked(2, 8, epsilon=1)
    (least,) = plan(survey, half_width=0.02).records()
    for respondents, keeps in (
        (least["respondents"], True),
        (least["respondents"] - 1, False),
    ):
        (planned,) = plan(survey, respondents=respondents).records()
        assert (planned["ways"][0]["half_width"] <= 0.02) is keeps


def test_a_plan_in_words_and_in_numbers():
    """A table, a record for JSON; of a population and of all cells at once, wider
    intervals.
    """
    survey = asked(2, 8)
    planned = plan(survey, respondents=10_000)
    assert "epsilon split among fields" in repr(planned)
    assert "no way has less than" in repr(planned)
    record = json.loads(json.dumps(planned.to_dict()))["plans"][0]
    wider = plan(
        survey, respondents=10_000, estimand="population", simultaneous="bonferroni"
    )
    assert wider.records()[0]["ways"][0]["half_width"] > record["ways"][0]["half_width"]
    with pytest.raises(ldp.EstimateError, match="some of many fields"):
        plan(asked(2, 3, together=1), half_width=0.01)


def test_sampled_tallies_are_as_expected():
    """The sampler and the tally to be expected: 10^9 respondents, each cell to 6
    deviations.
    """
    survey = asked(2, 4, epsilon=1)
    randomizer = survey["q"].randomizer
    shares = np.random.default_rng(1).dirichlet(np.ones(16))
    held = np.random.default_rng(2).multinomial(10**9, shares)
    counts = sample_counts(survey["q"], Holders((), held), np.random.default_rng(3))
    expected = expected_counts(randomizer, (), held / 10**9) / 1000
    assert (np.abs(counts - expected) <= 6 * np.sqrt(expected)).all()
