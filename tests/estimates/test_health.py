"""Honest reports pass the checks, and each fault that a check is for fails it.

Honest tallies are drawn 400 times: p-values below .05 may make up 10.3 % (4.9 standard errors of
.011 above 5 %).
"""

import numpy as np
import pytest
from calling import run
from specimens import DESIGNED, abridged

from ldp import parse_survey
from ldp_aggregator import Tally, encode_tally
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.health_checks.report_checks import health
from ldp_simulations.population import Holders, apportion
from ldp_simulations.sampling.table import sample_counts

HEAD = '[survey]\nname = "health"\n[[question]]\nname = "x"\n'
RAPPOR = 'mechanism = "rappor"\np = "0.3"\nq = "0.7"\nf = "0.25"\n'
VALUES = tuple(f"text {number}" for number in range(30))
CLOSED = f'type = "category"\nvalues = {list(VALUES)}\n'
QUESTIONS = {
    "bloom": f'type = "text"\n{RAPPOR}bloom_bits = 32\nhashes = 2\ncohorts = 8',
    "one-hot": CLOSED + RAPPOR,
    "oue": CLOSED + 'mechanism = "oue"\nepsilon = "1"',
    "grr": CLOSED + 'mechanism = "grr"\nepsilon = "4"',
    "pgr": CLOSED + 'mechanism = "pgr"\nepsilon = "3"',
    "hr": CLOSED + 'mechanism = "hr"\nepsilon = "1"',
    "hcms": CLOSED + 'mechanism = "hcms"\nepsilon = "1"\nhashes = 4\nwidth = 16',
    "she": CLOSED + 'mechanism = "she"\nepsilon = "1"',
    "laplace": (
        'type = "integer"\nlow = 1\nhigh = 30\nmechanism = "laplace"\nepsilon = "8"\nmargin = 20'
    ),
    "geometric": 'type = "integer"\nlow = 1\nhigh = 30\nmechanism = "geometric"\nepsilon = "8"',
    "exponential": (
        f'{CLOSED}mechanism = "exponential"\nepsilon = "2"\n'
        f"quality = {np.eye(30, dtype=int).tolist()}"
    ),
}
REPORTS, TALLIES = 20_000, 400
HOLDERS = Holders(VALUES, apportion(REPORTS, np.exp(-np.arange(30) / 6)))


def draw(name, seed=1):
    """(question, counts of honest reports)."""
    question = parse_survey(HEAD + QUESTIONS[name])["x"]
    return question, sample_counts(question, HOLDERS, np.random.default_rng(seed))


def chances(question, counts, candidates=(), **options):
    """p-values by the name of the check."""
    return {check.name: check.p_value for check in health(question, counts, candidates, **options)}


@pytest.mark.parametrize("name", QUESTIONS)
def test_honest_reports_pass(name):
    """No check cries wolf more often than it says."""
    question, generator = draw(name)[0], np.random.default_rng(29)
    candidates = VALUES if name == "bloom" else ()
    drawn = [
        chances(question, sample_counts(question, HOLDERS, generator), candidates)
        for _ in range(TALLIES)
    ]
    assert drawn[0].keys() == {
        "bloom": {"cohorts", "rates", "dictionary"},
        "pgr": {"rates", "payloads", "phantoms"},
        "hr": {"rates", "payloads"},
        "hcms": {"cohorts", "payloads"},
        **{each: {"payloads"} for each in ("she", "laplace", "geometric", "exponential")},
    }.get(name, {"rates"})
    for check in drawn[0]:
        assert np.mean([each[check] < 0.05 for each in drawn]) <= 0.103, check


def test_lost_cohort_shows():
    """Half of the reports of one cohort in eight are gone."""
    question, counts = draw("bloom")
    counts[2] //= 2
    assert chances(question, counts)["cohorts"] < 1e-6


@pytest.mark.parametrize("name", ["bloom", "one-hot", "oue", "grr"])
def test_impossible_rates_show(name):
    """A twentieth of the reports more set one bit, or none at all (name one value, for randomized
    response).
    """
    question, counts = draw(name)
    floods = counts.copy()
    if name == "grr":
        counts[0, -1] = 0
    else:
        counts[:, -1] //= 2
        floods[:, -1] = floods[:, 0]
        assert chances(question, floods)["rates"] < 1e-6
    (rates,) = (check for check in health(question, counts) if check.name == "rates")
    assert rates.p_value < 1e-6
    assert rates.counted >= 1
    assert rates.suspicious
    assert "made up" in str(rates)


def test_repeated_reports_show():
    """Three projective reports in a hundred are one and the same."""
    question, counts = draw("pgr")
    flat = counts.reshape(-1)
    flat[len(flat) // 3] += REPORTS * 3 // 100
    assert min(chances(question, counts).values()) < 1e-6


@pytest.mark.parametrize(
    ("name", "share"), [("hr", 20), ("hcms", 20), ("laplace", 20), ("exponential", 10)]
)
def test_repeated_payloads_show(name, share):
    """One report in twenty, or ten, is the symbol that is worth most to a
    forger: one and the same.
    """
    question, counts = draw(name)
    counts[:, 0] += REPORTS // share // len(counts)
    (payloads,) = (check for check in health(question, counts) if check.name == "payloads")
    assert payloads.p_value < 1e-6
    assert payloads.counted == len(counts)
    assert "repeat themselves" in str(payloads)


def test_levels_beyond_noise_show():
    """One report in a hundred gives a value the highest number that there is."""
    question, counts = draw("she")
    counts[3, -1] += REPORTS // 100
    counts[3, counts[3].argmax()] -= REPORTS // 100
    assert chances(question, counts)["payloads"] < 1e-6


def test_payloads_are_as_likely_as_channels_have_it():
    """The least and the largest chance of each symbol are those of the channel's column, written
    out.
    """
    for specimen in map(abridged, DESIGNED):
        randomizer = specimen.randomizer
        found = decoder_of(randomizer).payload_chances(randomizer)
        if found is None or randomizer.layout.places > 1:
            continue
        columns = np.array(randomizer.channel().rows, dtype=float) * randomizer.layout.cohorts
        low, high = (np.resize(each, columns.shape[1]) for each in found)
        assert (columns >= low * (1 - 1e-9)).all(), specimen.name
        assert (columns <= high * (1 + 1e-9)).all(), specimen.name
        assert columns.max() == pytest.approx(high.max(), rel=1e-9), specimen.name


def test_lost_payloads_show():
    """No report names a symbol that every answer gives now and then."""
    question, counts = draw("exponential")
    counts[0, 7] = 0
    assert chances(question, counts)["payloads"] < 1e-6


def test_missing_candidates_show():
    """Candidates without the two texts that 30 % hold."""
    question, counts = draw("bloom")
    assert chances(question, counts, VALUES[2:])["dictionary"] < 1e-6


def test_nothing_to_check():
    """Without reports there is nothing to check."""
    question, counts = draw("bloom")
    assert health(question, counts * 0) == ()


def test_estimating_warns(tmp_path):
    """`ldp estimate` says on standard error which check failed, and leaves its results alone."""
    survey = parse_survey(HEAD + QUESTIONS["oue"])
    _, counts = draw("oue")
    counts[:, -1] = 0
    (tmp_path / "survey.toml").write_text(HEAD + QUESTIONS["oue"])
    (tmp_path / "tally").write_bytes(encode_tally(Tally(survey, {"x": counts})))
    done = run("estimate", tmp_path / "survey.toml", tmp_path / "tally")
    assert "warning: question 'x': rates: 1 of 30 rates" in done.stderr
    assert "warning" not in done.stdout


def test_repeats_do_not_cry_wolf():
    """Ten reports from each respondent spread cohort sizes as the respondents do, not as ten times
    as many would.
    """
    question, counts = draw("bloom")
    assert chances(question, counts * 10)["cohorts"] < chances(question, counts)["cohorts"]
    assert chances(question, counts * 10, reports_each=10) == pytest.approx(
        chances(question, counts), rel=0.2
    )
