"""Where something begins to hold: nowhere, at an end, or between."""

from fractions import Fraction

import pytest

from ldp_aggregator.numerics.bisection import least_share, least_whole


@pytest.mark.parametrize("low", [0, 1, 5])
@pytest.mark.parametrize("start", range(12))
def test_least_whole_is_the_first_that_holds(low, start):
    """It is what a search one by one finds, wherever the first lies."""
    least = next((number for number in range(low, 11) if number >= start), None)
    assert least_whole(low, 10, lambda number: number >= start) == least


@pytest.mark.parametrize("start", [0, Fraction(1, 3), 1e-9, 0.5, 1])
def test_least_share_is_close_from_above(start):
    """It holds for what is found, which is at most 2^-52 too large."""
    least = least_share(lambda share: share >= start)
    assert 0 <= Fraction(least) - Fraction(start) <= Fraction(1, 2**52)
    assert least_share(lambda _: False) is None


@pytest.mark.parametrize("start", [0, 0.5, 1, 2])
def test_nothing_but_shares_is_tried(start):
    """No number below 0 or above 1 is asked about."""
    tried = []

    def holds(share):
        tried.append(share)
        return share >= start

    least_share(holds)
    assert 0 <= min(tried) <= max(tried) == 1
