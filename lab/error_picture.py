"""Error against the number of values: `python -m lab.error_picture FILE.svg`.

A line for each mechanism.

The error is the total error R over the number of values, times the number of
respondents: the mean variance of a frequency that one respondent's report would give.
It does not depend on the frequencies. The optimum is drawn beneath.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import click

from ldp.answers.domain import Domain
from ldp.mechanisms import MECHANISMS
from ldp.mechanisms.values.optimum import optimal_total_error, settled_error
from ldp.numbers.exact import exp_lower, fraction
from ldp_aggregator.output.pictures.drawing import picture_bytes
from ldp_simulations.planning.kinds.planning import design_parts

SIZES = (
    2,
    3,
    4,
    6,
    8,
    12,
    16,
    24,
    32,
    48,
    64,
    100,
    180,
    320,
    560,
    1000,
    1800,
    3200,
    5600,
    10_000,
)
EPSILONS = ("1", "4")
_MARKS = "osv^Dx*P<>+h"


def mean_errors(name: str, epsilon: str) -> Iterator[tuple[int, float]]:
    """(number of values, error) wherever a mechanism can serve."""
    for size in SIZES:
        domain = Domain("category", tuple(map(str, range(size))))
        mechanism = MECHANISMS[name]
        if mechanism.accepts(domain):
            parts = None
        else:
            parts = design_parts(mechanism, domain, epsilon)
        error = None if parts is None else settled_error(parts[0])
        if error is not None:
            yield size, float(error.error) / size


def picture() -> bytes:
    """An SVG, the same bytes whenever the mechanisms are the same."""
    return picture_bytes((10, 4.6), _draw)


def _draw(figure: Any) -> None:
    axes = figure.subplots(1, len(EPSILONS), squeeze=False)[0]
    for axis, epsilon in zip(axes, EPSILONS, strict=True):
        _panel(axis, epsilon)
    axes[0].set_ylabel("mean variance of a frequency × respondents")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False)


def _panel(axis: Any, epsilon: str) -> None:
    ratio = exp_lower(fraction(epsilon))
    least = [float(optimal_total_error(size, ratio)) / size for size in SIZES]
    axis.plot(SIZES, least, color="black", linewidth=5, alpha=0.2, label="optimum")
    # Those of numbers, trees and sets have no line, and take no mark from those that
    # have.
    lines = {
        name: points
        for name, row in MECHANISMS.items()
        if "epsilon" in row.keys and (points := list(mean_errors(name, epsilon)))
    }
    for mark, (name, points) in zip(cycle(_MARKS), lines.items(), strict=False):
        axis.plot(
            *zip(*points, strict=True),
            marker=mark,
            markersize=3.5,
            linewidth=1.1,
            label=name,
        )
    axis.set(
        xscale="log",
        yscale="log",
        xlabel="number of values",
        ylim=(least[0] / 2, 40 * least[-1]),
    )
    axis.set_title(f"epsilon {epsilon}", fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)


@click.command()
@click.argument("output", type=click.Path(path_type=Path))
def main(output: Path) -> None:
    """Draw the picture of docs/mechanisms.md."""
    from ldp_aggregator.output.files import write_whole

    write_whole(output, picture())


if __name__ == "__main__":
    main()
