"""The certificate of a service and its key: whether they can be served, in one
sentence.
"""

from __future__ import annotations

import ssl
from pathlib import Path

from ldp.errors import LDPError


class CertificateError(LDPError):
    """A certificate and a key that cannot be served."""


def check_certificate(certificate: Path | None, key: Path | None) -> None:
    """Raise `CertificateError` unless both can be used, or neither is there."""
    if certificate is None:
        return
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # An empty password, as no one is there to type one.
        context.load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as error:
        raise CertificateError(
            f"expected a certificate in {certificate} and its key in {key}, in PEM and "
            f"without a password, got: {error}"
        ) from None
