"""Epochs: what an id tells about when its batch was made, and who makes such ids."""

import struct
import time
from unittest.mock import patch

import pytest
from broken_stores import records_of
from hypothesis import given
from hypothesis import strategies as st
from surveys import survey_of, yes_no

from ldp import SurveyError
from ldp.numbers.epochs import (
    LAST,
    LONGEST,
    SHORTEST,
    UNITS,
    batch_id,
    epoch_at,
    epoch_of,
    parse_length,
)
from ldp.numbers.randomness import Replay, system
from ldp.survey.compiled import compile_survey
from ldp.wire.wire import FrameReader, decode_batch
from ldp_aggregator import Ingest
from ldp_client import Client, EmbeddedClient, batches, frames, report_bytes
from ldp_client.delivery.transport import retry
from ldp_client.testing import RecordingTransport
from ldp_simulations.simulation.simulation import report_files

DAY = 86_400
FIRST = 20_000
JOINT = 'joint = ["a", "b"]\n'
EPOCH = 'epoch = "1d"\n'

lengths = st.integers(SHORTEST, LONGEST)
epochs = st.integers(0, LAST)


def at(epoch):
    """The time is one second into an epoch of a day."""
    return patch.object(time, "time", return_value=epoch * DAY + 1.0)


def opened(survey, transport, state=None):
    """An embedded client that sends at `flush` only."""
    return EmbeddedClient(survey, state=state, transport=transport, interval=None)


def made_by(make, length, seconds, tape=bytes(range(16))):
    """The id that is made of a tape, and how much of the tape it took; nothing if it
    fails.
    """
    source = Replay(tape)
    try:
        return make(source, length, seconds), source.used
    except (ArithmeticError, struct.error):
        return None


@given(length=lengths, epoch=st.integers(0, 1 << 24))
def test_an_epoch_begins_and_ends_to_the_second(length, epoch):
    """Epoch e is the time from e lengths on to before e + 1 of them."""
    inside = epoch * length, (epoch + 1) * length - 1, (epoch + 1) * length - 0.5
    assert {epoch_at(seconds, length) for seconds in inside} == {epoch}
    assert epoch_at((epoch + 1) * length, length) == epoch + 1


def _lawful(make, length, epoch):
    """Whether ids made at both ends of an epoch are its number and 12 bytes of the
    tape.

    And without epochs, 16.
    """
    after = (epoch + 1) * length - 1
    sound = epoch.to_bytes(4, "little") + bytes(range(12)), 12
    sizes = [made_by(make, length, seconds) for seconds in (epoch * length, after)]
    return sizes == [sound, sound] and made_by(make, None, after) == (
        bytes(range(16)),
        16,
    )


@given(length=lengths, epoch=epochs)
def test_an_id_begins_with_its_epoch(length, epoch):
    """Four bytes tell the epoch, twelve are random; without epochs all are.

    As many bytes are drawn at any time.
    """
    assert _lawful(batch_id, length, epoch)
    assert epoch_of(batch_id(system, length, epoch * length)) == epoch


def highest_first(random, length, seconds):
    """An identifier whose epoch is written the other way round."""
    if length is None:
        return random(16)
    return struct.pack(">I", epoch_at(seconds, length)) + random(12)


BROKEN = {
    "highest byte first": highest_first,
    "rounded to the nearest": lambda random, length, seconds: batch_id(
        random, length, seconds + (length or 0) / 2
    ),
    "random as without epochs": lambda random, _length, _seconds: random(16),
    "the second instead": lambda random, length, seconds: batch_id(
        random, length and 1, seconds
    ),
    "more bytes drawn": lambda random, length, seconds: batch_id(
        lambda size: random(16)[:size], length, seconds
    ),
    "epochs for all": lambda random, length, seconds: batch_id(
        random, length or DAY, seconds
    ),
}


@pytest.mark.parametrize("make", BROKEN.values(), ids=BROKEN)
def test_the_law_of_ids_can_fail(make):
    """An id that is made in another way breaks the law, in one epoch or another."""
    assert not all(_lawful(make, DAY, epoch) for epoch in (0, 1, FIRST))


@given(length=lengths, one=epochs, other=epochs)
def test_ids_of_two_epochs_differ(length, one, other):
    """Ids of two epochs differ in their first four bytes, those of one epoch do not."""
    first, second = (
        batch_id(bytes, length, epoch * length)[:4] for epoch in (one, other)
    )
    assert (first == second) == (one == other)


@pytest.mark.parametrize(
    ("seconds", "epoch"), [(-1e9, 0), (-0.5, 0), (60.0 * 2**32, LAST), (1e300, LAST)]
)
def test_no_clock_is_too_wrong(seconds, epoch):
    """A time before the first epoch is in the first, and one after the last in the
    last.
    """
    assert epoch_of(batch_id(system, 60, seconds)) == epoch


def test_lengths_of_time():
    """A length is a whole number of minutes, hours, days or weeks, from a minute to 366
    days.
    """
    seconds = {
        "1m": 60,
        "30m": 1800,
        "1h": 3600,
        "1d": DAY,
        "7d": 7 * DAY,
        "1w": 7 * DAY,
        "366d": LONGEST,
        "52w": 364 * DAY,
    }
    assert {text: parse_length(text) for text in seconds} == seconds
    assert parse_length(f"{366 * 24 * 60}m") == LONGEST == 366 * UNITS["d"]


@pytest.mark.parametrize(
    "length",
    ["86400", "true", '["1d"]', f'"{"9" * 5000}m"', '"\N{ARABIC-INDIC DIGIT ONE}d"']
    + [
        f'"{text}"'
        for text in (
            "0m",
            "59s",
            "01d",
            "1.5d",
            "-1d",
            " 1d",
            "1 d",
            "1D",
            "d",
            "",
            "367d",
            "53w",
        )
    ],
)
@pytest.mark.parametrize("head", ["epoch = {}", 'epoch = "1d"\ngrace = {}'])
def test_bad_lengths_are_problems(head, length):
    """Any other length is the one problem of its survey."""
    with pytest.raises(
        SurveyError, match='expected a length of time from "1m" to "366d"'
    ) as caught:
        survey_of(yes_no("a"), head=head.format(length))
    assert [problem.place for problem in caught.value.problems] == [
        f"survey: survey.{head.split()[-3]}"
    ]


def test_grace_needs_epochs():
    """A survey without epochs has no grace, and may not ask for any."""
    with pytest.raises(
        SurveyError, match=r"survey\.grace: expected nothing: without an epoch"
    ):
        survey_of(yes_no("a"), head='grace = "1d"')
    plain = survey_of(yes_no("a"))
    assert (plain.epoch, plain.grace, plain["a"].epoch) == (None, 0, None)


def test_a_survey_has_its_epochs():
    """All questions and groups have the survey's epochs.

    Their grace is as long as they are unless it is given.
    """
    survey = survey_of(yes_no("a"), yes_no("b"), head=JOINT + EPOCH)
    assert {asked.epoch for asked in (survey, *survey.tally_parts)} == {DAY}
    assert survey.grace == DAY
    assert survey_of(yes_no("a"), head=f'{EPOCH}grace = "2h"').grace == 7200


def test_fingerprints_tell_epochs_apart():
    """Fingerprints of questions, groups and surveys, and terms, are others for each
    length.

    Grace changes none.
    """
    heads = ["", EPOCH, 'epoch = "1h"', 'epoch = "1w"']
    surveys = [survey_of(yes_no("a"), yes_no("b"), head=JOINT + head) for head in heads]
    assert (
        len({survey.fingerprint for survey in surveys})
        == len({survey.terms for survey in surveys})
        == len(heads)
    )
    assert len(
        {envelope.fingerprint for survey in surveys for envelope in survey.tally_parts}
    ) == 3 * len(heads)
    for same in ('epoch = "24h"', 'epoch = "1440m"', f'{EPOCH}grace = "1w"'):
        other = survey_of(yes_no("a"), yes_no("b"), head=JOINT + same)
        assert (other.fingerprint, other.terms) == (
            surveys[1].fingerprint,
            surveys[1].terms,
        )


def test_the_compiled_form_has_the_length():
    """Where a survey has epochs, and nowhere else."""
    assert compile_survey(survey_of(yes_no("a"), head=EPOCH))["epoch"] == DAY
    assert "epoch" not in compile_survey(survey_of(yes_no("a")))


def test_reports_know_their_epochs():
    """Batches of several surveys' reports, and groups', have ids that begin as each
    says.
    """
    alone = Client(survey_of(yes_no("c"), head='epoch = "1h"')).record("c", True)
    together = Client(
        survey_of(yes_no("a"), yes_no("b"), head=JOINT + EPOCH)
    ).record_together({"a": True, "b": True})
    lasting = Client(survey_of(yes_no("a"))).record("a", True)
    sent = batches(
        [alone, together, lasting, alone],
        size=1,
        random=bytes,
        clock=lambda: FIRST * DAY + 3600.0,
    )
    assert sorted(epoch_of(batch.id) for batch in sent) == [
        0,
        FIRST,
        FIRST * 24 + 1,
        FIRST * 24 + 1,
    ]
    (joint,) = [batch for batch in sent if batch.fingerprint == together.fingerprint]
    assert report_bytes([together], random=bytes, clock=lambda: FIRST * DAY) == frames(
        [joint]
    )


def test_an_id_has_the_epoch_in_which_it_was_sealed():
    """A report that waited is of its batch's epoch, and a retry is of the same, however
    late.
    """
    transport = RecordingTransport([retry(), retry()])
    with opened(survey_of(yes_no("a"), head=EPOCH), transport) as client:
        with at(FIRST):
            assert client.record("a", True)
        for later in (3, 5, 7):
            with at(FIRST + later):
                client.flush()
    assert len(transport.payloads) == 3
    assert [epoch_of(batch.id) for batch in transport.batches] == [FIRST + 3]


def test_what_waits_keeps_the_epochs_of_its_survey(tmp_path):
    """A queue that the next version takes over holds earlier reports, and sends them
    rightly.
    """
    lifetime = 'lifetime_epsilon = "2"'
    surveys = {
        None: survey_of(yes_no("a"), head=lifetime),
        DAY: survey_of(yes_no("b"), head=f"{lifetime}\n{EPOCH}"),
    }
    by_fingerprint = {
        survey.tally_parts[0].fingerprint: epoch for epoch, survey in surveys.items()
    }
    for first, second in (surveys.values(), reversed(surveys.values())):
        state, transport = tmp_path / str(first.epoch), RecordingTransport()
        with at(FIRST), opened(first, None, state) as client:
            assert client.record(first.questions[0].name, True)
        with at(FIRST), opened(second, transport, state) as client:
            assert client.record(second.questions[0].name, True)
            assert client.flush()
        ids = {
            by_fingerprint[batch.fingerprint]: batch.id for batch in transport.batches
        }
        assert epoch_of(ids[DAY]) == FIRST
        assert ids.keys() == surveys.keys()
        assert epoch_of(ids[None]) != FIRST  # a false alarm once in 2^32


def test_without_epochs_the_queue_is_as_it_was():
    """A report that waits is kept in two parts.

    A third one is the length of its survey's epochs.
    """
    for head, parts in (("", 2), (EPOCH, 3)):
        with opened(survey_of(yes_no("a"), head=head), None) as client:
            client.record("a", True)
            assert [
                len(record) for _, record in records_of(client._store, "report")
            ] == [parts]


@pytest.mark.parametrize("mechanism", ["grr", "she"])
def test_simulated_devices_make_the_same_ids(mechanism):
    """Report files of simulations have devices' ids, whether drawn in bulk or by
    clients.
    """
    survey = survey_of(
        f'name = "a"\ntype = "boolean"\nmechanism = "{mechanism}"\nepsilon = 1',
        head=EPOCH,
    )
    before = epoch_at(time.time(), DAY)
    (file,) = report_files(survey, [{"a": True}] * 3)
    [payload] = FrameReader().feed(file)
    assert before <= epoch_of(decode_batch(payload).id) <= epoch_at(time.time(), DAY)


def test_aggregating_files_ignores_epochs():
    """Files are counted whenever their batches were made, and each batch once."""
    survey = survey_of(yes_no("a"), head=EPOCH)
    report = Client(survey).record("a", True)
    files = [
        report_bytes([report], clock=lambda seconds=epoch * DAY: seconds)
        for epoch in (0, FIRST, LAST)
    ]
    ingest = Ingest(survey)
    ingest.feed(b"".join([*files, files[1]]))
    ingest.end_of_stream()
    intake = ingest.tally.intake
    assert (intake.accepted, intake.duplicate, intake.received) == (3, 1, 4)


def test_a_survey_with_another_length_is_another_survey():
    """Batches that were made for epochs of another length are refused for their
    fingerprint.
    """
    daily, hourly = (
        survey_of(yes_no("a"), head=f'epoch = "{length}"') for length in ("1d", "1h")
    )
    ingest = Ingest(hourly)
    ingest.feed(report_bytes([Client(daily).record("a", True)]))
    ingest.end_of_stream()
    assert ingest.tally.intake.rejected == {"fingerprint": 1}
