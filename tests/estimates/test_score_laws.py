"""The moments that estimators state, against sums over all the reports that can come.

The tally is the expected one for shares that differ by value, so that estimates are those shares,
and whatever an estimator takes from its tally is what it stands for.
"""

from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from specimens import SMALL
from written_out import counts_of, reports_of, scores

from ldp.channel import right_inverse
from ldp.errors import EstimateError
from ldp.mechanisms.histogram import NoisyHistogram
from ldp.mechanisms.matrix import StochasticMatrix
from ldp.mechanisms.sketches import CountMean, collision
from ldp_aggregator.decoders.matrix import decoding
from ldp_aggregator.decoders.sketch import sketch_moments
from ldp_aggregator.estimates.cumulants import TOLERANCE, Cumulants, cumulants, far_from_normal
from ldp_aggregator.estimates.estimation import moments_of
from ldp_aggregator.moments.moments import Moments, fourth_of_rates, third_of_rates

CLOSED = {
    each.name: each.randomizer
    for each in SMALL
    if each.randomizer.kind in ("pure", "matrix", "sum", "sampled", "noise")
    and not hasattr(each.randomizer, "most")
}


def shares_of(size):
    """Shares of so many values, all different and none 0."""
    total = size * (size + 1) // 2
    return [Fraction(value + 1, total) for value in range(size)]


def expected_tally(randomizer):
    """The counts that are expected, of as many reports as make them whole."""
    rows = randomizer.channel().rows
    shares = shares_of(len(rows))
    masses = [
        sum(share * row[column] for share, row in zip(shares, rows, strict=True))
        for column in range(len(rows[0]))
    ]
    reports = lcm(*(mass.denominator for mass in masses)) * 1000
    often = {
        report: int(mass * reports)
        for report, mass in zip(reports_of(randomizer), masses, strict=True)
    }
    return counts_of(randomizer, often)


def central(law, score, mean):
    """The second, third and fourth central moments of a score, and what of the fourth is above its
    mean.
    """
    away = score - mean
    return (*(law @ away**power for power in (2, 3, 4)), law @ np.maximum(away, 0) ** 4)


def close(found, expected):
    return np.allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("randomizer", CLOSED.values(), ids=CLOSED)
def test_moments_are_those_of_every_report(randomizer):
    """Second, third and fourth, of who holds a value and of the mean of the others.

    Upwards and downwards.
    """
    found = moments_of(randomizer, expected_tally(randomizer), ())
    score = np.array(scores(randomizer), dtype=float)
    laws = np.array(randomizer.channel().rows, dtype=float)
    shares = np.array(shares_of(len(laws)), dtype=float)
    assert close(found.frequency, shares)
    for value, share in enumerate(shares):
        others = np.where(np.arange(len(shares)) == value, 0, shares)
        pairs = [
            (laws[value], 1, found.hold, found.third[0]),
            (others @ laws / (1 - share), 0, found.other, found.third[1]),
        ]
        for place, (law, mean, second, third) in enumerate(pairs):
            spread, cube, quartic, above = central(law, score[:, value], mean)
            assert close((second[value], third[value]), (spread, cube))
            if found.fourth is None:
                continue
            if randomizer.kind == "noise":
                parts = (quartic, above, quartic - above) if place else (quartic, quartic, quartic)
            else:
                fourth = quartic - 3 * spread**2
                parts = (fourth, fourth * above / quartic, fourth * (1 - above / quartic))
            held = [each[place][value] for each in (found.fourth, found.rising, found.falling)]
            assert close(held, parts)


@pytest.mark.parametrize("randomizer", CLOSED.values(), ids=CLOSED)
def test_covariance_is_that_of_every_report(randomizer):
    """For the respondents: of the scores of each, given what they hold.

    Refused where pairs are not even.
    """
    found = moments_of(randomizer, expected_tally(randomizer), ())
    if randomizer.kind == "pure" and randomizer.joint_support() is None:
        with pytest.raises(EstimateError, match="support pairs of values evenly"):
            found.covariance()
        return
    score = np.array(scores(randomizer), dtype=float)
    laws = np.array(randomizer.channel().rows, dtype=float)
    shares = np.array(shares_of(len(laws)), dtype=float)
    exact = score.T @ ((shares @ laws)[:, None] * score) - np.diag(shares)
    assert close(found.reports * found.covariance(), exact)


def test_a_matrix_of_two_reports_is_one_count():
    """Whose rates differ by value; a larger one is not."""
    found = moments_of(StochasticMatrix(((11, 5), (2, 14))), np.array([[30, 70]]), ())
    assert found.supports.tolist() == [30, 70]
    assert close(found.rates[0], [11 / 16, 14 / 16])
    assert close(found.rates[1], [2 / 16, 5 / 16])
    assert (
        moments_of(StochasticMatrix(((3, 2, 1), (1, 1, 4))), np.array([[30, 30, 40]]), ()).rates
        is None
    )


def test_shares_that_cannot_be_weigh_nothing():
    """Of the values that another may hold, those whose estimates are below 0 or above 1 count as 0
    or 1.
    """
    found = moments_of(
        StochasticMatrix(((5, 3, 2), (1, 7, 2), (2, 2, 6))), np.array([[600, 20, 380]]), ()
    )
    rows = [[0.5, 0.3, 0.2], [0.1, 0.7, 0.2], [0.2, 0.2, 0.6]]
    score = np.linalg.inv(rows)
    held = np.clip(found.frequency, 0, 1)
    assert found.frequency.min() < 0
    assert found.frequency.max() > 1 or held.max() < 1
    for value in range(3):
        weights = np.where(np.arange(3) == value, 0, held)
        law = weights @ np.array(rows) / weights.sum()
        assert close(
            (found.other[value], found.third[1][value]),
            [law @ score[:, value] ** power for power in (2, 3)],
        )


def test_values_that_nobody_holds_have_a_law():
    """If all hold one value, its others are all values alike."""
    rows = np.array([[0.5, 0.3, 0.2], [0.1, 0.7, 0.2], [0.2, 0.2, 0.6]])
    found = moments_of(
        StochasticMatrix(((5, 3, 2), (1, 7, 2), (2, 2, 6))), np.array([[500, 300, 200]]), ()
    )
    score = np.linalg.inv(rows)
    law = (rows[1] + rows[2]) / 2
    assert np.allclose(found.other[0], law @ score[:, 0] ** 2, rtol=1e-3)


@pytest.mark.parametrize("weights", [((3, 2, 1), (1, 1, 4)), ((5, 3, 2), (1, 7, 2), (2, 2, 6))])
def test_the_inverse_of_a_channel(weights):
    """The one that `ldp.channel` has in fractions, also of a channel with more
    reports than values.
    """
    channel = StochasticMatrix(weights).channel()
    exact = np.array(right_inverse(channel), dtype=float)
    assert close(decoding(np.array(channel.rows, dtype=float)), exact)


@pytest.mark.parametrize(("p", "q"), [(0.75, 0.1), (0.2, 0.6)])
def test_cumulants_of_two_rates(p, q):
    """Of (support - q) / (p - q), summed over its two outcomes."""
    score = np.array([1 - q, -q]) / (p - q)
    for place, (rate, mean) in enumerate(((p, 1), (q, 0))):
        second, third, fourth, _ = central(np.array([rate, 1 - rate]), score, mean)
        assert close(third_of_rates(p, q)[place], third)
        assert close(fourth_of_rates(p, q)[place], fourth - 3 * second**2)


def test_noisy_numbers_are_independent():
    """The estimate is the mean score of the numbers at the value's place."""
    made = NoisyHistogram(2, 4, 1, word=2)
    level = [float(score) for score in made.scores()]
    found = moments_of(made, np.array([[1, 2, 3, 4], [4, 3, 2, 1]]), ())
    assert close(
        found.frequency, [np.dot([1, 2, 3, 4], level) / 10, np.dot([4, 3, 2, 1], level) / 10]
    )
    assert close(found.covariance(), np.eye(2) * float(made.variance()) / 10)


def test_some_of_the_values():
    """Every array goes with its value, also where only one number stands for all."""
    numbers = iter(range(1, 100))

    def array():
        return np.arange(4.0) + 10 * next(numbers)

    def both():
        return array(), array()

    made = Moments(
        100,
        array(),
        array(),
        other=array(),
        covariance=lambda: np.eye(4),
        supports=array(),
        rates=both(),
        below=both(),
        lasting=array(),
        third=both(),
        fourth=both(),
        rising=both(),
        falling=both(),
        lasting_third=array(),
        lasting_fourth=array(),
        unknown=np.array([True, False, False, True]),
    )
    some = made.of_values(np.array([3, 1]))
    for name in (
        "frequency",
        "hold",
        "other",
        "supports",
        "lasting",
        "lasting_third",
        "lasting_fourth",
        "unknown",
    ):
        assert getattr(some, name).tolist() == getattr(made, name)[[3, 1]].tolist()
    for name in ("rates", "below", "third", "fourth", "rising", "falling"):
        assert [each.tolist() for each in getattr(some, name)] == [
            each[[3, 1]].tolist() for each in getattr(made, name)
        ]
    plain = Moments(100, array(), array(), other=array(), covariance=lambda: np.eye(4)).of_values(
        np.array([0])
    )
    assert [
        plain.lasting.tolist(),
        plain.lasting_third.tolist(),
        plain.lasting_fourth.tolist(),
    ] == [[0], [0], [0]]
    assert plain.supports is plain.rates is plain.below is plain.third is plain.unknown is None


SKETCHES = {
    each.name: each.randomizer
    for each in SMALL
    if each.randomizer.kind == "sketch" and each.randomizer.size > 2
}


@pytest.mark.parametrize("sketch", SKETCHES.values(), ids=SKETCHES)
def test_sketches(sketch):
    """Frequencies and noise of one count.

    Of meetings, the cumulants of as many throws as there are hash functions.
    """
    reports = reports_of(sketch)
    counts = counts_of(
        sketch, {report: 40 + 60 * (number % 3) for number, report in enumerate(reports)}
    )
    found = sketch_moments(sketch, counts)
    c, cohorts = float(collision(sketch.buckets)), sketch.cohorts
    p, within = (float(rate) for rate in sketch.within)
    q = c * p + (1 - c) * within
    often = np.array([40 + 60 * (number % 3) for number in range(len(reports))])
    frequency = often @ np.array(scores(sketch), dtype=float) / often.sum()
    assert found.reports == often.sum()
    assert close(found.frequency, frequency)
    share = c / (1 - c) / cohorts
    hold, other = p * (1 - p) / (p - q) ** 2, q * (1 - q) / (p - q) ** 2 - share
    assert close(found.hold, hold)
    assert close(found.other, other)
    noise = np.sum(frequency * hold + (1 - frequency) * other) / often.sum()
    squares = max(0, (np.sum(frequency**2) - noise) / (1 + (sketch.size - 1) * share))
    held = np.clip(frequency, 0, 1)
    assert close(found.lasting, share * np.maximum(squares - held**2, 0))
    for value in range(sketch.size):
        jumps = np.delete(held, value) / ((1 - c) * cohorts)
        third, fourth = c * (1 - c) * (1 - 2 * c), c * (1 - c) * (1 - 6 * c * (1 - c))
        assert close(found.lasting_third[value], cohorts * third * np.sum(jumps**3))
        assert close(found.lasting_fourth[value], cohorts * fourth * np.sum(jumps**4))
    for place in (0, 1):
        assert close(found.third[place], third_of_rates(p, q)[place])
        assert close(found.fourth[place], fourth_of_rates(p, q)[place])
    assert f"{np.sqrt(found.lasting.max()):.2g} of each" in found.note
    assert f"{cohorts} hash functions" in found.note
    with pytest.raises(EstimateError, match="covariance"):
        found.covariance()


@pytest.mark.parametrize("sketch", SKETCHES.values(), ids=SKETCHES)
def test_sketches_of_one_value_alone(sketch):
    """An estimate above 1, where all reports support one value, counts as 1 in
    what meetings add.
    """
    row = sketch.channel().rows[0]
    often = {
        report: int(mass == max(row)) for report, mass in zip(reports_of(sketch), row, strict=True)
    }
    found = sketch_moments(sketch, counts_of(sketch, often))
    assert found.frequency[0] > 1
    c, held = float(collision(sketch.buckets)), np.clip(found.frequency, 0, 1)
    noise = (
        found.frequency * found.hold + (1 - found.frequency) * found.other
    ).sum() / found.reports
    share = c / (1 - c) / sketch.cohorts
    squares = ((found.frequency**2).sum() - noise) / (1 + (sketch.size - 1) * share)
    assert close(found.lasting, share * np.maximum(squares - held**2, 0))
    cubes = 1 + (held[1:] ** 3).sum() - held[1:] ** 3
    assert close(found.lasting_third[1:], c * (1 - 2 * c) / ((1 - c) * sketch.cohorts) ** 2 * cubes)


def test_sketches_that_say_less_than_noise():
    """A sum of squares that is below its noise is taken for 0."""
    sketch = CountMean(4, 1, 3, if_true=6, if_other=1, hash_seed=0, word=3)
    counts = counts_of(sketch, dict.fromkeys(reports_of(sketch), 1))
    assert sketch_moments(sketch, counts).lasting.tolist() == [0, 0, 0, 0]


OWN = np.array([0.1, 0.7, 1.0, 4.2]), np.array([0.3, 0.35, 0.3, 0.05])
OTHER = np.array([-1.0, 0.0, 3.0]), np.array([0.45, 0.45, 0.15])


def with_mean(pair, mean):
    """A law of a score, moved to have this mean; chances that sum to 1."""
    score, law = pair
    law = law / law.sum()
    return score - score @ law + mean, law


def laws_of_scores(**more):
    """The moments of two small laws, for 50 reports, and the laws."""
    laws = with_mean(OWN, 1), with_mean(OTHER, 0)
    sums = [central(law, score, mean) for (score, law), mean in zip(laws, (1, 0), strict=True)]
    third = tuple(np.array([each[1]]) for each in sums)
    made = Moments(
        50,
        np.array([0.3]),
        np.array([sums[0][0]]),
        other=np.array([sums[1][0]]),
        covariance=lambda: np.eye(1),
        third=third,
        **more,
    )
    return made, laws, [each[2] - 3 * each[0] ** 2 for each in sums]


def of_a_score(laws, frequency, estimand):
    """The second to the fourth cumulant of one respondent's score: given what
    they hold, or drawn.
    """
    if estimand == "population":
        score = np.concatenate([score for score, _ in laws])
        law = np.concatenate(
            [share * law for share, (_, law) in zip((frequency, 1 - frequency), laws, strict=True)]
        )
        second, third, fourth, _ = central(law, score, frequency)
        return second, third, fourth - 3 * second**2
    parts = [central(law, score, mean) for (score, law), mean in zip(laws, (1, 0), strict=True)]
    each = [(second, third, fourth - 3 * second**2) for second, third, fourth, _ in parts]
    return tuple(
        frequency * own + (1 - frequency) * other for own, other in zip(*each, strict=True)
    )


@pytest.mark.parametrize("estimand", ["respondents", "population"])
@pytest.mark.parametrize("frequency", [0.0, 0.2, 0.7, 1.0])
def test_cumulants_are_those_of_the_mixture(frequency, estimand):
    """Summed over all outcomes of a respondent's score.

    With what does not shrink, and each way with its own part.
    """
    made, laws, fourths = laws_of_scores(lasting=0.01, lasting_third=0.002, lasting_fourth=0.003)
    second, third, fourth = of_a_score(laws, frequency, estimand)
    variance = second / 50 + 0.01
    found = cumulants(made, frequency, estimand)
    step = (third / 50**2 + 0.002) / variance
    assert close(found, Cumulants(*(np.array([each]) for each in (variance, step, -step))))
    fourth_of = tuple(np.array([fourth]) for fourth in fourths)
    made, _, _ = laws_of_scores(lasting=0.01, lasting_fourth=0.003, fourth=fourth_of)
    found = cumulants(made, frequency, estimand)
    step = np.sqrt(max((fourth / 50**3 + 0.003) / variance, 0))
    assert close(found, Cumulants(*(np.array([each]) for each in (variance, step, step))))
    rising, falling = (
        tuple(0.8 * each for each in fourth_of),
        tuple(0.2 * each for each in fourth_of),
    )
    made, _, _ = laws_of_scores(
        lasting=0.01, lasting_fourth=0.003, fourth=fourth_of, rising=rising, falling=falling
    )
    found = cumulants(made, frequency, estimand)
    given = of_a_score(laws, frequency, "respondents")[2]
    up = 0.8 * given + (1 - frequency) * (fourth - given)
    down = 0.2 * given + frequency * (fourth - given)
    assert close(found.up, np.sqrt(max((up / 50**3 + 0.003) / variance, 0)))
    assert close(found.down, np.sqrt(max((down / 50**3 + 0.003) / variance, 0)))


def test_cumulants_that_are_not_known():
    """Without a third there are no steps; without a variance none either.

    Below the estimate, other variances.
    """
    three = np.full(3, 2.0), np.full(3, 1.0)
    made = Moments(
        10,
        np.array([0.2, 0.5, 0.8]),
        *three,
        lambda: np.eye(3),
        below=(np.full(3, 5.0), np.full(3, 4.0)),
    )
    assert cumulants(made, 0.5, "respondents") == (
        pytest.approx([0.15, 0.45, 0.45]),
        pytest.approx([0, 0, 0]),
        pytest.approx([0, 0, 0]),
    )
    zero = np.zeros(3)
    made = Moments(
        10, np.array([0.2, 0.5, 0.8]), zero, other=zero, covariance=lambda: np.eye(3), third=three
    )
    assert close(cumulants(made, 0.5, "respondents"), np.zeros((3, 3)))


@pytest.mark.parametrize("z", [1.0, 1.96, 4.0])
def test_where_normal_theory_ends(z):
    """Where z^3 step / 6, or half a count in errors, is more than a share of the standard error.

    Either way.
    """
    ones = np.ones(400)
    third = np.linspace(-30, 30, 400)
    made = Moments(
        100, 0 * ones, ones, other=ones, covariance=lambda: np.eye(1), third=(third, third)
    )
    off = z**3 / 6 * np.abs(third / 100)
    far = far_from_normal(made, 0 * ones, z, estimand="respondents")
    assert (far == (off > TOLERANCE * 0.1)).all()
    assert far.any()
    assert not far.all()
    p = np.linspace(0.11, 0.9, 400)
    made = Moments(
        100, 0 * ones, ones, other=ones, covariance=lambda: np.eye(1), rates=(p, 0.1 * ones)
    )
    far = far_from_normal(made, 0 * ones, z, estimand="respondents")
    assert (far == (z / 2 / (100 * (p - 0.1)) > TOLERANCE * 0.1)).all()
    assert far.any()
