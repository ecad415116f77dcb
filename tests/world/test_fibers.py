"""Threads that take turns: order, waits and ends."""

from queue import Empty

import pytest

from lab.world.machines.device_state import StateFile, StateStore
from lab.world.machines.faults import Faults
from lab.world.machines.fibers import Fiber, Hub, KilledError, Process, Queue, use
from lab.world.scenario import luck


@pytest.fixture
def hub():
    time = Hub(1000.0)
    use(time)
    yield time
    use(None)


@pytest.fixture
def process(hub):
    return Process(hub, "a process")


def test_fibers_take_turns_in_the_order_of_time(hub, process):
    """And, of what is due at once, in that in which it was asked for."""
    seen = []

    def work(name, seconds):
        hub.sleep(seconds)
        seen.append((name, hub.now))

    for name, seconds in (("late", 2.0), ("first", 1.0), ("second", 1.0)):
        process.run(lambda name=name, seconds=seconds: work(name, seconds))
    hub.run(2000.0)
    assert seen == [("first", 1001.0), ("second", 1001.0), ("late", 1002.0)]
    assert hub.now == 2000.0


def test_queues_wake_who_waits(hub, process):
    """A wait that was over before takes nothing from the next one."""
    queue, seen = Queue(), []

    def take():
        with pytest.raises(Empty):
            queue.get(timeout=5.0)
        seen.append(queue.get(timeout=5.0))
        with pytest.raises(Empty):
            queue.get_nowait()

    process.run(take)
    hub.at(1007.0, queue.put, "something")
    hub.run(1008.0)
    assert seen == ["something"]
    assert queue.empty()
    assert hub.failures == []


def test_a_process_dies_as_a_whole(hub, process):
    """Where its fibers wait; they clean up, but wait no more, and nothing is begun
    after.
    """
    seen = []

    def work(name):
        try:
            hub.sleep(10.0)
        finally:
            seen.append(name)
            hub.sleep(1.0)
            seen.append("never")

    for name in ("one", "two"):
        process.run(lambda name=name: work(name))
    hub.after(5.0, process.kill)
    hub.run(1100.0)
    assert seen == ["one", "two"]
    with pytest.raises(KilledError):
        process.run(lambda: None)


def test_joining_waits_for_an_end(hub, process):
    """Or for as long as it was to wait."""
    seen = []

    def work():
        for wait in (1.0, None):
            slow.join(wait)
            seen.append((slow.is_alive(), hub.now))

    slow = Fiber(target=lambda: hub.sleep(3.0), process=process)
    slow.start()
    process.run(work)
    hub.run(1100.0)
    assert seen == [(True, 1001.0), (False, 1003.0)]


def test_errors_that_no_one_catches_are_kept(hub, process):
    """By the name of the fiber."""
    process.run(lambda: 1 // 0, "a fiber")
    hub.run(1100.0)
    assert hub.failures == [
        "a fiber: ZeroDivisionError: integer division or modulo by zero"
    ]


def test_power_takes_what_was_not_settled(process):
    """A beginning of it may have lasted; what was settled has."""
    left = set()
    for seed in range(40):
        file = StateFile(Faults())
        store = StateStore(file, process)
        for number in range(4):
            store.transact(
                lambda store=store, number=number: store.put("kind", b"%d" % number, ())
            )
            if number == 1:
                store.settle()
        file.lose_power(luck(seed))
        left.add(tuple(sorted(file.records["kind"])))
    assert left == {(b"0", b"1"), (b"0", b"1", b"2"), (b"0", b"1", b"2", b"3")}


def test_a_dead_process_changes_no_state_file(process):
    """Not even by what it was about to commit."""
    file = StateFile(Faults())
    store = StateStore(file, process)
    file.fuse = 2
    with pytest.raises(KilledError):
        store.transact(lambda: store.put("kind", b"key", ()))
    assert file.records == {"kind": {}}
    with pytest.raises(KilledError):
        store.transact(lambda: None)
