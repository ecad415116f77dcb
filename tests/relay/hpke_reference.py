"""HPKE as RFC 9180 has it, base mode, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256,
AES-128-GCM.

Step by step from the RFC, with nothing but an elliptic curve, HMAC and AES-GCM, so that
there is something to hold the library against. The ephemeral key is an argument:
sealing is replayable.
"""

import hmac
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEM_ID, KDF_ID, AEAD_ID = 0x0010, 0x0001, 0x0001
_CURVE = ec.SECP256R1()
_KEM_SUITE = b"KEM" + KEM_ID.to_bytes(2, "big")
_SUITE = b"HPKE" + b"".join(
    part.to_bytes(2, "big") for part in (KEM_ID, KDF_ID, AEAD_ID)
)


def private_key(secret):
    """The key with a secret number, as bytes."""
    return ec.derive_private_key(int.from_bytes(secret, "big"), _CURVE)


def point(key):
    """The public key of a private one, uncompressed (SerializePublicKey, section
    7.1.1).
    """
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def seal(public, ephemeral, info, aad, plaintext):
    """`enc`, then the ciphertext of the first message (SealBase, sections 4.1, 5.1,
    5.2, 6.1).
    """
    there = ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, public)
    enc = point(ephemeral)
    shared = _encapsulated(ephemeral.exchange(ec.ECDH(), there), enc, public)
    key, nonce = _schedule(shared, info)
    return enc + AESGCM(key).encrypt(nonce, plaintext, aad)


def open_sealed(private, sealed, info, aad):
    """The plaintext (OpenBase)."""
    enc, ciphertext = sealed[:65], sealed[65:]
    there = ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, enc)
    shared = _encapsulated(private.exchange(ec.ECDH(), there), enc, point(private))
    key, nonce = _schedule(shared, info)
    return AESGCM(key).decrypt(nonce, ciphertext, aad)


def _extract(salt, label, material, suite):
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + material, sha256)


def _expand(secret, label, info, length, suite):
    labeled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.digest(secret, labeled + b"\1", sha256)[:length]


def _encapsulated(exchanged, enc, public):
    """ExtractAndExpand of section 4.1."""
    secret = _extract(b"", b"eae_prk", exchanged, suite=_KEM_SUITE)
    return _expand(secret, b"shared_secret", enc + public, length=32, suite=_KEM_SUITE)


def _schedule(shared, info):
    """Key and first nonce of section 5.1, in mode 0, without a pre-shared key."""
    hashes = (
        _extract(b"", b"psk_id_hash", b"", suite=_SUITE),
        _extract(b"", b"info_hash", info, suite=_SUITE),
    )
    context = b"\0" + b"".join(hashes)
    secret = _extract(shared, b"secret", b"", suite=_SUITE)
    key = _expand(secret, b"key", context, length=16, suite=_SUITE)
    return key, _expand(secret, b"base_nonce", context, length=12, suite=_SUITE)
