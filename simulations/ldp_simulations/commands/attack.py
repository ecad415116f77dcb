"""`ldp attack`: what forged reports would do to a survey, and whether anybody would notice."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ldp.errors import LDPError
from ldp.survey import Survey
from ldp_aggregator.commands.main import QUIET, SURVEY
from ldp_aggregator.commands.presentation import OUTPUT, format_option, present
from ldp_aggregator.files import read_candidates, read_survey
from ldp_simulations.commands.options import MOST_RUNS, number, whole

if TYPE_CHECKING:
    from ldp_simulations.attacks.attack import Attack
    from ldp_simulations.population import Population


_MOST_FORGED = 10**7
"""Forged reports are made one by one, unlike honest tallies."""


class AttackError(LDPError):
    """An attack that cannot be made on a survey."""


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
    help="Values to be made frequent.  [default: the two that fewest hold, or one of up to three]",
)
@click.option(
    "--question",
    "name",
    metavar="NAME",
    help="Attack this question.  [default: all that have the targets]",
)
@click.option(
    "--attack",
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
    help="Hash functions that a forger is given to choose from, where reports name one.  "
    "[default: all]",
)
@click.option("--seed", type=click.IntRange(0), help="Make the simulation repeatable.")
@format_option("tables", "record")
@OUTPUT
@QUIET
def attack(
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
    form: str | None,
    output: Path | None,
    quiet: bool,
) -> None:
    """Simulate the known poisoning attacks on SURVEY, beside the bound that its estimates are
    published with.
    """
    import numpy as np

    from ldp_aggregator.commands.progress import progress
    from ldp_simulations.attacks import report
    from ldp_simulations.attacks.attack import simulate_attack
    from ldp_simulations.population import synthetic

    survey = _asked(read_survey(survey_path), name)
    population = synthetic(survey, respondents, distribution, read_candidates(survey, survey_path))
    forged = max(1, round(respondents * fraction / (1 - fraction)))
    if forged > _MOST_FORGED:
        raise AttackError(
            f"expected at most {_MOST_FORGED:,} forged reports, got {forged:,}; have fewer "
            f"respondents"
        )
    attacks = _attacks(survey, population, targets, kind, forged, hashes)
    generator = np.random.default_rng(seed)
    over = partial(progress, what="attacking", quiet=quiet)
    told = [
        report.record(
            report.Attacked(each, [simulate_attack(each, generator) for _ in range(runs)])
        )
        for each in over(attacks)
    ]
    asked = {"survey": survey.name, "fraction": float(fraction)}
    present(report.sheet(told, asked), form, output)


def _asked(survey: Survey, name: str | None) -> Survey:
    """The questions that are attacked. Raises `AttackError` if there is none called `name`."""
    questions = tuple(question for question in survey if name in (None, question.name))
    if not questions:
        known = ", ".join(question.name for question in survey)
        raise AttackError(f"expected --question to be one of {known}, got {name!r}")
    return Survey(survey.name, questions)


def _attacks(
    survey: Survey,
    population: Population,
    targets: str | None,
    kind: str | None,
    forged: int,
    hashes: int | None,
) -> list[Attack]:
    """The attacks asked for. Raises `AttackError` if there are none."""
    from ldp_simulations.attacks.attack import ATTACKS, Attack, places_of, rarest

    wanted = None if targets is None else [part.strip() for part in targets.split(",")]
    attacks = []
    for question in survey:
        holders = population[question.name]
        places = (
            rarest(question, holders) if wanted is None else places_of(question, holders, wanted)
        )
        attacks += [
            Attack(question, holders, places, forged, each, hashes)
            for each in ATTACKS
            if places and kind in (None, each)
        ]
    if not attacks:
        raise AttackError(
            f"expected --targets to be values of a question that is attacked, got {targets!r}"
        )
    return attacks
