"""A state file that is restored from a backup, or copied: the same report, under the
same id.
"""

import shutil
import time
from collections import Counter
from itertools import product
from pathlib import Path
from unittest.mock import patch

import pytest
from broken_stores import everything
from surveys import DEVICE_SURVEY, mirror, survey_of, yes_no

import ldp
from ldp import AlreadyAnsweredError
from ldp.wire.wire import FrameReader, decode_batch
from ldp_aggregator import Ingest
from ldp_client import Client, EmbeddedClient, report_bytes
from ldp_client.answering.budget import Budget
from ldp_client.answering.memory import Memory
from ldp_client.answering.reports import Report
from ldp_client.answering.respondent import Respondent
from ldp_client.keeping.hidden_answer import HiddenAnswer
from ldp_client.keeping.scope import NO_COLLECTOR
from ldp_client.keeping.store import ProcessStore
from ldp_client.testing import RecordingTransport

DAY = 86_400
WEIGHT = (
    'name = "weight"\ntype = "number"\nlow = 0\nhigh = 100\nstep = 10\n'
    'mechanism = "geometric"\nepsilon = "1"\n'
)
"""Answers between two steps are rounded at random."""

TOGETHER = survey_of(yes_no("a"), mirror("m"), head='joint = ["a", "m"]')
DRAWN = ldp.survey(
    "panel",
    *(ldp.question(name, ["x", "y"], epsilon=1) for name in "abcdef"),
    draws=[ldp.draw(*"abcdef")],
)


@pytest.mark.parametrize("renewed", [None, "rotate", "forget"])
def test_power_takes_no_secret(tmp_path, renewed):
    """All that is left of a file without its log has the secret that any backup of it
    has.
    """
    state, left = tmp_path / "state", tmp_path / "left"
    with EmbeddedClient(DEVICE_SURVEY, state=state, interval=None) as client:
        if renewed == "rotate":
            assert client.rotate()
        if renewed == "forget":
            assert client.set_consent("forget")
            assert client.set_consent("on")
        left.write_bytes(state.read_bytes())
        secret = everything(client._store)["secret", b""]
    with EmbeddedClient(DEVICE_SURVEY, state=left, interval=None) as client:
        assert everything(client._store)["secret", b""] == secret


def test_a_new_file_needs_no_key_store(tmp_path):
    """Where a secret cannot be sealed yet, there is a file all the same, and it is
    drawn later.
    """
    handed = []
    state = tmp_path / "state"

    def fetch():
        if not handed:
            raise OSError
        return handed[0]

    with EmbeddedClient(
        DEVICE_SURVEY, state=state, interval=None, secret=fetch
    ) as client:
        assert state.exists()
        assert ("secret", b"") not in everything(client._store)
        handed.append(bytes(32))
        assert client.record("once", "red")
        assert ("secret", b"") in everything(client._store)


def sent(survey, state, answer, **settings):
    """The batches of one session of a device, which records what `answer` says and
    sends it.
    """
    transport = RecordingTransport()
    with EmbeddedClient(
        survey, state=state, transport=transport, interval=None, **settings
    ) as client:
        answer(client)
        assert client.flush(30.0)
    return transport.batches


def lives(tmp_path, survey, *answers, **settings):
    """What a device sends in several lives that begin from one backup."""
    backup = tmp_path / "backup"
    with EmbeddedClient(
        survey, state=backup, transport=RecordingTransport(), interval=None
    ):
        pass
    batches = []
    for answer in answers:
        state = tmp_path / "state"
        shutil.copy(backup, state)
        batches.append(sent(survey, state, answer, **settings))
    return batches


@pytest.mark.parametrize(
    ("survey", "name", "answer"),
    [
        (DEVICE_SURVEY, "once", "red"),
        (DEVICE_SURVEY, "bits", "green"),
        (survey_of(WEIGHT), "weight", 33.3),
    ],
)
def test_one_report_counts_once_however_often_a_backup_is_restored(
    survey, name, answer, tmp_path
):
    """Twenty restored devices send one batch, to the byte; fresh randomness gives
    several.
    """

    def record(client):
        assert client.record(name, answer)

    batches = lives(tmp_path, survey, *[record] * 20)
    assert len({batch for (batch,) in batches}) == 1
    fresh = lives(tmp_path, survey, *[record] * 20, rollback_safe=False)
    assert len({batch.id for (batch,) in fresh}) == 20
    assert len({batch.rows for (batch,) in fresh}) > 1


def test_a_collector_counts_it_once(tmp_path):
    """All that five restored devices send is one report of the tally, and four
    duplicates.
    """
    (tmp_path / "backup").mkdir()
    device = Client(DEVICE_SURVEY, state=tmp_path / "state")
    for path in tmp_path.glob("state*"):
        shutil.copy(path, tmp_path / "backup")
    uploads = [report_bytes([device.record("once", "red")])]
    for _ in range(4):
        for path in (tmp_path / "backup").iterdir():
            shutil.copy(path, tmp_path / f"again-{path.name}")
        again = Client(DEVICE_SURVEY, state=tmp_path / "again-state")
        uploads.append(report_bytes([again.record("once", "red")]))
        with pytest.raises(AlreadyAnsweredError):
            again.record("once", "red")
        again._store.close()
        (tmp_path / "again-state").unlink()
    ingest = Ingest(DEVICE_SURVEY)
    ingest.feed(b"".join(uploads))
    assert ingest.tally.reports("once") == 1
    assert ingest.tally.intake.duplicate == 4


def test_a_changed_answer_is_a_report_of_its_own(tmp_path):
    """After a rollback two answers have independent reports, under ids that nothing
    links.

    With one tape for both, some pairs of reports could not occur: of 300 devices that
    answer yes and then no, each of the four pairs is seen (one is missed with a chance
    below 1e-17).
    """
    survey = survey_of(yes_no("a", "0.5"))
    pairs = Counter()
    for number in range(300):
        folder = tmp_path / str(number)
        folder.mkdir()
        state = folder / "state"
        Client(survey, state=state)._store.close()
        shutil.copy(state, folder / "copy")
        one = Client(survey, state=state).record("a", True)
        other = Client(survey, state=folder / "copy").record("a", False)
        pairs[one.row, other.row] += 1
        assert one.mark != other.mark or one.row == other.row
    assert len(pairs) == 4


def test_what_a_device_keeps_comes_back_as_well(tmp_path):
    """Cohort and permanent responses are those that it had: no fresh noise on the same
    answer.
    """
    kept = []
    for state in lives_of_a_file(tmp_path, 5):
        with EmbeddedClient(DEVICE_SURVEY, state=state) as client:
            assert client.record("mirror", "red")
            records = everything(client._store)
        kept.append(
            [
                record
                for record in records.items()
                if record[0][0] in ("cohort", "permanent")
            ]
        )
    assert len(kept[0]) == 2
    assert kept == [kept[0]] * 5


def lives_of_a_file(tmp_path, number):
    """Copies of a state file that was opened and closed."""
    with EmbeddedClient(DEVICE_SURVEY, state=tmp_path / "backup"):
        pass
    for life in range(number):
        yield shutil.copy(tmp_path / "backup", tmp_path / str(life))


def test_groups_and_draws_come_back(tmp_path):
    """A group that holds a question that is answered once, its memoized ones included;
    a draw.
    """

    def together(client):
        assert client.record_together({"a": True, "m": "red"})

    batches = lives(tmp_path, TOGETHER, *[together] * 10)
    assert len({batch for (batch,) in batches}) == 1
    (tmp_path / "draws").mkdir()

    def drawn(client):
        assert sum(client.record(name, "x") for name in "abcdef") == 1

    assert (
        len({batch for (batch,) in lives(tmp_path / "draws", DRAWN, *[drawn] * 10)})
        == 1
    )


def test_answers_that_may_be_repeated_have_no_mark(tmp_path):
    """Their batches have random ids: two days of a device must not be linked by
    them.
    """
    client = Client(DEVICE_SURVEY, state=tmp_path / "state", lifetime_cap="1000")
    assert client.record("mirror", "red").mark is None
    marks = [client.record("once", "red").mark, client.record("bits", "red").mark]
    assert None not in marks
    assert len(set(marks)) == 2
    assert Client(DEVICE_SURVEY).record("once", "red").mark is None
    assert Client(
        DEVICE_SURVEY, state=tmp_path / "other", rollback_safe=False
    ).record("once", "red").mark is None  # fmt: skip


def test_what_is_answered_every_day_chooses_a_record_anew(tmp_path):
    """A device of two records does not stick to one: of 64 days each is seen.

    One is missed with a chance of 2^-63.
    """
    often = ldp.question(
        "often",
        ["a", "b"],
        mechanism="l-grr",
        epsilon_first="15",
        epsilon_lifetime="16",
        per_device="one",
    )
    client = Client(
        ldp.survey("s", often), state=tmp_path / "state", lifetime_cap="1000"
    )
    assert len({client.record("often", ["a", "b"]).row for _ in range(64)}) == 2


def test_ids_of_two_epochs_have_nothing_in_common(tmp_path):
    """A report that comes again within its epoch counts once; later, no id tells that
    it did.
    """
    survey = survey_of(yes_no("a"), head='epoch = "1d"')
    device = Client(survey, state=tmp_path / "state")
    report = device.record("a", True)
    ids = {}
    for number in (20_000, 20_000.5, 20_001):
        with patch.object(time, "time", return_value=number * DAY):
            (payload,) = FrameReader().feed(report_bytes([report], clock=time.time))
            ids[number] = decode_batch(payload).id
    assert ids[20_000] == ids[20_000.5]
    assert ids[20_000][:4] != ids[20_001][:4]
    assert ids[20_000][4:] != ids[20_001][4:]


def test_collectors_get_reports_that_have_nothing_in_common(tmp_path):
    """Of one device and question, 64 collectors get different marks, and both
    answers.
    """
    reports = []
    survey = survey_of(yes_no("a", "0.5"))
    for number in range(64):
        client = Client(
            survey,
            state=tmp_path / "state",
            collector=f"https://{number}",
            lifetime_cap="1000",
        )
        reports.append(client.record("a", True))
        client._store.close()
    assert len({report.mark for report in reports}) == 64
    assert len({report.row for report in reports}) == 2


def test_the_law_is_that_of_the_mechanism(tmp_path):
    """Of 4,000 devices 62.2 % tell the truth at epsilon 0.5, within 5.1 standard
    errors.

    That is a chance of a false alarm below 1e-6; a truth of 66.2 % is detected.
    """
    survey, truths, devices = survey_of(yes_no("a", "0.5")), 0, 4000
    for number in range(devices):
        store = ProcessStore()
        memory = Memory(store, NO_COLLECTOR)
        secret = number.to_bytes(32, "big")
        store.transact(lambda: store.put("secret", b"", (secret,)))  # noqa: B023
        respondent = Respondent(
            survey,
            memory,
            Budget(store, survey, NO_COLLECTOR, cap=None),
            random=bytes,
            derives=True,
        )
        report = store.transact(respondent.report, HiddenAnswer({"a": True}), False)
        truths += report.row[0]
    share = 0.6224593312018546
    assert abs(truths / devices - share) < 5.1 * (share * (1 - share) / devices) ** 0.5


def test_reports_are_kept_whole():
    """With and without an epoch or a mark, a record gives back its report."""
    for epoch, mark in product((None, 60), (None, bytes(range(16)))):
        report = Report(bytes(16), b"row", epoch, mark=mark)
        assert Report.of_record(report.record()) == report


def test_forgetting_takes_the_secret_with_it(tmp_path):
    """From then on no one can try which answer gives the report that was sent."""
    state = tmp_path / "state"
    with EmbeddedClient(DEVICE_SURVEY, state=state) as client:
        assert client.record("once", "red")
        secret = everything(client._store)["secret", b""][0]
        client.set_consent("forget")
        assert secret not in b"".join(
            Path(path).read_bytes() for path in tmp_path.iterdir()
        )
