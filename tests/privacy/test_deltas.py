"""Bounds of a batch's delta: outward rounded integers against exact fractions and
floats.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from data_sets import exact_delta

from ldp.mechanisms.blankets import Blanket, of_any, of_rates, two_levels
from ldp.numbers.exact import exp_lower, fraction, log_upper, odds
from ldp.privacy.batches import batch_epsilon, power, rounded_up
from ldp.privacy.deltas import Effort, cover_blocks, delta_above, delta_below, fine
from ldp.privacy.laws import BITS, UNIT, binomial

EXACT = Effort(blocks=100, stretches=100, parts=100)
"""Every block, stretch and part is a single number."""


def symbols(size, epsilon):
    """K-ary response."""
    return two_levels(
        Fraction(*odds(fraction(epsilon))), Fraction(1, size), Fraction(0)
    )


def subsets(size, epsilon):
    """Subset selection."""
    ratio = Fraction(*odds(fraction(epsilon)))
    chosen = max(1, round(size / (ratio + 1)))
    share = Fraction(chosen, size)
    apart = share * Fraction(size - chosen, size - 1)
    return two_levels(ratio, apart, share * Fraction(chosen - 1, size - 1))


BLANKETS = (
    symbols(2, "1"),
    symbols(16, "1"),
    symbols(5, "3"),
    subsets(100, "1"),
    subsets(4, "2"),
    of_any(Fraction(3)),
    of_rates(Fraction(3, 4), Fraction(1, 8)),
    two_levels(Fraction(5), Fraction(1, 4), Fraction(1, 4)),
)


@pytest.mark.parametrize("blanket", BLANKETS)
@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_bounds_hold_what_is_exact(blanket: Blanket, count):
    """Above and below the sum over all draws; and next to it where nothing is put
    together.
    """
    for t in (Fraction(1), Fraction(21, 20), Fraction(3, 2)):
        exact = exact_delta(blanket, count, t)
        assert delta_below(blanket, count, t) <= exact <= delta_above(blanket, count, t)
        nearest = delta_above(blanket, count, t, effort=EXACT)
        # One in 10,000,000, which support both least often, counts as if none did.
        spare = Fraction(1, 10**6) if blanket.both else Fraction(1, 10**14)
        assert exact <= nearest <= exact + spare
        coarse = Effort(blocks=2, stretches=2, parts=2)
        assert delta_below(blanket, count, t, effort=coarse) <= exact
        assert exact <= delta_above(blanket, count, t, effort=coarse)


def test_laws_hold_what_is_exact():
    """Each probability from below and from above, the ends included."""
    for count, chance in (
        (7, Fraction(1, 3)),
        (200, Fraction(1, 50)),
        (64, Fraction(9, 10)),
    ):
        law = binomial(count, chance)
        listed = dict(enumerate(zip(law.low, law.high, strict=True), law.start))
        for k in range(count + 1):
            exact = (
                math.comb(count, k)
                * chance**k
                * (1 - chance) ** (count - k)
                * (1 << BITS)
            )
            if k in listed:
                low, high = listed[k]
                assert law.at_least(low) <= exact <= law.at_most(high)
                assert law.at_most(high) - law.at_least(low) < 1 << BITS - 100
        for masses, ends in (
            ((0, law.start), law.below),
            ((law.end, count + 1), law.above),
        ):
            beyond = sum(
                math.comb(count, k) * chance**k * (1 - chance) ** (count - k)
                for k in range(*masses)
            )
            assert beyond * (1 << BITS) <= law.at_most(ends)


def delta_in_floats(blanket, count, t):
    """The formula in floats, for mechanisms whose reports support one answer at
    most.
    """
    from scipy.stats import binom

    first = float(blanket.first)
    gamma, apart = float(blanket.gamma), float(2 * blanket.only_first)
    spread = math.sqrt(count * gamma * (1 - gamma))
    middle = (count - 1) * gamma
    draws = 1 + np.arange(
        max(0, int(middle - 8 * spread)), min(count, int(middle + 8 * spread))
    )
    chances = binom.pmf(draws - 1, count - 1, gamma)
    if apart == 1:
        # Every draw supports one of the two: all numbers of draws at once.
        return float(
            np.sum(chances * gains_in_floats(first, t, draws, s=draws) * gamma / draws)
        )
    total = 0.0
    for m, chance in zip(draws, chances, strict=True):
        reach = 8 * math.sqrt(m * apart * (1 - apart)) + 2
        s = np.arange(
            max(0, int(m * apart - reach)), min(m, int(m * apart + reach)) + 1
        )
        gain = gains_in_floats(first, t, m, s=s)
        total += chance * gamma / m * float(np.sum(binom.pmf(s, m, apart) * gain))
    return total


def gains_in_floats(first, t, draws, s):
    """The mean gain of so many draws, s of which support one of two answers."""
    from scipy.stats import binom

    lost = (t * first - 1) * s + (t - 1) * (draws - s)
    alpha = (first - 1) * (1 + t)
    least = np.floor(lost / alpha) + 1
    gain = alpha * s / 2 * binom.sf(least - 2, s - 1, 0.5) - lost * binom.sf(
        least - 1, s, 0.5
    )
    return np.maximum(gain, 0)


@pytest.mark.parametrize(
    ("size", "epsilon", "count", "over"),
    [
        (16, "1", 1_000, 0.01),
        (16, "2", 10_000, 0.01),
        (2, "1", 10_000, 0.01),
        (2, "6", 10**6, 0.002),
    ],
)
def test_certified_epsilons_are_above_floats_and_near_to_them(
    size, epsilon, count, over
):
    """At most 1 % above up to 10,000 reports, .2 % at a million."""
    delta = Fraction(1, 10**6)
    blanket = symbols(size, epsilon)
    certified = float(batch_epsilon(blanket, count, delta))
    assert delta_in_floats(blanket, count, math.exp(certified)) <= delta
    assert delta_in_floats(blanket, count, math.exp(certified / (1 + over))) > delta


TABLE = (
    (1_000, "1e-6", symbols(16, "1"), 0.06436),
    (1_000, "1e-6", subsets(100, "1"), 0.10385),
    (10_000, "1e-6", symbols(2, "1"), 0.04327),
    (10_000, "1e-6", symbols(16, "1"), 0.01860),
    (10_000, "1e-6", symbols(100, "2"), 0.02922),
    (10_000, "1e-6", of_any(exp_lower(Fraction(1))), 0.05301),
    (100_000, "1e-8", symbols(1000, "2"), 0.00352),
)


@pytest.mark.parametrize(("count", "delta", "blanket", "epsilon"), TABLE)
def test_published_figures(count, delta, blanket, epsilon):
    """To 2 thousandths (docs/shuffle-figures.md has all of them)."""
    figure = float(batch_epsilon(blanket, count, Fraction(delta)))
    assert figure == pytest.approx(epsilon, rel=2e-3, abs=6e-6)


def test_any_randomizer_lies_in_the_published_interval():
    """Feldman, McMillan and Talwar's program: n 100,000, epsilon 4, delta 1e-6."""
    figure = batch_epsilon(of_any(exp_lower(Fraction(4))), 100_000, Fraction(1, 10**6))
    assert Fraction("0.16754") <= figure <= Fraction("0.17279")


def test_a_quick_epsilon_is_no_less_and_not_much_more():
    """A percent or two: what is said at once against what is certified."""
    for blanket in (BLANKETS[1], BLANKETS[3]):
        quick = batch_epsilon(blanket, 2_000, Fraction(1, 10**6), finely=False)
        certified = batch_epsilon(blanket, 2_000, Fraction(1, 10**6))
        assert certified <= quick <= certified * Fraction(103, 100)


@pytest.mark.parametrize("both", [False, True])
def test_certificates_of_up_to_a_million_take_seconds(both):
    """Steps grow with blocks, parts and the root of how many: at no number a multiple
    of others'.

    5 seconds of one core are some 90,000 of them; a million takes 48,000 to 60,000.
    """
    for count in (300, 2_999, 3_000, 29_999, 30_000, 100_000, 299_999, 300_000, 10**6):
        effort = fine(count, both)
        assert effort.blocks * effort.parts * math.sqrt(count) < 90_000, count


def test_a_batch_of_one_and_one_too_small_hide_nobody():
    """What is left is one report's epsilon."""
    local = rounded_up(Fraction(log_upper(symbols(5, "3").first)))
    assert batch_epsilon(symbols(5, "3"), 1, Fraction(1, 10**8)) == local
    assert batch_epsilon(symbols(5, "3"), 4, Fraction(1, 10**8)) == local


def test_powers_are_never_more_than_they_are_said_to_be():
    """e^epsilon from below, to 30 decimals."""
    for text in ("0.01", "0.5", "2"):
        assert (
            power(Fraction(text))
            <= exp_lower(Fraction(text))
            < power(Fraction(text)) + Fraction(1, 10**29)
        )


def test_numbers_out_of_range_are_refused():
    """No reports, and an epsilon below 0."""
    with pytest.raises(ValueError, match="at least 1 report"):
        delta_above(symbols(5, "3"), 0, Fraction(2))
    with pytest.raises(ValueError, match="t >= 1"):
        delta_above(symbols(5, "3"), 5, Fraction(1, 2))
    assert delta_above(symbols(5, "3"), 5, Fraction(500)) == 0


@pytest.mark.parametrize("blocks", [1, 3, 500])
def test_no_mass_of_the_covers_is_lost(blocks):
    """With what is left out it is 1 or more for an upper bound, and no more for a
    lower.
    """
    for above in (True, False):
        listed, rest = cover_blocks(400, Fraction(1, 3), blocks, above=above)
        mass = sum(mass for _, mass in listed) + rest
        least, most = (
            (UNIT, UNIT + UNIT // 1000) if above else (UNIT - UNIT // 1000, UNIT)
        )
        assert least <= mass <= most


def test_laws_are_rounded_both_ways():
    """Each mass lies between its two numbers, which differ away from the mode."""
    law = binomial(49, Fraction(1, 3))
    mode = law.high.index(max(law.high))
    exact = [math.comb(49, k) * 2 ** (49 - k) for k in range(50)]
    unit = Fraction(law.high[mode], exact[law.start + mode])
    for at, (low, high) in enumerate(zip(law.low, law.high, strict=True)):
        assert low <= unit * exact[law.start + at] <= high
        assert at == mode or low < high
