"""What error reporters send of local variables tells no answer: `traceback`'s, and
Sentry's.

An app's own variables are its own: what is called here gets its answer from a function.
"""

import asyncio
import json
import logging
import traceback
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from surveys import DEVICE_SURVEY, survey_of, yes_no

from ldp import LDPError
from ldp_client import AsyncClient, Client, EmbeddedClient

TELLING = "zebra-quartz"
GROUP = survey_of(yes_no("a"), yes_no("b"), head='joint = ["a", "b"]')


def answer():
    return TELLING


@contextmanager
def working():
    yield


MISTAKES = {
    "answered before": ("bare", working),
    "does not fit": ("once", working),
    "no randomness": (
        "mirror",
        lambda: patch("os.urandom", side_effect=OSError("none")),
    ),
    "a mistake of ours": (
        "mirror",
        lambda: patch(
            "ldp_client.answering.respondent.Respondent._memo",
            side_effect=ZeroDivisionError("ours"),
        ),
    ),
}


def strict(survey):
    return EmbeddedClient(survey, state=None, strict=True)


def with_traceback(error):
    described = traceback.TracebackException.from_exception(error, capture_locals=True)
    return "".join(described.format())


def with_sentry(error):
    """The event that Sentry's package makes of it by its default settings."""
    from sentry_sdk import Client as Sentry
    from sentry_sdk.utils import event_from_exception

    sentry = Sentry("http://key@127.0.0.1:9/1", default_integrations=False)
    try:
        event, _ = event_from_exception(error, client_options=sentry.options)
    finally:
        sentry.close(timeout=0)
    return json.dumps(event, default=repr)


@pytest.fixture(params=[with_traceback, with_sentry])
def reported(request):
    """What a reporter makes of an exception."""
    return request.param


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("opened", [Client, strict])
def test_an_error_takes_no_answer_along(opened, mistake, reported):
    """Whatever raises, and however deep, no variable of a frame of ours shows it."""
    name, broken = MISTAKES[mistake]
    client = opened(DEVICE_SURVEY)
    if mistake == "answered before":
        client.record(name, answer())
    with broken(), pytest.raises((LDPError, ZeroDivisionError)) as raised:
        client.record(name, answer())
    report = reported(raised.value)
    assert TELLING not in report
    assert "<answer>" in report
    assert "record" in report


@pytest.mark.parametrize("opened", [Client, strict])
def test_nor_do_other_calls_with_answers(opened, reported):
    """Those of a group, a daily one, and a preview."""
    calls = [lambda client: client.record_together({"a": answer(), "b": True})]
    if opened is strict:
        calls += [
            lambda client: client.record_daily("a", answer()),
            lambda client: client.preview("a", answer()),
        ]
    for call in calls:
        with pytest.raises(LDPError) as raised:
            call(opened(GROUP))
        report = reported(raised.value)
        assert TELLING not in report
        assert "<answer>" in report


@pytest.mark.parametrize("opened", [Client, strict])
def test_an_answer_in_the_place_of_a_name_is_not_repeated(opened):
    """In a message, by an app that mixes up the two, or the names of a group."""
    calls = [
        lambda client: client.record(TELLING, "a"),
        lambda client: client.record_together({TELLING: "a"}),
    ]
    for call in calls:
        with pytest.raises(LDPError) as raised:
            call(opened(GROUP))
        assert TELLING not in str(raised.value)


def test_an_awaited_call_takes_no_answer_along(reported):
    """Through the thread that works for it, too."""
    client = AsyncClient(strict(DEVICE_SURVEY))
    for call in client.record, client.record_daily, client.preview:
        with pytest.raises(LDPError) as raised:
            asyncio.run(call("once", answer()))
        assert TELLING not in reported(raised.value)
    with pytest.raises(LDPError) as raised:
        asyncio.run(
            AsyncClient(strict(GROUP)).record_together({"a": answer(), "b": True})
        )
    assert TELLING not in reported(raised.value)


def test_a_warning_of_an_app_that_is_not_strict_shows_no_answer(caplog):
    """Also where the app has the stack's variables attached to its warnings."""
    shown = []

    class Attaching(logging.Handler):
        def emit(self, _):
            stack = traceback.walk_stack(None)
            shown.extend(
                traceback.StackSummary.extract(stack, capture_locals=True).format()
            )

    handler = Attaching()
    logging.getLogger("ldp_client").addHandler(handler)
    try:
        EmbeddedClient(DEVICE_SURVEY, state=None).record("once", answer())
    finally:
        logging.getLogger("ldp_client").removeHandler(handler)
    assert any("<answer>" in frame for frame in shown)
    assert TELLING not in "".join(frame for frame in shown if __name__ not in frame)
