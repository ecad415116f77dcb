"""The files of google/rappor, read strictly: errors name file, row and column.

    params   header k,h,m,p,q,f and one row
    counts   m rows, no header: the reports of a cohort, then how many of them set each of the k
             bits
    map      one row a candidate: its name, then the bits that it sets, bit b of cohort c being c k
             + b + 1; where two hash functions meet, a cell may be missing, empty or NA
    reports  a header with `cohort`, `irr` (k digits, the highest bit first) and perhaps `client`;
             one row a report. Other columns are not looked at: the demo's `bloom` is an answer
             without any noise

Cells may be quoted and have spaces around them, and numbers may be written as R writes them
(1e+05).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ldp.layout import MOST_COHORTS, Layout
from ldp.mechanisms.rappor import MOST_BITS
from ldp_aggregator.arrays import Counts
from ldp_aggregator.files import FileError
from ldp_aggregator.google_rappor.rows import Row, read_rows, shown
from ldp_aggregator.tallies.counting import count_rows, empty_counts

MOST_HASHES = 16
MOST_REPORTS = 1 << 53
MOST_RATES = 1 << 24
"""Bits of all cohorts together: 128 MiB of counts."""
_AT_ONCE = 1 << 16
_NO_BIT = ("", "NA")


class Parameters(NamedTuple):
    """`params.csv`, under our names. q belongs to a permanent bit of 1, as everywhere."""

    bits: int
    hashes: int
    cohorts: int
    p: Fraction
    q: Fraction
    f: Fraction

    @property
    def layout(self) -> Layout:
        """The shape of a report, for counting."""
        return Layout(cohorts=self.cohorts, bits=self.bits)


class Candidates(NamedTuple):
    """M names, and the bits that each sets.

    `design` is a sparse matrix of zeros and ones, of shape (cohorts * bits, M).
    """

    names: tuple[str, ...]
    design: Any


class Reports(NamedTuple):
    """The counts of a file of reports, and how many clients sent them.

    None if the file does not say.
    """

    counts: Counts
    clients: int | None


def read_parameters(path: Path) -> Parameters:
    """`params.csv`. Its columns may come in any order."""
    rows = list(read_rows(path))
    if len(rows) != 2:
        raise FileError(
            f"{path}: expected a header k,h,m,p,q,f and one row of numbers, got {len(rows)} rows"
        )
    header, row = rows
    if sorted(header.cells) != sorted("khmpqf"):
        raise header.refusal("the header k,h,m,p,q,f", shown(",".join(header.cells)))
    row.check_width(6, "one cell for each of k,h,m,p,q,f")
    place = {name: header.cells.index(name) + 1 for name in header.cells}
    bits = row.whole(place["k"], 2, MOST_BITS)
    hashes = row.whole(place["h"], 1, min(MOST_HASHES, bits))
    cohorts = row.whole(place["m"], 1, min(MOST_COHORTS, MOST_RATES // bits))
    p, q, f = (row.probability(place[name]) for name in "pqf")
    return Parameters(bits, hashes, cohorts, p=p, q=q, f=f)


def read_counts(path: Path, parameters: Parameters) -> Counts:
    """`counts.csv`, as counts of shape (cohorts, 1 + bits)."""
    counts = empty_counts(parameters.layout)
    rows = list(read_rows(path))
    if len(rows) != parameters.cohorts:
        raise FileError(
            f"{path}: expected {parameters.cohorts} rows, one for each cohort, got {len(rows)}"
        )
    total = 0
    for cohort, row in enumerate(rows):
        row.check_width(1 + parameters.bits, "the reports of the cohort and a count for each bit")
        reports = row.whole(1, 0, MOST_REPORTS)
        total += reports
        if total > MOST_REPORTS:
            raise row.refusal(
                f"at most {MOST_REPORTS} reports in all cohorts together", f"{total} up to here"
            )
        counts[cohort, 0] = reports
        for column in range(2, 2 + parameters.bits):
            counts[cohort, column - 1] = row.whole(
                column, 0, reports, what=" (the reports of the cohort)"
            )
    return counts


def read_map(path: Path, parameters: Parameters) -> Candidates:
    """`map.csv`."""
    names: dict[str, int] = {}
    places = []
    for row in read_rows(path):
        name = row.cells[0]
        if name in names:
            raise row.refusal("names that all differ", f"that of row {names[name]} again", 1)
        names[name] = row.number
        places.append(_places(row, parameters))
    if not names:
        raise FileError(f"{path}: expected one row for each candidate, got none")
    return Candidates(tuple(names), design_matrix(places, parameters))


def design_matrix(places: Sequence[Sequence[int]], parameters: Parameters) -> Any:
    """The design matrix of candidates, each given as the places c k + b of the bits that it sets.

    They need not differ.
    """
    from scipy.sparse import csr_array

    # (row, column) of every bit that a candidate sets.
    columns = np.repeat(np.arange(len(places)), [len(of_candidate) for of_candidate in places])
    rows = np.concatenate([np.asarray(of_candidate, dtype=np.int64) for of_candidate in places])
    shape = (parameters.cohorts * parameters.bits, len(places))
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    matrix.data[:] = 1.0  # what came twice was added up
    return matrix


def read_reports(path: Path, parameters: Parameters) -> Reports:
    """A file of reports such as `case_reports.csv`, counted."""
    rows = read_rows(path)
    header = next(rows, None)
    if header is None or not {"cohort", "irr"} <= set(header.cells):
        came = "an empty file" if header is None else shown(",".join(header.cells))
        raise FileError(f"{path}: expected a header with the columns cohort and irr, got {came}")
    clients: set[str] = set()
    has_clients = "client" in header.cells
    counts = empty_counts(parameters.layout)
    while batch := list(islice(rows, _AT_ONCE)):
        reports = bytearray()
        for row in batch:
            row.check_width(len(header.cells), "as many as the header has")
            cells = dict(zip(header.cells, row.cells, strict=True))
            reports += _report(row, header.cells, cells["irr"], parameters=parameters)
            if has_clients:
                clients.add(cells["client"])
        report_rows = np.frombuffer(reports, np.uint8).reshape(len(batch), -1)
        counts += count_rows(report_rows, parameters.layout)
    return Reports(counts, len(clients) if has_clients else None)


def _report(row: Row, header: list[str], digits: str, parameters: Parameters) -> bytes:
    """A row as the bytes of one of our own reports, which the bulk counter takes."""
    column = header.index("cohort") + 1
    cohort = row.whole(column, 0, parameters.cohorts - 1)
    if len(digits) != parameters.bits or not set(digits) <= {"0", "1"}:
        column = header.index("irr") + 1
        raise row.refusal(f"{parameters.bits} digits 0 or 1", shown(digits), column)
    layout = parameters.layout
    vector = int(digits, 2)
    report = layout.report(vector, cohort if layout.prefix_width else 0)
    return report.to_bytes(layout.width, "little")


def _places(row: Row, parameters: Parameters) -> list[int]:
    bits, hashes, cohorts = parameters.bits, parameters.hashes, parameters.cohorts
    columns = [
        column for column, cell in enumerate(row.cells, 1) if column > 1 and cell not in _NO_BIT
    ]
    places = [row.whole(column, 1, bits * cohorts) - 1 for column in columns]
    # How many bits it sets in each cohort, (cohorts,).
    in_cohort = np.bincount(np.array(places, dtype=np.int64) // bits, minlength=cohorts)
    wrong = np.flatnonzero((in_cohort == 0) | (in_cohort > hashes))
    if len(wrong):
        cohort = int(wrong[0])
        raise row.refusal(
            f"1 to {hashes} bits in each cohort "
            f"(those of cohort {cohort} are {cohort * bits + 1} to {cohort * bits + bits})",
            f"{in_cohort[cohort]} in cohort {cohort}",
        )
    return places
