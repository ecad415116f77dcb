"""Estimates as records that are ready for JSON; what is not a number (no reports yet) is None.

A question may have a million values, so their records are an iterator, and whoever asks says what
becomes of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ldp.exact import log_upper

if TYPE_CHECKING:
    from ldp_aggregator.estimates.result import Estimate, QuestionEstimates, SurveyEstimates

FORMAT = 1

Gather = Callable[[Iterator[dict[str, Any]]], Any]


def survey_record(estimates: SurveyEstimates, gather: Gather = list) -> dict[str, Any]:
    """The format that docs/estimates.md describes.

    The values of a question are what `gather` makes of them.
    """
    survey = {"name": estimates.survey, "fingerprint": estimates.fingerprint}
    questions = {question.name: question_record(question, gather) for question in estimates}
    return {"format": FORMAT, "survey": survey, "questions": questions}


def question_record(estimates: QuestionEstimates, gather: Gather = list) -> dict[str, Any]:
    """The part of one question."""
    question, options = estimates.question, estimates.options
    return {
        "mechanism": question.mechanism,
        "epsilon": {
            "declared": question.declared.text,
            "delivered": log_upper(question.randomizer.ratio),
        },
        "reports": estimates.reports,
        "level": options.level,
        "estimand": options.estimand,
        "interval": options.interval,
        "simultaneous": options.simultaneous is not None,
        "simultaneous_method": options.simultaneous,
        "post": options.post,
        "biased": options.post is not None,
        "values": gather(_values(estimates)),
        **({"left_out": estimates.left_out} if estimates.left_out else {}),
        **({"respondents": estimates.respondents} if options.reports_each > 1 else {}),
        **({} if estimates.mean is None else {"mean": estimates.mean.to_dict()}),
        **(
            {"unallocated": _share(rest) | _errors(rest)} if (rest := estimates.unallocated) else {}
        ),
        **(
            {}
            if estimates.manipulation is None
            else {"manipulation": estimates.manipulation.to_dict()}
        ),
        **({"checks": [check._asdict() for check in estimates.checks]} if estimates.checks else {}),
        **({"note": estimates.note} if estimates.note else {}),
        **(
            {"remarks": [remark._asdict() for remark in estimates.remarks]}
            if estimates.remarks
            else {}
        ),
        **({} if estimates.covariance is None else {"covariance": estimates.covariance.tolist()}),
    }


def _values(estimates: QuestionEstimates) -> Iterator[dict[str, Any]]:
    for index, estimate in enumerate(estimates):
        errors = _errors(estimate)
        shown: dict[str, Any] = {"value": estimate.value, **_share(estimate)}
        if estimates.options.post is None:
            shown |= errors
        else:
            raw = _number(float(estimates.unbiased[index]))
            shown |= {
                "standard_error": None,
                "interval": None,
                "unbiased": {"frequency": raw, **errors},
            }
        yield shown


def _share(estimate: Estimate) -> dict[str, Any]:
    return {"count": _number(estimate.count), "frequency": _number(estimate.frequency)}


def _errors(estimate: Estimate) -> dict[str, Any]:
    ends = [_number(estimate.low), _number(estimate.high)]
    return {"standard_error": _number(estimate.standard_error), "interval": ends}


def _number(number: float) -> float | None:
    return number if math.isfinite(number) else None
