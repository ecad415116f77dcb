"""From results to rows: medians over rounds, ratios, and the best of each side."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from typing import NamedTuple

from lab.benchmarks.peers.run import Measurement, Result
from lab.benchmarks.peers.table import OURS, Cell

NEAR = 1.05
"""Errors this near to the least count as equal."""


class Row(NamedTuple):
    """One mechanism of one side in one cell.

    What could not be measured is None; `failed` says why.
    """

    cell: Cell
    mechanism: str
    side: str
    rounds: int = 0
    made: int = 0
    decoded: int | None = None
    client: float | None = None
    """Seconds for a report."""
    server: float | None = None
    """Seconds for all respondents."""
    bytes: float | None = None
    error: float | None = None
    returned_error: float | None = None
    """Of what the library returns by default, if that is biased; for us, of the clipped
    view.
    """
    largest: float | None = None
    returned_largest: float | None = None
    failed: str = ""


def rows(results: Iterable[tuple[Measurement, Result]]) -> list[Row]:
    """A row for each cell, mechanism and side, in the order in which they come."""
    groups: dict[tuple[Cell, str, str], list[Result]] = {}
    for measurement, result in results:
        groups.setdefault(
            (measurement.cell, measurement.mechanism, measurement.side), []
        ).append(result)
    return [_row(*key, group) for key, group in groups.items()]


def _row(cell: Cell, mechanism: str, side: str, group: list[Result]) -> Row:
    good = [result for result in group if "failed" not in result]
    if not good:
        return Row(cell, mechanism, side, failed=group[0]["failed"])

    def over_rounds(
        key: str, average: Callable[[list[float]], float] = statistics.median
    ) -> float | None:
        seen = [result[key] for result in good if key in result]
        return average(seen) if seen else None

    decoded = over_rounds("decoded", min)
    return Row(
        cell,
        mechanism,
        side,
        rounds=len(good),
        made=min(result["made"] for result in good),
        decoded=None if decoded is None else int(decoded),
        client=over_rounds("client"),
        server=over_rounds("server"),
        bytes=over_rounds("bytes"),
        # Errors are random by nature and their spread is mild: all rounds together say
        # more than the middle one.
        error=over_rounds("unbiased error", statistics.fmean),
        returned_error=over_rounds("returned error", statistics.fmean),
        largest=over_rounds("unbiased largest", statistics.fmean),
        returned_largest=over_rounds("returned largest", statistics.fmean),
    )


def ratio(theirs: float | None, ours: float | None) -> float | None:
    """How many times as much the peer needs."""
    return None if theirs is None or not ours else theirs / ours


def beside(row: Row, all_rows: Iterable[Row]) -> Row | None:
    """Our row for the same cell and mechanism."""
    same = (other for other in all_rows if other.side == OURS and other[:2] == row[:2])
    return next(same, None)


def best(candidates: Iterable[Row]) -> Row | None:
    """The fastest server among the rows whose unbiased error lies within 5 % of the
    least.
    """
    decoding = [
        row for row in candidates if row.error is not None and row.server is not None
    ]
    if not decoding:
        return None
    least = min(row.error for row in decoding if row.error is not None)
    near = [
        row for row in decoding if row.error is not None and row.error <= NEAR * least
    ]
    return min(near, key=lambda row: row.server or 0.0)
