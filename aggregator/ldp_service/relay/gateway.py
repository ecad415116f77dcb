"""The gateway of Oblivious HTTP: sealed reports that came through a hop, so that no
address did.

A request is opened with one of the relay's own keys, and what is within goes the way of
every upload; the answer to it goes back encrypted for the device
(`ldp.wire.oblivious`). The hop, a third party, sees addresses and neither. Over HTTP it
is

    200   an answer to the device, whatever that says
    400   what does not open: no request, or one for another key

and for bodies that do not come whole what uploads are answered (`uploads.desk`).

Rules
- What is within is POST to the path of sealed reports, and nothing else; errors of what
  is within are answers to the device, encrypted as all are.
- Of the request nothing is used but its content, so that nothing tells devices apart.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ldp.errors import LDPError
from ldp.wire.binary_http import (
    MessageError,
    Request,
    Response,
    decode_request,
    encode_response,
)
from ldp.wire.oblivious import (
    EXPORTED,
    NONCE_SIZE,
    RESPONSE_TYPE,
    SECRET_SIZE,
    X25519,
    KeyConfiguration,
    info_of,
    response_key,
    split_request,
)
from ldp_aggregator.tallies.mixing.keys import (
    KeyFileError,
    new_key_file,
    private_key_in,
)
from ldp_service.counting.submissions import (
    Answer,
    InternalError,
    Receipt,
    UploadSender,
)
from ldp_service.uploads.desk import Receiver, Refused, Reply, UploadDesk
from ldp_service.uploads.heads import RequestHead

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

_EXTRA = (
    "expected the package pyhpke for Oblivious HTTP, found none; install it with pip "
    "install "
    '"ldpkit-aggregator[oblivious]"'
)
_PASSED_ON = (b"content-type", b"retry-after")
"""The fields of an answer that a device is told."""


class GatewayKey(NamedTuple):
    """A private key of a gateway, and what is published of it."""

    private: Any
    configuration: KeyConfiguration


def make_gateway_key(path: Path) -> GatewayKey:
    """A new key, in a new file. Raises `KeyFileError`."""
    _suite()
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    private = X25519PrivateKey.generate()
    new_key_file(path, private)
    return gateway_key(private)


def read_gateway_key(path: Path) -> GatewayKey:
    """The key in a file. Raises `KeyFileError`, which shows none of it."""
    _suite()
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    private = private_key_in(path)
    if not isinstance(private, X25519PrivateKey):
        raise KeyFileError(
            f"expected a private key of X25519 in {path}, as ldp relay oblivious-keys "
            "makes it, got something else"
        )
    return gateway_key(private)


def gateway_key(private: X25519PrivateKey, key_id: int | None = None) -> GatewayKey:
    """A private key with its configuration; its number, unless given, is the key's
    first byte.
    """
    public = private.public_key().public_bytes_raw()
    number = public[0] if key_id is None else key_id
    return GatewayKey(private, KeyConfiguration(number, X25519, public))


class OpenedRequest(NamedTuple):
    """A request that was opened: what is within, and the parts of which the answer's
    key is made.

    `content` is the binary HTTP request, and `secret` what HPKE's context exported.
    """

    content: bytes
    enc: bytes
    secret: bytes

    def encrypt_answer(self, answer: bytes, nonce: bytes) -> bytes:
        """An answer, encrypted for who asked."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        key, own = response_key(self.enc, nonce, self.secret)
        return nonce + AESGCM(key).encrypt(own, answer, None)


def opened_request(data: bytes, keys: Sequence[GatewayKey]) -> OpenedRequest:
    """A request, opened with one of the keys. Raises `Refused`."""
    from pyhpke import KEMKey, PyHPKEError

    try:
        request = split_request(data)
    except ValueError as error:
        raise Refused(400, str(error)) from None
    for key in keys:
        if key.configuration.head != request.head:
            continue
        private = KEMKey.from_pyca_cryptography_key(key.private)
        info = info_of(request.head)
        try:
            context = _suite().create_recipient_context(request.enc, private, info=info)
            content = context.open(request.ciphertext)
        except (PyHPKEError, ValueError):
            continue
        return OpenedRequest(
            content, request.enc, context.export(EXPORTED, SECRET_SIZE)
        )
    raise Refused(
        400, "expected a request for one of the keys of this gateway, got another"
    )


class _Within(Refused):
    """An answer to what was within a request, for the one who sent it."""

    def __init__(self, answer: Receipt | Exception, opened: OpenedRequest) -> None:
        self.answer = answer
        self.opened = opened
        super().__init__(200, "an answer within")


class GatewayDesk(UploadDesk):
    """A desk that opens what it is given, in a thread of its own, and answers
    within.
    """

    def __init__(
        self, writer: Receiver, keys: Sequence[GatewayKey], path: str, **others: Any
    ) -> None:
        super().__init__(writer, None, **others)
        self._keys = tuple(keys)
        self._target = path.encode()
        self._thread = ThreadPoolExecutor(1, "ldp-gateway")

    def submit(
        self,
        body: bytes,
        ticket: Callable[[Answer], None],
        loop: asyncio.AbstractEventLoop,
        *,
        head: RequestHead,
        sender: UploadSender | None,
    ) -> None:
        """Open a request and hand its reports to the writer, which answers."""

        def answer(error: Any) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(ticket, error)

        def open_it() -> None:
            try:
                opened = opened_request(body, self._keys)
            except Refused as error:
                answer(error)
                return
            except Exception as error:  # our own mistake
                answer(InternalError(error))
                return
            try:
                content = self._content(opened)
                within = lambda told: ticket(_Within(told, opened))  # type: ignore[arg-type]  # noqa: E731
                super(GatewayDesk, self).submit(
                    content, within, loop, head=head, sender=sender
                )
            except (Refused, LDPError) as error:
                answer(_Within(error, opened))
            except Exception as error:  # our own mistake
                answer(_Within(InternalError(error), opened))

        self._thread.submit(open_it)

    def reply(
        self, answer: Receipt | Exception, head: RequestHead, started: float
    ) -> Reply:
        """Reply as any desk; an answer to an encrypted request goes back encrypted."""
        if not isinstance(answer, _Within):
            return super().reply(answer, head, started)
        reply = super().reply(answer.answer, head, started)
        fields = [field for field in reply.headers if field[0] in _PASSED_ON]
        said = encode_response(Response(reply.status, fields, reply.body))
        body = answer.opened.encrypt_answer(
            said, os.urandom(max(SECRET_SIZE, NONCE_SIZE))
        )
        headers = [
            (b"content-type", RESPONSE_TYPE.encode()),
            (b"cache-control", b"no-store"),
            (b"content-length", b"%d" % len(body)),
        ]
        return Reply(200, headers, body)

    def close(self) -> None:
        """Open what was begun, and nothing more."""
        self._thread.shutdown()

    def _content(self, opened: OpenedRequest) -> bytes:
        """The reports within a request. Raises `Refused`."""
        try:
            request: Request = decode_request(opened.content)
        except MessageError as error:
            raise Refused(400, str(error)) from None
        if request.path != self._target:
            raise Refused(404, "expected the path of sealed reports, got another")
        if request.method != b"POST":
            raise Refused(405, "expected POST, got another method")
        if any(name == b"expect" for name, _ in request.fields):
            raise Refused(400, "expected a request that waits for nothing, got Expect")
        if not request.content:
            raise Refused(400, "expected frames of reports, got nothing", never="empty")
        return request.content


def _suite() -> Any:
    """The suite of gateways. Raises `KeyFileError` without the extra."""
    try:
        from pyhpke import AEADId, CipherSuite, KDFId, KEMId
    except ImportError:
        raise KeyFileError(_EXTRA) from None
    return CipherSuite.new(
        KEMId.DHKEM_X25519_HKDF_SHA256, KDFId.HKDF_SHA256, AEADId.AES128_GCM
    )
