"""Which values are there: Storey's correction, its default, and intervals that hold
after it.
"""

import csv
import io
import json
from dataclasses import fields, replace

import numpy as np
import pytest
from calling import ldp
from google_rappor_files import write_collection

from ldp import EstimateError, parse_survey
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import text_table
from ldp_aggregator.answers.results.values import Estimate
from ldp_aggregator.answers.shares.detection import (
    adjusted_p_values,
    correction_of,
    detected,
    false_coverage_intervals,
    find,
    largest_p_value,
    share_of_nulls,
)
from ldp_aggregator.answers.texts.room import UNALLOCATED, TextEstimates
from ldp_aggregator.decoders.intervals.after_selection import _both_above
from ldp_aggregator.decoders.moments.moments import CandidateFit
from ldp_aggregator.exchange.google_rappor.results import results_csv
from ldp_aggregator.output.checks import Check

QUESTION = parse_survey(
    '[survey]\nname = "s"\n[[question]]\nname = "x"\ntype = "category"\n'
    'mechanism = "grr"\nepsilon = 1.0\n'
    'values = ["a", "b", "c", "d", "e", "f"]'
)["x"]
COUNTS = np.array([[9_000, 6_000, 3_100, 3_000, 2_900, 3_050]])
FILES = "--params params.csv --counts counts.csv --map map.csv"


def estimates(**options):
    return estimate_question(QUESTION, COUNTS, Options(**options))


def with_check(p_value, missing=0.0, error=0.01):
    """As if a dictionary had been checked, and this share of texts were no
    candidates.
    """
    rest = missing, error, missing - 2 * error, missing + 2 * error
    known = {
        field.name: getattr(estimates(), field.name) for field in fields(estimates())
    }
    known["checks"] = (Check("dictionary", 1, p_value, meaning="texts are missing"),)
    return TextEstimates(**known, unallocated=Estimate(UNALLOCATED, 0, *rest))


def test_the_share_of_nulls():
    """Twice the share of p-values above a half, with one more for safety, and 1 at
    most.
    """
    assert (
        share_of_nulls(np.array([0.01, 0.02, 0.3, 0.4, 0.6, 0.5, 0.001, 0.2]))
        == 2 * 2 / 8
    )
    assert share_of_nulls(np.array([0.9, 0.8, 0.7])) == 1
    assert share_of_nulls(np.array([])) == 1


def test_storey_multiplies_by_it():
    """Benjamini and Hochberg's, times the share of nulls; above a half nothing is
    found.
    """
    chances = np.array([0.001, 0.04, 0.03, 0.02, 0.45, 0.9])
    given = replace(estimates(), chances=chances)
    plain = adjusted_p_values(given, "benjamini-hochberg")
    storey = adjusted_p_values(given, "storey")
    np.testing.assert_allclose(storey[:5], plain[:5] * 2 / 3)
    assert storey[5] == 1
    assert detected(given, 0.95, "storey").sum() == 4
    assert detected(given, 0.95, "benjamini-hochberg").sum() == 1


def test_false_discoveries_of_storey():
    """Half of 40 values are there, a half at two errors: at 20 %, .2 of what is found
    is wrong.

    2,000 collections: an error of .003. With the share of nulls halved it would be .35.
    """
    generator = np.random.default_rng(3)
    from scipy.special import ndtr

    given, wrong, mistaken = estimates(), [], []
    for _ in range(2_000):
        scores = generator.normal(size=40)
        scores[:20] += np.repeat([2.0, 5.0], 10)
        chances = ndtr(-scores)
        drawn = replace(given, chances=chances)
        adjusted = adjusted_p_values(drawn, "storey")
        for level, shares in ((0.2, wrong), (0.4, mistaken)):
            chosen = adjusted <= level
            shares.append(chosen[20:].sum() / max(chosen.sum(), 1))
    assert np.mean(wrong) <= 0.2 + 5 * 0.003
    assert np.mean(mistaken) > 0.2 + 5 * 0.003


@pytest.mark.parametrize(
    ("given", "correction"),
    [
        (estimates, "benjamini-hochberg"),
        (lambda: with_check(0.5), "storey"),
        (lambda: with_check(1e-5), "benjamini-hochberg"),
        (lambda: with_check(0.5, missing=0.09), "benjamini-hochberg"),
        (lambda: with_check(0.5, error=0.1), "benjamini-hochberg"),
    ],
)
def test_default(given, correction):
    """Storey's where candidates are checked and few can be missing: 9 % were not
    noticed.
    """
    assert correction_of(given()) == correction
    assert correction_of(given(), "bonferroni") == "bonferroni"
    assert (adjusted_p_values(given()) == adjusted_p_values(given(), correction)).all()


@pytest.mark.parametrize("correction", ["bonferroni", "benjamini-hochberg", "storey"])
def test_the_largest_p_value(correction):
    """What is found has p-values up to it, and nothing else has."""
    generator = np.random.default_rng(4)
    for held in (0, 5, 30, 38):
        chances = generator.random(40) ** np.where(np.arange(40) < held, 6, 1)
        adjusted = adjusted_p_values(replace(estimates(), chances=chances), correction)
        there = adjusted <= 0.05
        cut = largest_p_value(chances, int(there.sum()), 0.95, correction=correction)
        assert (there == (chances <= cut)).all()


def test_intervals_of_what_is_found():
    """Far above the threshold they are the usual ones; others have none."""
    given = estimates(detect="benjamini-hochberg")
    there = given.found.found
    assert there.tolist() == [True, True, False, False, False, False]
    np.testing.assert_allclose(given.found.low[:2], given.low[:2], atol=1e-9)
    np.testing.assert_allclose(given.found.high[:2], given.high[:2], atol=1e-9)
    assert np.isnan(given.found.low[2:]).all()
    low, high = false_coverage_intervals(given, np.zeros(6, dtype=bool), 0.0)
    assert np.isnan([low, high]).all()


def test_few_reports_have_intervals_that_hold_under_any_law():
    """Where the normal law does not: at level 1 - .05 R / M for R of M found."""
    counts = np.array([[14, 3, 2, 1, 1, 0]])
    options = Options(detect="benjamini-hochberg", detect_level=0.5)
    given = estimate_question(QUESTION, counts, options)
    assert given.found.found.tolist() == [True, *[False] * 5]
    wider = estimate_question(QUESTION, counts, Options(level=1 - 0.05 / 6))
    assert given.found.low[0] == pytest.approx(wider.low[0])
    assert given.found.high[0] == pytest.approx(wider.high[0])


def test_other_intervals_keep_their_kind():
    """Clopper and Pearson's ends are those of the same level."""
    options = Options(detect="benjamini-hochberg", interval="clopper-pearson")
    given = estimate_question(QUESTION, COUNTS, options)
    level = 1 - 0.05 * 2 / 6
    wider = estimate_question(QUESTION, COUNTS, replace(options, level=level))
    np.testing.assert_allclose(given.found.low[:2], wider.low[:2])


ERROR, TRUTH = 0.01, np.where(np.arange(200) < 60, 0.025, 0.0)


def law_of(frequency, error, tested=None):
    """Normal estimates with this error."""
    variance = np.full(len(frequency), 1e6 * error**2)
    return replace(
        estimates().law,
        reports=1_000_000,
        frequency=frequency,
        variance_if_held=variance,
        variance_if_not=variance,
        fit=CandidateFit(tested),
        count=None,
        jumps=None,
        lasting=None,
    )


@pytest.mark.parametrize(
    ("shown", "least"),
    [(1.0, 0.07), (1.4, 0.06)],
    ids=["what is tested", "one of more error"],
)
def test_false_coverage_rate(shown, least):
    """5 % of the intervals of what is found miss, where 2.5 errors are the truth or
    nothing is.

    600 collections of 200 values, of which about 20 are found: an error of .003 or
    less. Of plain intervals more miss, and of those at 1 - .05 R / M, which hold under
    any law, fewer.
    """
    generator = np.random.default_rng(5)
    misses, plain, wide = [], [], []
    for _ in range(600):
        tested = generator.normal(TRUTH, ERROR)
        frequency = tested + generator.normal(0, ERROR * np.sqrt(shown**2 - 1), 200)
        of_tests = None if shown == 1 else law_of(tested, ERROR)
        drawn = replace(
            estimates(),
            values=tuple(map(str, range(200))),
            chances=_upper(tested / ERROR),
            law=law_of(frequency, shown * ERROR, of_tests),
        )
        chosen = find(drawn)
        there = chosen.found
        if not there.any():
            continue
        scores = np.abs(frequency - TRUTH)[there] / (shown * ERROR)
        misses.append(((chosen.low > TRUTH) | (chosen.high < TRUTH))[there])
        plain.append(scores > 1.96)
        wide.append(scores > -_quantile(0.025 * there.mean()))
    rate, of_plain, of_wide = (
        np.concatenate(part).mean() for part in (misses, plain, wide)
    )
    assert rate == pytest.approx(0.05, abs=0.015)
    assert of_plain > least
    assert of_wide < 0.035


def test_the_two_dimensional_normal_law():
    """As of the library, also where an estimate lies at the truth, or both are one."""
    from scipy.stats import multivariate_normal

    generator = np.random.default_rng(6)
    first, second = generator.normal(0, 2, (2, 20))
    first[:2], second[1:3] = 0, 0
    correlation = generator.uniform(0.1, 0.9999, 20)
    computed = _both_above(first, second, correlation)
    for place, chance in enumerate(computed):
        law = multivariate_normal(
            cov=[[1, correlation[place]], [correlation[place], 1]]
        )
        assert chance == pytest.approx(
            law.cdf([-first[place], -second[place]]), abs=1e-7
        )
    same = _both_above(first, second, np.ones(20))
    assert same == pytest.approx(_upper(np.maximum(first, second)))


def _quantile(chance):
    from scipy.special import ndtri

    return ndtri(chance)


def _upper(scores):
    from scipy.special import ndtr

    return ndtr(-scores)


def test_in_tables_and_records():
    """P-values, q-values and intervals stand in the table, the record and the flat
    rows.
    """
    given = estimates(detect="storey")
    table = text_table(given)
    assert table.headings[-3:] == (
        "p-value",
        "q-value (storey)",
        "0.95 false-coverage-rate interval",
    )
    assert table.rows[0][-1].startswith("[")
    assert table.rows[2][-1] == "-"
    record = given.to_dict()
    assert (record["correction"], record["detect_level"]) == ("storey", 0.95)
    first, third = record["values"][0], record["values"][2]
    assert first["found"] is True
    assert first["q_value"] == given.found.adjusted[0]
    assert third["p_value"] == given.chances[2]
    assert third["false_coverage_rate_interval"] is None
    row = next(iter(given.rows()))
    assert (row["p_value"], row["found_low"]) == (given.chances[0], given.found.low[0])
    assert given.top(1).found.adjusted.tolist() == given.found.adjusted[:1].tolist()
    assert "found" not in estimates().to_dict()["values"][0]


@pytest.mark.parametrize("wrong", [{"detect": "holm"}, {"detect_level": 1.0}])
def test_options_are_checked(wrong):
    """What does not exist is refused."""
    with pytest.raises(EstimateError, match="expected"):
        Options(**wrong)


def test_on_the_command_line(tmp_path, monkeypatch):
    """The import tells them in every format, and exports what is found as was asked."""
    monkeypatch.chdir(tmp_path)
    write_collection(tmp_path)
    shown = ldp(f"rappor import {FILES} -q --detect storey --export results.csv").stdout
    assert "q-value (storey)" in " ".join(shown.split())
    rows = list(csv.reader(io.StringIO((tmp_path / "results.csv").read_text())))
    assert [row[0] for row in rows[1:]] == ["red", "green", "blue"]
    of_json = json.loads(
        ldp(f"rappor import {FILES} -q --detect default --format json").stdout
    )
    values = of_json["questions"]["rappor"]["values"]
    by_name = {value["value"]: value for value in values}
    low, high = by_name["red"]["false_coverage_rate_interval"]
    exported = {row[0]: row for row in rows[1:]}
    assert [float(end) for end in exported["red"][-2:]] == pytest.approx([low, high])
    assert not by_name["mauve"]["found"]
    flat = ldp(f"rappor import {FILES} -q --detect bonferroni --format csv").stdout
    header = next(csv.reader(io.StringIO(flat)))
    assert header[-4:] == ["p_value", "q_value", "found_low", "found_high"]
    strict = f"rappor import {FILES} -q --detect bonferroni --detect-level 0.999999"
    ldp(f"{strict} --export strict.csv")
    assert "--detect too" in ldp(f"rappor import {FILES} --detect-level 0.9", 2).stderr


def test_export_without_options_is_the_default():
    """As `--detect default` would have it."""
    assert results_csv(estimates()) == results_csv(estimates(detect="default"))
