"""Sealing: reports that go through a relay, encrypted to the collector's key
(`ldp.wire.sealed`).

    relay = Relay("https://relay.example", key="ldp-relay-p256_...")
    client = EmbeddedClient(survey, state="answers.ldp", relay=relay)

Rules
- A report is sealed once, when it is taken for sending, and its sealed bytes are kept
  until they are decided about: a retry sends them again, and never seals anew.
- Each message goes alone, and at a time of its own (`ldp_client.delivery.sender`).
- HPKE is that of `cryptography`, which the extra `relay` brings; clients that send
  straight to a collector need none of it, and import none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ldp.survey.survey import Survey
from ldp.wire.sealed import (
    Sealed,
    encode_sealed_report,
    epoch_bytes,
    info_of,
    plaintext_of,
    read_public_key,
)
from ldp.wire.wire import Batch, encode_frame
from ldp_client.delivery.transport import HTTPTransport, Transport

SEALED_PATH = "/v1/sealed"
_EXTRA = (
    "expected the package cryptography (47 or later) to send through a relay, found "
    "none or an "
    'older one; install it with pip install "ldpkit-client[relay]"'
)

Seal = Callable[[Batch, int | None], bytes]
"""A batch of one, and the length of its survey's epochs, as the frame that goes to a
relay.
"""


class Relay(NamedTuple):
    """Where reports go that a relay mixes, and the key of the collector who is to read
    them.

    `address` is the relay's; `key` the collector's public key, as `ldp relay keys`
    prints it. `transport` carries to the relay, if it needs more than an address, such
    as a token or a proxy: a `RelayTransport`, or one of your own.

    `docs/relay.md` has an example.
    """

    address: str
    key: str
    transport: Transport | None = None


class RelayTransport(HTTPTransport):
    """Posts sealed reports to a relay; its settings are those of `HTTPTransport`.

    `docs/relay.md` has an example.
    """

    reports_path = SEALED_PATH


def carrier_to(relay: Relay) -> Transport:
    """Return the transport to a relay."""
    if relay.transport is None:
        return RelayTransport(relay.address)
    return relay.transport


def sealer(relay: Relay, survey: Survey) -> Seal:
    """Return the function that seals the reports of a survey.

    Raises `ValueError` for a key that is none, or a survey that a relay cannot mix, and
    `ImportError` without the extra.
    """
    if survey.attributes:
        raise ValueError(
            "expected a survey without attributes for a relay: what reports say openly "
            "of a device tells them apart after they were mixed; send straight to the "
            "collector, or leave the attributes out"
        )
    try:
        from cryptography.hazmat.primitives.asymmetric.ec import (
            SECP256R1,
            EllipticCurvePublicKey,
        )
        from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
    except ImportError as error:
        raise ImportError(_EXTRA) from error
    suite = Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.AES_128_GCM)
    point = read_public_key(relay.key)
    try:
        key = EllipticCurvePublicKey.from_encoded_point(SECP256R1(), point)
    except ValueError:
        raise ValueError(
            "expected a collector's public key as ldp relay keys prints it, got one "
            "that is no point of P-256: a character may be wrong"
        ) from None

    def seal(batch: Batch, epoch: int | None) -> bytes:
        info = info_of(batch.fingerprint, epoch_bytes(batch.id, epoch))
        envelope = suite.encrypt(
            plaintext_of(batch.fingerprint, batch.rows), key, info=info
        )
        return encode_frame(
            encode_sealed_report(Sealed(batch.fingerprint, batch.id, envelope))
        )

    return seal
