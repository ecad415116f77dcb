"""The layouts of files that hold counts: of warehouses, Cobalt, DAP collectors, OpenDP,
anyone.

    a table    CSV with a header, or a JSON list of objects: a column `count`, and one that says
               what was counted: `value`, `cell`, or `symbol`, `bit`, `category`, `event_code`
               (`event_codes` with one code in it, as Cobalt has it). Other columns are passed over,
               and rows of the same are added up: those of several dates, say
    sums       {"report_count": 200, "aggregate_result": [31, 97, 72]}, sums by place, as a
               collector of DAP has them (Prio3Histogram, Prio3SumVec); or the lines `Number of
               reports: 200` and `Aggregation result: [31, 97, 72]` that its tools print
    by name    {"car": 31, "bus": 97}
    in words   car=31,bus=97
    one by one ["car", "bus", "bus"]: released answers, as randomized response of OpenDP gives them

A layout makes `CountsFile` of a file; what its names mean, `counts` says.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ldp.errors import EstimateError
from ldp_aggregator.output.csv_rows import csv_rows

COUNT = "count"
CELL = "cell"
NAMES = (CELL, "value", "symbol", "bit", "category", "event_code", "event_codes")
"""The columns that say what was counted; only a cell is one by its number in the tally.
"""
NUMBERS = {CELL, "symbol", "bit", "event_code", "event_codes"}
"""Those of them in which a number is one, even where a value has the same name."""
REPORTS = ("report_count", "reports")
SUMS = ("aggregate_result", "sums")

LARGEST_COUNT = 1 << 53
_IN_WORDS = re.compile(r"[^=\n]+= *\d+(,[^=\n]+= *\d+)*\s*")
_PRINTED = re.compile(
    r"Number of reports: *(\d+).*?Aggregation result: *(\[[\d, ]*\])", re.DOTALL
)


class CountsFile(NamedTuple):
    """Content of a file of counts."""

    counts: Mapping[str, int]
    """By value, or by number."""
    reports: int | None = None
    """How many reports there were, if it says so."""
    cells: bool = False
    """Whether numbers are those of a tally's cells, and not of symbols or bits."""
    numbered: bool = False
    """Whether a number is one, even where a value has the same name, as on a scale from
    1 to 5.
    """
    places: int | None = None
    """How many symbols or bits there are, where they are told apart by their places
    alone.
    """


def parse_counts(content: bytes) -> CountsFile:
    """Parse the content of a file of counts. Raises `EstimateError`."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EstimateError(
            f"expected counts as UTF-8 text, got a stray byte at position {error.start}"
        ) from None
    if printed := _PRINTED.search(text):
        return _of_sums(_printed_sums(printed[2]), printed[1])
    if text.lstrip()[:1] in ("{", "["):
        return _of_json(text)
    if _IN_WORDS.fullmatch(text):
        return _of_names(_in_words(text), None)
    return _of_rows(_by_column(text))


def _in_words(text: str) -> dict[str, str]:
    pairs = [part.rpartition("=") for part in text.split(",")]
    return _differing([(name.strip(), count.strip()) for name, _, count in pairs])


def _printed_sums(text: str) -> list[int]:
    try:
        sums: list[int] = json.loads(text)
    except ValueError:
        raise EstimateError(
            f"expected sums as in [31, 97, 72], got {text:.80}"
        ) from None
    return sums


def _by_column(text: str) -> Iterator[dict[str, str]]:
    """The rows of a table by the names of its columns, which differ."""
    rows = (row for row in csv_rows(text) if row)
    header = next(rows, [])
    if len(set(header)) < len(header):
        raise EstimateError(
            f"expected a header with names that differ, got {_format_header(header)}"
        )
    if COUNT not in header or not any(name in header for name in NAMES):
        raise EstimateError(
            f"expected a header with {COUNT} and one of {', '.join(NAMES)}, got "
            f"{_format_header(header)}"
        )
    for row in rows:
        yield dict(zip(header, row, strict=False))


def _format_header(header: Sequence[str]) -> str:
    """A header as it stands in the file, with nothing in it that a terminal would
    obey.
    """
    return repr(",".join(header)[:80])


def _of_json(text: str) -> CountsFile:
    try:
        known = json.loads(text, object_pairs_hook=_differing)
    except EstimateError:
        raise
    except (ValueError, RecursionError):
        raise EstimateError(
            "expected counts as CSV or JSON, got JSON that is damaged"
        ) from None
    if isinstance(known, dict):
        sums = next((known[name] for name in SUMS if name in known), None)
        reports = next((known[name] for name in REPORTS if name in known), None)
        if isinstance(sums, list):
            return _of_sums(sums, reports)
        if isinstance(known.get("counts"), dict):
            return _of_names(known["counts"], reports)
        return _of_names(known, None)
    if all(isinstance(row, dict) for row in known):
        return _of_rows(known)
    return CountsFile(Counter(map(_label, known)))


def _differing(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, if no name stands in it twice: one of the two would be passed
    over.
    """
    known = dict(pairs)
    if len(known) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise EstimateError(f"expected names that differ, got {twice[:80]!r} twice")
    return known


def _of_sums(sums: Sequence[Any], reports: Any) -> CountsFile:
    by_place = {str(place): _whole(count) for place, count in enumerate(sums)}
    known = None
    if reports is not None:
        known = _whole(reports)
    return CountsFile(by_place, known, numbered=True, places=len(sums))


def _of_names(known: Mapping[str, Any], reports: Any) -> CountsFile:
    by_name = {name: _whole(count) for name, count in known.items()}
    return CountsFile(by_name, None if reports is None else _whole(reports))


def _of_rows(rows: Iterable[Mapping[str | Any, Any]]) -> CountsFile:
    total: Counter[str] = Counter()
    columns: set[str] = set()
    for row in rows:
        named = [column for column in NAMES if row.get(column) not in (None, "")]
        if len(named) != 1 or row.get(COUNT) in (None, ""):
            raise EstimateError(
                f"expected rows with {COUNT} and one of {', '.join(NAMES)}, got the "
                f"columns {', '.join(map(repr, row))[:200]}"
            )
        columns.add(named[0])
        total[_label(row[named[0]])] += _whole(row[COUNT])
    if len(columns) > 1:
        raise EstimateError(
            f"expected one of {', '.join(sorted(columns))} in all rows, got several"
        )
    return CountsFile(
        total, cells=CELL in columns, numbered=not NUMBERS.isdisjoint(columns)
    )


def _label(name: object) -> str:
    """A value as surveys have it: lists of one, as Cobalt has them, and booleans among
    them.
    """
    if isinstance(name, list) and len(name) == 1:
        return _label(name[0])
    if isinstance(name, bool):
        return str(name).lower()
    if not isinstance(name, str | int):
        raise EstimateError(
            f"expected the name or number of what was counted, got {name!r:.80}"
        )
    return str(name)


def _whole(count: object) -> int:
    """A count; 64-bit numbers come as texts in JSON, and whole ones as 12.0 from some
    tables.
    """
    text = str(count).strip()
    if isinstance(count, bool) or not re.fullmatch(r"\d{1,16}(\.0+)?", text, re.ASCII):
        raise EstimateError(f"expected whole counts, got {text[:80]!r}")
    whole = int(text.partition(".")[0])
    if whole >= LARGEST_COUNT:
        raise EstimateError(f"expected counts below 2^53, got {whole}")
    return whole
