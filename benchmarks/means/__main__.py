"""Measure n x variance of a mean for each mechanism, print it, and write it into docs/numbers.md.

These figures are exact, of the laws in `benchmarks.means.laws`. Then the distances of shapes, by
simulation (`benchmarks.means.shapes`), for the same page.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from benchmarks.means.inputs import Input, inputs
from benchmarks.means.laws import MECHANISMS, THREE_LEVELS, has_two_levels, of_mean
from benchmarks.means.page import replaced, table
from benchmarks.means.shapes import BIASED, METHODS, away, holders_of

PAGE = Path(__file__).parent.parent.parent / "docs" / "numbers.md"
EPSILONS = (0.5, 1.0, 2.0, 4.0)
EPSILONS_OF_SHAPES = (0.5, 1.0, 2.0, 4.0)
SURVEYS = 100


@click.command(help=__doc__)
@click.option(
    "--adult",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="adult.data of UCI Adult; without it, its inputs are left out, and no page is written.",
)
def main(adult: Path | None) -> None:
    """With all inputs the page is written as well."""
    asked = inputs(adult)
    far, off = distances(asked)
    tables = {"measured": measured(asked), "shapes": far, "ranges": off, "bias": biases(asked)}
    text = PAGE.read_text(encoding="utf-8")
    for mark, (headings, rows) in tables.items():
        shown = Table(*headings)
        for row in rows:
            shown.add_row(*row)
        Console(width=130).print(shown)
        text = replaced(text, table(headings, rows, compared=mark != "bias"), mark)
    if adult is not None:
        PAGE.write_text(text, encoding="utf-8")


def measured(asked: Sequence[Input]) -> tuple[list[str], list[list[str]]]:
    """The headings, and a row for each epsilon and mechanism."""
    rows = []
    for epsilon in EPSILONS:
        names = [name for name in MECHANISMS if name != THREE_LEVELS or has_two_levels(epsilon)]
        for name in names:
            figures = [f"{of_mean(name, epsilon, one):#.4g}" for one in asked]
            rows.append([f"{epsilon:g}", name, *figures])
    return ["epsilon", "mechanism", *(one.name for one in asked)], rows


Rows = tuple[list[str], list[list[str]]]
"""The headings of a table, and its rows."""


def distances(asked: Sequence[Input], surveys: int = SURVEYS) -> tuple[Rows, Rows]:
    """W1, and the errors of ranges, times 10,000: a row for each epsilon and method."""
    far, off = [], []
    for epsilon in EPSILONS_OF_SHAPES:
        for name, method in METHODS.items():
            columns = [away(method, epsilon, holders_of(one), surveys=surveys) for one in asked]
            head = [f"{epsilon:g}", name]
            far.append([*head, *(f"{10_000 * column.distance:.0f}" for column in columns)])
            off.append([*head, *(f"{10_000 * column.ranges:.0f}" for column in columns)])
    headings = ["epsilon", "method", *(one.name for one in asked)]
    return (headings, far), (headings, off)


def biases(asked: Sequence[Input], surveys: int = SURVEYS) -> tuple[list[str], list[list[str]]]:
    """The largest bias of the cumulated shares, and their spread there, at epsilon 1."""
    rows = []
    for name in BIASED:
        columns = [away(METHODS[name], 1.0, holders_of(one), surveys=surveys) for one in asked]
        rows.append(["1", f"{name}: bias", *(f"{column.bias:.3f}" for column in columns)])
        rows.append(["1", f"{name}: spread", *(f"{column.spread:.3f}" for column in columns)])
    return ["epsilon", "cumulated shares", *(one.name for one in asked)], rows


if __name__ == "__main__":
    main()
