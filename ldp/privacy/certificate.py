"""Certificates: the delivered privacy loss of each question, in integers that anyone
can check.

A certificate states, for each question, all that its fingerprint covers, the integers
that its randomizer draws with among them; the exact ratio that they deliver, and the
one that the survey declared; for the survey its fingerprint, its terms, and what all of
it adds up to. Delivered <= declared is one comparison of fractions. The program
`examples/check_certificate.py` works all of it out again, and shares no code with this
package.

Whatever is not exact by itself is rounded in one way, so that a certificate can be no
other than it is: an epsilon, a belief or a sum is the least float that is not too
small, e^declared is cut behind its 30th decimal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from ldp.mechanisms.chains.identifiers import shown_states
from ldp.mechanisms.contract import Declared, Metric, lifetime_ratio
from ldp.numbers.accounting import posterior
from ldp.numbers.exact import exp_lower, float_upper, log_upper
from ldp.survey.compiled import attributes_of, draws_of, question_terms
from ldp.survey.survey import Group, Question, Survey, chargeable

FORMAT = 2

_DECIMALS = 30


def certificate(survey: Survey) -> dict[str, object]:
    """The certificate of a survey, ready for JSON: integers and fractions as texts."""
    return {
        "format": FORMAT,
        "survey": survey.name,
        "fingerprint": survey.fingerprint.hex(),
        "terms": survey.terms.hex(),
        "epoch": survey.epoch,
        "lifetime_epsilon": None if survey.lifetime is None else survey.lifetime.text,
        "questions": [certify(question) for question in survey],
        "groups": [_group(group) for group in survey.groups],
        **draws_of(survey),
        **attributes_of(survey),
        "total_epsilon": totals(survey),
    }


def certify(question: Question) -> dict[str, object]:
    """The certificate of one question.

    Raises `ArithmeticError` if it delivers less privacy than it declares.
    """
    ratio, lifetime = exact_ratios(question)
    declared = question.declared
    shown = 1
    if question.memoizes:
        shown = shown_states(question.layout)
    return {
        **question_terms(question),
        "one_report": _statement(declared, ratio),
        "all_reports": {
            "memoized": question.memoizes,
            **_statement(declared.lifetime, lifetime),
        },
        "prior_of_one_half_becomes_at_most": float_upper(posterior(ratio)),
        "kept_and_shown_is_one_of": str(shown),
        "report_bytes": question.width,
        **_contribution(question),
        **_metric(question.declared.metric),
    }


def _contribution(question: Question) -> dict[str, str]:
    """How far one respondent changes the answer, whatever the number of records, if it
    is one.
    """
    domain = question.domain
    if not domain.per_device or domain.ends is None:
        return {}
    low, high = domain.ends
    return {"one_respondent_changes_it_by_at_most": str(high - low)}


def _metric(metric: Metric | None) -> dict[str, object]:
    """Return the promise for places near each other, if the mechanism makes one."""
    if metric is None:
        return {}
    return {
        "metric": {
            "epsilon_per_unit": str(metric.per_unit),
            "lengths": [str(length) for length in metric.lengths],
        }
    }


def exact_ratios(question: Question) -> tuple[Fraction, Fraction | None]:
    """The exact ratios of one report, and of all reports of an unchanged answer.

    None where nothing bounds them.

    Raises `ArithmeticError` if either is more than the question declares.
    """
    declared = question.declared
    ratio = question.randomizer.ratio
    lifetime = lifetime_ratio(question.randomizer)
    if ratio > declared.bound:
        raise ArithmeticError(
            f"question {question.name!r} delivers more than the declared epsilon of "
            f"{declared.text}"
        )
    ever = declared.lifetime
    if ever is not None and (lifetime is None or lifetime > ever.bound):
        raise ArithmeticError(
            f"question {question.name!r} delivers more, ever, than the declared "
            f"epsilon of {ever.text}"
        )
    return ratio, lifetime


def totals(survey: Survey) -> dict[str, float | None]:
    """The sums of epsilons.

    Of one report each, of all reports while no answer changes, of all that a device
    charges.

    They are sums of rounded numbers, so that readers of the certificate can add them
    up. Of the questions of a draw as many count as a device answers, the largest.
    """
    dearest = chargeable(survey)
    once = ((question.randomizer.ratio, 1) for question in dearest)
    ever = [lifetime_ratio(question.randomizer) for question in survey]
    bounded = ((question.price, 1) for question in dearest)
    charged = ((question.price, question.charges) for question in dearest)
    return {
        "one_report_each": _sum(once),
        "all_reports": None if None in ever else _sum(bounded),
        "all_charges": _sum(charged),
    }


def _group(group: Group) -> dict[str, object]:
    return {
        "questions": [question.name for question in group.members],
        "fingerprint": group.fingerprint.hex(),
    }


def _statement(declared: Declared | None, ratio: Fraction | None) -> dict[str, object]:
    return {
        "declared": None if declared is None else declared.text,
        "declared_ratio": None if declared is None else _declared_ratio(declared.text),
        "epsilon": None if ratio is None else log_upper(ratio),
        "ratio": None if ratio is None else str(ratio),
    }


def _declared_ratio(text: str) -> str:
    if text.startswith("ln("):
        return text.removeprefix("ln(").removesuffix(")")
    whole, part = divmod(
        math.floor(exp_lower(Fraction(text)) * 10**_DECIMALS), 10**_DECIMALS
    )
    return f"{whole}.{part:0{_DECIMALS}d}"


def _sum(charges: Iterable[tuple[Fraction, int]]) -> float:
    epsilons = (Fraction(log_upper(ratio)) * times for ratio, times in charges)
    return float_upper(sum(epsilons, Fraction(0)))
