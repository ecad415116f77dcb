"""A secret in the platform's key store, for `secret=`: needs the extra
`ldpkit-client[keyring]`.

The package `keyring` speaks to the Keychain of macOS, to the Credential Locker of
Windows (DPAPI) and to the Secret Service of Linux desktops (libsecret, KWallet). On
phones there is no such package: an app fetches the bytes from the Keychain or the
Keystore by itself.
"""

from __future__ import annotations

from collections.abc import Callable

from ldp.numbers.randomness import system

_USER = "ldp"
_SIZE = 32


def keyring_secret(app: str) -> Callable[[], bytes]:
    """A function that fetches the secret kept under an app's name, and makes it if
    there is none.

    It raises what `keyring` raises where there is no key store, or where it is locked.

    >>> import ldp_client
    >>> client = ldp_client.Client(
    ...     "trip.toml", state="app.state", secret=ldp_client.keyring_secret("my app")
    ... )  # doctest: +SKIP
    """

    def fetch() -> bytes:
        # Imported here: it is an extra, and slow.
        import keyring

        kept = keyring.get_password(app, _USER)
        if kept is None:
            keyring.set_password(app, _USER, system(_SIZE).hex())
            # What is there now: another process may have been quicker, or may still be.
            kept = keyring.get_password(app, _USER)
        return bytes.fromhex(kept or "")

    return fetch
