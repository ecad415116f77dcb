"""How methods beside ours ask: through a mechanism of this project, and some of the
respondents.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp import parse_survey
from ldp.survey.survey import Question
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Counts
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

CELLS = 64
"""Of the range, all as wide."""


def asked_through(mechanism: str, epsilon: float, domain: str) -> Question:
    """The question of a survey that has no other."""
    head = (
        f'[survey]\nname = "s"\n[[question]]\nname = "x"\nmechanism = "{mechanism}"\n'
    )
    return parse_survey(f'{head}{domain}\nepsilon = "{epsilon}"')["x"]


def estimated(
    mechanism: str, epsilon: float, held: Counts, generator: Generator
) -> Moments:
    """What is known of the shares of values, of which so many respondents hold each."""
    values = [f"v{place}" for place in range(len(held))]
    asked = asked_through(mechanism, epsilon, f'type = "category"\nvalues = {values}')
    counts = sample_counts(asked, Holders(tuple(values), held), generator)
    return moments_of(asked.randomizer, counts, values)


def spread(held: Counts, parts: int, generator: Generator) -> Counts:
    """The holders by the part that they answer for, of shape (parts, cells)."""
    by_part: Counts = generator.multinomial(held, np.full(parts, 1 / parts)).T
    return by_part
