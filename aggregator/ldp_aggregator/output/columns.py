"""Tables as aligned text: linear in the cells, since a question may have a million
values.

widths    of the widest cell; where a line would be longer than 160, the widest columns
          give way, and their cells go on in further lines
cells     the first column stands to the left, the others to the right; characters are
          as wide as terminals show them, and control characters, which would steer a
          terminal, are written by their numbers
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from ldp_aggregator.output.sheet import Sheet, TextTable

MOST_WIDTH = 160
_GAP = "   "
_MARGIN = "  "
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}
# Those that end a line, or turn the direction of writing and so move what stands beside
# them.
_CONTROLS |= {
    code: f"\\u{code:04x}" for code in (*range(0x2028, 0x202F), *range(0x2066, 0x206A))
}


def write(sheet: Sheet) -> Iterator[str]:
    """The sentences and tables of a sheet, with empty lines between them."""
    lead = "".join(f"{sentence}\n" for sentence in sheet.lead)
    gap = ""
    for block in (lead, *map(align, sheet.tables()), _indent(sheet.legend)):
        if block:
            yield gap + block
            gap = "\n"


def align(text_table: TextTable) -> str:
    """A table under its title, and its remarks, which stand in from the margin."""
    title = printable(": ".join(filter(None, (text_table.title, text_table.caption))))
    rows = columns(text_table.headings, text_table.rows)
    table = f"{title}\n{rows}" if title else rows.lstrip("\n")
    if text_table.remarks:
        return table + _indent(text_table.remarks)
    return table.removesuffix("\n")


def _indent(sentences: Sequence[str]) -> str:
    return "".join(f"{_MARGIN}{printable(line)}\n" for line in sentences)


def columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The table, with an empty line before and after it. A heading may have several
    lines.
    """
    height = 1 + max(heading.count("\n") for heading in headings)
    texts = [_from_below(heading, height) for heading in headings]
    for place, cells in enumerate(zip(*rows, strict=True)):
        texts[place] += map(printable, cells)
    natural = [max(map(_width, column)) for column in texts]
    widths = _fit_widths(natural)
    if widths == natural:
        padded = [
            _pad(column, widths[place], place) for place, column in enumerate(texts)
        ]
        lines = [_line(cells) for cells in zip(*padded, strict=True)]
    else:
        lines = [
            line for cells in zip(*texts, strict=True) for line in _fold(cells, widths)
        ]
    rule = " " + "─" * (sum(widths) + len(_GAP) * (len(widths) - 1))
    return "\n".join(["", *lines[:height], rule, *lines[height:], "\n"])


def _from_below(heading: str, height: int) -> list[str]:
    """The lines of a heading, after enough empty ones that all headings end on the same
    line.
    """
    lines = heading.split("\n")
    return [""] * (height - len(lines)) + lines


def printable(cell: str) -> str:
    """A text whose control characters are written by their numbers."""
    if cell.isascii() and cell.isprintable():
        return cell
    return cell.translate(_CONTROLS)


def _width(cell: str) -> int:
    if cell.isascii():
        return len(cell)
    from rich.cells import cell_len

    return cell_len(cell)


def _fit_widths(widths: list[int]) -> list[int]:
    """The widths, the widest of which give way until a line is no longer than
    `MOST_WIDTH`.
    """
    room = MOST_WIDTH - 2 - len(_GAP) * (len(widths) - 1)
    most = max(widths)
    while most > 1 and sum(min(width, most) for width in widths) > room:
        most -= 1
    return [min(width, most) for width in widths]


def _pad(cells: Sequence[str], width: int, place: int) -> list[str]:
    """Cells of one column that all fit it."""
    spaces = [" " * (width - _width(cell)) for cell in cells]
    if place == 0:
        return [cell + space for cell, space in zip(cells, spaces, strict=True)]
    return [space + cell for cell, space in zip(cells, spaces, strict=True)]


def _fold(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """The lines of one row whose cells go on where their columns are too narrow for
    them.
    """
    pieces = [_pieces(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for part in zip_longest(*pieces, fillvalue=""):
        padded = [_pad([cell], widths[place], place) for place, cell in enumerate(part)]
        yield _line([cell for [cell] in padded])


def _pieces(cell: str, width: int) -> list[str]:
    if cell.isascii():
        return [
            cell[start : start + width] for start in range(0, max(1, len(cell)), width)
        ]
    from rich.cells import chop_cells

    return chop_cells(cell, width)


def _line(cells: Sequence[str]) -> str:
    return (" " + _GAP.join(cells)).rstrip()
