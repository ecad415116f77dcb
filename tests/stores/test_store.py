"""The stores: one law of transactions for both, and what only a file can suffer."""

import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

import pytest
from broken_stores import FailingDatabase, everything, records_of
from children import in_child
from surveys import DEVICE_SURVEY, ONCE, REPEATABLE

from ldp import StateError
from ldp_client import Client
from ldp_client.keeping import new_file
from ldp_client.keeping.database import Database
from ldp_client.keeping.store import ProcessStore

STORES = {
    "process": lambda _: ProcessStore(),
    "memory": lambda _: Database(None),
    "file": Database,
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state"


@pytest.fixture(params=STORES.values(), ids=STORES)
def store(request, path):
    return request.param(path)


def keep(store, *records):
    """Keep records of a kind, under a key, in one transaction."""

    def put():
        for kind, key, record in records:
            store.put(kind, key, record)

    store.transact(put)


def test_a_store_keeps_what_it_is_given(store):
    """Records come back as they were put, the last under each key, in the order of
    keys.
    """

    def change():
        for key in (b"b", b"ab", b"a", b"b\xff", b"c", b"ab"):
            store.put("charge", key, (key, 1, "text"))
        store.put("event", b"b", (2**63, 2**64 - 1))
        store.put("charge", b"a", ("again",))
        store.drop("charge", b"c")
        store.drop("charge", b"never there")
        return "done"

    def look():
        assert list(store.records("charge", b"b")) == [
            (b"b", (b"b", 1, "text")),
            (b"b\xff", (b"b\xff", 1, "text")),
        ]
        assert [key for key, _ in store.records("charge")] == [
            b"a",
            b"ab",
            b"b",
            b"b\xff",
        ]
        assert store.get("charge", b"a") == ("again",)
        assert store.get("charge", b"c") is None
        assert store.get("event", b"b") == (2**63, 2**64 - 1)

    assert store.transact(change) == "done"
    store.transact(look)


def test_what_raises_changes_nothing(store):
    """A transaction that raises is taken back as a whole, whatever it raised."""
    keep(store, ("charge", b"kept", (1,)), ("charge", b"changed", (1,)))
    before = everything(store)

    def change():
        store.put("charge", b"new", (1,))
        store.drop("charge", b"kept")
        store.put("charge", b"changed", (2,))
        store.put("charge", b"changed", (3,))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.transact(change)
    assert everything(store) == before


def test_a_transaction_within_another_is_refused(store):
    """Work that comes in between, in the same thread, changes nothing.

    The one that was under way is kept whole.
    """

    def change():
        store.put("charge", b"first", (1,))
        for work in (lambda: keep(store, ("charge", b"between", (1,))), store.settle):
            if work == store.settle and isinstance(store, ProcessStore):
                continue
            with pytest.raises(StateError, match="signal handler"):
                work()
        store.close() if isinstance(store, Database) else None
        store.put("charge", b"second", (2,))

    store.transact(change)
    assert everything(store) == {
        ("charge", b"first"): (1,),
        ("charge", b"second"): (2,),
    }
    keep(store, ("event", b"", (1,)))


def test_threads_wait_for_each_other(store):
    """Read, then write: of 200 increments by 4 threads none is lost."""

    def count():
        (number,) = store.get("event", b"") or (0,)
        store.put("event", b"", (number + 1,))

    def often():
        for _ in range(50):
            store.transact(count)

    threads = [threading.Thread(target=often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert records_of(store, "event") == [(b"", (200,))]


COUNTING = """
import sys
from ldp_client.keeping import state_file
from ldp_client.keeping.database import Database
# As long as it takes, on a machine that is busy.
state_file.PATIENCE = 60
store = Database(sys.argv[1])
def count():
    (number,) = store.get("event", b"") or (0,)
    store.put("event", b"", (number + 1,))
for _ in range(50):
    store.transact(count)
"""


def test_processes_wait_for_each_other(path):
    """Of 150 increments by 3 processes, which also make the file, none is lost."""
    command = [sys.executable, "-c", COUNTING, path]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(120) for process in running] == [0, 0, 0]
    assert everything(Database(path)) == {("event", b""): (150,)}


def test_a_forked_child_opens_its_own_connection(path):
    """A child writes through a connection of its own, and so does its parent
    afterwards.
    """
    store = Database(path)
    keep(store, ("event", b"parent", (1,)))
    inherited = store._connection

    def work():
        keep(store, ("event", b"child", (2,)))
        return store._connection is inherited

    assert in_child(work) == "False"
    assert everything(store) == {("event", b"parent"): (1,), ("event", b"child"): (2,)}


def test_a_forked_child_has_what_was_kept_before(store):
    """In memory as in a file: what was charged stays so, on either side of a fork."""
    keep(store, ("charge", b"a", ("before",)))
    assert (
        in_child(lambda: store.transact(lambda: store.get("charge", b"a")))
        == "('before',)"
    )
    assert store.transact(lambda: store.get("charge", b"a")) == ("before",)


def test_a_fork_waits_for_the_transactions_of_other_threads(store):
    """Forked while another thread uses it, a store works in the child, with what was
    complete.

    Of forks at any moment, without waiting, most fall into one of the transactions,
    which take most of the time.
    """
    stopping = threading.Event()

    def both():
        for name in (b"one", b"two"):
            time.sleep(0.001)
            (number,) = store.get("event", name) or (0,)
            store.put("event", name, (number + 1,))

    def on_and_on():
        while not stopping.is_set():
            store.transact(both)
            time.sleep(
                0.001
            )  # SQLite does not queue: without a gap, other processes wait until they give up

    def look():
        # Other processes wait for a short while only, so on a busy machine a child may
        # have to try again.
        for _ in range(20):
            with suppress(StateError):
                store.transact(lambda: store.put("charge", b"child", (1,)))
                return len({number for key, number in records_of(store, "event")}) <= 1
        return "never"

    thread = threading.Thread(target=on_and_on)
    thread.start()
    try:
        assert [in_child(look) for _ in range(20)] == ["True"] * 20
    finally:
        stopping.set()
        thread.join()
    keep(store, ("event", b"afterwards", (1,)))


def test_a_fork_within_a_transaction_leaves_it_to_the_parent(path):
    """A child forked in its own thread's transaction keeps nothing of it, and goes
    on.
    """
    store = Database(path)

    def fork():
        store.put("event", b"parent", (1,))
        return in_child(lambda: store._connection)

    assert store.transact(fork) == "None"
    assert everything(store) == {("event", b"parent"): (1,)}


@pytest.mark.needs("interval timers")
def test_what_a_signal_handler_raises_leaves_no_lock_held(store):
    """Interrupted at 1,000 moments, a store is whole, and serves other threads after
    each.

    The two numbers of a transaction change together.
    """

    class InterruptedWorkError(Exception):
        pass

    def interrupt(*_):
        raise InterruptedWorkError

    def both():
        for name in (b"one", b"two"):
            (number,) = store.get("event", name) or (0,)
            store.put("event", name, (number + 1,))

    draw = random.Random(1)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(1000):
            try:
                # Once more after a second: Python drops what is raised in a finalizer.
                signal.setitimer(signal.ITIMER_REAL, 1e-5 + draw.random() * 4e-4, 1)
                while True:
                    store.transact(both)
            except InterruptedWorkError:
                pass
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            seen = []
            thread = threading.Thread(
                target=lambda seen=seen: seen.extend(records_of(store, "event")),
                daemon=True,
            )
            thread.start()
            thread.join(30)
            assert not thread.is_alive()
            assert len({number for _, number in seen}) <= 1
    finally:
        signal.signal(signal.SIGALRM, before)


def test_the_state_is_private(path):
    """Only the owner may read the file, its log and its index, whatever the umask.

    No draft of it stays behind.
    """
    before = os.umask(0)
    try:
        client = Client(DEVICE_SURVEY, state=path.parent / "folder" / "state")
        client.record("mirror", "red")
        files = list((path.parent / "folder").iterdir())
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
        assert {file.name for file in files} <= {"state", "state-wal", "state-shm"}
        assert stat.S_IMODE((path.parent / "folder").stat().st_mode) == 0o700
    finally:
        os.umask(before)


def filled(path):
    """A state file with every kind of record, and the records."""
    client = Client(DEVICE_SURVEY, state=path)
    for name in (*ONCE, *REPEATABLE):
        client.record(name, "red")
    store = Database(path)
    keep(store, ("consent", b"", ("on",)), ("report", b"12345678", (b"f" * 16, b"row")))
    records = everything(store)
    store.close()
    client._store.close()
    assert list(path.parent.iterdir()) == [path]
    return records


DAMAGES = {
    "empty": lambda _: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "binary": lambda _: bytes(range(256)) * 64,
    "another format": lambda content: (
        content[:60] + (77).to_bytes(4, "big") + content[64:]
    ),
    "another file": lambda _: b"[survey]\nname = 'x'\n",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_state_is_refused_and_left_alone(damage, path):
    """A file that cannot be trusted gives an error, and is not replaced by a fresh
    one.
    """
    filled(path)
    path.write_bytes(damaged := damage(path.read_bytes()))
    with pytest.raises(StateError, match="state"):
        Client(DEVICE_SURVEY, state=path)
    assert path.read_bytes() == damaged


def test_changed_bits_are_noticed(path):
    """Of 1,000 files with one bit flipped (seed 1), each is refused, or says the same.

    A waiting report may be lost.

    A store without checksums passes over about half of the flips. One that let 1 in 70
    pass would be caught with a probability of 1 - 6e-7.
    """
    records = filled(path)
    content = path.read_bytes()
    used = [place for place in range(len(content)) if content[place]]
    draw = random.Random(1)
    refused = 0
    for _ in range(1000):
        changed = bytearray(content)
        changed[draw.choice(used)] ^= 1 << draw.randrange(8)
        path.write_bytes(changed)
        store = Database(path)
        try:
            readable = everything(store)
        except StateError:
            refused += 1
            continue
        finally:
            store.close()
        assert readable == records or records.items() - readable.items() == {
            (("report", b"12345678"), (b"f" * 16, b"row"))
        }
        assert readable.keys() <= records.keys()
    assert refused > 500


def test_records_that_change_under_an_open_store_are_noticed(path):
    """A record is checked whenever it is read."""
    store = Database(path)
    keep(store, ("charge", b"key", (b"abc",)))
    other = sqlite3.connect(path)
    other.execute("UPDATE records SET content = zeroblob(5)")
    other.commit()
    other.close()
    with pytest.raises(StateError, match="damage"):
        store.transact(lambda: store.get("charge", b"key"))


@pytest.mark.parametrize("place", ["a-file/state", "a-folder"])
@pytest.mark.parametrize("name", [*ONCE, *REPEATABLE])
def test_no_report_where_the_state_cannot_be_kept(place, name, tmp_path):
    """A place that cannot be written to gives a `StateError` and no report."""
    (tmp_path / "a-file").write_text("")
    (tmp_path / "a-folder").mkdir()
    with pytest.raises(StateError, match="state file"):
        Client(DEVICE_SURVEY, state=tmp_path / place).record(name, "red")


def test_a_store_works_again_once_its_disk_does(path):
    """Wherever the disk fails, even at the rollback, nothing is kept, and the next one
    is.
    """
    charges = ("charge", b"first", (1,)), ("charge", b"second", (2,))
    for working in range(4):
        store = FailingDatabase(path, working, rolls_back=False)
        with pytest.raises(StateError):
            keep(store, *charges)
        store.left = 1000
        assert everything(store) == {}
        keep(store, ("event", b"", (1,)))
        assert everything(store) == {("event", b""): (1,)}
        store.close()
        path.unlink()


def test_erased_is_erased(path):
    """What was dropped is in no file any more once the store has settled."""
    store = Database(path)
    needle = b"a permanent response that must not stay"
    keep(store, ("permanent", b"key", (needle,)))
    store.settle()
    assert needle in path.read_bytes()
    store.transact(lambda: store.drop("permanent", b"key"))
    store.settle()
    assert not [file for file in path.parent.iterdir() if needle in file.read_bytes()]


def test_a_transaction_has_its_turn_before_it_reads(path):
    """Reading first and writing later would meet what another process wrote in
    between.
    """
    store = Database(path)
    keep(store, ("event", b"", (1,)))

    def look():
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")

    other = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        store.transact(look)
    finally:
        other.close()


def test_what_another_process_still_reads_has_not_settled(path):
    """Part of the log is not copied yet then, and the caller hears so.

    Once the reader is done, it can be.
    """
    store = Database(path)
    keep(store, ("event", b"one", (1,)))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM records").fetchall()
    keep(store, ("event", b"two", (2,)))
    with pytest.raises(StateError, match="another process in the way"):
        store.settle()
    other.close()
    store.settle()


def test_a_record_under_the_key_of_another_is_noticed(path):
    """A checksum covers kind and key besides the content."""
    store = Database(path)
    keep(store, ("charge", b"one", (1,)), ("charge", b"two", (2,)))
    store.close()
    other = sqlite3.connect(path)
    other.execute(
        "UPDATE records SET key = CASE key WHEN CAST('one' AS BLOB) THEN X'00' ELSE "
        "CAST('one' AS BLOB) END"
    )
    other.commit()
    other.close()
    with pytest.raises(StateError, match="damage"):
        Database(path).transact(lambda: None)


def test_what_is_deleted_is_asked_to_be_overwritten(path):
    """Whatever SQLite does by itself.

    And a new file's name is synced, so that a loss of power does not take it.
    """
    asked, run = [], Database._run

    def noted(store, statement, *values):
        asked.append(statement)
        return run(store, statement, *values)

    with (
        patch.object(Database, "_run", noted),
        patch("os.fsync", wraps=os.fsync) as synced,
    ):
        Database(path).transact(lambda: None)
    assert "PRAGMA secure_delete = ON" in asked
    assert synced.call_count == 2


def test_a_file_at_rest_is_closed_before_a_fork(path):
    """So that the child inherits no connection, whose locks would be its parent's."""
    store = Database(path)
    keep(store, ("event", b"", (1,)))
    assert store._connection is not None
    assert store.hold()
    try:
        assert store._connection is None
    finally:
        store.let_go()


def test_a_file_is_made_where_there_are_no_hard_links(path, monkeypatch):
    """It gets its name all the same, and one that is there already is not replaced."""

    def refuse(*_):
        raise PermissionError("no hard links here")

    monkeypatch.setattr(os, "link", refuse)
    new_file.make(
        str(path), lambda fresh: Path(fresh).write_text("first", encoding="utf-8")
    )
    new_file.make(
        str(path), lambda fresh: Path(fresh).write_text("second", encoding="utf-8")
    )
    assert path.read_text(encoding="utf-8") == "first"
    assert list(path.parent.iterdir()) == [path]


def test_what_a_killed_maker_left_is_swept(path):
    """A file under another name is a second one of the secret, which no rule for
    backups covers.
    """
    left = [f"state.{'0a' * 8}.new{ending}" for ending in ("", "-wal", "-shm")]
    others = [
        "state.new",
        "state.txt",
        f"other.{'0a' * 8}.new",
        f"state.{'0a' * 8}.newer",
    ]
    for name in left + others:
        (path.parent / name).touch()
    store = Database(path)
    store.transact(lambda: None)
    store.close()
    assert {file.name for file in path.parent.iterdir()} == {"state", *others}


def test_what_is_filled_under_one_name_is_not_written_under_another(path):
    """A second maker, of this process or another of its number, works on a file of its
    own.
    """
    names, link = [], os.link

    def note_and_meet(fresh, place):
        """Let another maker, which is as far, be a little quicker."""
        names.append(fresh)
        if len(names) == 1:
            with patch("os.path.exists", return_value=False):
                new_file.make(str(path), lambda name: Path(name).write_text("second"))
        link(fresh, place)

    with patch("os.link", note_and_meet):
        new_file.make(str(path), lambda name: Path(name).write_text("first"))
    assert len(set(names)) == 2
    assert path.read_text(encoding="utf-8") == "second"
    assert list(path.parent.iterdir()) == [path]
