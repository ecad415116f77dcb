"""Clients for apps broken on purpose."""

from __future__ import annotations

import os

import embedded_laws as laws
from broken_stores import records_of
from mutants import Mutant

from ldp import StateError
from ldp.wire.wire import FrameReader, decode_batch
from ldp_client import Client, frames
from ldp_client.answering.budget import Budget
from ldp_client.answering.consent import Consent
from ldp_client.answering.ledger import CHARGE, today
from ldp_client.delivery.outbox import Outbox
from ldp_client.embedding.embedded import EmbeddedClient


def in_two_transactions(self, make, *_, **__):
    """Charges in one transaction, queues in another."""
    try:
        report = self._store.transact(lambda: make(self._recorder.respondent()))
        self._store.transact(lambda: self._outbox.put(report))
    except StateError:
        return False
    return True


def uncharged(self, name, answer):
    """Queues a report that no one charged for."""
    report = Client(self.survey).record(name, answer)
    return EmbeddedClient._store_report(self, lambda _: report, None)


def forgotten(self, reason):
    """Drops the charges that a reason calls for, before every answer."""
    for key, (*_, day) in records_of(self._store, CHARGE):
        if reason(day):
            self._store.transact(lambda key=key: self._store.drop(CHARGE, key))


def renewed_daily(self, name, answer):
    """A budget for each day, as some deployments had it."""
    forgotten(self, lambda day: day < today())
    return EmbeddedClient.record(self, name, answer)


def forgets_the_ledger(self, said):
    if said == "forget":
        forgotten(self, lambda _: True)
    EmbeddedClient.set_consent(self, said)


class _Reencoded(Outbox):
    """Draws an id at every attempt."""

    def take(self, *arguments):
        """The same reports in another batch."""
        payloads = FrameReader().feed(super().take(*arguments) or b"")
        return (
            frames(
                decode_batch(payload)._replace(id=os.urandom(16))
                for payload in payloads
            )
            or None
        )

    def decide(self, _frame, *arguments):
        """Whatever it was sent as."""
        super().decide(self._store.transact(self._load_batch), *arguments)


def reencodes(self, *arguments, **settings):
    EmbeddedClient.__init__(self, *arguments, **settings)
    self._outbox.__class__ = _Reencoded


def silent_when_full(self, name, answer):
    """Says nothing about a value that comes too late."""
    responses = len(records_of(self._store, "permanent"))
    return responses < self.survey[name].charges and EmbeddedClient.record(
        self, name, answer
    )


class Unlimited(Budget):
    """Has a charge left for every value."""

    __slots__ = ()

    def charge_value(self, question):
        """Always."""
        self._charge(question)
        return True


def remembers_everything(self, *arguments, **settings):
    """Keeps a permanent response for every value (RAPPOR as published)."""
    EmbeddedClient.__init__(self, *arguments, **settings)
    limited = self._recorder._budget_of

    def unlimited(memory):
        budget = limited(memory)
        budget.__class__ = Unlimited
        return budget

    self._recorder._budget_of = unlimited


class Careless(Consent):
    """Takes everything for consent to record."""

    __slots__ = ()

    def records(self, _said=None):
        """Always."""
        return True


def records_always(self, *arguments, **settings):
    EmbeddedClient.__init__(self, *arguments, **settings)
    self._consent.__class__ = Careless


def sends_all_the_same(self, *arguments, **settings):
    EmbeddedClient.__init__(self, *arguments, **settings)
    if self._sender is not None:
        self._sender._allowed = lambda: True


def of_embedded(name, law, **replaced):
    return Mutant(
        name,
        law,
        EmbeddedClient,
        broken=type("EmbeddedClient", (EmbeddedClient,), replaced),
    )


MUTANTS = (
    of_embedded(
        "charge and report in two transactions",
        laws.one_transaction,
        _store_report=in_two_transactions,
    ),
    of_embedded(
        "reports that no one charged for", laws.one_transaction, record=uncharged
    ),
    of_embedded("another batch at every attempt", laws.same_bytes, __init__=reencodes),
    of_embedded("budget renewed every day", laws.spent_for_good, record=renewed_daily),
    of_embedded(
        "ledger forgotten with the rest",
        laws.spent_for_good,
        set_consent=forgets_the_ledger,
    ),
    of_embedded(
        "silence beyond the last value", laws.never_silent, record=silent_when_full
    ),
    of_embedded(
        "a permanent response for every value",
        laws.never_silent,
        __init__=remembers_everything,
    ),
    of_embedded(
        "records without consent", laws.nothing_without_consent, __init__=records_always
    ),
    of_embedded(
        "sends what waits without consent",
        laws.nothing_without_consent,
        __init__=sends_all_the_same,
    ),
)
