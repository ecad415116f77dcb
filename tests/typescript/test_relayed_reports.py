"""The TypeScript client through a real relay, straight and through a hop, to a
collector's keys.
"""

import json
import time

import pytest
from hpke_reference import point, private_key
from listening import Handler, listening
from pages import Visitor
from pools import EVER, Collector, forwarder, look, relay_at
from test_js_client import run_js

from ldp.survey.compiled import compile_survey
from ldp.wire.oblivious import GATEWAY_PATH, REQUEST_TYPE, encode_configuration
from ldp.wire.sealed import public_key_text
from ldp.wire.wire import decode_batch, read_frames
from ldp_aggregator.tallies.mixing.opening import Opener
from ldp_service.relay.app import SEALED_PATH, RelayApplication
from ldp_service.relay.gateway import make_gateway_key
from ldp_service.uploads.tokens import Tokens

pytestmark = pytest.mark.needs("node", "built client")

KEY = private_key(bytes(31) + b"\7")
DEVICES = 6


@pytest.fixture
def relay(tmp_path):
    """A relay with a gateway over HTTP: its writer, its collector, its address and
    keys.
    """
    writer, collector = relay_at(tmp_path / "relay.db", least=DEVICES), Collector()
    key = make_gateway_key(tmp_path / "own.pem")
    application = RelayApplication(
        writer,
        forwarder(writer, collector),
        Tokens([]),
        clock=lambda: 0.0,
        gateway_keys=[key],
    )
    visitor = Visitor(application)
    seen = []

    class Relaying(Handler):
        def do_POST(self):
            """What devices send to the relay, and what they send to the hop before
            it.
            """
            body = self.body()
            path = GATEWAY_PATH if self.path == "/hop" else self.path
            seen.append((self.path, self.headers["content-type"], body))
            answer = visitor.post(path, content=body)
            fields = {"content-type": answer.headers["content-type"]}
            self.answer(answer.status_code, answer.content, fields)

    with listening(Relaying) as address:
        yield (
            writer,
            collector,
            address,
            encode_configuration(key.configuration).hex(),
            seen,
        )
    application.close()


@pytest.mark.parametrize("through_hop", [False, True])
def test_reports_of_the_typescript_client_are_mixed_and_open(relay, through_hop):
    """Each device's report is in the batch, and opens for the collector alone."""
    writer, collector, address, keys, seen = relay
    given = {
        "survey": compile_survey(EVER),
        "address": address,
        "hop": f"{address}/hop" if through_hop else None,
        "keys": keys,
        "key": public_key_text(point(KEY)),
        "devices": DEVICES,
    }
    counts = json.loads(run_js("relayed.js", **given))
    assert counts == [{"recorded": 1, "accepted": 1}] * DEVICES
    if through_hop:
        way = ("/hop", REQUEST_TYPE)
    else:
        way = (SEALED_PATH, "application/octet-stream")
    assert {request[:2] for request in seen} == {way}
    assert len({len(body) for *_, body in seen}) == 1
    look(writer)
    assert writer.counts["mixed"] == DEVICES
    end = time.monotonic() + 90
    while not collector.parts:
        assert time.monotonic() < end
        time.sleep(0.01)
    (part,) = collector.parts.values()
    envelopes = {question.fingerprint: question for question in EVER.questions}
    opened = Opener([KEY]).open(part, envelopes)
    assert opened.sound == DEVICES
    batch = decode_batch(next(iter(read_frames(opened.frames))))
    assert (batch.fingerprint, batch.size) == (EVER["other"].fingerprint, DEVICES)
    assert Opener([private_key(bytes(31) + b"\11")]).open(part, envelopes).opened == 0
