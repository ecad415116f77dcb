"""The privacy loss of a device: exact ratios by question, by day, and in all; and in
plain words.

A charge is the ratio by which all that is ever sent on its account can change the odds
of a guess; epsilon is its logarithm. Charges of one device multiply, as epsilons add
up. They are never taken back: neither forgetting, nor a new secret, nor a question with
other parameters makes what was sent unsent. What is set aside for answers that may
still change (`answering.budget`) is no charge, but counts as one where a limit is
compared.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, cast

from ldp.errors import StateError
from ldp.numbers.exact import log_text, log_upper, percent_below, text_upper
from ldp.survey.survey import FINGERPRINT_SIZE
from ldp_client.keeping.scope import KEY_SIZE
from ldp_client.keeping.store import DeviceStore, Record

# Kinds of records.
CHARGE, ASIDE, EVENT = "charge", "aside", "event"
DAY = 86_400
"""Seconds."""


Product = tuple[int, int]
"""A product of ratios, as numerator and denominator, not reduced since that would take
longer.
"""

NOTHING: Product = (1, 1)


def today() -> int:
    """The day, counted from the first of 1970 (UTC): all the time that a device
    remembers.
    """
    return int(time.time()) // DAY


class Charge(NamedTuple):
    """Cost of one report, or of one value whose permanent response is kept.

    `day` counts from the first of 1970.

    `collector` is where its reports go, nothing if the client hands them over.
    """

    survey: str
    question: str
    fingerprint: bytes
    ratio: Fraction
    day: int
    collector: str = ""


class Ledger(NamedTuple):
    """Ledger: all spending of a device.

    Charges; the days on which it was given a new secret, or a new state file, with the
    reason; the ratio that is set aside. `problem` is why it could not be read: what was
    spent is not known then, its epsilon is infinite, and its ratio a `StateError`.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> with ldp_client.EmbeddedClient(survey, state=None) as client:
    ...     outcome = client.record("mode", "bus")
    ...     ledger = client.ledger()
    >>> len(ledger.charges)
    1
    """

    charges: tuple[Charge, ...]
    events: tuple[tuple[str, int], ...] = ()
    aside: Fraction = Fraction(1)
    problem: str = ""

    @classmethod
    def read(cls, store: DeviceStore) -> Ledger:
        """The ledger that a store keeps."""

        def read_all() -> Ledger:
            aside = Fraction(*_reserve(store))
            return cls(tuple(_charges(store)), tuple(_events(store)), aside)

        return store.transact(read_all)

    def ratio(
        self,
        survey: str | None = None,
        question: str | None = None,
        day: int | None = None,
    ) -> Fraction:
        """Return the ratio spent in all, or on one survey, one question or one day."""
        if self.problem:
            raise StateError(self.problem)
        ratios = (
            charge.ratio
            for charge in self.charges
            if survey in (None, charge.survey)
            and question in (None, charge.question)
            and day in (None, charge.day)
        )
        return Fraction(*product(ratios))

    def epsilon(
        self,
        survey: str | None = None,
        question: str | None = None,
        day: int | None = None,
    ) -> float:
        """Return the epsilon spent, rounded up; 0 without any charge."""
        if self.problem:
            return math.inf
        ratio = self.ratio(survey, question, day)
        if ratio > 1:
            return log_upper(ratio)
        return 0.0

    def __str__(self) -> str:
        if self.problem:
            return f"What this device has spent cannot be read: {self.problem}."
        if not self.charges and not self.events:
            return "Nothing was spent: this device has made no report yet."
        # Imported here, as it is for people: what only records should not wait for it.
        from ldp.numbers.accounting import posterior

        belief = percent_below(posterior(self.ratio()))
        lines = [
            f"Spent on this device, ever: epsilon {text_upper(self.epsilon(), 6)}",
            "  Anyone who thought anything about its user 50 % likely, and sees all "
            f"that was and will be sent for this, may come to think it {belief}% "
            "likely, at most.",
        ]
        if self._may_change():
            lines.append(
                "  When an answer changed, or that it did not, may show beyond that."
            )
        for survey in _distinct(charge.survey for charge in self.charges):
            lines.append(
                f"Survey {survey}: epsilon {text_upper(self.epsilon(survey), 6)}"
            )
            lines += [f"  {line}" for line in self._questions(survey)]
        if self.aside > 1:
            lines.append(
                "Set aside, whether or not answers change: epsilon "
                f"{log_text(self.aside, 6)}"
            )
        lines.append("By day:")
        days = sorted({charge.day for charge in self.charges})
        lines += [
            f"  {_date(day)}: epsilon {text_upper(self.epsilon(day=day), 6)}"
            for day in days
        ]
        lines += [
            f"On {_date(day)} {reason}: what is answered from then on is charged anew"
            for reason, day in self.events
        ]
        return "\n".join(lines)

    def _may_change(self) -> bool:
        """Whether some question has several permanent responses, or may come to have
        them.
        """
        questions = [(charge.fingerprint, charge.collector) for charge in self.charges]
        return self.aside > 1 or len(set(questions)) < len(questions)

    def _questions(self, survey: str) -> Iterator[str]:
        of_survey = [charge for charge in self.charges if charge.survey == survey]
        for name in _distinct(charge.question for charge in of_survey):
            charges = [charge for charge in of_survey if charge.question == name]
            times = "charged once"
            if len(charges) != 1:
                times = f"charged {len(charges)} times"
            versions = len({charge.fingerprint for charge in charges})
            changed = ""
            if versions > 1:
                changed = f", its parameters having changed {versions - 1} times"
            yield (
                f"{name}: epsilon {text_upper(self.epsilon(survey, name), 6)}, "
                f"{times}{changed}"
            )


def product(ratios: Iterable[Fraction]) -> Product:
    """All of them multiplied."""
    above, below = NOTHING
    for ratio in ratios:
        numerator, denominator = ratio.as_integer_ratio()
        above *= numerator
        below *= denominator
    return above, below


@lru_cache(maxsize=1024)
def ratio_of(text: str) -> Fraction:
    """A ratio as records hold it.

    Remembered, as few differ and reading one takes longer than multiplying by it.
    """
    return Fraction(text)


def spent(
    charges: Mapping[bytes, Record],
    aside: Mapping[bytes, Record],
    survey: str,
    collector: str,
) -> tuple[Product, Product, Product]:
    """Return the charges and reserves: on a survey for one collector, for any, and in
    all.
    """
    own = named = in_all = NOTHING
    for records in (charges, aside):
        for name, _, ratio, place, left, *_ in records.values():
            numerator, denominator = ratio_of(cast(str, ratio)).as_integer_ratio()
            if records is aside:
                number = cast(int, left)
                numerator, denominator = numerator**number, denominator**number
            in_all = in_all[0] * numerator, in_all[1] * denominator
            if name == survey:
                named = named[0] * numerator, named[1] * denominator
                if place == collector:
                    own = own[0] * numerator, own[1] * denominator
    return own, named, in_all


def close_aside(store: DeviceStore) -> None:
    """Let what is set aside stay so for good, beyond reach of what is answered from now
    on.

    Called in a transaction.
    """
    for key, record in list(store.records(ASIDE)):
        if len(key) == KEY_SIZE:
            closed = sum(1 for _ in store.records(ASIDE, key))
            store.drop(ASIDE, key)
            store.put(ASIDE, key + closed.to_bytes(2, "big"), record)


def _charges(store: DeviceStore) -> Iterator[Charge]:
    for key, record in store.records(CHARGE):
        survey, question, ratio, collector, day = cast(
            "tuple[str, str, str, str, int]", record
        )
        yield Charge(
            survey=survey,
            question=question,
            fingerprint=key[:FINGERPRINT_SIZE],
            ratio=ratio_of(ratio),
            day=day,
            collector=collector,
        )


def _events(store: DeviceStore) -> Iterator[tuple[str, int]]:
    return (
        (cast(str, reason), cast(int, day)) for _, (reason, day) in store.records(EVENT)
    )


def _reserve(store: DeviceStore) -> Product:
    records = (
        cast("tuple[str, str, str, str, int, int]", record)
        for _, record in store.records(ASIDE)
    )
    return product(ratio_of(ratio) ** left for _, _, ratio, _, left, _ in records)


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _date(day: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(day * DAY))
