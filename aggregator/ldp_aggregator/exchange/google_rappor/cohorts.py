"""The cohort that a client of google/rappor takes from its secret.

Two of the clients draw it from a generator:

    K = 0..0, V = 1..1
    for b in 0, 1:  K = HMAC(K, V || b || entropy || personalization),  V = HMAC(K, V)
    output:  V = HMAC(K, V), again and again

Source: NIST SP 800-90A, Section 10.1.2, HMAC_DRBG with SHA-256, without reseeding.
"""

from __future__ import annotations

import hmac

_WIDTH = 32
_LARGE = 32
"""Bits up to which the C++ client works with plain HMACs."""
_JAVA_COHORTS = 128


def hmac_drbg(entropy: bytes, personalization: bytes) -> bytes:
    """The first four bytes of the generator."""
    key, value = bytes(_WIDTH), b"\1" * _WIDTH
    for step in (b"\0", b"\1"):
        key = _hmac(key, value + step + entropy + personalization)
        value = _hmac(key, value)
    return _hmac(key, value)[:4]


def cpp_cohort(secret: bytes, cohorts: int, bits: int) -> int:
    """The C++ client's. Its prefix of one zero byte is cut off where C strings end."""
    output = hmac_drbg(secret, b"") if bits > _LARGE else _hmac(secret, b"")[:4]
    return int.from_bytes(output, "little") % cohorts


def java_cohort(secret: bytes, cohorts: int, bits: int) -> int:  # noqa: ARG001
    """The Java client's: the same for every question, but for how many cohorts it
    has.
    """
    output = int.from_bytes(hmac_drbg(secret, b"\0"), "big", signed=True)
    return abs(output) % _JAVA_COHORTS % cohorts


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")
