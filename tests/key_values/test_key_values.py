"""Keys that come with numbers: answers, laws, errors, intervals, populations, in every
format.
"""

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from calling import run

import ldp
import ldp_simulations as sim
from ldp import AnswerError, SurveyError
from ldp.mechanisms import MECHANISMS
from ldp_aggregator import estimate
from ldp_aggregator.decoders.key_laws import Balances, ItemPairLaw
from ldp_aggregator.decoders.key_values.means import key_means
from ldp_aggregator.decoders.key_values.signed import balances, signed_moments
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_client import Client
from ldp_client.tools.codegen import module
from ldp_simulations.key_holders import PairHolders

HALF = 1 << 63
ENDS = Fraction(-1), Fraction(1)


def asked(size=3, most=2, epsilon="2", **keys):
    """A question of keys "k0", "k1" and so on."""
    names = [f"k{place}" for place in range(size)]
    return ldp.question(
        "x", keys=names, most=most, epsilon=epsilon, **{"low": 0, "high": 8, **keys}
    )


def survey_of(*arguments, **keys):
    return ldp.survey("s", asked(*arguments, **keys))


def test_answers_become_items_and_their_chances():
    """A number is the lower item with the chance of the upper one; the upper end is
    that itself.
    """
    domain = survey_of()["x"].domain
    assert domain.places({"k1": 4, "k0": 8}) == ((2, HALF), (1, 0))
    assert domain.places({"k2": "0.5"} | {"k2": 0.5}) == ((4, (1 << 64) // 16),)
    assert domain.places({}) == ()
    assert domain.value({"k0": 0, "k2": 8}) == 0b100001


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ([("k0", 1)], "a mapping from keys"),
        ("k0=1", "a mapping from keys"),
        ({"elsewhere": 1}, "some of the question's 3 keys"),
        ({3: 1}, "some of the question's 3 keys"),
        ({"k0": 1, "k1": 1, "k2": 1}, "at most 2 keys"),
        ({"k0": "7"}, "a number"),
        ({"k0": None}, "a number"),
        ({"k0": 8.5}, "a number from 0 to 8, got another"),
    ],
)
def test_what_is_no_answer_is_refused(answer, expected):
    """The error says what was expected, and repeats nothing of the answer."""
    with pytest.raises(AnswerError, match=expected) as refused:
        Client(survey_of()).record("x", answer)
    assert not any(text in str(refused.value) for text in ("8.5", "elsewhere", "k0"))


def test_cells_of_tables():
    """Keys with their numbers stand between bars; a bar alone is no key at all."""
    domain = survey_of(missing=["NA"])["x"].domain
    assert domain.parse("k0=1 | k2=3/4") == {"k0": 1, "k2": Fraction(3, 4)}
    assert domain.parse("|") == {}
    assert domain.is_missing("NA")
    assert domain.is_missing("")
    for cell in ("k0", "k0=1|k0=2", "k0=", "=1", "k0=1||k1=2", "k0=one"):
        with pytest.raises(AnswerError):
            domain.places(domain.parse(cell))


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"most": 4}, "most: expected a whole number from 1 to 3, got 4"),
        ({"high": 0}, "high: expected a number above 0"),
        ({"step": 1}, "step: expected"),
        ({"keys": ["a", "b|c"]}, "keys: expected keys without |"),
        ({"keys": ["a"]}, "keys: expected 2 to"),
        ({"per_device": "mean"}, "per_device: expected nothing"),
        ({"values": ["a", "b"]}, "values: expected"),
        ({"mechanism": "pad-hr"}, "of type multi"),
        ({"mechanism": "pad-pgr"}, "of type multi"),
        ({"mechanism": "set-unary"}, "of type multi"),
        ({"goal": "mean"}, "mechanism: expected"),
    ],
)
def test_surveys_say_what_is_wrong(keys, problem):
    """Each has its place, what was expected and what came."""
    with pytest.raises(SurveyError) as refused:
        ldp.survey("s", asked() | keys)
    assert problem in str(refused.value)


def test_surveys_are_written_down():
    """A question made in Python is that of its file; its range and its keys are in
    fingerprints.
    """
    survey = survey_of(low="-0.5", unit="minutes", outside="clip", missing=["NA"])
    assert ldp.parse_survey(survey.to_toml()) == survey
    others = (
        survey_of(low="-0.25", unit="minutes", outside="clip", missing=["NA"]),
        survey_of(low="-0.5", unit="hours", outside="clip", missing=["NA"]),
        survey_of(low="-0.5", unit="minutes", missing=["NA"]),
        survey_of(low="-0.5", unit="minutes", outside="clip"),
    )
    prints = {other["x"].fingerprint for other in (survey, *others)}
    assert len(prints) == 5
    assert "up to 2 of 3 keys from -0.5 to 8 minutes" in repr(survey["x"])


def test_one_draw_rounds_all_numbers():
    """Eight bytes are drawn before those of the randomizer, whatever is held; none is
    biased.
    """
    question = survey_of()["x"]
    drawn = []

    def tape(word):
        def random(size):
            drawn.append(size)
            return word.to_bytes(8, "little")

        return random

    answer = {"k0": 4, "k1": 2}
    assert question.value(answer, tape(HALF - 1)) == 0b0110
    assert question.value(answer, tape(HALF)) == 0b0101
    assert question.value(answer, tape(HALF // 2 - 1)) == 0b1010
    assert question.value({}, tape(0)) == 0
    assert set(drawn) == {8}


def exact_moments(randomizer):
    """(mean of s, of t, of s^2, of t^2, of s t) of the first key, for each set, in
    fractions.
    """
    rows = randomizer.channel().rows
    worths = []
    for report in range(len(rows[0])):
        counts = empty_counts(randomizer.layout)
        reports, share, balance, _ = balances(
            randomizer, _counted(counts, randomizer, report)
        )
        worths.append([Fraction(float(number)) for number in (share[0], balance[0])])
        assert reports == 1
    return [
        [
            sum(mass * s**a * t**b for mass, (s, t) in zip(row, worths, strict=True))
            for a, b in ((1, 0), (0, 1), (2, 0), (0, 2), (1, 1))
        ]
        for row in rows
    ]


def _counted(counts, randomizer, report):
    if not randomizer.layout.bits:
        counts[0, report] = 1
        return counts
    counts[0, 0] = 1
    counts[0, 1:] = [report >> bit & 1 for bit in range(randomizer.layout.bits)]
    return counts


@pytest.mark.parametrize("mechanism", ["pad-grr", "pad-ss"])
@pytest.mark.parametrize(
    ("size", "most", "epsilon"), [(2, 1, "1"), (2, 2, "2"), (3, 2, "0.5")]
)
def test_squares_of_scores_are_those_of_the_channel(mechanism, size, most, epsilon):
    """For every set and sign: E[s], E[t], E[s^2], E[t^2], E[s t], worked out report by
    report.
    """
    randomizer = survey_of(size, most, epsilon, mechanism=mechanism)["x"].randomizer
    law = ItemPairLaw.of(randomizer)
    sets = [
        held
        for number in range(most + 1)
        for held in combinations(range(2 * size), number)
        if len({item // 2 for item in held}) == number
    ]
    for held, moments in zip(sets, exact_moments(randomizer), strict=True):
        sign = (1 in held) - (0 in held)
        is_held = bool(sign)
        expected = (
            is_held,
            sign,
            law.of_share.held if is_held else law.of_share.other,
            law.of_balance.held if is_held else law.of_balance.other,
            law.together * sign,
        )
        assert [float(moment) for moment in moments] == pytest.approx(
            [float(number) for number in expected], abs=1e-9
        )


def test_variances_of_shares_are_those_of_scores():
    """The mean squares of the law, less 1 for those who hold a key."""
    randomizer = survey_of(10, 2, "2")["x"].randomizer
    law = ItemPairLaw.of(randomizer)
    moments = signed_moments(randomizer, empty_counts(randomizer.layout) + 10)
    assert moments.variance_if_held == pytest.approx(np.full(10, law.of_share.held - 1))
    assert moments.variance_if_not == pytest.approx(np.full(10, law.of_share.other))


REFERENCE = {
    (100, "0.5"): (30.9, 31.2),
    (100, "1"): (7.24, 7.31),
    (100, "2"): (1.41, 1.42),
    (100, "4"): (0.13, 0.13),
    (10, "0.5"): (26.7, 29.7),
    (10, "1"): (6.1, 6.8),
    (10, "2"): (1.05, 1.15),
    (10, "4"): (0.05, 0.05),
}
"""n times the variances of the share and the balance of a rare key, one key a
respondent.
"""


@pytest.mark.parametrize(("size", "epsilon"), REFERENCE)
def test_errors_of_rare_keys(size, epsilon):
    """What is published for signed items, within 2 %, or the last digit that is
    stated.
    """
    randomizer = survey_of(size, 1, epsilon)["x"].randomizer
    law = ItemPairLaw.of(randomizer)
    for stated, square in zip(
        REFERENCE[size, epsilon],
        (law.of_share.other, law.of_balance.other),
        strict=True,
    ):
        assert square == pytest.approx(stated, rel=0.02, abs=0.005)


def test_auto_takes_symbols_for_few_keys_and_subsets_for_many():
    """Each where it errs less."""
    assert survey_of(10, 1, "4")["x"].mechanism == "pad-grr"
    assert survey_of(10, 1, "2")["x"].mechanism == "pad-ss"
    assert survey_of(10, 3, "2")["x"].mechanism == "pad-grr"


def fieller(share, balance, law, reports, quantile):
    """The means that the reports do not speak against, on a grid from -1 to 1."""
    grid = np.linspace(-1, 1, 4001)
    known = min(share, 1.0)
    spread = law.of_balance.at(known) + grid**2 * (
        law.of_share.at(known) - 2 * law.together * known
    )
    return grid[(balance - grid * share) ** 2 <= quantile**2 * spread / reports]


@pytest.mark.parametrize(
    ("share", "balance"),
    [(0.3, 0.1), (0.3, -0.29), (0.9, 0.9), (0.05, 0.04), (1.01, -0.2)],
)
def test_intervals_of_means_are_fiellers(share, balance):
    """The same as the means on a fine grid of which the difference is within its
    error.
    """
    law = ItemPairLaw.of(survey_of(10, 2, "2")["x"].randomizer)
    numbers = key_means(
        Balances(20_000, np.array([share]), np.array([balance]), law=law),
        ENDS,
        0.05,
        estimand="population",
    )
    inside = fieller(share, balance, law, reports=20_000, quantile=1.959964)
    mean = numbers.means[0]
    assert mean.estimate == pytest.approx(balance / share)
    assert mean.interval == pytest.approx((inside[0], inside[-1]), abs=1e-3)
    assert mean.low <= np.clip(mean.estimate, -1, 1) <= mean.high


@pytest.mark.parametrize("ends", [(2, 10), (-3, -1), (-1, 4)])
@pytest.mark.parametrize(("share", "balance"), [(0.3, 0.1), (0.3, -0.29), (0.9, 0.9)])
def test_sums_have_the_errors_of_their_scores(share, balance, ends):
    """From the law of those who have the upper item, the lower one, or none, and what
    they hold.
    """
    law = ItemPairLaw.of(survey_of(10, 2, "2")["x"].randomizer)
    middle, half = sum(ends) / 2, (ends[1] - ends[0]) / 2
    reported = Balances(20_000, np.array([share]), np.array([balance]), law=law)
    square = (1 - share) * (
        middle**2 * law.of_share.other + half**2 * law.of_balance.other
    )
    for sign in (-1, 1):
        of_sign = middle**2 * law.of_share.held + half**2 * law.of_balance.held
        of_sign += 2 * middle * half * law.together * sign
        square += (share + sign * balance) / 2 * of_sign
    # A population's mean, and the least that numbers of that sum have for a mean
    # square.
    total = share * middle + balance * half
    for estimand, known in (
        ("population", total**2),
        ("respondents", total**2 / share),
    ):
        numbers = key_means(
            reported, tuple(map(Fraction, ends)), 0.05, estimand=estimand
        ).sums[0]
        error = np.sqrt((square - known) / 20_000)
        assert (numbers.estimate, numbers.standard_error) == pytest.approx(
            (total, error)
        )
        least, most = min(ends[0], 0), max(ends[1], 0)
        low, high = (total + sign * 1.959964 * error for sign in (-1, 1))
        assert numbers.interval == pytest.approx((max(low, least), min(high, most)))


def test_sums_keep_to_what_they_can_be():
    """No sum is beyond the end of the range, or beyond 0 where all numbers are on one
    side.
    """
    law = ItemPairLaw.of(survey_of(10, 2, "2")["x"].randomizer)
    share = np.array([0.01, 0.99])
    for ends, sign, least, most in (((2, 10), 1, 0, 10), ((-3, -1), -1, -3, 0)):
        reported = Balances(200, share, sign * share, law=law)
        sums = key_means(
            reported, tuple(map(Fraction, ends)), 0.05, estimand="respondents"
        ).sums
        assert min(sums.low) == least
        assert max(sums.high) == most


@pytest.mark.parametrize("share", [-0.5, -0.01, 0.0, 0.001])
def test_a_rare_key_has_no_mean(share):
    """Where no one may hold it, nothing is told: the whole range, and no estimate."""
    law = ItemPairLaw.of(survey_of(10, 2, "1")["x"].randomizer)
    numbers = key_means(
        Balances(10_000, np.array([share]), np.array([0.3]), law=law),
        ENDS,
        0.05,
        estimand="respondents",
    )
    mean = numbers.means[0]
    assert not mean.is_told
    assert mean.interval == (-1, 1)
    assert mean.cells == ("-", "[-1, 1]")
    assert mean.to_dict() == {
        "estimate": None,
        "standard_error": None,
        "interval": [-1, 1],
    }
    assert numbers.untold.tolist() == [True]


@pytest.mark.parametrize(
    ("size", "most", "epsilon"), [(10, 3, "1"), (10, 3, "4"), (100, 2, "2")]
)
def test_intervals_hold_the_truth(size, most, epsilon):
    """Nominal 95 % over all keys of 400 runs, .925 to .975; means may hold it more
    often.

    The standard error of the coverage is at most that of 400 independent runs of one
    key, .011, and about .0035 for ten; 1.8 standard errors in place of 1.96 (.928) are
    noticed by the ten keys' frequencies, and means whose error leaves out that of the
    share.
    """
    survey = survey_of(size, most, epsilon)
    people = sim.synthetic(survey, 30_000, "zipf:0.7")
    shares = sim.simulate(survey, people, runs=400, seed=3).runs["x"]
    means = shares.key_means
    assert 0.93 < shares.coverage.mean() < 0.97
    assert means.coverage.mean() > 0.93
    ratio = np.sqrt(
        (shares.empirical_error**2).mean() / (shares.stated_error**2).mean()
    )
    assert ratio == pytest.approx(1, abs=0.06)
    assert means.empirical_error[0] / means.stated_error[0] == pytest.approx(
        1, abs=0.21
    )


def test_both_ways_have_one_law():
    """Reports of clients and tallies from the law: shares and means agree within 5
    errors.
    """
    survey = survey_of(4, 2, "3")
    people = sim.synthetic(survey, 3_000)
    by_law, by_clients = (
        sim.simulate(survey, people, runs=1, seed=7, way=way).first["x"]
        for way in ("law", "clients")
    )
    away = np.abs(by_law.frequency - by_clients.frequency)
    assert (away < 5 * np.hypot(by_law.standard_error, by_clients.standard_error)).all()
    means = by_law.key_means.means, by_clients.key_means.means
    errors = np.hypot(means[0].standard_error, means[1].standard_error)
    assert (np.abs(means[0].estimate - means[1].estimate) < 5 * errors)[:2].all()


def test_populations_of_tables():
    """Shares and means of a table's answers are the truth that estimates are compared
    with.
    """
    survey = survey_of()
    rows = [
        {"x": {"k0": 2, "k1": 8}},
        {"x": {"k0": 5}},
        {"x": {}},
        {"x": None},
        {"x": "k1=0.5"},
    ]
    people = sim.from_table(survey, rows)["x"]
    assert isinstance(people, PairHolders)
    assert people.respondents == 4
    assert people.frequencies(("k0", "k1", "k2")) == [0.5, 0.5, 0]
    assert people.means(3).tolist()[:2] == [3.5, 4.25]
    assert np.isnan(people.means(3)[2])
    parsed = [
        survey["x"].domain.places(survey["x"].domain.parse(cell))
        for cell in people.values
    ]
    assert tuple(parsed) == people.pairs


def test_every_format_has_the_means():
    """Table, JSON, CSV, Markdown and HTML tell the sum and the mean of every key."""
    survey = survey_of(3, 1, "4", unit="points")
    answers = [{"x": {"k0": 6}}] * 4_000 + [{"x": {"k1": 2}}] * 2_000
    estimates = estimate(survey, sim.randomize(survey, answers, seed=2))
    numbers = estimates["x"]
    mean, sum_ = numbers.mean_of("k0"), numbers.sum_of("k0")
    assert mean.low < 6 < mean.high
    assert abs(sum_.estimate - 4) < 5 * sum_.standard_error
    assert not numbers.mean_of("k2").is_told
    record = json.loads(estimates.rendered("json"))["questions"]["x"]["values"]
    assert record[0]["mean"] == mean.to_dict()
    assert record[0]["sum"] == sum_.to_dict()
    assert record[2]["mean"]["estimate"] is None
    assert f"x,k0: mean,6000,{mean.estimate}" in estimates.to_csv()
    for form in ("table", "markdown", "html"):
        assert mean.format_number(mean.estimate) in str(estimates.rendered(form))
    assert [remark.name for remark in numbers.remarks].count("whole-range") == 1
    assert "in points" in numbers.describe()
    only = numbers.top(1)
    assert only.mean_of("k0") == mean
    with pytest.raises(KeyError, match="k9"):
        numbers.mean_of("k9")


def test_forged_reports_keep_to_the_bound():
    """Reports of greatest worth move the shares of two keys, and no further than is
    said.
    """
    survey = survey_of(10, 2, "1")
    people = sim.synthetic(survey, 5_000)["x"]
    for kind in ("random", "input", "maximal-gain"):
        done = sim.attack(
            survey, {"x": people}, fraction=0.05, kind=kind, runs=5, seed=1
        )
        for attacked in done.attacked:
            for outcome in attacked.outcomes:
                places = list(attacked.attack.targets)
                assert np.abs(outcome.gain[places]).max() <= outcome.bound + 1e-9


def test_sums_are_moved_no_further_than_is_said():
    """The bound is the worth of the report that is worth most to a sum, or least, and
    no less.
    """
    for ends in ((0, 8), (-3, 8), (2, 8)):
        survey = survey_of(3, 2, "1", low=ends[0], high=ends[1], mechanism="pad-ss")
        question = survey["x"]
        estimates = estimate(
            survey, sim.randomize(survey, [{"x": {"k0": 8}}] * 10, seed=1)
        )["x"]
        low, high = ends
        worths = []
        for report in range(1 << question.layout.bits):
            if report.bit_count() != question.layout.ones:
                continue
            counts = _counted(
                empty_counts(question.layout), question.randomizer, report
            )
            _, share, balance, _ = balances(question.randomizer, counts)
            worths.append((low + high) / 2 * share[0] + (high - low) / 2 * balance[0])
        furthest = max(max(worths) - min(low, 0), max(high, 0) - min(worths))
        assert estimates.manipulation.sum_reach == pytest.approx(furthest)
        assert "the sum of a key's numbers" in str(estimates.manipulation)
        assert (
            estimates.to_dict()["manipulation"]["sum_reach"]
            == estimates.manipulation.sum_reach
        )


def test_modules_have_their_type():
    """What an editor is told: a mapping from the keys to numbers."""
    assert 'value: Mapping[Literal["k0", "k1", "k2"], float]' in module(survey_of())


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_other_mechanisms_refuse(mechanism):
    """Two of those of sets serve; all others say what they expect."""
    refusal = MECHANISMS[mechanism].accepts(survey_of()["x"].domain)
    assert (refusal is None) == (mechanism in ("pad-grr", "pad-ss"))


def test_the_commands(tmp_path):
    """A table is randomized, estimated, simulated, explained, planned and checked."""
    survey, table, reports = tmp_path / "s.toml", tmp_path / "t.csv", tmp_path / "r"
    survey.write_text(survey_of(unit="points").to_toml())
    table.write_text("x\nk0=3|k1=8\n|\n\nk2=0.5\n")
    explained = run("explain", survey).output
    assert "the whole set" in explained
    assert "6 signed items" in explained
    run("randomize", survey, "--input", table, "--output", reports)
    assert "3 reports" in run("estimate", survey, reports).output
    assert "0.3333" in run("simulate", survey, "--population", table).output
    assert "pad-grr" in run("plan", survey, "--respondents", "1e5").output


def test_plans_are_kept():
    """Of 200 simulated surveys, the errors of a share and of a mean are within 20 % of
    the plan's.

    The standard error of a root mean square of 200 is 5 %; twice the error would be
    noticed.
    """
    survey = survey_of(4, 1, "2")
    share, respondents = 0.1, 40_000
    (plan,) = sim.plan(survey, respondents=respondents, frequency=share).keys
    (row,) = plan.rows
    holders = int(share * respondents)
    people = {"x": ["k0=4"] * holders + ["|"] * (respondents - holders)}
    runs = sim.simulate(survey, sim.from_table(survey, people), runs=200, seed=5).runs[
        "x"
    ]
    assert runs.empirical_error[0] == pytest.approx(row.frequency_error, rel=0.2)
    assert runs.key_means.empirical_error[0] == pytest.approx(row.mean_error, rel=0.2)


def test_respondents_are_found():
    """The least number with which the mean of a key is known as well as is asked."""
    survey = survey_of(4, 1, "2", unit="points")
    (plan,) = sim.plan(survey, mean_half_width=0.5, frequency=0.1).keys
    assert plan.rows[0].half_width <= 0.5
    planned = sim.plan(survey, respondents=plan.respondents - 1, frequency=0.1)
    assert planned.keys[0].rows[0].half_width > 0.5
    record = planned.to_dict()["plans"][-1]
    assert record["shares"][0]["mean_half_width"] == planned.keys[0].rows[0].half_width
    assert "in points" in repr(planned)
    rare = sim.plan(survey, respondents=100, frequency=0.001).keys[0].rows[0]
    assert rare.half_width == 4
    assert np.isnan(rare.mean_error)
