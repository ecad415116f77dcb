"""Channels written out: privacy, chains, products, inverses and tests, in exact
arithmetic.
"""

import math
from fractions import Fraction
from itertools import chain as chained
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written_out import warner

from ldp.numbers import accounting
from ldp.numbers.channel import (
    Channel,
    best_true_positive_rate,
    chain,
    has_full_rank,
    inverse,
    product,
    renyi_divergence,
    worst_ratio,
)
from ldp.numbers.exact import log

ratios = st.fractions(min_value=Fraction(11, 10), max_value=30, max_denominator=20)
rates = st.fractions(min_value=0, max_value=1, max_denominator=200)


def channels(values, reports, least=1):
    """Channels of small fractions."""
    row = st.lists(st.integers(least, 9), min_size=reports, max_size=reports).filter(
        any
    )
    normalised = row.map(
        lambda weights: tuple(Fraction(weight, sum(weights)) for weight in weights)
    )
    return st.lists(normalised, min_size=values, max_size=values).map(
        lambda rows: Channel(tuple(rows))
    )


@pytest.mark.parametrize(
    "rows",
    [
        ((Fraction(1, 2), Fraction(1, 3)),),
        ((Fraction(3, 2), Fraction(-1, 2)),),
        ((Fraction(1),), (Fraction(1, 2), Fraction(1, 2))),
    ],
    ids=["sums to 5/6", "negative", "ragged"],
)
def test_no_channel(rows):
    """Rows are probability distributions over the same reports."""
    with pytest.raises(ValueError, match="row of a channel"):
        Channel(rows)


@given(channels(3, 4))
def test_worst_ratio_is_over_reports_and_pairs(channel):
    """The worst ratio is the largest there is, by trying all."""
    tried = [a[y] / b[y] for a in channel.rows for b in channel.rows for y in range(4)]
    assert worst_ratio(channel) == max(tried)


def test_worst_ratio_of_certainty():
    """A report that rules a value out is infinitely telling; one that never comes tells
    nothing.
    """
    one, half, none = Fraction(1), Fraction(1, 2), Fraction(0)
    assert worst_ratio(Channel(((one, none), (half, half)))) is None
    assert worst_ratio(Channel(((half, half, none), (half, half, none)))) == 1


@given(channels(3, 3), channels(3, 4))
def test_chain_never_reveals_more(first, second):
    """Post-processing costs no privacy, and a second channel leaves no more than
    either.
    """
    assert worst_ratio(chain(first, second)) <= min(
        worst_ratio(first), worst_ratio(second)
    )


@given(channels(2, 3), channels(3, 2), channels(2, 4))
def test_chain_is_associative(first, second, third):
    """Channels compose as matrices."""
    assert (
        chain(chain(first, second), third).rows
        == chain(first, chain(second, third)).rows
    )


@given(channels(3, 2), channels(3, 3))
def test_product_adds_epsilons_at_most(first, second):
    """Two reports of one value reveal at most the product of the ratios, and both are
    there.
    """
    both = product(first, second)
    assert (
        max(worst_ratio(first), worst_ratio(second))
        <= worst_ratio(both)
        <= worst_ratio(first) * worst_ratio(second)
    )
    for row, (left, right) in zip(
        both.rows, zip(first.rows, second.rows, strict=True), strict=True
    ):
        assert [sum(row[3 * a : 3 * a + 3]) for a in range(2)] == list(left)
        assert [row[b] + row[3 + b] for b in range(3)] == list(right)


@pytest.mark.parametrize("combine", [chain, product])
def test_channels_that_do_not_fit(combine):
    """A chain needs a row for each report of the first channel, a product one for each
    value.
    """
    half, third = Fraction(1, 2), Fraction(1, 3)
    two, three = Channel(((half, half),) * 2), Channel(((third, third, third),) * 3)
    with pytest.raises(ValueError, match="zip"):
        combine(two, three)


@given(
    st.lists(
        st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=3, max_size=3
    )
)
def test_rank_is_full_where_the_determinant_is_not_zero(rows):
    """Of small integers, whose minors no large prime divides."""
    assert has_full_rank(rows) is (_determinant(rows) != 0)


def test_rank_of_more_rows_than_columns():
    """It is not full, whichever they are."""
    assert has_full_rank([[1, 0], [0, 1]])
    assert not has_full_rank([[1, 0], [0, 1], [1, 1]])


@given(channels(4, 4, least=0))
def test_inverse(channel):
    """A channel times its inverse is the identity.

    It has none if and only if its determinant is zero.
    """
    inverted = inverse(channel)
    determinant = _determinant([list(row) for row in channel.rows])
    assert (inverted is None) == (determinant == 0)
    if inverted is not None:
        multiplied = [
            [
                sum(a * b for a, b in zip(row, col, strict=True))
                for col in zip(*inverted, strict=True)
            ]
            for row in channel.rows
        ]
        assert multiplied == [[int(i == j) for j in range(4)] for i in range(4)]


@given(ratios, st.floats(1.01, 50))
def test_renyi_of_randomized_response(ratio, alpha):
    """Randomized response has the divergence ln(p^a q^(1-a) + q^a p^(1-a)) / (a -
    1).
    """
    p = float(ratio / (ratio + 1))
    q = 1 - p
    closed = math.log(p**alpha * q ** (1 - alpha) + q**alpha * p ** (1 - alpha)) / (
        alpha - 1
    )
    assert renyi_divergence(warner(ratio), alpha) == pytest.approx(closed, rel=1e-7)


@given(channels(3, 4), st.floats(1.1, 20), st.floats(1, 5))
def test_renyi_grows_with_its_order_up_to_epsilon(channel, alpha, factor):
    """The divergence is between 0 and epsilon, grows with alpha, and tends to
    epsilon.
    """
    epsilon = log(worst_ratio(channel))
    divergence = renyi_divergence(channel, alpha)
    assert -1e-9 <= divergence <= renyi_divergence(channel, alpha * factor) + 1e-9
    assert divergence <= epsilon + 1e-9
    assert renyi_divergence(channel, 1e6) == pytest.approx(epsilon, abs=1e-4)


def test_renyi_of_reports_that_never_come():
    """They do not count."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    plain = Channel(((half, half), (quarter, 3 * quarter)))
    wider = Channel(((half, Fraction(0), half), (quarter, Fraction(0), 3 * quarter)))
    assert renyi_divergence(wider, 3.0) == renyi_divergence(plain, 3.0)


@given(channels(1, 5), st.floats(1.1, 20))
def test_renyi_of_rows_that_are_alike(channel, alpha):
    """Nothing, and by no rounding less."""
    alike = Channel(channel.rows * 2)
    assert 0 <= renyi_divergence(alike, alpha) <= 1e-9


def test_renyi_of_certainty():
    """A report that rules a value out has an infinite divergence at every order.

    Orders are above 1.
    """
    certain = Channel(((Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))))
    assert renyi_divergence(certain, 2) == math.inf
    with pytest.raises(ValueError, match="order alpha > 1"):
        renyi_divergence(certain, 1)


@given(channels(2, 4, least=0), rates)
def test_best_test_beats_every_other(channel, rate):
    """No mixture of two sets of reports finds the value more often at that
    false-positive rate.
    """
    value, other = channel.rows
    sets = list(
        chained.from_iterable(combinations(range(4), size) for size in range(5))
    )
    points = [
        (sum(other[y] for y in chosen), sum(value[y] for y in chosen))
        for chosen in sets
    ]
    best = best_true_positive_rate(channel, 0, 1, false_positive_rate=rate)
    mixed = [
        high if a == b else low + (high - low) * (rate - a) / (b - a)
        for a, low in points
        for b, high in points
        if a <= rate <= b
    ]
    assert best == max(mixed)


@given(channels(2, 4), rates)
def test_best_test_within_the_bound_of_epsilon(channel, rate):
    """No channel lets a value be recognised better than its epsilon allows."""
    ratio = worst_ratio(channel)
    assert best_true_positive_rate(channel, 0, 1, false_positive_rate=rate) <= min(
        ratio * rate, 1 - (1 - rate) / ratio
    )


@given(st.fractions(min_value=Fraction(1, 10), max_value=5, max_denominator=20), rates)
def test_best_test_of_warner_meets_the_bound(epsilon, rate):
    """Warner's channel is the easiest to test: the two views agree to the last of 70
    digits.
    """
    bound = accounting.best_true_positive_rate(epsilon, rate)
    ratio = accounting.exp_upper(epsilon)
    assert (
        best_true_positive_rate(warner(ratio), 0, 1, false_positive_rate=rate) == bound
    )
    below = best_true_positive_rate(
        warner(ratio * (1 - Fraction(1, 10**70))), 0, 1, false_positive_rate=rate
    )
    assert bound - Fraction(1, 10**69) <= below <= bound


@pytest.mark.parametrize("rate", [Fraction(-1, 2), Fraction(3, 2)])
def test_best_test_of_nonsense(rate):
    """A false-positive rate is a probability."""
    with pytest.raises(ValueError, match="false-positive rate"):
        best_true_positive_rate(warner(Fraction(3)), 0, 1, false_positive_rate=rate)


def _determinant(rows):
    """By expansion along the first row."""
    if not rows:
        return 1
    minors = ([row[:y] + row[y + 1 :] for row in rows[1:]] for y in range(len(rows)))
    return sum(
        (-1) ** y * entry * _determinant(minor)
        for y, (entry, minor) in enumerate(zip(rows[0], minors, strict=True))
    )
