"""Measure n x variance of a mean for each mechanism, print it, and write it into docs/numbers.md.

All figures are exact, of the laws in `benchmarks.means.laws`.
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

PAGE = Path(__file__).parent.parent.parent / "docs" / "numbers.md"
EPSILONS = (0.5, 1.0, 2.0, 4.0)


@click.command(help=__doc__)
@click.option(
    "--adult",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="adult.data of UCI Adult; without it, its inputs are left out, and no page is written.",
)
def main(adult: Path | None) -> None:
    """With all inputs the page is written as well."""
    headings, rows = measured(inputs(adult))
    shown = Table(*headings)
    for row in rows:
        shown.add_row(*row)
    Console(width=130).print(shown)
    if adult is not None:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replaced(text, table(headings, rows)), encoding="utf-8")


def measured(asked: Sequence[Input]) -> tuple[list[str], list[list[str]]]:
    """The headings, and a row for each epsilon and mechanism."""
    rows = []
    for epsilon in EPSILONS:
        names = [name for name in MECHANISMS if name != THREE_LEVELS or has_two_levels(epsilon)]
        for name in names:
            figures = [f"{of_mean(name, epsilon, one):#.4g}" for one in asked]
            rows.append([f"{epsilon:g}", name, *figures])
    return ["epsilon", "mechanism", *(one.name for one in asked)], rows


if __name__ == "__main__":
    main()
