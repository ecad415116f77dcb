"""Whole numbers with noise: what is exact in fractions, and means that keep their
word.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from specimens import question

from ldp import SurveyError, parse_survey
from ldp.mechanisms.numbers.additive import AdditiveNoise, tails
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.numbers.channel import Channel, chain, inverse
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.means import Mean, mean_of, parts_of
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.numbers.noise import mean_error, noise_moments
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.explanations.explanation import explanation
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

GEOMETRIC = (
    AdditiveNoise(2, 0, 5, far=2, least=2),
    AdditiveNoise(5, 0, 3, far=2, least=32),
    AdditiveNoise(4, 3, 2, far=1, least=1),
)
"""Weights that are geometric without any rounding."""


def integers(low, high, mechanism, keys):
    return question(mechanism, f'type = "integer"\nlow = {low}\nhigh = {high}\n{keys}')


def ends_and_scores(noise):
    """Of each output: whether it is an end once cut to the domain, and what it then
    counts for.
    """
    beyond = noise.step / (1 - noise.step)
    cut = [
        min(max(output - noise.margin, 0), noise.size - 1)
        for output in range(noise.layout.symbols)
    ]
    score = {0: -beyond, noise.size - 1: noise.size - 1 + beyond}
    return [y in score for y in cut], [score.get(y, Fraction(y)) for y in cut]


@pytest.mark.parametrize("noise", GEOMETRIC)
def test_means_and_their_variance_are_exact(noise):
    """E[score | x] = x and Var(score | x) = k (2 - P[an end | x]), in fractions."""
    spread = noise.step / (1 - noise.step) ** 2
    at_end, score = ends_and_scores(noise)
    for value, row in enumerate(noise.channel().rows):
        assert sum(mass * s for mass, s in zip(row, score, strict=True)) == value
        variance = (
            sum(mass * s**2 for mass, s in zip(row, score, strict=True)) - value**2
        )
        assert variance == spread * (
            2 - sum(mass for mass, end in zip(row, at_end, strict=True) if end)
        )


@pytest.mark.parametrize("noise", GEOMETRIC)
def test_chances_of_outputs(noise):
    """The least and the greatest that any value gives each of them."""
    rows = np.array(noise.channel().rows, dtype=float)
    least, greatest = decoder_of(noise).report_law.payload_chances(noise)
    np.testing.assert_allclose(least, rows.min(axis=0), rtol=1e-12)
    np.testing.assert_allclose(greatest, rows.max(axis=0), rtol=1e-12)


@pytest.mark.parametrize("noise", GEOMETRIC)
def test_cutting_to_the_domain_loses_nothing(noise):
    """Reports of `laplace` cut to the domain are those of `geometric`, with its
    inverse.
    """
    places = range(noise.size)
    cut = Channel(
        tuple(
            tuple(
                Fraction(int(min(max(output - noise.margin, 0), noise.size - 1) == y))
                for y in places
            )
            for output in range(noise.layout.symbols)
        )
    )
    step, channel = noise.step, chain(noise.channel(), cut)
    plain = [
        [
            step ** abs(x - y)
            / (1 + step)
            * (1 if y in (0, noise.size - 1) else 1 - step)
            for y in places
        ]
        for x in places
    ]
    assert [list(row) for row in channel.rows] == plain
    spread, beyond = step / (1 - step) ** 2, step / (1 - step)
    for y, row in enumerate(inverse(channel)):
        end = y in (0, noise.size - 1)
        own, near = (1 + beyond, beyond) if end else (1 + 2 * spread, spread)
        scores = {y - 1: -near, y: own, y + 1: -near}
        assert list(row) == [scores.get(v, 0) for v in places]


@pytest.mark.parametrize("epsilon", ["0.05", "1", "8"])
@pytest.mark.parametrize("across", [1, 40, 300])
def test_rounding_the_weights_biases_no_mean(epsilon, across):
    """The mean of a design's rounded weights is off by less than 10^-13 of the
    range.
    """
    noise = integers(0, across, "geometric", keys=f'epsilon = "{epsilon}"').randomizer
    _, score = ends_and_scores(noise)
    for value in {0, across // 3, across}:
        row = noise.channel().rows[value]
        bias = sum(mass * s for mass, s in zip(row, score, strict=True)) - value
        assert abs(bias) < Fraction(across, 10**13)


@pytest.mark.parametrize("across", [4095, 65_535])
def test_long_ranges_are_as_private_as_declared(across):
    """Over tens of thousands of steps nothing goes beyond e^epsilon, and hardly any is
    wasted.
    """
    for epsilon in ("0.05", "8"):
        asked = integers(0, across, "geometric", keys=f'epsilon = "{epsilon}"')
        assert (
            asked.declared.bound * (1 - Fraction(1, 10**9))
            < asked.randomizer.ratio
            <= asked.declared.bound
        )


def test_tails_are_folded():
    """The noise has one total whatever the value, and tails fall by one step's odds at
    most.
    """
    for noise in GEOMETRIC:
        falling = tails(noise)[::-1]
        assert all(
            tail * noise.far <= after * noise.near for tail, after in pairwise(falling)
        )
        assert all(sum(row) == 1 for row in noise.channel().rows)


def test_the_largest_margin():
    """What is left of 65,536 outputs, by halves; or forty times the steps over
    epsilon.
    """
    for high, margin in ((9999, 27768), (9, 360)):
        keys = f'margin = {margin}\nepsilon = "1"'
        assert integers(0, high, "laplace", keys=keys).randomizer.margin == margin


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ('mechanism = "geometric"\nlow = 0\nhigh = 65536', "high"),
        ('mechanism = "laplace"\nlow = 0\nhigh = 16384', "mechanism"),
        ('mechanism = "laplace"\nlow = 0\nhigh = 9\nmargin = 361', "margin"),
        ('mechanism = "laplace"\nlow = 0\nhigh = 9999\nmargin = 27769', "margin"),
        ('mechanism = "geometric"\nlow = 3\nhigh = 3', "high"),
        ('mechanism = "geometric"\nlow = 0\nhigh = 9\nmargin = 2', "margin"),
    ],
)
def test_ranges_that_are_too_long_are_refused(keys, place):
    """A table of weights has at most 65,536 outputs, and noise a margin that it can
    reach.
    """
    with pytest.raises(SurveyError) as refused:
        parse_survey(
            '[survey]\nname = "s"\n[[question]]\nname = "x"\n'
            f'type = "integer"\nepsilon = 1\n{keys}\n'
        )
    assert [problem.place.rpartition(".")[2] for problem in refused.value.problems] == [
        place
    ]


def means_of(asked, answers, options, tallies):
    """The means of n surveys of the same respondents."""
    holders = Holders(asked.domain.values, answers)
    generator = np.random.default_rng(21)
    means = []
    for _ in range(tallies):
        counts = sample_counts(asked, holders, generator)
        means.append(estimate_question(asked, counts, options).mean)
    return means


QUESTIONS = {
    "geometric": (10, 40, "geometric", "epsilon = 2"),
    "laplace": (-5, 5, "laplace", "epsilon = 1"),
    "grr": (0, 9, "grr", "epsilon = 2"),
    "oue": (0, 9, "oue", "epsilon = 2"),
    "exponential": (
        0,
        2,
        "exponential",
        "epsilon = 4\nquality = [[0, -1, -2, -4], [-1, 0, -1, -2], [-2, -1, 0, -1]]",
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_means_of_respondents_are_covered(name):
    """Of 2,000 intervals at .95 for 1,000 respondents, .925 to .975 hold the mean.

    Coverage beyond these bounds has a chance below 1e-6 at .95 (5.1 standard errors);
    .90 and .99 would be seen.
    """
    asked = integers(*QUESTIONS[name])
    size = asked.domain.size
    holders = np.array(
        [1000 // size + (1000 % size if value == 1 else 0) for value in range(size)]
    )
    truth = (
        float(holders @ [int(value) for value in asked.domain.values]) / holders.sum()
    )
    means = means_of(asked, holders, Options(estimand="respondents"), tallies=2000)
    covered = np.mean([mean.low <= truth <= mean.high for mean in means])
    assert 0.925 < covered < 0.975
    estimates, errors = (
        np.array([getattr(mean, what) for mean in means])
        for what in ("estimate", "standard_error")
    )
    assert abs(estimates.mean() - truth) < 6 * estimates.std() / np.sqrt(2000)
    assert abs(np.sqrt((errors**2).mean()) / estimates.std() - 1) < 0.1


def test_means_of_populations_are_covered():
    """Respondents drawn anew: the population's interval holds its mean .925 to .975 of
    the time.
    """
    asked = integers(0, 20, "geometric", keys="epsilon = 8")
    generator = np.random.default_rng(22)
    shares = np.r_[np.full(10, 0.09), np.full(11, 0.1 / 11)]
    truth, covered = float(shares @ np.arange(21)), 0
    for _ in range(2000):
        counts = sample_counts(
            asked,
            Holders(asked.domain.values, generator.multinomial(300, shares)),
            generator,
        )
        mean = estimate_question(asked, counts, Options(estimand="population")).mean
        covered += mean.low <= truth <= mean.high
    assert 0.925 < covered / 2000 < 0.975


def test_the_worst_error_is_the_worst():
    """What `ldp explain` says of a mean is its standard error if all hold the
    middle.
    """
    randomizer = integers(0, 8, "geometric", keys="epsilon = 2").randomizer
    channel = np.array(randomizer.channel().rows, dtype=float)
    parts = [
        parts_of(randomizer, None, counts[None]) for counts in np.eye(9, dtype=np.int64)
    ]
    variances = channel @ [part.variance for part in parts]
    assert np.isclose(np.sqrt(variances.max()), mean_error(randomizer), rtol=1e-12)
    assert variances.argmax() == 4


@pytest.mark.parametrize("estimand", ["respondents", "population"])
@pytest.mark.parametrize("name", ["geometric", "laplace", "grr"])
def test_means_written_out(name, estimand):
    """From scores and the covariance of the tally, counted from 0.

    The spread of a population by n - 1.
    """
    from scipy.stats import norm

    asked = integers(*QUESTIONS[name])
    values = np.array([int(value) for value in asked.domain.values])
    size = asked.domain.size
    counts = np.array([np.arange(asked.layout.symbols) * 37 % 50 + 1])
    reports = counts.sum()
    options = Options(estimand=estimand, level=0.9)
    moments = moments_of(asked.randomizer, counts, asked.domain.values)
    mean = mean_of(asked, moments, counts, options=options)
    if name == "grr":
        variance = values @ moments.covariance() @ values
        estimate, square = values @ moments.frequency, values**2 @ moments.frequency
        # The covariance of frequencies that sum to 1 is the same wherever values are
        # counted from.
    else:
        at_end, score = ends_and_scores(asked.randomizer)
        step = asked.randomizer.step
        score = np.array(score, dtype=float) + values[0]
        spread = float(step / (1 - step) ** 2)
        noise = spread * (2 - counts[0][at_end].sum() / reports)
        variance = noise / reports
        estimate = counts[0] @ score / reports
        square = counts[0] @ score**2 / reports - noise
    if estimand == "population":
        variance += max(square - estimate**2 + variance, 0) / (reports - 1)
    assert size > 1
    assert mean.estimate == pytest.approx(estimate, rel=1e-9)
    assert mean.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)
    ends = np.clip(
        estimate + norm.ppf(0.95) * np.sqrt(variance) * np.array([-1, 1]),
        values[0],
        values[-1],
    )
    assert [mean.low, mean.high] == pytest.approx(ends.tolist(), rel=1e-9)
    assert mean.to_dict() == {
        "estimate": mean.estimate,
        "standard_error": mean.standard_error,
        "interval": [mean.low, mean.high],
    }


def test_means_of_next_to_no_one():
    """One report has no spread that could be known.

    A mean beyond the range is left, and its interval cut.
    """
    ages = integers(0, 4, "geometric", keys="epsilon = 1")
    counts = np.array([[0, 0, 0, 0, 1]])
    moments = noise_moments(ages.randomizer, counts)
    one = [
        mean_of(ages, moments, counts, options=Options(estimand=estimand))
        for estimand in ("respondents", "population")
    ]
    step = float(ages.randomizer.step)
    assert one[0].estimate == pytest.approx(4 + step / (1 - step))
    assert one[0].high == 4
    assert one[0].standard_error == pytest.approx(np.sqrt(step) / (1 - step))
    parts = parts_of(ages.randomizer, moments, counts)
    spread = max(parts.mean_square - parts.estimate**2 + parts.variance, 0)
    assert one[1].standard_error == pytest.approx(np.sqrt(parts.variance + spread))
    apart = np.array([[1, 0, 0, 0, 1]])
    asked = integers(0, 4, "geometric", keys="epsilon = 20")
    mean = mean_of(
        asked,
        noise_moments(asked.randomizer, apart),
        apart,
        options=Options(estimand="population"),
    )
    assert mean.standard_error == pytest.approx(2, rel=0.05)
    two = counts * 2
    mean = mean_of(
        ages,
        noise_moments(ages.randomizer, two),
        two,
        options=Options(estimand="population"),
    )
    parts = parts_of(ages.randomizer, noise_moments(ages.randomizer, two), two)
    spread = max(parts.mean_square - parts.estimate**2 + parts.variance, 0)
    assert mean.standard_error == pytest.approx(np.sqrt(parts.variance + spread))


@pytest.mark.parametrize(
    ("mean", "cells"),
    [
        (Mean(12.3456, 1.26, 9.87, high=14.8), ("12.3", "1.3", "[9.9, 14.8]")),
        (Mean(12.3456, 0.126, 12.1, high=12.6), ("12.35", "0.13", "[12.10, 12.60]")),
        (Mean(1234.5, 56.7, 1120.1, high=1345.6), ("1234", "57", "[1120, 1346]")),
        (Mean(1234.5, 5678.0, 0.0, high=9999.0), ("1234", "5678", "[0, 9999]")),
        (Mean(3.0, 0.0, 3.0, high=3.0), ("3.0000", "0.0000", "[3.0000, 3.0000]")),
        (Mean(3.0, 1.0, 1.04, high=4.96), ("3.0", "1.0", "[1.0, 5.0]")),
    ],
)
def test_means_in_print(mean, cells):
    """Two digits of the standard error; four decimals where there is none."""
    assert mean.cells == cells
    assert str(mean) == f"{cells[0]} +- {cells[1]} {cells[2]}"


def test_a_mean_of_so_many_values():
    """2,048 frequencies have a covariance that is summed up.

    More have not, and noise needs none.
    """
    for size, has_mean in ((2048, True), (2049, False)):
        flat = Moments(
            9,
            np.full(size, 1 / size),
            np.ones(size),
            variance_if_not=np.ones(size),
            covariance=lambda size=size: np.eye(size),
        )
        counts = np.ones((1, size), dtype=int)
        parts = parts_of(RandomizedResponse(size, 3, 1), flat, counts)
        assert (parts is not None) == has_mean


@pytest.mark.parametrize(
    ("respondents", "known"), [(9, False), (10, False), (11, True)]
)
def test_too_few_reports_for_a_value(respondents, known):
    """With fewer than five reports expected if all hold it, nothing is known, which is
    said.
    """
    randomizer = AdditiveNoise(5, 0, 3, far=2, least=32)
    counts = np.zeros((1, 5), dtype=int)
    counts[0, 2] = 5 * respondents
    moments = noise_moments(randomizer, counts)
    # An end stays with 3/5, another value with a fifth.
    assert (
        moments.findings.unknown[[0, 4]].tolist() == [5 * respondents * 3 / 5 < 5] * 2
    )
    counts[0, 2] = respondents * 5 // 2
    moments = noise_moments(randomizer, counts)
    assert moments.findings.unknown[1] == (counts.sum() / 5 < 5)
    assert bool(moments.findings.unknown[1]) is not (known or counts.sum() >= 25)


def test_to_the_nearest_of_others():
    """If all seem to hold one value, errors are those of the neighbour that is worse to
    have.
    """
    randomizer = AdditiveNoise(5, 0, 3, far=2, least=32)
    channel = np.array(randomizer.channel().rows, dtype=float)
    score = np.linalg.inv(channel)
    for value in (0, 2, 4):
        counts = np.round(channel[value] * 10**15).astype(np.int64)[None]
        moments = noise_moments(randomizer, counts)
        second = channel @ score[:, value] ** 2
        near = [second[other] for other in (value - 1, value + 1) if 0 <= other < 5]
        assert np.isclose(moments.variance_if_not[value], max(near), rtol=1e-3)


@pytest.mark.parametrize("mechanism", ["olh", "pgr"])
def test_means_of_what_supports_pairs_unevenly(mechanism):
    """They have errors from the tally, or from the hash functions; 5.1 of them once in
    3,000,000.

    There is no mean of values that are no numbers.
    """
    asked = integers(0, 9, mechanism, keys="epsilon = 2")
    counts = sample_counts(
        asked, Holders(asked.domain.values, np.full(10, 50)), np.random.default_rng(3)
    )
    mean = estimate_question(asked, counts, Options()).mean
    assert abs(mean.estimate - 4.5) < 5.1 * mean.standard_error
    assert mean.standard_error < 0.5
    plain = question("grr", 'type = "boolean"\nepsilon = 1')
    moments = noise_moments(GEOMETRIC[0], np.array([[3, 4]]))
    assert mean_of(plain, moments, np.array([[3, 4]]), options=Options()) is None


def test_explain_says_what_epsilon_covers():
    """The sensitivity is the whole range, and the error of a mean is told."""
    head = '[survey]\nname = "s"\n[[question]]\nname = "x"\ntype = "integer"\n'
    text = explanation(
        parse_survey(
            f'{head}low = 10\nhigh = 40\nmechanism = "geometric"\nepsilon = 2\n'
        )
    )
    assert "sensitivity         30: epsilon covers any value against any other" in text
    assert "error of a mean     at most 19.09 / sqrt(respondents)" in text
