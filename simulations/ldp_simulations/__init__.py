"""The survey designer's side: plan, randomize and simulate surveys, and attack them.

    plan                   what errors to expect, and what they take
    narrow                 a second survey, on the ranges that a first one found
    from_table, synthetic  populations: who truly holds what
    simulate               a population answers, and estimates meet the truth
    randomize              a table of answers becomes the bytes of a report file
    attack                 forged reports, and how far they move estimates

Each name is loaded when it is first used.
"""

from typing import TYPE_CHECKING

try:
    from ldp import __version__
    from ldp.lazy import lazily
except ImportError as error:
    from ldpkit_core import clash

    raise clash(error) from None

if TYPE_CHECKING:
    from ldp_simulations.answers import AnswersError
    from ldp_simulations.attacks.attacking import AttackError, Attacks, attack
    from ldp_simulations.holders import Holders, SetHolders
    from ldp_simulations.planning.experiment import (
        Arms,
        ExperimentPlan,
        plan_experiment,
    )
    from ldp_simulations.planning.narrowing import Narrowed, narrow
    from ldp_simulations.planning.planned import Planned, plan
    from ldp_simulations.population import (
        Population,
        PopulationError,
        from_table,
        synthetic,
    )
    from ldp_simulations.sampling.table import sample_counts
    from ldp_simulations.simulation.randomizing import randomize
    from ldp_simulations.simulation.simulation import Runs, Simulation, simulate

__all__ = [
    "AnswersError",
    "Arms",
    "AttackError",
    "Attacks",
    "ExperimentPlan",
    "Holders",
    "Narrowed",
    "Planned",
    "Population",
    "PopulationError",
    "Runs",
    "SetHolders",
    "Simulation",
    "__version__",
    "attack",
    "from_table",
    "narrow",
    "plan",
    "plan_experiment",
    "randomize",
    "sample_counts",
    "simulate",
    "synthetic",
]

_HOMES = {
    "AnswersError": "answers",
    "Arms": "planning.experiment",
    "ExperimentPlan": "planning.experiment",
    "plan_experiment": "planning.experiment",
    "AttackError": "attacks.attacking",
    "Attacks": "attacks.attacking",
    "Holders": "holders",
    "Narrowed": "planning.narrowing",
    "Planned": "planning.planned",
    "Population": "population",
    "PopulationError": "population",
    "Runs": "simulation.simulation",
    "SetHolders": "holders",
    "Simulation": "simulation.simulation",
    "attack": "attacks.attacking",
    "from_table": "population",
    "narrow": "planning.narrowing",
    "plan": "planning.planned",
    "randomize": "simulation.randomizing",
    "sample_counts": "sampling.table",
    "simulate": "simulation.simulation",
    "synthetic": "population",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES, __all__)
