"""Honest reports pass the checks, and each fault that a check is for fails it.

Honest tallies are drawn 400 times: p-values below .05 may make up 10.3 % (4.9 standard
errors of .011 above 5 %).
"""

import math

import numpy as np
import pytest
from calling import run
from specimens import DESIGNED, abridged

from ldp import parse_survey
from ldp_aggregator import Tally, encode_tally
from ldp_aggregator.analyses.health_checks.report_checks import health
from ldp_aggregator.decoders.table import decoder_of
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
        'type = "integer"\nlow = 1\nhigh = 30\nmechanism = "laplace"\nepsilon = '
        '"8"\nmargin = 20'
    ),
    "geometric": (
        'type = "integer"\nlow = 1\nhigh = 30\nmechanism = "geometric"\nepsilon = "8"'
    ),
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
    return {
        check.name: check.p_value
        for check in health(question, counts, candidates, **options)
    }


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
        **{
            name: {"payloads"}
            for name in ("she", "laplace", "geometric", "exponential")
        },
    }.get(name, {"rates"})
    for check in drawn[0]:
        assert np.mean([chances[check] < 0.05 for chances in drawn]) <= 0.103, check


def check_of(name, question, counts, **options):
    """The check of that name."""
    return {check.name: check for check in health(question, counts, **options)}[name]


@pytest.mark.parametrize("reports_per_person", [1, 2])
def test_cohorts_written_out(reports_per_person):
    """The chi-square of the respondents of each, and how many are far from the mean."""
    from scipy.stats import chisquare

    question, counts = draw("bloom")
    sizes = np.array([2_500, 2_500, 2_500, 2_500, 2_350, 2_650, 2_349, 2_651])
    counts[:, 0] = sizes * reports_per_person
    check = check_of("cohorts", question, counts, reports_per_person=reports_per_person)
    # Three standard errors are 150 respondents.
    assert check.counted == 2
    assert check.p_value == pytest.approx(chisquare(sizes).pvalue, rel=1e-9)
    assert check.meaning.startswith(
        "2 of 8 cohorts are further than 3 standard errors from 2,500.0 respondents; "
    )
    assert "cohorts" not in chances(*draw("oue"))


def test_payloads_of_pure_mechanisms():
    """Points of a space, whose supporters hold it alike; not those that a tally does
    not count.
    """
    question, _ = draw("pgr")
    decoder, response = decoder_of(question.randomizer), question.randomizer
    least, greatest = decoder.report_law.payload_chances(response)
    rows = np.array(response.channel().rows, dtype=float)
    np.testing.assert_allclose([least, greatest], [rows.min(), rows.max()], rtol=1e-12)
    assert decoder.report_law.payload_chances(response._replace(folded=True)) is None
    assert decoder.report_law.payload_chances(draw("grr")[0].randomizer) is None


def test_a_space_without_phantoms_is_not_checked_for_them():
    """Thirteen values take all points of the plane of order 3."""
    keys = (
        f'type = "category"\nvalues = {list(VALUES[:13])}\nmechanism = '
        '"pgr"\nepsilon = "1"'
    )
    question = parse_survey(HEAD + keys)["x"]
    assert "phantoms" not in chances(question, np.full((1, 13), 100))


def test_two_cohorts_are_compared():
    """Also where there are no more than two."""
    from scipy.stats import chisquare

    two = QUESTIONS["bloom"].replace("cohorts = 8", "cohorts = 2")
    question = parse_survey(HEAD + two)["x"]
    counts = sample_counts(question, HOLDERS, np.random.default_rng(1))
    expected = chisquare(counts[:, 0]).pvalue
    assert chances(question, counts)["cohorts"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "reports_per_person"), [("oue", 1), ("one-hot", 1), ("one-hot", 3)]
)
def test_rates_written_out(name, reports_per_person):
    """The least binomial p-value of all rates, two for each, as often as there are of
    these.

    Fewer and fewer reports set one bit, or more and more set another.
    """
    from scipy.stats import binom

    question, honest = draw(name)
    honest[0, 0] += 1
    _, trials, rates = decoder_of(question.randomizer).report_law.support_rates(
        question.randomizer, honest
    )
    low, high = sorted(map(float, rates))
    respondents, chances = int(trials[0, 0]) // reports_per_person, []
    at_ends = {3: -low * honest[0, 0], 5: high * honest[0, 0]}
    for place, end in at_ends.items():
        for fault in range(0, 1_200, 40):
            counts = honest.copy()
            counts[0, place] = abs(end) + math.copysign(fault, end)
            least = [
                min(
                    binom.cdf(math.ceil(ones / reports_per_person), respondents, low),
                    binom.sf(
                        math.floor(ones / reports_per_person) - 1, respondents, high
                    ),
                )
                for ones in counts[0, 1:].tolist()
            ]
            check = check_of(
                "rates", question, counts, reports_per_person=reports_per_person
            )
            assert check.p_value == pytest.approx(min(1.0, min(least) * 60), rel=1e-9)
            assert check.counted == sum(chance * 60 < 0.001 for chance in least)
            chances.append(check.p_value)
        assert check.counted >= 1
    assert f"of 30 rates lie outside [{low:.6g}, {high:.6g}], surely;" in check.meaning
    assert max(chances) == 1
    assert any(1e-12 < chance < 0.9 for chance in chances[:30])
    assert any(1e-12 < chance < 0.9 for chance in chances[30:])


@pytest.mark.parametrize("name", ["hr", "hcms", "laplace", "exponential"])
def test_payloads_written_out(name):
    """Symbol by symbol: how likely any answers give it as often, or as seldom.

    More and more of the last row are one symbol, and fewer are another.
    """
    from scipy.stats import binom

    question, honest = draw(name)
    low, high = decoder_of(question.randomizer).report_law.payload_chances(
        question.randomizer
    )
    lows, highs = (
        np.broadcast_to(ends, honest.shape[1]).tolist() for ends in (low, high)
    )
    tests, chances = 2 * honest.size, []
    for fault in (
        0,
        *(round(honest[-1].mean() * share) for share in np.arange(0.1, 2, 0.1)),
    ):
        counts = honest.copy()
        counts[-1, 2] += fault
        counts[-1, 3] = max(0, counts[-1, 3] - fault)
        least, beyond = 1.0, 0
        for row in counts.tolist():
            reports = sum(row)
            for count, rare, frequent in zip(row, lows, highs, strict=True):
                few = binom.cdf(count, reports, rare)
                many = binom.sf(count - 1, reports, frequent)
                least = min(least, few, many)
                too_few = count < binom.ppf(0.001 / tests, reports, rare)
                beyond += bool(
                    too_few or count > binom.isf(0.001 / tests, reports, frequent)
                )
        check = check_of("payloads", question, counts)
        assert check.p_value == pytest.approx(min(1.0, least * tests), rel=1e-9)
        assert check.counted == beyond
        chances.append(check.p_value)
    assert f"of {counts.size} possible payloads" in check.meaning
    rest = honest[-1].sum() - honest[-1, 2]
    edge = next(
        count
        for count in range(1, 40_000)
        if count == binom.isf(0.001 / tests, rest + count, highs[2])
    )
    for count in (edge, edge + 1):
        counts = honest.copy()
        counts[-1, 2] = count
        beyond = int(count > binom.isf(0.001 / tests, rest + count, highs[2]))
        assert check_of("payloads", question, counts).counted == beyond
    assert chances[0] > 1e-3
    assert any(1e-12 < chance < 0.9 for chance in chances)
    assert check.counted >= 1


def test_lost_cohort_shows():
    """Half of the reports of one cohort in eight are gone."""
    question, counts = draw("bloom")
    counts[2] //= 2
    assert chances(question, counts)["cohorts"] < 1e-6


@pytest.mark.parametrize("name", ["bloom", "one-hot", "oue", "grr"])
def test_impossible_rates_show(name):
    """A twentieth more reports set one bit, or none (name one value, in randomized
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
    """One report in twenty, or ten, is the one symbol that is worth most to a
    forger.
    """
    question, counts = draw(name)
    counts[:, 0] += REPORTS // share // len(counts)
    (payloads,) = (
        check for check in health(question, counts) if check.name == "payloads"
    )
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
    """The least and the largest chance of each symbol are those of the channel's
    column.

    Given its cohort, of those that devices draw.
    """
    for specimen in map(abridged, DESIGNED):
        randomizer = specimen.randomizer
        bounds = decoder_of(randomizer).report_law.payload_chances(randomizer)
        if bounds is None or randomizer.layout.places > 1:
            continue
        cohorts = randomizer.layout.cohorts
        columns = np.array(randomizer.channel().rows, dtype=float)
        shares = decoder_of(randomizer).report_law.cohort_shares(randomizer)
        if shares is None:
            shares = np.full(cohorts, 1 / cohorts)
        # Given the cohort, which comes first in the order of columns.
        often = np.repeat(shares, columns.shape[1] // cohorts)
        drawn = often > 0
        low, high = (np.resize(bound, columns.shape[1])[drawn] for bound in bounds)
        columns = columns[:, drawn] / often[drawn]
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
    """`ldp estimate` says on standard error which check failed, and leaves its results
    alone.
    """
    survey = parse_survey(HEAD + QUESTIONS["oue"])
    _, counts = draw("oue")
    counts[:, -1] = 0
    (tmp_path / "survey.toml").write_text(HEAD + QUESTIONS["oue"])
    (tmp_path / "tally").write_bytes(encode_tally(Tally(survey, {"x": counts})))
    done = run("estimate", tmp_path / "survey.toml", tmp_path / "tally")
    assert "warning: question 'x': rates: 1 of 30 rates" in done.stderr
    assert "warning" not in done.stdout


def test_repeats_do_not_cry_wolf():
    """Ten reports from each respondent spread cohort sizes as the respondents do, not
    ten times.
    """
    question, counts = draw("bloom")
    assert (
        chances(question, counts * 10)["cohorts"] < chances(question, counts)["cohorts"]
    )
    assert chances(question, counts * 10, reports_per_person=10) == pytest.approx(
        chances(question, counts), rel=0.2
    )
