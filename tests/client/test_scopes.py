"""Collectors that share a device: none gets what was meant for another, or can tell."""

import pytest
from broken_stores import everything, records_of
from surveys import DEVICE_SURVEY, survey_of, yes_no

from ldp_client import Client, EmbeddedClient
from ldp_client.delivery.transport import FolderTransport, HTTPTransport, retry
from ldp_client.keeping.scope import Scope
from ldp_client.testing import RecordingTransport

HERE, THERE = "https://here.example", "https://there.example"
FILTER = (
    'type = "text"\nmechanism = "rappor"\nbloom_bits = 64\nhashes = 2\ncohorts = 1000\n'
    'p = "0"\nq = "1"\nf = "0.5"\n'
)


class Collector(RecordingTransport):
    """One that has a name."""

    def __init__(self, destination, outcomes=()):
        super().__init__(outcomes)
        self.destination = destination


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def opened(survey, state, transport, **settings):
    return EmbeddedClient(
        survey,
        state=state,
        transport=transport,
        interval=None,
        lifetime_cap="1000",
        **settings,
    )


def test_each_collector_gets_its_own_reports(state):
    """Surveys that share a state file share no queue: each sends its own, and no
    more.
    """
    surveys = [survey_of(yes_no("q"), name=name) for name in ("here", "there")]
    transports = [Collector(HERE), Collector(THERE)]
    clients = [
        opened(*arguments)
        for arguments in zip(surveys, [state, state], transports, strict=True)
    ]
    for client in clients:
        assert client.record("q", True)
    assert [client.waiting() for client in clients] == [1, 1]
    for client, transport, survey in zip(clients, transports, surveys, strict=True):
        assert client.flush(30.0)
        assert [batch.fingerprint for batch in transport.batches] == [
            survey["q"].fingerprint
        ]
        client.close()


def test_surveys_of_one_collector_have_queues_of_their_own(state):
    """Also where a transport has no name."""
    surveys = [survey_of(yes_no("q"), name=name) for name in ("here", "there")]
    transports = [RecordingTransport(), RecordingTransport()]
    clients = [
        opened(*arguments)
        for arguments in zip(surveys, [state, state], transports, strict=True)
    ]
    for client in clients:
        client.record("q", True)
    assert clients[1].flush(30.0)
    assert [batch.fingerprint for batch in transports[1].batches] == [
        surveys[1]["q"].fingerprint
    ]
    assert clients[0].waiting() == 1
    for client in clients:
        client.close()


def test_a_pause_holds_back_one_queue(state):
    """A collector that asks for an hour of silence gets it; the other one is sent to
    meanwhile.
    """
    surveys = [survey_of(yes_no("q"), name=name) for name in ("busy", "idle")]
    busy, idle = Collector(HERE, [retry(3600.0)]), Collector(THERE)
    with (
        opened(surveys[0], state, busy) as first,
        opened(surveys[1], state, idle) as second,
    ):
        first.record("q", True)
        second.record("q", True)
        assert not first.flush(30.0)
        assert second.flush(30.0)
        assert not first.flush(30.0)
    assert (len(busy.payloads), len(idle.payloads)) == (1, 1)


def test_forgetting_covers_what_was_tried_before(state):
    """A batch that a collector did not take is erased like any report that waits."""
    transport = Collector(HERE, [retry()])
    with opened(DEVICE_SURVEY, state, transport) as client:
        client.record("once", "red")
        client._sender.send_all()
        client.set_consent("forget")
        assert {kind for kind, _ in everything(client._store)} & {
            "batch",
            "report",
        } == set()
        assert client.waiting() == 0


def test_forgetting_empties_every_queue(state):
    """Consent is the device's: what one client forgets, no other sends."""
    transports = [Collector(HERE), Collector(THERE)]
    with (
        opened(DEVICE_SURVEY, state, transports[0]) as first,
        opened(DEVICE_SURVEY, state, transports[1]) as second,
    ):
        first.record("once", "red")
        second.record("once", "red")
        first.set_consent("forget")
        first.set_consent("on")
        assert second.flush(30.0)
    assert [transport.payloads for transport in transports] == [[], []]


def test_what_was_recorded_without_a_collector_goes_to_the_first_one(state):
    """An app may record before it knows where to send."""
    with opened(DEVICE_SURVEY, state, None) as client:
        client.record("once", "red")
    transport = Collector(HERE)
    with opened(DEVICE_SURVEY, state, transport) as client:
        assert client.waiting() == 1
        assert client.flush(30.0)
    assert len(transport.batches) == 1


@pytest.mark.parametrize(
    "order", [(None, HERE), (HERE, None), (None, HERE, None, HERE)], ids=str
)
def test_a_collector_that_comes_later_does_not_ask_again(state, order):
    """What was recorded without a collector counts for the one that gets it.

    One report of a question asked once, and one permanent response to an answer.
    """
    transport = Collector(HERE)
    answered = []
    for name in order:
        with opened(
            DEVICE_SURVEY, state, None if name is None else transport
        ) as client:
            answered.append(client.record("once", "red"))
            assert client.record("mirror", "an answer")
            charges = [charge.question for charge in client.ledger().charges]
    with opened(DEVICE_SURVEY, state, transport) as client:
        assert client.flush(30.0)
    assert answered == [True] + [False] * (len(order) - 1)
    assert sorted(charges) == ["mirror", "once"]
    assert len(transport.reports(DEVICE_SURVEY, "once")) == 1
    assert len(set(transport.reports(DEVICE_SURVEY, "mirror"))) == 1


def test_one_collector_gets_what_was_recorded_without_any(state):
    """It is always the same one; for another, the device is another."""
    here, there = Collector(HERE), Collector(THERE)
    with opened(DEVICE_SURVEY, state, None) as client:
        client.record("once", "red")
    with opened(DEVICE_SURVEY, state, here) as client:
        assert client.flush(30.0)
    with opened(DEVICE_SURVEY, state, None) as client:
        client.record("mirror", "x")
    with opened(DEVICE_SURVEY, state, there) as client:
        assert client.waiting() == 0
        assert client.record("once", "red")
        assert client.flush(30.0)
    with opened(DEVICE_SURVEY, state, here) as client:
        assert client.flush(30.0)
    assert [len(here.reports(DEVICE_SURVEY, name)) for name in ("once", "mirror")] == [
        1,
        1,
    ]
    assert [len(there.reports(DEVICE_SURVEY, name)) for name in ("once", "mirror")] == [
        1,
        0,
    ]


def test_what_waits_for_a_transport_without_a_name_is_no_one_elses(state):
    """A transport need not say where it leads to; what it is to deliver is its own all
    the same.
    """
    nameless, here = RecordingTransport(), Collector(HERE)
    with opened(DEVICE_SURVEY, state, nameless) as client:
        client.record("once", "red")
    with opened(DEVICE_SURVEY, state, here) as client:
        assert client.waiting() == 0
        assert client.flush(30.0)
    with opened(DEVICE_SURVEY, state, nameless) as client:
        assert client.flush(30.0)
    assert (len(nameless.batches), len(here.batches)) == (1, 0)


def test_collectors_cannot_match_devices(state):
    """With two collectors, permanent responses, cohorts and charges are apart.

    Two filters of 64 bits that are drawn apart are equal with a chance below 1e-12.
    """
    rows = []
    for name in (HERE, THERE, HERE):
        transport = Collector(name)
        with opened(DEVICE_SURVEY, state, transport) as client:
            assert client.record("mirror", "an answer")
            client.flush(30.0)
            permanents = records_of(client._store, "permanent")
            charges = len(client.ledger().charges)
        rows += transport.reports(DEVICE_SURVEY, "mirror")
    assert rows[0] == rows[2] != rows[1]
    assert (len(permanents), charges) == (2, 2)
    assert len({key[-16:] for key, _ in permanents}) == 2


def test_a_bare_client_names_its_collector(state):
    """The same for clients that hand their reports over."""
    settings = {"state": state, "lifetime_cap": "1000"}
    rows = [
        Client(DEVICE_SURVEY, collector=name, **settings).record("mirror", "x").row
        for name in (HERE, THERE, HERE)
    ]
    assert rows[0] == rows[2] != rows[1]


def test_alike_answers_to_alike_questions_have_nothing_in_common(state):
    """Neither a cohort nor a memo key: a state file does not show which answers are
    alike.
    """
    alone = [
        f'name = "q{number}"\n{FILTER.replace("cohorts = 1000", "cohorts = 1")}'
        for number in (6, 7)
    ]
    survey = survey_of(
        *(f'name = "q{number}"\n{FILTER}' for number in range(6)), *alone
    )
    with opened(survey, state, None) as client:
        for question in survey:
            client.record(question.name, "the same")
        keys = [key[-16:] for key, _ in records_of(client._store, "permanent")]
        cohorts = [cohort for _, (cohort,) in records_of(client._store, "cohort")]
    assert len(set(keys)) == 8  # where there is one cohort, too
    assert (
        len(set(cohorts)) > 2
    )  # all but the two of one cohort are equal with a chance of 1e-15


def test_transports_name_their_collector(tmp_path):
    """By scheme, host, port and path, or by the file."""
    assert (
        HTTPTransport("https://collect.example/x").destination
        == "https://collect.example/x/v1/reports"
    )
    assert (
        HTTPTransport("https://collect.example:444").destination
        == "https://collect.example:444/v1/reports"
    )
    assert (
        HTTPTransport("https://collect.example:443").destination
        == HTTPTransport("https://Collect.Example/").destination
    )
    assert (
        HTTPTransport("http://localhost:80").destination
        == HTTPTransport("http://localhost").destination
    )
    assert (
        HTTPTransport("http://localhost:8000").destination
        != HTTPTransport("http://localhost:8001").destination
    )
    assert FolderTransport(tmp_path).destination == f"file:{tmp_path / 'reports.ldp'}"


def test_every_survey_has_a_queue_of_its_own_for_each_collector():
    """Names that read alike end to end included."""
    surveys = [survey_of(yes_no("a"), name=name) for name in ("s", "s1", "s12")]
    keys = {
        Scope.of(collector).survey_key(survey)
        for survey in surveys
        for collector in ("", "2", "12", "s")
    }
    assert len(keys) == 12
