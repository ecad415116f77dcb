"""Draws, sources of randomness, clients and choosers broken on purpose."""

from __future__ import annotations

import math
import os
import random as mersenne
from fractions import Fraction

import device_laws as laws
from broken_stores import records_of
from mutants import Mutant
from specimens import automatic

from ldp import AnswerError, RandomnessError, StateError
from ldp.numbers.randomness import randbelow, system
from ldp_client import Client, Report
from ldp_client.answering.memory import Memory


def biased(bound, random):
    return random(1)[0] % bound


def last_tape_lost(bound, random):
    """The tapes that give the last integer for the last time are rejected."""
    limit = 256 - 256 % bound - 1
    while (drawn := random(1)[0]) >= limit:
        pass
    return drawn % bound


def bound_included(bound, random):
    return randbelow(bound + 1, random)


def float_scaled(bound, random):
    return math.floor(random(1)[0] / 256 * bound)


def textbook_choice(size, epsilon):
    """GRR below 3 e^epsilon + 2 values, else OUE: compares variances of values no one
    holds.
    """
    return "grr" if size < 3 * math.exp(Fraction(epsilon)) + 2 else "oue"


SHARED = mersenne.Random(1)


def numpy_like(size):
    """A generator whose state is copied by fork."""
    return SHARED.randbytes(size)


def repeating(size):
    return bytes(range(256))[:size] * (size // 256) + bytes(range(size % 256))


def short(size):
    return os.urandom(max(1, size - 1))


def falls_back(size):
    """Something predictable when the operating system has nothing."""
    try:
        return system(size)
    except RandomnessError:
        return mersenne.randbytes(size)


def forgetting(*kinds):
    """Something is forgotten before every answer."""

    def record(self, name, answer):
        store = self._memory.store
        for kind in kinds:
            for key, _ in records_of(store, kind):
                store.transact(lambda kind=kind, key=key: store.drop(kind, key))
        return Client.record(self, name, answer)

    return record


def forgets(self, survey, *, random=system, **_):
    Client.__init__(self, survey, random=random)


def careless(self, survey, *, state=None, **settings):
    """Begins without the state file if that cannot be used."""
    try:
        Client.__init__(self, survey, state=state, **settings)
    except StateError:
        Client.__init__(self, survey, **settings)


def reports_zeros(self, name, answer):
    """Reports without randomness when the source fails."""
    try:
        return Client.record(self, name, answer)
    except RandomnessError:
        return Client(self.survey, random=bytes).record(name, answer)


def names_the_answer(self, name, answer):
    try:
        return Client.record(self, name, answer)
    except AnswerError:
        raise AnswerError(f"{answer!r} is no value of {name!r}") from None


def drops_zeros(self, name, answer):
    report = Client.record(self, name, answer)
    return Report(report.fingerprint, report.row.rstrip(b"\0"))


def shares_its_secret(self, survey, **settings):
    Client.__init__(self, survey, **settings)
    store = self._memory.store
    store.transact(lambda: store.put("secret", b"", (b"pepper",)))


class _PlainKeys(Memory):
    """Keeps permanent responses under the answers themselves."""

    __slots__ = ()

    def memo_key(self, question, _cohort, value, random):  # noqa: ARG002
        """The answer."""
        return question.fingerprint + value


def keeps_answers(self, survey, **settings):
    Client.__init__(self, survey, **settings)
    self._memory.__class__ = _PlainKeys


def of_draws(name, broken):
    return Mutant(name, laws.uniform, randbelow, broken=broken)


def of_sources(name, law, broken):
    return Mutant(name, law, system, broken=broken)


def of_clients(name, law, **replaced):
    return Mutant(name, law, Client, broken=type("Client", (Client,), replaced))


MUTANTS = (
    of_draws("integers by remainder", biased),
    of_draws("integers with one tape lost", last_tape_lost),
    of_draws("integers up to the bound", bound_included),
    of_draws("integers by a scaled float", float_scaled),
    of_sources("state shared after fork (numpy)", laws.fresh_after_fork, numpy_like),
    of_sources("source that repeats itself", laws.fresh, repeating),
    of_sources("source that gives too little", laws.fresh, short),
    of_sources("source that falls back on a generator", laws.no_randomness, falls_back),
    of_clients(
        "permanent response drawn at every call",
        laws.memoized,
        record=forgetting("permanent", "aside", "charge", "limit"),
    ),
    of_clients("memory lost at a restart", laws.memoized, __init__=forgets),
    of_clients(
        "cohort drawn at every call", laws.one_cohort, record=forgetting("cohort")
    ),
    of_clients("fresh noise on retry", laws.answered_once, record=forgetting("charge")),
    of_clients("fresh noise after a restart", laws.answered_once, __init__=forgets),
    of_clients(
        "reports where nothing can be charged", laws.charged_first, __init__=careless
    ),
    of_clients(
        "reports without randomness",
        laws.nothing_without_randomness,
        record=reports_zeros,
    ),
    of_clients("names the answer in an error", laws.silent, record=names_the_answer),
    of_clients(
        "memo keys that all devices share", laws.silent, __init__=shares_its_secret
    ),
    of_clients("memo keys that are answers", laws.silent, __init__=keeps_answers),
    of_clients("width depends on the report", laws.one_width, record=drops_zeros),
    Mutant(
        "textbook choice by d < 3 e^epsilon + 2",
        laws.least_error,
        automatic,
        broken=textbook_choice,
    ),
)
