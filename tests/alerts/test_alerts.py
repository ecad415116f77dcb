"""A webhook is told of what is wrong: signed, once, and not in a flood."""

import hmac
import json
from base64 import b64decode, b64encode
from contextlib import contextmanager
from itertools import pairwise
from types import SimpleNamespace

import pytest
from calling import ldp, run
from collecting import wait_for
from listening import Handler, listening
from pages import COMMUTE, UPLOADING, answers, service_of, visitor, write_tokens
from wire_samples import TEXT, batch_of, file_of

from ldp import parse_survey
from ldp_service.alerts import conditions as kinds
from ldp_service.alerts.alarms import Alarms
from ldp_service.alerts.conditions import Condition, Observation, conditions
from ldp_service.alerts.volume_drop import Hours
from ldp_service.alerts.watch import AlertQueue, Watch
from ldp_service.alerts.webhook import (
    AlertError,
    DeliveryError,
    Message,
    Webhook,
    read_secret,
)
from ldp_service.counting.publication import Publication

SECRET = bytes(range(32))
TEXT_OF_SECRET = "whsec_" + b64encode(SECRET).decode()
NOW = 1_800_000_000.0
MESSAGE = Message(
    "msg_1",
    "disk",
    "begun",
    time=NOW,
    service="ldp",
    subject="",
    summary="1 MB is left",
)


@contextmanager
def hook():
    """A receiver: what was posted, its address, and the next answers; then 204."""
    kept = SimpleNamespace(taken=[], answers=[], url="")

    class Receiver(Handler):
        def do_POST(self):
            kept.taken.append((dict(self.headers), self.body()))
            self.answer(kept.answers.pop(0) if kept.answers else 204)

    with listening(Receiver) as address:
        kept.url = f"{address}/hook?team=night"
        yield kept


def verified(fields, body, secret=SECRET):
    """The message of a request, as a receiver of Standard Webhooks checks it."""
    fields = {name.lower(): value for name, value in fields.items()}
    signed = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
    version, _, digest = fields["webhook-signature"].partition(",")
    assert version == "v1"
    assert hmac.compare_digest(b64decode(digest), hmac.digest(secret, signed, "sha256"))
    message = json.loads(body)
    assert message["id"] == fields["webhook-id"]
    return message


def test_a_webhook_is_signed():
    """By a secret, over its id, its time and its body."""
    with hook() as kept:
        Webhook(kept.url, SECRET).send(MESSAGE, NOW)
        [(fields, body)] = kept.taken
        assert verified(fields, body)["summary"] == "1 MB is left"
        with pytest.raises(AssertionError):
            verified(fields, body, secret=bytes(32))
        with pytest.raises(AssertionError):
            verified({**fields, "webhook-timestamp": str(int(NOW) + 1)}, body)
        kept.answers = [302, 500]
        for status in (302, 500):
            with pytest.raises(DeliveryError, match=str(status)):
                Webhook(kept.url, SECRET).send(MESSAGE, NOW)
    with pytest.raises(DeliveryError, match="refused"):
        Webhook(kept.url, SECRET).send(MESSAGE, NOW)


def test_a_poor_secret_is_refused():
    """At the start, and without showing it."""
    with pytest.raises(AlertError) as refused:
        read_secret("whsec_c2hvcnQ=")
    assert "c2hvcnQ" not in str(refused.value)


class Deaf:
    """A receiver that takes nothing until it hears."""

    name = "deaf"

    def __init__(self):
        self.taken, self.asked, self.hears = [], [], False

    def send(self, message, now):
        """As of a receiver."""
        self.asked.append(now)
        if not self.hears:
            raise DeliveryError("deaf")
        self.taken.append(message.id)


def test_messages_wait_until_they_are_taken():
    """With longer and longer pauses, each once; after days one is given up."""
    receiver = Deaf()
    outbox = AlertQueue(receiver)
    outbox.add(MESSAGE)
    outbox.add(MESSAGE._replace(id="msg_2"))
    for second in range(3600):
        outbox.send(NOW + second, second)
    pauses = [later - earlier for earlier, later in pairwise(receiver.asked[::2])]
    assert pauses == sorted(pauses)
    assert len(receiver.asked) < 25
    receiver.hears = True
    for second in range(3600, 3 * 3600, 60):
        outbox.send(NOW + second, second)
    assert (sorted(receiver.taken), outbox.waiting) == (["msg_1", "msg_2"], [])
    receiver.hears = False
    outbox.add(MESSAGE)
    outbox.send(NOW + 4 * 86_400, 0)
    assert outbox.waiting == []


def test_an_alarm_that_flaps_is_no_flood():
    """Wrong every other minute for two days: a dozen messages; once begun and over,
    two.
    """
    alarms = Alarms()
    wrong = [Condition(kinds.CLOCK, "", "it jumped")]
    said = []
    for minute in range(2 * 24 * 60):
        # Right for just longer than five minutes, then wrong again.
        said += alarms.look(wrong if minute % 7 == 0 else [], NOW + 60 * minute)
    assert 2 <= len(said) <= 16
    assert [state for state, _ in said[:3]] == ["begun", "over", "begun"]
    events = [Condition(kinds.EPOCH, "", "closed")] * 100
    assert len(list(Alarms().notices(events, NOW))) == 6


def test_a_short_trouble_is_none():
    """Uploads may be refused for a minute; what was told is not told again."""
    trouble = [Condition(kinds.NOT_READY, "", "no room")]
    alarms = Alarms()
    assert [*alarms.look(trouble, NOW), *alarms.look([], NOW + 30)] == []
    assert [*alarms.look(trouble, NOW + 60)] == []
    [said] = alarms.look(trouble, NOW + 121)
    assert said == ("begun", trouble[0])
    assert [*alarms.look(trouble, NOW + 180), *alarms.look([], NOW + 200)] == []
    [said] = alarms.look([], NOW + 501)
    assert said[0] == "over"


def test_what_is_an_alarm():
    """Each kind has an observation in which it alone is wrong; none is wrong of few
    batches.
    """
    seen = Observation()
    cases = {
        kinds.NOT_READY: seen._replace(trouble="no room"),
        kinds.CLOCK: seen._replace(clock="it jumped"),
        kinds.DISK: seen._replace(room=10**9 - 1),
        kinds.DROP: seen._replace(drop="100 batches came in an hour"),
        kinds.LATE: seen._replace(outcomes={"late": 2, "accepted": 36}),
        kinds.EARLY: seen._replace(outcomes={"early": 1, "accepted": 98}),
        kinds.REJECTED: seen._replace(outcomes={"frame-damaged": 2, "accepted": 36}),
        kinds.TOKENS: seen._replace(uploads={401: 2, 202: 36}),
        kinds.NOISE: seen._replace(noise=(Condition(kinds.NOISE, "a, b", "bits"),)),
    }
    assert cases.keys() == set(kinds.KINDS)
    assert list(conditions(seen)) == []
    for kind, observation in cases.items():
        assert [one.kind for one in conditions(observation)] == [kind]
    few = seen._replace(
        outcomes={"late": 5, "accepted": 14}, uploads={401: 19}, room=10**9
    )
    assert list(conditions(few)) == []


def test_what_is_a_drop():
    """Far below half of the usual, by the same hour of other days if these are
    known.
    """
    last = int(NOW // 3600) - 1
    day = {last - hour: 1000 if hour % 24 == 0 else 10 for hour in range(24 * 8)}
    assert Hours(day).drop(NOW) is None
    assert "against 1,000 as usual" in Hours({**day, last: 300}).drop(NOW)
    assert Hours({**day, last: 480}).drop(NOW) is None
    few = dict.fromkeys(range(last - 9, last), 8)
    assert Hours({**few, last: 0}).drop(NOW) is None  # e^-4 is no rare event
    assert Hours({last - 1: 1000, last: 0}).drop(NOW) is None
    assert Hours({**day, last - 300: 5}).drop(NOW) is None
    hours = Hours()
    for minute in range(24 * 60 * 10):
        hours.count(NOW + 60 * minute, 1)
    assert len(hours.by_hour) == 8 * 24


def test_a_service_tells(tmp_path, monkeypatch):
    """Of an epoch that closes, of a token that is removed, of wrong tokens, of a jump;
    once.
    """
    now = [NOW]
    survey = parse_survey(COMMUTE)
    with (
        hook() as kept,
        service_of(COMMUTE, folder=tmp_path, clock=lambda: now[0]) as service,
    ):
        teller = Watch(service, Webhook(kept.url, SECRET), name="here")
        teller.look()
        looker = visitor(service, UPLOADING)
        for number in range(30):
            body = answers(survey, 1, clock=lambda: NOW)
            token = {"authorization": "Bearer " + "x" * 40} if number < 5 else {}
            looker.post("/v1/reports", content=body, headers=token)
        teller.look()
        now[0] += 100
        write_tokens(tmp_path, token="other" + "t" * 40)
        (tmp_path / "tokens.toml").write_text(
            (tmp_path / "tokens.toml").read_text().replace('"looks"', '"night"')
        )
        service.permission("any", "upload")
        now[0] += 86_400 * 200
        service.writer.write(b"")
        wait_for(lambda: service.writer.clock_trouble is not None)
        teller.look()
        teller.look()
        service.writer.confirm_clock()
        service.writer.write(b"")
        wait_for(lambda: service.writer.clock_trouble is None)
        teller.look()
        said = [verified(fields, body) for fields, body in kept.taken]
    assert [(one["kind"], one["state"]) for one in said] == [
        ("tokens", "begun"),
        ("clock", "begun"),
        ("tokens-changed", "happened"),
        ("epoch", "happened"),
    ]
    assert said[0]["summary"].startswith("5 of 30 uploads")
    assert said[2]["summary"] == "tokens: night added; looks removed"
    assert len({one["id"] for one in said}) == 4
    assert {one["service"] for one in said} == {"here"}


def test_no_message_says_more_than_is_shown(tmp_path, monkeypatch):
    """Reports of which fewer than are shown together have come cause no alarm of
    noise.
    """
    monkeypatch.setattr("ldp_service.counting.publication.PACE", 0)
    with hook() as kept:
        publication = Publication(20)
        with service_of(TEXT, folder=tmp_path, publication=publication) as service:
            teller = Watch(service, Webhook(kept.url, SECRET))
            for number in range(19):
                service.writer.write(file_of(batch_of("wide", 1, f"device {number}")))
            teller.look()
            before = len(kept.taken)
            many = batch_of("wide", 2000, "many")
            service.writer.write(file_of(many._replace(rows=bytes(len(many.rows)))))
            service.analysis._remembered.clear()
            teller._observer._checked = float("-inf")
            wait_for(
                lambda: service.analysis.tally(service.catalogue.all[0]).reports("wide")
            )
            teller.look()
            noise = [verified(*one) for one in kept.taken if b'"noise"' in one[1]]
    assert before == 0
    # All of these are the same report, so nothing that a mechanism draws.
    assert [one["subject"] for one in noise] == ["example, wide"]


def test_one_of_several_processes_tells(tmp_path):
    """The next one does when it is gone."""
    with hook() as kept, service_of(TEXT, folder=tmp_path) as service:
        webhook, lock = Webhook(kept.url, SECRET), tmp_path / "lock"
        first, second = (Watch(service, webhook, lock=lock) for _ in range(2))
        assert [first.tells(), second.tells(), first.tells()] == [True, False, True]
        first.close()
        assert second.tells()
        second.close()


def test_the_command_tries_the_webhook(tmp_path, monkeypatch):
    """By the file that `ldp serve` reads; it fails where the webhook does not take
    it.
    """
    monkeypatch.setenv("LDP_ALERT_SECRET", TEXT_OF_SECRET)
    with hook() as kept:
        (tmp_path / "ldp.toml").write_text(
            f'port = 9000\nalert-webhook = "{kept.url}"\n'
        )
        run("store", "test-alert", "--config", tmp_path / "ldp.toml")
        [(fields, body)] = kept.taken
        assert verified(fields, body)["state"] == "test"
        kept.answers = [503]
        run("store", "test-alert", "--config", tmp_path / "ldp.toml", code=1)
    (tmp_path / "ldp.toml").write_text("alert-webhok = 'x'\n")
    mistyped = run("store", "test-alert", "--config", tmp_path / "ldp.toml", code=2)
    assert "did you mean alert-webhook" in mistyped.output
    assert "expected --alert-webhook" in run("store", "test-alert", code=1).output
    monkeypatch.delenv("LDP_ALERT_SECRET")
    unsigned = ldp("store test-alert --alert-webhook https://a.b/c", code=1)
    assert "LDP_ALERT_SECRET" in unsigned.output
