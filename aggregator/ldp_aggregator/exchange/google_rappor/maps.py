r"""`map.csv` in bulk: the positions of a million candidates' bits, all plain rows at
once.

A plain row is a name, with quotes around it or without any, and digits between commas.
Its numbers are read a few megabytes at a time; every other row goes the way of `rows`,
cell by cell. Where the file as a whole is not of plain lines (a name with a line end in
it, lines that end in \r alone), nothing is said here, and it is read by `rows` from the
start: that way is the rule, and this one only quicker.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldp_aggregator.decoders.moments.bit_designs import Places, place_type
from ldp_aggregator.exchange.google_rappor.rows import Row
from ldp_aggregator.output.files import FileError

Whole = NDArray[np.int64]

_AT_ONCE = 1 << 22
_LONGEST_LINE = 1 << 26
_LINES = b"0123456789,"
_BOM = b"\xef\xbb\xbf"


class Shape(NamedTuple):
    """How many cohorts, hash functions and bits there are."""

    cohorts: int
    hashes: int
    bits: int


class NotPlainError(Exception):
    """The file is to be read cell by cell."""


def read_plainly(
    path: Path, file: BinaryIO, shape: Shape, checked: Callable[[Row], list[int]]
) -> tuple[tuple[str, ...], Places]:
    """The names and the places, (cohorts, hashes, candidates), whose free slots have
    position k.

    `checked` gives the places c k + b of a row, or raises its error. Raises
    `NotPlainError`, and `FileError` for names that come twice and lines without end.
    """
    names: dict[str, int] = {}
    parts = []
    for number, lines in _lines(path, file):
        parts.append(_Part(path, number, lines, shape=shape, names=names).read(checked))
    slots = shape.cohorts * shape.hashes
    table = np.empty((slots, len(names)), place_type(shape.bits))
    start = 0
    for part in parts:
        end = start + part.shape[1]
        table[:, start:end] = part
        start = end
    return tuple(names), table.reshape(shape.cohorts, shape.hashes, -1)


def _lines(path: Path, file: BinaryIO) -> Iterator[tuple[int, list[bytes]]]:
    """Some lines at a time, with the number of the first."""
    number, carried = 1, b""
    while block := file.read(_AT_ONCE):
        if number == 1 and not carried:
            block = block.removeprefix(_BOM)
        end = block.rfind(b"\n") + 1
        if not end:
            carried += block
            if len(carried) > _LONGEST_LINE:
                raise FileError(
                    f"{path}: row {number}: expected at most {_LONGEST_LINE:,} bytes, "
                    "got more"
                )
            continue
        lines = _split(carried + block[:end])
        yield number, lines
        number, carried = number + len(lines), block[end:]
    if carried:
        yield number, _split(carried)


def _split(block: bytes) -> list[bytes]:
    block = block.replace(b"\r\n", b"\n").removesuffix(b"\n").removesuffix(b"\r")
    if b"\r" in block or b"\0" in block:
        raise NotPlainError
    return block.split(b"\n")


class _Part:
    """Some lines of a file; the names before them are known."""

    def __init__(
        self,
        path: Path,
        number: int,
        lines: list[bytes],
        shape: Shape,
        names: dict[str, int],
    ) -> None:
        self.path, self.shape = path, shape
        self.numbered = [
            (number + place, line) for place, line in enumerate(lines) if line.strip()
        ]
        self.names = names

    def read(self, checked: Callable[[Row], list[int]]) -> Places:
        """The positions, of shape (cohorts * hashes, rows of this part)."""
        pieces, sizes = [], []
        for number, line in self.numbered:
            name, cells = self._cells(number, line, checked)
            if name in self.names:
                row = Row(self.path, number, [name])
                before = f"that of row {self.names[name]} again"
                raise row.refusal("names that all differ", before, 1)
            self.names[name] = number
            pieces.append(cells)
            sizes.append(cells.count(b",") + 1)
        if not pieces:
            return np.empty((self.shape.cohorts * self.shape.hashes, 0), np.uint16)
        # (cells,) of all rows, one after the other.
        places = np.fromstring(b",".join(pieces), dtype=np.int64, sep=",") - 1
        table = self._in_order(places, sizes)
        if table is None:
            table = self._by_cohort(places, np.array(sizes), checked)
        return table

    def _cells(
        self, number: int, line: bytes, checked: Callable[[Row], list[int]]
    ) -> tuple[str, bytes]:
        """The name of a line, and its numbers with commas between them."""
        name, _, cells = line.partition(b",")
        plain = b'"' not in line
        if (
            not plain
            and line.count(b'"') == 2
            and name[:1] == b'"' == name[-1:]
            and len(name) > 1
        ):
            name, plain = name[1:-1], True
        if (
            plain
            and cells
            and not cells.translate(None, _LINES)
            and b",," not in b",%b," % cells
        ):
            return self._decode(name).strip(), cells
        row = self._row(number, line)
        return row.cells[0], b",".join(b"%d" % (place + 1) for place in checked(row))

    def _in_order(self, places: Whole, sizes: list[int]) -> Places | None:
        """The positions, if every row has all of its bits, cohort after cohort."""
        cohorts, hashes, bits = self.shape
        if min(sizes) < cohorts * hashes or max(sizes) > cohorts * hashes:
            return None
        table = places.reshape(len(sizes), -1)
        table -= np.repeat(np.arange(cohorts) * bits, hashes)
        if table.min() >= 0 and table.max() < bits:
            return np.ascontiguousarray(table.T.astype(place_type(bits)))
        table += np.repeat(np.arange(cohorts) * bits, hashes)
        return None

    def _by_cohort(
        self, places: Whole, sizes: Whole, checked: Callable[[Row], list[int]]
    ) -> Places:
        """The positions of rows in any order, with gaps; the first that is wrong is
        refused.
        """
        cohorts, hashes, bits = self.shape
        rows = np.repeat(np.arange(len(sizes)), sizes)
        wrong = (places < 0) | (places >= cohorts * bits)
        groups = rows * cohorts + np.clip(places // bits, 0, cohorts - 1)
        many = np.bincount(groups, minlength=len(sizes) * cohorts).reshape(-1, cohorts)
        refused = ((many == 0) | (many > hashes)).any(axis=1)
        refused[rows[wrong]] = True
        for place in np.flatnonzero(refused)[:1].tolist():
            checked(self._row(*self.numbered[place]))
            raise NotPlainError
        # Each cell's number among those of its row and cohort.
        order = np.argsort(groups, kind="stable")
        starts = np.cumsum(many.ravel()) - many.ravel()
        slots = np.arange(len(order)) - starts[groups[order]]
        table = np.full((len(sizes), cohorts, hashes), bits, place_type(bits))
        table.reshape(-1, hashes)[groups[order], slots] = places[order] % bits
        return np.ascontiguousarray(table.reshape(len(sizes), -1).T)

    def _row(self, number: int, line: bytes) -> Row:
        """A line as cells. Raises `NotPlainError` where it is no row by itself."""
        try:
            rows = list(
                csv.reader(
                    io.StringIO(self._decode(line)), skipinitialspace=True, strict=True
                )
            )
        except csv.Error:
            raise NotPlainError from None
        if len(rows) != 1 or not rows[0]:
            raise NotPlainError
        return Row(self.path, number, [cell.strip() for cell in rows[0]])

    @staticmethod
    def _decode(content: bytes) -> str:
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise NotPlainError from None
