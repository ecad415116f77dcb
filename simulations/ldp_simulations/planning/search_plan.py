"""Plans of questions whose texts are found by a search: how frequent a text has to be, by its
length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ldp.errors import EstimateError
from ldp.exact import log_upper
from ldp.mechanisms.heavy_hitters import HeavyHitters
from ldp.survey import Question, Survey
from ldp_aggregator.bisection import least_whole
from ldp_aggregator.rendering.sheet import Cells
from ldp_aggregator.search.reach import Reach, expected_reach, never_found
from ldp_simulations.planning.asking import MOST_RESPONDENTS, Ask


class SearchPlan(NamedTuple):
    """What so many respondents let be found; None if no number of them is enough."""

    question: Question
    randomizer: HeavyHitters
    respondents: int | None

    @property
    def reach(self) -> list[Reach]:
        """By length."""
        return [] if self.respondents is None else expected_reach(self.randomizer, self.respondents)


def searches_of_survey(survey: Survey, respondents: int | None, ask: Ask) -> list[SearchPlan]:
    """A plan for each question that is answered with any text, to be found; with `ask.detect`,
    whatever its length.

    Raises `EstimateError` if there is neither a number of respondents nor a frequency to be found.
    """
    plans = []
    for question in survey:
        randomizer = question.randomizer
        if isinstance(randomizer, HeavyHitters):
            if respondents is None and ask.detect is None:
                raise EstimateError(
                    f"question {question.name!r}: expected --respondents, or --detect to find "
                    f"them by"
                )
            enough = respondents or _least_respondents(randomizer, ask.detect or 1)
            plans.append(SearchPlan(question, randomizer, enough))
    return plans


def record(plan: SearchPlan) -> dict[str, Any]:
    """Ready for JSON."""
    question = plan.question
    return {
        "name": question.name,
        "mechanism": question.mechanism,
        "epsilon": {
            "declared": question.declared.text,
            "delivered": log_upper(plan.randomizer.ratio),
        },
        "report_bytes": plan.randomizer.layout.width,
        "reachable": plan.respondents is not None,
        "respondents": plan.respondents,
        "finds": [each._asdict() for each in plan.reach],
    }


def cells(plan: SearchPlan) -> Cells:
    """How frequent a text has to be to be found, by its length."""
    headings = ("texts", "held by at least")
    if plan.respondents is None:
        return Cells(plan.question.name, "no number of respondents finds that", headings, rows=())
    rows = []
    for reach in plan.reach:
        share = "-" if reach.frequency is None else f"{reach.frequency:.3%}"
        rows.append((f"texts of up to {reach.longest} bytes", share))
    caption = f"of {plan.respondents:,} respondents, found 99 times in 100"
    remark = f"{never_found(plan.randomizer)} never found"
    return Cells(plan.question.name, caption, headings, rows=rows, remarks=[remark])


def _least_respondents(randomizer: HeavyHitters, frequency: float) -> int | None:
    def finds(respondents: int) -> bool:
        needed = expected_reach(randomizer, respondents)[-1].frequency
        return needed is not None and needed <= frequency

    return least_whole(1, MOST_RESPONDENTS, finds)
