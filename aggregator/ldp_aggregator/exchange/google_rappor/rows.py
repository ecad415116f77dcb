"""Rows of comma-separated cells that can say where they stand, and what was expected
there.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, TextIO

from ldp.numbers.exact import fraction
from ldp_aggregator.output.files import FileError, opened_text, unreadable

_LONGEST = 60
_HEX = frozenset("0123456789abcdef")


class Row(NamedTuple):
    """One row; its number is that of the line on which it ends. Columns are counted
    from 1.
    """

    path: Path
    number: int
    cells: list[str]

    def refusal(self, expected: str, came: str, column: int | None = None) -> FileError:
        """The error that tells what was expected in this row, or in a column of it."""
        place = f"{self.path}: row {self.number}"
        if column is not None:
            place += f", column {column}"
        return FileError(f"{place}: expected {expected}, got {came}")

    def check_width(self, width: int, what: str) -> None:
        """Raises `FileError` for more or fewer cells."""
        if len(self.cells) != width:
            raise self.refusal(f"{width} cells ({what})", str(len(self.cells)))

    def whole(self, column: int, least: int, most: int, what: str = "") -> int:
        """The whole number in a column, however it is written: 100000, 1e+05 or
        100000.0.
        """
        cell = self.cells[column - 1]
        number = int(cell) if _plain(cell) else _exact(cell)
        if number is None or number.denominator != 1 or not least <= number <= most:
            raise self.refusal(
                f"a whole number from {least} to {most}{what}",
                format_cell(cell),
                column,
            )
        return int(number)

    def bits(self, column: int, many: int) -> int:
        """The vector in a column, of so many digits, the highest bit first; or in
        hexadecimal.
        """
        digits = self.cells[column - 1]
        if len(digits) == many and set(digits) <= {"0", "1"}:
            return int(digits, 2)
        in_hex = -(-many // 4)
        if many > 1 and len(digits) == in_hex and set(digits.lower()) <= _HEX:
            vector = int(digits, 16)
            if vector < 1 << many:
                return vector
        expected = f"{many} digits 0 or 1, or {in_hex} of hexadecimal"
        raise self.refusal(
            "a digit 0 or 1" if many == 1 else expected, format_cell(digits), column
        )

    def probability(self, column: int) -> Fraction:
        """The exact probability in a column."""
        cell = self.cells[column - 1]
        number = _exact(cell)
        if number is None or not 0 <= number <= 1:
            raise self.refusal("a probability from 0 to 1", format_cell(cell), column)
        return number


def read_rows(path: Path) -> Iterator[Row]:
    """The rows that are not blank, their cells stripped.

    Raises `FileError` for what is no such file.
    """
    try:
        with opened_text(path) as file:
            yield from rows_of(path, file)
    except OSError as error:
        raise FileError(unreadable(path, error)) from None


def rows_of(path: Path, file: TextIO) -> Iterator[Row]:
    """Rows of a file that is open."""
    reader = csv.reader(file, skipinitialspace=True)
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            # A line of spaces is blank as well.
            if stripped not in ([], [""]):
                yield Row(path, reader.line_num, stripped)
    except UnicodeDecodeError as error:
        stray = (
            f"the byte 0x{error.object[error.start]:02x} after row {reader.line_num}"
        )
        raise FileError(f"{path}: expected UTF-8 text, got {stray}") from None
    except csv.Error as error:
        raise FileError(
            f"{path}: row {reader.line_num}: expected comma-separated cells, got "
            f"{error}"
        ) from None


def format_cell(cell: str) -> str:
    """A cell as an error shows it."""
    return repr(cell if len(cell) <= _LONGEST else f"{cell[: _LONGEST - 3]}...")


def _plain(cell: str) -> bool:
    return cell.isascii() and cell.isdigit() and len(cell) < 20


def _exact(cell: str) -> Fraction | None:
    try:
        return fraction(cell)
    except ValueError:
        return None
