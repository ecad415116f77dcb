"""The command: measure contrasts, comparisons and trends, and print how often they are right."""

from __future__ import annotations

from collections.abc import Iterator

import click
import numpy as np

from ldp_aggregator.estimates.question_estimation import estimate_question
from ldp_aggregator.options import Options
from ldp_simulations.changes import contrasts, courses, pairs
from ldp_simulations.changes.cells import ALARMS, BANDS, CONTRASTS, PAIRS, PANELS
from ldp_simulations.changes.page import table

OF_CONTRASTS = ("sum", "difference", "score", "ratio", "test")
OF_PAIRS = ("difference", "ratio", "odds", "value", "power by theory", "any", "alike")


@click.command()
@click.option("--runs", default=10_000, show_default=True, help="Of each pair of tallies.")
@click.option("--series", default=2_000, show_default=True, help="Of each course over epochs.")
@click.option("--seed", default=1, show_default=True, help="Of the random numbers.")
def main(runs: int, series: int, seed: int) -> None:
    """Print how often intervals hold the truth, and tests call something different."""
    for part in parts(runs, series, seed):
        click.echo(part)


def parts(runs: int, series: int, seed: int) -> Iterator[str]:
    """The tables, one after another."""
    alone = {name: contrasts.measured(one, runs, seed) for name, one in CONTRASTS.items()}
    yield f"{runs:,} tallies each\n\n{table(alone, OF_CONTRASTS)}"
    rows = {name: _pair(pair, runs, seed) for name, pair in PAIRS.items()}
    yield f"{runs:,} pairs of tallies each\n\n{table(rows, OF_PAIRS)}"
    panels = {name: pairs.measured(pair, runs, seed) for name, pair in PANELS.items()}
    yield table(panels, ("difference", "value", "any", "unknown overlap"))
    bands = {course.name: courses.measured(course, series, seed) for course in BANDS}
    yield f"{series:,} series each\n\n{table(bands, ('band', 'at the end'))}"
    alarms = {course.name: courses.measured(course, series, seed) for course in ALARMS}
    yield table(alarms, ("alarm", "delay", "since", "epochs since"))


def _pair(pair: pairs.Pair, runs: int, seed: int) -> dict[str, float]:
    """What was measured, and beside the power of single values what normal theory makes of it."""
    shown = pairs.measured(pair, runs, seed)
    generator, question = np.random.default_rng(seed), pair.question
    options = Options(pairs.LEVEL, pair.estimand)
    known = estimate_question(question, pairs.drawn(pair, question, generator)[0], options)
    powers = [pairs.expected_power(pair, known, value) for value in range(len(known))]
    if pair.respondents[0] == pair.respondents[1]:
        shown["power by theory"] = float(np.mean(powers))
    return shown


if __name__ == "__main__":
    main()
