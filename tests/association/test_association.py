"""Associations: unbiased joint frequencies, intervals that hold, a test of the right
size.
"""

import csv
import json
import random
from pathlib import Path

import numpy as np
import pytest
from association_laws import LAWS, REPORTS, Estimator, rejections
from association_mutants import MUTANTS, debiased_chi_square
from associations import CANDIDATES, drawn_from, rows_of, survey_of, tally_of
from calling import ldp, run
from places import DATA as FOREIGN

from ldp import EstimateError, parse_survey
from ldp_aggregator import Ingest, Options, Tally, decode_tally, encode_tally, estimate
from ldp_aggregator.analyses.association.association import associate
from ldp_aggregator.decoders.intervals.intervals import careful_interval
from ldp_client import frames, row_batches
from ldp_simulations.answers import read_answers
from ldp_simulations.simulation.simulation import report_files

DATA = FOREIGN / "adult.data"
INDEPENDENT = np.outer((0.5, 0.3, 0.2), (0.6, 0.25, 0.15))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law):
    """Every law of associations holds."""
    assert law(Estimator()) == []


@pytest.mark.parametrize(
    "mutant", MUTANTS, ids=lambda mutant: f"{mutant.law.__name__}: {mutant.name}"
)
def test_mutant(mutant):
    """The law catches what was broken on purpose."""
    assert mutant.law(mutant.broken)


def test_power():
    """Of 1,000 respondents, dependent answers are found as often as the noncentral law
    has it.

    Its noncentrality is that of a million, divided. In 400 tables the share has a
    standard error of at most .025: five of them are a false alarm of 1e-6, and a test
    with 40 degrees of freedom too many, or half the signal, is caught.
    """
    from scipy.stats import chi2, ncx2

    dependent = 0.4 * INDEPENDENT + 0.6 * np.diag((0.5, 0.3, 0.2))
    for mechanisms in (("grr", "matrix"), ("ss", "oue")):
        survey, generator = survey_of(*mechanisms), np.random.default_rng(12)
        rows = rows_of(survey, drawn_from(dependent, 1_000_000, generator), generator)
        test = associate(tally_of(survey, rows), ["a", "b"]).independence
        power = ncx2.sf(
            chi2.isf(0.05, 4), 4, (test.statistic - 4) * REPORTS / 1_000_000
        )
        assert 0.5 < power < 0.999
        assert rejections(Estimator(), survey, dependent, tables=400) == pytest.approx(
            power, abs=0.125
        )


def test_the_chi_square_of_debiased_counts_is_no_test():
    """Pearson's statistic on the de-biased table calls most independent answers
    dependent.
    """
    naive = Estimator(
        associate=lambda *arguments, **keys: debiased_chi_square(
            associate(*arguments, **keys)
        )
    )
    assert rejections(naive, survey_of("grr", "grr"), INDEPENDENT, tables=100) > 0.5


def test_three_questions_are_tested_together():
    """Independence of three questions is rejected in 5 % of 500 tables (standard error
    .01).
    """
    joint = np.multiply.outer(INDEPENDENT, (0.5, 0.3, 0.2))
    assert (
        0.01
        <= rejections(Estimator(), survey_of("grr", "matrix", "grr"), joint, tables=500)
        <= 0.1
    )


def test_two_of_three_questions():
    """The joint tally of three questions contains that of each two, in either order."""
    generator = np.random.default_rng(5)
    for third in ("bloom", "she", "hr"):
        three, two = survey_of("grr", "oue", third), survey_of("grr", "oue")
        holders = drawn_from(
            np.multiply.outer(INDEPENDENT, (0.5, 0.3, 0.2)), 200, generator
        )
        rows = rows_of(three, holders, generator)
        tally = tally_of(three, rows)
        both = associate(tally_of(two, rows[:, : two.groups[0].width]), ["a", "b"])
        association, turned = associate(tally, ["a", "b"]), associate(tally, ["b", "a"])
        assert np.allclose(association.frequency, both.frequency)
        assert np.allclose(turned.frequency, both.frequency.T)
        assert np.isclose(
            association.independence.statistic, both.independence.statistic
        )
        assert np.isclose(turned.independence.statistic, both.independence.statistic)


@pytest.mark.parametrize(
    "mechanisms", [("grr", "matrix"), ("oue", "hr"), ("bloom", "ss")]
)
def test_most_likely_frequencies(mechanisms):
    """The most likely frequencies are a distribution, on average closer to the
    truth.
    """
    generator = np.random.default_rng(6)
    survey, unbiased, likely = survey_of(*mechanisms), 0.0, 0.0
    candidates = {"a": CANDIDATES}
    joint = np.diag((0.5, 0.3, 0.2))
    for _ in range(10):
        tally = tally_of(
            survey, rows_of(survey, drawn_from(joint, REPORTS, generator), generator)
        )
        association = associate(
            tally, ["a", "b"], candidates=candidates, likelihood=True
        )
        assert association.likely.min() >= 0
        assert np.isclose(association.likely.sum(), 1)
        unbiased += ((association.frequency - joint) ** 2).sum()
        likely += ((association.likely - joint) ** 2).sum()
    assert likely < unbiased


def test_the_most_likely_frequencies_of_much_data_are_the_true_ones():
    """With 10^6 respondents they are within .02 of the truth, in every cell."""
    generator = np.random.default_rng(7)
    joint = np.array([[0.30, 0.10, 0.05], [0.05, 0.20, 0.05], [0.05, 0.05, 0.15]])
    for mechanisms in (("grr", "matrix"), ("oue", "ss")):
        survey = survey_of(*mechanisms)
        tally = tally_of(
            survey, rows_of(survey, drawn_from(joint, 1_000_000, generator), generator)
        )
        association = associate(tally, ["a", "b"], likelihood=True)
        assert np.abs(association.likely - joint).max() < 0.02
        assert np.abs(association.frequency - joint).max() < 0.02


def test_margins_are_estimated_as_ever():
    """A question of a group has the estimates that it would have by itself."""
    generator = np.random.default_rng(8)
    survey = survey_of("grr", "bloom", "she")
    rows = rows_of(
        survey, drawn_from(np.full((3, 3, 3), 1 / 27), 300, generator), generator
    )
    estimates = estimate(tally_of(survey, rows), candidates={"b": CANDIDATES})
    start = 0
    for question in survey:
        alone = Tally.empty(survey)
        alone.add(question, rows[:, start : start + question.width])
        start += question.width
        assert np.array_equal(
            alone.counts[question.name], tally_of(survey, rows).counts[question.name]
        )
        assert estimates[question.name].reports == 300


def test_a_tally_of_a_group_travels_and_merges():
    """Ingest, merge and snapshot of linked reports lose nothing, and refuse what cannot
    be.
    """
    generator = np.random.default_rng(9)
    survey = survey_of("grr", "oue")
    group = survey.groups[0]
    rows = rows_of(survey, drawn_from(INDEPENDENT, 500, generator), generator)
    whole = tally_of(survey, rows)

    def ingested(part, fingerprint=group.fingerprint, width=group.width):
        ingest = Ingest(survey)
        ingest.feed(frames(row_batches(fingerprint, part.tobytes(), width, epoch=None)))
        ingest.end_of_stream()
        return ingest.tally

    merged = ingested(rows[:200]).merge(ingested(rows[200:]))
    assert all(
        np.array_equal(counts, whole.counts[name])
        for name, counts in merged.counts.items()
    )
    assert decode_tally(encode_tally(merged), survey) == merged
    impossible = {"symbol-range": (0, 3), "padding-bits": (1, 0x80)}
    for reason, (column, byte) in impossible.items():
        bad = rows[:3].copy()
        bad[1, column] = byte
        assert ingested(bad).intake.rejected == {reason: 1}
    assert ingested(rows[:3, :1].copy(), width=1).intake.rejected == {"report-width": 1}
    assert ingested(
        rows[:3, :1].copy(), survey["a"].fingerprint, 1
    ).intake.rejected == {"fingerprint": 1}


@pytest.mark.parametrize(
    ("names", "options", "said"),
    [
        (["a"], Options(), "two or three different questions"),
        ([], Options(), "got none"),
        (["a", "a"], Options(), "got a, a"),
        (["a", "b"], Options(interval="clopper-pearson"), "score intervals"),
        (["a", "b"], Options(post_process="norm-sub"), "no post-processing"),
        (["a", "b"], Options(reports_per_person=2), "one report each"),
        (["a", "b"], Options(), "got none yet"),
    ],
)
def test_what_cannot_be_given_is_refused(names, options, said):
    """An association that cannot be had is an error that says what can be had."""
    with pytest.raises(EstimateError, match=said):
        associate(Tally.empty(survey_of("grr", "oue")), names, options)


def test_candidates_that_cannot_be_told_apart_are_refused():
    """Twice the same text, or none at all, cannot be decoded."""
    survey = survey_of("bloom", "grr")
    tally = tally_of(
        survey, rows_of(survey, np.zeros((50, 2), dtype=int), np.random.default_rng(1))
    )
    for texts in (("ant", "ant"), ()):
        with pytest.raises(EstimateError, match="candidates"):
            associate(tally, ["a", "b"], candidates={"a": texts})


def test_one_candidate_cannot_be_dependent():
    """A single candidate leaves nothing to compare: no degrees of freedom, and a
    p-value of 1.
    """
    survey = survey_of("bloom", "grr")
    tally = tally_of(
        survey, rows_of(survey, np.zeros((50, 2), dtype=int), np.random.default_rng(1))
    )
    test = associate(tally, ["a", "b"], candidates={"a": ("ant",)}).independence
    assert (test.freedom, test.p_value) == (0, 1.0)


@pytest.mark.parametrize("others", range(1, 9))
@pytest.mark.parametrize("mechanisms", [("grr", "oue"), ("oue", "matrix")])
def test_a_report_that_never_came_leaves_no_test(mechanisms, others):
    """Where a symbol of three has not been reported, however rounding makes that
    look.
    """
    survey = survey_of(*mechanisms)
    place = mechanisms.index("oue")
    for first in range(1, 12):
        rows = np.full((first + others, 2), 5, dtype=np.uint8)
        rows[::2, place] = 2
        rows[:, 1 - place] = [0] * first + [1] * others
        assert associate(tally_of(survey, rows), ["a", "b"]).independence is None


def test_a_share_that_no_error_explains_is_a_point():
    """Two reports may leave no share within its error: the nearest one is given, not
    none.
    """
    rows = np.array([[0, 0], [1, 1]], dtype=np.uint8)
    association = associate(
        tally_of(survey_of("grr", "matrix"), rows), ["a", "b"], Options(level=0.5)
    )
    share, low, high = (part[0, 0] for part in association.conditional)
    assert (low, high) == (1, 1)
    assert share > 1


def test_no_share_of_those_who_may_be_nobody():
    """A share is given where the interval of it is not everything, and only there.

    Of a value that no one holds its estimate would be one noise over another: 428, say.
    """
    survey = survey_of("grr", "oue")
    answers = np.zeros((600, 2), dtype=int)
    answers[:300] = 1  # nobody holds the last value
    rows = rows_of(survey, answers, np.random.default_rng(5))
    association = associate(tally_of(survey, rows), ["a", "b"])
    share, low, high = association.conditional
    anything = (low == 0) & (high == 1)
    assert np.array_equal(np.isnan(share[:, 0]), anything.all(axis=1))
    assert np.isnan(share[2]).all()
    assert np.isfinite(share[:2]).all()
    assert association.to_dict()["cells"][-1]["conditional"]["share"] is None


def test_no_variance_is_below_zero(monkeypatch):
    """Nor where errors of two answers, each a line through two numbers, would make it
    so.
    """
    laws = []

    def watched(moments, *arguments):
        laws.append(moments)
        return careful_interval(moments, *arguments)

    monkeypatch.setattr(
        "ldp_aggregator.analyses.association.association.careful_interval", watched
    )
    survey = survey_of("she", "blocks")
    rows = rows_of(survey, np.zeros((50, 2), dtype=int), np.random.default_rng(3))
    associate(tally_of(survey, rows), ["a", "b"])
    (moments,) = laws
    assert moments.variance_if_held.min() == 0
    assert moments.variance_if_not.min() > 0


def test_too_few_reports_for_a_test():
    """A single report has joint frequencies, and no test; the output says so."""
    survey = survey_of("grr", "grr")
    association = associate(
        tally_of(survey, np.zeros((1, 2), dtype=np.uint8)), ["a", "b"]
    )
    assert association.independence is None
    assert "too few reports" in repr(association)
    assert association.to_dict()["independence"] is None


def test_command_line(tmp_path, monkeypatch):
    """From a table of answers to joint frequencies as a table, JSON and CSV."""
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(TEXT)
    source = random.Random(10)
    people = [(source.choice("xy"), source.choice("tf")) for _ in range(300)]
    Path("people.csv").write_text(
        "a,b\n" + "".join(f"{a},{'true' if b == 't' else 'false'}\n" for a, b in people)
    )
    ldp("randomize s.toml -i people.csv -o reports -q")
    ldp("aggregate s.toml reports -o tally -q")
    record = json.loads(
        ldp(
            "analyze associate s.toml tally --questions a,b --format json --likelihood "
            "-q"
        ).stdout
    )
    assert (record["questions"], record["reports"], record["biased"]) == (
        ["a", "b"],
        300,
        ["most_likely"],
    )
    assert [cell["values"] for cell in record["cells"]] == [
        [a, b] for a in "xy" for b in ("false", "true")
    ]
    assert record["independence"]["freedom"] == 1
    run(
        "analyze",
        "associate",
        "s.toml",
        "reports",
        "--questions",
        "b, a",
        "--format",
        "csv",
        "-o",
        "cells.csv",
        "-q",
    )
    with Path("cells.csv").open() as file:
        cells = list(csv.DictReader(file))
    assert [(cell["b"], cell["a"]) for cell in cells] == [
        (b, a) for b in ("false", "true") for a in "xy"
    ]
    assert float(cells[1]["frequency"]) == pytest.approx(
        record["cells"][2]["frequency"]
    )
    assert (
        "share of b given a"
        in ldp("analyze associate s.toml tally --questions a,b -q").stdout
    )
    assert "answered together" in run("check", "s.toml").stdout
    explained = run("explain", "s.toml").stdout
    assert "a+b: answered together" in explained
    assert "3.000000 for all of them, the sum" in explained
    ldp("simulate s.toml --respondents 200 --seed 1 -q")
    ldp("simulate s.toml --respondents 200 --seed 1 --way law -q")


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ("a", "two or three"),
        ("a,c", "expected one of the survey's questions"),
        ("", "expected"),
    ],
)
def test_command_line_errors(questions, said, tmp_path, monkeypatch):
    """Questions that are not answered together give a message and exit code 1."""
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(TEXT)
    Path("people.csv").write_text("a,b\nx,true\n")
    ldp("randomize s.toml -i people.csv -o reports -q")
    assert (
        said
        in run(
            "analyze",
            "associate",
            "s.toml",
            "reports",
            "--questions",
            questions,
            "-q",
            code=1,
        ).output
    )


def test_half_an_answer_is_a_problem_of_the_table(tmp_path):
    """A row that answers one of two questions is named, or taken for no answer to
    both.
    """
    path = tmp_path / "people.csv"
    path.write_text("a,b\nx,true\ny,\n,\n,false\n")
    survey = parse_survey(TEXT)
    with pytest.raises(
        ValueError, match=r"row 3: expected answers to all of a\+b(.|\n)*row 5"
    ):
        list(read_answers(path, survey))
    assert list(read_answers(path, survey, skip_invalid=True)) == [
        {"a": "x", "b": True},
        {},
        {},
        {},
    ]


@pytest.mark.needs("adult.data")
def test_adult():
    """Education and income of 32,561 people: all but 10 intervals at most hold the
    truth.

    They are dependent.

    Each misses with probability .05; more than 10 of 32 have probability below 1e-6 if
    they are as good as independent. The seed is fixed.
    """
    with DATA.open() as file:
        people = [
            (row[3], row[14]) for row in csv.reader(file, skipinitialspace=True) if row
        ]
    levels, incomes = (sorted(set(column)) for column in zip(*people, strict=True))
    survey = parse_survey(
        '[survey]\nname = "adult"\njoint = ["education", "income"]\n'
        '[[question]]\nname = "education"\ntype = "category"\n'
        f'values = {levels}\nmechanism = "ss"\nepsilon = 2\n'
        '[[question]]\nname = "income"\ntype = "category"\n'
        f'values = {incomes}\nmechanism = "grr"\nepsilon = 2\n'
    )
    ingest = Ingest(survey)
    answers = [
        {"education": education, "income": income} for education, income in people
    ]
    for chunk in report_files(survey, answers, random.Random(11).randbytes):
        ingest.feed(chunk)
    ingest.end_of_stream()
    association = associate(ingest.tally, ["education", "income"], likelihood=True)
    truth = np.zeros((len(levels), len(incomes)))
    for education, income in people:
        truth[levels.index(education), incomes.index(income)] += 1 / len(people)
    missed = (association.low > truth) | (truth > association.high)
    assert association.reports == 32_561
    assert missed.sum() <= 10
    assert association.independence.p_value < 1e-12
    assert (
        np.abs(association.likely - truth).sum()
        < np.abs(association.frequency - truth).sum()
    )


TEXT = """
[survey]
name = "s"
joint = ["a", "b"]
[[question]]
name = "a"
type = "category"
values = ["x", "y"]
mechanism = "grr"
epsilon = "1"
[[question]]
name = "b"
type = "boolean"
mechanism = "grr"
epsilon = "2"
"""
