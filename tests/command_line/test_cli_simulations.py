"""`ldp randomize` and `ldp simulate`, called as people call them."""

import csv
import json
from collections import Counter

import pytest
from calling import ldp, run

from ldp.wire.wire import FrameReader, decode_batch

SURVEY = """
[survey]
name = "small"
[[question]]
name = "smoker"
type = "boolean"
mechanism = "warner"
epsilon = "3"
[[question]]
name = "pet"
type = "category"
values = ["cat", "dog", "none"]
mechanism = "oue"
epsilon = "3"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "s.toml").write_text(SURVEY)
    rows = [
        ["smoker", "pet"],
        *([["yes", "cat"], ["no", "dog"], ["no", "cat"], ["", "none"]] * 250),
    ]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_from_table_to_estimates(folder):
    """A table is randomized, aggregated in parts and estimated; missing answers send
    nothing.
    """
    ldp("randomize s.toml -i a.csv -o r1")
    ldp("randomize s.toml -i a.csv -o r2")
    ldp("aggregate s.toml r1 -o t1")
    ldp("aggregate s.toml t1 r2 -o t2")
    record = json.loads(ldp("estimate s.toml t2 --format json -q").stdout)
    assert record["questions"]["smoker"]["reports"] == 1500
    assert record["questions"]["pet"]["reports"] == 2000
    direct = json.loads(ldp("estimate s.toml r1 r2 --format json -q").stdout)
    assert direct == record


def test_reports_are_fresh_noise(folder):
    """Without a seed nothing repeats: two randomizations of one table differ."""
    ldp("randomize s.toml -i a.csv -o r1")
    ldp("randomize s.toml -i a.csv -o r2")
    assert (folder / "r1").read_bytes() != (folder / "r2").read_bytes()
    assert (folder / "r1").stat().st_size == (folder / "r2").stat().st_size


@pytest.mark.parametrize("mechanism", ["grr", "oue", "ss"])
def test_reports_leave_in_any_order(tmp_path, monkeypatch, mechanism):
    """Neither rows nor batches follow the table.

    Of 3,000 rows the first half answers `a` and the second `b`, at an epsilon that
    hardly ever changes a symbol. In a random order a half has 750 of either, with a
    standard deviation of 14: off by 100 with a chance below 1e-11.
    """
    monkeypatch.chdir(tmp_path)
    asked = (
        'type = "category"\nvalues = ["a", "b", "c"]\nmechanism = '
        f'"{mechanism}"\nepsilon = "20"\n'
    )
    (tmp_path / "s.toml").write_text(
        '[survey]\nname = "s"\n'
        + "".join(f'[[question]]\nname = "{name}"\n{asked}' for name in "qr")
    )
    (tmp_path / "a.csv").write_text("q,r\n" + "a,a\n" * 1500 + "b,b\n" * 1500)
    ldp("randomize s.toml -i a.csv -o reports -q")
    rows = {}
    for frame in FrameReader().feed((tmp_path / "reports").read_bytes()):
        batch = decode_batch(frame)
        rows.setdefault(batch.fingerprint, []).append(batch.rows)
    assert len(rows) == 2
    for reports in (b"".join(row) for row in rows.values()):
        first, second = (Counter(half) for half in (reports[:1500], reports[1500:]))
        assert len(reports) == 3000
        assert all(
            abs(first[symbol] - second[symbol]) < 200 for symbol in first | second
        )


def test_refused_tables_leave_no_file(folder):
    """A table with a cell that does not fit leaves the output alone, unless it is
    skipped.
    """
    (folder / "bad.csv").write_text("smoker,pet\nyes,cat\nyes,unicorn\n" * 1)
    (folder / "r").write_bytes(b"before")
    result = ldp("randomize s.toml -i bad.csv -o r", code=1)
    assert "row 3" in result.output
    assert "unicorn" not in result.output
    assert (folder / "r").read_bytes() == b"before"
    assert sorted(path.name for path in folder.iterdir()) == [
        "a.csv",
        "bad.csv",
        "r",
        "s.toml",
    ]
    ldp("randomize s.toml -i bad.csv -o r --skip-invalid")
    assert (folder / "r").read_bytes() != b"before"


def test_simulate_writes_everything(folder):
    """A simulation ends with table, picture, HTML page and records, and its seed
    repeats it.
    """
    words = (
        "simulate",
        "s.toml",
        "--respondents",
        "200",
        "--distribution",
        "uniform",
        "--runs",
        "3",
        "--seed",
        "4",
    )
    first = run(*words, "-o", "out", "-q")
    assert "coverage" in first.stdout
    assert (folder / "out" / "picture.svg").read_text().startswith("<svg")
    assert "<svg" in (folder / "out" / "report.html").read_text()
    assert (
        json.loads((folder / "out" / "simulation.json").read_text())["simulation"][
            "runs"
        ]
        == 3
    )
    assert (
        (folder / "out" / "estimates.csv")
        .read_text()
        .startswith("question,value,count")
    )
    picture = (folder / "out" / "picture.svg").read_bytes()
    assert run(*words, "-o", "out", "-q").stdout == first.stdout
    assert (folder / "out" / "picture.svg").read_bytes() == picture


def test_simulate_population_of_a_table(folder):
    """The truth is the table's: of 750 who said whether they smoke, a third does."""
    record = json.loads(
        ldp("simulate s.toml --population a.csv --format json -q").stdout
    )
    truths = [value["truth"] for value in record["questions"]["smoker"]["values"]]
    assert truths == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("simulate", "none.toml"), 1, "No such file: none.toml"),
        (("simulate", "a.csv"), 1, "a TOML file"),
        (
            ("simulate", "s.toml", "--population", "none.csv"),
            1,
            "No such file: none.csv",
        ),
        (
            ("simulate", "s.toml", "--population", "s.toml"),
            1,
            "one column for each question",
        ),
        (
            ("simulate", "s.toml", "--population", "a.csv", "--respondents", "3"),
            2,
            "got both",
        ),
        (("simulate", "s.toml", "--respondents", "0"), 2, "--respondents"),
        (("simulate", "s.toml", "--distribution", "zipf"), 1, "after the colon"),
        (("simulate", "s.toml", "--level", "95"), 1, "a level between 0 and 1"),
        (("simulate", "s.toml", "-o", "a.csv"), 2, "a.csv"),
        (("simulate", "s.toml", "-o", "s.toml/out"), 1, "expected to make the folder"),
        (
            ("randomize", "s.toml", "-i", "none.csv", "-o", "r"),
            1,
            "No such file: none.csv",
        ),
        (
            ("randomize", "s.toml", "-i", "a.csv", "-o", "no/such/folder"),
            1,
            "expected to write",
        ),
        (("randomize", "s.toml", "-i", "a.csv"), 2, "--output"),
    ],
)
def test_bad_calls(folder, words, code, expected):
    """What cannot be done is said in a sentence, with the exit code of its kind."""
    assert expected in run(*words, code=code).output
