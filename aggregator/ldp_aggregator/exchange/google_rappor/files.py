"""The files of google/rappor, read strictly: errors name file, row and column.

    params   header k,h,m,p,q,f and one row
    counts   m rows, no header: the reports of a cohort, then how many of them set each
             of the k bits
    map      one row a candidate: its name, then the bits that it sets, bit b of cohort
             c being c k + b + 1; where two hash functions meet, a cell may be missing,
             empty or NA
    reports  a header with `cohort`, `irr` or `rappor` (k digits, the highest bit first)
             and perhaps `client`; one row a report. Other columns are not looked at:
             the demo's `bloom` is an answer without any noise

Where k = 1 the bit is the answer itself, as booleans are reported: nothing is hashed,
and h says nothing.

Cells may be quoted and have spaces around them, and numbers may be written as R writes
them (1e+05).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.chains.rappor import MOST_BITS
from ldp.numbers.layout import MOST_COHORTS, Layout
from ldp_aggregator.decoders.moments.bit_designs import Places, design_of, place_type
from ldp_aggregator.decoders.other_results import Candidates
from ldp_aggregator.exchange.google_rappor.maps import (
    NotPlainError,
    Shape,
    read_plainly,
)
from ldp_aggregator.exchange.google_rappor.rows import (
    Row,
    format_cell,
    read_rows,
    rows_of,
)
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.output.files import FileError, opened_twice, unreadable
from ldp_aggregator.tallies.counting.counting import count_rows, empty_counts

MOST_HASHES = 16
MOST_REPORTS = 1 << 53
MOST_RATES = 1 << 24
"""Bits of all cohorts together: 128 MiB of counts."""
_AT_ONCE = 1 << 16
BLANK = ("", "NA")
"""A cell without a number, as people and as R write it."""
_REPORT = ("irr", "rappor")
"""What a column of reports is called: by the Python client's own reports, or its
documentation.
"""


class Parameters(NamedTuple):
    """`params.csv`, under our names. q belongs to a permanent bit of 1, as
    everywhere.
    """

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

    @property
    def boolean(self) -> bool:
        """Whether the one bit is the answer."""
        return self.bits == 1

    @property
    def basic(self) -> bool:
        """Whether each value may have a bit of its own: nothing else keeps two of them
        apart.
        """
        return self.bits > 1 and self.hashes == self.cohorts == 1


class ReportFile(NamedTuple):
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
            f"{path}: expected a header k,h,m,p,q,f and one row of numbers, got "
            f"{len(rows)} rows"
        )
    header, row = rows
    check_names(header)
    if sorted(header.cells) != sorted("khmpqf"):
        raise header.refusal(
            "the header k,h,m,p,q,f", format_cell(",".join(header.cells))
        )
    row.check_width(6, "one cell for each of k,h,m,p,q,f")
    place = {name: header.cells.index(name) + 1 for name in header.cells}
    bits = row.whole(place["k"], 1, MOST_BITS)
    hashes = row.whole(
        place["h"], 1, min(MOST_HASHES, bits) if bits > 1 else MOST_HASHES
    )
    cohorts = row.whole(place["m"], 1, min(MOST_COHORTS, MOST_RATES // bits))
    p, q, f = (row.probability(place[name]) for name in "pqf")
    return Parameters(bits, hashes, cohorts, p=p, q=q, f=f)


def read_counts(path: Path, parameters: Parameters) -> Counts:
    """`counts.csv`, as counts of shape (cohorts, 1 + bits)."""
    counts = empty_counts(parameters.layout)
    total = number = 0
    for number, row in enumerate(read_rows(path), 1):
        if number > parameters.cohorts:
            continue
        cohort = number - 1
        row.check_width(
            1 + parameters.bits, "the reports of the cohort and a count for each bit"
        )
        reports = row.whole(1, 0, MOST_REPORTS)
        total += reports
        if total > MOST_REPORTS:
            raise row.refusal(
                f"at most {MOST_REPORTS} reports in all cohorts together",
                f"{total} up to here",
            )
        counts[cohort, 0] = reports
        for column in range(2, 2 + parameters.bits):
            counts[cohort, column - 1] = row.whole(
                column, 0, reports, what=" (the reports of the cohort)"
            )
    if number != parameters.cohorts:
        raise FileError(
            f"{path}: expected {parameters.cohorts} rows, one for each cohort, got "
            f"{number}"
        )
    return counts


def read_map(path: Path, parameters: Parameters) -> Candidates:
    """`map.csv`."""
    shape = Shape(parameters.cohorts, parameters.hashes, parameters.bits)
    checked = partial(_places, parameters=parameters)
    try:
        with opened_twice(path) as file:
            try:
                names, places = read_plainly(path, file, shape, checked=checked)
            except NotPlainError:
                file.seek(0)
                text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
                try:
                    names, places = _read_by_cell(rows_of(path, text), shape, checked)
                finally:
                    text.detach()
    except OSError as error:
        raise FileError(unreadable(path, error)) from None
    if not names:
        raise FileError(f"{path}: expected one row for each candidate, got none")
    return Candidates(names, design_of(places, parameters.bits))


def _read_by_cell(
    rows: Iterable[Row], shape: Shape, checked: Callable[[Row], list[int]]
) -> tuple[tuple[str, ...], Places]:
    """Read as `read_plainly` does, whatever the rows look like."""
    numbers: dict[str, int] = {}
    parts = []
    for row in rows:
        name = row.cells[0]
        if name in numbers:
            raise row.refusal(
                "names that all differ", f"that of row {numbers[name]} again", 1
            )
        numbers[name] = row.number
        # One row's positions, (cohorts, hashes), of which free slots have none.
        table = np.full(
            (shape.cohorts, shape.hashes), shape.bits, place_type(shape.bits)
        )
        free = [0] * shape.cohorts
        for place in checked(row):
            cohort, position = divmod(place, shape.bits)
            table[cohort, free[cohort]] = position
            free[cohort] += 1
        parts.append(table)
    empty = np.empty((shape.cohorts, shape.hashes, 0), place_type(shape.bits))
    return tuple(numbers), np.stack(parts, axis=2) if parts else empty


def read_reports(path: Path, parameters: Parameters) -> ReportFile:
    """A file of reports such as `case_reports.csv`, counted."""
    rows = read_rows(path)
    header = next(rows, None)
    column = _report_column(path, header)
    assert header is not None  # noqa: S101
    clients: set[str] = set()
    has_clients = "client" in header.cells
    counts = empty_counts(parameters.layout)
    while batch := list(islice(rows, _AT_ONCE)):
        reports = bytearray()
        for row in batch:
            row.check_width(len(header.cells), "as many as the header has")
            cells = dict(zip(header.cells, row.cells, strict=True))
            reports += _report(row, header.cells, column, parameters=parameters)
            if has_clients:
                clients.add(cells["client"])
        report_rows = np.frombuffer(reports, np.uint8).reshape(len(batch), -1)
        counts += count_rows(report_rows, parameters.layout)
    return ReportFile(counts, len(clients) if has_clients else None)


def check_names(header: Row) -> None:
    """Raise `FileError` for a header that has a name twice, of whose columns one is to
    be read.
    """
    for place, name in enumerate(header.cells):
        if name and name in header.cells[:place]:
            first = header.cells.index(name) + 1
            raise header.refusal(
                "columns whose names differ",
                f"{format_cell(name)} of column {first} again",
                place + 1,
            )


def _report_column(path: Path, header: Row | None) -> str:
    names = []
    if header is not None:
        names = [name for name in _REPORT if name in header.cells]
    if header is None or "cohort" not in header.cells or not names:
        came = "an empty file"
        if header is not None:
            came = format_cell(",".join(header.cells))
        raise FileError(
            f"{path}: expected a header with the columns cohort and irr (or rappor), "
            f"got {came}"
        )
    check_names(header)
    if len(names) > 1:
        raise header.refusal("one column of reports, irr or rappor", "both")
    return names[0]


def _report(row: Row, header: list[str], name: str, parameters: Parameters) -> bytes:
    """A row as the bytes of one of our own reports, which the bulk counter takes."""
    cohort = row.whole(header.index("cohort") + 1, 0, parameters.cohorts - 1)
    vector = row.bits(header.index(name) + 1, parameters.bits)
    layout = parameters.layout
    report = layout.report(vector, cohort if layout.prefix_width else 0)
    return report.to_bytes(layout.width, "little")


def _places(row: Row, parameters: Parameters) -> list[int]:
    bits, hashes, cohorts = parameters.bits, parameters.hashes, parameters.cohorts
    columns = [
        column
        for column, cell in enumerate(row.cells, 1)
        if column > 1 and cell not in BLANK
    ]
    places = [row.whole(column, 1, bits * cohorts) - 1 for column in columns]
    # How many bits it sets in each cohort, (cohorts,).
    in_cohort = np.bincount(np.array(places, dtype=np.int64) // bits, minlength=cohorts)
    wrong = np.flatnonzero((in_cohort == 0) | (in_cohort > hashes))
    if len(wrong):
        cohort = int(wrong[0])
        raise row.refusal(
            f"1 to {hashes} bits in each cohort (those of cohort {cohort} are "
            f"{cohort * bits + 1} to {cohort * bits + bits})",
            f"{in_cohort[cohort]} in cohort {cohort}",
        )
    return places
