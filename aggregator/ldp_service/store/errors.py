"""Errors of a store; the type of an error says what may be done next."""

from ldp.errors import LDPError


class StoreError(LDPError):
    """A store that cannot go on.

    Nothing more is acknowledged until a new process has opened it and found it sound.
    """


def later_form(place: str, found: object, known: object) -> StoreError:
    """The error of a store that a later program has written to."""
    return StoreError(
        f"expected a store of version {known} or before at {place}, got version "
        f"{found}: a later release wrote to it; start that one again, or restore a "
        "backup from before"
    )


class StoreFullError(StoreError):
    """There is no room. Nothing was changed; it may be tried again."""


class StoreLostError(StoreError):
    """The connection broke, and no one knows whether the last transaction lasted.

    The store has to be opened again.
    """


class StoreDamagedError(StoreError):
    """The store does not hold what was written to it. `ldp store doctor` says more."""


class StoreDeniedError(StoreError):
    """The role may not do it; nothing was changed."""
