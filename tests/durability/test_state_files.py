"""A state file that nothing can be written to, or that is not where it was: it is
said.
"""

import os
import sqlite3
import stat
from unittest.mock import patch

import pytest
from surveys import DEVICE_SURVEY, survey_of, yes_no

from ldp import StateError
from ldp_client import EmbeddedClient
from ldp_client.keeping.database import LONG, Database
from ldp_client.testing import RecordingTransport


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state"


def opened(path, **settings):
    return EmbeddedClient(DEVICE_SURVEY, state=path, interval=None, **settings)


def put_another(path):
    path.unlink()
    path.write_bytes(b"another")


def put_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "replace",
    [lambda path: path.unlink(), put_another, put_folder],
    ids=["none", "other", "folder"],
)
def test_a_file_that_is_removed_or_replaced_is_noticed(replace, path):
    """Nothing is recorded into, or sent from, a file without a name: it would be
    forgotten.
    """
    collector = RecordingTransport()
    with opened(path, transport=collector) as client:
        assert client.record("once", "red")
        replace(path)
        assert not client.record("bits", "red")
        assert not client.flush(5)
        status = client.status()
        assert "removed, replaced" in status.state
        assert "where nothing removes it" in str(status)
        assert collector.payloads == []


def test_a_file_that_is_moved_back_goes_on(path):
    """It is the same one."""
    with opened(path, transport=RecordingTransport()) as client:
        path.rename(path.with_name("aside"))
        assert not client.record("once", "red")
        path.with_name("aside").rename(path)
        assert client.record("once", "red")
        assert client.status().state == "sound"


def test_a_file_that_may_only_be_read_is_not_sound(path):
    """Whoever runs: to the administrator's processes no file is read-only."""
    with opened(path) as client:
        with patch("os.access", return_value=False):
            assert not client.record("once", "red")
            assert "read-only" in client.status().state
        assert client.record("once", "red")


def test_a_full_disk_is_not_sound(path):
    """What can be read is said all the same, and what to do comes first."""
    with opened(path, transport=RecordingTransport()) as client:
        assert client.record("once", "red")
        run = Database._run

        def full(store, statement, *values):
            if statement.startswith(("INSERT", "PRAGMA user_version =")):
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorcode = sqlite3.SQLITE_FULL
                raise store._unusable(error)
            return run(store, statement, *values)

        with patch.object(Database, "_run", full):
            assert not client.record("bits", "red")
            status = client.status()
        assert "disk is full" in status.state
        assert status.waiting == 1
        assert "room" in status.advice[0]
        assert client.status().state == "sound"


def test_a_damaged_file_is_told_the_way_out(path):
    """By its name, and not by a page to look for."""
    path.write_bytes(b"damaged")
    with opened(path) as client:
        assert "ldp_client.recover" in client.status().advice[0]


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a mode means nothing")
def test_a_file_that_was_restored_for_all_is_made_private(path):
    """And so are the files that SQLite puts beside it."""
    opened(path).close()
    path.chmod(0o644)
    with opened(path) as client:
        assert client.record("once", "red")
        modes = {
            file.name: stat.S_IMODE(file.stat().st_mode)
            for file in path.parent.iterdir()
        }
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3


def test_the_log_of_an_app_that_is_always_killed_does_not_grow(path):
    """It is moved when the next life opens the file, whoever wrote it."""
    survey = survey_of(*(yes_no(f"q{number}") for number in range(40)))
    with EmbeddedClient(survey, state=path, interval=None) as killed:
        for number in range(40):
            killed.record(f"q{number}", True)
        log = path.with_name("state-wal")
        size = log.stat().st_size
        bounded = patch("ldp_client.keeping.database.LONG", size // 2)
        with bounded, EmbeddedClient(survey, state=path, interval=None):
            assert log.stat().st_size < size // 2
    assert size < LONG


def test_a_file_system_without_locks_is_not_called_damaged(path):
    """Nor is another process blamed alone: a refused lock looks like one that is
    held.
    """
    store = Database(path)
    for code, words in (
        (sqlite3.SQLITE_IOERR_SHMMAP, "shared memory"),
        (sqlite3.SQLITE_IOERR_LOCK, "locks"),
        (sqlite3.SQLITE_BUSY, "without locks"),
    ):
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = code
        unusable = store._unusable(error)
        assert isinstance(unusable, StateError)
        assert words in str(unusable)
        assert "recover" not in str(unusable)
