"""Plans of searches: how frequent a text has to be to be found, by its length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import Finds
from ldp_aggregator.decoders.other_results import SearchReach
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.bisection import least_whole
from ldp_aggregator.output.sheet import TextTable
from ldp_simulations.planning.kinds.asking import MOST_RESPONDENTS, Ask
from ldp_simulations.planning.kinds.entries import answering, describe


class SearchPlan(NamedTuple):
    """Texts that can be found from n respondents; None if no number of them is
    enough.
    """

    question: Question
    finds: Finds
    respondents: int | None

    @property
    def reach(self) -> list[SearchReach]:
        """By length."""
        if self.respondents is None:
            return []
        return self.finds.reach(self.respondents)


def searches_of_survey(
    questions: Sequence[Question], respondents: int | None, ask: Ask
) -> list[SearchPlan]:
    """A plan for each question whose texts are to be found; with `ask.detect`, of any
    length.

    Raises `EstimateError` if there is neither a number of respondents nor a frequency
    to be found.
    """
    plans = []
    for question in questions:
        finds = decoder_of(question.randomizer).search.finds(question.randomizer)
        if finds is None:
            continue
        if respondents is None and ask.detect is None:
            raise EstimateError(
                f"question {question.name!r}: expected --respondents, or --detect to "
                "find them by"
            )
        enough = answering(question.share, respondents) or _least_respondents(
            finds, ask.detect or 1
        )
        plans.append(SearchPlan(question, finds, enough))
    return plans


def record(plan: SearchPlan) -> dict[str, Any]:
    """Ready for JSON."""
    return {
        **describe(plan.question),
        "reachable": plan.respondents is not None,
        "respondents": plan.respondents,
        "finds": [length._asdict() for length in plan.reach],
    }


def text_table(plan: SearchPlan) -> TextTable:
    """How frequent a text has to be to be found, by its length."""
    headings = ("texts", "held by at least")
    if plan.respondents is None:
        return TextTable(
            plan.question.name, "no number of respondents finds that", headings, rows=()
        )
    rows = []
    for reach in plan.reach:
        share = "-"
        if reach.frequency is not None:
            share = f"{reach.frequency:.3%}"
        rows.append((f"texts of up to {reach.longest} bytes", share))
    caption = f"of {plan.respondents:,} respondents, found 99 times in 100"
    remark = f"{plan.finds.never} never found"
    return TextTable(plan.question.name, caption, headings, rows=rows, remarks=[remark])


def _least_respondents(found: Finds, frequency: float) -> int | None:
    def finds(respondents: int) -> bool:
        needed = found.reach(respondents)[-1].frequency
        return needed is not None and needed <= frequency

    return least_whole(1, MOST_RESPONDENTS, finds)
