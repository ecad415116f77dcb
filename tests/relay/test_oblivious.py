"""Oblivious HTTP before a relay: the RFC's example, what a hop sees, and what it cannot
do.
"""

import json
import sys
from contextlib import contextmanager

import pytest
from calling import run
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hpke_reference import point, private_key
from listening import Handler, listening
from oblivious_reference import RFC
from pages import Visitor
from pools import EVER, SIZE, Collector, envelope_in, forwarder, look, message, relay_at
from pyhpke import KEMKey, KEMKeyPair

from ldp import parse_survey
from ldp.wire.binary_http import (
    MessageError,
    Request,
    Response,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
)
from ldp.wire.oblivious import (
    GATEWAY_PATH,
    KEYS_TYPE,
    P256,
    REQUEST_TYPE,
    RESPONSE_TYPE,
    X25519,
    KeyConfiguration,
    encode_configuration,
    encode_keys,
    info_of,
    read_keys,
    response_key,
    split_request,
)
from ldp.wire.sealed import public_key_text
from ldp_client import EmbeddedClient, ObliviousTransport, Relay, RelayTransport
from ldp_client.delivery.oblivious import encapsulate
from ldp_service.relay.app import LIMITS, SEALED_PATH, RelayApplication
from ldp_service.relay.gateway import gateway_key, opened_request
from ldp_service.uploads.desk import Refused
from ldp_service.uploads.tokens import Tokens

ONE = EVER.questions[0]
KEY = gateway_key(X25519PrivateKey.from_private_bytes(RFC["private"]), key_id=1)
KEYS = encode_configuration(KEY.configuration).hex()
RELAY = "https://relay.example"
COLLECTORS = public_key_text(point(private_key(bytes(31) + b"\7")))


def posted(content, **others):
    """A request that posts this where sealed reports go; with other parts, if so."""
    usual = {
        "method": b"POST",
        "scheme": b"https",
        "authority": b"relay.example",
        "path": SEALED_PATH.encode(),
        "fields": [],
        "content": content,
    }
    return encode_request(Request(**usual | others))


def pair_of(private):
    """A key pair as pyhpke takes it."""
    keys = private, private.public_key()
    return KEMKeyPair(*map(KEMKey.from_pyca_cryptography_key, keys))


def test_every_value_of_the_rfcs_example():
    """Configuration, request, info, secret, keys and answer; both ends."""
    configuration = read_keys(RFC["configuration"].hex())
    assert configuration == KEY.configuration
    assert info_of(configuration.head) == RFC["info"]
    own = pair_of(X25519PrivateKey.from_private_bytes(RFC["ephemeral"]))
    encapsulated, opened = encapsulate(configuration, RFC["request"], own)
    assert encapsulated == RFC["encapsulated"]
    assert opened(RFC["answer"]) == RFC["response"]
    request = opened_request(RFC["encapsulated"], [KEY])
    assert (request.content, request.enc, request.secret) == (
        RFC["request"],
        RFC["enc"],
        RFC["secret"],
    )
    assert response_key(RFC["enc"], RFC["nonce"], RFC["secret"]) == (
        RFC["key"],
        RFC["own_nonce"],
    )
    assert request.encrypt_answer(RFC["response"], RFC["nonce"]) == RFC["answer"]
    asked = Request(b"GET", b"https", b"example.com", path=b"/", fields=[], content=b"")
    assert decode_request(RFC["request"]) == asked
    # The RFC cuts off what is empty at the end.
    assert encode_request(asked).rstrip(b"\0") == RFC["request"]
    assert decode_response(RFC["response"]) == Response(200, [], b"")


@pytest.mark.parametrize("size", [0, 1, 63, 64, 16_383, 16_384, 70_000])
def test_messages_come_back_as_they_were(size):
    """Of every width of a number; answers that are not final are passed over."""
    content = bytes(size)
    fields = [(b"content-type", b"application/octet-stream"), (b"x", b"y" * size)]
    asked = decode_request(posted(content, fields=fields))
    assert (asked.method, asked.path, asked.fields, asked.content) == (
        b"POST",
        SEALED_PATH.encode(),
        fields,
        content,
    )
    response = Response(202, fields, content)
    assert decode_response(encode_response(response)) == response
    early = b"\1" + b"\x40\x67" + b"\0" + encode_response(response)[1:]
    assert decode_response(early) == response


def test_what_is_no_message_is_refused():
    """Cut off anywhere, of another framing, with too many fields."""
    whole = posted(b"d", authority=b"a", path=b"/", fields=[(b"b", b"c")])
    for end in (0, 1, 3, 9, len(whole) - 4):
        if end:
            with pytest.raises(MessageError):
                decode_response(whole[:end])
    for end in (0, 2, 8, 10):
        with pytest.raises(MessageError):
            decode_request(whole[:end])
    with pytest.raises(MessageError, match="fields"):
        decode_response(encode_response(Response(200, [(b"a", b"b")] * 101, b"")))
    with pytest.raises(MessageError):
        decode_request(b"\2" + whole[1:])
    with pytest.raises(MessageError, match="at most"):
        decode_request(bytes((1 << 25) + 1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "zz",
        KEYS[:-2],
        KEYS + "00",
        "01" + "0030" + KEYS[6:],
        KEYS[:-16] + "0003" * 4,
    ],
)
def test_what_are_no_keys_is_refused(text):
    """With what was expected."""
    with pytest.raises(ValueError, match="ldp relay oblivious-keys"):
        read_keys(text)


def test_keys_of_either_curve_are_used():
    """P-256 as well as X25519; and no point of a curve is refused when the client is
    made.
    """
    private = ec.derive_private_key(7, ec.SECP256R1())
    configuration = KeyConfiguration(9, P256, point(private))
    assert read_keys(encode_configuration(configuration).hex()) == configuration
    request, _ = encapsulate(configuration, b"asked")
    assert len(split_request(request).enc) == 65
    wrong = encode_configuration(configuration._replace(key=b"\4" + bytes(64))).hex()
    with pytest.raises(ValueError, match="no point of a curve"):
        ObliviousTransport("https://hop.example", RELAY, keys=wrong)


@pytest.fixture
def relay(tmp_path):
    """A relay with a gateway, and its writer and collector."""
    writer, collector = relay_at(tmp_path / "relay.db", least=2), Collector()
    application = RelayApplication(
        writer,
        forwarder(writer, collector),
        Tokens([]),
        clock=lambda: 0.0,
        gateway_keys=[KEY],
    )
    yield Visitor(application), writer, collector
    application.close()


@contextmanager
def hop_to(visitor, seen, answer=None):
    """A third party that passes on content and its type; or says something else."""

    class Hop(Handler):
        def do_POST(self):
            """Pass it on, and the answer back."""
            body = self.body()
            seen.append((dict(self.headers), body))
            if answer is not None:
                self.answer(*answer)
                return
            kept = {"content-type": self.headers["content-type"]}
            there = visitor.post(GATEWAY_PATH, content=body, headers=kept)
            self.answer(
                there.status_code,
                there.content,
                {"content-type": there.headers["content-type"]},
            )

    with listening(Hop) as address:
        yield f"{address}/relay.example"


def test_devices_reach_a_relay_through_a_hop_that_reads_nothing(relay):
    """Two devices and a retry; what the hop saw has neither question, report nor answer
    in it.
    """
    visitor, writer, _ = relay
    seen = []
    frames = [message(ONE), message(ONE)]
    with hop_to(visitor, seen) as address:
        way = ObliviousTransport(address, RELAY, keys=KEYS)
        assert [way.send(frame).verdict for frame in (*frames, frames[0])] == [
            "accepted",
            "accepted",
            "duplicate",
        ]
        client = EmbeddedClient(
            EVER,
            state=None,
            relay=Relay(RELAY, COLLECTORS, way),
            interval=None,
            strict=True,
        )
        client.record("one", True)
        assert client.flush(20)
        client.close()
    look(writer)
    assert writer.counts["mixed"] == 3
    sizes = {len(body) for _, body in seen}
    assert len(sizes) == 1
    for headers, body in seen:
        assert headers["Content-Type"] == REQUEST_TYPE
        for frame in frames:
            assert frame[-SIZE : -SIZE + 16] not in body
        assert ONE.fingerprint not in body
    # A retry is encapsulated anew: the hop does not see that it is one.
    assert len({body for _, body in seen}) == 4
    assert way.destination == RelayTransport(RELAY).destination
    assert way.stops("ever") is None


def asked_within(visitor, request, keys=KEY.configuration):
    """The answer of a gateway to a request within, and of its relay."""
    encapsulated, opened = encapsulate(keys, request)
    outer = visitor.post(
        GATEWAY_PATH, content=encapsulated, headers={"content-type": REQUEST_TYPE}
    )
    if outer.status_code != 200:
        return outer, None
    assert outer.headers["content-type"] == RESPONSE_TYPE
    return outer, decode_response(opened(outer.content))


def test_what_is_wrong_within_is_said_within(relay):
    """Another path or method, nothing in it, an expectation, no message: encrypted
    answers.
    """
    visitor, _, _ = relay
    wrong = {
        404: {"path": b"/metrics"},
        405: {"method": b"GET"},
        400: {"fields": [(b"Expect", b"100-continue")]},
    }
    for status, parts in wrong.items():
        outer, inner = asked_within(visitor, posted(message(ONE), **parts))
        assert (outer.status_code, inner.status) == (200, status)
    _, empty = asked_within(visitor, posted(b""))
    assert json.loads(empty.content)["reason"] == "empty"
    assert asked_within(visitor, b"no message")[1].status == 400
    _, inner = asked_within(visitor, posted(b"junk"))
    assert json.loads(inner.content)["rejected"] == {"frame-damaged": 1}
    assert asked_within(visitor, posted(message(ONE)))[1].status == 202
    # A survey that this relay does not know: come again, and when.
    other = parse_survey(
        '[survey]\nname = "else"\n[[question]]\nname = "one"\ntype = "boolean"\n'
        'mechanism = "grr"\nepsilon = "1"\n'
    ).questions[0]
    _, inner = asked_within(visitor, posted(message(other)))
    assert (inner.status, inner.field(b"retry-after")) == (503, b"600")


def test_what_does_not_open_is_refused_outside(relay):
    """Another key, changed bytes, no request at all; a body that is too long; and no
    gateway.
    """
    visitor, writer, _ = relay
    stranger = gateway_key(X25519PrivateKey.generate(), key_id=1)
    request = posted(message(ONE))
    assert asked_within(visitor, request, stranger.configuration)[0].status_code == 400
    unknown = KEY.configuration._replace(key_id=2)
    assert asked_within(visitor, request, unknown)[0].status_code == 400
    encapsulated, _ = encapsulate(KEY.configuration, request)
    for body in (b"x", encapsulated[:-1], encapsulated[:-1] + b"\0", encapsulated[:20]):
        assert visitor.post(GATEWAY_PATH, content=body).status_code == 400
    assert visitor.post(GATEWAY_PATH, content=bytes(LIMITS.body + 1)).status_code == 413
    assert writer.counts["accepted"] == 0
    published = visitor.get(GATEWAY_PATH)
    assert published.headers["content-type"].startswith(KEYS_TYPE)
    assert published.content == encode_keys([KEY.configuration])
    with pytest.raises(Refused):
        opened_request(encapsulated, [])
    closed = RelayApplication(
        writer, forwarder(writer, Collector()), Tokens([]), clock=lambda: 0.0
    )
    assert Visitor(closed).post(GATEWAY_PATH, content=encapsulated).status_code == 404
    closed.forwarder.close()


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ((200, b"<html>"), "retry"),
        ((200, bytes(60), {"content-type": RESPONSE_TYPE}), "retry"),
        ((202, b'{"accepted": 1}'), "retry"),
        ((413, b'{"reason": "too-large"}'), "held"),
        ((400, b'{"reason": "empty"}'), "held"),
        ((401,), "held"),
        ((503, b"", {"retry-after": "90"}), "retry"),
    ],
)
def test_a_hop_can_neither_accept_nor_drop_a_report(relay, answer, verdict):
    """Whatever it says by itself: the report is kept, and sent again."""
    with hop_to(relay[0], [], answer) as address:
        outcome = ObliviousTransport(address, RELAY, keys=KEYS).send(message(ONE))
    assert outcome.verdict == verdict
    assert outcome.wait == (90 if answer[0] == 503 else 0)


def test_an_answer_to_another_request_does_not_open(relay):
    """A hop that answers with what it kept of an earlier exchange."""
    visitor, _, _ = relay
    kept, _ = asked_within(visitor, posted(message(ONE)))
    replayed = (200, kept.content, {"content-type": RESPONSE_TYPE})
    with hop_to(visitor, [], replayed) as address:
        outcome = ObliviousTransport(address, RELAY, keys=KEYS).send(message(ONE))
    assert (outcome.verdict, outcome.reason) == (
        "retry",
        "an answer that does not open",
    )


def test_a_hop_that_sends_a_request_again_adds_nothing(relay):
    """The same encapsulated request, a hundred times: one report."""
    visitor, writer, _ = relay
    frame = message(ONE)
    encapsulated, _ = encapsulate(KEY.configuration, posted(frame))
    for _ in range(100):
        assert visitor.post(GATEWAY_PATH, content=encapsulated).status_code == 200
    assert (writer.counts["accepted"], writer.counts["duplicate"]) == (1, 99)
    assert envelope_in(frame) in writer.ask(lambda pool: pool.take_out(*pool.waiting()))


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    """Without the extra: at the relay, and on the device."""
    monkeypatch.setitem(sys.modules, "pyhpke", None)
    said = run(
        "relay", "oblivious-keys", "--private", tmp_path / "own.pem", code=1
    ).output
    assert 'pip install "ldpkit-aggregator[oblivious]"' in said
    with pytest.raises(ImportError, match=r"ldpkit-client\[oblivious\]"):
        ObliviousTransport("https://hop.example", RELAY, keys=KEYS)


def test_the_command_makes_keys_once(tmp_path):
    """A private file, and what is published of it; another kind of key is refused."""
    path = tmp_path / "own.pem"
    printed = (
        run("relay", "oblivious-keys", "--private", path)
        .output.strip()
        .splitlines()[-1]
    )
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_keys(printed).kem == X25519
    again = run("relay", "oblivious-keys", "--private", path, "--show").output.strip()
    assert again == printed
    assert (
        "never written over"
        in run("relay", "oblivious-keys", "--private", path, code=1).output
    )
    other = tmp_path / "collector.pem"
    run("relay", "keys", "--private", other)
    shown = run("relay", "oblivious-keys", "--private", other, "--show", code=1).output
    assert "X25519" in shown
