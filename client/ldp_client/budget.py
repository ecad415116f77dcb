"""What a device may still spend, so that no stop tells what was answered.

A question that is answered once has one charge. One with permanent responses has a charge for each
value whose response is kept, so how many it makes depends on the answers; what the limits count
must not. So all charges that it may ever make are set aside when it is answered first:

    set aside   as many as `memoized_values` says, or fewer: as many as all limits allow that leave
                one charge for each question of the survey that was not answered yet (and at least
                one, if that is allowed without)
    spent       what was charged and what is set aside

Rules
- Whether a question is answered depends on what was asked before, and on no answer. Once it was,
  there is a report for every answer; a value for which no charge is left gets the response that was
  reported last (`ldp_client.respondent`).
- What is set aside when permanent responses are erased stays so for good: how much of it was used
  depends on answers.
- Limits are compared as fractions. There are three: the survey's own `lifetime_epsilon`, what was
  agreed to, and the cap on all surveys in a store.
- What was agreed to is what the survey could spend at most, by the version that was answered first
  or to which the person agreed since (`agree`), or any lower `lifetime_epsilon` since. No other
  version can raise it. Surveys are told apart by name and collector.
- Where permanent responses are erased, what was set aside for them may be set aside again, within
  `lifetime_epsilon` and the cap.

Everything is called in a transaction of the store.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from ldp.errors import AlreadyAnsweredError, BudgetError
from ldp.exact import exp_lower
from ldp_client.ledger import ASIDE, CHARGE, NOTHING, Product, close_aside, product, spent, today, within
from ldp_client.scope import KEY_SIZE, Scope
from ldp_client.store import Store

if TYPE_CHECKING:
    from ldp.survey import Question, Survey

LIMIT, _ALL = "limit", b""
UNIT = 1 << 64
"""A limit that no survey wrote down is rounded up to whole parts of this size."""

USUAL_CAP = Fraction(10)
"""What all surveys in a store may spend together, as an epsilon, unless the app says otherwise.

If the first of them asks for more, it is that. At 10 whoever thought something 50 % likely may come
to think it 99.995 % likely, so what is spent beyond protects nobody; it leaves room for ten questions
at an epsilon of 1. By its first survey an app says what it finds right: nothing that is asked later,
under whatever name, takes more.
"""
MOST_EPSILON = Fraction(1000)
"""What a survey without `lifetime_epsilon` may spend at most: as much as one that has it."""


class Agreed(NamedTuple):
    """What a survey may spend, as a ratio, and the terms to which that was agreed."""

    most: str
    survey: str
    collector: str
    terms: bytes


class _Limit(NamedTuple):
    most: Fraction
    spent: Product
    told: str


class Budget:
    """A survey's spending under a scope.

    `cap` is the largest ratio that all surveys in the store may spend together; None for the usual one.
    """

    __slots__ = ("_cap", "_scope", "_store", "_survey")

    def __init__(self, store: Store, survey: Survey, scope: Scope, cap: Fraction | None) -> None:
        self._store = store
        self._survey = survey
        self._scope = scope
        self._cap = cap

    def charge_once(self, question: Question) -> None:
        """Spend the price of a question that is answered once.

        Raises `AlreadyAnsweredError` if it was, `BudgetError` if a limit is in the way; then nothing is spent.
        """
        if self._answered(question):
            raise AlreadyAnsweredError(
                f"question {question.name!r} was answered on this device before, and one report spends its whole "
                f"epsilon of {question.declared.text}; send that report's bytes again, or ask a question with "
                "memoized responses"
            )
        self._affordable(question, most=1)
        self._charge(question)

    def charge_value(self, question: Question) -> bool:
        """Spend a charge for one more permanent response; False if none of those that were set aside is left.

        Sets them aside where that was not done. Raises `BudgetError` if a limit is in the way of even one.
        """
        key = self._scope.key(question)
        kept = self._store.get(ASIDE, key)
        if kept is None:
            left = number = self._affordable(question, most=question.charges)
        else:
            left, number = cast("tuple[int, int]", kept[4:])
        if not left:
            return False
        names = self._survey.name, question.name
        self._store.put(ASIDE, key, (*names, question.price_text, self._scope.collector, left - 1, number))
        self._charge(question)
        return True

    def agree(self) -> None:
        """From now on the survey may spend what this version of it asks for: the person has agreed to that.

        Nothing changes where this very version was agreed to before.
        """
        kept = self._kept_limit()
        if kept is None or kept.terms != self._survey.terms:
            self._keep_limit(self._asked_for(self._own()))

    def _charge(self, question: Question) -> None:
        store, key = self._store, self._scope.key(question)
        number = sum(1 for _ in store.records(CHARGE, key))
        record = self._survey.name, question.name, question.price_text, self._scope.collector, today()
        store.put(CHARGE, key + number.to_bytes(2, "big"), record)

    def _answered(self, question: Question) -> bool:
        return next(iter(self._store.records(CHARGE, self._scope.key(question))), None) is not None

    def _affordable(self, question: Question, most: int) -> int:
        """How many charges, 1 to `most`, may be set aside for a question. Raises `BudgetError` if none may."""
        limits = list(self._limits())
        if most > 1:
            others = product(each.price for each in self._survey if each is not question and not self._answered(each))
            numbers = range(1, most + 1)
            fitting = bisect_left(
                numbers, True, key=lambda number: bool(_beyond(limits, [others, product([question.price**number])]))
            )
            if fitting:
                return numbers[fitting - 1]
        beyond = _beyond(limits, [product([question.price])])
        if beyond:
            raise BudgetError(
                f"question {question.name!r} costs more than is left of what this device may spend (see the ledger): "
                f"beyond {' and '.join(beyond)}"
            )
        return 1

    def _limits(self) -> Iterator[_Limit]:
        name, own = self._survey.name, self._own()
        if self._survey.lifetime is not None:
            yield _Limit(self._survey.lifetime.bound, own, f"lifetime_epsilon of survey {name!r}")
        yield _Limit(self._agreed(own), own, f"what survey {name!r} asked for when it was agreed to")
        yield _Limit(self._cap or self._usual_cap(), spent(self._store), "the app's lifetime_cap for all surveys")

    def _own(self) -> Product:
        return spent(self._store, self._survey.name, self._scope.collector)

    def _agreed(self, spent: Product) -> Fraction:
        kept, own = self._kept_limit(), self._survey.lifetime
        if kept is not None and (own is None or Fraction(kept.most) <= own.bound):
            return Fraction(kept.most)
        asked = self._asked_for(spent)
        self._keep_limit(asked)
        return asked

    def _asked_for(self, spent: Product) -> Fraction:
        """The ratio that the survey may come to on this device: what it says, or all charges that are not made yet."""
        if self._survey.lifetime is not None:
            return self._survey.lifetime.bound
        if spent == NOTHING:
            return _all_charges(self._survey)
        return _at_most(spent, [question for question in self._survey if not self._answered(question)])

    def _usual_cap(self) -> Fraction:
        kept = self._store.get(LIMIT, _ALL)
        if kept is not None:
            return Fraction(cast(str, kept[0]))
        # Not what it merely says that it might: a survey could say anything.
        asked, own = _all_charges(self._survey), self._survey.lifetime
        cap = max(_bound(USUAL_CAP), asked if own is None else min(asked, own.bound))
        self._store.put(LIMIT, _ALL, (str(cap),))
        return cap

    def _kept_limit(self) -> Agreed | None:
        kept = self._store.get(LIMIT, self._scope.survey_key(self._survey))
        return None if kept is None else Agreed(*cast("tuple[str, str, str, bytes]", kept))

    def _keep_limit(self, most: Fraction) -> None:
        agreed = Agreed(str(most), self._survey.name, self._scope.collector, self._survey.terms)
        self._store.put(LIMIT, self._scope.survey_key(self._survey), agreed)


def renew(store: Store) -> None:
    """Let questions whose permanent responses are erased set aside as much again. Called in a transaction.

    Nothing else grows: what questions that are answered once have spent stays the last of it.
    """
    again: dict[tuple[object, object], Fraction] = {}
    for key, (survey, _, ratio, collector, _, number) in store.records(ASIDE):
        if len(key) == KEY_SIZE:
            whose = survey, collector
            again[whose] = again.get(whose, Fraction(1)) * Fraction(cast(str, ratio)) ** cast(int, number)
    for key, record in list(store.records(LIMIT)):
        if key != _ALL:
            agreed = Agreed(*cast("tuple[str, str, str, bytes]", record))
            most = Fraction(agreed.most) * again.get((agreed.survey, agreed.collector), 1)
            store.put(LIMIT, key, agreed._replace(most=str(_rounded_up(most))))
    close_aside(store)


def _rounded_up(most: Fraction) -> Fraction:
    return min(Fraction(math.ceil(most * UNIT), UNIT), _bound(MOST_EPSILON))


# What the same survey asks for is worked out once, and not for every device that a process simulates.


@lru_cache(maxsize=8)
def _bound(epsilon: Fraction) -> Fraction:
    return exp_lower(epsilon)


@lru_cache(maxsize=64)
def _all_charges(survey: Survey) -> Fraction:
    return _at_most(NOTHING, survey)


def _at_most(spent: Product, questions: Iterable[Question]) -> Fraction:
    """What was spent, times all charges of some questions; rounded up."""
    largest = _bound(MOST_EPSILON)
    above, below = spent
    # In whole numbers that stay small, each product rounded up: there may be a million charges.
    most = -(-UNIT * above // below)
    for question in questions:
        above, below = question.price.as_integer_ratio()
        most = -(-most * above**question.charges // below**question.charges)
        if most > largest * UNIT:
            return largest
    return Fraction(most, UNIT)


def _beyond(limits: Iterable[_Limit], prices: list[Product]) -> list[str]:
    """The limits that would be passed."""
    return [limit.told for limit in limits if not within(limit.most, limit.spent, *prices)]
