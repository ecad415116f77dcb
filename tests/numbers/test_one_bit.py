"""The one-bit mean: its estimates by enumeration, its intervals, and what it does not
tell.
"""

import json
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from calling import ldp, run
from specimens import question

from ldp.errors import EstimateError
from ldp.mechanisms.numbers.one_bit import OneBitMean
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.manipulation import manipulation
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.table import decoder_of
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

AGE = 'type = "integer"\nlow = 18\nhigh = 98\n'
SURVEY = (
    '[survey]\nname = "s"\n[[question]]\nname = "age"\nmechanism = '
    f'"one-bit"\nepsilon = 1\n{AGE}'
)


def asked(epsilon="1"):
    """A question about an age."""
    return question("one-bit", f'{AGE}epsilon = "{epsilon}"')


def mean_said(question, ones, reports, *, estimand="population"):
    """The mean that n ones among the reports say."""
    counts = np.array([[reports - ones, ones]])
    return estimate_question(question, counts, Options(estimand=estimand)).mean


def test_chances_are_on_a_line():
    """The channel is linear in the value, from q to p, exactly."""
    channel = OneBitMean(5, 7, 3).channel()
    ones = [row[1] for row in channel.rows]
    assert ones == [
        Fraction(3, 10) + Fraction(4, 10) * Fraction(x, 4) for x in range(5)
    ]
    assert max(ones) / min(ones) == OneBitMean(5, 7, 3).ratio == Fraction(7, 3)


@pytest.mark.parametrize("ones", [100, 101, 140])
def test_parts_by_hand(ones):
    """A bit is worth s: the variance is (s^2 - mean^2) / (n - 1), and no spread is
    added.
    """
    question, counts = asked(), np.array([[201 - ones, ones]])
    p, q = (float(rate) for rate in question.randomizer.ends)
    worth = 40 / (p - q)
    mean = worth * (2 * ones - 201) / 201
    variance = (worth**2 - mean**2) / 200
    parts = decoder_of(question.randomizer).mean.parts(
        question.randomizer, None, counts
    )
    assert parts[:3] == pytest.approx((mean, mean**2 - variance, variance))
    for estimand in ("population", "respondents"):
        said = mean_said(question, ones, 201, estimand=estimand)
        assert said.estimate == pytest.approx(58 + mean)
        assert said.standard_error == pytest.approx(variance**0.5)


@pytest.mark.parametrize("reports", [2, 7])
@pytest.mark.parametrize("value", [18, 30, 98])
def test_mean_and_variance_are_unbiased(reports, value):
    """Over all numbers of ones, the mean and its stated variance are unbiased.

    By their binomial law: of people drawn from one value's holders the mean is that
    value, and the mean of the stated variance is the variance of the estimate. A
    standard error may be larger, and is where few reports are all alike.
    """
    question = asked()
    decode = decoder_of(question.randomizer).mean.parts
    p, q = (float(rate) for rate in question.randomizer.ends)
    one = q + (p - q) * (value - 18) / 80
    law = [
        comb(reports, ones) * one**ones * (1 - one) ** (reports - ones)
        for ones in range(reports + 1)
    ]
    means = [mean_said(question, ones, reports) for ones in range(reports + 1)]
    estimates = np.array([mean.estimate for mean in means])
    stated = np.array(
        [
            decode(
                question.randomizer, None, np.array([[reports - ones, ones]])
            ).variance
            for ones in range(reports + 1)
        ]
    )
    errors = np.array([mean.standard_error**2 for mean in means])
    assert law @ estimates == pytest.approx(value)
    assert law @ stated == pytest.approx(law @ (estimates - value) ** 2)
    assert (errors >= stated - 1e-9).all()
    assert errors.min() > 0


@pytest.mark.parametrize("estimand", ["respondents", "population"])
def test_intervals_hold_the_mean(estimand):
    """In 4,000 surveys 95 % intervals hold the mean at least that often.

    Of 500 people at epsilon 1, seed 3, but for a chance of 1e-6 (4.9 standard errors;
    less than 93.3 % is detected).
    """
    question, generator = asked(), np.random.default_rng(3)
    ages = np.arange(18, 99)
    shares = np.exp(-((ages - 40) ** 2) / 400)
    shares /= shares.sum()
    fixed = np.floor(500 * shares + 0.5).astype(np.int64)
    fixed[22] += 500 - fixed.sum()
    covered = 0
    for _ in range(4000):
        holders = (
            fixed if estimand == "respondents" else generator.multinomial(500, shares)
        )
        truth = fixed @ ages / 500 if estimand == "respondents" else shares @ ages
        counts = sample_counts(question, Holders((), holders), generator)
        mean = mean_said(question, int(counts[0, 1]), 500, estimand=estimand)
        covered += mean.low <= truth <= mean.high
    assert covered / 4000 > 0.95 - 4.9 * (0.05 * 0.95 / 4000) ** 0.5


def test_a_bound_is_named():
    """For respondents at the ends it is 300 times too large; of two values it is
    known.
    """
    for high, bound in ((99, True), (19, False)):
        keys = f'type = "integer"\nlow = 18\nhigh = {high}\nepsilon = "7"'
        asked_of = question("one-bit", keys)
        p, q = (float(rate) for rate in asked_of.randomizer.ends)
        estimates = estimate_question(
            asked_of, np.array([[50, 50]]), Options(estimand="respondents")
        )
        assert ("bound" in {remark.name for remark in estimates.remarks}) is bound
        worth = (high - 18) / 2 / (p - q)
        least = worth**2 - ((high - 18) / 2) ** 2
        expected = worth**2 / 99 if bound else least / 100
        assert estimates.mean.standard_error**2 == pytest.approx(expected)


@pytest.mark.parametrize("ones", [0, 1])
def test_a_single_report_has_the_largest_spread(ones):
    """The square of what a bit is worth: 40 years from the middle, over p - q."""
    question = asked()
    p, q = (float(rate) for rate in question.randomizer.ends)
    mean = mean_said(question, ones, 1)
    assert mean.standard_error == pytest.approx(40 / (p - q))
    assert mean.estimate == pytest.approx(58 + (2 * ones - 1) * 40 / (p - q))


def test_estimates_are_a_mean_alone():
    """There are no frequencies, asked for or not, and forged reports are bounded for
    the mean.
    """
    question = asked()
    for frequencies in (False, True):
        estimates = estimate_question(
            question, np.array([[40, 60]]), Options(frequencies=frequencies)
        )
        assert len(estimates) == 0
        assert estimates.mean is not None
        assert "estimates a mean, and no frequencies" in estimates.note
        assert "can move the mean by at most" in str(estimates.manipulation)
        assert estimates.to_dict()["manipulation"]["reach"] is None
    with pytest.raises(EstimateError, match="mean alone"):
        moments_of(question.randomizer, np.array([[40, 60]]), ())
    assert decoder_of(question.randomizer).gives == "mean"
    bound = manipulation(question.randomizer, np.array([[40, 60]]), step=1.0)
    p, q = (float(rate) for rate in question.randomizer.ends)
    assert bound.mean_reach == pytest.approx(40 / (p - q) + 40)


def test_from_the_command_line(tmp_path, monkeypatch):
    """Answers go in and a mean comes out; a plan says how well it will be known."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(SURVEY)
    ages = [18 + number % 81 for number in range(3000)]
    (tmp_path / "answers.csv").write_text("age\n" + "".join(f"{age}\n" for age in ages))
    ldp("randomize survey.toml -i answers.csv -o reports -q")
    output = ldp("estimate survey.toml reports --format json -q").stdout
    mean = json.loads(output)["questions"]["age"]["mean"]
    # Six standard errors of one report's worth, 87 / sqrt(3000): of chance 2e-9.
    assert abs(mean["estimate"] - np.mean(ages)) < 6 * 87 / 3000**0.5
    assert "no frequencies" in ldp("estimate survey.toml reports -q").stdout
    assert "mean of" in ldp("plan survey.toml -n 1000").stdout
    assert "error of a mean" in run("explain", "survey.toml").stdout
    assert "no frequencies" in ldp("simulate survey.toml -n 200 -q").stdout
    assert "mean to 98" in ldp("survey simulate-attacks survey.toml -n 200 -q").stdout
