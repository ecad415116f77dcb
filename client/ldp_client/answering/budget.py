"""The privacy budget: what a device may still spend, so that no stop tells what was
answered.

A budget that is used up stops reports. If when that happens depended on the answers,
silence would tell something of them, so it may depend on nothing but which questions
were asked.

A question that is answered once has one charge. One with permanent responses has a
charge for each value whose response is kept, so how many it makes depends on the
answers; what the limits count must not. So all charges that it may ever make are set
aside when it is answered first:

    set aside   as many as `memoized_values` says, or fewer: as many as all limits allow
                that leave one charge for each question of the survey that was not
                answered yet (and at least one, if that is allowed without)
    spent       what was charged and what is set aside

Of the questions of a draw a device answers one, or a few: limits count as many of the
dearest that it may still be charged for.

Rules
- Whether a question is answered depends on what was asked before, and on no answer.
  Once it was, there is a report for every answer; a value for which no charge is left
  gets the response that was reported last (`ldp_client.answering.respondent`).
- What is set aside when permanent responses are erased stays so for good: how much of
  it was used depends on answers.
- Limits are compared as fractions. There are three: the survey's own
  `lifetime_epsilon`, whatever address its reports go to; what was agreed to; and the
  cap on all surveys in a store.
- What was agreed to is what the survey could spend at most, by the version that was
  answered first or to which the person agreed since (`agree`), or any lower
  `lifetime_epsilon` since. No other version can raise it. Surveys are told apart by
  name and collector.
- Where permanent responses are erased, what was set aside for them may be set aside
  again, within `lifetime_epsilon` and the cap.

Everything is called in a transaction of the store.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from ldp.errors import AlreadyAnsweredError, BudgetError
from ldp.numbers.exact import exp_lower
from ldp.survey.survey import chargeable
from ldp_client.answering.ledger import (
    ASIDE,
    CHARGE,
    NOTHING,
    Product,
    close_aside,
    product,
    ratio_of,
    spent,
    today,
)
from ldp_client.keeping.scope import KEY_SIZE, Scope
from ldp_client.keeping.store import DeviceStore, Record

if TYPE_CHECKING:
    from ldp.survey.survey import Question, Survey

LIMIT = "limit"
_ALL = b""
_FIRST = bytes(2)
"""What the key of a question's first charge ends with."""
UNIT = 1 << 64
"""A limit that no survey wrote down is rounded up to whole parts of this size."""

USUAL_CAP = Fraction(10)
"""What all surveys in a store may spend together, as an epsilon, unless the app says
otherwise.

If the first of them asks for more, it is that. At 10, what someone thought 50 % likely
they may come to think 99.995 % likely, so what is spent beyond protects no one; it
leaves room for ten questions at an epsilon of 1. By its first survey an app says what
it finds right: nothing that is asked later, under whatever name, takes more.
"""
MOST_EPSILON = Fraction(1000)
"""What a survey without `lifetime_epsilon` may spend at most: as much as one that has
it.
"""


class Agreed(NamedTuple):
    """Agreed limit of a survey, as a ratio, and the terms of the agreement."""

    most: str
    survey: str
    collector: str
    terms: bytes


class Limit(NamedTuple):
    """Limit: the ratio that may be spent, and the part that was."""

    bound: Fraction
    spent: Product


class Budget:
    """A survey's spending under a scope.

    `cap` is the largest ratio that all surveys in the store may spend together; None
    for the usual one.
    """

    __slots__ = ("_cap", "_place", "_scope", "_store", "_survey")

    def __init__(
        self, store: DeviceStore, survey: Survey, scope: Scope, cap: Fraction | None
    ) -> None:
        self._store = store
        self._survey = survey
        self._scope = scope
        self._place = scope.survey_key(survey)
        self._cap = cap

    def charge_once(self, question: Question) -> None:
        """Spend the price of a question that is answered once.

        Raises `AlreadyAnsweredError` if it was, `BudgetError` if a limit is in the way;
        then nothing is spent.
        """
        key = self._scope.key(question) + _FIRST
        charges = dict(self._store.records(CHARGE))
        if key in charges:
            raise AlreadyAnsweredError(
                f"question {question.name!r} was answered on this device before, and "
                f"one report spends its whole epsilon of {question.declared.text}; "
                "send that report's bytes again, or ask a question with memoized "
                "responses"
            )
        limits = self._limits(charges)
        if not fit(limits, question.price.as_integer_ratio()):
            raise self._refusal(question, limits)
        self._keep_charge(question, key)

    def charge_value(self, question: Question) -> bool:
        """Spend a charge for one more permanent response; False if none is left of
        those set aside.

        Sets them aside where that was not done. Raises `BudgetError` if a limit is in
        the way of even one.
        """
        key = self._scope.key(question)
        record = self._store.get(ASIDE, key)
        if record is None:
            left = number = self._affordable(question)
        else:
            left, number = cast("tuple[int, int]", record[4:])
        if not left:
            return False
        names = self._survey.name, question.name
        price = question.price_text
        self._store.put(
            ASIDE, key, (*names, price, self._scope.collector, left - 1, number)
        )
        self._charge(question)
        return True

    def agree(self) -> None:
        """Note that the person has agreed to this version: the survey may spend what it
        asks for.

        Nothing changes where this very version was agreed to before.
        """
        record = self._store.get(LIMIT, self._place)
        if record is None or _read(record).terms != self._survey.terms:
            charges, aside = (
                dict(self._store.records(kind)) for kind in (CHARGE, ASIDE)
            )
            own, _, _ = spent(
                charges, aside, self._survey.name, collector=self._scope.collector
            )
            self._agree_anew(own)

    def _charge(self, question: Question) -> None:
        key = self._scope.key(question)
        number = sum(1 for _ in self._store.records(CHARGE, key))
        self._keep_charge(question, key + number.to_bytes(2, "big"))

    def _keep_charge(self, question: Question, key: bytes) -> None:
        record = (
            self._survey.name,
            question.name,
            question.price_text,
            self._scope.collector,
            today(),
        )
        self._store.put(CHARGE, key, record)

    def has_charge(self, question: Question) -> bool:
        """Whether the device was charged for a question."""
        return self._store.get(CHARGE, self._scope.key(question) + _FIRST) is not None

    def _open_questions(self, beside: Question | None = None) -> list[Question]:
        """Questions that may still be charged for, beside one: of a draw, as many as
        are left.
        """
        answered: list[Question] = []
        others: list[Question] = []
        for question in self._survey:
            if question is not beside:
                (answered if self.has_charge(question) else others).append(question)
        return _chargeable_beside(beside, others, answered)

    def _affordable(self, question: Question) -> int:
        """How many of its charges may be set aside for a question.

        Raises `BudgetError` if none may.
        """
        limits = self._limits(dict(self._store.records(CHARGE)))
        if limits[-1].spent == NOTHING:
            bounds = tuple(limit.bound.as_integer_ratio() for limit in limits)
            number = _of_nothing_spent(self._survey, question, bounds)
        else:
            others = []
            if question.charges > 1:
                others = self._open_questions(question)
            number = _charges_within(limits, question, others)
        if not number:
            raise self._refusal(question, limits)
        return number

    def _limits(self, charges: dict[bytes, Record]) -> list[Limit]:
        """Limits of the survey, wherever its reports go, if any; as agreed to; and of
        all.
        """
        survey, store = self._survey, self._store
        aside = dict(store.records(ASIDE))
        own, named, in_all = spent(
            charges, aside, survey.name, collector=self._scope.collector
        )
        limits = []
        record = store.get(LIMIT, self._place)
        agreed = None
        if record is not None:
            agreed = ratio_of(cast(str, record[0]))
        if survey.lifetime is not None:
            limits.append(Limit(survey.lifetime.bound, named))
            # It may be lower than it was.
            if agreed is not None and agreed > survey.lifetime.bound:
                agreed = None
        limits.append(Limit(agreed or self._agree_anew(own), own))
        cap = self._cap
        if cap is None:
            record = store.get(LIMIT, _ALL)
            if record is None:
                record = (_cap_by_first(survey),)
                store.put(LIMIT, _ALL, record)
            cap = ratio_of(cast(str, record[0]))
        limits.append(Limit(cap, in_all))
        return limits

    def _refusal(self, question: Question, limits: list[Limit]) -> BudgetError:
        """The error that names the limits that one more charge would pass."""
        survey = self._survey.name
        names = (
            f"lifetime_epsilon of survey {survey!r}",
            f"what survey {survey!r} asked for when it was agreed to",
            "the app's lifetime_cap for all surveys",
        )[-len(limits) :]
        price = question.price.as_integer_ratio()
        beyond = [
            name
            for name, limit in zip(names, limits, strict=True)
            if not fit([limit], price)
        ]
        return BudgetError(
            f"question {question.name!r} costs more than is left of what this device "
            f"may spend (see the ledger): beyond {' and '.join(beyond)}"
        )

    def _agree_anew(self, spent: Product) -> Fraction:
        """The ratio that the survey may come to on this device.

        That is what it says, or all charges that are not made yet.
        """
        survey, collector = self._survey, self._scope.collector
        if spent == NOTHING or survey.lifetime is not None:
            agreed = _agreed_at_first(survey, collector)
        else:
            agreed = _agreement(
                _at_most(spent, self._open_questions()), survey, collector
            )
        self._store.put(LIMIT, self._place, agreed)
        return ratio_of(agreed.most)


def renew(store: DeviceStore) -> None:
    """Let questions whose permanent responses are erased set aside as much again.

    Nothing else grows: what questions that are answered once have spent stays the last
    of it. Called in a transaction.
    """
    again: dict[tuple[object, object], Fraction] = {}
    for key, (survey, _, ratio, collector, _, number) in store.records(ASIDE):
        if len(key) == KEY_SIZE:
            owner = survey, collector
            charges = ratio_of(cast(str, ratio)) ** cast(int, number)
            again[owner] = again.get(owner, Fraction(1)) * charges
    for key, record in list(store.records(LIMIT)):
        if key != _ALL:
            agreed = _read(record)
            most = ratio_of(agreed.most) * again.get(
                (agreed.survey, agreed.collector), 1
            )
            store.put(LIMIT, key, agreed._replace(most=str(_rounded_up(most))))
    close_aside(store)


def _rounded_up(most: Fraction) -> Fraction:
    return min(Fraction(math.ceil(most * UNIT), UNIT), _bound(MOST_EPSILON))


# What depends on a survey alone is worked out once, and not for every device that a
# process simulates.


@lru_cache(maxsize=8)
def _bound(epsilon: Fraction) -> Fraction:
    return exp_lower(epsilon)


@lru_cache(maxsize=64)
def _agreed_at_first(survey: Survey, collector: str) -> Agreed:
    """Return the agreement of a device that has spent nothing on a survey."""
    most = survey.lifetime.bound if survey.lifetime is not None else _most_of(survey)
    return _agreement(most, survey, collector)


@lru_cache(maxsize=64)
def _cap_by_first(survey: Survey) -> str:
    """The usual cap, of a store whose first survey this is."""
    # Not what it merely says that it might: a survey could say anything.
    most = _most_of(survey)
    if survey.lifetime is not None:
        most = min(most, survey.lifetime.bound)
    return str(max(_bound(USUAL_CAP), most))


@lru_cache(maxsize=256)
def _of_nothing_spent(
    survey: Survey, question: Question, bounds: tuple[Product, ...]
) -> int:
    """How many charges for a question fit the limits on a device that has spent
    nothing.

    Bounds come as pairs of whole numbers: hashing a fraction would take longer than all
    else here.
    """
    limits = [Limit(Fraction(*bound), NOTHING) for bound in bounds]
    return _charges_within(limits, question, _chargeable_beside(question, survey))


def _chargeable_beside(
    question: Question | None,
    questions: Iterable[Question],
    answered: Iterable[Question] = (),
) -> list[Question]:
    """Return the questions that a device may be charged for beside one, after
    others.
    """
    those = [*answered] if question is None else [*answered, question]
    taken = Counter(other.draw for other in those if other.draw is not None)
    return chargeable((other for other in questions if other is not question), taken)


def _charges_within(
    limits: list[Limit], question: Question, others: Iterable[Question]
) -> int:
    """How many charges for a question fit limits beside what was spent.

    That is with one for each of the others; or one, if that fits without.
    """
    price = question.price
    besides = product(other.price for other in others)
    numbers = range(1, question.charges + 1)

    def passes(number: int) -> bool:
        return not fit(limits, product([price**number]), besides)

    number = 0
    if question.charges > 1:
        number = bisect_left(numbers, True, key=passes)
    return number or int(fit(limits, price.as_integer_ratio()))


def fit(limits: Iterable[Limit], *products: Product) -> bool:
    """Whether what was spent, multiplied by these, is at most what may be, of every
    limit.
    """
    for bound, (above, below) in limits:
        most, least = bound.as_integer_ratio()
        for numerator, denominator in products:
            above *= numerator
            below *= denominator
        if above * least > most * below:
            return False
    return True


def _read(record: Record) -> Agreed:
    return Agreed(*cast("tuple[str, str, str, bytes]", record))


def _agreement(most: Fraction, survey: Survey, collector: str) -> Agreed:
    return Agreed(str(most), survey.name, collector, terms=survey.terms)


def _most_of(survey: Survey) -> Fraction:
    """All that a survey may charge a device that has spent nothing on it."""
    return _at_most(NOTHING, chargeable(survey))


def _at_most(spent: Product, questions: Iterable[Question]) -> Fraction:
    """Return the ratio spent, times all charges of some questions; rounded up."""
    largest = _bound(MOST_EPSILON)
    above, below = spent
    # In whole numbers that stay small, each product rounded up: there may be a million
    # charges.
    most = -(-UNIT * above // below)
    for question in questions:
        above, below = question.price.as_integer_ratio()
        most = -(-most * above**question.charges // below**question.charges)
        if most > largest * UNIT:
            return largest
    return Fraction(most, UNIT)
