r"""Tables as LaTeX, for papers: `tabular` with the rules of booktabs, one `table` for
each.

A document that includes them loads booktabs. What people wrote is shown as it is:
characters that LaTeX takes for its own are escaped. The remarks of a table stand below
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ldp_aggregator.output.columns import printable
from ldp_aggregator.output.sheet import Sheet, TextTable, in_one_line

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_SIGNS = re.compile("|".join(map(re.escape, _ESCAPED)))


def write(sheet: Sheet) -> Iterator[str]:
    """The tables of a sheet, one after the other; its sentences are comments."""
    yield f"% {_comment(sheet.title)} (needs \\usepackage{{booktabs}})\n"
    for sentence in (*sheet.lead, *sheet.legend):
        yield f"% {_comment(sentence)}\n"
    for text_table in sheet.tables():
        yield f"\n{table(text_table)}"


def table(text_table: TextTable) -> str:
    """One table, whose first column stands to the left and whose others to the
    right.
    """
    columns = "l" + "r" * (len(text_table.headings) - 1)
    caption = ": ".join(filter(None, (text_table.title, text_table.caption)))
    lines = [
        r"\begin{table}[htbp]",
        r"  \centering",
        f"  \\caption{{{_text(caption)}}}",
        f"  \\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        f"    {_row([in_one_line(heading) for heading in text_table.headings])}",
        r"    \midrule",
        *(f"    {_row(row)}" for row in text_table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(f"  \\par\\footnotesize {_text(remark)}" for remark in text_table.remarks),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    # What begins with a bracket would be taken for the room below the row before.
    guard = "{}" if cells and cells[0].startswith("[") else ""
    return guard + " & ".join(map(_text, cells)) + r" \\"


def _text(text: str) -> str:
    return _SIGNS.sub(lambda sign: _ESCAPED[sign[0]], printable(text))


def _comment(text: str) -> str:
    return " ".join(printable(text).split())
