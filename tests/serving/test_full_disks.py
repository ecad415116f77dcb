"""Disks without room for an upload: not ready for as long as one would be refused, no
longer.
"""

import errno
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from calling import run
from collecting import wait_for
from durable_work import CATALOGUE, upload
from postgres import Server

from ldp_service.counting import submission_queue
from ldp_service.counting import writer as writing
from ldp_service.counting.submissions import OverloadError
from ldp_service.counting.writer import Writer
from ldp_service.store.opening import open_store
from ldp_service.store.sqlite import PAGE, SQLiteStore, translate_errors

LOOKS = 5
"""A writer whose first look had seen room would say so after as many."""


@pytest.fixture
def looks(monkeypatch):
    """How often writers have looked for room, which they do after every turn."""
    done, genuine = [], Writer._look_for_room

    def look(writer):
        genuine(writer)
        done.append(writer)

    monkeypatch.setattr(writing, "ROOM_EVERY", 0.0)
    monkeypatch.setattr(submission_queue, "_IDLE", 0.02)
    monkeypatch.setattr(Writer, "_look_for_room", look)
    return done


def stays_full(writer, looks):
    """An upload is refused, and the writer says why for as long as it looks."""
    with pytest.raises(OverloadError):
        writer.write(upload(0).body)
    after = len(looks) + LOOKS
    while len(looks) < after:
        assert writer.trouble is not None
    # Nothing is said of room that comes and goes with each look.
    assert writer.lasting.counts["full"] >= LOOKS


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE])
def test_some_pages_are_no_room_for_an_upload(tmp_path, monkeypatch, looks, code):
    """A page, and a commit of nothing, would fit into what is left of the disk; uploads
    do not.

    To SQLite the end of a quota is an error of the disk.
    """
    left = [3 * PAGE]
    write, claim = Path.write_bytes, SQLiteStore.claim

    def written(path, content):
        if len(content) > left[0]:
            raise OSError(errno.EDQUOT, "Disk quota exceeded")
        return write(path, content)

    def claimed(store, epoch, ids):
        if left[0] < 10 * PAGE:
            with translate_errors(store._path):
                error = sqlite3.OperationalError("disk")
                error.sqlite_errorcode = code
                raise error
        return claim(store, epoch, ids)

    monkeypatch.setattr(Path, "write_bytes", written)
    monkeypatch.setattr(SQLiteStore, "claim", claimed)
    with closing(
        Writer(lambda: open_store(f"sqlite:///{tmp_path}/s.db"), CATALOGUE)
    ) as writer:
        stays_full(writer, looks)
        # The log may be what fills the disk: it goes into the file.
        assert not (tmp_path / "s.db-wal").stat().st_size
        left[0] = 100 * PAGE
        wait_for(lambda: writer.trouble is None)
        assert writer.write(upload(0).body).outcomes["accepted"]


def test_a_server_without_room_is_known_by_more_than_a_commit_of_nothing(
    postgres_server, looks
):
    """PostgreSQL commits what changes rows that it has, and refuses what makes a file
    longer.
    """
    if not hasattr(postgres_server, "administrator"):
        pytest.skip("expected a server of our own to refuse tables on")
    url = postgres_server.emptied()
    with closing(Writer(lambda: open_store(url), CATALOGUE)) as writer:
        with no_new_tables(postgres_server):
            stays_full(writer, looks)
            said = run("store", "doctor", url).output
            assert said.startswith("sound")
            assert "besides: expected to use the store at" in said
            assert "No space left on device" in said
        wait_for(lambda: writer.trouble is None)
        assert writer.write(upload(0).body).outcomes["accepted"]
        assert "besides" not in run("store", "doctor", url).output
        # Nothing is left of what was filled to see whether there is room.
        assert postgres_server.run("SELECT to_regclass('ldp.room')") == [(None,)]


@contextmanager
def no_new_tables(server):
    """A server that has no room for another file, and says so as it does of a full
    disk.
    """
    administrator = server.administrator.database
    there = Server(administrator.replace("//postgres@/postgres", "//postgres@/ldp"))
    there.run(
        "CREATE FUNCTION no_room() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE 'No space left on device' USING ERRCODE = 'disk_full'; END $$"
    )
    there.run(
        "CREATE EVENT TRIGGER full_disk ON ddl_command_start WHEN TAG IN ('CREATE "
        "TABLE') EXECUTE FUNCTION no_room()"
    )
    try:
        yield
    finally:
        there.run("DROP EVENT TRIGGER full_disk")
        there.run("DROP FUNCTION no_room()")
