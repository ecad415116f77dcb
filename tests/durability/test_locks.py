"""Locks that others hold: for how long one waits, and what a child does without."""

import threading
import time

import pytest
from children import in_child

from ldp import StateError
from ldp_client.keeping import locks
from ldp_client.keeping.database import Database
from ldp_client.keeping.locks import BusyError, WorkLock
from ldp_client.keeping.store import ProcessStore


@pytest.fixture
def held():
    """A function that has another thread hold a turn, after some work, until the test
    is over.
    """
    over, threads = threading.Event(), []

    def hold(take, work=lambda: None):
        begun = threading.Event()

        def hold_on():
            work()
            begun.set()
            over.wait(30)

        threads.append(threading.Thread(target=take, args=(hold_on,)))
        threads[-1].start()
        assert begun.wait(30)

    yield hold
    over.set()
    for thread in threads:
        thread.join()


def test_who_has_no_time_does_not_wait_for_another_thread(held):
    """Waiting ends after the patience that was said, with an error of its own."""
    taken = WorkLock()
    held(taken.take)
    began = time.monotonic()
    with pytest.raises(BusyError, match=r"within 0\.05 seconds"):
        taken.take(lambda: None, patience=0.05)
    assert 0.05 <= time.monotonic() - began < 25


def test_patience_is_rewarded():
    """A turn that ends in time is followed by one's own."""
    taken = WorkLock()
    begun = threading.Event()

    def hold_on():
        begun.set()
        time.sleep(0.05)

    thread = threading.Thread(target=taken.take, args=(hold_on,))
    thread.start()
    assert begun.wait(30)
    assert taken.take(lambda: "mine", patience=30) == "mine"
    thread.join()


def test_a_turn_within_ones_own_is_refused_however_patient():
    """It is not busy: it would never end."""
    taken = WorkLock()

    def within():
        with pytest.raises(StateError, match="signal handler") as caught:
            taken.take(lambda: None, patience=0.05)
        assert not isinstance(caught.value, BusyError)

    taken.take(within)
    assert taken.take(lambda: "again", patience=0.05) == "again"


@pytest.fixture
def impatient(monkeypatch):
    """Forks that wait for no turn."""
    monkeypatch.setattr(locks, "PATIENCE_AT_FORKS", 0.05)


@pytest.mark.usefixtures("impatient")
def test_a_child_of_a_turn_that_would_not_end_goes_on(held):
    """It has what was whole, and nothing of the rest."""
    store = ProcessStore()
    store.transact(lambda: store.put("event", b"before", (1,)))
    held(store.transact, lambda: store.put("event", b"half", (2,)))

    def work():
        store.transact(lambda: store.put("event", b"child", (3,)))
        return sorted(
            key for key, _ in store.transact(lambda: list(store.records("event")))
        )

    assert in_child(work) == "[b'before', b'child']"


@pytest.mark.usefixtures("impatient")
def test_a_child_hears_in_time_that_its_parent_writes(held, tmp_path):
    """The file is another process's then."""
    store = Database(tmp_path / "state")
    store.transact(lambda: None)
    held(store.transact)

    def refused():
        with pytest.raises(BusyError):
            store.transact(lambda: None)
        return "told"

    assert in_child(refused) == "'told'"
