"""Plans of a survey's questions, and of every mechanism for n values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ldp.answers.domain import Domain
from ldp.errors import EstimateError, UnknownNameError
from ldp.numbers.exact import log
from ldp.survey.survey import Question
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.output.files import FileError
from ldp_simulations.planning.kinds.asking import Ask
from ldp_simulations.planning.kinds.entries import answering
from ldp_simulations.planning.kinds.planning import (
    PlannedMechanism,
    design_for,
    least_epsilon,
    least_respondents,
    rows_for,
)


class Plan(NamedTuple):
    """One row: a design, or None if no epsilon is enough.

    `respondents` is None if no number is enough.
    """

    label: str
    design: PlannedMechanism | None
    respondents: int | None
    share: Fraction = Fraction(1)
    """Of those who are asked, how many answer, where devices draw one of several
    questions.
    """


def of_survey(
    questions: Sequence[Question],
    candidates: Mapping[str, Sequence[str]],
    respondents: int | None,
    ask: Ask,
) -> list[Plan]:
    """A plan for each question of which frequencies are estimated, through its own
    mechanism.

    Searches have `search_plan`, means `mean_plan`, vectors `vector_plan`, distributions
    `distribution_plan`, trees `level_plan`, many fields `field_plan`, means of keys
    `key_plan` besides.
    """
    plans = []
    for question in questions:
        if question.randomizer.kind in ("search", "views", "marginals"):
            continue
        if decoder_of(question.randomizer).gives != "frequencies":
            continue
        if respondents is None and ask.half_width is None and ask.detect is None:
            if (
                question.domain.key_scale is not None
                and ask.mean_half_width is not None
            ):
                continue
            raise EstimateError(
                f"question {question.name!r}, of which frequencies are estimated: "
                "expected --respondents, or --half-width or --detect to find them by"
            )
        values = question.domain.values or candidates.get(question.name, ())
        if not values:
            raise FileError(
                f"question {question.name!r}: expected candidates to plan with, since "
                "it is open, got none; name a file of texts, one a line, as candidates "
                "in the survey file"
            )
        try:
            design = PlannedMechanism.of(
                question.mechanism,
                question.declared,
                question.randomizer,
                values=values,
                value=ask.value,
            )
        except UnknownNameError:
            raise
        except EstimateError as error:
            raise EstimateError(f"question {question.name!r}: {error}") from None
        enough = answering(question.share, respondents) or least_respondents(
            design, ask
        )
        plans.append(Plan(question.name, design, enough, share=question.share))
    if ask.value is not None and not plans:
        raise EstimateError(
            "value: expected a question of which frequencies are estimated, got none"
        )
    return plans


def of_values(
    size: int, epsilon: Fraction | None, respondents: int | None, ask: Ask
) -> list[Plan]:
    """A plan for each mechanism that can serve, the best first."""
    domain = Domain("category", tuple(map(str, range(size))))
    plans = []
    for row in rows_for(domain):
        if epsilon is None:
            design = least_epsilon(row, domain, respondents or 0, ask=ask)
        else:
            design = design_for(row, domain, str(epsilon))
        enough = None
        if design is not None:
            enough = respondents or least_respondents(design, ask)
        plans.append(Plan(row.name, design, enough))
    return sorted(plans, key=lambda plan: _cost(plan, ask))


def _cost(plan: Plan, ask: Ask) -> tuple[float, ...]:
    """Return the sort key of plans, smaller is better: epsilon, respondents, interval
    width.
    """
    if plan.design is None or plan.respondents is None:
        return (math.inf,)
    epsilon, respondents = log(plan.design.declared.bound), plan.respondents
    return (round(epsilon, 6), respondents, plan.design.half_width(respondents, ask))
