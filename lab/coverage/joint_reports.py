"""Reports of questions that are answered together, drawn in numpy from small
channels.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.random import Generator

from ldp.survey.survey import Question
from ldp_aggregator.numerics.arrays import Counts, Floats, Rows


def rows_of(
    questions: tuple[Question, ...], holders: Counts, generator: Generator
) -> Rows:
    """One row for each respondent.

    `holders`, of shape (respondents, questions), has the values by number.
    """
    parts = [
        _drawn(question, answers, generator)
        for question, answers in zip(questions, holders.T, strict=True)
    ]
    return np.concatenate(parts, axis=1)


def _drawn(question: Question, answers: Counts, generator: Generator) -> Rows:
    reports, ends = _law(question)
    drawn = generator.random(len(answers))
    chosen = np.empty(len(answers), dtype=np.int64)
    for value, row in enumerate(ends):
        who = answers == value
        chosen[who] = np.searchsorted(row, drawn[who], side="right")
    return reports[chosen]


@lru_cache(maxsize=4)
def _law(question: Question) -> tuple[Rows, Floats]:
    """Every report as bytes, and the sums of their chances up to each: (values,
    reports).
    """
    channel = np.array(
        [[float(mass) for mass in row] for row in question.randomizer.channel().rows]
    )
    numbers = np.arange(channel.shape[1], dtype="<u4")
    reports = numbers.view(np.uint8).reshape(-1, 4)[:, : question.width]
    possible = channel.any(axis=0)
    ends = np.cumsum(channel[:, possible], axis=1)
    ends[:, -1] = 1.0
    return reports[possible], ends
