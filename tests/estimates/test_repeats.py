"""Several reports of one permanent response are one respondent, and errors say so.

200 collections of 40 texts from 20,000 respondents with 10 reports each: gates 4.9
standard errors (.0024) away.
"""

import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from bloom_draws import Shape, draw_counts, draw_design, falling
from calling import run
from mutants import GENUINE
from permanence import instantaneous_channel, permanent_channel, true_states

import ldp
from ldp import EstimateError, WireError, parse_survey
from ldp_aggregator import (
    Options,
    Tally,
    aggregate,
    decode_tally,
    encode_tally,
    estimate,
)
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.decoders.bloom.regression import regress
from ldp_aggregator.decoders.moments.bit_covariance import bit_noise
from ldp_aggregator.decoders.moments.repeats import (
    check_repeatable,
    effective,
    most_repeats,
    noise_of,
    reports_of_each,
)
from ldp_aggregator.decoders.values.pure import memoized_moments
from ldp_aggregator.decoders.values.sampled import window_moments
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_client import frames, row_batches

SHAPE = Shape(32, 2, 8, p=0.25, q=0.75, f=0.5)
RESPONDENTS = 20_000
REPEATS = 10
CANDIDATES = 40


@pytest.mark.parametrize(
    ("stated", "low", "high"), [(REPEATS, 0.938, 0.962), (1, 0.0, 0.75)]
)
def test_coverage(stated, low, high):
    """Intervals hold the truth 95 % of the time.

    Taken for reports of ten times as many people, 75 % at most.
    """
    generator, holders = np.random.default_rng(31), falling(CANDIDATES, RESPONDENTS)
    truth, covered = holders / holders.sum(), []
    for _ in range(200):
        design = draw_design(SHAPE, CANDIDATES, generator)
        counts = draw_counts(
            SHAPE, design, holders, generator=generator, repeats=REPEATS
        )
        fit = regress(counts, design, SHAPE.noise(stated), background=SHAPE.background)
        # The residuals know nothing of the statement, so the variance is taken before
        # they correct it.
        variance = fit.variance / fit.dispersion - truth * (1 - truth) / fit.respondents
        covered.append(np.abs(fit.frequency - truth) <= 1.96 * np.sqrt(variance))
    assert low <= np.mean(covered) <= high


@pytest.mark.parametrize("form", ["", "bloom_bits = 4\nhashes = 1\ncohorts = 40"])
def test_output_tells_respondents(form):
    """Counts are of respondents, and the note tells what their repeats are worth.

    Fewer than the reports.
    """
    keys = (
        'type = "category"\nvalues = ["a", "b", "c"]\n'
        f'mechanism = "rappor"\np = "1/4"\nq = "3/4"\nf = "1/2"\n{form}'
    )
    question = parse_survey(
        f'[survey]\nname = "repeats"\n[[question]]\nname = "x"\n{keys}'
    )["x"]
    counts = np.full(
        (question.layout.cohorts, 1 + question.layout.bits),
        2_000 // question.layout.cohorts * 2,
    )
    counts[:, 1:] //= 2
    once, repeated = (
        estimate_question(question, counts, Options(reports_per_person=reports))
        for reports in (1, 10)
    )
    worth = effective(400, bit_noise(0.25, 0.75, 0.5, repeats=10))
    assert (once.respondents, repeated.respondents, repeated.reports) == (
        4_000,
        400,
        4_000,
    )
    assert f"10 reports from each of 400 respondents, worth {worth:,} " in repeated.note
    assert 400 < worth < 4_000
    np.testing.assert_allclose(repeated.frequency, once.frequency, atol=1e-3)
    assert (repeated.standard_error > once.standard_error).all()
    assert next(iter(repeated)).count == pytest.approx(400 * repeated.frequency[0])


def test_impossible_repeats():
    """No one sends less than one report, nor more than there are."""
    question = parse_survey(
        '[survey]\nname = "repeats"\n[[question]]\n'
        'name = "x"\ntype = "boolean"\nmechanism = "rappor"\n'
        'p = "1/4"\nq = "3/4"\nf = "1/2"'
    )["x"]
    with pytest.raises(
        EstimateError, match="at least the 10 reports that a respondent sent, got 4"
    ):
        estimate_question(
            question, np.array([[4, 2, 1]]), Options(reports_per_person=10)
        )
    with pytest.raises(
        EstimateError, match="1 to 1,000,000,000 reports from each respondent, got 0"
    ):
        Options(reports_per_person=0)


@pytest.mark.parametrize(
    "name",
    [
        "chain-of-3-symbols",
        "chain-of-2-bits",
        "chain-of-2-even-bits",
        "rappor-3-word-2",
    ],
)
@pytest.mark.parametrize("repeats", [2, 3])
def test_repeated_reports_have_the_stated_variance(name, repeats):
    """The variance of a respondent's mean score is that over all reports that can come,
    exactly.
    """
    randomizer = GENUINE[name].randomizer
    rows = permanent_channel(randomizer).rows
    fresh = instantaneous_channel(randomizer).rows
    p, q = randomizer.support
    layout = randomizer.layout
    states = true_states(randomizer)

    def mean_score(drawn):
        hits = sum(bool(report & 1) if layout.bits else report == 0 for report in drawn)
        return (Fraction(hits, repeats) - q) / (p - q)

    stated = memoized_moments(
        randomizer, np.full(empty_counts(layout).shape, 6_000), repeats
    )
    for state, variance, mean in (
        (states[0], stated.variance_if_held[0], 1),
        (states[1], stated.variance_if_not[0], 0),
    ):
        law = [
            (
                sum(
                    chance * math.prod(fresh[z][y] for y in drawn)
                    for z, chance in enumerate(rows[state])
                ),
                mean_score(drawn),
            )
            for drawn in product(range(len(fresh[0])), repeat=repeats)
        ]
        assert sum(chance * score for chance, score in law) == mean
        assert variance == pytest.approx(
            float(sum(chance * (score - mean) ** 2 for chance, score in law)), rel=1e-12
        )


def test_repeats_of_permanent_bits_are_worth_nothing():
    """Ten times the same reports: the same estimates, with the same errors."""
    randomizer = GENUINE["window-of-2"].randomizer
    counts = np.array([[100, 60, 40], [100, 30, 50], [100, 20, 90], [100, 50, 50]])
    once = window_moments(randomizer, counts)
    repeated = window_moments(randomizer, 10 * counts, 10)
    assert (once.reports, repeated.reports) == (400, 400)
    assert repeated.frequency.tolist() == once.frequency.tolist()
    assert repeated.covariance().tolist() == once.covariance().tolist()
    assert "worth 400 respondents" in repeated.findings.note


@pytest.mark.parametrize("repeats", [2, 5])
def test_repeats_of_bits_have_no_covariance_but_their_own(repeats):
    """Bits are independent given the value: variances of one respondent, over their
    number.
    """
    counts = np.array([[60, 20, 35]])
    moments = memoized_moments(GENUINE["chain-of-2-bits"].randomizer, counts, repeats)
    variances = (
        moments.frequency * moments.variance_if_held
        + (1 - moments.frequency) * moments.variance_if_not
    )
    assert moments.reports == 60 // repeats
    np.testing.assert_allclose(
        moments.covariance(), np.diag(variances) / (60 // repeats)
    )


def test_what_repeats_are_worth():
    """As many respondents as would have the same error from one report each.

    One report each needs no note.
    """
    randomizer = GENUINE["chain-of-3-symbols"].randomizer
    counts = np.array([[300, 200, 100]])
    once, several = (
        memoized_moments(randomizer, counts, repeats) for repeats in (1, 3)
    )
    worth = round(200 * once.variance_if_not[0] / several.variance_if_not[0])
    assert (
        f"3 reports from each of 200 respondents, worth {worth:,} respondents"
        in several.findings.note
    )
    assert 200 < worth < 600
    assert once.findings.note == ""
    whole = memoized_moments(randomizer, np.array([[2, 1, 0]]), 3)
    assert whole.reports == 1
    with pytest.raises(
        EstimateError, match="at least the 4 reports that a respondent sent, got 3"
    ):
        memoized_moments(randomizer, np.array([[2, 1, 0]]), 4)


def test_repeats_of_permanent_noise():
    """What a bit is worth goes by the noise of those that are not set."""
    noise = bit_noise(0.25, 0.75, 0.5, repeats=10)
    assert effective(400, noise) == round(
        400 * noise.zero * (1 - noise.zero) / noise.zero_variance
    )
    assert noise_of(GENUINE["rappor-3-word-2"].randomizer, 3) == bit_noise(
        0.75, 0.25, 0.5, repeats=3
    )
    assert noise_of(GENUINE["rappor-3-word-2"].randomizer) == bit_noise(
        0.75, 0.25, 0.5, repeats=1
    )


def test_several_reports_have_to_be_for_some_question():
    """A question that keeps nothing has one report of each; asked alone, several are
    refused.
    """
    head = '[survey]\nname = "repeats"\n[[question]]\nname = "x"\ntype = "boolean"\n'
    lasting = 'mechanism = "rappor"\np = "1/4"\nq = "3/4"\nf = "1/2"'
    plain = 'mechanism = "grr"\nepsilon = 1'
    memoized, once = (parse_survey(f"{head}{keys}")["x"] for keys in (lasting, plain))
    assert [
        reports_of_each(question.randomizer, 7) for question in (memoized, once)
    ] == [7, 1]
    check_repeatable([once, memoized], 2)
    check_repeatable([once], 1)
    with pytest.raises(
        EstimateError,
        match="got 2 reports of each and only x, x; leave --reports-per-person",
    ):
        check_repeatable([once, once], 2)


def test_repeats_of_symbols_have_no_covariance():
    """It is refused rather than understated."""
    randomizer = GENUINE["chain-of-3-symbols"].randomizer
    with pytest.raises(EstimateError, match="got 2"):
        memoized_moments(randomizer, np.array([[10, 20, 30]]), 2).covariance()


DAY = 86_400


@pytest.fixture(scope="module")
def daily(tmp_path_factory):
    """A survey, and files of 200 devices that report on 20 days: reports, and rows."""
    folder = tmp_path_factory.mktemp("daily")
    keys = {"epsilon_first": "1", "epsilon_lifetime": "2", "memoized_values": 2}
    question = ldp.question("on", type="boolean", mechanism="l-grr", **keys)
    survey = ldp.survey("s", question, epoch="1d")
    rows = np.random.default_rng(1).integers(2, size=4_000, dtype=np.uint8).tobytes()
    batches = [
        batch
        for place in range(4_000)
        for batch in row_batches(
            survey["on"].fingerprint,
            rows[place : place + 1],
            1,
            epoch=DAY,
            clock=lambda place=place: (20_000 + place % 20) * DAY,
        )
    ]
    (folder / "s.toml").write_text(survey.to_toml())
    (folder / "days.reports").write_bytes(frames(batches))
    (folder / "day.reports").write_bytes(frames(batches[::20]))
    lines = [f"{frames([batch]).hex()},{batch.id[5] % 50}" for batch in batches]
    (folder / "rows.csv").write_text("\n".join(["report,age", *lines]))
    return folder


def errors_in(part):
    """All standard errors of a record."""
    if isinstance(part, dict):
        own = [part["standard_error"]] if "standard_error" in part else []
        return own + [error for value in part.values() for error in errors_in(value)]
    if isinstance(part, list):
        return [error for value in part for error in errors_in(value)]
    return []


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("estimate", ["days.reports"]),
        ("analyze query", ["days.reports", "share(on = true)"]),
        ("analyze compare", ["day.reports", "days.reports", "--allow-equal"]),
        ("analyze weight", ["days.reports"]),
        ("analyze weight", ["--rows", "rows.csv", "--answer", "report"]),
        (
            "analyze regress",
            ["--rows", "rows.csv", "--answer", "on=report", "--formula", "on ~ age"],
        ),
    ],
)
def test_over_epochs_errors_are_the_largest_that_there_may_be(
    daily, monkeypatch, command, given
):
    """Twenty unchanged days of 200 devices: intervals held .71 of 95 %."""
    monkeypatch.chdir(daily)

    def shown(*more):
        return run(
            *command.split(), "s.toml", *given, "-q", *more, "--format", "json"
        ).stdout

    usual = shown()
    assert "20 epochs" in usual
    assert "taken to have sent 20, the most" in usual
    every, once = (shown("--reports-per-person", number) for number in ("20", "1"))
    assert "as asked" in every
    both = [np.array(errors_in(json.loads(text))) for text in (usual, once)]
    if command != "analyze compare":
        assert errors_in(json.loads(every)) == both[0].tolist()
        assert (both[0] > 1.5 * both[1]).all()


def test_one_epoch_is_no_repeat_and_unknown_ones_are_said(daily):
    """Of one day nothing is said; a tally without epochs says what it assumes."""
    survey = parse_survey((daily / "s.toml").read_text())
    day = aggregate(survey, daily / "day.reports")
    assert [remark.name for remark in estimate(survey, day)["on"].remarks] == []
    unknown = estimate(survey, Tally(survey, day.counts))["on"]
    assert "one epoch are assumed" in str(unknown.remarks[0])


def test_epochs_of_a_tally(daily):
    """They add up, come back from a file, and a few strays make no second report."""
    survey = parse_survey((daily / "s.toml").read_text())
    day, days = (
        aggregate(survey, daily / f"{name}.reports") for name in ("day", "days")
    )
    both = day.merge(days, allow_equal=True)
    assert sorted(both.epochs["on"].values()) == [200] * 19 + [400]
    assert decode_tally(encode_tally(both), survey).epochs == both.epochs
    with pytest.raises(WireError):
        decode_tally(encode_tally(replace(day, epochs={"no": Counter({1: 2})})), survey)
    assert most_repeats({1: 200, 2: 200, 3: 200}) == 3
    assert most_repeats({1: 980, 2: 20}) == 1
    assert most_repeats({1: 1000, 2: 200}) == 2
    assert most_repeats({}) == 1
