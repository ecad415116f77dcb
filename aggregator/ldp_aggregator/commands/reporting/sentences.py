"""Estimates in words: for readers who know the subject, and no statistics.

Nothing is said that the intervals do not bear: of two values whose intervals meet,
neither is called more frequent, and a value whose interval has 0 in it may be held by
no one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ldp.numbers.exact import text_upper
from ldp_aggregator.answers.distributions.distribution_estimates import (
    DistributionEstimates,
)
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import BOOLEAN, QuestionEstimates
from ldp_aggregator.answers.results.values import Estimate
from ldp_aggregator.output.people import TOO_FEW, isolated, reading

_FORGED = 0.01
_WHOM = {
    "respondents": "the people who answered",
    "population": (
        "the population that the people who answered were drawn from at random"
    ),
}


def headline(question: QuestionEstimates) -> tuple[str, str]:
    """Return the answer to a question in one sentence: the number, which stands out,
    and the rest.

    The number is empty where there is none to say.
    """
    domain = question.question.domain
    if not question.reports:
        return "", "No answers to show yet."
    if question.is_vector:
        return "", f"The mean of {len(question)} coordinates, each with its range."
    quantiles = question.marked_quantiles()
    middle = next((one for one in quantiles if one.name == "median"), None)
    if question.mean is not None and not isinstance(question, DistributionEstimates):
        middle = None
    number = middle or question.mean
    if number is not None:
        said = reading(number.estimate, number.low, number.high, unit=domain.unit or "")
        ends = ""
        if said.range:
            ends = f", {said.range}"
        return said.value, f" is the {'median' if middle else 'mean'}{ends}."
    if question.is_shape or not len(question):
        return "", "The picture shows a biased shape, without ranges."
    if domain.is_place:
        return "", "The brighter a part of the map, the more people are there."
    if domain.type == BOOLEAN:
        return _share(question["true"], "Yes")
    return _most_frequent(question)


def method(questions: Sequence[QuestionEstimates], options: Options) -> Iterator[str]:
    """Yield who was asked, how answers were protected, and what ranges mean: three
    sentences.
    """
    people = max(question.respondents for question in questions)
    yield f"{people:,} people answered."
    epsilons = dict.fromkeys(question.question.declared.text for question in questions)
    yield (
        "Each answer was changed at random before it was sent, so that nobody can be "
        "sure what one person said (local differential privacy, epsilon "
        f"{', '.join(epsilons)})."
    )
    family = ", all of a question at once" if options.simultaneous else ""
    yield (
        f"In {100 * options.level:.4g} % of surveys like this one, the ranges hold "
        f"what is true of {_WHOM[options.estimand]}{family}."
    )


def how_it_was_asked(question: QuestionEstimates) -> Iterator[str]:
    """Who answered, what that cost them, and what forged reports could do."""
    asked = question.question
    protection = (
        "by a law under which some reports rule an answer out (no finite epsilon)."
    )
    if asked.declared.is_finite:
        times = text_upper(asked.declared.bound, 2)
        protection = (
            f"so that no report tells what its sender holds: it is at most {times} "
            "times as likely for one answer as for another (epsilon "
            f"{asked.declared.text})."
        )
    yield (
        f"{question.respondents:,} people answered. Each answer was changed at random "
        f"before it left ({asked.mechanism}), {protection}"
    )
    said = ", ".join(attribute.name for attribute in asked.attributes)
    if said:
        yield f"Beside the answer, each report says openly: {said}."
    bound = question.manipulation
    if bound is not None and bound.reach is not None:
        moved = bound.reach * _FORGED
        yield (
            "If one report in a hundred were forged, a share could be off by up to "
            f"{moved:.1%} of all people, beyond the intervals."
        )
    yield from (str(check) for check in question.checks if check.suspicious)


def _most_frequent(question: QuestionEstimates) -> tuple[str, str]:
    first, *rest = sorted(question, key=lambda one: one.frequency, reverse=True)
    if first.low <= 0:
        return "", "No answer stands out from chance yet."
    value, words = _share(first, first.value)
    behind = [isolated(one.value) for one in rest if one.high >= first.low]
    if behind and value:
        return value, f"{words[:-1]}; {_list_names(behind)} may be as frequent."
    return value, words


def _share(estimate: Estimate, label: str) -> tuple[str, str]:
    label = isolated(label)
    # Nobody knows who answered what: the share is estimated.
    share = reading(
        float(np.clip(estimate.frequency, 0, 1)), estimate.low, estimate.high
    )
    if share.value:
        ends = ""
        if share.range:
            ends = f", {share.range}"
        return share.value, f" is the estimated share of {label}{ends}."
    if share.range == TOO_FEW:
        return "", f"Too few answers to estimate the share of {label}."
    return share.range, f" is the estimated share of {label}."


def _list_names(names: Sequence[str]) -> str:
    shown = list(names[:4])
    if len(names) > 4:
        return f"{', '.join(shown)} and {len(names) - 4:,} more"
    if len(shown) > 1:
        return f"{', '.join(shown[:-1])} and {shown[-1]}"
    return shown[0]
