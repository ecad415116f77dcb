"""Uploads to a store that several processes share, and what it has to hold after all of
them.
"""

import random
import time
from contextlib import closing

from durable_work import CATALOGUE, START, expected, upload

from ldp_service.counting.submissions import OverloadError
from ldp_service.counting.writer import Writer
from ldp_service.store.opening import open_snapshot, open_store
from ldp_service.store.reading import history, outcomes_in_all
from ldp_service.store.records import shard_of
from ldp_service.store.verification import findings

UPLOADS = 40
NOW = START + 300
"""While no epoch of any upload is closed."""
_SESSIONS = (
    "FROM pg_stat_activity WHERE application_name = 'ldp' AND datname = "
    "current_database()"
)


def writing(url):
    """A writer, closed at the end."""
    return closing(Writer(lambda: open_store(url), CATALOGUE, clock=lambda: NOW))


def send(writer, number):
    """What became of an upload, which is sent until there is an answer."""
    while True:
        try:
            return writer.write(upload(number).body).outcomes
        except OverloadError:
            time.sleep(0.01)


def send_all(url, seed, together=None):
    """Send every upload, in an order of one's own.

    After the first, wait for the other processes: one that ended leaves its shard to
    the next.
    """
    first, *others = random.Random(seed).sample(range(UPLOADS), UPLOADS)
    with writing(url) as writer:
        send(writer, first)
        if together:
            together.wait(60)
        for number in others:
            send(writer, number)


def held(url):
    """The outcomes and the tallies that a store holds, in which nothing is wrong."""
    with open_snapshot(url) as snapshot:
        assert list(findings(snapshot, None)) == []
        tallies = {
            (envelope.fingerprint, epoch): counts.tolist()
            for envelope in CATALOGUE.tally_parts.values()
            for epoch, counts in history(snapshot, envelope)
        }
        return outcomes_in_all(snapshot), tallies


def assert_each_once(url):
    """A store holds the reports of every upload, once."""
    outcomes, tallies = held(url)
    one = expected(UPLOADS)
    assert outcomes["accepted"] == one.outcomes["accepted"]
    assert tallies == {place: counts.tolist() for place, counts in one.tallies.items()}
    return outcomes


def shards(url):
    """Those that have written."""
    with open_snapshot(url) as snapshot:
        return [shard_of(record) for record in snapshot.scan("root")]


def sessions(server):
    """The processes of the server that serve stores."""
    return server.run(f"SELECT pid {_SESSIONS}")


def end_sessions(server):
    """What an administrator may do at any time."""
    server.run(f"SELECT pg_terminate_backend(pid) {_SESSIONS}")
