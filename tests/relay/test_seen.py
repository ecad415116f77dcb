"""What came to a relay: known again, and in tables that do not tell in which order it
came.
"""

import os
import random
import sqlite3

import pytest

from ldp.numbers.epochs import ID_SIZE
from ldp.numbers.randomness import Replay
from ldp_service.relay import seen_ids
from ldp_service.relay.seen_ids import SeenIds
from ldp_service.store import unordered
from ldp_service.store.records import EVER, Epoch
from ldp_service.store.unordered import ROOM

KEY = bytes(range(32))
NAMES = [(b"id%06d" % number, b"envelope%06d" % number) for number in range(700)]


def store(path=":memory:"):
    """A store, and what runs statements on it."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"CREATE TABLE IF NOT EXISTS {seen_ids.TABLE} WITHOUT ROWID")
    return connection, SeenIds(
        lambda statement, *values: connection.execute(statement, values).fetchall(),
        Replay(KEY),
    )


def content_of(connection):
    """The buckets of what came, as they lie in their table."""
    return list(connection.execute("SELECT bucket, id FROM seen_0_0 ORDER BY rowid"))


def claimed(names, at_once, claim=SeenIds.claim):
    """A store to which these came, so many at once."""
    connection, whole = store()
    for start in range(0, len(names), at_once):
        assert all(claim(whole, EVER, names[start : start + at_once]))
    return connection, whole


def test_what_came_is_known_under_each_of_its_names():
    """Among what comes with it, and later; while buckets double."""
    connection, whole = claimed(NAMES, 100)
    buckets = len(content_of(connection))
    assert buckets > 8
    assert buckets * ROOM < 8 * 2 * len(NAMES)
    assert not any(whole.claim(EVER, NAMES))
    one, other = b"one", b"other"
    assert whole.claim(EVER, [(one, other), (b"new", other), (one,), (b"new",)]) == [
        True,
        False,
        False,
        False,
    ]
    # Another epoch knows nothing of it, and an epoch that is forgotten does not either.
    assert whole.epochs() == [EVER]
    assert whole.claim(Epoch(60, 1), [(one, other)]) == [True]
    assert whole.epochs() == [EVER, Epoch(60, 1)]
    whole.forget(EVER)
    assert whole.epochs() == [Epoch(60, 1)]
    assert whole.claim(EVER, [(one,)]) == [True]


def test_tables_do_not_tell_the_order():
    """Whatever the order, and however many came at once: the same buckets, to the
    byte.
    """
    expected = content_of(claimed(NAMES, 1)[0])
    draw = random.Random(3)
    for at_once in (1, 7, 100, len(NAMES)):
        names = draw.sample(NAMES, len(NAMES))
        assert content_of(claimed(names, at_once)[0]) == expected


def test_tables_that_tell_the_order_are_found(monkeypatch):
    """A bucket that has its marks as they came differs from order to order."""
    known = {}

    def as_they_came(marks):
        for mark in marks:
            known.setdefault(mark, len(known))
        return b"".join(sorted(marks, key=known.__getitem__)).ljust(
            ROOM * ID_SIZE, b"\0"
        )

    monkeypatch.setattr(unordered, "_pack", as_they_came)
    one = content_of(claimed(NAMES, 7)[0])
    known.clear()
    assert content_of(claimed(NAMES[::-1], 7)[0]) != one


def test_buckets_are_overwritten_where_they_stand(tmp_path):
    """What comes changes one row for each of its names, and moves none."""
    path = tmp_path / "s.db"
    connection, whole = store(path)
    whole.claim(EVER, NAMES[:100])
    before, rows = path.read_bytes(), dict(content_of(connection))
    assert whole.claim(EVER, NAMES[100:101]) == [True]
    after = path.read_bytes()
    assert len(before) == len(after)
    new = {
        place: marks for place, marks in content_of(connection) if rows[place] != marks
    }
    assert 1 <= len(new) <= 2
    for place, marks in new.items():
        assert after.index(marks) == before.index(rows[place])


def test_keys_are_drawn_for_each_store_and_kept(tmp_path):
    """Nobody who lacks the key knows which bucket something will be in."""
    connection, _ = store(tmp_path / "s.db")
    run = lambda statement, *values: connection.execute(statement, values).fetchall()  # noqa: E731
    SeenIds(run, os.urandom)
    assert run("SELECT * FROM secrets") == [("marks", KEY)]


@pytest.mark.parametrize("secure", [0, 1])
def test_what_is_deleted_is_overwritten_as_the_store_has_it(secure):
    """Buckets that are made anew leave that as it was."""
    connection, whole = store()
    connection.execute(f"PRAGMA secure_delete = {secure}")
    whole.claim(EVER, NAMES)
    assert connection.execute("PRAGMA secure_delete").fetchall() == [(secure,)]


@pytest.mark.parametrize("mark", [b"\0" * ID_SIZE, b"\xff" * ID_SIZE])
def test_buckets_are_read_as_they_were_written(mark):
    """A full one, and one that is all but empty; what is all zeros stands for
    nothing.
    """
    marks = {os.urandom(ID_SIZE) for _ in range(ROOM - 1)}
    there = set(unordered.parts(unordered._pack(marks | {mark})))
    assert there == (marks | {mark}) - {bytes(ID_SIZE)}
