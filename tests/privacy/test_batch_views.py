"""Batches as others report them: against what is certified, and against enumeration."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import pytest
from data_sets import batch_law, one_more

from ldp.mechanisms.blankets import blanket_of, two_levels
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.numbers.exact import odds
from ldp.privacy.batches import batch_epsilon, power
from ldp.privacy.deltas import delta_above, quick
from ldp_aggregator.explanations.trusted_curator import mu_delta
from ldp_aggregator.explanations.views import accounting, gaussian_view, renyi_view

BLANKET = two_levels(Fraction(*odds(Fraction(2))), Fraction(1, 16), Fraction(0))
DELTA = Fraction(1, 10**6)


def test_normal_noise_is_no_better_than_the_batch():
    """At every epsilon down to delta; and with a mu that is 1 % less it would be
    somewhere.
    """
    mu = gaussian_view(BLANKET, 2_000, DELTA)
    last = batch_epsilon(BLANKET, 2_000, DELTA)
    is_better = False
    for part in range(9):
        epsilon = last * Fraction(part, 8)
        above = delta_above(
            BLANKET, 2_000, power(epsilon), effort=quick(2_000, both=False)
        )
        assert mu_delta(mu * 1.001, float(epsilon)) >= above
        is_better |= mu_delta(mu * 0.99, float(epsilon)) < above
    assert is_better


def worst_renyi(rows, count, order):
    """That of the worst data set, by enumeration."""
    worst = 0.0
    for others in combinations_with_replacement(range(len(rows)), count - 1):
        around = batch_law([rows[x] for x in others])
        for one, other in permutations((one_more(around, row) for row in rows), 2):
            moment = sum(
                float(mass) ** order * float(other[y]) ** (1 - order)
                for y, mass in one.items()
            )
            worst = max(worst, math.log(moment) / (order - 1))
    return worst


@pytest.mark.parametrize("order", [1.5, 2, 8])
def test_renyi_divergences_bound_every_data_set(order):
    """Of 4 respondents with 3 values; never more than what one report reveals."""
    randomizer = RandomizedResponse(3, 3, 1)
    bound = renyi_view(blanket_of(randomizer), 4, order)
    assert (
        worst_renyi(randomizer.channel().rows, 4, order) <= bound <= math.log(3) + 1e-9
    )


def test_renyi_divergences_are_not_far_above_those_of_normal_noise():
    """That of normal noise of mu is mu^2 order / 2, which a large batch is close to."""
    mu = gaussian_view(BLANKET, 3_000, DELTA)
    for order in (2, 8):
        assert 0.7 <= renyi_view(BLANKET, 3_000, order) / (mu**2 * order / 2) <= 1.1
    with pytest.raises(ValueError, match="above 1"):
        renyi_view(BLANKET, 100, 1)


@pytest.mark.needs("dp_accounting")
def test_dp_accounting_has_the_same_figures():
    """Its own composition against ours, where it is installed."""
    from ldp_aggregator.explanations.composition import composed_batches

    law = accounting(BLANKET, 2_000, DELTA)
    ours = float(composed_batches(BLANKET, 2_000, DELTA, batches=7))
    assert law.self_compose(7).get_epsilon_for_delta(1e-6) == pytest.approx(
        ours, rel=0.02
    )
