"""Respondents of each question, where devices draw a few of several
(`ldp.survey.draws`).

By respondent, as a device draws; or all at once, by the law of that: how many draw each
question, and of those who hold its values as many taken without replacement. Of one
answer each these numbers are a multinomial; of k answers, question by question,
everyone who has r answers left and m questions to go draws the next with the chance r /
m.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from ldp.numbers.randomness import Random
from ldp.survey.draws import Draw
from ldp.survey.survey import Survey
from ldp_simulations.holders import Holders
from ldp_simulations.population import Population


def only_drawn(
    survey: Survey, answers: Mapping[str, object], random: Random
) -> Mapping[str, object]:
    """The answers of a respondent without those to questions that another was drawn
    of.
    """
    for draw in survey.draws:
        dropped = set(draw.names).difference(draw.draw_questions(random))
        answers = {
            name: answer for name, answer in answers.items() if name not in dropped
        }
    return answers


def thin(survey: Survey, population: Population, generator: Generator) -> Population:
    """The holders who answer: of the questions of a draw, those who drew them."""
    answering = dict(population)
    for draw in survey.draws:
        respondents = max(population[name].respondents for name in draw.names)
        for name, number in how_many_draw(draw, respondents, generator).items():
            answering[name] = _some(
                population[name], respondents, number, generator=generator
            )
    return answering


def how_many_draw(draw: Draw, respondents: int, generator: Generator) -> dict[str, int]:
    """How many of the respondents draw each question."""
    if draw.answers == 1:
        shares = [float(draw.share(name)) for name in draw.names]
        drawn = generator.multinomial(respondents, shares).tolist()
        return dict(zip(draw.names, drawn, strict=True))
    # How many have 0, 1, ... answers left.
    left = np.zeros(draw.answers + 1, dtype=np.int64)
    left[-1] = respondents
    numbers = {}
    for to_go, name in zip(range(len(draw.names), 0, -1), draw.names, strict=True):
        chances = np.minimum(np.arange(len(left)) / to_go, 1.0)
        drawn = generator.binomial(left, chances)
        left = left - drawn
        left[:-1] += drawn[1:]
        numbers[name] = int(drawn.sum())
    return numbers


def _some(
    holders: Holders, respondents: int, number: int, generator: Generator
) -> Holders:
    """The holders among a number of the respondents, some of whom hold nothing."""
    held = holders.respondents
    taken = 0
    if number:
        taken = int(generator.hypergeometric(held, respondents - held, number))
    return holders.some(taken, generator)
