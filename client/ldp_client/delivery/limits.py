"""How much may wait in a queue, and what is dropped where there is more.

Rules
- Too old is too old, whatever it is.
- Where there are too many, reports to memoized questions go first, which can be given
  again at no cost, and the others where that is not enough; of each the oldest first.
- The first report of a value is dropped as readily as its repeats: what is dropped
  depends on the question, and on no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from ldp.wire.wire import pack_array
from ldp_client.keeping.store import Record

Key = bytes
Item = tuple[Key, Record]


class QueueLimits(NamedTuple):
    """How much may wait, for how many days, and how many reports travel together at
    most.

    >>> import ldp_client
    >>> ldp_client.QueueLimits(reports=100).days
    30
    """

    reports: int = 10_000
    bytes: int = 4 << 20
    days: int = 30
    batch: int = 1000

    def superfluous(
        self,
        count: int,
        size: int,
        oldest_first: Callable[[], Iterable[Item]],
        *,
        is_too_old: Callable[[Key], bool],
        repeatable: Collection[Key],
    ) -> Iterator[tuple[str, Key, Record]]:
        """The reports to drop, of so many with so many bytes: the reason, the key, the
        record.

        `oldest_first` reads them anew, `is_too_old` judges keys, and `repeatable` are
        fingerprints.
        """
        for key, record in oldest_first() if count else ():
            if not is_too_old(key):
                break
            yield "too-old", key, record
            count -= 1
            size -= len(pack_array([*record]))
        for goes_first in (True, False):
            for key, record in oldest_first() if count else ():
                if count <= self.reports and size <= self.bytes:
                    return
                if (record[0] in repeatable) == goes_first:
                    yield "queue-full", key, record
                    count -= 1
                    size -= len(pack_array([*record]))
