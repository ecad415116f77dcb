"""The key pair of a collector whose reports come through a relay: made, kept, read.

The private key is a file (PKCS #8, PEM) that its owner alone may read; the public key
is a line of text that apps are given. It is in no survey, and no fingerprint depends on
it: it may change while reports to one survey go on, and reports that came through a
relay count beside those that did not.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldp.errors import LDPError
from ldp.wire.sealed import public_key_text
from ldp_aggregator.output.files import opened_private, read_bytes

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

_EXTRA = (
    "expected the package cryptography (47 or later) for reports that come through a "
    "relay, found "
    'none or an older one; install it with pip install "ldpkit-aggregator[relay]"'
)
_MOST = 1 << 14


class KeyFileError(LDPError):
    """A key that cannot be made, or read, or used."""


def suite() -> Any:
    """The one cipher suite that there is. Raises `KeyFileError` without the extra."""
    try:
        from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
    except ImportError:
        raise KeyFileError(_EXTRA) from None
    return Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.AES_128_GCM)


def make_key(path: Path) -> str:
    """Make a key pair, its private key in a new file; the public key as text.

    Raises `KeyFileError` if there is such a file already, or none can be made.
    """
    suite()
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    new_key_file(path, key)
    return public_text(key)


def new_key_file(path: Path, key: Any) -> None:
    """A private key in a new file, which its owner alone may read. Raises
    `KeyFileError`.
    """
    from cryptography.hazmat.primitives import serialization

    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        encryption_algorithm=serialization.NoEncryption(),
    )
    try:
        descriptor = opened_private(path, os.O_WRONLY | os.O_EXCL)
    except FileExistsError:
        raise KeyFileError(
            f"expected no file at {path} yet, found one; a key is never written over: "
            "name another"
        ) from None
    except OSError as error:
        raise KeyFileError(f"expected to make {path}, got: {error.strerror}") from None
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(file.fileno())


def read_key(path: Path) -> EllipticCurvePrivateKey:
    """The private key in a file. Raises `KeyFileError`, which shows none of it."""
    suite()
    from cryptography.hazmat.primitives.asymmetric import ec

    key = private_key_in(path)
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
        raise KeyFileError(
            f"expected a private key of P-256 in {path}, as ldp relay keys makes it, "
            "got something else"
        )
    return key


def private_key_in(path: Path) -> Any:
    """The private key in a file that its owner alone may read, of any kind; None if it
    is none.

    Raises `KeyFileError`.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    content = read_bytes(path, _MOST)
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise KeyFileError(
            f"expected {path} to be readable by its owner alone, found others; chmod "
            f"600 {path}"
        )
    try:
        return load_pem_private_key(content, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None


def public_text(key: EllipticCurvePrivateKey) -> str:
    """The public key of a private one, as apps are given it."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return public_key_text(point)
