"""Oblivious HTTP (RFC 9458): a hop that hides from a relay who sends.

For someone new to it: a device encrypts its request to the relay's own key, and hands
it to a third party, who passes it on. That party sees an address and no request, the
relay a request and no address. The answer comes back the same way, under a key that
only the device and the relay have.

    configuration  key id (1), KEM (2), public key, length of what follows (2), pairs of
                   KDF and AEAD (2 each)
    request        key id (1), KEM, KDF, AEAD (2 each), enc, ciphertext of a binary HTTP
                   request
    info           b"message/bhttp request", 0, the first 7 bytes of the request
    response       nonce (16), ciphertext of a binary HTTP response

Numbers are big-endian. KDF is HKDF-SHA256 and AEAD is AES-128-GCM; the KEM is that of
X25519, or of P-256. Keys of an answer follow from `enc`, the nonce and a secret that
HPKE's context exports.

No cryptography here but HMAC: devices encapsulate in `delivery.oblivious`, relays open
in `ldp_aggregator`.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

REQUEST_TYPE = "message/ohttp-req"
RESPONSE_TYPE = "message/ohttp-res"
KEYS_TYPE = "application/ohttp-keys"
GATEWAY_PATH = "/.well-known/ohttp-gateway"
"""Where a gateway is (RFC 9540): GET gives its keys, POST takes requests."""

P256, X25519 = 0x0010, 0x0020
KDF, AEAD = 0x0001, 0x0001
SUITE = KDF.to_bytes(2, "big") + AEAD.to_bytes(2, "big")
ENC_SIZES = {P256: 65, X25519: 32}
"""By KEM: bytes of a public key, and of `enc`."""
HEAD_SIZE = 7
SECRET_SIZE, NONCE_SIZE = 16, 12
"""Of AES-128-GCM: its key, and so the secret and nonce of a response; and its own
nonce.
"""
EXPORTED = b"message/bhttp response"

_REQUEST_LABEL = b"message/bhttp request"


class KeyConfiguration(NamedTuple):
    """A key of a relay, as it is published."""

    key_id: int
    kem: int
    key: bytes

    @property
    def head(self) -> bytes:
        """How requests to it begin."""
        return bytes((self.key_id,)) + self.kem.to_bytes(2, "big") + SUITE


class Encapsulated(NamedTuple):
    """The parts of a request."""

    head: bytes
    enc: bytes
    ciphertext: bytes


def encode_configuration(configuration: KeyConfiguration) -> bytes:
    """The bytes of a key's configuration."""
    head = configuration.head[:3]
    return head + configuration.key + len(SUITE).to_bytes(2, "big") + SUITE


def encode_keys(configurations: Sequence[KeyConfiguration]) -> bytes:
    """Encode the keys that a gateway publishes, each with its length before it."""
    encoded = map(encode_configuration, configurations)
    return b"".join(len(one).to_bytes(2, "big") + one for one in encoded)


def read_keys(text: str) -> KeyConfiguration:
    """The configuration that a text is, in hexadecimal. Raises `ValueError`."""
    try:
        data = bytes.fromhex(text.strip())
    except ValueError:
        data = b""
    kem = int.from_bytes(data[1:3], "big")
    end = 3 + ENC_SIZES.get(kem, 0)
    size = int.from_bytes(data[end : end + 2], "big")
    suites = data[end + 2 :]
    pairs = [suites[at : at + 4] for at in range(0, len(suites), 4)]
    if end == 3 or len(suites) != size or SUITE not in pairs:
        raise ValueError(
            "expected the keys of a relay as ldp relay oblivious-keys prints them "
            f"(HKDF-SHA256 and AES-128-GCM, with X25519 or P-256), got {text[:40]!r}"
        )
    return KeyConfiguration(data[0], kem, data[3:end])


def split_request(data: bytes) -> Encapsulated:
    """The parts of a request, of whatever key. Raises `ValueError`."""
    head = data[:HEAD_SIZE]
    size = ENC_SIZES.get(int.from_bytes(head[1:3], "big"))
    if size is None or head[3:] != SUITE or len(data) <= HEAD_SIZE + size:
        raise ValueError(
            "expected an encapsulated request with a suite that is offered"
        )
    end = HEAD_SIZE + size
    return Encapsulated(head, data[HEAD_SIZE:end], data[end:])


def info_of(head: bytes) -> bytes:
    """Return the context that the encryption of a request is bound to."""
    return _REQUEST_LABEL + b"\0" + head


def response_key(enc: bytes, nonce: bytes, secret: bytes) -> tuple[bytes, bytes]:
    """The key and the nonce under which a response is encrypted."""
    pseudorandom = hmac.digest(enc + nonce, secret, sha256)
    key, own = (
        hmac.digest(pseudorandom, label + b"\1", sha256) for label in (b"key", b"nonce")
    )
    return key[:SECRET_SIZE], own[:NONCE_SIZE]
