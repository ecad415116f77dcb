"""Channels written out: privacy, chains and inverses, in exact arithmetic."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp.numbers.channel import (
    Channel,
    chain,
    has_full_rank,
    inverse,
    worst_ratio,
)


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


def test_channels_that_do_not_fit():
    """A chain needs a row for each report of the first channel."""
    half, third = Fraction(1, 2), Fraction(1, 3)
    two, three = Channel(((half, half),) * 2), Channel(((third, third, third),) * 3)
    with pytest.raises(ValueError, match="zip"):
        chain(two, three)


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


def _determinant(rows):
    """By expansion along the first row."""
    if not rows:
        return 1
    minors = ([row[:y] + row[y + 1 :] for row in rows[1:]] for y in range(len(rows)))
    return sum(
        (-1) ** y * entry * _determinant(minor)
        for y, (entry, minor) in enumerate(zip(rows[0], minors, strict=True))
    )
