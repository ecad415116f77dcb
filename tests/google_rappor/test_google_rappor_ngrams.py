"""`ldp rappor ngrams`: texts that are in no list, from reports of their parts."""

import csv
import io
import json
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from calling import ldp

from ldp import EstimateError
from ldp_aggregator.exchange.google_rappor import ngrams
from ldp_aggregator.exchange.google_rappor.associations import Variable
from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
from ldp_aggregator.exchange.google_rappor.files import Parameters
from ldp_aggregator.exchange.google_rappor.ngrams import (
    NgramFindings,
    find_parts,
    texts_of,
)

PYTHON = DIALECTS["python"]
PARAMETERS = Parameters(16, 1, 16, p=Fraction(1, 4), q=Fraction(3, 4), f=Fraction(1, 4))
ONE, ZERO = 0.6875, 0.3125
SHARES = {"abcd": 0.4, "abda": 0.3, "dcba": 0.2, "bbcc": 0.1}
NGRAMS = ["".join(letters) for letters in product("abcd", repeat=2)]
SCHEMA = (
    "metric,var,var_type,params\nm,text,string,p\nm,first,string,p\nm,second,string,p\n"
    "m,flag,boolean,p\n"
)
LINE = (
    "--schema vars.csv --params-dir . --reports reports.csv --client python --ngrams "
    "pairs.txt"
)
BOTH = f"{LINE} --text text --part first --part second"


def vectors(texts, cohorts, generator):
    """Reports of so many texts, as digits from the highest bit."""
    known = {
        text: PYTHON.candidates((text,), PARAMETERS).design.toarray()
        for text in set(texts)
    }
    bits = np.stack(
        [
            known[text].reshape(16, 16)[cohort]
            for text, cohort in zip(texts, cohorts, strict=True)
        ]
    )
    drawn = generator.random(bits.shape) < np.where(bits, ONE, ZERO)
    return ["".join("01"[bit] for bit in row[::-1].astype(int)) for row in drawn]


def rows_of(people, seed=1):
    """A file of reports: of all texts, and of one half each in turn."""
    generator = np.random.default_rng(seed)
    texts = generator.choice(list(SHARES), people, p=list(SHARES.values())).tolist()
    cohorts = generator.integers(0, 16, people).tolist()
    whole = vectors(texts, cohorts, generator)
    halves = [text[:2] if place % 2 else text[2:] for place, text in enumerate(texts)]
    parts = vectors(halves, cohorts, generator)
    lines = ["client,cohort,first,second,text"]
    for place, cohort in enumerate(cohorts):
        pair = [parts[place], "NA"] if place % 2 else ["", parts[place]]
        lines.append(",".join([f"c{place}", str(cohort), *pair, whole[place]]))
    true = {text: texts.count(text) / people for text in SHARES}
    return lines, true


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "vars.csv").write_text(SCHEMA)
    (tmp_path / "p.csv").write_text("k,h,m,p,q,f\n16,1,16,0.25,0.75,0.25\n")
    (tmp_path / "pairs.txt").write_text("\n".join(NGRAMS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_texts_are_found(folder):
    """Four of 256 texts, by 20,000 reports of halves: within 5.5 standard errors of the
    truth.

    Each half takes 10,000 reports, whose error is .02 or less, for shares of .1 and
    more.
    """
    lines, true = rows_of(20_000)
    (folder / "reports.csv").write_text("\n".join(lines))
    shown = ldp(f"rappor ngrams {BOTH} --export found.csv --format json")
    (question,) = json.loads(shown.stdout)["questions"].values()
    values = {value["value"]: value for value in question["values"]}
    assert set(SHARES) <= set(values)
    for text, value in values.items():
        deviation = value["frequency"] - true.get(text, 0)
        assert abs(deviation) < 5.5 * value["standard_error"]
    rows = csv.DictReader(io.StringIO((folder / "found.csv").read_text()))
    assert set(SHARES) <= {row["string"] for row in rows}
    assert "first: google/rappor (python client), k = 16, h = 1, m = 16" in shown.stderr
    assert "n-grams found in 10,000 reports" in shown.stderr
    assert f"text: {len(values):,} texts are made of these" in shown.stderr


def test_reports_of_a_place_are_its_own(folder):
    """A row counts for the variables of which it has a report, in its cohort."""
    zeros, high = "0" * 16, f"1{'0' * 15}"
    (folder / "reports.csv").write_text(
        f"cohort,text,first,second\n3,{high},,{zeros}\n0,{zeros},{high},NA\n"
    )
    variables = [
        Variable(name, PARAMETERS, "p.csv") for name in ("text", "first", "second")
    ]
    counts = ngrams.read_separate_reports(folder / "reports.csv", variables)
    places = [[tuple(cell) for cell in np.argwhere(own).tolist()] for own in counts]
    assert places == [[(0, 0), (3, 0), (3, 16)], [(0, 0), (0, 16)], [(3, 0)]]


def test_parts_make_texts():
    """All combinations, from the first place to the last; too many are refused."""
    parts = [
        NgramFindings("first", 1, ("ab", "cd")),
        NgramFindings("second", 1, ("x", "y")),
    ]
    assert texts_of(parts) == ("abx", "aby", "cdx", "cdy")
    many = [
        NgramFindings("first", 1, tuple(map(str, range(1_001)))),
        NgramFindings("second", 1, ("x",) * 1_000),
    ]
    with pytest.raises(
        EstimateError, match=r"1,001 x 1,000 = 1,001,000; a higher --part-level"
    ):
        texts_of(many)


def test_parts_that_no_report_tells_apart():
    """If one of them is there, all of them may be, and each makes texts."""
    parameters = PARAMETERS._replace(cohorts=1)
    bit_of = {
        pair: PYTHON.positions(pair.encode(), 0, 1, bits=16)[0] for pair in NGRAMS
    }
    (bit, _) = Counter(bit_of.values()).most_common()[0]
    pairs = [pair for pair in NGRAMS if bit_of[pair] == bit]
    others = [pair for pair in NGRAMS if bit_of[pair] != bit]
    assert len(pairs) > 1
    counts = np.full((1, 17), 1_000 * ZERO)
    counts[0, [0, 1 + bit]] = 1_000, 1_000 * ONE
    variable = Variable("first", parameters, "p.csv")
    part = find_parts(
        variable,
        counts.astype(np.int64),
        (*pairs, *others[:2]),
        dialect=PYTHON,
        level=0.8,
    )
    assert part.found == tuple(pairs)


def test_no_parts(folder):
    """Where nothing is found, there is nothing to make texts of."""
    half = "01" * 8
    rows = [f"{place % 16},{half},{half},{half}" for place in range(32)]
    (folder / "reports.csv").write_text("\n".join(["cohort,text,first,second", *rows]))
    message = ldp(f"rappor ngrams {BOTH} --part-level 0.999999", 1).stderr
    assert (
        "variable 'first': expected n-grams that are found at level 1, got none"
        in message
    )


WRONG = {
    "empty": (
        "reports.csv",
        "",
        "expected the columns cohort, text, first, second, got an empty",
    ),
    "missing": ("reports.csv", "cohort,text\n", "got 'cohort,text'"),
    "same": (
        "reports.csv",
        "cohort,text,first,second,first\n",
        "got 'first' of column 3 again",
    ),
    "none": (
        "reports.csv",
        "cohort,text,first,second\n",
        "reports in the column text, got none",
    ),
    "width": (
        "reports.csv",
        "cohort,text,first,second\n1,1\n",
        "row 2: expected 4 cells",
    ),
    "digits": (
        "reports.csv",
        "cohort,text,first,second\n1,1,,\n",
        "expected 16 digits 0 or 1",
    ),
    "cohort": (
        "reports.csv",
        f"cohort,text,first,second\n16,{'0' * 16},,\n",
        "from 0 to 15, got '16'",
    ),
    "ngrams": (
        "pairs.txt",
        "\n",
        "pairs.txt: expected one line for each n-gram, got none",
    ),
}


@pytest.mark.parametrize(("name", "text", "said"), WRONG.values(), ids=WRONG)
def test_bad_files(name, text, said, folder):
    """Each is a message with the file, the place, what was expected and what came."""
    (folder / "reports.csv").write_text("cohort,text,first,second\n")
    (folder / name).write_text(text)
    assert said in ldp(f"rappor ngrams {BOTH}", 1).stderr


def test_wrong_calls(folder):
    """A variable twice, a boolean, a file that cannot be written."""
    (folder / "reports.csv").write_text("cohort,text,first,second\n")
    twice = ldp(f"rappor ngrams {LINE} --text text --part first --part first", 2)
    assert "expected variables that differ, got one twice" in twice.stderr
    boolean = ldp(f"rappor ngrams {LINE} --text text --part flag", 1)
    assert "expected strings, got the boolean 'flag'" in boolean.stderr
    unwritable = ldp(f"rappor ngrams {BOTH} --export none/x.csv", 1)
    assert "expected to write none/x.csv" in unwritable.stderr
