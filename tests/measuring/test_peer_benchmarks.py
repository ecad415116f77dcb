"""The benchmark beside the peers: its table, its arithmetic and its text.

Nothing is timed or installed here.
"""

import itertools

import numpy as np
import pytest

from lab.benchmarks.peers.errors import (
    error_over_optimum,
    share_of_largest,
    zipf_values,
)
from lab.benchmarks.peers.page import best_rows, glance, mechanism_cells, page
from lab.benchmarks.peers.picture import picture
from lab.benchmarks.peers.run import Archive, schedule
from lab.benchmarks.peers.sides import ROOT, WORKERS
from lab.benchmarks.peers.summary import Row, best, rows
from lab.benchmarks.peers.table import (
    CELLS,
    MULTI,
    OURS,
    PURE,
    REQUIREMENTS,
    ROWS,
    Cell,
    present,
)
from lab.benchmarks.peers.workers import measure
from lab.benchmarks.peers.workers.unclipping import Witness, unclipped
from ldp.mechanisms import MECHANISMS

CELL = Cell(100_000, 1024, "1")
OURS_ROW = Row(
    CELL,
    "oue",
    OURS,
    rounds=3,
    made=100_000,
    decoded=100_000,
    client=12e-6,
    server=0.04,
    bytes=128,
    error=1.0,
    returned_error=0.1,
    largest=1.0,
    returned_largest=0.9,
)
THEIR_ROW = Row(
    CELL,
    "oue",
    MULTI,
    rounds=3,
    made=100_000,
    decoded=20_000,
    client=24e-6,
    server=0.4,
    bytes=8320,
    error=1.02,
    returned_error=0.1,
    largest=1.0,
    returned_largest=0.3,
)


def test_table_names_each_mechanism_once_and_only_known_peers():
    """A row is our mechanism and entries of peers that can be installed and have a
    worker.
    """
    assert len({row.mechanism for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert set(row.peers) <= set(REQUIREMENTS)
        assert next(iter(row.sides)) == OURS
    assert set(WORKERS) == {OURS, *REQUIREMENTS}
    for module in WORKERS.values():
        assert (
            ROOT / "lab" / "benchmarks" / "peers" / "workers" / f"{module}.py"
        ).exists()


def test_cells_are_those_that_are_compared():
    """Three sizes, two epsilons."""
    assert set(CELLS) == {
        Cell(n, d, epsilon)
        for (n, d), epsilon in itertools.product(
            ((100_000, 128), (100_000, 1024), (20_000, 16_384)), "14"
        )
    }


def test_rows_of_mechanisms_that_are_not_there_are_skipped_by_name():
    """Whatever the project lacks is named, whatever it has is measured."""
    pairs, absent = present({"grr": None})
    assert [pair.mechanism for pair in pairs] == ["grr"]
    assert absent == [row.mechanism for row in ROWS if row.mechanism != "grr"]
    assert {pair.mechanism for pair in present()[0]} <= set(MECHANISMS)


def test_sides_take_turns():
    """Every round measures everything once, and the next takes the sides the other way
    round.
    """
    pairs = [row for row in ROWS if row.mechanism == "oue"]
    todo = schedule(pairs, (CELL,), 2)
    assert [item.side for item in todo] == [OURS, PURE, MULTI, MULTI, PURE, OURS]


def test_values_are_the_same_for_all():
    """The values depend on nothing but their number, and follow Zipf's law."""
    values = zipf_values(20_000, 128)
    assert np.array_equal(values, zipf_values(20_000, 128))
    assert values.max() < 128
    assert np.bincount(values).argmax() == 0


def test_unclipping_inverts_expected_counts():
    """Counts at their expectation give back the frequencies, whatever p and q are."""
    frequencies = np.array([0.7, 0.3, 0.0])
    for p, q in ((0.5, 0.2), (0.75, 0.25)):
        counts = 1000 * (frequencies * p + (1 - frequencies) * q)
        assert unclipped(counts, 1000, p, q=q) == pytest.approx(frequencies)


def test_witness_sees_what_clipping_hides():
    """The witness returns what the estimator returns, and keeps negatives that it
    clips.
    """

    def clipping(counts, reports, p, q):
        frequencies = unclipped(counts, reports, p, q=q).clip(0)
        return frequencies / frequencies.sum()

    witness = Witness(clipping)
    returned = witness(np.array([600, 350, 100]), 1000, 0.6, 0.2)
    assert returned.min() == 0
    assert returned.sum() == pytest.approx(1)
    assert witness.unclipped() == pytest.approx([1.0, 0.375, -0.25])


def test_error_is_in_units_of_the_optimum():
    """No error is 0.

    At two values and e^epsilon = E the least is 2 E / (E - 1)^2 over the reports, for
    both values.
    """
    answers = np.array([0] * 60 + [1] * 40)
    assert error_over_optimum([0.6, 0.4], answers, "1") == 0
    least = 2 * np.e / (np.e - 1) ** 2 / 100
    off = np.sqrt(least / 2)
    assert error_over_optimum([0.6 + off, 0.4 - off], answers, "1") == pytest.approx(1)
    assert share_of_largest([0.3, 0.7], answers) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("fixed", "each", "longest", "decoded"),
    [
        (0.3, 0.001, float("inf"), 5000),
        (0.3, 0.001, 2.0, 1000),
        (0.0, 0.1, 2.0, 100),
        (4.0, 0.00005, 2.0, 5000),
    ],
)
def test_scaled_times_follow_the_slope(monkeypatch, fixed, each, longest, decoded):
    """Work with a fixed part and one for each report is scaled to its true time."""
    clock = [0.0]
    monkeypatch.setattr(measure.time, "process_time", lambda: clock[0])

    def server(reports):
        clock[0] += fixed + each * len(reports)
        return len(reports)

    contender = measure.Contender(answer=int, client=int, server=server)
    count, seconds, estimates = measure._decode(
        contender, server, list(range(5000)), wanted=5000, longest=longest
    )
    assert count == estimates == decoded
    assert seconds == pytest.approx(fixed + each * 5000)


def test_reports_are_made_until_the_limit(monkeypatch):
    """A slow client makes as many reports as the limit allows, at least one slice."""
    clock = [0.0]
    monkeypatch.setattr(measure.time, "process_time", lambda: clock[0])

    def client(answer):
        clock[0] += 0.01
        return answer

    contender = measure.Contender(answer=int, client=client, server=None)
    reports, seconds = measure._make(contender, range(10_000), 5.0)
    assert reports == list(range(600))
    assert seconds == pytest.approx(0.01)


def test_results_are_found_again(tmp_path):
    """A result is kept for the run that asks for the same thing.

    Failures, and other limits, are measured anew.
    """
    todo = schedule([row for row in ROWS if row.mechanism == "oue"], (CELL,), 1)
    archive = Archive(tmp_path / "results.jsonl", 8.0)
    archive.keep(todo[0], {"client": 1.0})
    archive.keep(todo[1], {"failed": "TypeError"})
    again = Archive(tmp_path / "results.jsonl", 8.0)
    assert again.get(todo[0]) == {"client": 1.0}
    assert again.get(todo[1]) is None
    assert Archive(tmp_path / "results.jsonl", 9.0).get(todo[0]) is None
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 2


def test_rows_are_medians_of_times_and_means_of_errors():
    """Times are medians over the good rounds, errors means; a side that never worked
    says why.
    """
    ours, pure, _ = schedule(
        [row for row in ROWS if row.mechanism == "oue"], (CELL,), 1
    )
    results = [
        (
            ours,
            {
                "made": 5,
                "client": seconds,
                "bytes": 128.0,
                "decoded": 4,
                "server": 1.0,
                "unbiased error": seconds,
            },
        )
        for seconds in (1.0, 2.0, 6.0)
    ]
    table = rows(
        [*results, (ours, {"failed": "OSError"}), (pure, {"failed": "TypeError"})]
    )
    assert table[0][:9] == (CELL, "oue", OURS, 3, 5, 4, 2.0, 1.0, 128.0)
    assert table[0].error == pytest.approx(3.0)
    assert table[1] == Row(CELL, "oue", PURE, failed="TypeError")


def test_best_is_the_fastest_of_the_most_exact():
    """An error within 5 % of the least counts as equal; beyond that no speed helps.

    Rows without a server are out.
    """
    exact = OURS_ROW._replace(error=1.0, server=3.0)
    near = OURS_ROW._replace(error=1.04, server=2.0)
    rough = OURS_ROW._replace(error=1.06, server=1.0)
    assert (
        best([exact, near, rough, OURS_ROW._replace(error=None, server=None)]) is near
    )
    assert best([]) is None


def test_text_gives_figures_ratios_and_what_they_rest_on():
    """A peer's figures carry their ratio to ours, and rows on fewer respondents say on
    how many.
    """
    both = [OURS_ROW, THEIR_ROW]
    assert mechanism_cells(THEIR_ROW, both) == [
        *("100,000", "1,024", "1", MULTI),
        *("24 (2×)", "0.4 (10×)", "8,320 (65×)"),
        *("1.020", "0.100", "1.000 / 0.300", "20,000 decoded"),
    ]
    assert mechanism_cells(OURS_ROW, both)[4:7] == ["12", "0.04", "128"]
    assert (
        mechanism_cells(Row(CELL, "oue", PURE, failed="TypeError"), both)[4]
        == "TypeError"
    )
    assert glance(both)[1] == [["oue", "2× / 10×"]]
    assert [line[3:5] for line in best_rows(both)] == [[OURS, "oue"], [MULTI, "oue"]]


def test_page_is_whole_and_names_no_place():
    """Page and picture come out whatever was measured, and give no path of the
    machine.
    """
    table = [OURS_ROW, THEIR_ROW, Row(CELL, "oue", PURE, failed="TypeError")]
    text = page(table, 1.0, 3, longest=8.0, absent=["ss", "olh"], unmeasured=7)
    assert "`ss` and `olh`" in text
    assert "7 measurements were left out" in text
    assert str(ROOT) not in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    for _, block in itertools.groupby(tables, key=lambda line: line.count("|")):
        assert len(list(block)) >= 3
    assert picture(table).startswith(b"<?xml")
    assert picture(table) == picture(table)
