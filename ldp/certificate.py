"""Certificates: the delivered privacy of each question, in integers that anyone can check.

A certificate states, for one question, the integers that its randomizer draws with, the exact ratio they deliver, and
the bound that the survey declared; delivered <= declared is one comparison of fractions. The program
`examples/check_certificate.py` verifies it from the integers alone, and shares no code with this package.
"""

from __future__ import annotations

import math
from fractions import Fraction

from ldp.accounting import posterior
from ldp.exact import log_upper
from ldp.mechanisms.contract import Memoized, Randomizer, integers, lifetime_ratio
from ldp.survey import Question, Survey

FORMAT = 1


def certificate(survey: Survey) -> dict[str, object]:
    """The certificate of a survey, ready for JSON: fractions as strings, decimals rounded up."""
    total = Fraction(1)
    for question in survey:
        total *= question.randomizer.ratio
    return {
        "format": FORMAT,
        "survey": {"name": survey.name, "fingerprint": survey.fingerprint.hex()},
        "questions": {question.name: certify(question) for question in survey},
        "total_epsilon_one_report_each": log_upper(total),
    }


def certify(question: Question) -> dict[str, object]:
    """The certificate of one question. Raises `ArithmeticError` if it delivers less privacy than it declares."""
    randomizer, declared = question.randomizer, question.declared
    ratio, lifetime = randomizer.ratio, lifetime_ratio(randomizer)
    if ratio > declared.bound:
        raise ArithmeticError(f"question {question.name!r} delivers more than the declared epsilon of {declared.text}")
    ever = declared.lifetime
    if ever is not None and (lifetime is None or lifetime > ever.bound):
        raise ArithmeticError(
            f"question {question.name!r} delivers more, ever, than the declared epsilon of {ever.text}"
        )
    memoizes = isinstance(randomizer, Memoized) and randomizer.memoizes
    return {
        "mechanism": question.mechanism,
        "fingerprint": question.fingerprint.hex(),
        "integers": written_integers(randomizer),
        "epsilon": {"declared": declared.text, "delivered": log_upper(ratio)},
        "ratio": {"delivered": str(ratio), "declared_bound": str(declared.bound)},
        "lifetime": {
            "memoized": memoizes,
            "declared": None if ever is None else ever.text,
            "declared_bound": None if ever is None else str(ever.bound),
            "epsilon": None if lifetime is None else log_upper(lifetime),
            "ratio": None if lifetime is None else str(lifetime),
        },
        "prior_of_one_half_becomes_at_most": _rounded_up(posterior(ratio)),
        "report_bytes": randomizer.layout.width,
    }


def written_integers(randomizer: Randomizer) -> dict[str, str | list[list[str]]]:
    """The integers of a randomizer, as texts: JSON readers differ on those beyond 2^53."""
    return {
        name: str(number) if isinstance(number, int) else [[str(entry) for entry in row] for row in number]
        for name, number in integers(randomizer).items()
    }


def _rounded_up(number: Fraction) -> float:
    nearest = float(number)
    return nearest if nearest >= number else math.nextafter(nearest, math.inf)
