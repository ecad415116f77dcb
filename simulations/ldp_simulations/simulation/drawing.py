"""Who answers what, where devices draw one of several questions (`ldp.draws`).

By respondent, as a device draws; or all at once, by the law of that: how many draw each question is
a multinomial, and of those who hold the values of a question as many are taken without replacement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from ldp.randomness import Random
from ldp.survey import Survey
from ldp_simulations.holders import Holders
from ldp_simulations.population import Population


def only_drawn(
    survey: Survey, answers: Mapping[str, object], random: Random
) -> Mapping[str, object]:
    """The answers of a respondent without those to questions that another was drawn of."""
    for draw in survey.draws:
        dropped = set(draw.names) - {draw.drawn(random)}
        answers = {name: answer for name, answer in answers.items() if name not in dropped}
    return answers


def thinned(survey: Survey, population: Population, generator: Generator) -> Population:
    """The holders who answer: of the questions of a draw, those who drew them."""
    answering = dict(population)
    for draw in survey.draws:
        respondents = max(population[name].respondents for name in draw.names)
        weights = np.array(draw.weights, dtype=np.float64)
        drew = generator.multinomial(respondents, weights / weights.sum()).tolist()
        for name, number in zip(draw.names, drew, strict=True):
            answering[name] = _some(population[name], respondents, number, generator=generator)
    return answering


def _some(holders: Holders, respondents: int, number: int, generator: Generator) -> Holders:
    """The holders among a number of the respondents, some of whom hold nothing."""
    held = holders.respondents
    taken = int(generator.hypergeometric(held, respondents - held, number)) if number else 0
    counts = generator.multivariate_hypergeometric(holders.counts, taken, method="marginals")
    return replace(holders, counts=counts.astype(np.int64))
