"""Random poisoning attacks on every mechanism: `python -m lab.endurance.poisonings
1000`.

The tests simulate some.

Each draws a design of `specimens`, a population, targets, an attack, and how many
forgers there are; and no estimate, of a target, of another value or of a mean, may be
moved by more than the bound that is published beside it.
"""

import sys
from collections import Counter

import numpy as np
from specimens import DESIGNS, question

from ldp_simulations.attacks.attack import (
    ATTACKS,
    Attack,
    can_be_attacked_directly,
    estimate_names,
    simulate_attack,
)
from ldp_simulations.field_holders import synthetic_fields
from ldp_simulations.holders import apportion, holders_of, synthetic_sets
from ldp_simulations.vector_holders import synthetic_vectors

TEXTS = ("ab", "a", "b", "abb", "aa")
ROUNDING = 1e-9
"""How much more than the bound a gain may come to in floating-point numbers,
relatively.
"""

DESIGNED = {
    f"{name}-{number}": question(name, keys)
    for name, designs in DESIGNS.items()
    for number, keys in enumerate(designs)
}
QUESTIONS = {
    name: asked
    for name, asked in DESIGNED.items()
    if asked.randomizer.kind != "bloom" and can_be_attacked_directly(asked)
}
"""Those that have a bound."""


def drawn_attack(asked, generator):
    """An attack on a question."""
    respondents = int(generator.integers(200, 5000))
    ball = asked.domain.ball
    values = asked.domain.values or (TEXTS if ball is None else ball.names)
    weights = generator.exponential(size=len(values)) ** 3
    if ball is not None:
        holders = synthetic_vectors(ball, respondents, weights)
    elif asked.domain.collect:
        holders = synthetic_fields(
            asked.domain,
            respondents,
            lambda field: generator.exponential(size=field.size),
        )
    elif asked.domain.most is None:
        holders = holders_of(asked.domain, values, apportion(respondents, weights))
    else:
        holders = synthetic_sets(asked.domain, respondents, weights)
    nodes = len(estimate_names(asked, holders))
    targets = generator.permutation(nodes)[: generator.integers(1, nodes + 1)]
    forged = int(generator.integers(1, respondents))
    kind = ATTACKS[generator.integers(len(ATTACKS))]
    hashes = (None, 1, 1000)[generator.integers(3)]
    return Attack(
        asked, holders, tuple(targets.tolist()), forged=forged, kind=kind, hashes=hashes
    )


def violations(times, seed, bound=lambda outcome: outcome.bound):
    """What exceeded its bound in n attacks, and how many there were of each kind."""
    generator, problems, kinds = np.random.default_rng(seed), [], Counter()
    names = list(QUESTIONS)
    for number in range(times):
        name = names[number % len(names)]
        attack = drawn_attack(QUESTIONS[name], generator)
        outcome = simulate_attack(attack, generator)
        kinds[attack.kind] += 1
        gain = float(np.abs(outcome.gain).max())
        if gain > bound(outcome) * (1 + ROUNDING):
            problems.append(
                f"{name}, {attack.kind}: a gain of {gain}, bound {outcome.bound}"
            )
    return problems, kinds


if __name__ == "__main__":
    problems, kinds = violations(int(sys.argv[1]), seed=1)
    print(
        f"{kinds.total()} attacks ({dict(kinds)}); beyond their bound: "
        f"{problems or 'none'}"
    )
    sys.exit(bool(problems))
