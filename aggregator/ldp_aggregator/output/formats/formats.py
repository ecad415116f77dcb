"""The formats of results: one table, for the command, the API and the downloads of a
service.

What results share that have a sheet is here, too.

A format is a function from a `Sheet` to text, in pieces, or to bytes. It lives in a
module of this folder, which is imported when the format is asked for, so that naming
formats costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, NamedTuple

from ldp.errors import EstimateError
from ldp_aggregator.output.sheet import Bars, Shape, Sheet

Content = bytes | Iterable[str]

_SHAPES: Mapping[Shape, str] = {
    "tables": "tables",
    "record": "record",
    "rows": "flat rows",
    "bars": "picture",
}
"""What each shape is called, in messages."""


class Format(NamedTuple):
    """One way to write a sheet."""

    name: str
    """What is asked for."""
    words: str
    """What it is called, in a list of downloads."""
    ending: str
    """How the names of its files end."""
    content_type: str
    needs: Shape
    """The shape that it writes."""
    writer: str
    """The function that writes it, as module:function."""
    sentences: bool = True
    """Whether it has a place for remarks."""
    for_terminals: bool = False
    """Whether it may use other characters where a terminal has not those of UTF-8."""
    library: str | None = None
    """What it needs to be installed, if anything."""

    def write(self, sheet: Sheet) -> Content:
        """The sheet as text, in pieces, or as bytes.

        Raises `EstimateError` for a result without the shape, and if a library is
        missing.
        """
        if not sheet.has(self.needs):
            raise EstimateError(
                f"{sheet.title}: this result has no {_SHAPES[self.needs]}, which "
                f"{self.name} needs"
            )
        module, _, function = self.writer.partition(":")
        home = import_module(f"ldp_aggregator.output.{module}")
        write: Callable[[Sheet], Content] = getattr(home, function)
        return write(sheet)

    def whole(self, sheet: Sheet) -> bytes:
        """Return the bytes of a file; text is UTF-8."""
        content = self.write(sheet)
        if isinstance(content, bytes):
            return content
        return "".join(content).encode()

    @property
    def available(self) -> bool:
        """Whether its library is installed."""
        return self.library is None or find_spec(self.library) is not None


_ROWS = (
    Format(
        "table",
        "Text",
        ending="txt",
        content_type="text/plain; charset=utf-8",
        needs="tables",
        writer="columns:write",
        for_terminals=True,
    ),
    Format(
        "json",
        "JSON",
        ending="json",
        content_type="application/json",
        needs="record",
        writer="formats.json_text:write",
    ),
    Format(
        "csv",
        "CSV",
        ending="csv",
        content_type="text/csv; charset=utf-8",
        needs="rows",
        writer="formats.csv_text:write",
        sentences=False,
    ),
    Format(
        "parquet",
        "Parquet",
        ending="parquet",
        content_type="application/vnd.apache.parquet",
        needs="rows",
        writer="formats.parquet:write",
        sentences=False,
        library="pyarrow",
    ),
    Format(
        "prometheus",
        "Prometheus",
        ending="prom",
        content_type="text/plain; version=0.0.4; charset=utf-8",
        needs="rows",
        writer="monitoring.prometheus:write",
        sentences=False,
    ),
    Format(
        "markdown",
        "Markdown",
        ending="md",
        content_type="text/markdown; charset=utf-8",
        needs="tables",
        writer="formats.markdown:write",
    ),
    Format(
        "latex",
        "LaTeX",
        ending="tex",
        content_type="application/x-tex; charset=utf-8",
        needs="tables",
        writer="formats.latex:write",
    ),
    Format(
        "html",
        "HTML",
        ending="html",
        content_type="text/html; charset=utf-8",
        needs="tables",
        writer="formats.html_page:write",
    ),
    Format(
        "svg",
        "SVG of all charts",
        ending="svg",
        content_type="image/svg+xml",
        needs="bars",
        writer="pictures.picture:write_svg",
        sentences=False,
    ),
    Format(
        "png",
        "PNG of all charts",
        ending="png",
        content_type="image/png",
        needs="bars",
        writer="pictures.picture:write_png",
        sentences=False,
        library="matplotlib",
    ),
)

FORMATS: Mapping[str, Format] = MappingProxyType({row.name: row for row in _ROWS})


def formats_of(*shapes: Shape) -> list[Format]:
    """The formats of results that have these shapes, in the order of the table."""
    return [row for row in FORMATS.values() if row.needs in shapes]


def format_of_file(name: str, formats: Iterable[Format]) -> Format | None:
    """The format that a file's name ends in, if it is one of these."""
    ending = ""
    if "." in name:
        ending = name.rpartition(".")[2]
    return next((row for row in formats if row.ending == ending), None)


class Rendered:
    """A result that has a sheet."""

    def sheet(self) -> Sheet:
        """All that is shown, in the shapes that formats ask for."""
        raise NotImplementedError

    def rendered(self, form: str = "table") -> str | bytes:
        """The result in one of the formats of its command: "table", "markdown",
        "json"...

        Text for formats that are text, else bytes. Raises `EstimateError` for unknown
        formats, for those that the result has no shape for, and for those whose library
        is missing.
        """
        return render_sheet(self.sheet(), form)

    def __repr__(self) -> str:
        return str(self.rendered())


class Tabled(Rendered):
    """A result that is shown in shells and notebooks by its tables, and what stands
    before them.
    """

    def brief_sheet(self) -> Sheet:
        """Return the sheet that shells and notebooks show: all of it."""
        return self.sheet()

    def __repr__(self) -> str:
        from ldp_aggregator.output.columns import align

        sheet = self.brief_sheet()
        tables = "\n\n".join(align(table).rstrip("\n") for table in sheet.tables())
        return "\n".join((*sheet.lead, tables))

    def _repr_html_(self) -> str:
        from ldp_aggregator.output.formats.html_page import table_with_caption

        return "".join(
            table_with_caption(table) for table in self.brief_sheet().tables()
        )


class Framed(Rendered):
    """A result of flat records: rows of a sheet."""

    def to_csv(self) -> str:
        """The records as CSV with a header."""
        return str(self.rendered("csv"))

    def to_frame(self, kind: str = "pandas") -> Any:
        """The records as a tidy frame of pandas, polars or arrow, a row for each
        number.

        Raises `EstimateError` for another kind, and where its library is not installed.
        """
        from ldp_aggregator.output.frames import frame

        sheet = self.sheet()
        return frame(kind, sheet.columns, sheet.rows())

    def to_pandas(self) -> Any:
        """The records as a pandas DataFrame; needs pandas."""
        return self.to_frame("pandas")

    def to_polars(self) -> Any:
        """The records as a polars DataFrame; needs polars."""
        return self.to_frame("polars")


class Pictured:
    """A result that has a picture."""

    def panels(self, truth: Any = None) -> list[Bars]:
        """The panels of its picture; `truth` gives true numbers, where known."""
        raise NotImplementedError

    def plot(self, truth: Any = None) -> Any:
        """A matplotlib figure of its panels, with `truth` as marks, where known.

        Of more than 40 values a panel shows the 40 most frequent. Raises
        `EstimateError` if matplotlib is not there.
        """
        from ldp_aggregator.output.pictures.picture import figure

        return figure(self.panels(truth))

    def picture(self, form: str = "svg", truth: Any = None) -> bytes:
        """Return the picture as the bytes of an SVG or PNG file."""
        from ldp_aggregator.output.pictures.picture import picture

        return picture(self.panels(truth), form)


class Tidy(Framed, Pictured, Tabled):
    """A result of flat records: numbers by name, which pictures show as bars."""

    def sheet(self, *, in_full: bool = True) -> Sheet:
        """All that is shown, in the shapes that formats ask for; in brief, the top of
        it.
        """
        raise NotImplementedError

    def brief_sheet(self) -> Sheet:
        """Return the sheet that shells and notebooks show."""
        return self.sheet(in_full=False)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The flat records, by column. NaN stands where there is no number."""
        sheet = self.sheet()
        return (dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows())


def render_sheet(sheet: Sheet, name: str) -> str | bytes:
    """A sheet in the format of that name: text, or bytes for formats that are no text.

    Raises `EstimateError` for a name that is not in the table.
    """
    if name not in FORMATS:
        raise EstimateError(
            f"expected format to be one of {', '.join(FORMATS)}, got {name!r}"
        )
    content = FORMATS[name].write(sheet)
    if isinstance(content, bytes):
        return content
    return "".join(content)
