"""The laws of the client that apps embed.

Like those of devices they take a subject and return violations.
"""

from __future__ import annotations

import logging
import tempfile
import time
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from unittest.mock import patch

from broken_stores import FailingDatabase, everything
from surveys import DEVICE_SURVEY

from ldp_client.delivery.schedule import LONGEST_PAUSE
from ldp_client.delivery.transport import retry
from ldp_client.keeping.database import Database
from ldp_client.testing import RecordingTransport

DAY = 86_400


def one_transaction(client):
    """Wherever the disk fails, an answer is charged for and waits to be sent, or
    neither.
    """
    problems, recorded, working = [], False, count()
    with tempfile.TemporaryDirectory() as folder:
        while not recorded:
            store = FailingDatabase(Path(folder) / "state", statements := next(working))
            with _quiet():
                recorded = on_store(client, store).record("once", "red")
            store.left = 1000
            kinds = [kind for kind, _ in everything(store)]
            store.close()
            (Path(folder) / "state").unlink()
            if kinds.count("charge") != kinds.count("report"):
                problems.append(f"{kinds} after {statements} statements")
    return problems


def same_bytes(client):
    """However often a batch is tried, the same bytes are sent."""
    with _opened(client, [retry()] * 5) as (device, transport):
        device.record("mirror", "red")
        for day in range(6):
            with patch.object(
                time, "time", return_value=time.time() + 2 * LONGEST_PAUSE * day
            ):
                device._sender.send_all()
        distinct = len(set(transport.payloads))
        return [] if distinct == 1 else [f"{distinct} payloads for one batch"]


def spent_for_good(client):
    """Neither another day nor forgetting brings a budget back."""
    problems = []
    with _opened(client) as (device, _), _quiet():
        device.record("once", "red")
        for what in ("a day", "forgetting"):
            if what == "forgetting":
                device.set_consent("forget")
                device.set_consent("on")
            with patch.object(time, "time", return_value=time.time() + DAY):
                if device.record("once", "red"):
                    problems.append(f"answered again after {what}")
    return problems


def never_silent(client):
    """Every answer to a memoized question is reported, from the permanent responses
    allowed.
    """
    with _opened(client) as (device, transport), _quiet():
        recorded = [device.record("mirror", f"value {number}") for number in range(20)]
        device._sender.send_all()
        responses = len(set(transport.reports(DEVICE_SURVEY, "mirror")))
    problems = [] if all(recorded) else [f"silent after {recorded.index(False)} values"]
    if responses > DEVICE_SURVEY["mirror"].charges:
        problems.append(f"{responses} permanent responses")
    return problems


def nothing_without_consent(client):
    """While a person does not agree nothing is recorded, and nothing that waits is
    sent.
    """
    with _opened(client) as (device, transport):
        device.record("once", "red")
        device.set_consent("off")
        problems = ["recorded"] if device.record("bits", "red") else []
        device._sender.send_all()
        return problems + (["sent"] if transport.payloads else [])


EMBEDDED_LAWS = (
    one_transaction,
    same_bytes,
    spent_for_good,
    never_silent,
    nothing_without_consent,
)


def on_store(client, store, **settings):
    """A client of the survey of devices, on a database that is open already."""
    device = type(
        "EmbeddedClient", (client,), {"_database": staticmethod(lambda _: store)}
    )
    return device(DEVICE_SURVEY, state=None, **settings)


@contextmanager
def _opened(client, outcomes=()):
    transport = RecordingTransport(outcomes)
    with on_store(client, Database(None), transport=transport, interval=None) as device:
        yield device, transport


@contextmanager
def _quiet():
    """Without the log, which says what the laws cause."""
    logger = logging.getLogger("ldp_client")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before
