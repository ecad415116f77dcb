"""What epsilons add up to.

Deltas are compared with sums worked out to fifty digits, or over every outcome.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written_out import warner

from ldp.numbers.accounting import (
    best_true_positive_rate,
    composed_delta,
    composed_epsilon,
    group,
    parallel,
    posterior,
    sequential,
)
from ldp.numbers.channel import product, worst_ratio
from ldp.numbers.exact import exp_lower, log

fractions_of = st.fractions(
    min_value=Fraction(1, 1000), max_value=10, max_denominator=1000
)
rates = st.fractions(min_value=0, max_value=1, max_denominator=1000)


def summed_delta(epsilon, count, total):
    """The delta of k-fold composition, to fifty digits."""
    with localcontext(prec=50):
        epsilon, total, delta = Decimal(epsilon), Decimal(total), Decimal(0)
        ratio = epsilon.exp()
        chance = (ratio / (1 + ratio)) ** count
        for hits in range(count, -1, -1):
            loss = (2 * hits - count) * epsilon
            if loss <= total:
                break
            delta += chance * (1 - (total - loss).exp())
            chance = chance * hits / (count - hits + 1) / ratio
        return delta


@given(st.lists(fractions_of, min_size=1, max_size=8))
def test_totals(epsilons):
    """The same respondents spend the sum, different ones the largest.

    No one asked, nothing spent.
    """
    assert sequential(epsilons) == sum(epsilons)
    assert parallel(epsilons) == max(epsilons)
    assert sequential([]) == parallel([]) == 0


@given(st.fractions(min_value=1, max_value=20, max_denominator=50), st.integers(1, 5))
def test_product_of_channels_spends_the_sum(ratio, count):
    """Asking k times through the worst channel multiplies its ratio k times: the bound
    is tight.
    """
    asked = reduce(product, [warner(ratio)] * count)
    assert worst_ratio(asked) == ratio**count


def test_group():
    """Respondents who answer alike are protected less by their number; a group has
    members.
    """
    assert group(Fraction(1, 2), 3) == Fraction(3, 2)
    assert group(Fraction(1, 2), 1) == Fraction(1, 2)
    with pytest.raises(ValueError, match="at least 1"):
        group(Fraction(1), 0)


@given(
    st.fractions(min_value=Fraction(11, 10), max_value=8, max_denominator=20),
    st.integers(1, 6),
    rates,
)
def test_delta_over_every_outcome(ratio, count, share):
    """The composed delta is the hockey-stick divergence of the composed channel."""
    epsilon = log(ratio)
    total = float(share) * count * epsilon
    truth, lie = reduce(product, [warner(ratio)] * count).rows
    exact = math.fsum(
        max(0.0, float(p) - math.exp(total) * float(q))
        for p, q in zip(truth, lie, strict=True)
    )
    assert composed_delta(epsilon, count, total) == pytest.approx(
        exact, rel=1e-9, abs=1e-12
    )


@given(st.floats(0.001, 3), st.integers(1, 400), st.floats(0, 0.99))
@settings(max_examples=60)
def test_delta_errs_upwards(epsilon, count, share):
    """A delta is never below the exact one, and hardly above it."""
    total = share * count * epsilon
    exact = summed_delta(epsilon, count, total)
    delta = Decimal(composed_delta(epsilon, count, total))
    assert exact <= delta or delta == 1
    # The difference of losses is known to a unit in the last place of a loss, so tiny
    # ones are known less well.
    assert delta <= exact * (1 + Decimal("1e-11")) + Decimal(2.0**-49 * count * epsilon)


@pytest.mark.parametrize("count", range(1, 60))
def test_delta_errs_upwards_next_to_a_loss(count):
    """Also where the total is a float's step below the largest loss, and rounding could
    hide it.
    """
    total = math.nextafter(count * 0.1, 0)
    assert summed_delta(0.1, count, total) <= Decimal(composed_delta(0.1, count, total))


@given(st.floats(3, 40), st.integers(1, 400), st.floats(0, 0.99))
@settings(max_examples=60)
def test_delta_errs_upwards_for_large_epsilons(epsilon, count, share):
    """And is a probability where all of them together hide nothing."""
    delta = composed_delta(epsilon, count, share * count * epsilon)
    assert delta <= 1
    assert (
        summed_delta(epsilon, count, share * count * epsilon) <= Decimal(delta)
        or delta == 1
    )


def test_nothing_hidden_is_a_delta_of_one():
    """What is added for rounding does not lift it above."""
    assert composed_delta(40.0, 1, 0.0) == 1


@pytest.mark.parametrize("count", [3000, 10_000])
def test_delta_errs_upwards_for_many(count):
    """Also where the binomial coefficients have thousands of digits."""
    for epsilon, total in ((0.001, 0.05), (0.01, 1.0), (0.1, 30.0)):
        assert summed_delta(epsilon, count, total) <= Decimal(
            composed_delta(epsilon, count, total)
        )


@given(st.floats(0.01, 2), st.integers(1, 200), st.floats(1e-12, 0.1))
@settings(max_examples=60)
def test_epsilon_is_the_least(epsilon, count, delta):
    """The composed epsilon meets its delta, nothing below does, and it is at most k
    epsilon.
    """
    total = composed_epsilon(epsilon, count, delta)
    assert 0 <= total <= count * epsilon
    if total:
        assert composed_delta(epsilon, count, total) <= delta
        assert composed_delta(epsilon, count, total * (1 - 1e-9)) > delta * (1 - 1e-6)


def test_a_delta_that_needs_no_epsilon():
    """From the delta that mechanisms have without any epsilon, itself included, the
    least is 0.
    """
    enough = composed_delta(0.1, 3, 0.0)
    assert composed_epsilon(0.1, 3, enough) == 0.0
    assert composed_epsilon(0.1, 3, enough * (1 - 1e-6)) > 0.0


def test_epsilon_without_delta():
    """At delta 0 composition is the sum; one mechanism at its own epsilon needs no
    delta.
    """
    assert composed_epsilon(0.5, 30, 0.0) == pytest.approx(15, rel=1e-11)
    assert composed_delta(0.5, 1, 0.5) == 0


@pytest.mark.parametrize(
    "arguments", [(0.0, 1, 1.0), (-1.0, 1, 1.0), (1.0, 0, 1.0), (1.0, 1, -1.0)]
)
def test_composition_of_nonsense(arguments):
    """Epsilons are positive, counts at least one."""
    with pytest.raises(ValueError, match="expected epsilon > 0"):
        composed_delta(*arguments)


@pytest.mark.parametrize("delta", [-0.1, 1.0])
def test_delta_of_nonsense(delta):
    """A delta is a probability below 1."""
    with pytest.raises(ValueError, match="expected 0 <= delta"):
        composed_epsilon(1.0, 1, delta)


@given(fractions_of, rates)
def test_best_test_beats_chance_and_stays_a_probability(epsilon, rate):
    """The bound is from the false-positive rate to 1, and at least min(E a, 1 - (1 - a)
    / E).
    """
    bound = best_true_positive_rate(epsilon, rate)
    low = exp_lower(epsilon)
    assert rate <= bound <= 1
    assert bound >= min(low * rate, 1 - (1 - rate) / low)


@pytest.mark.parametrize("rate", [Fraction(-1, 2), Fraction(3, 2)])
def test_best_test_of_nonsense(rate):
    """A false-positive rate is a probability."""
    with pytest.raises(ValueError, match="false-positive rate"):
        best_true_positive_rate(Fraction(1), rate)


@given(
    st.fractions(min_value=1, max_value=50, max_denominator=100),
    st.fractions(
        min_value=Fraction(1, 100), max_value=Fraction(99, 100), max_denominator=100
    ),
)
def test_posterior_is_bayes(ratio, prior):
    """A belief after one report of the worst channel is Bayes' rule, and bounds every
    report.
    """
    truth, lie = warner(ratio).rows[0]
    after = prior * truth / (prior * truth + (1 - prior) * lie)
    assert posterior(ratio, prior) == after
    assert prior * lie / (prior * lie + (1 - prior) * truth) <= after
