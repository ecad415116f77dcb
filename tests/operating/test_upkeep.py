"""Backups while a service counts, restores, surveys that are forgotten, tallies that
are let go.
"""

import json
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from calling import run
from collecting import collecting, frame, running, wait_for
from joint_counts import JOINT, count
from pages import service_of
from wire_samples import SURVEY, TEXT, batch_of, file_of

from ldp import parse_survey
from ldp.errors import LDPError
from ldp_service.counting.admission import Rules
from ldp_service.counting.books import Books
from ldp_service.counting.housekeeping import define, tidy
from ldp_service.counting.publication import Publication, Publisher
from ldp_service.counting.served import Catalogue, Served
from ldp_service.counting.turn import begin
from ldp_service.repair.doctor import examine
from ldp_service.sources.folder import FolderSource
from ldp_service.store.errors import StoreError
from ldp_service.store.opening import open_snapshot, open_store
from ldp_service.store.reading import count_received, history, outcomes_in_all, tally_of
from ldp_service.store.records import SHOWN, TALLY, Epoch
from ldp_service.store.sqlite import SQLiteStore
from ldp_service.store.verification import findings
from ldp_service.store.witness import WITNESS
from ldp_service.upkeep import rotation
from ldp_service.upkeep.backup import back_up, restore
from ldp_service.upkeep.removal import remove_survey
from ldp_service.upkeep.rotation import back_up_into, parse_keep

OTHER = TEXT.replace('name = "example"', 'name = "other"')


def batches(first, stop):
    """Frames of one batch each."""
    return [
        file_of(batch_of("symbol", 2, f"batch {number}"))
        for number in range(first, stop)
    ]


def accepted(url):
    """The batches that a store counted; it is sound, and its tallies have their
    reports.
    """
    with open_snapshot(url) as snapshot:
        assert list(findings(snapshot, None)) == []
        number = outcomes_in_all(snapshot)["accepted"]
        assert tally_of(snapshot, SURVEY).reports("symbol") == 2 * number
        return number


def test_a_backup_while_uploads_go_on(tmp_path):
    """It is of one moment, sound by itself, and has all that was acknowledged before it
    began.
    """
    url = f"sqlite:///{tmp_path}/store.db"
    stop, acknowledged = threading.Event(), []
    with service_of(TEXT, folder=tmp_path) as service:

        def upload():
            for body in batches(0, 2000):
                if stop.is_set():
                    return
                service.writer.write(body)
                acknowledged.append(body)

        uploading = threading.Thread(target=upload)
        uploading.start()
        try:
            for number in range(3):
                wait_for(lambda number=number: len(acknowledged) > 20 * (number + 1))
                before = len(acknowledged)
                sizes = back_up(url, tmp_path / f"{number}.backup")
                assert before <= sizes.accepted <= len(acknowledged) + 1
                backup = f"sqlite:///{tmp_path}/{number}.backup"
                assert accepted(backup) == sizes.accepted
                assert examine(backup, {}).troubles == ()
        finally:
            stop.set()
            uploading.join()
    names = {path.name for path in tmp_path.glob("*.backup*")}
    whole = {
        f"{number}.backup{end}" for number in range(3) for end in ("", "-acknowledged")
    }
    # SQLite's own for those who read it are no part of a backup.
    assert {name for name in names if not name.endswith(("-shm", "-wal"))} == whole


def test_what_a_restore_loses_and_what_mends_it(tmp_path):
    """What was acknowledged after the backup is gone, in numbers; what was not comes
    again, once.

    A folder is read on from where the backup was, so that of it nothing is lost.
    """
    url, place = f"sqlite:///{tmp_path}/store.db", tmp_path / "monday.backup"
    folder = tmp_path / "reports"
    folder.mkdir()
    with service_of(TEXT, folder=tmp_path) as service:
        for body in batches(0, 30):
            service.writer.write(body)
        run("store", "backup", url, place)
        for body in batches(30, 40):
            service.writer.write(body)
        refused = run("store", "restore", place, url, "--replace", code=1).stderr
        assert "another process" in refused
    assert "found one" in run("store", "restore", place, url, code=1).stderr
    restored = json.loads(
        run("store", "restore", place, url, "--replace", "--format", "json").output
    )
    assert (restored["store"]["accepted"], restored["batches_not_in_it"]) == (30, 10)
    assert accepted(url) == 30
    assert accepted(f"sqlite:///{restored['kept_as']}") == 40
    with service_of(TEXT, folder=tmp_path) as service:
        # What devices still have, and what they sent before the backup and repeat.
        for body in batches(20, 35):
            service.writer.write(body)
    assert accepted(url) == 35
    (folder / "a.ldp").write_bytes(b"".join(frame(number) for number in range(5)))
    with collecting(url) as collector:
        source = FolderSource(folder, collector, collector.read, every=0.05)
        with running(source):
            wait_for(lambda: collector.outcomes["accepted"] == 40)
    restore(place, url, replaces=True)
    with collecting(url) as collector:
        source = FolderSource(folder, collector, collector.read, every=0.05)
        with running(source):
            wait_for(lambda: collector.outcomes["accepted"] == 35)


def test_backups_in_a_folder_are_thinned_out(tmp_path, monkeypatch):
    """Before the next one is made, so that a full disk has room again; nothing else
    goes.
    """
    url, folder = f"sqlite:///{tmp_path}/store.db", tmp_path / "backups"
    folder.mkdir()
    SQLiteStore(tmp_path / "store.db").close()
    first = datetime(2026, 1, 1, tzinfo=UTC)
    for half_hour in range(2 * 24 * 5):
        stamp = f"{first + timedelta(minutes=30 * half_hour):%Y%m%dT%H%M%SZ}"
        for ending in ("", "-acknowledged"):
            (folder / f"backup-{stamp}{ending}").touch()
    (folder / "backup-20251231T000000Z.new").touch()
    (folder / "notes").touch()
    with monkeypatch.context() as full:
        full.setattr(rotation, "back_up", raise_full)
        with pytest.raises(StoreError, match="full"):
            back_up_into(url, folder, parse_keep("6h,3d"))
    # Of the last six hours and three days the newest; the last of both is one.
    kept = [f"20260105T{hour}3000Z" for hour in range(18, 24)]
    kept += ["20260103T233000Z", "20260104T233000Z"]
    endings = ("", "-acknowledged")
    names = {f"backup-{stamp}{ending}" for stamp in kept for ending in endings} | {
        "notes"
    }
    assert {path.name for path in folder.iterdir()} == names
    said = run("store", "backup", url, folder, "--keep", "6h,3d", "--format", "json")
    assert "on the disk of the store" in said.stderr
    place = Path(json.loads(said.stdout)["backup"])
    assert {path.name for path in folder.iterdir()} - names == {
        place.name,
        f"{place.name}{WITNESS}",
    }
    assert examine(f"sqlite:///{place}", {}).troubles == ()
    run("store", "backup", url, folder, "--keep", "6h,3w", code=1)
    assert "--keep" in run("store", "backup", url, folder, code=1).stderr


def raise_full(*_):
    raise StoreError("full")


def test_a_damaged_backup_is_none(tmp_path):
    """It is refused before anything is touched; nothing is ever written over."""
    url, place = f"sqlite:///{tmp_path}/store.db", tmp_path / "a.backup"
    with service_of(TEXT, folder=tmp_path) as service:
        service.writer.write(batches(0, 1)[0])
    run("store", "backup", url, place)
    assert "found one" in run("store", "backup", url, place, code=1).stderr
    content = bytearray(place.read_bytes())
    at = content.find(b"[survey]")
    content[at] ^= 1
    place.write_bytes(content)
    with pytest.raises(LDPError, match="sound store"):
        restore(place, url, replaces=True)
    assert accepted(url) == 1
    with pytest.raises(LDPError, match="no such file"):
        back_up(f"sqlite:///{tmp_path}/none.db", tmp_path / "b.backup")
    assert not (tmp_path / "b.backup").exists()


def test_a_backup_of_postgres_and_back(tmp_path, postgres_server):
    """Between databases of both kinds, with every record and id."""
    url = postgres_server.emptied()
    with collecting(url) as collector:
        for body in batches(0, 3):
            collector.write(body, {})
    back_up(url, tmp_path / "a.backup")
    assert accepted(f"sqlite:///{tmp_path}/a.backup") == 3
    with pytest.raises(LDPError, match="empty database"):
        restore(tmp_path / "a.backup", url, replaces=True)
    postgres_server.emptied()
    restore(tmp_path / "a.backup", url, replaces=False)
    assert accepted(url) == 3
    with collecting(url) as collector:
        collector.write(batches(2, 3)[0], {})
        assert collector.outcomes == {"accepted": 3, "duplicate": 1}


def test_a_survey_is_forgotten_and_no_other(tmp_path):
    """Its tallies, accounts and files are gone, the store is sound, a late repetition
    is known.
    """
    url = f"sqlite:///{tmp_path}/store.db"
    other = parse_survey(OTHER)["symbol"]
    batch = batch_of("symbol", 2, "other")._replace(fingerprint=other.fingerprint)
    with service_of(TEXT, OTHER, folder=tmp_path) as service:
        for body in [*batches(0, 5), file_of(batch)]:
            service.writer.write(body)
        assert (
            "another process"
            in run("store", "remove-survey", "other", url, "--yes", code=1).stderr
        )
    assert (
        "(example, other)"
        in run("store", "remove-survey", "none", url, "--yes", code=1).stderr
    )
    back_up(url, tmp_path / "before.backup")
    assert (
        "the accounts of 1 batches"
        in run("store", "remove-survey", "other", url, "--yes").output
    )
    assert accepted(url) == 5
    with open_snapshot(url) as snapshot:
        assert count_received(snapshot) == 5
        assert len(list(snapshot.scan("survey"))) == 1
        assert list(history(snapshot, other)) == []
    with service_of(TEXT, OTHER, folder=tmp_path) as service:
        outcomes = service.writer.write(file_of(batch)).outcomes
        assert outcomes == {"duplicate": 1}
    assert remove_survey(url, "other")[1] == 1
    # What is forgotten comes back with a backup from before, which is said.
    said = run("store", "restore", tmp_path / "before.backup", url, "--replace").output
    assert "batches in it that were there no more: 1; a survey that was removed" in said


def test_tallies_are_kept_for_so_many_epochs(tmp_path):
    """When an epoch closes, those before go, and what was shown of them; accounts
    stay.
    """
    survey = parse_survey(JOINT)
    catalogue = Catalogue([Served(survey, JOINT)])
    with closing(open_store(f"sqlite:///{tmp_path}/s.db")) as store:
        books = Books(store, catalogue.tally_parts)
        define(books, catalogue)
        publisher = Publisher(catalogue, Publication(2))
        publisher.start(books)
        for number in range(5, 9):
            count(books, catalogue, "car", reports=3, epoch=Epoch(3600, number))
            with begin(books) as turn:
                turn.claim(Epoch(3600, number), [bytes([number]) * 16])
                turn.receive(3)
                turn.tell(
                    survey["car"].fingerprint,
                    Epoch(3600, number),
                    "accepted",
                    batches=3,
                )
        publisher.look(books, at_once=True)
        tidy(books, catalogue, Rules(kept_epochs=2), now=3600 * 8 + survey.grace)
        with store.snapshot() as snapshot:
            assert list(findings(snapshot, None)) == []
            assert [at.number for at, _ in history(snapshot, survey["car"])] == [
                6,
                7,
                8,
            ]
            shown = {record.key for record in snapshot.scan(SHOWN)}
            assert shown == {record.key for record in snapshot.scan(TALLY)}
            assert count_received(snapshot) == 12
