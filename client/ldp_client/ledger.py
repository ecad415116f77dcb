"""What a device has spent: exact ratios, by question, by day, and in all; and the same in plain words.

A charge is the ratio by which all that is ever sent on its account can change the odds of a guess; epsilon is its
logarithm. Charges of one device multiply, as epsilons add up. They are never taken back: neither forgetting, nor a new
secret, nor a question with other parameters makes what was sent unsent.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple, cast

from ldp.exact import log_upper
from ldp.survey import FINGERPRINT_SIZE
from ldp_client.store import Store

CHARGE, EVENT = "charge", "event"
DAY = 86_400
"""Seconds."""


class Charge(NamedTuple):
    """What one report cost, or one value whose permanent response is kept; `day` counts from the first of 1970."""

    survey: str
    question: str
    fingerprint: bytes
    ratio: Fraction
    day: int


class Ledger(NamedTuple):
    """Charges, and the days on which a device was given a new secret, with the reason."""

    charges: tuple[Charge, ...]
    events: tuple[tuple[str, int], ...] = ()

    @classmethod
    def read(cls, store: Store) -> Ledger:
        """The ledger that a store keeps."""
        with store:
            events = tuple((cast(str, reason), cast(int, day)) for _, (reason, day) in store.records(EVENT))
            return cls(tuple(_charges(store)), events)

    def ratio(self, survey: str | None = None, question: str | None = None, day: int | None = None) -> Fraction:
        """What was spent in all, or on one survey, one question or one day."""
        wanted = (survey, question, day)
        chosen = (
            each.ratio
            for each in self.charges
            if all(
                want in (None, has) for want, has in zip(wanted, (each.survey, each.question, each.day), strict=True)
            )
        )
        return math.prod(chosen, start=Fraction(1))

    def epsilon(self, survey: str | None = None, question: str | None = None, day: int | None = None) -> float:
        """The same as an epsilon, rounded up."""
        return log_upper(self.ratio(survey, question, day))

    def __str__(self) -> str:
        if not self.charges:
            return "Nothing was spent: this device has made no report yet."
        # Imported here, as it is for people: what only records should not wait for it.
        from ldp.accounting import posterior

        lines = [
            f"Spent on this device, ever: epsilon {self.epsilon():.6f}",
            f"  Whoever thought anything about its user 50 % likely, and sees all that was and will be sent for this, "
            f"may come to think it {float(posterior(self.ratio())):.1%} likely, at most.",
        ]
        for survey in _distinct(each.survey for each in self.charges):
            lines.append(f"Survey {survey}: epsilon {self.epsilon(survey):.6f}")
            lines += [f"  {line}" for line in self._questions(survey)]
        lines.append("By day:")
        days = sorted({each.day for each in self.charges})
        lines += [f"  {_date(day)}: epsilon {self.epsilon(day=day):.6f}" for day in days]
        lines += [
            f"On {_date(day)} {reason}: what is answered from then on is charged anew" for reason, day in self.events
        ]
        return "\n".join(lines)

    def _questions(self, survey: str) -> Iterator[str]:
        for name in _distinct(each.question for each in self.charges if each.survey == survey):
            made = [each for each in self.charges if (each.survey, each.question) == (survey, name)]
            times = "charged once" if len(made) == 1 else f"charged {len(made)} times"
            versions = len({each.fingerprint for each in made})
            changed = f", its parameters having changed {versions - 1} times" if versions > 1 else ""
            yield f"{name}: epsilon {self.epsilon(survey, name):.6f}, {times}{changed}"


def within(bound: Fraction, store: Store, survey: str | None, price: Fraction) -> bool:
    """Whether a price, times all that was charged (or all that was charged for one survey), is at most `bound`."""
    # In whole numbers, which are multiplied much faster than fractions are reduced.
    above, below = [price.numerator, bound.denominator], [price.denominator, bound.numerator]
    for _, (name, _, ratio, _) in store.records(CHARGE):
        if survey in (None, name):
            numerator, _, denominator = cast(str, ratio).partition("/")
            above.append(int(numerator))
            below.append(int(denominator or 1))
    return math.prod(above) <= math.prod(below)


def _charges(store: Store) -> Iterator[Charge]:
    for key, (survey, question, ratio, day) in store.records(CHARGE):
        fingerprint = key[:FINGERPRINT_SIZE]
        yield Charge(cast(str, survey), cast(str, question), fingerprint, Fraction(cast(str, ratio)), cast(int, day))


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _date(day: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(day * DAY))
