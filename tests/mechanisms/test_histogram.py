"""Histogram encodings: thresholded or discrete Laplace noise, with the errors that
follow.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from associations import law_of, survey_of
from specimens import question

from ldp.answers.integers import IntegerDomain
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.values.histogram import MOST_LEVELS, NoisyHistogram
from ldp.numbers.exact import exp_lower, fraction, log, sqrt_lower
from ldp.numbers.randomness import WORD, Replay
from ldp_aggregator.decoders.table import decoder_of

EPSILONS = ("0.01", "0.3", "1", "2", "4", "8", "40")
HAIR = Fraction(MOST_LEVELS, 1 << WORD)
"""What rounding each threshold down to a multiple of 2^-64 adds up to."""


def encoding(mechanism, epsilon):
    return question(mechanism, f'type = "boolean"\nepsilon = "{epsilon}"').randomizer


def folded_laplace(a, levels, centre):
    """P[N = k] = a^|k| (1-a) / (1+a) about 0 or 1, the last levels with all beyond
    them.
    """
    numbers = range(1 - levels // 2, levels // 2 + 1)
    inside = [a ** abs(number - centre) * (1 - a) / (1 + a) for number in numbers]
    ends = (a ** abs(number - centre) / (1 + a) for number in (numbers[0], numbers[-1]))
    return [next(ends), *inside[1:-1], next(ends)]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("holds", [False, True])
def test_two_steps_are_discrete_laplace_noise(epsilon, holds):
    """A side and a distance have the noise's law about 0 or 1, to 2^-56, and all levels
    occur.
    """
    randomizer = encoding("she", epsilon)
    p, q = randomizer.sides.support
    law = randomizer.level_law(holds=holds)
    expected = folded_laplace(q / p, randomizer.levels, int(holds))
    assert all(
        abs(mass - exact) <= HAIR for mass, exact in zip(law, expected, strict=True)
    )
    assert min(law) > 0
    assert sum(law) == 1


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_summed_variance(epsilon):
    """At most 2 a / (1-a)^2, twice that of SUE, and next to it where hardly any is
    folded.
    """
    randomizer = encoding("she", epsilon)
    p, q = randomizer.sides.support
    noise = 2 * p * q / (p - q) ** 2
    beyond = float(q / p) ** (MOST_LEVELS // 2)
    assert (
        1 - 2 * MOST_LEVELS * beyond - 1e-9
        <= float(randomizer.variance() / noise)
        <= 1 + 1e-15
    )


@pytest.mark.parametrize(("epsilon", "delivered"), [("1", 0.896), ("4", 2.859)])
def test_thresholding_wastes_epsilon(epsilon, delivered):
    """The bits reveal less than the noisy numbers that they stand for, as
    documented.
    """
    assert log(encoding("the", epsilon).ratio) == pytest.approx(delivered, abs=0.5e-3)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_threshold_of_least_variance(epsilon):
    """Both rates are Laplace tails beyond the threshold of the smallest variance."""
    p, q = encoding("the", epsilon).support
    s = exp_lower(fraction(epsilon) / 2)

    def variance(u):
        own, other = 1 - u / (2 * s), 1 / (2 * u)
        return other * (1 - other) / (own - other) ** 2

    u = 1 / (2 * q)
    assert abs(p - (1 - u / (2 * s))) <= HAIR / q
    assert variance(u) < min(
        variance(u * nudge)
        for nudge in (Fraction(9999, 10_000), Fraction(10_001, 10_000))
    )
    assert variance(u) <= min(
        variance(1 + (s - 1) * Fraction(step, 64)) for step in range(1, 64)
    )


@pytest.mark.parametrize(
    ("epsilon", "threshold"),
    [("0.5", 0.5616), ("1", 0.6186), ("2", 0.7096), ("4", 0.8157)],
)
def test_published_thresholds(epsilon, threshold):
    """The threshold itself, for which q is half of e^(-epsilon t / 2)."""
    _, q = encoding("the", epsilon).support
    assert -2 * math.log(2 * q) / float(epsilon) == pytest.approx(
        threshold, abs=0.5001e-4
    )


@pytest.mark.parametrize(
    "square",
    [Fraction(0), Fraction(2), Fraction(1, 3), Fraction(10**30 + 1), Fraction(49, 25)],
)
def test_square_roots(square):
    """A lower bound, below the root by at most 10^-80."""
    root = sqrt_lower(square)
    assert root**2 <= square < (root + Fraction(1, 10**80)) ** 2


def test_bits_beyond_a_word_do_not_count():
    """Distances are drawn from words of 4 bits, whatever else is in their bytes."""
    histogram = NoisyHistogram(1, 8, 5, word=4)
    for drawn in range(16):
        plain, full = (
            histogram.randomize(0, Replay(bytes([1, 0, 0, 0, above | drawn])))
            for above in (0, 0xF0)
        )
        assert plain == full


@pytest.mark.parametrize(("word", "width"), [(4, 1), (8, 1), (9, 2), (64, 8)])
def test_a_distance_takes_whole_bytes(word, width):
    """All distances are drawn at once, with as many bytes each as its word needs."""
    asked = []

    def random(size):
        asked.append(size)
        return bytes(size)

    NoisyHistogram(3, 8, 5, word=word).randomize(0, random)
    assert asked[-1] == 3 * width


def test_chances_of_levels():
    """The least and the greatest chance of each, over the values that may be held, at
    any place.
    """
    asked = survey_of("she", "grr")["a"]
    rows, laws = law_of(asked)
    least, greatest = decoder_of(asked.randomizer).report_law.payload_chances(
        asked.randomizer
    )
    for place in range(3):
        at_place = [
            laws[:, rows[:, place] == level].sum(axis=1)
            for level in range(asked.randomizer.levels)
        ]
        np.testing.assert_allclose(
            least, [chances.min() for chances in at_place], atol=1e-12
        )
        np.testing.assert_allclose(
            greatest, [chances.max() for chances in at_place], atol=1e-12
        )


def test_the_most_values_with_a_number_each():
    """16,384, each with its own in a report."""
    accepts = MECHANISMS["she"].accepts
    assert accepts(IntegerDomain(range(1 << 14))) is None
    assert accepts(IntegerDomain(range((1 << 14) + 1)))
