"""`attack`: the known poisoning attacks on a survey, beside the bound that its
estimates state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ldp.errors import LDPError
from ldp.survey.survey import Survey
from ldp_aggregator.output.formats.formats import render_sheet
from ldp_aggregator.output.sheet import Sheet
from ldp_simulations.attacks import report
from ldp_simulations.attacks.attack import (
    ATTACKS,
    Attack,
    can_be_attacked_directly,
    places_of,
    simulate_attack,
    usual_targets,
)
from ldp_simulations.population import Population

MOST_FORGED = 10**7
"""Forged reports are made one by one, unlike honest tallies."""


class AttackError(LDPError):
    """An attack that cannot be made on a survey.

    `attack` has an example.
    """


@dataclass(frozen=True, repr=False)
class Attacks:
    """What attacks on a survey did; the `repr` is a table for each question.

    `attack` has an example.
    """

    survey: Survey
    fraction: float
    """The share of all reports that is forged."""
    attacked: Sequence[report.Attacked]
    """Each attack with its runs."""

    def records(self) -> list[dict[str, Any]]:
        """A record for each attack, ready for JSON; a bound that does not exist is
        None.
        """
        return [report.record(attacked) for attacked in self.attacked]

    def sheet(self) -> Sheet:
        """A table for each question, in the shapes that formats ask for."""
        asked = {"survey": self.survey.name, "fraction": self.fraction}
        return report.sheet(self.records(), asked)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: the format that `ldp survey simulate-attacks --format json`
        writes.
        """
        return dict(self.sheet().record())

    def __repr__(self) -> str:
        return str(render_sheet(self.sheet(), "table"))


def attack(
    survey: Survey,
    population: Population,
    *,
    fraction: float | Fraction = 0.05,
    targets: Sequence[str] | None = None,
    question: str | None = None,
    kind: str | None = None,
    runs: int = 1,
    hashes: int | None = None,
    seed: int | None = None,
    over: Callable[[Iterable[Attack]], Iterable[Attack]] = iter,
) -> Attacks:
    """Simulate forged reports to a survey that a population answers.

    population  as `from_table` or `synthetic` give it
    fraction    the share of all reports that is forged, between 0 and 1
    targets     values to be made frequent; by default the two that fewest hold, or one
                of up to three; of a question for a mean alone they say to which end it
                is to be moved, and by default it is the one further from it
    question    the question that is attacked; all that have the targets, unless given
    kind        "random", "input" or "maximal-gain"; each of them, unless given
    runs        how often to repeat each attack
    hashes      hash functions that a forger is given to choose from; all, unless given
    seed        makes the simulation repeatable
    over        wraps the attacks (for a progress bar)

    Raises `AttackError` if there is nothing to attack, or too much.

    >>> import ldp, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> population = ldp_simulations.synthetic(survey, 1000)
    >>> done = ldp_simulations.attack(survey, population, targets=["bus"], kind="maximal-gain")
    >>> done.attacked[0].attack.forged
    53
    """
    names = [asked.name for asked in survey]
    if question is not None and question not in names:
        raise AttackError(
            f"expected a question that is one of {', '.join(names)}, got {question!r}"
        )
    if not 0 < fraction < 1:
        raise AttackError(f"expected a fraction between 0 and 1, got {fraction}")
    asked = [name for name in names if question in (None, name)]
    attacks = _attacks(
        survey,
        population,
        asked,
        targets=targets,
        kind=kind,
        fraction=fraction,
        hashes=hashes,
    )
    generator = np.random.default_rng(seed)
    attacked = [
        report.Attacked(
            poisoning, [simulate_attack(poisoning, generator) for _ in range(runs)]
        )
        for poisoning in over(attacks)
    ]
    return Attacks(survey, float(fraction), attacked)


def _attacks(
    survey: Survey,
    population: Population,
    names: Sequence[str],
    targets: Sequence[str] | None,
    kind: str | None,
    fraction: float | Fraction,
    hashes: int | None,
) -> list[Attack]:
    """The attacks asked for. Raises `AttackError` if there are none."""
    attacks: list[Attack] = []
    there = [survey[name] for name in names if can_be_attacked_directly(survey[name])]
    if not there:
        raise AttackError(
            f"expected a question of which frequencies or a mean are estimated, got "
            f"{', '.join(names)}: of shapes of cells there are only biased views"
        )
    for question in there:
        holders = population[question.name]
        forged = max(1, round(holders.respondents * fraction / (1 - fraction)))
        if forged > MOST_FORGED:
            raise AttackError(
                f"expected at most {MOST_FORGED:,} forged reports, got {forged:,}; "
                "have fewer respondents"
            )
        places: tuple[int, ...] | None
        if targets is None:
            places = usual_targets(question, holders)
        else:
            places = places_of(question, holders, targets)
        attacks += [
            Attack(question, holders, places, forged=forged, kind=name, hashes=hashes)
            for name in ATTACKS
            if places and kind in (None, name)
        ]
    if not attacks:
        listed = ""
        if targets is not None:
            listed = ",".join(targets)
        raise AttackError(
            "expected --targets to be values of a question that is attacked, got "
            f"{listed!r}"
        )
    return attacks
