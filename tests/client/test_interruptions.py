"""What comes between: signal handlers and finalizers that record, or raise, in the
middle.
"""

import gc
import random
import signal
import threading
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from children import in_child
from surveys import DEVICE_SURVEY

from ldp import StateError
from ldp_client import Client, EmbeddedClient
from ldp_client.testing import RecordingTransport

pytestmark = pytest.mark.needs("interval timers")

ROUNDS = 300


@contextmanager
def interrupted_by(handler):
    """A function that lets a handler come at a random moment of the next half
    millisecond.
    """
    draw = random.Random(1)
    # An error that a handler raises within what other tests left to be called at
    # collections would be lost there.
    callbacks, gc.callbacks[:] = gc.callbacks[:], []
    before = signal.signal(signal.SIGALRM, lambda *_: handler())
    try:
        yield lambda: signal.setitimer(signal.ITIMER_REAL, 1e-6 + draw.random() * 5e-4)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.callbacks[:] = callbacks


@pytest.mark.parametrize("place", ["memory", "file"])
def test_a_handler_that_records_gets_no_second_report(place, tmp_path):
    """Whenever it comes, a question that is answered once has one report at most,
    charged once.
    """
    came, client = 0, None

    def handler():
        nonlocal came
        came += 1
        client.record("once", "green")
        client.record("bits", "green")

    with interrupted_by(handler) as interrupt:
        for number in range(ROUNDS if place == "memory" else ROUNDS // 5):
            state = None if place == "memory" else tmp_path / str(number % 10)
            client = EmbeddedClient(DEVICE_SURVEY, state=state, lifetime_cap="1000")
            client.waiting()  # the file is made
            interrupt()
            client.record("once", "red")
            client.record("bits", "red")
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert client.waiting() == len(client.ledger().charges) <= 2
            client.close()
            if state is not None:
                state.unlink()
    assert came > ROUNDS // 20


def test_a_finalizer_that_records_gets_no_second_report():
    """Neither does one that the interpreter calls in the middle of another answer."""
    client = Client(DEVICE_SURVEY)

    class Dying:
        def __del__(self):
            with pytest.raises(StateError, match="finalizer"):
                client.record("once", "green")

    respondent, report = client._respondent, client._respondent.report

    def dying(name, answer):
        Dying()
        gc.collect()
        return report(name, answer)

    type(respondent).report, method = staticmethod(dying), type(respondent).report
    try:
        client.record("once", "red")
    finally:
        type(respondent).report = method
    assert len(client.ledger().charges) == 1


# An error within `Thread.start` makes Python forget a thread that has begun, which dies
# of it; the client starts another with the next answer.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in thread started "
    "by:pytest.PytestUnraisableExceptionWarning"
)
def test_a_handler_that_raises_stops_no_other_thread(tmp_path):
    """Where errors interrupt a client's calls, other threads and its sender go on
    recording.
    """

    class TimeIsUpError(Exception):
        pass

    came = 0

    def handler():
        nonlocal came
        came += 1
        # `record` counts it, as it does with all errors, and `waiting` passes it on.
        raise TimeIsUpError

    def recording(heard):
        heard.append(client.record("mirror", "red"))

    transport = RecordingTransport()
    with (
        EmbeddedClient(
            DEVICE_SURVEY,
            state=tmp_path / "state",
            transport=transport,
            lifetime_cap="1000",
        ) as client,
        interrupted_by(handler) as interrupt,
    ):
        for number in range(ROUNDS):
            try:
                interrupt()
                while came == number:
                    client.record("mirror", "red")
                    client.waiting()
            except TimeIsUpError:
                pass
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            heard = []
            thread = threading.Thread(
                target=lambda heard=heard: heard.append(client.record("mirror", "red")),
                daemon=True,
            )
            thread.start()
            thread.join(30)
            assert heard == [True]
        assert client.flush(60.0)


def test_children_of_a_busy_client_go_on_recording(tmp_path):
    """Forked while other threads record and send, each child records an answer of its
    own.
    """
    state, stopping = tmp_path / "state", threading.Event()
    with EmbeddedClient(
        DEVICE_SURVEY,
        state=state,
        transport=RecordingTransport(),
        interval=0.01,
        lifetime_cap="1000",
    ) as client:
        assert client.record("mirror", "red")

        def record():
            with patch.object(
                client._counts,
                "note",
                side_effect=lambda error, *_: errors.append(error),
            ):
                errors = []
                # Processes wait for one another for a short while only: a child may
                # have to try again.
                recorded = any(client.record("mirror", "red") for _ in range(20))
                return recorded, "" if recorded else " ".join(map(str, errors))

        def on_and_on():
            while not stopping.wait(0.003):
                client.record("mirror", "red")

        threads = [threading.Thread(target=on_and_on) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            assert [in_child(record) for _ in range(20)] == ["(True, '')"] * 20
        finally:
            stopping.set()
            for thread in threads:
                thread.join()
        assert client.record("mirror", "red")
