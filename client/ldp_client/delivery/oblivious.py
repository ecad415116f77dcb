"""A hop that hides who sends: Oblivious HTTP to a relay, through a third party
(`wire.oblivious`).

    hop = ObliviousTransport(
        "https://hop.example/relay.example", "https://relay.example", keys="0100..."
    )
    client = EmbeddedClient(survey, relay=Relay("https://relay.example", key, transport=hop), ...)

Rules
- The hop is told an address of its own, and no word of the request or of what is
  answered.
- Each request has keys of its own; nothing in it tells it from others of the same
  question.
- What comes back without encapsulation is the hop's own word, or that of a relay that
  has other keys: it never counts as an answer to a report.
- HPKE is that of `pyhpke`, which the extra `oblivious` brings: it has the exported
  secrets that answers are encrypted under.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ldp.wire.binary_http import MessageError, Request, decode_response, encode_request
from ldp.wire.oblivious import (
    ENC_SIZES,
    EXPORTED,
    P256,
    REQUEST_TYPE,
    RESPONSE_TYPE,
    SECRET_SIZE,
    KeyConfiguration,
    info_of,
    read_keys,
    response_key,
)
from ldp_client.delivery.outcomes import Outcome, retry
from ldp_client.delivery.sealing import SEALED_PATH, RelayTransport
from ldp_client.delivery.transport import HTTPTransport
from ldp_client.delivery.verdicts import ACCEPTED_STATUS, of_answer

if TYPE_CHECKING:
    from http.client import HTTPResponse

_EXTRA = (
    "expected the package pyhpke to send through a hop of Oblivious HTTP, found none; "
    "install it "
    'with pip install "ldpkit-client[oblivious]"'
)
_BAD_GATEWAY = 502

Opened = Callable[[bytes], bytes]
"""Reads the answer to one request. Raises `ValueError` for what is none."""


class ObliviousTransport(HTTPTransport):
    """Posts sealed reports to a relay through a hop; further settings are those of
    `HTTPTransport`.

    hop    the address that was rented
    relay  the address of the relay, which the hop passes requests on to
    keys   what `ldp relay oblivious-keys` prints at the relay

    Raises `ValueError` for settings that cannot be used, and `ImportError` without the
    extra.

    `docs/relay.md` has an example.
    """

    reports_path = ""
    content_type = REQUEST_TYPE

    def __init__(self, hop: str, relay: str, *, keys: str, **others: Any) -> None:
        super().__init__(hop, **others)
        self._path = urlsplit(hop).path or "/"
        # What a device keeps is the relay's, whichever way it is reached.
        self.destination = RelayTransport(relay).destination
        self._configuration = read_keys(keys)
        sender_for(self._configuration)
        self._target = urlsplit(relay)

    def send(self, payload: bytes) -> Outcome:
        """Post the bytes once, in an envelope that the relay opens."""
        request = Request(
            b"POST",
            self._target.scheme.encode(),
            self._target.netloc.encode(),
            path=(self._target.path.rstrip("/") + SEALED_PATH).encode(),
            fields=[
                (b"content-type", b"application/octet-stream"),
                (b"content-length", b"%d" % len(payload)),
            ],
            content=payload,
        )
        encapsulated, opened = encapsulate(self._configuration, encode_request(request))
        return self._post(encapsulated, lambda *answer: _judge(*answer, opened=opened))

    def stops(self, survey: str) -> bytes | None:  # noqa: ARG002  # as of other transports
        """A hop carries reports alone."""
        return None


def encapsulate(
    configuration: KeyConfiguration, request: bytes, own: Any = None
) -> tuple[bytes, Opened]:
    """A request in its envelope, and what opens the answer. `own` is its key pair, if
    not drawn.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    enc, sender = sender_for(configuration, own)
    secret = sender.export(EXPORTED, SECRET_SIZE)

    def open_answer(answer: bytes) -> bytes:
        nonce, ciphertext = answer[:SECRET_SIZE], answer[SECRET_SIZE:]
        key, own_nonce = response_key(enc, nonce, secret)
        try:
            return AESGCM(key).decrypt(own_nonce, ciphertext, None)
        except InvalidTag:
            raise ValueError(
                "expected an answer to this request, got another"
            ) from None

    return configuration.head + enc + sender.seal(request), open_answer


def sender_for(configuration: KeyConfiguration, own: Any = None) -> tuple[bytes, Any]:
    """`enc`, and the context of a sender to a relay's key. Raises `ValueError`,
    `ImportError`.
    """
    try:
        from pyhpke import AEADId, CipherSuite, KDFId, KEMId, PyHPKEError
    except ImportError as error:
        raise ImportError(_EXTRA) from error
    kem = KEMId.DHKEM_P256_HKDF_SHA256
    if configuration.kem != P256:
        kem = KEMId.DHKEM_X25519_HKDF_SHA256
    suite = CipherSuite.new(kem, KDFId.HKDF_SHA256, AEADId.AES128_GCM)
    try:
        key = suite.kem.deserialize_public_key(configuration.key)
        enc, sender = suite.create_sender_context(
            key, info=info_of(configuration.head), eks=own
        )
    except (PyHPKEError, ValueError):
        raise ValueError(
            "expected a public key of the relay's, got no point of a curve"
        ) from None
    assert len(enc) == ENC_SIZES[configuration.kem]  # noqa: S101  # a fact about the suite
    return enc, sender


def _judge(response: HTTPResponse, body: bytes, *, opened: Opened) -> Outcome:
    """Judge a report by the answer that is within the hop's."""
    said = response.status
    if said == 200 and response.getheader("Content-Type") == RESPONSE_TYPE:
        try:
            answer = decode_response(opened(body))
        except (ValueError, MessageError):
            return retry(reason="an answer that does not open")
        wait = answer.field(b"retry-after")
        text = None
        if wait is not None:
            text = wait.decode("latin-1")
        return of_answer(answer.status, text, answer.content)
    # Neither a 200 nor a 202 of the hop's says that the relay has it; nor may it have
    # it dropped.
    status = _BAD_GATEWAY if said in (200, ACCEPTED_STATUS) else said
    return of_answer(status, response.getheader("Retry-After"), b"")
