"""Sums, differences, scores and ratios of shares, many times: intervals, and a test of
nothing.

sum, difference, score, ratio   how often intervals of them hold the truth
test                            how often two values that are held alike are called
                                different
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import ldp
from ldp.survey.survey import Question
from ldp_aggregator.answers.contrasts.linear_functions import functions_of
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.shares.frequencies import moments_of
from ldp_simulations.holders import Holders, apportion
from ldp_simulations.sampling.table import sample_counts

_LEVEL = 0.95
_WEIGHTS = {
    "sum": (0, 1, 1, 0, 0),
    "difference": (-1, 1, 0, 0, 0),
    "score": (2, 0, 1, 0, -3),
    "test": (0, 0, 1, -1, 0),
}
"""Of five values, of which the third and the fourth are held alike."""


class Contrast(NamedTuple):
    """Who is asked, and how."""

    mechanism: str
    epsilon: str
    respondents: int
    shares: tuple[float, ...]
    estimand: str = "population"

    @property
    def question(self) -> Question:
        """The question."""
        values = [f"v{place}" for place in range(len(self.shares))]
        asked = ldp.question(
            "q", values, mechanism=self.mechanism, epsilon=self.epsilon
        )
        return ldp.survey("contrasts", asked)["q"]


def measured(contrast: Contrast, runs: int, seed: int) -> dict[str, float]:
    """The shares of runs in which each of these happened."""
    generator = np.random.default_rng([seed, *str(contrast).encode()])
    question, shares = contrast.question, np.array(contrast.shares)
    values = question.domain.values or ()
    options = Options(_LEVEL, contrast.estimand)
    weights = {name: np.array(row, dtype=float) for name, row in _WEIGHTS.items()}
    held = apportion(contrast.respondents, shares)
    sums = dict.fromkeys([*_WEIGHTS, "ratio"], 0.0)
    for _ in range(runs):
        if contrast.estimand == "population":
            held = np.asarray(generator.multinomial(contrast.respondents, shares))
        counts = sample_counts(question, Holders(values, held), generator)
        moments = moments_of(question.randomizer, counts, values)
        functions = functions_of(moments, question, values, options=options)
        for name, row in weights.items():
            number = functions.function(name, row)
            holds = number.low <= row @ shares <= number.high
            sums[name] += (
                number.p_value <= 1 - _LEVEL if name == "test" else holds
            ) / runs
        first, second = np.eye(len(shares))[:2]
        ratio = functions.ratio("", first, second)
        sums["ratio"] += (ratio.low <= shares[0] / shares[1] <= ratio.high) / runs
    return sums
