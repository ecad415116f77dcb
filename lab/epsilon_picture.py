"""Picture of the price of epsilon: `python -m lab.epsilon_picture FILE.svg`.

Two panels, for those who choose one. On the left, what somebody may come to think of an
answer who thought it p likely before they saw one report, at most:

    e^epsilon p / (e^epsilon p + 1 - p)

On the right, half the width of a 95 % interval that a plan foretells for a question
with ten values through `auto`, an even share for each, by the number of respondents.
"""

from __future__ import annotations

from math import exp, log
from pathlib import Path
from typing import Any

import click

from ldp.survey.declarations import question, survey
from ldp_aggregator.output.pictures.drawing import picture_bytes
from ldp_simulations.planning.planned import plan

EPSILONS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6)
PRIORS = (0.01, 0.1, 0.5)
RESPONDENTS = (1000, 10_000, 100_000)
VALUES = 10
TICKS = (0.25, 0.5, 1, 2, 4)
_COIN = log(3)


def posterior(prior: float, epsilon: float) -> float:
    """How likely an answer may seem after one report, at most."""
    odds = exp(epsilon) * prior / (1 - prior)
    return odds / (1 + odds)


def half_width(epsilon: float, respondents: int) -> float:
    """Return the half-width of a value's interval, as `ldp plan` predicts it."""
    values = [str(value) for value in range(VALUES)]
    asked = survey("picture", question("asked", values, epsilon=str(epsilon)))
    width: float = plan(asked, respondents=respondents).records()[0]["half_width"]
    return width


def picture() -> bytes:
    """An SVG."""
    return picture_bytes((9, 3.8), _draw)


def _draw(figure: Any) -> None:
    revealed, cost = figure.subplots(1, 2)
    for prior in PRIORS:
        seen = [posterior(prior, epsilon) for epsilon in EPSILONS]
        revealed.plot(
            EPSILONS, seen, marker="o", markersize=3, label=f"{prior:.0%} before"
        )
    revealed.set(
        title="what one report reveals, at most", ylabel="likely after it", ylim=(0, 1)
    )
    for respondents in RESPONDENTS:
        widths = [half_width(epsilon, respondents) for epsilon in EPSILONS]
        cost.plot(
            EPSILONS, widths, marker="o", markersize=3, label=f"{respondents:,} people"
        )
    cost.set(
        title="what it costs: ten values",
        ylabel="half-width of an interval",
        yscale="log",
    )
    for axis in (revealed, cost):
        axis.axvline(
            _COIN, color="black", linewidth=5, alpha=0.15, label="two coins, ln(3)"
        )
        axis.set(
            xlabel="epsilon", xscale="log", xticks=TICKS, xticklabels=map(str, TICKS)
        )
        axis.minorticks_off()
        axis.legend(frameon=False, fontsize=8)
        axis.spines[["top", "right"]].set_visible(False)


@click.command()
@click.argument("output", type=click.Path(path_type=Path))
def main(output: Path) -> None:
    """Draw the picture of docs/tutorials/epsilon.md."""
    from ldp_aggregator.output.files import write_whole

    write_whole(output, picture())


if __name__ == "__main__":
    main()
