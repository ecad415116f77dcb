"""The client that apps embed: no error of ours reaches the app, and consent counts."""

import logging
import os
import pickle
import sqlite3
import threading
import time
from collections import defaultdict
from itertools import count, product
from unittest.mock import patch

import pytest
from broken_stores import FailingDatabase, everything, records_of
from failing_sources import FailingSystem
from surveys import (
    COMMUTE_SURVEY,
    DEVICE,
    DEVICE_SURVEY,
    ONCE,
    REPEATABLE,
    survey_of,
    yes_no,
)

from ldp import (
    AlreadyAnsweredError,
    AnswerError,
    BudgetError,
    RandomnessError,
    StateError,
    SurveyError,
    parse_survey,
)
from ldp.numbers.exact import log
from ldp.numbers.randomness import Replay
from ldp.survey.survey_text import LARGEST
from ldp_client import Client, EmbeddedClient
from ldp_client.answering.respondent import Respondent
from ldp_client.delivery.counts import REASONS, Counts
from ldp_client.delivery.outcomes import VERDICTS
from ldp_client.embedding.preview import Preview
from ldp_client.testing import (
    RecordingTransport,
    ReplayingClient,
    assert_nothing_told,
    assert_recorded,
)

TELLING = "a rather telling värde"
EVERY = (*ONCE, *REPEATABLE)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state"


def opened(survey=DEVICE_SURVEY, **settings):
    return EmbeddedClient(survey, **{"state": None, **settings})


TROUBLE = {
    "answered": (lambda client: client.record("once", "red"), AlreadyAnsweredError),
    "answer": (lambda client: client.record("listed", TELLING), AnswerError),
    "budget": (lambda client: client.record("bare", "b"), BudgetError),
    "randomness": (lambda client: client.record("mirror", "red"), RandomnessError),
    "state": (lambda client: client.record("bits", "red"), StateError),
    "unexpected": (lambda client: client.record("listed", []), ZeroDivisionError),
}


@pytest.fixture
def trouble():
    """Clients in which each kind of trouble is about to happen.

    A function from the kind to what is to be called.
    """

    def about_to(reason, strict):
        survey = parse_survey(
            DEVICE.replace(
                'name = "device"', 'name = "device"\nlifetime_epsilon = "5.5"'
            )
        )
        client = opened(survey, strict=strict)
        client.record("once", "red")
        client.record("mirror", "red")
        call, error = TROUBLE[reason]
        patches = {
            "randomness": patch("os.urandom", side_effect=OSError("no entropy")),
            "state": patch.object(
                client._store, "_run", side_effect=StateError("disk full")
            ),
            "unexpected": patch.object(
                Respondent, "report", side_effect=ZeroDivisionError(TELLING)
            ),
        }
        return client, call, error, patches.get(reason, patch("os.urandom", os.urandom))

    return about_to


@pytest.mark.parametrize("reason", TROUBLE)
def test_trouble_is_counted_and_logged_once(reason, trouble, caplog):
    """`record` returns False, whatever went wrong.

    The log has one line for each reason, and no answer in it.
    """
    client, call, _, broken = trouble(reason, strict=False)
    with broken, caplog.at_level(logging.DEBUG, "ldp_client"):
        assert [call(client) for _ in range(3)] == [False] * 3
    assert client.counts() == {"recorded": 2, reason: 3}
    (line,) = caplog.messages
    assert line.startswith(REASONS[reason])
    assert TELLING not in caplog.text
    assert client.waiting() == 2


def test_an_answer_in_the_place_of_a_name_is_not_logged(caplog):
    """An app that mixes up names and answers, or a group's names, leaves neither in its
    log.
    """
    with caplog.at_level(logging.DEBUG), opened() as client:
        assert not client.record(TELLING, "once")
    with caplog.at_level(logging.DEBUG), opened() as client:
        assert not client.record_together({TELLING: "once"})
    assert len(caplog.messages) == 2
    assert TELLING not in caplog.text


@pytest.mark.parametrize("reason", TROUBLE)
def test_strict_clients_raise(reason, trouble):
    """With `strict` the same trouble is raised, and counted all the same."""
    client, call, error, broken = trouble(reason, strict=True)
    with broken, pytest.raises(error):
        call(client)
    assert client.counts()[reason] == 1


@pytest.mark.parametrize("place", ["a-file/state", "damaged"])
def test_an_unusable_state_hurts_no_one(place, tmp_path):
    """Opening, recording and flushing go through with neither error nor report.

    A strict client is not opened.
    """
    (tmp_path / "a-file").touch()
    (tmp_path / "damaged").write_bytes(b"damaged")
    transport = RecordingTransport()
    with opened(state=tmp_path / place, transport=transport) as client:
        for name in EVERY:
            assert not client.record(name, "red")
        assert client.flush(timeout=0.5) is False
    assert (
        client.counts()["state"] >= len(EVERY) + 1
    )  # the thread may have looked as well
    assert transport.payloads == []
    with pytest.raises(StateError):
        opened(state=tmp_path / place, strict=True)


@pytest.mark.parametrize("name", EVERY)
def test_a_disk_that_fails_anywhere_charges_and_queues_both_or_neither(
    name, path, monkeypatch
):
    """Whatever statement the disk fails at, charge, memory and report are all there or
    none is.

    Then it works.
    """
    failures = 0
    for working in count():
        path.unlink(missing_ok=True)
        store = FailingDatabase(path, working)
        monkeypatch.setattr(EmbeddedClient, "_database", lambda *_, store=store: store)
        store.left = 1000
        client = EmbeddedClient(DEVICE_SURVEY, state=None)
        before = everything(store)
        store.left = working
        recorded = client.record(name, "red")
        assert recorded is not store.failed
        failures += store.failed
        store.left = 1000
        records = everything(store)
        assert len([place for place in records if place[0] == "report"]) == recorded
        assert len([place for place in records if place[0] == "charge"]) == recorded
        assert (records != before) == recorded
        client.close()
        if recorded:
            break
        with opened(state=path) as client:
            assert client.record(name, "red")
    assert failures > 3


def test_a_thousand_failures_of_randomness_give_no_report():
    """1,000 ways in which the source fails, at any call, give no report and no
    charge.
    """
    failed = 0
    ways = product((None, *range(200)), EVERY, range(5))
    while failed < 1000:
        length, name, working = next(ways)
        client = opened()
        with patch("os.urandom", FailingSystem(working, length)):
            recorded = client.record(name, "red")
        assert client.counts() == ({"recorded": 1} if recorded else {"randomness": 1})
        assert client.waiting() == recorded
        assert len(client.ledger().charges) == recorded
        failed += not recorded
        client.close()


def test_consent_counts_at_once_and_stays(path):
    """Off: nothing is recorded, and nothing sent; on again: what waited is sent."""
    transport = RecordingTransport()
    with opened(state=path, transport=transport, interval=None) as client:
        assert client.record("once", "red")
        client.set_consent("off")
        assert not client.record("bits", "red")
        assert client.flush(timeout=5.0) is False
        client._sender.send_all()
        assert transport.payloads == []
    with opened(state=path, transport=transport, interval=None) as client:
        assert client.consent == "off"
        assert not client.record("bits", "red")
        client.set_consent("on")
        assert client.record("bits", "red")
        assert client.flush(timeout=30.0)
    assert len(transport.batches) == 2
    assert client.counts() == {"consent-off": 1, "recorded": 1, "accepted": 2}


def test_nothing_is_recorded_before_a_person_was_asked(path):
    """An app that asks first opens with consent `off`.

    What was said later is remembered instead.
    """
    with opened(state=path, consent="off") as client:
        assert not client.record("once", "red")
        client.set_consent("on")
    with opened(state=path, consent="off") as client:
        assert client.record("once", "red")


def test_forgetting_erases_everything_but_the_ledger(path):
    """After `forget` no secret, response or report is in any file.

    The budget is spent all the same.
    """
    with opened(state=path) as client:
        client.record("once", "red")
        client.record("mirror", "red")
        records = everything(client._store)
        parts = [
            part
            for (kind, _), record in records.items()
            if kind in ("secret", "permanent", "report")
            for part in record
        ]
        public = {question.fingerprint for question in DEVICE_SURVEY}
        needles = [
            part
            for part in parts
            if isinstance(part, bytes) and len(part) >= 4 and part not in public
        ]
        assert len(needles) == 4  # with the mark of the report that is made once
        spent = client.ledger().ratio()
        client.set_consent("forget")
        contents = b"".join(file.read_bytes() for file in path.parent.iterdir())
        assert not [needle for needle in needles if needle in contents]
        assert {kind for kind, _ in everything(client._store)} == {
            "charge",
            "aside",
            "limit",
            "event",
            "consent",
            "loss",
        }
        assert client.status().dropped == {"forgotten": 2}
        client.set_consent("on")
        assert not client.record("once", "red")
        assert client.record("mirror", "red")
        assert client.ledger().ratio() == spent * DEVICE_SURVEY["mirror"].price
        assert "everything but this ledger was forgotten" in str(client.ledger())


def test_a_withdrawal_that_cannot_be_written_down_counts_all_the_same(path):
    """The caller who withdrew hears of a failing disk, and nothing is recorded any
    more.
    """
    with opened(state=path) as client:
        client.record("once", "red")
        with patch.object(client._store, "_run", side_effect=StateError("disk full")):
            assert not client.set_consent("off")
        assert client.consent == "off"
        assert not client.record("bits", "red")


@pytest.mark.parametrize("said", ["ON", "", "maybe", None])
def test_there_are_three_ways_to_consent(said):
    """Anything else is a mistake of the app."""
    with pytest.raises(ValueError, match="forget"):
        opened().set_consent(said)
    with pytest.raises(ValueError, match="consent"):
        opened(consent="maybe")


def test_a_new_secret_is_an_accounted_event():
    """Rotation draws new permanent responses.

    They are charged beside the old ones, and the ledger says why.
    """
    client = opened()
    client.record("mirror", "red")
    client.rotate()
    client.record("mirror", "red")
    assert client.ledger().ratio() == DEVICE_SURVEY["mirror"].price ** 2
    assert "the secret was renewed" in str(client.ledger())


def test_what_a_survey_may_ask_for_is_checked_at_the_start():
    """Questions beyond the ceiling and terms that are not pinned are refused, all at
    once.
    """
    dear = survey_of(yes_no("a", "0.5"), yes_no("b", "2"), yes_no("c", "3"))
    with pytest.raises(SurveyError) as caught:
        opened(dear, ceiling="1", pins=["00"])
    assert [problem.place for problem in caught.value.problems] == [
        "question 'b'",
        "question 'c'",
        "survey 's'",
    ]
    opened(dear, ceiling="3", pins=[dear.terms.hex()]).close()
    assert [problem.came for problem in caught.value.problems[:2]] == [
        "epsilon 2.000000",
        "epsilon 3.000000",
    ]
    # What counts is what a question can ever cost: up to four values at 4 ln 3 each.
    with pytest.raises(SurveyError, match=r"17\.57"):
        opened(ceiling="5")
    for wrong in ("0", "-1", "-1/2"):
        with pytest.raises(ValueError, match="expected an epsilon above 0"):
            opened(ceiling=wrong)
    with pytest.raises(ValueError, match="expected a number"):
        opened(ceiling="much")
    for pins, listed in ((["00", "11"], "00, 11"), ([], "none")):
        with pytest.raises(SurveyError, match=rf"this app pins \({listed}\)"):
            opened(dear, pins=pins)


def test_surveys_come_from_files_and_texts(tmp_path):
    """A path, a text and a survey open the same; what is not there is a
    `SurveyError`.
    """
    (tmp_path / "survey.toml").write_text(DEVICE)
    for source in (
        tmp_path / "survey.toml",
        str(tmp_path / "survey.toml"),
        DEVICE,
        DEVICE_SURVEY,
    ):
        with opened(source) as client:
            assert client.survey.terms == DEVICE_SURVEY.terms
    with pytest.raises(SurveyError, match="No such file"):
        opened(tmp_path / "missing.toml")


def test_a_survey_file_may_be_as_large_as_it_may_be(tmp_path):
    """Not a byte is cut off, and one byte more is refused."""
    path, text = tmp_path / "survey.toml", "\n" + DEVICE.strip()
    path.write_text("#" * (LARGEST - len(text)) + text)
    with opened(path) as client:
        assert client.survey.terms == DEVICE_SURVEY.terms
    for longer in (
        "#" * (LARGEST + 1 - len(text)) + text,
        text.ljust(LARGEST, "\n") + "#",
    ):
        path.write_text(longer)
        with pytest.raises(SurveyError):
            opened(path)


def test_several_surveys_share_a_state_and_a_cap(path):
    """With a cap of 2 and questions of epsilon 1, two of three surveys are answered."""
    surveys = [survey_of(yes_no(name), name=name) for name in "abc"]
    recorded = []
    for survey in surveys:
        with opened(survey, state=path, lifetime_cap="2") as client:
            recorded.append(client.record(survey.name, True))
    assert recorded == [True, True, False]
    assert client.counts() == {"budget": 1}


def test_groups_are_recorded_together():
    """A group is one report, and one of its questions alone is a mistake."""
    survey = survey_of(yes_no("a"), yes_no("b"), head='joint = ["a", "b"]')
    transport = RecordingTransport()
    with opened(survey, transport=transport) as client:
        assert not client.record("a", True)
        assert client.record_together({"a": True, "b": False})
        assert not client.record_together({"a": True, "b": False})
        assert client.flush(30.0)
    assert [len(row) for row in transport.reports(survey, "b")] == [2]
    assert client.counts() == {"answer": 1, "recorded": 1, "answered": 1, "accepted": 1}


def test_a_group_is_answered_whole():
    """Answers too few, too many or of other questions are mistakes of the app, by group
    name.
    """
    survey = survey_of(*map(yes_no, "abc"), head='joint = ["a", "b"]')
    with opened(survey, strict=True) as client:
        for names in ("", "a", "b", "c", "abc", "ax"):
            with pytest.raises(AnswerError, match=r"all questions of a group \(a\+b\)"):
                client.record_together(dict.fromkeys(names, True))
        assert client.ledger().charges == ()
    with (
        opened(survey_of(yes_no("a")), strict=True) as client,
        pytest.raises(AnswerError, match="has no groups"),
    ):
        client.record_together({"a": True})


def test_an_answer_that_is_refused_draws_nothing():
    """Charges come before reports: there is no report that could get lost or leak."""
    tape = Replay(os.urandom(1000))
    client = Client(DEVICE_SURVEY, random=tape)
    client.record("once", "red")
    used = tape.used
    with pytest.raises(AlreadyAnsweredError):
        client.record("once", "red")
    assert tape.used == used


def test_a_preview_spends_nothing_and_is_not_what_is_sent():
    """It has the size of a report, says what it could tell, and leaves no trace in the
    state.
    """
    with opened() as client:
        shown = [client.preview("mirror", TELLING) for _ in range(3)]
        assert everything(client._store) == {}
        assert len({draw.row for draw in shown}) == 3
        assert {len(draw.row) for draw in shown} == {DEVICE_SURVEY["mirror"].width}
        assert TELLING not in str(shown[0])
        with pytest.raises(AnswerError):
            client.preview("mirror", "")
        client.record("mirror", TELLING)
        client.record("mirror", "another")
        (*_, first), (*_, second) = (
            report for _, report in records_of(client._store, "report")
        )
        responses = {
            bytes(response) for _, (response,) in records_of(client._store, "permanent")
        }
        rows = {client.preview("mirror", TELLING).row for _ in range(20)}
        assert len(rows) == 20
        assert not rows & {first, second}
        assert not {row[2:] for row in rows} & {
            response.ljust(8, b"\0") for response in responses
        }
        assert client.preview("mirror", TELLING).lifetime_epsilon == pytest.approx(
            DEVICE_SURVEY["mirror"].charges * log(DEVICE_SURVEY["mirror"].price),
            rel=1e-12,
        )
    for width, shown in ((16, "00" * 16 + ", drawn"), (17, "00" * 16 + "..., drawn")):
        assert f"{width} bytes would be sent, such as {shown}" in str(
            Preview("q", bytes(width), 1.0, lifetime_epsilon=1.0, most_likely=0.5)
        )
    assert str(Preview("q", b"", 0.25, lifetime_epsilon=2.5, most_likely=0.5)).endswith(
        "(epsilon 0.250000; 2.500000 for all answers that will ever be sent)."
    )
    once = opened().preview("once", "red")
    assert once.most_likely == pytest.approx(0.7310585786300049, abs=1e-9)
    assert once.epsilon == once.lifetime_epsilon == pytest.approx(1.0, abs=1e-9)
    assert "73.2% likely, at most" in str(once)


def test_no_answer_reaches_the_disk(path):
    """Neither while reports wait, nor while they are sent, nor afterwards."""
    transport = RecordingTransport()
    with opened(state=path, transport=transport, interval=None) as client:
        client.record("mirror", TELLING)
        client.record("bare", TELLING)
        assert_nothing_told([TELLING], path.parent)
        client.flush(30.0)
        assert_nothing_told([TELLING], path.parent)
        (path.parent / "told").write_text(f"she said {TELLING}.")
        with pytest.raises(AssertionError, match="found one"):
            assert_nothing_told([TELLING], path.parent)


def test_threads_record_each_question_once(path):
    """Of 8 threads that answer one question one is heard.

    For 8 that repeat a value one permanent response is drawn.
    """
    with opened(state=path) as client:
        heard = []
        threads = [
            threading.Thread(target=lambda: heard.append(client.record("once", "red")))
            for _ in range(8)
        ]
        threads += [
            threading.Thread(target=lambda: client.record("mirror", "red"))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(heard) == [False] * 7 + [True]
        assert len(client.ledger().charges) == 2
        reports = [report for _, report in records_of(client._store, "report")]
        rows = [
            row
            for fingerprint, row, *_ in reports
            if fingerprint == DEVICE_SURVEY["mirror"].fingerprint
        ]
        assert (len(rows), len(set(rows))) == (8, 1)


def test_replayed_randomness_gives_the_same_reports():
    """An app's tests may replay a tape; nothing else in the client knows how."""
    tape = bytes(range(256)) * 8
    sent = []
    for _ in range(2):
        transport = RecordingTransport()
        with ReplayingClient(COMMUTE_SURVEY, tape, transport) as client:
            client.record("transport", "bus")
            client.record("homepage", "a.example")
            client._sender.send_all()
            assert_recorded(client, 2)
            with pytest.raises(AssertionError, match="expected 3"):
                assert_recorded(client, 3)
        sent.append(transport.payloads)
    assert sent[0] == sent[1]
    assert len(sent[0]) == 2


def test_damaged_reports_are_dropped_and_counted(path):
    """A waiting report that the disk changed is not sent; everything else is."""
    with opened(state=path) as client:
        client.record("once", "red")
        client.record("bits", "red")
    other = sqlite3.connect(path)
    first = "SELECT min(key) FROM records WHERE kind = 'report'"
    other.execute(
        "UPDATE records SET content = zeroblob(20) WHERE kind = 'report' AND key = "
        f"({first})"
    )
    other.commit()
    other.close()
    transport = RecordingTransport()
    with opened(state=path, transport=transport) as client:
        assert client.flush(30.0)
        assert client.counts() == {"damaged": 1, "accepted": 1}
        assert not client.record("once", "red")


@pytest.mark.parametrize("kind", ["attempt", "due"])
def test_when_to_send_is_no_loss(kind, path):
    """What says when to send is drawn anew where the disk has changed it; the ledger
    stays.
    """
    with opened(
        state=path, transport=RecordingTransport([OSError()]), interval=3600
    ) as client:
        client.record("once", "red")
        client.flush(30.0)
    other = sqlite3.connect(path)
    other.execute("UPDATE records SET content = zeroblob(20) WHERE kind = ?", (kind,))
    assert other.total_changes
    other.commit()
    other.close()
    with opened(state=path, transport=RecordingTransport()) as client:
        assert len(client.ledger().charges) == 1
        assert client.waiting() == 1
        assert client.record("bits", "red")
        assert client.counts() == {"recorded": 1}


def test_every_reason_is_explained():
    """The table covers what is counted, in words."""
    elsewhere = {
        "recorded",
        "consent-off",
        "disabled",
        "not-drawn",
        "daily",
        "stopped",
        "not-sampled",
        "no-stop-list",
        "stop-list",
        "closed",
        "queue-full",
        "too-old",
        "damaged",
        "forgotten",
        "transport",
        *VERDICTS,
    }
    assert TROUBLE.keys() | elsewhere == REASONS.keys()


def test_threads_lose_no_count():
    """However they are interleaved: here every look at a number lets another thread
    run.
    """
    counts = Counts()

    class Slow(defaultdict):
        def __getitem__(self, reason):
            number = super().__getitem__(reason)
            time.sleep(1e-3)
            return number

    counts._numbers = Slow(int)
    threads = [
        threading.Thread(target=lambda: [counts.add("recorded") for _ in range(10)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts.numbers() == {"recorded": 40}


@pytest.mark.parametrize("switch", ["LDP_DISABLED", "DO_NOT_TRACK"])
def test_a_switch_from_outside_turns_every_client_off(switch, tmp_path, monkeypatch):
    """Nothing is recorded, sent or made; what waited waits, and a withdrawal is written
    down.
    """
    state, transport = tmp_path / "state", RecordingTransport()
    monkeypatch.setenv(switch, "1")
    with EmbeddedClient(DEVICE_SURVEY, state=state, transport=transport) as client:
        assert client.record("once", "red").reason == "disabled"
        assert not client.record_together({"once": "red"})
        assert client.counts() == {"disabled": 2}
        assert client.consent == "off"
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv(switch, "0")
    with EmbeddedClient(DEVICE_SURVEY, state=state) as client:
        assert client.record("once", "red")
    monkeypatch.setenv(switch, "1")
    with EmbeddedClient(DEVICE_SURVEY, state=state, transport=transport) as client:
        assert not client.flush(0.1)
        assert client.waiting() == 1
        assert client.set_consent("off")
        assert client.set_consent("on")
        assert not client.record("bits", "red")
    assert transport.payloads == []


def test_an_outcome_says_why_there_is_no_report(tmp_path):
    """It is true where there is a report, or will be, and false with the reason that is
    counted.
    """
    with EmbeddedClient(DEVICE_SURVEY, state=tmp_path / "state") as client:
        outcomes = [client.record("once", "red"), client.record("once", "red")]
        outcomes += [client.record("once", "of no colour"), client.record_together({})]
        client.set_consent("off")
        outcomes.append(client.record("bits", "red"))
    outcomes.append(client.record("bits", "red"))
    reasons = ["recorded", "answered", "answer", "answer", "consent-off", "closed"]
    assert [outcome.reason for outcome in outcomes] == reasons
    assert [bool(outcome) for outcome in outcomes] == [True] + [False] * 5
    assert str(outcomes[1]) == "RecordOutcome('answered')"
    copies = [pickle.loads(pickle.dumps(outcome)) for outcome in outcomes]  # noqa: S301
    assert [(copy, copy.reason) for copy in copies] == [
        *zip(outcomes, reasons, strict=True)
    ]
