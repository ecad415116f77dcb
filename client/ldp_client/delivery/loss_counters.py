"""Final losses of a queue's reports, in running numbers that last as long as the file.

Reports that no collector will ever count are losses, by reason and question. Those that
a collector keeps for a version of the survey that it does not serve (`quarantined`) are
none, and are counted beside them: whether they are ever counted the device does not
learn.
"""

from __future__ import annotations

from collections import Counter
from typing import cast

from ldp.survey.survey import FINGERPRINT_SIZE
from ldp_client.delivery.outcomes import LOST
from ldp_client.keeping.scope import OWNER_SIZE
from ldp_client.keeping.store import DeviceStore

LOSS = "loss"
QUARANTINED = "quarantined"
LASTING = LOST | {QUARANTINED}
"""What may become of a batch that is said for as long as the file lasts."""

_SEPARATOR = b"/"


class LossCounters:
    """Loss counters of a queue. Methods are called in transactions of the store."""

    __slots__ = ("_queue", "_store")

    def __init__(self, store: DeviceStore, queue: bytes) -> None:
        self._store = store
        self._queue = queue

    def note(self, reason: str, number: int, fingerprint: bytes) -> None:
        """Count reports to a question or group."""
        key = self._queue + reason.encode() + _SEPARATOR + fingerprint
        before = self._store.get(LOSS, key)
        self._store.put(
            LOSS, key, (number if before is None else cast(int, before[0]) + number,)
        )

    def numbers(self) -> Counter[tuple[str, bytes]]:
        """How many there are, ever, by reason and fingerprint.

        The fingerprint is empty for those that were noted when no one noted it.
        """
        numbers: Counter[tuple[str, bytes]] = Counter()
        for key, record in self._store.records(LOSS, self._queue):
            reason, _, fingerprint = key[OWNER_SIZE:].partition(_SEPARATOR)
            numbers[reason.decode(), fingerprint[:FINGERPRINT_SIZE]] = cast(
                int, record[0]
            )
        return numbers
