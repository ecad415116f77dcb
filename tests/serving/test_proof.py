"""Stores with many ids: opened at once, checked beside the writer, and believed no
longer than so.

Counted in ids and seen in what a writer says, not in seconds: `benchmarks.service`
measures those.
"""

import logging
import sqlite3
import time
from contextlib import closing

import pytest
from hostile_http import fresh
from wire_samples import SURVEY, TEXT

from ldp_service.counting.served import Catalogue, Served
from ldp_service.counting.writer import Writer
from ldp_service.store import verification
from ldp_service.store.errors import StoreDamagedError, StoreError
from ldp_service.store.opening import open_store

IDS = 50


def until(holds, patience=90):
    """Wait until something holds."""
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def opened(tmp_path):
    """Opens a writer on a store that has ids."""

    def open_writer(on_failure=lambda _: None):
        catalogue = Catalogue([Served(SURVEY, TEXT)])
        url = f"sqlite:///{tmp_path}/s.db"
        return Writer(lambda: open_store(url), catalogue, on_failure=on_failure)

    with closing(open_writer()) as writer:
        writer.write(b"".join(fresh() for _ in range(IDS)))
    return open_writer


def lose_an_id(path):
    with closing(sqlite3.connect(path / "s.db")) as connection:
        connection.execute(
            "DELETE FROM ids_0_0 WHERE id = (SELECT min(id) FROM ids_0_0)"
        )
        connection.commit()


def test_few_ids_are_checked_before_anything_is_believed(opened, tmp_path, monkeypatch):
    """Down to the last one that a start waits for."""
    lose_an_id(tmp_path)
    monkeypatch.setattr(verification, "AT_ONCE", IDS)
    with pytest.raises(StoreDamagedError, match=f"{IDS} ids, and has {IDS - 1}"):
        opened()


def test_many_ids_stop_a_writer_where_they_are_not_as_they_should_be(
    opened, tmp_path, monkeypatch
):
    """It says so as it would have at the start, and takes nothing more."""
    lose_an_id(tmp_path)
    monkeypatch.setattr(verification, "AT_ONCE", IDS - 1)
    failures = []
    with closing(opened(failures.append)) as writer:
        until(lambda: failures)
        assert f"{IDS} ids, and has {IDS - 1}" in writer.trouble
        with pytest.raises(StoreError, match="ldp store doctor"):
            writer.write(fresh())


def test_many_sound_ids_are_said_to_be(opened, monkeypatch, caplog):
    """Uploads are taken meanwhile; records are checked at the start as ever."""
    monkeypatch.setattr(verification, "AT_ONCE", IDS - 1)
    caplog.set_level(logging.INFO)
    with closing(opened()) as writer:
        assert writer.write(fresh()).outcomes == {"accepted": 1}
        until(lambda: "as they should be" in caplog.text)
        assert writer.trouble is None
