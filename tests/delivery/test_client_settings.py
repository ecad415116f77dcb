"""Settings that make no sense are refused when a client is opened, in words of whoever
set them.
"""

import copy
import sys
from unittest.mock import patch

import pytest
from surveys import DEVICE_SURVEY

from ldp_client import EmbeddedClient, HTTPTransport, QueueLimits
from ldp_client.delivery.counts import Counts
from ldp_client.keeping.database import Database
from ldp_client.testing import RecordingTransport

ADDRESS = "https://collect.example"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"collector": ADDRESS, "transport": RecordingTransport()}, "HTTPTransport"),
        ({"collector": ADDRESS, "interval": "1h"}, "seconds"),
        ({"limits": {"reports": 5}}, "QueueLimits"),
        ({"relay": "https://relay.example"}, "Relay"),
        ({"stops": "00" * 32}, "StopRule"),
        ({"state": ":memory:"}, "None"),
    ],
)
def test_settings_are_refused_by_name(settings, words):
    """`ValueError`, and not what fell somewhere inside."""
    with pytest.raises(ValueError, match=words):
        EmbeddedClient(DEVICE_SURVEY, **{"state": None, **settings})


def test_limits_may_be_given():
    """Those that are some."""
    EmbeddedClient(DEVICE_SURVEY, state=None, limits=QueueLimits(reports=5)).close()


def test_an_address_may_have_the_path_of_uploads():
    """It is the same collector, as the address of the service's page shows it."""
    whole = HTTPTransport(f"{ADDRESS}/below/v1/reports")
    assert whole.destination == HTTPTransport(f"{ADDRESS}/below").destination


def test_plain_http_says_why_not():
    """Containers and emulators have names that are not this machine's."""
    with pytest.raises(ValueError, match="this very machine"):
        HTTPTransport("http://collector:8000")


def test_a_finalizer_may_record_while_python_ends():
    """By then nothing can be imported any more: it is counted, and not logged."""
    counts = Counts()
    with patch.dict(sys.modules, {"logging": None}):
        counts.note(ZeroDivisionError())
    assert counts.numbers() == {"unexpected": 1}


def test_a_client_that_cannot_be_copied_leaves_nothing_to_clean_up():
    """The copy that was begun is collected in silence."""
    with pytest.raises(TypeError):
        copy.deepcopy(Database(None))


def test_a_first_answer_asks_no_protocol():
    """`isinstance` with one loads `inspect` and ten more on Python 3.12 and later."""
    called = set()
    client = EmbeddedClient(DEVICE_SURVEY, state=None)
    sys.setprofile(lambda frame, *_: called.add(frame.f_code.co_qualname))
    try:
        client.record("once", "red")
        client.record("mirror", "red")
    finally:
        sys.setprofile(None)
    assert "EmbeddedClient.record" in called
    assert "_ProtocolMeta.__instancecheck__" not in called
