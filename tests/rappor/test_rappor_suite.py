"""The regression grid of google/rappor: its cases, its sampler, and runs that are
resumed.
"""

import json
from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from click.testing import CliRunner

from lab.archive import Archive
from lab.rappor_suite import running
from lab.rappor_suite.__main__ import main
from lab.rappor_suite.cases import CaseError, cases
from lab.rappor_suite.page import curve
from lab.rappor_suite.published import PUBLISHED, rate_of_r
from lab.rappor_suite.running import run
from lab.rappor_suite.summary import sentences
from ldp.mechanisms.chains.rappor import Rappor
from ldp_aggregator.decoders.bloom.decoding import design_matrix
from ldp_aggregator.output.files import FileError
from ldp_simulations.sampling.chains.bloom import bloom_counts, repeated_counts


def test_cases_are_those_of_the_grid():
    """Five of the demo, one of the paper, and 4 sizes x 5 configurations x 5
    distributions.

    Beside them eight others. All names differ.
    """
    every = cases()
    assert len(every) == len({case.name for case in every}) == 5 + 1 + 8 + 100
    assert Counter(case.name.partition(" ")[0] for case in every) == {
        "demo": 5,
        "paper": 1,
        "other": 8,
        **dict.fromkeys(("tiny", "small", "medium", "large"), 25),
    }
    assert set(PUBLISHED) <= {case.name for case in every}


def test_rates_of_the_other_decoder():
    """Where no candidate is spurious, that of the case which differs in 20 that are."""
    assert rate_of_r("demo unif") == PUBLISHED["demo unif"].fpr
    assert PUBLISHED["small sharp exp"].fpr is None
    assert rate_of_r("small sharp exp") == PUBLISHED["small typical exp"].fpr
    assert all(0 < rate_of_r(name) < 0.5 for name in PUBLISHED)


@pytest.mark.parametrize(
    ("name", "candidates"),
    [
        ("demo unif", 90 + 100),
        ("paper exp", 200),
        ("small typical exp", 90 + 20),
        ("small sharp exp", 100),
        ("medium over_x2 zipf1", 900 + 2_000),
        ("large over_x10 gauss", 9_000 + 100_000),
    ],
)
def test_candidates(name, candidates):
    """Spurious names are added; of the values, those that end in 9 are missing, unless
    none is.
    """
    (case,) = cases(name)
    assert len(case.candidates) == len(set(case.candidates)) == candidates
    assert (8 in case.candidates) is not case.missing
    assert case.shares.sum() == pytest.approx(1)


def test_no_case_is_an_error():
    """A pattern that no case fits says what a pattern looks like."""
    with pytest.raises(CaseError, match="demo"):
        cases("huge *")


LAW = Rappor(bits=1, hashes=1, cohorts=1, flip=1, if_one=7, if_zero=2, word=3)
"""One bit that every text sets: f/2 = 1/8, q = 7/8, p = 1/4."""


def test_answers_that_agree_share_a_permanent_response():
    """Three equal answers are a mixture of two binomials, of two values a convolution.

    5,000 clients each; a chi-square with 3 degrees of freedom below its 1e-6 quantile.
    Fresh permanent responses would give a statistic of about 100.
    """
    from scipy.stats import chisquare

    design = design_matrix(LAW, ["a", "b"])
    one, zero = Fraction(7, 8), Fraction(2, 8)
    flip = Fraction(1, 8)

    def of_one_value(answers):
        return [
            sum(
                share
                * comb(answers, ones)
                * rate**ones
                * (1 - rate) ** (answers - ones)
                for share, rate in ((1 - flip, one), (flip, zero))
            )
            for ones in range(answers + 1)
        ]

    generator = np.random.default_rng(5)
    for answers, law in (
        ([0, 0, 0], of_one_value(3)),
        ([0, 1, 0], np.convolve(of_one_value(2), of_one_value(1))),
    ):
        drawn = [
            repeated_counts(LAW, np.array([answers]), design, generator=generator)[
                0
            ].tolist()
            for _ in range(5_000)
        ]
        assert {reports for reports, _ in drawn} == {3}
        seen = np.bincount([ones for _, ones in drawn], minlength=4)
        assert (
            chisquare(seen, 5_000 * np.array([float(chance) for chance in law])).pvalue
            > 1e-6
        )


def test_a_hundred_million_respondents_take_no_longer():
    """Counts add up to the respondents, within 6 standard deviations of expectation."""
    randomizer = LAW._replace(bits=8, hashes=2, cohorts=16)
    holders = np.array([99_000_000, 1_000_000, 0])
    design = design_matrix(randomizer, ["a", "b", "c"])
    counts = bloom_counts(
        randomizer, holders, design, generator=np.random.default_rng(6)
    )
    assert counts[:, 0].sum() == 100_000_000
    q, p = (float(rate) for rate in randomizer.support)
    expected = 100_000_000 / 16 * (p + (q - p) * (design @ (holders / holders.sum())))
    assert np.abs(counts[:, 1:].ravel() - expected).max() < 6 * np.sqrt(
        100_000_000 / 16
    )


SMALL_HALF = ("demo *", "paper *", "tiny *", "small *")


@pytest.fixture(scope="module")
def small_half():
    """One instance of each case of the small half."""
    return {
        outcome.case.name: outcome
        for pattern in SMALL_HALF
        for outcome in run(cases(pattern), Archive(), instances=1)
    }


def test_intervals_cover_in_the_small_half(small_half):
    """About 5,000 intervals: .93 to .97 hold the truth. (google/rappor's: .14 to .77.)

    One standard deviation is .003 to .004, as intervals of one instance are nearly
    independent.
    """
    assert len(small_half) == 56
    coverage = np.array(
        [outcome.scores["coverage"].mean for outcome in small_half.values()]
    )
    assert 0.93 < coverage.mean() < 0.97
    assert coverage.min() > 0.8


def test_few_are_found_wrongly_in_the_small_half(small_half):
    """The false discoveries are 5 % of what is found at most, taking all cases
    together.

    More than 1,000 are found.
    """
    detections = sum(outcome.scores["found"].mean for outcome in small_half.values())
    false = sum(
        outcome.scores["fdr"].mean * outcome.scores["found"].mean
        for outcome in small_half.values()
    )
    assert detections > 1_000
    assert false <= 0.05 * detections


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_worse_than_the_decoder_it_replaces(small_half, name):
    """At the false-positive rate of google/rappor's decoder, no more values are missed.

    One instance scatters: .15 are allowed for missed values and .04 for total
    variation, 5 standard deviations.
    """
    theirs, ours = PUBLISHED[name], small_half[name].matched
    assert ours["fnr"].mean <= theirs.fnr + 0.15
    assert ours["posterior tv"].mean <= theirs.tv + 0.04


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch):
    """What is in the archive is not measured again, and what was half written is."""
    path, few = tmp_path / "results.jsonl", cases("tiny typical *")
    first = run(few, Archive(path), instances=2)
    *whole, last = path.read_text().splitlines(keepends=True)
    path.write_text("".join(whole) + last[:100])
    measured = []

    def watched(chosen, instance):
        measured.append((tuple(case.name for case in chosen), instance))
        return original(chosen, instance)

    original = running.measure
    monkeypatch.setattr(running, "measure", watched)
    again = run(few, Archive(path), instances=2)
    assert measured == [((few[-1].name,), 1)]
    for before, after in zip(first, again, strict=True):
        assert before.scores["tv"] == after.scores["tv"]
        assert before.curve == after.curve
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_an_archive_that_is_none_is_refused(tmp_path):
    """A file of something else is named, with the line."""
    (tmp_path / "results.jsonl").write_text('["key", 1]\nhello\n')
    with pytest.raises(FileError, match="line 2"):
        Archive(tmp_path / "results.jsonl")


def test_command(tmp_path, monkeypatch):
    """The command prints the tables, and writes a page that has a picture for each
    case.
    """
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setenv("COLUMNS", "200")
    words = ["--cases", "tiny sharp *", "--runs", "1", "-o", str(tmp_path)]
    printed = CliRunner().invoke(main, words).output
    assert "tiny sharp zipf1.5" in printed
    page = (tmp_path / "report.html").read_text()
    assert page.count("<svg") == 5
    assert (
        "python -m lab.rappor_suite --cases &#x27;tiny sharp *&#x27; --runs 1" in page
    )


def test_command_refuses_a_pattern_that_fits_no_case():
    """The pattern is named."""
    refused = CliRunner().invoke(main, ["--cases", "huge *"])
    assert (refused.exit_code, "huge" in refused.output) == (2, True)


def outcome_of(name, fdr, coverage, fnr=0.1):
    """Two instances of a case, whose figures are a hundredth apart."""
    (case,) = cases(name)
    near = (-0.005, 0.005)
    results = [
        {
            "scores": {
                "fdr": fdr + off,
                "coverage": coverage + off,
                "found coverage": coverage + off,
                "found": 20,
            },
            "matched": {"fnr": fnr + off, "posterior tv": 0.01 + off},
        }
        for off in near
    ]
    return running.Outcome(case, results)


def test_summary_names_the_cases_that_miss():
    """How many keep a promise, which do not, and which of these by more than chance."""
    good = outcome_of("demo unif", 0.02, 0.95, fnr=0.0139)
    bad = outcome_of("tiny sharp unif", 0.055, 0.9)
    false, everything, exported, missed, distance = sentences([good, bad])
    assert false == (
        "False discoveries by default are at most 0.05 in 1 of 2 cases. Not in tiny "
        "sharp unif; by more than 2 standard errors in none."
    )
    assert (
        "is from 0.900 to 0.950, and within 0.94 and 0.96 in 1 of 2 cases" in everything
    )
    assert everything.endswith("by more than 2 standard errors in tiny sharp unif.")
    assert exported.startswith("Coverage of what is found, where that is 10 or more,")
    assert missed == "FNR is below that of R in 1 of 1 cases."
    assert distance == "TV of posterior is below that of R in 1 of 1 cases."
    equal = list(
        sentences([outcome_of("demo unif", 0.05, 0.96, fnr=PUBLISHED["demo unif"].fnr)])
    )
    assert equal[0] == "False discoveries by default are at most 0.05 in 1 of 1 cases."
    assert equal[3].startswith(
        "FNR is below that of R in 0 of 1 cases. Not in demo unif;"
    )


def test_picture_has_a_bar_for_each_value_found():
    """Bars for what is found and above zero; one line through all true frequencies."""
    drawn = curve([0.5, 0.3, 0.2], [0.6, 0.0, -0.1])
    bars, line = drawn.split("<path")[1:]
    assert bars.count("M") == 1
    assert line.count("L") == 2
