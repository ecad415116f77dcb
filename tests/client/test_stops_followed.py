"""Stop lists on devices: they have less asked, never more, and whatever the answers
are.
"""

from fractions import Fraction
from functools import cache

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pages import UPLOADING, service_of, serving
from surveys import survey_of, yes_no

from ldp.errors import WireError
from ldp.numbers.randomness import system
from ldp.transparency import stops
from ldp.transparency.stops import Stops, encode_stop_list, message_of
from ldp_client import EmbeddedClient, HTTPTransport, StopRule
from ldp_client.embedding import stop_lists as module
from ldp_client.embedding.stop_lists import FollowedStopLists
from ldp_client.keeping.store import ProcessStore
from ldp_client.testing import RecordingTransport

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = PRIVATE.public_key().public_bytes_raw().hex()
DEVICES = 1000
SURVEY = survey_of(yes_no("mood"), yes_no("theme"), name="notes")


def listed(serial=1, survey="notes", private=PRIVATE, **shares):
    """A signed list of shares, by question."""
    message = message_of(
        Stops(survey, serial, {name: Fraction(text) for name, text in shares.items()})
    )
    return encode_stop_list(message, private.sign(message))


class Collector(RecordingTransport):
    """One that hands out a list."""

    def __init__(self, data=None):
        super().__init__()
        self.data = data
        self.fetched = 0

    def stops(self, survey):
        """The list, or what goes wrong instead."""
        assert survey == "notes"
        self.fetched += 1
        if isinstance(self.data, Exception):
            raise self.data
        return self.data


def opened(collector, state=None, **rule):
    return EmbeddedClient(
        SURVEY,
        state=state,
        transport=collector,
        interval=None,
        stops=StopRule(KEY, **rule),
    )


def asking(**rule):
    return FollowedStopLists(ProcessStore(), StopRule(KEY, **rule), "notes", key=b"key")


def asked(device, *names):
    """Whether a device asks questions that are answered together."""
    return device._store.transact(lambda: device.refusal(names, system)) is None


def test_a_stopped_question_is_asked_no_more():
    """From the next upload on; what waits is sent, others are asked, and nothing is
    charged.
    """
    collector = Collector(listed(mood="0"))
    with opened(collector) as client:
        assert client.record("theme", True)
        assert client.flush(30.0)
        assert not client.record("mood", True)
        assert client.counts()["stopped"] == 1
        assert [charge.question for charge in client.ledger().charges] == ["theme"]
        assert len(collector.batches) == 1


def test_a_list_outlives_the_process(tmp_path):
    with opened(Collector(listed(mood="0")), tmp_path / "state") as client:
        client.record("theme", True)
        client.flush(30.0)
    with opened(Collector(), tmp_path / "state") as client:
        assert not client.record("mood", True)


def test_without_anything_to_send_no_list_is_fetched():
    """Unless nothing is asked without one."""
    collector = Collector(listed(mood="0"))
    with opened(collector) as client:
        assert client.flush(30.0)
        assert collector.fetched == 0
    with opened(collector, otherwise="stop") as client:
        assert not client.record("theme", True)
        assert client.counts() == {"no-stop-list": 1}
        assert client.flush(30.0)
        assert client.flush(30.0)
        assert collector.fetched == 1
        assert client.record("theme", True)


@pytest.mark.parametrize(
    "data",
    [
        b"no list",
        listed(mood="0", private=Ed25519PrivateKey.from_private_bytes(bytes(32))),
        listed(mood="0", survey="other"),
        OSError("no network"),
    ],
    ids=["no list", "another key", "another survey", "no network"],
)
def test_what_is_no_list_of_ours_stops_nothing(data):
    """It is counted, and reports go out all the same."""
    collector = Collector(data)
    with opened(collector) as client:
        client.record("theme", True)
        assert client.flush(30.0)
        assert client.counts()["stop-list"] == 1
        assert client.record("mood", True)


def test_of_a_share_each_device_draws_once(monkeypatch):
    """1/4 of 1,000 devices, within 4.9 standard deviations (1e-6); one 14 points off is
    seen.
    """
    monkeypatch.setattr(
        stops, "read_stops", cache(stops.read_stops)
    )  # one check of a signature
    devices = [asking() for _ in range(DEVICES)]
    for device in devices:
        device.take(LISTS["1/4"])
    quarter = [asked(device, "mood") for device in devices]
    assert (
        abs(sum(quarter) - DEVICES / 4)
        < 4.9 * (DEVICES * 3 / 16) ** 0.5
        < 0.07 * DEVICES
    )
    for device in devices:
        device.take(LISTS["1/10"])
    tenth = [asked(device, "mood") for device in devices]
    assert all(first for first, second in zip(quarter, tenth, strict=True) if second)
    assert 0 < sum(tenth) < sum(quarter)
    for device in devices:
        device.take(LISTS["again"])
    assert [asked(device, "mood") for device in devices] == quarter


LISTS = {
    "1/4": listed(1, mood="1/4"),
    "1/10": listed(2, mood="1/10"),
    "again": listed(3, mood="1/4"),
}


def test_questions_are_drawn_by_themselves_and_groups_together():
    """A group is asked by the least of its shares; of others one draw tells nothing of
    the next.
    """
    both = listed(mood="1/2", theme="1/2")
    devices = [asking() for _ in range(400)]
    for device in devices:
        device.take(both)
    drawn = [(asked(device, "mood"), asked(device, "theme")) for device in devices]
    assert len(set(drawn)) == 4
    device = asking()
    device.take(listed(mood="1", theme="0"))
    assert asked(device, "mood")
    assert not asked(device, "mood", "theme")


def test_a_device_does_not_go_back():
    """A list with a lower serial number than the one before changes nothing."""
    device = asking()
    device.take(listed(5, mood="0"))
    device.take(listed(4))
    assert not asked(device, "mood")
    device.take(listed(6))
    assert asked(device, "mood")


def test_without_word_for_long(monkeypatch):
    """`otherwise` says what holds: everything is asked, or nothing."""
    for otherwise, holds in (("ask", True), ("stop", False)):
        device = asking(otherwise=otherwise, days=3)
        assert asked(device, "theme") == holds
        device.take(listed(mood="0"))
        assert asked(device, "theme")
        day = module.this_day()
        for later, is_asked in ((3, True), (4, holds), (-400, True)):
            monkeypatch.setattr(module, "this_day", lambda day=day + later: day)
            assert asked(device, "theme") == is_asked
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (StopRule("ab"), "expected the 64 hexadecimal digits"),
        (StopRule("zz" * 32), "expected the 64 hexadecimal digits"),
        (
            StopRule(KEY, otherwise="maybe"),
            "expected otherwise='ask' or 'stop', got 'maybe'",
        ),
        (StopRule(KEY, days=0), "expected days of 1 or more, got 0"),
    ],
)
def test_rules_that_cannot_be_followed(rule, said):
    with pytest.raises(ValueError, match=said):
        EmbeddedClient(SURVEY, state=None, stops=rule)


def test_a_list_for_another_survey_says_so():
    with pytest.raises(
        WireError, match="expected a list for survey 'notes', got one for another"
    ):
        asking().take(listed(survey="other"))


def test_over_http(tmp_path):
    """From a file of the collector's to a device that asks no more, through a
    service.
    """
    path = tmp_path / "list"
    path.write_bytes(listed(mood="0"))
    text = SURVEY.to_toml()
    with (
        service_of(text, folder=tmp_path, stop_lists=[path]) as service,
        serving(service) as address,
        EmbeddedClient(
            SURVEY,
            state=None,
            transport=HTTPTransport(address, token=UPLOADING),
            interval=None,
            stops=StopRule(KEY),
        ) as client,
    ):
        assert client.record("theme", True)
        assert client.flush(30.0)
        assert not client.record("mood", True)
        assert client.counts() == {"recorded": 1, "accepted": 1, "stopped": 1}
