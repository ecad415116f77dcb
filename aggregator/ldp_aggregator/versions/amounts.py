"""What reports cost, added up over questions and versions, and compared without any rounding.

An epsilon is kept as its ratio e^epsilon, a fraction, so that a sum of epsilons is a product. Of a
survey of a thousand questions such a product has a million digits, so sums are compared by
logarithms of 80 digits first, rounded outwards, and multiplied out only where these leave it open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import prod

from ldp.draws import chargeable
from ldp.exact import text_upper
from ldp.survey import Question, Survey

_DIGITS = 80
_PLACES = 6

Amount = Counter[Fraction]
"""Ratios, and how often each is charged."""


def of_questions(questions: Iterable[Question]) -> Amount:
    """What a device pays for all that it may ever send to each of them."""
    amount: Amount = Counter()
    for question in questions:
        amount[question.price] += question.charges
    return amount


def of_survey(survey: Survey) -> Amount:
    """What a device may pay for a survey: of a draw for as many as it answers, the dearest."""
    return of_questions(chargeable(survey))


def of_versions(versions: Sequence[Survey]) -> Amount:
    """What a device pays at most that answers every version and all that is new in it.

    A question is answered once under one fingerprint.
    """
    known: set[bytes] = set()
    amount: Amount = Counter()
    for survey in versions:
        fresh = [question for question in survey if question.fingerprint not in known]
        amount += of_questions(chargeable(fresh))
        known |= {question.fingerprint for question in fresh}
    return amount


def limited(amount: Amount, survey: Survey) -> Amount:
    """The amount, or the survey's `lifetime_epsilon` where that is less."""
    if survey.lifetime is None:
        return amount
    limit: Amount = Counter({survey.lifetime.bound: 1})
    return limit if compared(limit, amount) < 0 else amount


def compared(one: Amount, other: Amount) -> int:
    """-1, 0 or 1: whether one sum of epsilons is less than another, exactly."""
    left, right = one - other, other - one
    lowest, highest = _ends(left)
    low, high = _ends(right)
    if highest < low:
        return -1
    if lowest > high:
        return 1
    products = _product(left), _product(right)
    return (products[0] > products[1]) - (products[0] < products[1])


def text_of(amount: Amount) -> str:
    """The sum as people are shown it: with six decimals, rounded up."""
    return text_upper(Fraction(_ends(amount)[1]), _PLACES)


def _product(amount: Amount) -> Fraction:
    return prod((ratio**times for ratio, times in amount.items()), start=Fraction(1))


def _ends(amount: Amount) -> tuple[Decimal, Decimal]:
    """Bounds of the sum of logarithms, from below and from above."""
    down, up = Context(prec=_DIGITS, rounding=ROUND_FLOOR), Context(_DIGITS, ROUND_CEILING)
    low = high = Decimal(0)
    for ratio, times in amount.items():
        below = down.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
        above = up.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
        # Decimal's ln is rounded to the nearest: a step further out is a bound.
        low = down.add(low, down.multiply(down.next_minus(down.ln(below)), Decimal(times)))
        high = up.add(high, up.multiply(up.next_plus(up.ln(above)), Decimal(times)))
    return low, high
