"""What a collector must not learn from whether, when, and in which order reports are
made.
"""

from collections import Counter
from itertools import permutations
from unittest.mock import patch

import pytest
from broken_stores import records_of
from surveys import mirror, survey_of, yes_no

from ldp.wire.wire import FrameReader, decode_batch
from ldp_client import Client, EmbeddedClient, report_bytes
from ldp_client.testing import RecordingTransport

DAY = 86_400
DAILY = (
    'name = "daily"\ntype = "category"\nvalues = ["0", "1", "2", "3"]\nmechanism = '
    '"l-grr"\n'
    'epsilon_first = "1"\nepsilon_lifetime = "2"\n'
)
SEQUENCES = ("1111", "1122", "0022", "1233", "0123", "3210")


def on_day(number):
    """A patch of the clock."""
    return patch("time.time", return_value=(20_000.0 + number) * DAY)


def days_with_a_report(survey, answers, **settings):
    """On which days a fresh device makes a report, answering one of `answers` each
    day.
    """
    transport = RecordingTransport()
    with EmbeddedClient(
        survey, state=None, transport=transport, interval=None, **settings
    ) as client:
        outcomes = []
        for number, answer in enumerate(answers):
            with on_day(number):
                outcomes.append(client.record("daily", answer))
        with on_day(len(answers)):
            client.flush(30.0)
    assert len(transport.reports(survey, "daily")) == sum(outcomes)
    return tuple(outcomes)


@pytest.mark.parametrize("limit", ["0.5", "1.9", "2", "3", "4.5", "7", "100"])
@pytest.mark.parametrize("stop", ["lifetime_epsilon", "lifetime_cap"])
def test_whether_reports_are_made_depends_on_no_answer(stop, limit):
    """With a price of 2 and any limit, a device reports on the same days, whatever is
    answered.

    Where the limit is 3, devices that stop at the second value are silent on the third
    and fourth day after 1, 1, 2, 2, and not after 1, 1, 1, 1: no law but a certainty,
    so that 5 devices each tell.
    """
    survey = survey_of(
        DAILY,
        head=f'lifetime_epsilon = "{limit}"' if stop == "lifetime_epsilon" else "",
    )
    settings = {"lifetime_cap": limit if stop == "lifetime_cap" else "1000"}
    patterns = Counter(
        days_with_a_report(survey, answers, **settings)
        for answers in SEQUENCES
        for _ in range(5)
    )
    assert patterns == {(float(limit) >= 2,) * 4: 5 * len(SEQUENCES)}


@pytest.mark.parametrize("answers", SEQUENCES)
def test_whether_another_question_is_reported_depends_on_no_answer(answers, tmp_path):
    """What a memoized question was answered leaves as much for the next one, of any
    survey.
    """
    survey = survey_of(DAILY, yes_no("once"))
    other = survey_of(yes_no("once"), name="other")
    for cap, rest in (
        ("100", [True, True]),
        ("4.5", [True, True]),
        ("3", [True, False]),
        ("2", [False, False]),
    ):
        state = tmp_path / cap
        with EmbeddedClient(survey, state=state, lifetime_cap=cap) as client:
            for answer in answers:
                assert client.record("daily", answer)
            outcomes = [client.record("once", True)]
        with EmbeddedClient(other, state=state, lifetime_cap=cap) as client:
            assert [*outcomes, client.record("once", True)] == rest


def order_of_days(answers):
    """In which order a device's reports leave, of the days on which they were made.

    Each day has a row of its own.
    """
    survey, transport = survey_of(mirror("m", len(answers))), RecordingTransport()
    with EmbeddedClient(
        survey, state=None, transport=transport, interval=None, lifetime_cap="1000"
    ) as client:
        for number, answer in enumerate(answers):
            with on_day(number):
                client.record("m", answer)
        waiting = records_of(client._store, "report")
        shown = {
            row: int.from_bytes(key[8:12], "big") - 20_000 for key, (_, row) in waiting
        }
        with on_day(len(answers)):
            client.flush(30.0)
    return tuple(shown[row] for row in transport.reports(survey, "m"))


def test_what_leaves_together_is_in_random_order_over_days():
    """Of 300 flushes of three daily answers each of the six orders is seen.

    One is missed with a chance of 6 (5/6)^300.

    That is below 1e-22. In the order of days only one is seen.
    """
    assert {order_of_days("abc") for _ in range(300)} == set(permutations(range(3)))
    assert order_of_days("abcdefghijkl") != tuple(range(12))


def test_batches_leave_in_random_order():
    """Of 100 flushes of two questions each comes first at times.

    That one never does has a chance of 2^-99.
    """
    survey = survey_of(yes_no("a"), yes_no("b"))
    first = set()
    for _ in range(100):
        transport = RecordingTransport()
        with EmbeddedClient(
            survey, state=None, transport=transport, interval=None
        ) as client:
            for number, name in enumerate("ab"):
                with on_day(number):
                    client.record(name, True)
            with on_day(2):
                client.flush(30.0)
        first.add(transport.batches[0].fingerprint)
    assert first == {question.fingerprint for question in survey}


def test_reports_that_an_app_sends_itself_are_in_random_order():
    """Of 300 uploads every order of rows and batches is seen, but for a chance below
    1e-22.
    """
    survey = survey_of(mirror("m"), yes_no("a"))
    client = Client(survey, lifetime_cap="1000")
    reports = [client.record("m", value) for value in "abc"]
    rows = [report.row for report in reports]
    once = client.record("a", True)
    seen, first = set(), set()
    for _ in range(300):
        batches = [
            decode_batch(payload)
            for payload in FrameReader().feed(report_bytes([*reports, once]))
        ]
        first.add(batches[0].fingerprint)
        (batch,) = [
            batch for batch in batches if batch.fingerprint == reports[0].fingerprint
        ]
        width = len(batch.rows) // 3
        seen.add(
            tuple(
                rows.index(batch.rows[at : at + width])
                for at in range(0, len(batch.rows), width)
            )
        )
    assert seen == set(permutations(range(3)))
    assert first == {question.fingerprint for question in survey}
