"""Alternatives to a question that need fewer people at the same epsilon.

A question with several answers, such as which of 12 switches are on, costs as much as
12 yes-or-no questions of which each device answers one (`[[draw]]`). The second tells
more where people may choose many of the answers: each report is about one of them
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ldp.survey.survey import Question, Survey
from ldp_aggregator.answers.shares.frequencies import moments_of

_NOTABLE = 1.25
"""What is told takes so many times the people at least."""


def alternatives(survey: Survey) -> Iterator[str]:
    """Yield a sentence for questions that others would answer with fewer people.

    Questions that are alike share one.
    """
    named: dict[str, list[str]] = {}
    for question in survey:
        values, most = question.domain.values, question.domain.most
        if question.domain.type != "multi" or not values or not most:
            continue
        ratio = _people_for_drawn(question, values, share=most / len(values) / 2)
        if ratio > _NOTABLE:
            advice = (
                f"{len(values)} yes-or-no questions of which each device answers one "
                f"([[draw]]) need {ratio:.1f} times fewer people for the same error at "
                f"epsilon {question.declared.text}, if people choose {most / 2:g} of "
                f"the {len(values)} answers"
            )
            named.setdefault(advice, []).append(repr(question.name))
    for advice, names in named.items():
        which = f"question {names[0]}"
        if len(names) > 1:
            which = f"questions {names[0]} to {names[-1]} ({len(names)} of them)"
        yield f"{which}: {advice}"


def _people_for_drawn(question: Question, values: Sequence[str], share: float) -> float:
    """Return how many times fewer people drawn questions need."""
    randomizer = question.randomizer
    shape = randomizer.layout.cohorts, 1 + randomizer.layout.bits
    moments = moments_of(randomizer, np.ones(shape, dtype=np.int64), values)
    held, rest = moments.variance_if_held, moments.variance_if_not
    noise = float((share * held + (1 - share) * rest).max())
    # Randomized response with two answers: p q / (p - q)^2.
    ratio = float(question.declared.bound)
    noise_alone = ratio / (ratio - 1) ** 2
    sampling = share * (1 - share)
    return (noise + sampling) / (len(values) * (noise_alone + sampling))
