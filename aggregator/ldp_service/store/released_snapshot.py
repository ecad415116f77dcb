"""A snapshot as analysts may see it: its tallies are what is shown of them.

Everyone who looks reads through this, so that no way to ask can forget to.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from ldp_service.store.records import SHOWN, TALLY, Epoch, Record, Scanned
from ldp_service.store.store import Snapshot


class ShownRecords:
    """The records of a store, but that what is shown of tallies stands for them."""

    def __init__(self, records: Scanned) -> None:
        self._records = records

    def scan(self, kind: str, prefix: bytes = b"") -> Iterator[Record]:
        """Yield records as the store does."""
        return self._records.scan(SHOWN if kind == TALLY else kind, prefix)


class ShownSnapshot(ShownRecords):
    """Published part of a whole snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot)
        self._snapshot = snapshot

    def epochs(self) -> list[Epoch]:
        """Return the epochs whose ids are kept."""
        return self._snapshot.epochs()

    def ids(self, epoch: Epoch) -> Iterator[list[bytes]]:
        """All ids of an epoch."""
        return self._snapshot.ids(epoch)

    def complaints(self) -> list[str]:
        """Return the complaints of the database about itself."""
        return self._snapshot.complaints()


@contextmanager
def public_view(opened: AbstractContextManager[Snapshot]) -> Iterator[Snapshot]:
    """A snapshot that is being opened, as it may be seen."""
    with opened as snapshot:
        yield ShownSnapshot(snapshot)
