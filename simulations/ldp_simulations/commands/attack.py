"""`ldp survey simulate-attacks`: what forged reports do, and whether anybody would
notice.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import Path

import click

from ldp.survey.survey import Survey
from ldp_aggregator.commands.main import QUIET, SURVEY, number, whole
from ldp_aggregator.commands.output_options import (
    OUTPUT,
    check_names,
    format_option,
    present,
)
from ldp_aggregator.output.files import read_candidates, read_survey
from ldp_simulations.commands.options import MOST_RUNS


@click.command()
@SURVEY
@click.option(
    "--fraction",
    metavar="B",
    type=number(Fraction(1, 10**6), Fraction(99, 100)),
    default="0.05",
    show_default=True,
    help="The share of all reports that is forged.",
)
@click.option(
    "--targets",
    metavar="A,B",
    help=(
        "Values to be made frequent.  [default: the two that fewest hold, or one of up "
        "to three]"
    ),
)
@click.option(
    "--question",
    "name",
    metavar="NAME",
    help="Attack this question.  [default: all that have the targets]",
)
@click.option(
    "--method",
    "kind",
    type=click.Choice(["random", "input", "maximal-gain"]),
    help="How reports are forged.  [default: in each of these ways]",
)
@click.option(
    "--respondents", "-n", metavar="N", type=whole(1, 10**9), default="10000", show_default=True,
    help="Honest respondents, such as 1e5.",
)  # fmt: skip
@click.option(
    "--distribution",
    default="zipf:1.1",
    show_default=True,
    help="What they hold, as for `ldp simulate`.",
)
@click.option(
    "--runs",
    type=click.IntRange(1, MOST_RUNS),
    default=1,
    show_default=True,
    help="How often to repeat each attack.",
)
@click.option(
    "--hashes",
    metavar="K",
    type=whole(1, 10**5),
    help="Hash functions that a forger is given to choose from, where reports name "
    "one.  [default: all]",
)
@click.option("--seed", type=click.IntRange(0), help="Make the simulation repeatable.")
@format_option("tables", "record")
@OUTPUT
@QUIET
def simulate_attacks(
    survey_path: Path,
    fraction: Fraction,
    targets: str | None,
    name: str | None,
    kind: str | None,
    respondents: int,
    distribution: str,
    runs: int,
    hashes: int | None,
    seed: int | None,
    form: str,
    output: Path | None,
    quiet: bool,
) -> None:
    """Simulate the known poisoning attacks on SURVEY, beside its published bound."""
    from ldp_aggregator.commands.progress import progress
    from ldp_simulations.attacks.attacking import attack as simulated
    from ldp_simulations.population import synthetic

    survey = read_survey(survey_path)
    if name is not None:
        check_names([name], [question.name for question in survey])
    asked = Survey(
        survey.name,
        tuple(question for question in survey if name in (None, question.name)),
    )
    population = synthetic(
        asked, respondents, distribution, candidates=read_candidates(asked, survey_path)
    )
    done = simulated(
        asked,
        population,
        fraction=fraction,
        targets=None
        if targets is None
        else [part.strip() for part in targets.split(",")],
        kind=kind,
        runs=runs,
        hashes=hashes,
        seed=seed,
        over=partial(progress, what="attacking", quiet=quiet),
    )
    present(done.sheet(), form, output)
