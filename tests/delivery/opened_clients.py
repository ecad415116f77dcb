"""Clients that send nothing by themselves, opened one after the other on one state
file.
"""

from contextlib import ExitStack, contextmanager

from surveys import DEVICE_SURVEY

from ldp_client import EmbeddedClient
from ldp_client.testing import RecordingTransport


@contextmanager
def opening(state):
    """Opens clients, each with the transport that records what it sends; closes them in
    the end.
    """
    with ExitStack() as clients:

        def open_client(outcomes=(), survey=DEVICE_SURVEY, **settings):
            transport = RecordingTransport(outcomes)
            client = EmbeddedClient(
                survey,
                state=state,
                transport=transport,
                strict=True,
                interval=None,
                **settings,
            )
            clients.callback(client.close)
            return client, transport

        yield open_client
