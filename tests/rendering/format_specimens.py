"""One sheet with texts like markup of every kind, and what reads each format back."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np

from ldp_aggregator.output.safe_cells import safe_cell
from ldp_aggregator.output.sheet import Bars, Sheet, TextTable

NASTY = [
    "a|b",
    "<b>bold</b>",
    "*stars* and _lines_",
    "[link](http://x.example)",
    "![picture](x.png)",
    "&lt;",
    "`code` \\ $x$",
    "=1+1,2",
    "# heading",
    "~~gone~~",
]
FREQUENCY = np.linspace(0.0, 0.9, len(NASTY))
ROWS = [
    (value, f"{share:.4f}", "[0.0000, 1.0000]")
    for value, share in zip(NASTY, FREQUENCY, strict=True)
]
CELLS = TextTable(
    "x*y*",
    "grr, <i>420</i> reports",
    ("value", "fre-\nquency", "0.95\ninterval"),
    rows=ROWS,
    remarks=["A | B."],
)
SHEET = Sheet(
    "s & t",
    lead=["First _words_."],
    tables=lambda: [CELLS],
    legend=["Last <words>."],
    record=lambda: {"format": 1, "values": iter(NASTY)},
    columns=("value", "frequency"),
    rows=lambda: zip(NASTY, FREQUENCY.tolist(), strict=True),
    bars=lambda: [
        Bars("x", "grr", NASTY, lengths=FREQUENCY, low=FREQUENCY, high=FREQUENCY + 0.1)
    ],
)


class _Reader(HTMLParser):
    """Notes the tags and the texts of cells, and all text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.rows, self.text = set(), [], ""
        self.feed(text)

    def handle_starttag(self, tag, _):
        """A row, a cell, or any other tag."""
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        """Text of a cell goes to the cell that was opened last."""
        self.text += data
        if self.rows and self.rows[-1] and data.strip():
            self.rows[-1][-1] = self.rows[-1][-1] or data


def shows_table(content):
    """Every row on a line of its own, its cells in their order, the sentences around
    it.
    """
    lines = content.decode().splitlines()
    assert lines[0] == "First _words_."
    assert lines[-1] == "  Last <words>."
    assert "x*y*: grr, <i>420</i> reports" in lines
    shown = [line.strip() for line in lines]
    for value, share, interval in ROWS:
        (row,) = (line for line in shown if line.startswith(f"{value} "))
        assert row.removeprefix(value).split(maxsplit=1) == [share, interval]


def shows_json(content):
    """The record comes back."""
    assert json.loads(content) == {"format": 1, "values": NASTY}


def shows_csv(content):
    """Texts come back, those that a spreadsheet would run as text; numbers to the last
    bit.
    """
    head, *rows = csv.reader(io.StringIO(content.decode()))
    assert head == ["value", "frequency"]
    assert [(value, float(share)) for value, share in rows] == [
        (safe_cell(value), share) for value, share in SHEET.rows()
    ]


def shows_parquet(content):
    """The same, from columns."""
    from pyarrow.parquet import read_table

    columns = read_table(io.BytesIO(content)).to_pydict()
    assert columns == {"value": NASTY, "frequency": FREQUENCY.tolist()}


def shows_prometheus(content):
    """A parser of Prometheus reads every text and number back."""
    from prometheus_client import parser

    (family,) = parser.text_string_to_metric_families(content.decode())
    assert (family.name, family.type) == ("ldp_estimate_frequency", "gauge")
    read = [(sample.labels, sample.value) for sample in family.samples]
    assert read == [
        ({"survey": "s & t", "value": value}, share) for value, share in SHEET.rows()
    ]


def shows_markdown(content):
    """What a reader of Markdown makes of it is the page's text, and no other markup."""
    from markdown_it import MarkdownIt

    shown = (
        MarkdownIt("commonmark")
        .enable(["table", "strikethrough"])
        .render(content.decode())
    )
    read = _Reader(shown)
    assert read.tags == {"h1", "h2", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert read.rows[0] == ["value", "frequency", "0.95 interval"]
    assert len(read.rows) == 1 + len(ROWS)
    assert {len(cells) for cells in read.rows} == {3}
    for text in ("s & t", "First _words_.", "x*y*", "A | B.", "Last <words>.", *NASTY):
        assert text in read.text


def shows_latex(content):
    """Every cell comes back once its escapes are undone, and no command of LaTeX is
    among them.
    """
    lines = content.decode().splitlines()
    body = [line.strip() for line in lines[lines.index(r"    \midrule") + 1 :]]
    rows = [
        row.removesuffix(r" \\").split(" & ") for row in body if row.endswith(r"\\")
    ]
    named = {"textless": "<", "textgreater": ">", "textbar": "|"}
    named |= {"textasciitilde": "~", "textbackslash": "\\", "textquotedbl": '"'}

    def plain(text):
        words = re.sub(r"\\(text\w+)\{\}", lambda word: named[word[1]], text)
        return re.sub(r"\\([&%$#_{}])", r"\1", words)

    bare = [
        row.removesuffix(r" \\").removeprefix("{}") for row in body if r" \\" in row
    ]
    cells = [re.split(r"(?<!\\) & ", row) for row in bare]
    assert len(cells) == len(rows)
    assert [tuple(map(plain, row)) for row in cells] == ROWS
    assert lines[0].startswith("% s & t")
    assert r"  \par\footnotesize A \textbar{} B." in lines


def latex_of(first):
    """The row of a table whose first cell is this."""
    from ldp_aggregator.output.formats.latex import table

    shown = table(TextTable("", "", ("value", "share"), rows=[(first, "0.5")]))
    return next(line.strip() for line in shown.splitlines() if "0.5" in line)


def shows_html(content):
    """The same of a reader of HTML."""
    read = _Reader(content.decode())
    assert read.tags.isdisjoint({"b", "i", "script", "img"})
    assert read.rows[0] == ["value", "frequency", "0.95 interval"]
    assert [tuple(cells) for cells in read.rows[1:]] == ROWS
    for text in ("s & t", "First _words_.", "x*y*", "A | B.", "Last <words>.", *NASTY):
        assert text in read.text


def shows_svg(content):
    """A picture with the label of each value."""
    texts = ElementTree.fromstring(content).findall(".//{*}text")  # noqa: S314
    labels = [text.text for text in texts]
    assert set(NASTY) <= set(labels)


def shows_png(content):
    """Its first bytes say so."""
    assert content.startswith(b"\x89PNG\r\n\x1a\n")


READERS = {
    "table": shows_table,
    "json": shows_json,
    "csv": shows_csv,
    "parquet": shows_parquet,
    "prometheus": shows_prometheus,
    "markdown": shows_markdown,
    "latex": shows_latex,
    "html": shows_html,
    "svg": shows_svg,
    "png": shows_png,
}
"""A row for each format: what it has to show of the sheet."""
