"""Consent actions of a person: written down, with all that follows from them.

Consent raises what a survey may spend, or stops everything; `forget` erases what is
kept and what waits; `rotate` begins with a new secret. Where another process writes to
the state file for long, it is written as soon as that can be; in this process it holds
at once.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ldp.errors import StateError
from ldp_client.answering.budget import renew
from ldp_client.answering.consent import FORGET, OFF, ON, Consent
from ldp_client.delivery.outbox import Outbox
from ldp_client.embedding.recorder import Recorder
from ldp_client.keeping.database import Database
from ldp_client.keeping.locks import BusyError


class ConsentActions:
    """Consent actions in the store of a recorder."""

    def __init__(
        self, store: Database, consent: Consent, recorder: Recorder, outbox: Outbox
    ) -> None:
        self._store = store
        self._consent = consent
        self._recorder = recorder
        self._outbox = outbox

    def state(self) -> str:
        """Return the consent of the person to this version of the survey. Raises
        `StateError`.
        """
        if self._consent.withdrawn:
            return OFF
        try:
            return self._store.transact(self._consent.state)
        except BusyError:
            if self._recorder.snapshot is None:
                raise
            return self._recorder.snapshot.said

    def keep(self, said: str) -> bool:
        """Note what the person says. Whether that is on disk. Raises `StateError`."""
        return self._write_note(lambda: self._keep(said))

    def rotate(self) -> bool:
        """Begin with a new secret. Whether that is on disk. Raises `StateError`."""

        def renew() -> None:
            self._erase("the secret was renewed")
            self._draw_secret()

        return self._write_note(renew)

    def _write_note(self, note: Callable[[], None]) -> bool:
        self._recorder.snapshot = None
        try:
            self._store.transact(note)
        except BusyError:
            self._recorder.backlog.add(note)
            return False
        self._store.settle()
        return True

    def _keep(self, said: str) -> None:
        self._consent.keep(said)
        if said == ON:
            self._recorder.budget().agree()
            self._draw_secret()
        if said == FORGET:
            self._erase("everything but this ledger was forgotten")
            self._outbox.erase()

    def _draw_secret(self) -> None:
        """Settled with the rest: one that a backup has and power takes would answer
        once more.
        """
        # Where it cannot be sealed now, it is drawn when it is needed.
        with suppress(StateError):
            self._recorder.draw_secret()

    def _erase(self, reason: str) -> None:
        self._recorder.memory().erase(reason)
        renew(self._store)
