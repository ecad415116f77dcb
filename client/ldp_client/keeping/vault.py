"""How a device's secret is kept: as it is, or sealed under a key that the platform
keeps.

Whoever reads a state file can test guesses at memoized answers against it, since the
secret is in it. Sealed, it is of no use without what the platform's key store holds
(Keychain, Keystore, DPAPI, libsecret), which the app hands over as `secret=`.

    record   the secret; or a nonce (16 bytes), the sealed secret, a check value (8
             bytes)
    pad      BLAKE2b of the nonce under BLAKE2b of what the app hands over: 32 bytes
             that the secret is combined with by exclusive or, then the check value

Rules
- What the app hands over is never written down. It is asked for when it is needed
  first, and again until it can be had.
- A secret that was kept as it is gets sealed as soon as there is something to seal it
  with.
- Another key than that which a secret was sealed with, or none, is noticed: nothing is
  reported then, until the key is back or someone begins with a new secret (`rotate`),
  which is charged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from ldp.errors import StateError
from ldp.numbers.randomness import Random
from ldp_client.keeping.store import Record
from ldp_client.keeping.tapes import SECRET_SIZE

Handed = bytes | Callable[[], bytes]
"""What an app hands over: bytes, or a function that fetches them."""

LEAST = 16
_NONCE_SIZE, _CHECK_SIZE = 16, 8
_PADS = b"ldp-vault-1"


class Vault:
    """Seals and opens, with what the app hands over; without it, secrets stay as they
    are.
    """

    __slots__ = ("_handed", "_key")

    def __init__(self, handed: Handed | None = None) -> None:
        if isinstance(handed, bytes) and len(handed) < LEAST:
            raise ValueError(
                f"expected a secret of at least {LEAST} bytes, got {len(handed)}"
            )
        self._handed = handed
        self._key: bytes | None = None

    def seal(self, secret: bytes, random: Random) -> Record:
        """The record of a secret."""
        if self._handed is None:
            return (secret,)
        nonce = random(_NONCE_SIZE)
        pad, check = self._pad(nonce)
        return nonce, _xor(secret, pad), check

    def open(self, record: Record) -> bytes:
        """The secret of a record. Raises `StateError` if it was sealed with something
        else.
        """
        if len(record) == 1:
            return cast(bytes, record[0])
        nonce, sealed, check = cast("tuple[bytes, bytes, bytes]", record)
        if self._handed is None:
            raise _other("none")
        pad, expected = self._pad(nonce)
        if check != expected:
            raise _other("another")
        return _xor(sealed, pad)

    def would_seal(self, record: Record) -> bool:
        """Whether a record holds a secret as it is, which could be sealed."""
        return len(record) == 1 and self._handed is not None

    def _pad(self, nonce: bytes) -> tuple[bytes, bytes]:
        from hashlib import blake2b

        size = SECRET_SIZE + _CHECK_SIZE
        drawn = blake2b(
            nonce, key=self._fetch_key(), digest_size=size, person=_PADS
        ).digest()
        return drawn[:SECRET_SIZE], drawn[SECRET_SIZE:]

    def _fetch_key(self) -> bytes:
        """The key, of any length that was handed over."""
        if self._key is None:
            from hashlib import blake2b

            self._key = blake2b(self._ask_key()).digest()
        return self._key

    def _ask_key(self) -> bytes:
        if isinstance(self._handed, bytes):
            return self._handed
        try:
            handed: object = cast("Callable[[], bytes]", self._handed)()
        # An app's own function may raise whatever it likes; a message of its could tell
        # the secret.
        except Exception as error:
            raise StateError(
                f"expected a secret from the function that the app handed over, got "
                f"{type(error).__name__}"
            ) from None
        if not isinstance(handed, bytes) or len(handed) < LEAST:
            raise StateError(
                f"expected a secret of at least {LEAST} bytes from the function that "
                "the app handed over, got something else"
            )
        return handed


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def _other(came: str) -> StateError:
    return StateError(
        "expected the secret= that this device's own secret was sealed with, got "
        f"{came}; nothing is reported until it is back, or `rotate` begins with a new "
        "one"
    )
