"""The third and fourth moments that intervals of few reports go by, against sums."""

from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from associations import survey_of
from specimens import question

from ldp_aggregator.analyses.association.jumps import joint_jumps
from ldp_aggregator.analyses.association.scores import joint_scores
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.intervals.cumulants import cumulants
from ldp_aggregator.decoders.moments.jumps import jumps_of, repeat_law
from ldp_aggregator.decoders.moments.moments import Moments, ScoreJumps
from ldp_aggregator.decoders.moments.scores import Powers
from ldp_aggregator.decoders.numbers.noise import (
    Noise,
    fold_margins,
    noise_moments,
    score_range,
)
from ldp_aggregator.decoders.numbers.noise_likelihood import likely_shares


def test_jumps_of_a_law():
    """0, 1 and 5 with 70, 20 and 10 %, by hand: the mean is .7, the variance 2.21."""
    jumps = jumps_of(np.array([0.0, 1.0, 5.0]), np.array([0.7, 0.2, 0.1]))
    down, up = 0.7 * 0.7**4, 0.2 * 0.3**4 + 0.1 * 4.3**4
    assert np.isclose(jumps.third, -0.7 * 0.7**3 + 0.2 * 0.3**3 + 0.1 * 4.3**3)
    assert np.isclose(jumps.fourth, down + up - 3 * 2.21**2)
    assert np.isclose(jumps.rising / jumps.falling, up / down)
    assert np.isclose(jumps.rising + jumps.falling, jumps.fourth)
    assert jumps_of(np.array([1.0]), np.array([1.0])) == (0, 0, 0, 0)


def test_repeated_bits():
    """Of three bits that are 1 with 90 or with 20 %: the law of their share, and its
    mean.
    """
    shares, chances = repeat_law(((0.25, 0.9), (0.75, 0.2)), 3)
    assert np.allclose(shares, [0, 1 / 3, 2 / 3, 1])
    assert np.isclose(chances[3], 0.25 * 0.9**3 + 0.75 * 0.2**3)
    assert np.isclose(shares @ chances, 0.25 * 0.9 + 0.75 * 0.2)
    assert np.isclose(chances.sum(), 1)


def test_a_billion_repeats():
    """A share that is all but its rate: the law of two points, and no more numbers than
    needed.
    """
    shares, chances = repeat_law(((0.25, 0.9), (0.75, 0.2)), 10**9)
    of_many = jumps_of(shares, chances)
    plain = jumps_of(np.array([0.9, 0.2]), np.array([0.25, 0.75]))
    assert len(shares) < 2_000_000
    assert np.allclose(of_many, plain, rtol=1e-6)


def score_moments(scores, law, mean):
    """The third and the fourth central moments of scores, and the fourth's part above
    the mean.
    """
    away = scores - mean
    return law @ away**3, law @ away**4, law @ np.where(away > 0, away, 0) ** 4


@pytest.mark.parametrize("reports", [1, 5])
def test_memoized_symbols(reports):
    """Enumerated: whatever the permanent response supports, and each of the reports."""
    from scipy.stats import binom

    randomizer = question(
        "l-grr",
        (
            'type = "category"\nvalues = ["a", "b", "c"]\nepsilon_first = '
            '"1"\nepsilon_lifetime = "3"'
        ),
    ).randomizer
    moments = moments_of(
        randomizer,
        np.array([[40, 30, 30]]),
        "abc",
        design=None,
        reports_per_person=reports,
    )
    lasting, (p, q) = ([float(rate) for rate in step] for step in randomizer.steps)
    for place, (own, mean) in enumerate(zip(lasting, (1, 0), strict=True)):
        scores, chances = [], []
        for holds, ones in product((True, False), range(reports + 1)):
            share = own if holds else 1 - own
            scores.append(
                (ones / reports - made_q(lasting[1], p, q))
                / (lasting[0] - lasting[1])
                / (p - q)
            )
            chances.append(share * binom.pmf(ones, reports, p if holds else q))
        third, fourth, _ = score_moments(np.array(scores), np.array(chances), mean)
        variance = np.array(chances) @ (np.array(scores) - mean) ** 2
        assert np.allclose(
            (moments.variance_if_held, moments.variance_if_not)[place], variance
        )
        if reports > 1:
            assert np.allclose(moments.jumps.third[place], third)
            assert np.allclose(moments.jumps.fourth[place], fourth - 3 * variance**2)


def made_q(lasting, p, q):
    """How often a report supports a value that is not the true one."""
    return lasting * p + (1 - lasting) * q


def test_windows():
    """Three outcomes: no part of the window, a one, a zero.

    The fourth cumulant of holders and of others.
    """
    randomizer = question(
        "dbitflip",
        (
            f'type = "category"\nvalues = {[str(n) for n in range(6)]}\nepsilon = '
            "2\nsampled = 2"
        ),
    ).randomizer
    moments = moments_of(randomizer, np.full((6, 3), 50), ())
    p, q = (float(rate) for rate in randomizer.within)
    scores = np.array([0, 1 - q, -q]) * 3 / (p - q)
    for place, (rate, mean) in enumerate(((p, 1), (q, 0))):
        law = np.array([2 / 3, rate / 3, (1 - rate) / 3])
        third, fourth, _ = score_moments(scores, law, mean)
        variance = law @ (scores - mean) ** 2
        assert np.allclose(
            (moments.variance_if_held, moments.variance_if_not)[place], variance
        )
        assert np.allclose(moments.jumps.third[place], third)
        assert np.allclose(moments.jumps.fourth[place], fourth - 3 * variance**2)


def test_the_likelier_start_is_taken():
    """Of two values, by hand: A = (.8 .2; .2 .8), and shares that .7 and .3 give.

    Unbiased frequencies that deny a value cannot come back to it; equal ones do.
    """
    shares, stays = np.array([0.62, 0.38]), np.full(2, 0.8)
    for unbiased in ([0.7, 0.3], [0.0, 1.0], [0.2, 0.8]):
        likely = likely_shares(shares, np.array(unbiased), stays, step=0.25)
        assert np.allclose(likely, [0.7, 0.3], atol=1e-5)


@pytest.mark.filterwarnings("error")
def test_values_out_of_the_reach_of_noise():
    """Between two ends that are too far apart for any number to come there, nothing is
    held.

    Frequencies that have nothing at one of them make its numbers impossible.
    """
    ends = np.zeros(1000)
    ends[[0, -1]] = 0.25, 0.75
    for unbiased in (ends, np.eye(1000)[0]):
        likely = likely_shares(ends, unbiased, np.full(1000, 0.9), step=1e-3)
        assert np.allclose(likely, ends, atol=1e-6)


@pytest.mark.parametrize("size", [2, 5])
def test_the_range_of_a_noisy_number(size):
    """The least and the greatest score of any number for any value."""
    keys = f'type = "integer"\nlow = 0\nhigh = {size - 1}\nepsilon = 1'
    randomizer = question("geometric", keys).randomizer
    scores = [
        noise_moments(randomizer, alone[None]).frequency
        for alone in np.eye(size, dtype=np.int64)
    ]
    assert np.allclose(
        [float(end) for end in score_range(randomizer)],
        [np.min(scores), np.max(scores)],
    )


@pytest.mark.parametrize("epsilon", ["1", "8"])
def test_noisy_numbers(epsilon):
    """Sums over the channel; of others at their most likely values.

    Each way has its part of the fourth power.
    """
    randomizer = question(
        "geometric", f'type = "integer"\nlow = 0\nhigh = 6\nepsilon = {epsilon}'
    ).randomizer
    counts = np.array([[130, 22, 30, 50, 31, 57, 140]])
    moments, noise = noise_moments(randomizer, counts), Noise.of(randomizer)
    shares = fold_margins(randomizer, counts) / counts.sum()
    likely = likely_shares(shares, moments.frequency, noise.stays, step=noise.step)
    channel = np.array(randomizer.channel().rows, dtype=float)
    for value in range(7):
        scores = noise.own * (np.arange(7) == value) - noise.next * (
            np.abs(np.arange(7) - value) == 1
        )
        third, fourth, _ = score_moments(scores, channel[value], 1)
        assert np.isclose(moments.jumps.third[0][value], third)
        assert np.isclose(moments.jumps.fourth[0][value], fourth)
        others = np.where(np.arange(7) == value, 0, likely)
        law = others @ channel / others.sum()
        third, fourth, up = score_moments(scores, law, 0)
        assert np.isclose(moments.jumps.third[1][value], third)
        assert np.isclose(moments.jumps.fourth[1][value], fourth)
        assert np.isclose(moments.jumps.rising[1][value], up)
        assert np.isclose(moments.jumps.falling[1][value], fourth - up)


@pytest.mark.parametrize(
    "pair", [("grr", "hr"), ("oue", "matrix"), ("she", "exponential"), ("blocks", "ss")]
)
def test_joint_cells(pair):
    """Enumerated for independent answers; for matrices, others hold what their margins
    say.
    """
    survey = survey_of(*pair)
    margins = [np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6])]
    scores, laws = [], []
    for asked in survey:
        rows = asked.randomizer.channel().rows
        channel = np.array(rows, dtype=float)
        inverse = unbiased_scores(asked, len(rows[0]))
        assert np.allclose(channel @ inverse.T, np.eye(3))
        laws.append(channel)
        scores.append(inverse)
    joint = [
        joint_scores(asked, expected_counts(asked, margin), ())
        for asked, margin in zip(survey, margins, strict=True)
    ]
    jumps = joint_jumps(margins, 1_000, joint)
    for x, z in product(range(3), range(3)):
        values = np.outer(scores[0][x], scores[1][z]).ravel()

        def law(u, v):
            return np.outer(laws[0][u], laws[1][v]).ravel()

        cell = 3 * x + z
        third, fourth, _ = score_moments(values, law(x, z), 1)
        variance = law(x, z) @ (values - 1) ** 2
        assert np.isclose(jumps.of_scores.third[0][cell], third)
        assert np.isclose(jumps.of_scores.fourth[0][cell], fourth - 3 * variance**2)
        others = [(u, v) for u, v in product(range(3), range(3)) if (u, v) != (x, z)]
        powers = np.array(
            [[law(*other) @ values**k for k in (2, 3, 4)] for other in others]
        )
        upward = np.array(
            [law(*other) @ np.where(values > 0, values, 0) ** 4 for other in others]
        )
        weights = np.array([margins[0][u] * margins[1][v] for u, v in others])
        second, third, fourth = weights @ powers
        assert np.isclose(jumps.second[cell], second)
        assert np.isclose(jumps.of_scores.third[1][cell], third)
        assert np.isclose(
            jumps.of_scores.rising[1][cell] / jumps.of_scores.fourth[1][cell],
            weights @ upward / fourth,
        )
        assert jumps.few[cell] == (1_000 * second**2 < 100 * fourth)


def powers_of(numbers):
    """Four powers of the scores of some values."""
    return Powers(*(np.array(number) for number in numbers))


def test_joint_cells_of_any_scores():
    """Shares are cut to [0, 1], and cells of which others have nothing jump alike both
    ways.
    """
    own = (
        powers_of([[2.0, 3, 5], [1, 4, 2], [7, 11, 0], [1, -2, 0]]),
        powers_of([[2.0, 4], [3, 1], [9, 8], [2, 5]]),
    )
    others = (
        powers_of([[0.5, 1.5, 0], [0.25, -1, 0], [0.5, 3, 0], [0.125, 2, 0]]),
        powers_of([[0.75, 0], [0.5, 0], [0.2, 0], [-0.1, 0]]),
    )
    margins = [np.array([0.25, 0.5, 1.5]), np.array([-0.5, 1.5])]
    scores = [SimpleNamespace(powers=pair) for pair in zip(own, others, strict=True)]
    jumps = joint_jumps(margins, 1000, scores)
    shares = [np.clip(margin, 0, 1) for margin in margins]

    def of_the_rest(x, z, name, power=1):
        a, b, c, d = (
            getattr(of, name)[at] ** power
            for of, at in zip((*own, *others), (x, z, x, z), strict=True)
        )
        f, g = shares[0][x], shares[1][z]
        return (f * a + (1 - f) * c) * (g * b + (1 - g) * d) - f * g * a * b

    for place, (x, z) in enumerate(product(range(3), range(2))):
        rest = partial(of_the_rest, x, z)
        second, third, fourth = (
            getattr(own[0], k)[x] * getattr(own[1], k)[z]
            for k in ("second", "third", "fourth")
        )
        fourth_held = fourth - 4 * third + 6 * second - 3 - 3 * (second - 1) ** 2
        excess = rest("fourth") - 3 * rest("second", 2)
        upward = (
            (1 + rest("signed") / rest("fourth")) / 2 if rest("fourth") > 0 else 0.5
        )
        assert np.isclose(jumps.second[place], rest("second"))
        assert np.allclose(
            [jump[place] for jump in jumps.of_scores.third],
            [third - 3 * second + 2, rest("third")],
        )
        assert np.allclose(
            [jump[place] for jump in jumps.of_scores.fourth], [fourth_held, excess]
        )
        assert np.allclose(
            [jump[place] for jump in jumps.of_scores.rising],
            [fourth_held, upward * excess],
        )
        assert np.allclose(
            [jump[place] for jump in jumps.of_scores.falling],
            [fourth_held, (1 - upward) * excess],
        )
        assert jumps.few[place] == (1000 * rest("second") ** 2 < 100 * rest("fourth"))
        if rest("second") > 0 and rest("fourth") > 0:
            edge = 100 * rest("fourth") / rest("second") ** 2
            for reports, few in ((0.999 * edge, True), (1.001 * edge, False)):
                assert joint_jumps(margins, reports, scores).few[place] == few
    assert joint_jumps(margins, 1000, [scores[0], SimpleNamespace(powers=None)]) is None
    counted = np.linspace(0, 10, 6)
    doubted = jumps._replace(few=np.array([True, False] * 3), second=np.full(6, 5.0))
    assert doubted.or_expectation(counted).tolist() == [5, 2, 5, 6, 8, 10]


def unbiased_scores(asked, outputs):
    """The scores of each output of a question's channel, (3, outputs)."""
    if not asked.layout.bits and asked.layout.places == 1:
        return np.stack(
            [
                moments_of(asked.randomizer, unit[None], "xyz").frequency
                for unit in np.eye(outputs, dtype=int)
            ]
        ).T
    if asked.layout.places > 1:
        levels = np.array([float(score) for score in asked.randomizer.scores()])
        digits = np.array(
            [
                [number // len(levels) ** place % len(levels) for place in range(3)]
                for number in range(outputs)
            ]
        )
        return levels[digits].T
    p, q = (float(rate) for rate in asked.randomizer.support)
    bits = np.array(
        [[number >> place & 1 for place in range(3)] for number in range(outputs)]
    )
    return (bits.T - q) / (p - q)


def expected_counts(asked, shares):
    """A tally with the shares of the symbols that are expected.

    Of others, only its shape matters.
    """
    if asked.layout.bits or asked.layout.places > 1:
        return np.ones((1, asked.layout.cells))
    return 1e9 * shares[None] @ np.array(asked.randomizer.channel().rows, dtype=float)


def test_each_way_has_its_own_step():
    """Rare upward jumps of others give a step up, as large as a report's worth, hardly
    one down.
    """
    asked = question(
        "dbitflip",
        (
            f'type = "category"\nvalues = {[str(n) for n in range(9)]}\nepsilon = '
            "8\nsampled = 1"
        ),
    )
    moments = moments_of(asked.randomizer, np.full((9, 2), 20), ())
    laws = cumulants(moments, 0.0, "respondents")
    p, q = (float(rate) for rate in asked.randomizer.within)
    assert np.all(laws.up > 10 * laws.down)
    assert np.all(laws.up < 9 * (1 - q) / (p - q) / moments.reports)


@pytest.mark.parametrize("directions", [{}, {"rising": -6.0, "falling": -2.0}])
def test_lighter_tails_than_normal_have_no_step(directions):
    """A fourth cumulant below 0 has no root: the tails need no correction."""
    pairs = {
        name: (np.full(2, part), np.full(2, part)) for name, part in directions.items()
    }
    moments = Moments(
        10,
        np.array([0.2, 0.8]),
        np.full(2, 4.0),
        variance_if_not=np.full(2, 4.0),
        covariance=lambda: np.eye(2),
        jumps=ScoreJumps(
            (np.zeros(2), np.zeros(2)), (np.full(2, -8.0), np.full(2, -8.0)), **pairs
        ),
    )
    variance, up, down = cumulants(moments, moments.frequency, "respondents")
    assert variance.tolist() == [0.4, 0.4]
    assert (up.tolist(), down.tolist()) == ([0, 0], [0, 0])
