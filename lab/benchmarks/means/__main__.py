"""Measure numbers through mechanisms of ours and of others, and write
docs/numbers-measured.md.

means   n x variance of a mean, exact, of the laws in `lab.benchmarks.means.laws`
peers   errors of means, and times, of other libraries that are installed for it
shapes  distances of shapes, errors of ranges and biases, by simulation
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from lab.benchmarks.means.inputs import Input, inputs
from lab.benchmarks.means.laws import MECHANISMS, THREE_LEVELS, has_two_levels, of_mean
from lab.benchmarks.means.page import replaced, table
from lab.benchmarks.means.peers import beside
from lab.benchmarks.means.shapes import BIASED, METHODS, away, holders_of
from lab.benchmarks.peers.environments import default_folder
from lab.measured import name_commit

PAGE = Path(__file__).parents[3] / "docs" / "numbers-measured.md"
EPSILONS = (0.5, 1.0, 2.0, 4.0)
EPSILONS_OF_SHAPES = (0.5, 1.0, 2.0, 4.0)
SURVEYS = 100


Rows = tuple[list[str], list[list[str]]]
"""The headings of a table, and its rows."""


def measured(asked: Sequence[Input]) -> Rows:
    """The headings, and a row for each epsilon and mechanism."""
    rows = []
    for epsilon in EPSILONS:
        names = [
            name
            for name in MECHANISMS
            if name != THREE_LEVELS or has_two_levels(epsilon)
        ]
        for name in names:
            figures = [f"{of_mean(name, epsilon, one):#.4g}" for one in asked]
            rows.append([f"{epsilon:g}", name, *figures])
    return ["epsilon", "mechanism", *(one.name for one in asked)], rows


def distances(asked: Sequence[Input], surveys: int = SURVEYS) -> tuple[Rows, Rows]:
    """W1, and the errors of ranges, times 10,000: a row for each epsilon and method."""
    far, off = [], []
    for epsilon in EPSILONS_OF_SHAPES:
        for name, method in METHODS.items():
            columns = [
                away(method, epsilon, holders_of(one), surveys=surveys) for one in asked
            ]
            head = [f"{epsilon:g}", name]
            far.append(
                [*head, *(f"{10_000 * column.distance:.0f}" for column in columns)]
            )
            off.append(
                [*head, *(f"{10_000 * column.ranges:.0f}" for column in columns)]
            )
    headings = ["epsilon", "method", *(one.name for one in asked)]
    return (headings, far), (headings, off)


def shapes(asked: Sequence[Input]) -> dict[str, Rows]:
    """The three tables of distributions."""
    far, off = distances(asked)
    return {"shapes": far, "ranges": off, "bias": biases(asked)}


def biases(asked: Sequence[Input], surveys: int = SURVEYS) -> Rows:
    """The largest bias of the cumulated shares, and their spread there, at epsilon
    1.
    """
    rows = []
    for name in BIASED:
        columns = [
            away(METHODS[name], 1.0, holders_of(one), surveys=surveys) for one in asked
        ]
        rows.append(
            ["1", f"{name}: bias", *(f"{column.bias:.3f}" for column in columns)]
        )
        rows.append(
            ["1", f"{name}: spread", *(f"{column.spread:.3f}" for column in columns)]
        )
    return ["epsilon", "cumulated shares", *(one.name for one in asked)], rows


PARTS: Mapping[str, Callable[[Sequence[Input], Path], dict[str, Rows]]] = {
    "means": lambda asked, _: {"measured": measured(asked)},
    "peers": lambda asked, folder: {"peers": beside(asked, folder)},
    "shapes": lambda asked, _: shapes(asked),
}
"""What there is to measure: tables, by the marks between which they stand on the page.
"""


@click.command(help=__doc__)
@click.option(
    "--adult",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help=(
        "adult.data of UCI Adult; without it, its inputs are left out, and no page is "
        "written."
    ),
)
@click.option(
    "--part",
    "parts",
    multiple=True,
    type=click.Choice(list(PARTS)),
    help="Measure this alone, and leave other tables as they are.",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=default_folder,
    help="Environments of other libraries.",
)
def main(adult: Path | None, parts: tuple[str, ...], folder: Path) -> None:
    """With all inputs the page is written as well."""
    asked = inputs(adult)
    tables: dict[str, Rows] = {}
    for part in parts or PARTS:
        tables |= PARTS[part](asked, folder)
    text = PAGE.read_text(encoding="utf-8")
    for mark, (headings, rows) in tables.items():
        shown = Table(*headings)
        for row in rows:
            shown.add_row(*row)
        Console(width=130).print(shown)
        text = replaced(text, table(headings, rows, compared=mark != "bias"), mark)
    if adult is not None:
        PAGE.write_text(name_commit(text), encoding="utf-8")


if __name__ == "__main__":
    main()
