"""A damaged state file: the app is told by values, and there is one way out, which is
noted.
"""

import math
import os
import sqlite3
from pathlib import Path

import pytest
from broken_stores import everything
from calling import run
from surveys import DEVICE_SURVEY

from ldp import StateError
from ldp_client import EmbeddedClient, recover
from ldp_client.testing import RecordingTransport


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state"


def opened(path, **settings):
    return EmbeddedClient(
        DEVICE_SURVEY, state=path, lifetime_cap="1000", interval=None, **settings
    )


def lived(path):
    """The records of a device that has answered and agreed."""
    with opened(path) as client:
        client.set_consent("on")
        assert client.record("once", "red")
        assert client.record("mirror", "red")
        return everything(client._store)


def damage_record(path, kind):
    """Change what a record of a kind says."""
    other = sqlite3.connect(path)
    other.execute("UPDATE records SET content = zeroblob(20) WHERE kind = ?", (kind,))
    other.commit()
    other.close()


@pytest.fixture(params=["no database", "a record"])
def damaged(path, request):
    if request.param == "no database":
        path.write_bytes(b"damaged")
    else:
        lived(path)
        damage_record(path, "limit")
    return path


def test_an_app_is_told_by_values(damaged):
    """No method raises, and none says more than is known."""
    transport = RecordingTransport()
    client = opened(damaged, transport=transport)
    assert not client.record("once", "red")
    assert not client.record_together({"once": "red"})
    assert client.consent == "off"
    assert client.said == "unknown"
    assert client.waiting() == 0
    assert client.flush(0.5) is False
    assert client.set_consent("on") is False
    assert client.rotate() is False
    ledger = client.ledger()
    assert ledger.epsilon() == math.inf
    assert "cannot be read" in str(ledger)
    assert "recover" in ledger.problem
    with pytest.raises(StateError):
        ledger.ratio()
    assert client.set_consent("off") is False
    assert client.said == "off"
    client.close()
    assert transport.payloads == []


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.consent,
        lambda client: client.said,
        lambda client: client.waiting(),
        lambda client: client.ledger(),
        lambda client: client.set_consent("off"),
        lambda client: client.rotate(),
        lambda client: client.record("bits", "red"),
    ],
)
def test_strict_clients_raise(ask, path):
    """Each of the same, and the constructor, where the app asked for it."""
    client = opened(path, strict=True)
    client._store.close()
    path.write_bytes(b"damaged")
    with pytest.raises(StateError):
        ask(client)
    with pytest.raises(StateError):
        opened(path, strict=True)


@pytest.mark.parametrize("kind", ["limit", "permanent", "last"])
def test_what_can_be_read_is_carried_over(kind, path):
    """Charges stay charged; the ledger says that something is missing."""
    records = lived(path)
    damage_record(path, kind)
    recovered = recover(path)
    lost = [place for place in records if place[0] == kind]
    assert not recovered.complete
    assert recovered.records == len(records) - len(lost)
    assert Path(recovered.aside).exists()
    with opened(path) as client:
        kept = everything(client._store)
        assert kept.keys() - records.keys() == {("event", bytes(4))}
        assert records.keys() - kept.keys() == set(lost)
        assert not client.record("once", "red")
        assert client.said == "on"
        assert "a damaged state file was set aside" in str(client.ledger())
        assert "missing" in str(client.ledger())
    assert path.stat().st_mode & 0o077 == 0


def test_a_lost_charge_costs_no_second_report(path):
    """With the secret carried over, the same answer gives the same report, under the
    same id.
    """
    lived(path)
    with opened(path) as client:
        (first,) = [
            record
            for (kind, _), record in everything(client._store).items()
            if kind == "report" and record[0] == DEVICE_SURVEY["once"].fingerprint
        ]
    damage_record(path, "charge")
    recover(path)
    with opened(path) as client:
        assert client.record("once", "red")
        reports = [
            record
            for (kind, _), record in everything(client._store).items()
            if kind == "report" and record[0] == DEVICE_SURVEY["once"].fingerprint
        ]
    assert reports == [first] * 2


def test_a_file_of_which_nothing_can_be_read(path):
    """The new one has a note, and nothing else."""
    path.write_bytes(b"damaged")
    recovered = recover(path)
    assert recovered[1:] == (0, False)
    assert "others may be missing" in str(recovered)
    assert Path(recovered.aside).read_bytes() == b"damaged"
    with opened(path) as client:
        assert "missing" in str(client.ledger())
        assert client.record("once", "red")


def test_pages_in_the_middle(path):
    """What lies on either side of pages that cannot be read is carried over."""
    with opened(path) as client:
        for number in range(300):
            assert client.record("mirror", f"{number}")
        assert client.record("once", "red")
        records = everything(client._store)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = os.urandom(4096)
    path.write_bytes(content)
    recovered = recover(path)
    assert not recovered.complete
    assert len(records) // 2 < recovered.records < len(records)


def test_a_second_damaged_file_gets_a_name_of_its_own(path):
    """Neither takes the place of the other, and the ledger has a note for each."""
    names = []
    for _ in range(3):
        path.write_bytes(b"damaged")
        names.append(recover(path).aside)
    assert len(set(names)) == 3


def test_a_sound_file_is_left_alone(path):
    """So are one that is not there, and one that another process writes to."""
    with pytest.raises(StateError, match="got none"):
        recover(path)
    records = lived(path)
    with pytest.raises(StateError, match="can be used"):
        recover(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StateError, match="another process"):
        recover(path)
    other.close()
    with opened(path) as client:
        assert everything(client._store) == records
    assert [file.name for file in path.parent.iterdir()] == ["state"]


def test_without_hard_links(path, monkeypatch):
    """The damaged file is renamed instead."""
    monkeypatch.setattr(
        os, "link", lambda *_: (_ for _ in ()).throw(OSError("no links"))
    )
    lived(path)
    damage_record(path, "limit")
    recovered = recover(path)
    assert Path(recovered.aside).exists()
    with opened(path) as client:
        assert not client.record("once", "red")


def test_the_command_sets_aside(path):
    """`ldp client ledger STATE --set-aside` says what it did, then what was spent."""
    lived(path)
    damage_record(path, "limit")
    assert "Error" in run("client", "ledger", path, code=1).output
    shown = run("client", "ledger", path, "--set-aside").output
    assert "records were carried over: others may be missing" in shown
    assert "a damaged state file was set aside" in shown
    assert "Error" in run("client", "ledger", path, "--set-aside", code=1).output
