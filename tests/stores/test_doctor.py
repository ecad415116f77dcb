"""What `ldp store doctor` says of damaged stores, and makes of them: losses are
named.
"""

import errno
import json
import random
import shutil
import sqlite3
from collections import Counter
from contextlib import closing, contextmanager
from functools import reduce
from hashlib import sha256
from itertools import chain
from operator import xor
from pathlib import Path

import pytest
from calling import run
from durable_work import CATALOGUE

from lab.endurance.bit_flips import left, said, take, turned
from ldp_service.counting.books import Books
from ldp_service.counting.turn import begin
from ldp_service.repair.doctor import examine, repair
from ldp_service.repair.header import SIZE, changed_places
from ldp_service.store.errors import StoreDamagedError, StoreError
from ldp_service.store.opening import open_store
from ldp_service.store.reading import count_received
from ldp_service.store.records import TOKENS, read_root, seal
from ldp_service.store.sqlite import SQLiteStore
from ldp_service.store.witness import WITNESS

FLIPS = 40


@pytest.fixture(scope="module")
def states():
    return left()


@pytest.fixture
def store(states, tmp_path):
    """The path of a sound store that was closed."""
    return put(states[1].files, tmp_path / "ldp.db")


def put(files, path):
    for name, content in files.items():
        Path(f"{path}{name.removeprefix('store')}").write_bytes(content)
    return path


@contextmanager
def altering(path):
    """A connection to change rows behind the store's back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection


def damage(connection, kind):
    """Change several bits of the last record of a kind; its key."""
    query = "SELECT key, content FROM records WHERE kind = ? ORDER BY key DESC"
    key, content = connection.execute(query, (kind,)).fetchone()
    broken = bytes(byte ^ 0x55 for byte in content)
    connection.execute(
        "UPDATE records SET content = ? WHERE kind = ? AND key = ?", (broken, kind, key)
    )
    return key


def drop_kept(connection):
    """Take all batches that were kept whole out of a store, so that its root does not
    miss them.
    """
    rows = connection.execute(
        "SELECT checksum FROM records WHERE kind = 'kept'"
    ).fetchall()
    [(key, content)] = connection.execute(
        "SELECT key, content FROM records WHERE kind = 'root'"
    ).fetchall()
    root = read_root(content)
    digest = reduce(
        xor, (int.from_bytes(checksum, "big") for (checksum,) in rows), root.digest
    )
    fresh = seal(
        "root",
        key,
        root._replace(records=root.records - len(rows), digest=digest).pack(),
    )
    connection.execute("DELETE FROM records WHERE kind = 'kept'")
    row = fresh.content, fresh.checksum.to_bytes(8, "big")
    connection.execute(
        "UPDATE records SET content = ?, checksum = ? WHERE kind = 'root'", row
    )


def tables(connection):
    """Those of ids, in the order of time."""
    return sorted(
        name
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE name LIKE 'ids%'"
        )
    )


def turned_over(content):
    """The same with one bit changed, in the middle."""
    if isinstance(content, str):
        return turned_over(content.encode()).decode()
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]


def opened(path):
    """All that estimates are made of, of a store that is found sound and whose batches
    add up.
    """
    with closing(SQLiteStore(path)) as store:
        books = Books(store, CATALOGUE.tally_parts)
        with store.snapshot() as snapshot:
            assert (
                count_received(snapshot)
                == books.root.received
                == sum(told(said(store)).values())
            )
        return said(store)


def told(outcomes):
    return sum(outcomes[1].values(), Counter())


def repaired(path):
    diagnosis = repair(f"sqlite:///{path}", {})
    assert not examine(f"sqlite:///{path}", {}).troubles
    return diagnosis, opened(path)


def test_a_sound_store(store):
    """Nothing is wrong, so nothing is changed."""
    before = store.read_bytes()
    assert run("store", "doctor", f"sqlite:///{store}").output.startswith("sound: ")
    assert run("store", "doctor", f"sqlite:///{store}", "--repair").output.startswith(
        "sound: "
    )
    assert store.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"x" * 5000, "nothing of it can be read"), (None, "no such file")],
)
def test_no_store(tmp_path, content, expected):
    """A file that is no database, or none at all, is said to be that."""
    path = tmp_path / "ldp.db"
    if content is not None:
        path.write_bytes(content)
    for words in ((), ("--repair",)):
        assert (
            expected
            in run("store", "doctor", f"sqlite:///{path}", *words, code=1).output
        )
    assert not path.exists() or path.read_bytes() == content


@pytest.mark.parametrize(
    "kind", ["root", "survey", "tally", "intake", "ids", "closed", "seen", "kept"]
)
@pytest.mark.parametrize("column", ["kind", "key", "content", "checksum"])
def test_a_bit_is_put_back(store, states, kind, column):
    """Any one bit of a record is put back, that of its name included.

    Nothing is lost, and that is said.
    """
    with altering(store) as connection:
        query = f"SELECT key, {column} FROM records WHERE kind = ? ORDER BY key DESC"
        key, content = connection.execute(query, (kind,)).fetchone()
        changed = turned_over(content)
        connection.execute(
            f"UPDATE records SET {column} = ? WHERE kind = ? AND key = ?",
            (changed, kind, key),
        )
    diagnosis, after = repaired(store)
    assert [
        trouble.problem.startswith("one bit has changed")
        for trouble in diagnosis.troubles
    ] == [True]
    assert not diagnosis.lost
    assert after == states[1].known
    assert "sound" in run("store", "doctor", f"sqlite:///{store}").output


def test_a_bit_of_an_id_is_put_back(store, states):
    """The sums of ids say which bit of which id it was, so that the batch is still
    known.
    """
    with altering(store) as connection:
        table = tables(connection)[-1]
        [id_] = connection.execute(f"SELECT min(id) FROM {table}").fetchone()
        connection.execute(
            f"UPDATE {table} SET id = ? WHERE id = ?", (turned_over(id_), id_)
        )
    diagnosis, after = repaired(store)
    assert [(trouble.problem[:25], trouble.lost) for trouble in diagnosis.troubles] == [
        ("one bit has changed in an", False)
    ]
    assert after == states[1].known
    with altering(store) as connection:
        assert connection.execute(
            f"SELECT count(*) FROM {table} WHERE id = ?", (id_,)
        ).fetchone() == (1,)


def test_a_tally_with_an_unknown_part_is_set_aside(store, states):
    """It is gone from the estimates of its epoch, its batches are lost, by name and
    number.

    Nothing else changes.
    """
    with altering(store) as connection:
        drop_kept(connection)
        key = damage(connection, "tally")
    diagnosis, (tallies, outcomes) = repaired(store)
    assert diagnosis.lost
    [trouble] = [
        trouble
        for trouble in diagnosis.troubles
        if "set aside: estimates" in trouble.remedy
    ]
    before, _ = states[1].known
    question = next(
        envelope
        for envelope in CATALOGUE.tally_parts.values()
        if envelope.fingerprint == key[:16]
    )
    assert question.name in trouble.problem
    lost = told((None, outcomes))["lost"]
    assert f"its {lost} batches are counted as lost" in trouble.remedy
    assert [
        (fingerprint == key[:16], those["lost"])
        for (fingerprint, _), those in outcomes.items()
        if those["lost"]
    ] == [(True, lost)]
    for after, then in zip(tallies, before, strict=True):
        assert {name for name in after if after[name] != then[name]} <= {question.name}


def test_a_tally_is_counted_anew_from_what_was_kept(store, states):
    """Where all batches of question and epoch are kept, only the broken record is
    lost.
    """
    with altering(store) as connection:
        damage(connection, "tally")
    diagnosis, after = repaired(store)
    assert [trouble.lost for trouble in diagnosis.troubles] == [False, False]
    assert "it is counted anew" in diagnosis.troubles[1].remedy
    assert after == states[1].known


def test_lost_outcomes_are_counted(store, states):
    """Batches of which nothing is known any more are lost, and their tallies stay as
    they are.
    """
    with altering(store) as connection:
        damage(connection, "intake")
    diagnosis, (tallies, outcomes) = repaired(store)
    assert diagnosis.lost
    assert told((None, outcomes))["lost"] > 0
    assert tallies == states[1].known[0]


@pytest.mark.parametrize("ever", [False, True])
def test_lost_ids(store, states, ever):
    """Without ids an epoch is closed, so that nothing is counted twice.

    Without epochs that cannot be, and is said.
    """
    with altering(store) as connection:
        table = "ids_0_0" if ever else tables(connection)[-1]
        connection.execute(
            f"DELETE FROM {table} WHERE id IN (SELECT id FROM {table} LIMIT 3)"
        )
    diagnosis, after = repaired(store)
    assert diagnosis.lost
    assert after == states[1].known
    assert ("counted twice if it is sent again" in diagnosis.troubles[0].remedy) == ever
    with closing(SQLiteStore(store)) as opened_again:
        outcomes = Counter(
            chain.from_iterable(
                take(Books(opened_again, CATALOGUE.tally_parts), range(112))
            )
        )
    assert outcomes["accepted"] == 3 * ever
    assert outcomes["late"] > 0


@pytest.mark.parametrize("lost", [False, True])
def test_what_tokens_left(store, lost):
    """One that is lost is said to be good again; a bit of one is put back."""
    spent = sorted(sha256(b"%d" % number).digest()[:16] for number in range(5))
    with (
        closing(SQLiteStore(store)) as before,
        begin(Books(before, CATALOGUE.tally_parts)) as turn,
    ):
        assert turn.claim(TOKENS, spent) == {*spent}
    with altering(store) as connection:
        [(cell,)] = connection.execute("SELECT id FROM ids_0_1").fetchall()
        if lost:
            changed = cell[16:] + bytes(16)
        else:
            changed = cell[:20] + bytes([cell[20] ^ 1]) + cell[21:]
        connection.execute("UPDATE ids_0_1 SET id = ?", (changed,))
    diagnosis, _ = repaired(store)
    [trouble] = diagnosis.troubles
    assert "one-time tokens" in trouble.problem
    assert ("can be used again" in trouble.remedy) == bool(diagnosis.lost) == lost
    with closing(SQLiteStore(store)) as after:
        after.begin()
        assert after.claim(TOKENS, spent) == {*spent[:lost]}
        after.roll_back()


def test_an_epoch_that_was_closed_is_closed_again(store, states):
    """The note that it is closed can be lost: that it has batches and no ids shows
    it.
    """
    with altering(store) as connection:
        [closed] = connection.execute(
            "SELECT content FROM records WHERE kind = 'closed'"
        ).fetchone()
        damage(connection, "closed")
    repaired(store)
    with altering(store) as connection:
        assert connection.execute(
            "SELECT content FROM records WHERE kind = 'closed'"
        ).fetchone() == (closed,)


def test_a_lost_survey_is_given(store, states, tmp_path):
    """With the file of a lost survey the store is what it was.

    Without it, what may be incomplete is set aside.
    """
    for served in CATALOGUE.all:
        (tmp_path / served.survey.name).write_text(served.source)
    with altering(store) as connection:
        drop_kept(connection)
        connection.execute("DELETE FROM records WHERE kind = 'survey'")
    words = [
        word
        for served in CATALOGUE.all
        for word in ("--survey", tmp_path / served.survey.name)
    ]
    assert "\n   loss: " in run("store", "doctor", f"sqlite:///{store}", code=1).output
    assert (
        "repaired"
        in run("store", "doctor", f"sqlite:///{store}", "--repair", *words).output
    )
    assert opened(store) == states[1].known


def test_a_damaged_witness_is_written_anew(store, states):
    """Nothing is lost with it."""
    Path(f"{store}{WITNESS}").write_bytes(b"x" * 16)
    with pytest.raises(StoreDamagedError, match="ldp store doctor"):
        opened(store)
    diagnosis, after = repaired(store)
    assert not diagnosis.lost
    assert after == states[1].known


def test_what_sqlite_believes_of_its_header(states, tmp_path):
    """A bit in each of its bytes: never sound where a service refuses, and the known
    are put back.

    Unknown ones (sizes and counters) are found as damage, or do no harm.
    """
    # Every sixth of those is repaired as well: each repair waits for the disk several
    # times.
    draw = random.Random(9)
    fates = Counter()
    for place in range(SIZE):
        content = bytearray(states[1].files["store"])
        content[place] ^= 1 << draw.randrange(8)
        store = put(
            states[1].files | {"store": bytes(content)}, tmp_path / f"{place}.db"
        )
        copy = put(
            states[1].files | {"store": bytes(content)}, tmp_path / f"{place}-copy.db"
        )
        examination = examine(f"sqlite:///{store}", {})
        if changed_places(store):
            fates["put back"] += 1
            assert not examination.lost
            assert f"at byte {place}" in examination.troubles[0].problem
            assert place % 6 or repaired(store)[1] == states[1].known
        try:
            assert opened(copy) == states[1].known
        except StoreError:
            fates["refused"] += 1
            assert examination.troubles, place
    assert fates["put back"] >= 72
    assert fates["refused"] > 10


def test_a_store_that_is_all_in_its_log(tmp_path):
    """Before anything is copied into the file, its header has less, and nothing is
    wrong.
    """
    path = tmp_path / "ldp.db"
    with closing(SQLiteStore(path)) as store:
        take(Books(store, CATALOGUE.tally_parts), range(4))
        assert not examine(f"sqlite:///{path}", {}).troubles


def test_a_copy_of_the_file_alone(states, tmp_path):
    """Without its log and its witness nothing says that nothing is missing."""
    store = tmp_path / "ldp.db"
    store.write_bytes(states[0].files["store"])
    said_of_it = run("store", "doctor", f"sqlite:///{store}", code=1).output
    assert "it cannot be seen whether the last of them are missing" in said_of_it
    assert "nothing is missing" not in said_of_it
    assert "repaired" in run("store", "doctor", f"sqlite:///{store}", "--repair").output
    assert "sound" in run("store", "doctor", f"sqlite:///{store}").output


def test_missing_commits_are_said_to_be(states, tmp_path):
    """The end of a log is gone with what it took in.

    The store goes on from what it has, once that is accepted.
    """
    store = put(states[0].files, tmp_path / "ldp.db")
    log = Path(f"{store}-wal")
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    result = run("store", "doctor", f"sqlite:///{store}", code=1)
    assert "commits were acknowledged" in result.output
    assert "with loss" in result.output
    assert (
        "repaired with loss"
        in run("store", "doctor", f"sqlite:///{store}", "--repair", code=1).output
    )
    opened(store)


def test_pages_that_cannot_be_read(store, states):
    """Rows before and after a damaged page are saved, and what was on it is not
    guessed.
    """
    content = bytearray(store.read_bytes())
    with altering(store) as connection:
        [(page,)] = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'records'"
        )
    child = int.from_bytes(content[(page - 1) * 4096 + 8 :][:4], "big") or page
    leaf = next(
        at
        for at in range(len(content) // 4096 - 1, 1, -1)
        if content[at * 4096] == 10 and at != child
    )
    content[leaf * 4096 : leaf * 4096 + 64] = bytes(64)
    store.write_bytes(content)
    diagnosis, _ = repaired(store)
    assert diagnosis.lost
    assert any(
        "structure of the database" in trouble.problem for trouble in diagnosis.troubles
    )


def test_what_is_not_said_to_be_lost_is_there(states, tmp_path):
    """Whatever bit turns over: the store is repaired, without loss only if it is then
    what it was.

    Or unreadable.
    """
    draw, fates = random.Random(8), Counter()
    for number in range(FLIPS):
        state = states[number % 2]
        store = put(turned(state.files, draw)[0], tmp_path / f"{number}.db")
        try:
            diagnosis, after = repaired(store)
        except StoreError as error:
            assert "nothing of it can be read" in str(error)  # noqa: PT017 (both outcomes are right)
            fates["unreadable"] += 1
            continue
        fates["lost" if diagnosis.lost else "whole"] += 1
        assert diagnosis.lost or after == state.known
    assert fates["whole"] > FLIPS / 3
    assert fates["unreadable"] < FLIPS / 10


def test_a_store_on_postgres_is_examined(postgres_server):
    """It is examined like others, and repaired from a backup of the database only."""
    url = postgres_server.emptied()
    with closing(open_store(url)) as store:
        take(Books(store, CATALOGUE.tally_parts), range(20))
        assert not examine(url, {}).troubles
        [record, *_] = store.scan("tally")
        store.begin()
        store.put(
            [record._replace(content=bytes(byte ^ 0x55 for byte in record.content))]
        )
        store.commit()
    assert "may lack a part" in run("store", "doctor", url, code=1).output
    assert (
        "backup of the database"
        in run("store", "doctor", url, "--repair", code=1).output
    )


def test_a_store_is_not_repaired_under_a_service(store):
    """It may be looked at, though."""
    with closing(SQLiteStore(store)):
        assert "sound" in run("store", "doctor", f"sqlite:///{store}").output
        assert (
            "another process does"
            in run("store", "doctor", f"sqlite:///{store}", "--repair", code=1).output
        )


def test_a_repair_that_fails_changes_nothing(store, monkeypatch):
    """Without room for a copy of what is there, it is left as it is."""

    def no_room(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with altering(store) as connection:
        damage(connection, "root")
    before = store.read_bytes()
    monkeypatch.setattr(shutil, "copy2", no_room)
    assert (
        "No space left"
        in run("store", "doctor", f"sqlite:///{store}", "--repair", code=1).output
    )
    assert store.read_bytes() == before
    assert not store.with_name("ldp.db.repairing").exists()


SPY = """
CREATE TABLE spy (moment TEXT);
CREATE TRIGGER noting AFTER INSERT ON records BEGIN INSERT INTO spy VALUES (datetime('now')); END;
"""


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        (SPY, "trigger noting"),
        ("CREATE TABLE ids_spy (id BLOB PRIMARY KEY) WITHOUT ROWID", "table ids_spy"),
        ("CREATE TABLE ids_7_7 (id BLOB DEFAULT (datetime('now')))", "table ids_7_7"),
        ("CREATE INDEX spying ON records (datetime(content))", "index spying"),
        ("ALTER TABLE records ADD COLUMN moment TEXT", "table records"),
    ],
)
def test_what_no_store_has_is_refused_and_left_behind(store, statement, name):
    """A trigger in a backup could note the moment of every batch, from its restore
    on.
    """
    with altering(store) as connection:
        connection.executescript(statement)
    url = f"sqlite:///{store}"
    assert name in run("store", "doctor", url, code=1).stdout
    assert name in run("store", "restore", store, f"{url}.fresh", code=1).stderr
    assert name in run("store", "backup", url, f"{store}.backup", code=1).stderr
    with pytest.raises(StoreDamagedError, match=name):
        SQLiteStore(store)
    repair(url, {})
    assert not examine(url, {}).troubles
    with altering(store) as connection:
        [(objects,)] = connection.execute(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'spy' OR sql LIKE "
            "'%moment%'"
        )
    assert objects == 0


def test_a_view_that_never_ends_holds_nobody(store):
    """It stands where the records were."""
    with altering(store) as connection:
        connection.executescript(
            "ALTER TABLE records RENAME TO others; CREATE VIEW records AS WITH "
            "RECURSIVE n (kind) AS (SELECT 1 UNION ALL SELECT kind + 1 FROM n) SELECT "
            "kind, kind AS key, kind AS content, kind AS checksum FROM n"
        )
    url = f"sqlite:///{store}"
    assert "views" in run("store", "doctor", url, code=1).stderr
    assert "views" in run("store", "doctor", url, "--repair", code=1).stderr
    assert (
        "view records" in run("store", "restore", store, f"{url}.fresh", code=1).stderr
    )


def test_the_damaged_store_is_kept(store):
    """Under a name that is said, byte for byte; examining alone changes nothing."""
    with altering(store) as connection:
        damage(connection, "root")
    damaged = store.read_bytes()
    told_first = json.loads(
        run("store", "doctor", f"sqlite:///{store}", "--format", "json", code=1).stdout
    )
    assert (told_first["sound"], told_first["repaired"]) == (False, False)
    assert store.read_bytes() == damaged
    result = json.loads(
        run(
            "store",
            "doctor",
            f"sqlite:///{store}",
            "--repair",
            "--format",
            "json",
            code=1,
        ).stdout
    )
    assert (result["repaired"], result["lost"]) == (True, True)
    assert Path(result["kept_as"]).read_bytes() == damaged
