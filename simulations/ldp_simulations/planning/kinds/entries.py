"""Common entries of the records and tables of all plans."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from ldp.numbers.exact import log_upper
from ldp.survey.survey import Question
from ldp_simulations.planning.kinds.asking import MOST_RESPONDENTS


def describe(question: Question) -> dict[str, Any]:
    """The question of a plan, its mechanism, and what a report tells and takes."""
    return {
        "name": question.name,
        "mechanism": question.mechanism,
        "epsilon": {
            "declared": question.declared.text,
            "delivered": log_upper(question.randomizer.ratio),
        },
        "report_bytes": question.randomizer.layout.width,
    }


def draw_entry(share: Fraction, respondents: int | None) -> dict[str, Any]:
    """Which share of those who are asked answers, and how many are asked: where it is
    not all.
    """
    if share == 1:
        return {}
    asked = None
    if respondents is not None:
        asked = math.ceil(respondents / share)
    return {"drawn": {"share": str(share), "asked": asked}}


def answering(share: Fraction, respondents: int | None) -> int | None:
    """How many of the respondents of a survey answer a question that a share of them
    draws.
    """
    if respondents is None:
        return None
    return max(1, int(respondents * share))


def described_plan(question: Question, respondents: int | None) -> dict[str, Any]:
    """Describe a question and the respondents that it takes."""
    return {
        **describe(question),
        "reachable": respondents is not None,
        "respondents": respondents,
        **draw_entry(question.share, respondents),
    }


def described_number(question: Question, respondents: int | None) -> dict[str, Any]:
    """Describe a question about numbers, with their unit."""
    return {**described_plan(question, respondents), "unit": question.domain.unit}


def drawn_in_words(records: Iterable[dict[str, Any]]) -> list[str]:
    """Describe draws for a legend."""
    return [
        f"{entry['name']}: answered by a share of {entry['drawn']['share']} of "
        f"{whole(entry['drawn']['asked'])} who are asked"
        for entry in records
        if "drawn" in entry
    ]


def forged_reports(respondents: int, forged: int | None) -> int:
    """How many reports are taken to be forged: 1 % unless said otherwise, and no more
    than all.
    """
    return min(respondents, -(-respondents // 100) if forged is None else forged)


def forged_shift(reach: float, respondents: int, forged: int | None) -> dict[str, Any]:
    """How far forged reports can move an estimate that each can move by so many
    reports' worth.
    """
    fakes = forged_reports(respondents, forged)
    return {"forged": {"reports": fakes, "shift": reach * fakes / respondents}}


def enough(error_of_one: float, half_width: float, quantile: float) -> int | None:
    """The least respondents whose interval is as narrow, by the error that one would
    leave.

    None if these are more than there may be.
    """
    least = math.ceil((quantile * error_of_one / half_width) ** 2)
    if least <= MOST_RESPONDENTS:
        return least
    return None


def caption_of(question: Question, respondents: int | None) -> str:
    """Return the caption of a table about one question."""
    return (
        f"{question.mechanism}, epsilon {question.declared.text}, {whole(respondents)} "
        "respondents"
    )


def forged_in_words(forged: int | None) -> str:
    """Describe forged reports for a legend."""
    if forged is None:
        return "1 % of the reports"
    return f"{forged:,} reports"


def short(number: float | None) -> str:
    """A number with three digits, or whole from a thousand on; a dash where there is
    none.
    """
    if number is None:
        return "-"
    if number >= 1000:
        return f"{number:,.0f}"
    return f"{number:.3g}"


def whole(number: int | None) -> str:
    """A whole number, or a dash where there is none."""
    if number is None:
        return "-"
    return f"{number:,}"


def share(number: float | None) -> str:
    """An efficiency with three decimals; a dash where there is none."""
    if number is None:
        return "-"
    if number >= 0.0005:
        return f"{number:.3f}"
    return "<0.001"
