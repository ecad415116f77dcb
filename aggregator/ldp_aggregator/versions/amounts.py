"""Amounts of privacy cost, added up over questions and versions, compared without
rounding.

What is added up is what a survey promises: an epsilon that it states, which is a
fraction, or the logarithm of a ratio that follows from its probabilities. So an amount
has two parts,

    epsilon + sum over ratios R of  times x ln R

and two amounts are compared by their difference. Where no logarithm is left it is a
fraction. Else it is enclosed by logarithms of ever more digits: e^x is transcendental
for every fraction x but 0 (Lindemann), so that this ends unless the fraction is 0, and
then ratios are multiplied out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import prod
from typing import NamedTuple

from ldp.mechanisms.contract import Declared, lifetime_ratio
from ldp.numbers.exact import exp_lower, fraction, text_upper
from ldp.survey.survey import Question, Survey, chargeable

_DIGITS = 80
_SHOWN = 6
_NEGLIGIBLE = Decimal("1e-40")
"""Of what is shown alone: what enclosing a sum adds must not round 1 up to 1.000001."""


class Amount(NamedTuple):
    """An epsilon, exactly."""

    epsilon: Fraction = Fraction(0)
    ratios: tuple[tuple[Fraction, int], ...] = ()
    """Further ratios e^epsilon, and how often each counts."""

    @property
    def text(self) -> str:
        """Amount for people: with six decimals, rounded up."""
        _, high = _ends(self, _DIGITS)
        return text_upper(Fraction(max(high - _NEGLIGIBLE, Decimal(0))), _SHOWN)


def promised_amount(declared: Declared) -> Amount:
    """Return the promise: the epsilon as it was stated, or the logarithm of the
    ratio.
    """
    if not declared.text.startswith("ln("):
        epsilon = fraction(declared.text)
        # An unwieldy ratio is shown as a decimal, which it is not.
        if declared.bound == exp_lower(epsilon):
            return Amount(epsilon)
    return Amount(ratios=((declared.bound, 1),))


def of_one_answer(question: Question) -> Amount | None:
    """Return the promise for all reports of an answer that stays; None if there is
    none.
    """
    declared = question.declared
    if not question.memoizes:
        return promised_amount(declared)
    if declared.lifetime is not None:
        return promised_amount(declared.lifetime)
    ratio = lifetime_ratio(question.randomizer)
    if ratio is None:
        return None
    return Amount(ratios=((ratio, 1),))


def of_questions(questions: Iterable[Question]) -> Amount:
    """Return the most that a device pays for all reports to each of them."""
    epsilon, ratios = Fraction(0), Counter[Fraction]()
    for question in questions:
        # Where nothing bounds all reports of an answer, a device charges for each of
        # them.
        one = of_one_answer(question) or promised_amount(question.declared)
        epsilon += question.charges * one.epsilon
        for ratio, times in one.ratios:
            ratios[ratio] += question.charges * times
    return Amount(epsilon, tuple(ratios.items()))


def of_survey(survey: Survey) -> Amount:
    """Return the price of a survey: of a draw for as many as it answers, the
    dearest.
    """
    return of_questions(chargeable(survey))


def of_versions(versions: Sequence[Survey]) -> Amount:
    """Return the most that a device pays for every version and all that is new in it.

    A question is answered once under one fingerprint.
    """
    known: set[bytes] = set()
    asked: list[Question] = []
    for survey in versions:
        fresh = [question for question in survey if question.fingerprint not in known]
        asked += chargeable(fresh)
        known |= {question.fingerprint for question in fresh}
    return of_questions(asked)


def survey_limit(survey: Survey) -> Amount:
    """Return the price of a survey, or its `lifetime_epsilon` where that is less."""
    amount = of_survey(survey)
    if survey.lifetime is None:
        return amount
    limit = promised_amount(survey.lifetime)
    if compare_amounts(limit, amount) < 0:
        return limit
    return amount


def compare_amounts(one: Amount, other: Amount) -> int:
    """-1, 0 or 1: whether one epsilon is less than another, exactly."""
    left, right = Counter(dict(one.ratios)), Counter(dict(other.ratios))
    rest = one.epsilon - other.epsilon
    above, below = left - right, right - left
    if not above and not below:
        return _sign(rest)
    if not rest:
        return _sign(_product(above) - _product(below))
    difference = Amount(
        rest, (*above.items(), *((1 / ratio, n) for ratio, n in below.items()))
    )
    digits = _DIGITS
    while True:
        low, high = _ends(difference, digits)
        if low > 0 or high < 0:
            if low > 0:
                return 1
            return -1
        digits *= 2


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def _product(ratios: Counter[Fraction]) -> Fraction:
    return prod((ratio**times for ratio, times in ratios.items()), start=Fraction(1))


def _ends(amount: Amount, digits: int) -> tuple[Decimal, Decimal]:
    """Bounds of an amount, from below and from above."""
    down = Context(prec=digits, rounding=ROUND_FLOOR)
    up = Context(prec=digits, rounding=ROUND_CEILING)
    epsilon = Decimal(amount.epsilon.numerator), Decimal(amount.epsilon.denominator)
    low, high = down.divide(*epsilon), up.divide(*epsilon)
    for ratio, times in amount.ratios:
        parts = Decimal(ratio.numerator), Decimal(ratio.denominator)
        # Decimal's ln is rounded to the nearest: a step further out is a bound.
        least = down.next_minus(down.ln(down.divide(*parts)))
        most = up.next_plus(up.ln(up.divide(*parts)))
        low = down.add(low, down.multiply(least, Decimal(times)))
        high = up.add(high, up.multiply(most, Decimal(times)))
    return low, high
