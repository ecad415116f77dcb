"""What estimates say in words: for readers who know the subject, and no statistics.

Nothing is said that the intervals do not bear: of two values whose intervals meet, neither is
called more frequent, and a value whose interval has 0 in it may be held by no one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ldp_aggregator.answers.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.answers.estimates.question_numbers import Estimate

MAJORITY = 0.5
_FORGED = 0.01
_WHOM = {
    "respondents": "the people who answered",
    "population": "the population that the people who answered were drawn from at random",
}


def of_question(question: QuestionEstimates) -> Iterator[str]:
    """The findings of a question, the greatest first."""
    if not question.reports:
        yield "No one has answered yet."
        return
    if question.mean is not None:
        unit = f" {question.question.domain.unit}" if question.question.domain.unit else ""
        estimate, _, ends = question.mean.cells
        yield f"The mean is {estimate}{unit}, give or take: it lies in {ends}."
    exclusive = question.question.domain.most is None and not question.question.domain.collect
    if len(question) and not question.is_vector and not question.is_shape:
        yield from _of_shares(question, exclusive=exclusive)


def how_it_was_asked(question: QuestionEstimates) -> Iterator[str]:
    """Who answered, what that cost them, and what forged reports could do."""
    asked = question.question
    protection = (
        f"so that no report tells what its sender holds: it is at most e^{asked.declared.text} "
        f"times as likely for one answer as for another (epsilon {asked.declared.text})."
    )
    if not asked.declared.is_finite:
        protection = "by a law under which some reports rule an answer out (no finite epsilon)."
    yield (
        f"{question.respondents:,} people answered. Each answer was changed at random before it "
        f"left ({asked.mechanism}), {protection}"
    )
    said = ", ".join(attribute.name for attribute in asked.attributes)
    if said:
        yield f"Beside the answer, each report says openly: {said}."
    bound = question.manipulation
    if bound is not None and bound.reach is not None:
        moved = bound.reach * _FORGED
        yield (
            f"If one report in a hundred were forged, a share could be off by up to {moved:.1%} of "
            "all people, beyond the intervals."
        )
    yield from (str(check) for check in question.checks if check.suspicious)


def what_intervals_mean(level: float, estimand: str, simultaneous: str | None) -> str:
    """Of a whole page."""
    whom = _WHOM[estimand]
    family = " All intervals of a question hold together so often." if simultaneous else ""
    return (
        f"Lines in pictures, and brackets in tables, are intervals: in {100 * level:.4g} % of all "
        f"surveys such as this one they hold what is true of {whom}. Where two of them meet, the "
        f"order may be chance.{family}"
    )


def _of_shares(question: QuestionEstimates, *, exclusive: bool) -> Iterator[str]:
    ranked = sorted(question, key=lambda one: one.frequency, reverse=True)
    first, *rest = ranked
    behind = [one for one in rest if one.high >= first.low]
    share = _percent(first)
    if first.low <= 0:
        yield "No value stands out from chance: even the greatest interval has 0 in it."
    elif behind:
        names = _listed([first.value, *(one.value for one in behind)])
        yield f"Ahead are {names}; which of them is first cannot be told. {first.value}: {share}."
    elif exclusive and first.low > MAJORITY:
        yield f"Most people hold {first.value}: {share}."
    else:
        yield f"{first.value} is the most frequent: {share}."
    nobody = [one for one in ranked if one.low <= 0]
    if nobody and len(nobody) < len(ranked):
        many = "one value" if len(nobody) == 1 else f"{len(nobody):,} values"
        yield f"Of {many} it cannot be told whether anyone holds them."


def _percent(estimate: Estimate) -> str:
    ends = f"{max(estimate.low, 0):.1%} to {min(estimate.high, 1):.1%}"
    return f"{estimate.frequency:.1%} ({ends})"


def _listed(names: Sequence[str], most: int = 4) -> str:
    shown = list(names[:most])
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most:,} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
