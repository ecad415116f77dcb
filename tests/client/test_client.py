"""The client: what it reports, remembers, refuses, and never lets out."""

import base64
import hashlib
import json
import os
import random
import traceback
from itertools import product
from unittest.mock import patch

import pytest
from failing_sources import FailingSystem
from specimens import question
from surveys import DEVICE_SURVEY, ONCE, REPEATABLE, survey_of, yes_no

from ldp import AlreadyAnsweredError, AnswerError, RandomnessError, StateError, Survey
from ldp.numbers.layout import COHORT_WIDTH
from ldp.numbers.randomness import Replay
from ldp.wire.wire import MOST_PAYLOAD, MOST_REPORTS, FrameReader, decode_batch
from ldp_aggregator import Ingest, Options, estimate
from ldp_client import Client, Report, batches, report_bytes

EVERY = (*ONCE, *REPEATABLE)
TELLING = "a rather telling värde"
ANSWERS = ("red", "green", "blue")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state"


@pytest.mark.parametrize("name", ONCE)
def test_one_report_spends_the_budget(name, path):
    """A question whose epsilon goes into one report is answered once, also after a
    restart.
    """
    Client(DEVICE_SURVEY, state=path).record(name, "red")
    for answer in ANSWERS:
        with pytest.raises(AlreadyAnsweredError, match=name):
            Client(DEVICE_SURVEY, state=path).record(name, answer)


@pytest.mark.parametrize("name", REPEATABLE)
def test_permanent_responses_survive_restarts(name, path):
    """Each answer has one permanent response, which every process of the device reports
    from.
    """
    seen = [
        {Client(DEVICE_SURVEY, state=path).record(name, answer).row for _ in range(5)}
        for answer in ANSWERS
    ]
    assert [len(rows) for rows in seen] == [1, 1, 1]


def test_a_restart_draws_only_instantaneous_noise(path):
    """A repeated answer takes the bytes of an instantaneous response: nothing else is
    redrawn.
    """
    asked = DEVICE_SURVEY["mirror"]
    tape = Replay(os.urandom(1 << 12))
    asked.randomizer.instantaneous(0, 0, tape)
    Client(DEVICE_SURVEY, state=path).record("mirror", TELLING)
    again = Replay(os.urandom(1 << 12))
    Client(DEVICE_SURVEY, state=path, random=again).record("mirror", TELLING)
    assert again.used == tape.used


def test_the_cohort_of_a_device_is_fixed(path):
    """A device stays in the cohort that it drew first, over answers and restarts."""
    rows = [
        Client(DEVICE_SURVEY, state=path).record("mirror", f"text {number}").row
        for number in range(20)
    ]
    assert len({row[:COHORT_WIDTH] for row in rows}) == 1


def test_devices_differ():
    """Without a state file nothing is shared: 20 devices differ in cohort (chance
    1000^-19).
    """
    assert (
        len(
            {
                Client(DEVICE_SURVEY).record("mirror", TELLING).row[:COHORT_WIDTH]
                for _ in range(20)
            }
        )
        > 1
    )


def test_no_answer_reaches_the_disk(path):
    """No answer, in any encoding or plain hash, is in the state file or in what a
    client shows.
    """
    client = Client(DEVICE_SURVEY, state=path)
    reports = [
        client.record("mirror", TELLING),
        client.record("listed", "green"),
        client.record("bare", TELLING),
    ]
    shown = b"".join(file.read_bytes() for file in path.parent.iterdir())
    shown += f"{client!r}{vars(client)!r}{reports!r}{client.ledger()}".encode()
    for answer in (TELLING, "green"):
        text = answer.encode()
        forms = [
            text,
            answer.encode("utf-16-le"),
            json.dumps(answer)[1:-1].encode(),
            base64.b64encode(text)[:8],
        ]
        forms += [text.hex().encode(), text[::-1]]
        for name in ("md5", "sha1", "sha256", "blake2b", "blake2s"):
            digest = hashlib.new(name, text).digest()
            forms += [digest[:8], digest.hex()[:12].encode()]
        assert not [form for form in forms if form in shown]


# How many calls a first report takes: `bare` draws a cohort, `mirror` a secret and
# permanent bits as well.
CALLS = {"once": 1, "bits": 1, "bare": 2, "mirror": 4, "listed": 3}


@pytest.mark.parametrize("name", EVERY)
def test_failing_randomness_gives_no_report_and_charges_nothing(name):
    """Randomness that fails at the k-th call gives an error, no report, and nothing
    spent.

    The same goes for randomness that gives k bytes there.
    """
    for calls, length in product(range(CALLS[name]), [None, *range(50)]):
        client = Client(DEVICE_SURVEY)
        system = FailingSystem(calls, length)
        with patch("os.urandom", system):
            try:
                client.record(name, "red")
            except RandomnessError:
                assert client.ledger().charges == ()
            else:
                assert not system.failed
                continue
        client.record(name, "red")


def test_short_randomness_is_refused_at_any_length():
    """A draw that comes back with fewer bytes than were asked for is never used."""
    needed = []

    def measure(size):
        needed.append(size)
        return bytes(size)

    Client(DEVICE_SURVEY, random=measure).record("mirror", "red")
    for given in range(max(needed)):
        with (
            patch("os.urandom", lambda size, given=given: bytes(min(size, given))),
            pytest.raises(RandomnessError),
        ):
            Client(DEVICE_SURVEY).record("mirror", "red")


class Telling:
    """An answer of a wrong type that tells itself wherever it is shown."""

    def __repr__(self):
        return TELLING

    __str__ = __repr__


BAD_ANSWERS = [
    ("once", TELLING),
    ("once", 0),
    ("once", True),
    ("once", None),
    ("once", Telling()),
    ("once", TELLING.encode()),
    ("mirror", ""),
    ("mirror", TELLING * 1000),
    ("mirror", TELLING + "\udc80"),
    ("mirror", Telling()),
    ("listed", TELLING),
    ("listed", ["red"]),
]


@pytest.mark.parametrize(("name", "answer"), BAD_ANSWERS)
def test_bad_answers_are_refused_without_being_repeated(name, answer, path):
    """An answer that does not fit is in no message, no traceback and no chained
    exception.

    It charges nothing.
    """
    with pytest.raises(AnswerError, match=name) as caught:
        Client(DEVICE_SURVEY, state=path).record(name, answer)
    link = caught.value
    while link is not None:
        assert (
            TELLING
            not in f"{link!s}{link!r}{link.args!r}{vars(link)!r}{getattr(link, 'object', '')!r}"
        )
        link = link.__cause__ or link.__context__
    assert TELLING not in "".join(traceback.format_exception(caught.value))
    assert Client(DEVICE_SURVEY, state=path).ledger().charges == ()


@pytest.mark.parametrize("answer", ["true", 1, 0, None, "yes"])
def test_a_boolean_question_takes_booleans_only(answer):
    """Nothing is guessed: 1 and "yes" are not True."""
    survey = Survey("s", (question("warner", 'type = "boolean"\nepsilon = 1'),))
    with pytest.raises(AnswerError):
        Client(survey).record("x", answer)


def test_an_unknown_question_is_refused():
    """The message lists the questions that there are."""
    with pytest.raises(AnswerError, match="once, bits, mirror"):
        Client(DEVICE_SURVEY).record("nope", TELLING)


def test_without_permanent_noise_nothing_is_memoized():
    """RAPPOR with f = 0 would memoize the true bits: it is answered once, nothing is
    stored.
    """
    client = Client(DEVICE_SURVEY)
    client.record("bare", TELLING)
    assert list(client._memory.store.records("permanent")) == []
    with pytest.raises(AlreadyAnsweredError):
        client.record("bare", TELLING)


def test_a_retry_sends_the_same_bytes():
    """The bytes of a batch are made once; an aggregator that gets them again counts
    them once.
    """
    sent = report_bytes([Client(DEVICE_SURVEY).record("once", "red")])
    ingest = Ingest(DEVICE_SURVEY)
    for _ in range(3):
        ingest.feed(sent)
        ingest.end_of_stream()
    assert ingest.tally.reports("once") == 1
    assert (ingest.tally.intake.accepted, ingest.tally.intake.duplicate) == (1, 2)


def test_reports_are_batched_by_question():
    """Every report is in one batch, with others of its question, under an id of the
    batch's own.
    """
    reports = [
        Client(DEVICE_SURVEY).record(name, "red")
        for name in ("once", "mirror")
        for _ in range(25)
    ]
    by_client = batches(
        [
            report
            for pair in zip(reports[:25], reports[25:], strict=True)
            for report in pair
        ],
        size=10,
    )
    frames = [
        decode_batch(frame)
        for frame in FrameReader().feed(report_bytes(reports, size=10))
    ]
    for batches_of in (by_client, frames):
        assert [batch.size for batch in batches_of] == [10, 10, 5] * 2
        assert len({batch.id for batch in batches_of}) == 6
        for first, *others in (reports[:25], reports[25:]):
            alike = [
                batch for batch in batches_of if batch.fingerprint == first.fingerprint
            ]
            rows = [
                batch.rows[at : at + len(first.row)]
                for batch in alike
                for at in range(0, len(batch.rows), len(first.row))
            ]
            assert sorted(rows) == sorted(report.row for report in (first, *others))


@pytest.mark.parametrize(
    ("width", "count", "size", "largest"),
    [
        (1, 5, 0, 1),
        (1, 5, -3, 1),
        (1, MOST_REPORTS + 1, 1 << 30, MOST_REPORTS),
        (1 << 19, 33, 1000, 31),
        (MOST_PAYLOAD // 2, 2, 1000, 1),
    ],
)
def test_batches_stay_within_the_limits_of_the_wire(width, count, size, largest):
    """Whatever size is asked for, a batch can be encoded, and is as large as the limits
    allow.
    """
    filled = batches([Report(bytes(16), bytes(width))] * count, size=size)
    assert max(batch.size for batch in filled) == largest
    assert sum(batch.size for batch in filled) == count
    assert report_bytes([Report(bytes(16), bytes(width))] * count, size=size)


def test_no_reports_are_no_bytes():
    """Nothing recorded, nothing to send."""
    assert report_bytes([]) == b""


def test_a_listed_question_through_a_bloom_filter(path):
    """RAPPOR with `bloom_bits` on a listed question works without a candidate file.

    4,000 devices with nearly noiseless reports; the interval at a miss rate of 1e-7
    must hold each true frequency.
    """
    survey = Survey(
        "s",
        (
            question(
                "rappor",
                'type = "category"\nvalues = ["red", "green", "blue"]\n'
                "bloom_bits = 32\nhashes = 2\ncohorts = 2\n"
                'p = "0.01"\nq = "0.99"\nf = "0.02"',
            ),
        ),
    )
    answers = ["red"] * 2400 + ["green"] * 1600
    ingest = Ingest(survey)
    noise = random.Random(5).randbytes
    ingest.feed(
        report_bytes(
            Client(survey, random=noise).record("x", answer) for answer in answers
        )
    )
    ingest.end_of_stream()
    estimates = estimate(ingest.tally, options=Options(level=1 - 1e-7))["x"]
    for value, frequency in (("red", 0.6), ("green", 0.4), ("blue", 0.0)):
        assert estimates[value].low <= frequency <= estimates[value].high
        assert estimates[value].high - estimates[value].low < 0.1


@pytest.mark.parametrize("together", [False, True])
def test_no_report_is_handed_out_before_its_charge_is_on_disk(together, path):
    """A disk that fails to sync costs the report, and not the charge."""
    joint = 'joint = ["a", "b"]' if together else ""
    client = Client(survey_of(yes_no("a"), yes_no("b"), head=joint), state=path)
    with (
        patch.object(client._store, "settle", side_effect=StateError("no sync")),
        pytest.raises(StateError, match="no sync"),
    ):
        client.record_together({"a": True, "b": True}) if together else client.record(
            "a", True
        )
    assert len(client.ledger().charges) == 1 + together
