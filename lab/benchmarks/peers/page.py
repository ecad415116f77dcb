"""docs/peers.md: the rule, the machine, best against best, and every mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lab.benchmarks.figures import machine, rounded
from lab.benchmarks.peers.summary import NEAR, Row, beside, best, ratio
from lab.benchmarks.peers.table import OURS, REQUIREMENTS, Cell

_INTRODUCTION = """# Comparison with pure-ldp, multi-freq-ldpy and OpenDP

`python -m lab.benchmarks.peers` writes this page. It installs {peers} into separate environments
and measures all sides in one run: the same values (Zipf, exponent 1.1), one process at a time,
sides in turn, rounds: {rounds}.

Measured on {machine}. Programs running or waiting when it began: {load:.1f}.
More of them than cores make every time longer than it is. {complete}

- **client**: processor time of one report, made one at a time. {ours} is called as an app calls it
  (`Client(survey).record` on a new client), draws from the operating system's generator and is
  exact; OpenDP too draws securely and exactly. The others draw from a Mersenne Twister and compare
  floats.
- **server**: processor time from the reports as the library takes them to estimates of all values.
  The peers start from a list of objects in memory; {ours} starts from the bytes of a report file,
  checks them, and ends with intervals. Tables that depend on the parameters alone are made outside
  the clock, for everyone.
- **report**: bytes of one report, pickled where the library has no format.
- **error**: squared error against the true frequencies, summed over all values, over the least that
  any mechanism can have in expectation (1 is optimal). It is random, with a standard deviation of
  about √(2 / values) in each round.
- **as returned**: the error of multi-freq-ldpy's result, which is clipped at zero and scaled to
  sum to one; its **error** is that before clipping. {ours}'s `norm-sub` view stands next to it and
  must be asked for. Such views pull small frequencies to zero and take the rest from large ones, so
  their error may be below that of any unbiased estimate. **largest** shows the price: the estimate
  of the most frequent value over its true frequency (1 is right), unbiased / as returned.
- Times and bytes are medians over the rounds, errors means. A figure in parentheses is the peer's
  over {ours}'s: above 1, {ours} needs less.
- A step that would take more than about {longest:g} s is measured on fewer respondents, the first
  of them, as the last column says; the server's time is then scaled to all of them.

![Ratios of each peer to {ours}, by mechanism and cell](peers.svg)

## At a glance

Client / server of the fastest peer over {ours}'s, the same mechanism on both sides:

{glance}
## Best against best

A user would choose, in each cell, the mechanism with the least error, and among those within
{near:.0f} % of it the one with the fastest server. Errors of the peers are those before clipping.
They are measured, so chance has an influence on the {near:.0f} % if there are few values.

"""
_HEADINGS = (
    "respondents",
    "values",
    "epsilon",
    "library",
    "client, µs",
    "server, s",
    "report, bytes",
    "error",
)
_FURTHER = ("as returned", "largest", "measured on")
_BEST = (*_HEADINGS[:4], "mechanism", *_HEADINGS[4:])


def page(
    rows: Sequence[Row],
    load: float,
    rounds: int,
    longest: float,
    absent: Sequence[str],
    unmeasured: int,
) -> str:
    """The page as Markdown."""
    complete = "Every row was measured in every round."
    if unmeasured:
        complete = (
            f"The time ran out: {unmeasured} measurements were left out, so some rows "
            "rest on fewer rounds."
        )
    parts = [
        _INTRODUCTION.format(
            peers=_listed([requirements[0] for requirements in REQUIREMENTS.values()]),
            ours=OURS,
            machine=machine(),
            load=load,
            rounds=rounds,
            complete=complete,
            longest=longest,
            near=100 * (NEAR - 1),
            glance=_table(*glance(rows)),
        ),
        _table(_BEST, best_rows(rows)),
    ]
    for mechanism in dict.fromkeys(row.mechanism for row in rows):
        of_mechanism = [row for row in rows if row.mechanism == mechanism]
        parts.append(f"\n## {mechanism}\n\n")
        parts.append(
            _table(
                _HEADINGS + _FURTHER,
                [mechanism_cells(row, of_mechanism) for row in of_mechanism],
            )
        )
    if absent:
        parts.append(
            f"\nLeft out, since {OURS} does not have them: "
            f"{_listed([f'`{name}`' for name in absent])}.\n"
        )
    return "".join(parts)


def glance(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Headings and lines: a line for each mechanism, a column for each cell."""
    cells = list(dict.fromkeys(row.cell for row in rows))
    lines = []
    for mechanism in dict.fromkeys(row.mechanism for row in rows if row.side != OURS):
        line = [mechanism]
        for cell in cells:
            here = [row for row in rows if row[:2] == (cell, mechanism)]
            line.append(
                " / ".join(_fastest_peer(here, name) for name in ("client", "server"))
            )
        lines.append(line)
    return [
        "mechanism",
        *(f"{cell.size:,} values, epsilon {cell.epsilon}" for cell in cells),
    ], lines


def _fastest_peer(here: Sequence[Row], name: str) -> str:
    ours = next((getattr(row, name) for row in here if row.side == OURS), None)
    theirs = [
        time
        for row in here
        if row.side != OURS and (time := getattr(row, name)) is not None
    ]
    times = ratio(min(theirs, default=None), ours)
    return "–" if times is None else f"{rounded(times)}×"


def best_rows(rows: Sequence[Row]) -> list[list[str]]:
    """Two lines of text for each cell: the best of ours, the best of theirs."""
    lines = []
    for cell in dict.fromkeys(row.cell for row in rows):
        here = [row for row in rows if row.cell == cell]
        ours = best(row for row in here if row.side == OURS)
        theirs = best(row for row in here if row.side != OURS)
        for row in (ours, theirs):
            if row is not None:
                costs = _costs(row, ours if row is theirs else None)
                lines.append(
                    [*_place(cell), row.side, row.mechanism, *costs, _error(row.error)]
                )
    return lines


def mechanism_cells(row: Row, rows: Sequence[Row]) -> list[str]:
    """One line of a mechanism's table."""
    start = [*_place(row.cell), row.side]
    if row.failed:
        return [*start, row.failed, *[""] * 6]
    ours = beside(row, rows) if row.side != OURS else None
    views = [_error(view) for view in (row.largest, row.returned_largest)]
    return [
        *start,
        *_costs(row, ours),
        _error(row.error),
        _error(row.returned_error),
        " / ".join(filter(None, views)),
        _measured_on(row),
    ]


def _place(cell: Cell) -> list[str]:
    return [f"{cell.respondents:,}", f"{cell.size:,}", cell.epsilon]


def _costs(row: Row, ours: Row | None) -> list[str]:
    """Client, server and report, each with its ratio to ours."""
    costs = []
    for name, unit in (("client", 1e6), ("server", 1), ("bytes", 1)):
        cost = getattr(row, name)
        beside_ours = ratio(cost, getattr(ours, name)) if ours else None
        text = "" if cost is None else rounded(cost * unit)
        costs.append(
            text + (f" ({rounded(beside_ours)}×)" if beside_ours is not None else "")
        )
    return costs


def _error(error: float | None) -> str:
    if error is None:
        return ""
    return f"{error:.3f}" if error < 100 else rounded(error)


def _measured_on(row: Row) -> str:
    """Which figures rest on fewer respondents than the cell has."""
    notes = []
    if row.made < row.cell.respondents:
        notes.append(f"{row.made:,} made")
    if row.decoded is not None and row.decoded < row.cell.respondents:
        notes.append(f"{row.decoded:,} decoded")
    return ", ".join(notes)


def _table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = [
        "---" if heading in ("library", "mechanism", "measured on") else "---:"
        for heading in headings
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in (headings, rule, *lines))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
