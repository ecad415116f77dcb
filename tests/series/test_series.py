"""Levels over epochs, evidence of changes, and what is shown of both."""

import json
import math

import numpy as np
import pytest
from calling import run

import ldp
from lab.changes import courses
from lab.changes.cells import ALARMS, BANDS
from ldp import EstimateError
from ldp_aggregator import Options, Tally, encode_tally, estimate_question, follow
from ldp_aggregator.analyses.series.before_after import split_tests
from ldp_aggregator.analyses.series.errors_over_time import Covariances, covariances
from ldp_aggregator.analyses.series.evidence import evidence_of, since
from ldp_aggregator.analyses.series.levels import level_of
from ldp_aggregator.commands.analyses.trend import CHANGED, epochs_of
from ldp_simulations import Holders, randomize
from ldp_simulations.sampling.table import sample_counts

ONE = {"mechanism": "grr", "epsilon": "2"}
KEPT = {"mechanism": "l-osue", "epsilon_first": "2", "epsilon_lifetime": "4"}


def asked(keys=ONE):
    """A question of three values."""
    return ldp.survey("s", ldp.question("q", ["a", "b", "c"], **keys), epoch="1d")["q"]


def drawn(shares, seed, respondents=4_000, keys=ONE):
    """The estimates of an epoch."""
    question = asked(keys)
    generator = np.random.default_rng(seed)
    holders = Holders(
        question.domain.values, generator.multinomial(respondents, shares)
    )
    counts = sample_counts(question, holders, generator)
    return estimate_question(question, counts, Options())


def with_a_step(epochs=12, place=7, keys=ONE, without=()):
    """A history in which `a` loses a tenth to `b`."""
    before, after = (0.5, 0.3, 0.2), (0.4, 0.4, 0.2)
    return [
        (epoch, drawn(after if epoch >= place else before, epoch, keys=keys))
        for epoch in range(epochs)
        if epoch not in without
    ]


def test_a_level_of_many_equal_epochs_is_their_mean():
    """Where steps are certain to be small, as those of ten thousand equal estimates
    are.
    """
    known = level_of(np.full(50, 0.3), np.full(50, 1e-4))
    assert known.level == pytest.approx(np.full(50, 0.3))
    assert (known.error < 0.01 / 2).all()
    assert known.error[25] < known.error[-1]


def test_levels_that_jump_are_followed():
    """Where steps are far larger than errors, levels are the estimates, with their
    errors.
    """
    estimate = np.array([0.0, 50.0, -80.0, 10.0, 70.0, -20.0])
    known = level_of(estimate, np.ones(6))
    assert known.level == pytest.approx(estimate, abs=0.5)
    assert known.error == pytest.approx(np.ones(6), rel=0.05)
    assert 20 < known.step < 200


def test_missing_epochs_have_wider_bands():
    """They have a level all the same."""
    estimate = np.array([0.1, 0.3, math.nan, math.nan, 0.2, 0.35])
    known = level_of(estimate, np.full(6, 0.01**2))
    assert known.error[2] > 3 * known.error[1]
    assert np.isfinite(known.level).all()


def test_slopes_and_seasons():
    """A line has its slope, within three errors; a season is taken off."""
    generator = np.random.default_rng(3)
    line = 0.5 * np.arange(20) + generator.normal(size=20)
    known = level_of(line, np.ones(20), slope=True)
    slope, error = known.slope
    assert abs(slope - 0.5) < 3 * error < 1.8
    season = np.tile([0.0, 3.0, 1.0, -4.0], 6)
    known = level_of(season + generator.normal(size=24), np.ones(24), season=4)
    assert known.season == pytest.approx(season, abs=1.5)
    assert np.abs(known.level) == pytest.approx(np.zeros(24), abs=1.5)


@pytest.mark.parametrize(
    ("estimate", "keys", "words"),
    [
        ([0.1], {}, "at least 2 epochs"),
        ([0.1, 0.2], {"slope": True}, "at least 3 epochs"),
        ([0.1] * 20, {"season": 7}, "full seasons"),
        ([0.1] * 20, {"season": 1}, "at least 2"),
    ],
)
def test_too_few_epochs(estimate, keys, words):
    """What cannot be told is not."""
    with pytest.raises(EstimateError, match=words):
        level_of(np.array(estimate), np.full(len(estimate), 0.01), **keys)


def test_evidence_is_a_ratio_of_likelihoods():
    """For a few epochs, compared with densities of what does not depend on the
    constant.
    """
    from scipy.stats import multivariate_normal

    generator = np.random.default_rng(2)
    size, estimate = 5, generator.normal(size=5)
    noise = np.diag(generator.uniform(0.5, 2, size))
    unit = float(np.median(np.diag(noise)))
    values = evidence_of(estimate, Covariances([noise], [])).values
    for last in range(2, size + 1):
        # Differences from the first: what does not depend on the constant.
        apart = np.column_stack([-np.ones(last - 1), np.eye(last - 1)])
        seen, part = apart @ estimate[:last], noise[:last, :last]
        null = multivariate_normal.pdf(seen, cov=apart @ part @ apart.T)
        total = 1 / last
        for place in range(1, last):
            step = apart @ (np.arange(last) >= place)
            for factor in (1, 3, 9):
                more = factor**2 * unit * np.outer(step, step)
                density = multivariate_normal.pdf(
                    seen, cov=apart @ part @ apart.T + more
                )
                total += density / null / 3 / ((place + 1) * place)
        assert values[last - 1] == pytest.approx(total, rel=1e-4)
    assert values[0] == 1


def test_evidence_has_the_mean_one():
    """Of two epochs, whose difference is all that counts: an integral over its law.

    With errors stated as half of what they are it is far more.
    """
    from scipy.stats import norm

    apart, width = np.linspace(-60, 60, 4_001, retstep=True)
    noise = Covariances([np.eye(2)], [])
    values = np.array(
        [evidence_of(np.array([0.0, one]), noise).values[-1] for one in apart]
    )
    assert width * values @ norm.pdf(apart, scale=2**0.5) == pytest.approx(1, abs=1e-4)
    assert width * values @ norm.pdf(apart, scale=2 * 2**0.5) > 10


def test_what_devices_that_stay_explain_is_no_change():
    """A step that other devices explain, as large as their shared error: none is called
    one.

    150 series in which all devices are others from the middle on. Taken for independent
    errors, a quarter of them and more would be called changed.
    """
    generator, size = np.random.default_rng(8), 30
    variance, lasting = np.ones(size), np.full(size, 0.6)
    known = covariances(variance, lasting, None, may_repeat=True)
    alarms = naive = 0
    for _ in range(150):
        shared = generator.normal(0, 0.6**0.5, 2)[
            (np.arange(size) >= size // 2).astype(int)
        ]
        estimate = generator.normal(0, 0.4**0.5, size) + shared
        alarms += (evidence_of(estimate, known).values >= 20).any()
        naive += (
            evidence_of(estimate, Covariances([np.eye(size)], [])).values >= 20
        ).any()
    assert alarms <= 2
    assert naive >= 20
    assert len(covariances(variance, lasting, 0.5, may_repeat=True).usual) == 1
    [fresh] = covariances(variance, lasting, None, may_repeat=False).usual
    assert (fresh == np.eye(size)).all()


def test_all_of_an_error_may_be_repeated():
    """As of Bloom filters, of which it is not known how much is: a change is still told
    from it.
    """
    variance = np.full(6, 0.001)
    known = covariances(variance, variance, None, may_repeat=True)
    values = evidence_of(np.array([0.2, 0.21, 0.2, 0.6, 0.61, 0.6]), known).values
    assert np.isfinite(values).all()
    assert values[2] < 2


def test_a_step_is_seen_where_devices_stay():
    """Shared errors do not hide it where the overlap is known; where not, it has to be
    larger.
    """
    generator, size = np.random.default_rng(9), 30
    variance, lasting = np.ones(size), np.full(size, 0.6)
    estimate = generator.normal(0, 0.4**0.5, size) + 3.0 * (np.arange(size) >= 15) + 0.5
    known = covariances(variance, lasting, 1.0, may_repeat=True)
    evidence = evidence_of(estimate, known)
    assert evidence.values.max() > 1_000
    assert since(evidence, 0.05)[15]
    assert since(evidence, 0.05).sum() <= 5
    unknown = covariances(variance, lasting, None, may_repeat=True)
    assert evidence_of(estimate, unknown).values.max() < 100
    large = estimate + 6.0 * (np.arange(size) >= 15)
    assert evidence_of(large, unknown).values.max() > 100


@pytest.mark.parametrize("keys", [ONE, KEPT])
def test_a_change_is_found(keys):
    """With the epoch since when, and by about how much; not of the value that stays."""
    trends = follow(
        with_a_step(keys=keys, without=(3,)), overlap=None if keys is ONE else 0.0
    )
    assert trends.alarm
    assert {course.value for course in trends.changed} == {"a", "b"}
    known = trends["b"]
    assert 7 in known.since
    assert known.alarm in (7, 8, 9)
    assert known.change == pytest.approx(0.1, abs=0.04)
    assert known.low[-1] < 0.4 < known.high[-1]
    assert known.low[0] < 0.3 < known.high[0]
    assert math.isnan(known.seen.estimate[3])
    assert known.epochs == tuple(range(12))
    assert "since" in trends.verdict


def test_nothing_is_found_where_nothing_changes():
    """And what would have been needed is said."""
    trends = follow([(epoch, drawn((0.5, 0.3, 0.2), epoch)) for epoch in range(10)])
    assert not trends.alarm
    assert trends.changed == ()
    assert "no change is certain enough" in trends.verdict


def test_open_epochs_are_shown_and_not_tested():
    """What is still to come in might look like a change."""
    history = with_a_step(epochs=9, place=7)
    assert follow(history, values=["a"]).alarm
    still = follow(history, values=["a"], still_open=2)
    assert not still.alarm
    assert len(still["a"].epochs) == 9
    assert any("still get reports" in remark for remark in still.remarks)


def test_memoized_levels_allow_for_shared_errors():
    """Bands for any overlap are wider than those of none, and of all."""
    history = with_a_step(keys=KEPT)
    unknown, none, all_of_them = (
        follow(history, values=["a"], overlap=overlap)["a"]
        for overlap in (None, 0.0, 1.0)
    )
    assert (unknown.low == np.minimum(none.low, all_of_them.low)).all()
    assert (unknown.high == np.maximum(none.high, all_of_them.high)).all()
    assert (all_of_them.high - all_of_them.low).min() > (none.high - none.low).min()


def weeks_of_features(seed, after=None, weeks=26):
    """Weeks of 400 reports to a question of ten values, of which `f0` may drop."""
    names = [f"f{place}" for place in range(10)]
    question = ldp.survey("s", ldp.question("q", names, mechanism="grr", epsilon=2))[
        "q"
    ]
    generator, history = np.random.default_rng(seed), []
    for week in range(weeks):
        own = np.array([0.4 if week < 16 else after or 0.4, *[1.0] * 9])
        own[1:] *= (1 - own[0]) / 9
        holders = Holders(tuple(names), generator.multinomial(400, own))
        counts = sample_counts(question, holders, generator)
        history.append((week, estimate_question(question, counts, Options())))
    return history


def test_weeks_of_few_reports_are_pooled():
    """A week of 400 reports says nothing by itself; .40 to .25 is 6 standard errors.

    One remark names the values, and from how many reports a week would do.
    """
    trends = follow(weeks_of_features(1, after=0.25), values=["f0", "f1"])
    assert trends.alarm
    assert [course.value for course in trends.changed] == ["f0"]
    assert 16 in trends["f0"].since
    assert len(trends["f0"].since) < 8
    assert not trends["f0"].has_evidence
    [remark] = trends.remarks
    assert remark.startswith("f0, f1: an epoch takes about ")
    assert "something has changed: f0 (since" in trends.verdict
    assert "in one look" in trends.verdict


def test_pooled_weeks_hold_the_alarm_rate():
    """12 histories without a change, at .1: 9 alarms have a chance below 1e-6.

    A test that takes the largest difference for the only one raises one each time.
    """
    alarms = 0
    for seed in range(12):
        history = weeks_of_features(100 + seed, weeks=8)
        tests = split_tests(history, ["f0", "f1", "f2"], Options(), family=3)
        assert len(tests) == 3
        alarms += min(test.p_value for test in tests.values()) <= 0.1
    assert alarms < 9


def test_few_reports_are_not_tested():
    """Where errors are not normal, as of a value that one in a thousand holds."""
    keys = {"mechanism": "grr", "epsilon": "8"}
    history = [
        (epoch, drawn((0.6, 0.399, 0.001), epoch, 500, keys=keys)) for epoch in range(5)
    ]
    trends = follow(history)
    assert not trends["c"].tested
    assert trends["a"].tested
    assert any(remark.startswith("c:") for remark in trends.remarks)


def test_a_panel_has_a_question_for_each_epoch(tmp_path):
    """Of which devices draw two: .2 to .8 of about 200 devices a week is found."""
    weeks = [f"week{number:02}" for number in range(1, 11)]
    questions = [ldp.question(week, ["a", "b"], epsilon=4) for week in weeks]
    draw = ldp.draw(*weeks, answers=2)
    survey = ldp.survey("panel", *questions, draws=[draw], epoch="1w")
    shares = [0.2] * 5 + [0.8] * 3
    answers = {
        week: ["a"] * round(1000 * share) + ["b"] * round(1000 * (1 - share))
        for week, share in zip(weeks[:8], shares, strict=True)
    }
    answers |= dict.fromkeys(weeks[8:], [None] * 1000)
    (tmp_path / "s.toml").write_text(survey.to_toml())
    (tmp_path / "r.reports").write_bytes(randomize(survey, answers, seed=1))
    files = (tmp_path / "s.toml", tmp_path / "r.reports")
    # That weeks to come have no reports is no sign of another draw.
    assert "of a draw" not in run("estimate", *files).stderr
    assert (
        "2 of week01, week02 to week10 (10 questions)"
        in run("explain", files[0]).stdout
    )
    words = ("analyze", "trend", *files, "-q", "--format", "json", "--question")
    known = json.loads(run(*words, "week*", "--alert", code=CHANGED).stdout)
    assert known["values"][0]["since"] == ["week06"]
    assert [epoch["epoch"] for epoch in known["values"][0]["epochs"]] == weeks[:8]
    assert "match the questions of a panel" in run(*words, "day*", code=1).stderr
    assert "without --by" in run(*words, "week*", "--by", "x", code=2).stderr


def test_means_are_followed():
    """Of questions that estimate no frequencies."""
    minutes = ldp.question(
        "n", low=0, high=20, type="integer", goal="mean", epsilon="4"
    )
    question = ldp.survey("s", minutes)["n"]
    history = []
    for epoch in range(8):
        held = np.zeros(question.domain.size, dtype=int)
        held[5 if epoch < 5 else 7] = 20_000
        counts = sample_counts(
            question, Holders((), held), np.random.default_rng(epoch)
        )
        options = Options(estimand="population")
        history.append((epoch, estimate_question(question, counts, options)))
    trends = follow(history)
    assert trends["mean"].since == (5,)
    assert trends["mean"].level[-1] == pytest.approx(7, abs=0.3)
    with pytest.raises(EstimateError, match="respondents"):
        follow(history, estimand="respondents")


def test_refusals():
    """What cannot be followed."""
    history = with_a_step(epochs=3)
    for known, keys, words in (
        ([], {}, "at least one epoch"),
        (history + history[:1], {}, "twice"),
        (history, {"alarm_rate": 0}, "alarm rate"),
        (history, {"estimand": "everyone"}, "estimand"),
        (history, {"overlap": 2}, "overlap"),
        ([(0, history[0][1]), (10**6, history[1][1])], {}, "at most 1,000 epochs"),
        (history[:1], {}, "at least 2 epochs"),
    ):
        with pytest.raises(EstimateError, match=words):
            follow(known, **keys)
    with pytest.raises(KeyError, match="'e'"):
        follow(history, values=["e"])


def test_what_it_shows():
    """Every format; frames have a row for each value and epoch."""
    trends = follow(with_a_step(epochs=10, without=(4,)))
    for form in ("table", "markdown", "html", "csv", "json"):
        assert "a" in trends.rendered(form)
    record = json.loads(trends.rendered("json"))
    assert record["alarm"] is True
    assert record["values"][0]["epochs"][4]["estimate"] is None
    assert len(trends.to_frame()) == 30
    assert trends.to_polars().height == 30
    assert trends.picture("png").startswith(b"\x89PNG")
    assert "by epoch" in repr(follow(with_a_step(epochs=4), values=["a"], slope=True))


@pytest.mark.parametrize(
    ("paths", "epochs"),
    [
        (("w-1.tally", "x/w-3.tally"), [1, 3]),
        (("2026-01-31.tally", "2026-02-01.tally"), ["2026-01-31", "2026-02-01"]),
        (("may.tally", "june.tally"), ["may", "june"]),
    ],
)
def test_epochs_of_files(paths, epochs):
    """Numbers at the end of equal names are epochs, of which some may be missing."""
    assert epochs_of(paths) == epochs


@pytest.fixture
def files(tmp_path):
    """A survey, and a tally for each of nine weeks."""
    survey = ldp.survey("s", ldp.question("q", ["a", "b", "c"], **ONE))
    (tmp_path / "survey.toml").write_text(survey.to_toml())
    for week in range(9):
        shares = (0.5, 0.3, 0.2) if week < 6 else (0.4, 0.4, 0.2)
        tally, generator = Tally.empty(survey), np.random.default_rng(week)
        holders = Holders(("a", "b", "c"), generator.multinomial(4_000, shares))
        tally.counts["q"] += sample_counts(survey["q"], holders, generator)
        (tmp_path / f"week{week}.tally").write_bytes(encode_tally(tally))
    return tmp_path


def test_the_command(files):
    """Tables, pictures, and an exit code of its own for an alert."""
    weeks = [files / f"week{week}.tally" for week in range(9) if week != 3]
    words = ("analyze", "trend", files / "survey.toml", *weeks)
    assert "something has changed" in run(*words).stdout
    run(*words, "--alert", code=CHANGED)
    run(*words, "--alert", "--value", "c")
    record = json.loads(run(*words, "--value", "b", "--format", "json").stdout)
    assert record["values"][0]["since"] == [6]
    run(*words, "-o", files / "out.svg")
    assert (files / "out.svg").read_bytes().startswith(b"<svg")
    twice = ("analyze", "trend", files / "survey.toml", weeks[0], weeks[0])
    assert "allow-equal" in run(*twice, code=1).output


@pytest.mark.parametrize(
    "course", [BANDS[2], BANDS[-1]], ids=lambda course: course.name
)
def test_bands_hold_the_level(course):
    """A share of the measurements: 40 series of 12 epochs, whose bands go together
    within each.

    Coverage by series varies by about .1, so that a mean of 40 has a standard error of
    .016; bands for a level that stands still, which hold it half of the time, fail.
    """
    assert courses.measured(course, 40, seed=2)["band"] > 0.95 - 5 * 0.016


def test_alarms_and_delays():
    """A share of the measurements: of 40 series 3 false alarms at most, and a jump is
    found.
    """
    assert courses.measured(ALARMS[0], 40, seed=2)["alarm"] <= 3 / 40
    seen = courses.measured(ALARMS[3], 20, seed=2)
    assert seen["alarm"] == 1
    assert seen["delay"] < 4
    assert seen["since"] > 0.7
