"""`ldp rappor import` of booleans: one bit (k = 1), which is the answer."""

import json
import math
from fractions import Fraction

import pytest
from calling import ldp

from ldp_aggregator.exchange.google_rappor.decoding import legacy_question
from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
from ldp_aggregator.exchange.google_rappor.files import Parameters
from ldp_aggregator.exchange.google_rappor.privacy import declared_lifetime

PARAMS = "k,h,m,p,q,f\n1,2,4,0.25,0.75,0.5\n"
ONE, ZERO = Fraction(5, 8), Fraction(3, 8)
"""q* and p* of these."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "params.csv").write_text(PARAMS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answered(line):
    """What an import of these files shows of the one value that there is."""
    record = json.loads(
        ldp(f"rappor import --params params.csv {line} --format json -q").stdout
    )
    (value,) = record["questions"]["rappor"]["values"]
    assert value["value"] == "TRUE"
    assert record["questions"]["rappor"]["epsilon"]["delivered"] == pytest.approx(
        math.log(5 / 3)
    )
    return value


def test_expected_counts_give_the_truth(folder):
    """A quarter said yes in each of four cohorts, which are of no account; no map is
    needed.
    """
    ones = 6400 * (ONE + 3 * ZERO) / 4
    (folder / "counts.csv").write_text(f"6400,{ones}\n" * 4)
    value = answered("--counts counts.csv --estimand respondents")
    assert value["frequency"] == pytest.approx(0.25, abs=1e-12)
    # Both answers have the same noise, 15/64 / (q* - p*)^2, and respondents are who
    # they are.
    low, high = value["interval"]
    assert (high - low) / 2 == pytest.approx(
        1.96 * math.sqrt(15 / 4 / 25_600), rel=1e-3
    )
    assert value["standard_error"] == pytest.approx(math.sqrt(15 / 4 / 25_600))


def test_reports_of_one_digit(folder):
    """Several reports of one client repeat the permanent bit."""
    rows = "".join(f"c{n // 2},{n % 4},{int(n < 60)}\n" for n in range(100))
    (folder / "reports.csv").write_text(f"client,cohort,rappor\n{rows}")
    value = answered("--reports reports.csv")
    assert value["frequency"] == pytest.approx((0.6 - 0.375) / 0.25)
    twice = answered("--reports reports.csv --reports-per-person 2")
    assert twice["frequency"] == pytest.approx(value["frequency"])
    assert twice["standard_error"] > 1.05 * value["standard_error"]
    (folder / "reports.csv").write_text("cohort,irr\n0,2\n")
    message = ldp("rappor import --params params.csv --reports reports.csv", 1).stderr
    assert "row 2, column 2: expected a digit 0 or 1, got '2'" in message


def test_what_one_bit_tells(folder):
    """A boolean differs in the one bit, not in two: both epsilons are those of that
    bit.
    """
    (folder / "counts.csv").write_text("100,50\n" * 4)
    messages = ldp("rappor import --params params.csv --counts counts.csv").stderr
    once = f"{math.log(ONE / ZERO):.6f}"
    assert f"declared {once}, delivered {once}" in messages
    assert "declared 1.098613, delivered 1.098613" in messages
    lopsided = Parameters(1, 1, 1, p=Fraction(1, 10), q=Fraction(3, 10), f=Fraction(0))
    question = legacy_question(lopsided, None, "params.csv")
    assert float(question.randomizer.ratio) == pytest.approx(3, abs=1e-12)
    assert question.randomizer.ratio <= question.declared.bound == 3
    assert declared_lifetime(lopsided) is None
    rounding = lopsided._replace(f=Fraction("0.3"))
    java = legacy_question(rounding, DIALECTS["java"], "params.csv")
    assert java.randomizer.ratio > java.declared.bound


def test_a_bit_needs_no_candidates(folder):
    """Neither a map nor a survey file with a Bloom filter."""
    (folder / "counts.csv").write_text("100,50\n" * 4)
    (folder / "map.csv").write_text("TRUE,1,2,3,4\n")
    line = "rappor import --params params.csv --counts counts.csv --map map.csv"
    assert "expected no --map and no --candidates where k = 1" in ldp(line, 2).stderr
    message = ldp("rappor survey --params params.csv", 1).stderr
    assert "params.csv: expected k from 2, got 1: the answer is a boolean" in message
