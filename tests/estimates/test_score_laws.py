"""The moments that estimators state, against sums over all the reports that can come.

The tally is the expected one for shares that differ by value, so that estimates are
those shares, and whatever an estimator takes from its tally is what it stands for.
"""

from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from specimens import SMALL
from written_out import counts_of, reports_of, scores

from ldp.errors import EstimateError
from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.mechanisms.values.histogram import NoisyHistogram
from ldp.mechanisms.values.sketches import CountMean, collision
from ldp.numbers.channel import right_inverse
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.intervals.cumulants import (
    TOLERANCE,
    Cumulants,
    cumulants,
    far_from_normal,
)
from ldp_aggregator.decoders.moments.jumps import fourth_of_rates, third_of_rates
from ldp_aggregator.decoders.moments.moments import (
    Collisions,
    Findings,
    Moments,
    OneCount,
    ScoreJumps,
)
from ldp_aggregator.decoders.values.matrix import decoding, payload_chances, warnings
from ldp_aggregator.decoders.values.sketch import sketch_moments

CLOSED = {
    specimen.name: specimen.randomizer
    for specimen in SMALL
    if specimen.randomizer.kind in ("pure", "matrix", "sum", "sampled", "noise")
    and not hasattr(specimen.randomizer, "most")
}


SUMMED = {
    name: one for name, one in CLOSED.items() if not getattr(one, "folded", False)
} | {
    specimen.name: specimen.randomizer
    for specimen in SMALL
    if specimen.randomizer.kind == "blocks" and not hasattr(specimen.randomizer, "most")
}
"""Those with a covariance."""


def shares_of(size):
    """Shares of n values, all different and none 0."""
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
    """The second to fourth central moments of a score, and the fourth's part above its
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
    moments = moments_of(randomizer, expected_tally(randomizer), ())
    score = np.array(scores(randomizer), dtype=float)
    laws = np.array(randomizer.channel().rows, dtype=float)
    shares = np.array(shares_of(len(laws)), dtype=float)
    assert close(moments.frequency, shares)
    for value, share in enumerate(shares):
        others = np.where(np.arange(len(shares)) == value, 0, shares)
        pairs = [
            (laws[value], 1, moments.variance_if_held, moments.jumps.third[0]),
            (
                others @ laws / (1 - share),
                0,
                moments.variance_if_not,
                moments.jumps.third[1],
            ),
        ]
        for place, (law, mean, second, third) in enumerate(pairs):
            spread, cube, quartic, above = central(law, score[:, value], mean)
            assert close((second[value], third[value]), (spread, cube))
            if moments.jumps.fourth is None:
                continue
            if randomizer.kind == "noise":
                if place:
                    parts = (quartic, above, quartic - above)
                else:
                    parts = (quartic, quartic, quartic)
            else:
                fourth = quartic - 3 * spread**2
                parts = (
                    fourth,
                    fourth * above / quartic,
                    fourth * (1 - above / quartic),
                )
            expected = [
                part[place][value]
                for part in (
                    moments.jumps.fourth,
                    moments.jumps.rising,
                    moments.jumps.falling,
                )
            ]
            assert close(expected, parts)


def test_sums_of_a_folded_tally():
    """It does not tell how pairs of values of two slices go together."""
    folded = next(one for one in CLOSED.values() if getattr(one, "folded", False))
    moments = moments_of(folded, expected_tally(folded), ())
    assert moments.linear.covariance is None
    with pytest.raises(EstimateError, match="tells how pairs of values go together"):
        moments.covariance()


@pytest.mark.parametrize("randomizer", SUMMED.values(), ids=SUMMED)
def test_covariance_is_that_of_every_report(randomizer):
    """For the respondents: of the scores of each, given what they hold."""
    moments = moments_of(randomizer, expected_tally(randomizer), ())
    score = np.array(scores(randomizer), dtype=float)
    laws = np.array(randomizer.channel().rows, dtype=float)
    shares = np.array(shares_of(len(laws)), dtype=float)
    exact = score.T @ ((shares @ laws)[:, None] * score) - np.diag(shares)
    assert close(moments.reports * moments.covariance(), exact)
    if moments.linear.covariance is None:
        return
    weights = np.array([np.arange(len(shares)) % 2, 3 - np.arange(len(shares))])
    assert close(
        moments.reports * moments.linear.covariance(weights),
        weights @ exact @ weights.T,
    )


def test_a_matrix_of_two_reports_is_one_count():
    """Whose rates differ by value; a larger one is not."""
    moments = moments_of(StochasticMatrix(((11, 5), (2, 14))), np.array([[30, 70]]), ())
    assert moments.count.supports.tolist() == [30, 70]
    assert close(moments.count.rates[0], [11 / 16, 14 / 16])
    assert close(moments.count.rates[1], [2 / 16, 5 / 16])
    assert (
        moments_of(
            StochasticMatrix(((3, 2, 1), (1, 1, 4))), np.array([[30, 30, 40]]), ()
        ).count
        is None
    )


def test_shares_that_cannot_be_weigh_nothing():
    """Of the values that another may hold, estimates below 0 count as 0, those above 1
    as 1.
    """
    moments = moments_of(
        StochasticMatrix(((5, 3, 2), (1, 7, 2), (2, 2, 6))),
        np.array([[600, 20, 380]]),
        (),
    )
    rows = [[0.5, 0.3, 0.2], [0.1, 0.7, 0.2], [0.2, 0.2, 0.6]]
    score = np.linalg.inv(rows)
    shares = np.clip(moments.frequency, 0, 1)
    assert moments.frequency.min() < 0
    assert moments.frequency.max() > 1 or shares.max() < 1
    for value in range(3):
        weights = np.where(np.arange(3) == value, 0, shares)
        law = weights @ np.array(rows) / weights.sum()
        assert close(
            (moments.variance_if_not[value], moments.jumps.third[1][value]),
            [law @ score[:, value] ** power for power in (2, 3)],
        )


def test_values_that_no_one_holds_have_a_law():
    """If all hold one value, its others are all values alike."""
    rows = np.array([[0.5, 0.3, 0.2], [0.1, 0.7, 0.2], [0.2, 0.2, 0.6]])
    moments = moments_of(
        StochasticMatrix(((5, 3, 2), (1, 7, 2), (2, 2, 6))),
        np.array([[500, 300, 200]]),
        (),
    )
    score = np.linalg.inv(rows)
    law = (rows[1] + rows[2]) / 2
    assert np.allclose(moments.variance_if_not[0], law @ score[:, 0] ** 2, rtol=1e-3)


@pytest.mark.parametrize(
    "weights", [((3, 2, 1), (1, 1, 4)), ((5, 3, 2), (1, 7, 2), (2, 2, 6))]
)
def test_the_inverse_of_a_channel(weights):
    """The one that `ldp.numbers.channel` has in fractions, also with more reports than
    values.
    """
    channel = StochasticMatrix(weights).channel()
    exact = np.array(right_inverse(channel), dtype=float)
    assert close(decoding(np.array(channel.rows, dtype=float)), exact)


def test_chances_of_the_symbols_of_a_matrix():
    """The least and the greatest of each column, whatever is held."""
    least, most = payload_chances(StochasticMatrix(((3, 2, 1), (1, 1, 4))))
    assert close(least, np.array([1, 1, 1]) / 6)
    assert close(most, np.array([3, 2, 4]) / 6)


@pytest.mark.parametrize(
    ("own", "other", "badly"), [(2001, 1997, False), (2003, 1999, True)]
)
def test_matrices_that_hardly_tell(own, other, badly):
    """Of (a b; b a) the condition is (a + b) / (a - b): 999.5 and 1000.5."""
    said = warnings(StochasticMatrix(((own, other), (other, own))))
    assert [("badly conditioned (1e+03)" in line) for line in said] == [True] * badly


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
    histogram = NoisyHistogram(2, 4, 1, word=2)
    level = [float(score) for score in histogram.scores()]
    moments = moments_of(histogram, np.array([[1, 2, 3, 4], [4, 3, 2, 1]]), ())
    assert close(
        moments.frequency,
        [np.dot([1, 2, 3, 4], level) / 10, np.dot([4, 3, 2, 1], level) / 10],
    )
    assert close(moments.covariance(), np.eye(2) * float(histogram.variance()) / 10)


def test_some_of_the_values():
    """Every array goes with its value, also where only one number stands for all."""
    numbers = iter(range(1, 100))

    def array():
        return np.arange(4.0) + 10 * next(numbers)

    def both():
        return array(), array()

    moments = Moments(
        100,
        array(),
        array(),
        variance_if_not=array(),
        covariance=lambda: np.eye(4),
        count=OneCount(array(), both()),
        below=both(),
        jumps=ScoreJumps(both(), both(), both(), falling=both()),
        collisions=Collisions(array(), array(), array()),
        findings=Findings(unknown=np.array([True, False, False, True])),
    )
    some = moments.of_values(np.array([3, 1]))
    for of_law in (
        lambda law: law.frequency,
        lambda law: law.variance_if_held,
        lambda law: law.variance_if_not,
        lambda law: law.count.supports,
        lambda law: law.findings.unknown,
    ):
        assert of_law(some).tolist() == of_law(moments)[[3, 1]].tolist()
    for of_law in (
        lambda law: law.collisions,
        lambda law: law.count.rates,
        lambda law: law.below,
        lambda law: np.concatenate(law.jumps),
    ):
        assert [array.tolist() for array in of_law(some)] == [
            array[[3, 1]].tolist() for array in of_law(moments)
        ]
    plain = Moments(
        100, array(), array(), variance_if_not=array(), covariance=lambda: np.eye(4)
    ).of_values(np.array([0]))
    assert [array.tolist() for array in plain.collisions] == [[0], [0], [0]]
    assert plain.count is plain.below is plain.jumps is plain.findings.unknown is None


SKETCHES = {
    specimen.name: specimen.randomizer
    for specimen in SMALL
    if specimen.randomizer.kind == "sketch" and specimen.randomizer.size > 2
}


@pytest.mark.parametrize("sketch", SKETCHES.values(), ids=SKETCHES)
def test_sketches(sketch):
    """Frequencies and noise of one count.

    Of meetings, the cumulants of as many throws as there are hash functions.
    """
    reports = reports_of(sketch)
    counts = counts_of(
        sketch,
        {report: 40 + 60 * (number % 3) for number, report in enumerate(reports)},
    )
    moments = sketch_moments(sketch, counts)
    c, cohorts = float(collision(sketch.buckets)), sketch.cohorts
    p, within = (float(rate) for rate in sketch.within)
    q = c * p + (1 - c) * within
    often = np.array([40 + 60 * (number % 3) for number in range(len(reports))])
    frequency = often @ np.array(scores(sketch), dtype=float) / often.sum()
    assert moments.reports == often.sum()
    assert close(moments.frequency, frequency)
    share = c / (1 - c) / cohorts
    if_held, if_not = p * (1 - p) / (p - q) ** 2, q * (1 - q) / (p - q) ** 2 - share
    assert close(moments.variance_if_held, if_held)
    assert close(moments.variance_if_not, if_not)
    noise = np.sum(frequency * if_held + (1 - frequency) * if_not) / often.sum()
    squares = max(0, (np.sum(frequency**2) - noise) / (1 + (sketch.size - 1) * share))
    shares = np.clip(frequency, 0, 1)
    assert close(
        moments.collisions.variance, share * np.maximum(squares - shares**2, 0)
    )
    for value in range(sketch.size):
        jumps = np.delete(shares, value) / ((1 - c) * cohorts)
        third, fourth = c * (1 - c) * (1 - 2 * c), c * (1 - c) * (1 - 6 * c * (1 - c))
        assert close(
            moments.collisions.third[value], cohorts * third * np.sum(jumps**3)
        )
        assert close(
            moments.collisions.fourth[value], cohorts * fourth * np.sum(jumps**4)
        )
    for place in (0, 1):
        assert close(moments.jumps.third[place], third_of_rates(p, q)[place])
        assert close(moments.jumps.fourth[place], fourth_of_rates(p, q)[place])
    assert (
        f"{np.sqrt(moments.collisions.variance.max()):.2g} of each"
        in moments.findings.note
    )
    assert f"{cohorts} hash functions" in moments.findings.note
    # Of single values, what is said beside them.
    stated = (frequency * if_held + (1 - frequency) * if_not) / often.sum()
    own = frequency**2 - stated
    added = share * (squares - 2 * own / (1 + share) + own)
    assert close(np.diag(moments.covariance()), stated + added)


@pytest.mark.parametrize("sketch", SKETCHES.values(), ids=SKETCHES)
def test_sketches_of_one_value_alone(sketch):
    """An estimate above 1, where all reports support one value, counts as 1 where texts
    meet.
    """
    row = sketch.channel().rows[0]
    often = {
        report: int(mass == max(row))
        for report, mass in zip(reports_of(sketch), row, strict=True)
    }
    moments = sketch_moments(sketch, counts_of(sketch, often))
    assert moments.frequency[0] > 1
    c, shares = float(collision(sketch.buckets)), np.clip(moments.frequency, 0, 1)
    noise = (
        moments.frequency * moments.variance_if_held
        + (1 - moments.frequency) * moments.variance_if_not
    ).sum() / moments.reports
    share = c / (1 - c) / sketch.cohorts
    squares = ((moments.frequency**2).sum() - noise) / (1 + (sketch.size - 1) * share)
    assert close(
        moments.collisions.variance, share * np.maximum(squares - shares**2, 0)
    )
    cubes = 1 + (shares[1:] ** 3).sum() - shares[1:] ** 3
    assert close(
        moments.collisions.third[1:],
        c * (1 - 2 * c) / ((1 - c) * sketch.cohorts) ** 2 * cubes,
    )


def test_sketches_that_say_less_than_noise():
    """A sum of squares that is below its noise is taken for 0."""
    sketch = CountMean(4, 1, 3, if_true=6, if_other=1, hash_seed=0, word=3)
    counts = counts_of(sketch, dict.fromkeys(reports_of(sketch), 1))
    assert sketch_moments(sketch, counts).collisions.variance.tolist() == [0, 0, 0, 0]


OWN = np.array([0.1, 0.7, 1.0, 4.2]), np.array([0.3, 0.35, 0.3, 0.05])
OTHER = np.array([-1.0, 0.0, 3.0]), np.array([0.45, 0.45, 0.15])


def with_mean(pair, mean):
    """A law of a score, moved to have this mean; chances that sum to 1."""
    score, law = pair
    law = law / law.sum()
    return score - score @ law + mean, law


def laws_of_scores(jumps=(), **more):
    """The moments of two small laws, for 50 reports, and the laws."""
    laws = with_mean(OWN, 1), with_mean(OTHER, 0)
    sums = [
        central(law, score, mean)
        for (score, law), mean in zip(laws, (1, 0), strict=True)
    ]
    third = tuple(np.array([moment[1]]) for moment in sums)
    moments = Moments(
        50,
        np.array([0.3]),
        np.array([sums[0][0]]),
        variance_if_not=np.array([sums[1][0]]),
        covariance=lambda: np.eye(1),
        jumps=ScoreJumps(third, *jumps),
        **more,
    )
    return moments, laws, [moment[2] - 3 * moment[0] ** 2 for moment in sums]


def of_a_score(laws, frequency, estimand):
    """The second to fourth cumulant of one respondent's score: given what they hold, or
    drawn.
    """
    if estimand == "population":
        score = np.concatenate([score for score, _ in laws])
        law = np.concatenate(
            [
                share * law
                for share, (_, law) in zip(
                    (frequency, 1 - frequency), laws, strict=True
                )
            ]
        )
        second, third, fourth, _ = central(law, score, frequency)
        return second, third, fourth - 3 * second**2
    parts = [
        central(law, score, mean)
        for (score, law), mean in zip(laws, (1, 0), strict=True)
    ]
    cumulants_by_part = [
        (second, third, fourth - 3 * second**2) for second, third, fourth, _ in parts
    ]
    return tuple(
        frequency * own + (1 - frequency) * other
        for own, other in zip(*cumulants_by_part, strict=True)
    )


@pytest.mark.parametrize("estimand", ["respondents", "population"])
@pytest.mark.parametrize("frequency", [0.0, 0.2, 0.7, 1.0])
def test_cumulants_are_those_of_the_mixture(frequency, estimand):
    """Summed over all outcomes of a respondent's score.

    With what does not shrink, and each way with its own part.
    """
    moments, laws, fourths = laws_of_scores(collisions=Collisions(0.01, 0.002, 0.003))
    second, third, fourth = of_a_score(laws, frequency, estimand)
    variance = second / 50 + 0.01
    law = cumulants(moments, frequency, estimand)
    step = (third / 50**2 + 0.002) / variance
    assert close(
        law, Cumulants(*(np.array([number]) for number in (variance, step, -step)))
    )
    fourth_of = tuple(np.array([fourth]) for fourth in fourths)
    moments, _, _ = laws_of_scores(
        (fourth_of,), collisions=Collisions(0.01, fourth=0.003)
    )
    law = cumulants(moments, frequency, estimand)
    step = np.sqrt(max((fourth / 50**3 + 0.003) / variance, 0))
    assert close(
        law, Cumulants(*(np.array([number]) for number in (variance, step, step)))
    )
    rising = tuple(0.8 * number for number in fourth_of)
    falling = tuple(0.2 * number for number in fourth_of)
    moments, _, _ = laws_of_scores(
        (fourth_of, rising, falling), collisions=Collisions(0.01, fourth=0.003)
    )
    law = cumulants(moments, frequency, estimand)
    of_respondents = of_a_score(laws, frequency, "respondents")[2]
    up = 0.8 * of_respondents + (1 - frequency) * (fourth - of_respondents)
    down = 0.2 * of_respondents + frequency * (fourth - of_respondents)
    assert close(law.up, np.sqrt(max((up / 50**3 + 0.003) / variance, 0)))
    assert close(law.down, np.sqrt(max((down / 50**3 + 0.003) / variance, 0)))


def test_cumulants_that_are_not_known():
    """Without a third there are no steps; without a variance none either.

    Below the estimate, other variances.
    """
    three = np.full(3, 2.0), np.full(3, 1.0)
    moments = Moments(
        10,
        np.array([0.2, 0.5, 0.8]),
        *three,
        lambda: np.eye(3),
        below=(np.full(3, 5.0), np.full(3, 4.0)),
    )
    assert cumulants(moments, 0.5, "respondents") == (
        pytest.approx([0.15, 0.45, 0.45]),
        pytest.approx([0, 0, 0]),
        pytest.approx([0, 0, 0]),
    )
    zero = np.zeros(3)
    moments = Moments(
        10,
        np.array([0.2, 0.5, 0.8]),
        zero,
        variance_if_not=zero,
        covariance=lambda: np.eye(3),
        jumps=ScoreJumps(three),
    )
    assert close(cumulants(moments, 0.5, "respondents"), np.zeros((3, 3)))


@pytest.mark.parametrize("z", [1.0, 1.96, 4.0])
def test_where_normal_theory_ends(z):
    """Where z^3 step / 6, or half a count in errors, is more than a share of the
    standard error.

    Either way.
    """
    ones = np.ones(400)
    third = np.linspace(-30, 30, 400)
    moments = Moments(
        100,
        0 * ones,
        ones,
        variance_if_not=ones,
        covariance=lambda: np.eye(1),
        jumps=ScoreJumps((third, third)),
    )
    off = z**3 / 6 * np.abs(third / 100)
    far = far_from_normal(moments, 0 * ones, z, estimand="respondents")
    assert (far == (off > TOLERANCE * 0.1)).all()
    assert far.any()
    assert not far.all()
    p = np.linspace(0.11, 0.9, 400)
    moments = Moments(
        100,
        0 * ones,
        ones,
        variance_if_not=ones,
        covariance=lambda: np.eye(1),
        count=OneCount(ones, (p, 0.1 * ones)),
    )
    far = far_from_normal(moments, 0 * ones, z, estimand="respondents")
    assert (far == (z / 2 / (100 * (p - 0.1)) > TOLERANCE * 0.1)).all()
    assert far.any()
