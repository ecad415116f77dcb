"""Means by other libraries, and by this project: the same numbers, one after the other,
in one run.

Each library works in an environment of its own, as in `benchmarks.peers`; what cannot
be installed or fails is not measured, and its row says so. The error is that of whole
surveys, as the library has it: how far the estimated mean is from that of the
respondents, who are the same in all surveys.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

from lab.benchmarks.means.inputs import Input
from lab.benchmarks.peers.environments import InstallError, interpreter
from lab.benchmarks.peers.sides import Side
from lab.benchmarks.peers.table import MULTI, OPENDP, OURS, PURE, Entry
from ldp_simulations.holders import apportion

WORKERS = "lab.benchmarks.means.workers"
EPSILONS = ("0.5", "1", "2", "4")
RESPONDENTS, SURVEYS = 500, 200
MISSING = "–"


class Row(NamedTuple):
    """A mechanism of a side."""

    side: str
    name: str
    """What the page calls it."""
    entry: Entry


_KEYS: Mapping[str, Any] = {"keys": ""}
_OF_FREQUENCIES = "`UE`, of frequencies"

ROWS = (
    Row(OURS, "`dithered`", Entry("dithered", _KEYS)),
    Row(OURS, "`one-bit`", Entry("one-bit", _KEYS)),
    Row(OURS, "`geometric`", Entry("geometric", _KEYS)),
    Row(OPENDP, "`make_laplace`", Entry("laplace", {})),
    Row(OPENDP, "`make_geometric`", Entry("geometric", {})),
    Row(
        OPENDP, "`make_randomized_response_bool`", Entry("randomized_response_bool", {})
    ),
    Row(PURE, _OF_FREQUENCIES, Entry("UE", {"use_oue": True})),
    Row(MULTI, _OF_FREQUENCIES, Entry("UE", {"optimal": True})),
)
"""With unary encoding for those that estimate frequencies alone."""


def beside(
    asked: Sequence[Input],
    folder: Path,
    surveys: int = SURVEYS,
    rows: Sequence[Row] = ROWS,
) -> tuple[list[str], list[list[str]]]:
    """The headings, and a row for each epsilon and mechanism of a side."""
    sides = {
        name: started(name, folder) for name in dict.fromkeys(row.side for row in rows)
    }
    try:
        lines = [
            line(
                row,
                epsilon,
                errors_of(sides[row.side], row, epsilon, asked=asked, surveys=surveys),
            )
            for epsilon, row in _in_turn(rows)
        ]
    finally:
        for side in sides.values():
            if side is not None:
                side.close()
    return [
        "epsilon",
        "library and mechanism",
        "µs a report",
        *(one.name for one in asked),
    ], lines


def started(name: str, folder: Path) -> Side | None:
    """A worker, or nothing if its library cannot be installed."""
    try:
        return Side(name, interpreter(name, folder), WORKERS)
    except InstallError as error:
        Console(stderr=True).print(str(error))
        return None


class Error(NamedTuple):
    """What the surveys of an input showed."""

    root_mean_square: float
    """In parts of the range."""
    client: float
    """Seconds of processor time for a report."""


def errors_of(
    side: Side | None, row: Row, epsilon: str, *, asked: Sequence[Input], surveys: int
) -> list[Error | None]:
    """Of each input; nothing where a side could not say."""
    return [_error_of(side, row, epsilon, one=one, surveys=surveys) for one in asked]


def _error_of(
    side: Side | None, row: Row, epsilon: str, *, one: Input, surveys: int
) -> Error | None:
    if side is None or not side.alive:
        return None
    numbers = np.repeat(np.arange(one.steps + 1), apportion(RESPONDENTS, one.shares))
    answer = side.ask(
        {
            "name": row.entry.name,
            "options": row.entry.options,
            "epsilon": epsilon,
            "steps": one.steps,
            "numbers": numbers.tolist(),
            "surveys": surveys,
        }
    )
    if "failed" in answer:
        return None
    errors = (np.array(answer["means"]) - numbers.mean()) / one.steps
    return Error(float(np.sqrt((errors**2).mean())), answer["client"])


def line(row: Row, epsilon: str, errors: Sequence[Error | None]) -> list[str]:
    """Its cells: the median time, and errors in thousandths of the range."""
    known = [error for error in errors if error is not None]
    name = f"{row.side}: {row.name}"
    if not known:
        return [epsilon, f"{name}, not measured", *[MISSING] * (1 + len(errors))]
    microseconds = 1e6 * statistics.median(error.client for error in known)
    return [epsilon, name, f"{microseconds:.0f}", *map(_thousandths, errors)]


def _thousandths(error: Error | None) -> str:
    if error is None:
        return MISSING
    thousandths = 1_000 * error.root_mean_square
    return f"{thousandths:#.3g}" if thousandths < 99.95 else f"{thousandths:.0f}"


def _in_turn(rows: Sequence[Row]) -> Iterator[tuple[str, Row]]:
    """Every epsilon and row, with a bar for people who wait."""
    todo = [(epsilon, row) for epsilon in EPSILONS for row in rows]
    quiet = not sys.stderr.isatty()
    yield from track(
        todo, "means", console=Console(stderr=True), disable=quiet, transient=True
    )
