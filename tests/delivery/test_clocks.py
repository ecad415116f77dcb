"""Clocks that are ahead, behind, or were never set: nothing is lost by them, nor held
for ever.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from moving_clocks import DAY, SYNCED, YEAR, Clocks, moved_by
from opened_clients import opening
from surveys import DEVICE_SURVEY, survey_of, yes_no

from ldp.wire.wire import FrameReader, decode_batch
from ldp_client import EmbeddedClient
from ldp_client.delivery.limits import QueueLimits
from ldp_client.delivery.outbox import CLOCK_WAS_SET
from ldp_client.delivery.outcomes import HELD, retry
from ldp_client.delivery.schedule import LONGEST_PAUSE
from ldp_client.keeping.clocks import ClockSpan, Now, now
from ldp_client.testing import RecordingTransport

EPOCHS = survey_of(yes_no("q"), head='epoch = "1d"')


@pytest.fixture
def clocks():
    with moved_by(Clocks()) as clocks:
        yield clocks


@pytest.fixture
def opened(tmp_path, clocks):
    """Opens clients on one state file."""
    with opening(tmp_path / "state") as open_client:
        yield open_client


def test_a_failure_while_the_clock_is_ahead_is_over_when_it_is_set(opened, clocks):
    """A pause that was made in a year's time does not last for a year."""
    clocks.wall += YEAR
    client, transport = opened([retry(3600.0), HELD])
    client.record("once", "red")
    client._sender.send_all()
    assert client._outbox.pause() > 0
    clocks.wall -= YEAR
    client, transport = opened()
    client._sender.send_all()
    assert len(transport.payloads) == 1
    assert client.waiting() == 0


def test_a_pause_holds_as_long_as_no_clock_goes_back(opened, clocks):
    """Also across a restart of the machine."""
    client, transport = opened([retry(3600.0)])
    client.record("once", "red")
    client._sender.send_all()
    clocks.pass_by(3000)
    clocks.restart(clocks.wall)
    client._sender.send_all()
    assert len(transport.payloads) == 1
    clocks.pass_by(601)
    client._sender.send_all()
    assert len(transport.payloads) == 2


def test_a_pause_ends_by_the_other_clock_if_one_stands_still(opened, clocks):
    """A wall clock that loses hours, or never moves, holds nothing back for longer."""
    client, transport = opened([retry(3600.0)])
    client.record("once", "red")
    client._sender.send_all()
    clocks.boot += 3601
    client._sender.send_all()
    assert len(transport.payloads) == 2


@given(
    st.floats(0, LONGEST_PAUSE),
    st.floats(0, 1e10),
    st.floats(0, 1e10),
    st.floats(0, 1e7),
    st.floats(0, 1e7),
)
def test_no_clocks_make_a_span_longer(seconds, wall, later, boot, after):
    """Whatever the clocks do, no more is left than the span had, and nothing once it is
    over.
    """
    span = ClockSpan.of(seconds, Now(wall, boot))
    left = span.left(Now(later, after))
    assert 0 <= left <= seconds
    if (
        later < wall - 0.001
        or later >= wall + seconds + 0.001
        or after >= boot + seconds + 0.001
    ):
        assert left == 0
    elif later >= wall + 0.001:
        passed = max(
            later - wall, after - boot if after >= boot + 0.001 else min(after, boot)
        )
        assert left <= max(0.0, seconds - passed) + 0.01 or after < boot + 0.001


def test_the_clocks_go_on():
    """The real ones; the second since the machine was started."""
    before, after = now(), now()
    assert after.boot >= before.boot > 0
    assert after.wall > 1e9


def test_a_clock_that_was_never_set_empties_no_queue(opened, clocks):
    """Recorded in 1970, sent after the clock was set; and the other way round."""
    clocks.restart(0.0)
    client, _ = opened(limits=QueueLimits(days=1))
    client.record("once", "red")
    clocks.wall = SYNCED
    client, transport = opened(limits=QueueLimits(days=1))
    client.record("bits", "red")
    clocks.restart(-5.0)
    client.record("bare", "red")
    clocks.wall = SYNCED
    client._sender.send_all()
    assert client.waiting() == 0
    assert len(transport.batches) == 3
    assert client.counts() == {"recorded": 2, "accepted": 3}


def test_a_jump_ahead_and_back_empties_no_queue(opened, clocks):
    """Nor does one in the middle of attempts: 40 days ahead, and back."""
    client, _ = opened([retry()], limits=QueueLimits(days=30))
    client.record("once", "red")
    client._sender.send_all()
    client.record("bits", "red")
    clocks.wall += 40 * DAY
    client.record("mirror", "red")
    assert client.waiting() == 3
    clocks.wall -= 40 * DAY - 60
    client._sender.send_all()
    assert client.waiting() == 0
    assert client.counts() == {"recorded": 3, "retry": 1, "accepted": 3}


def test_a_clock_that_goes_to_and_fro_makes_nothing_old(opened, clocks):
    """A device that forgets the time at each start sees two days, however often it
    starts.
    """
    client, transport = opened(limits=QueueLimits(days=2))
    client.record("once", "red")
    for _ in range(20):
        clocks.restart(0.0)
        client.record("mirror", "red")
        clocks.wall = SYNCED
        client.record("mirror", "red")
    assert client.waiting() == 41
    client._sender.send_all()
    assert len(transport.reports(DEVICE_SURVEY, "once")) == 1


def test_days_are_forgotten_once_nothing_waits(opened, clocks):
    """How often an app is used is not kept for its own sake, nor for longer than
    matters.
    """
    client, transport = opened([retry()] * 50, limits=QueueLimits(days=7))
    store, kept = client._store, []
    client.record("once", "red")
    for _ in range(6):
        clocks.pass_by(DAY)
        client._sender.send_all()
        kept.append(
            len(store.transact(lambda: store.get("days", client._outbox._queue)))
        )
    assert kept == [2, 3, 4, 5, 6, 7]
    transport._outcomes.clear()
    clocks.pass_by(DAY)
    client._sender.send_all()
    assert client.waiting() == 0
    assert store.transact(lambda: list(store.records("days"))) == []


def test_no_batch_is_made_by_a_clock_that_was_never_set(opened, clocks):
    """Where a survey has epochs: its id would be of 1970 for good, and rejected as
    late.
    """
    clocks.restart(CLOCK_WAS_SET - 1)
    client, transport = opened(survey=EPOCHS)
    client.record("q", True)
    client._sender.send_all()
    assert (transport.payloads, client.waiting()) == ([], 1)
    assert "Set the device's clock" in client.status().advice[-1]
    clocks.wall = SYNCED
    client._sender.send_all()
    assert client.waiting() == 0
    [frame] = FrameReader().feed(transport.payloads[0])
    assert decode_batch(frame).size == 1


def test_a_due_time_of_a_wrong_clock_is_void(tmp_path, clocks):
    """What is due in a year's time by a clock that was set back is due now."""
    with EmbeddedClient(
        DEVICE_SURVEY, state=None, transport=RecordingTransport(), interval=None
    ) as client:
        clocks.wall += YEAR
        client._outbox.wait_anew(lambda: 3600.0)
        assert client._outbox.wait().left(clocks()) == 3600.0
        clocks.wall -= YEAR
        assert client._outbox.wait().left(clocks()) == 0
        assert client._outbox.wait_anew(lambda: 50.0).left(clocks()) == 50.0
        assert client._outbox.wait_anew(lambda: 90.0).left(clocks()) == 50.0
