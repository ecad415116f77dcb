"""Mending what one bit changed: the checksum says which.

    record   the one among all records that differ from it in a bit whose checksum fits
    ids      exclusive ors show which bit of which half differs from what was claimed,
             the sum of products in which id

That another record fits by chance has a probability of some ten thousand in 2^64. Where
several ids fit, none is mended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from ldp_service.store.records import KINDS, IdSum, Record, checksum

_MOST = 1 << 14
"""Bytes of a record: beyond that it would take minutes."""


def mend(record: Record) -> Record | None:
    """The record as it was sealed, if one bit of it has changed."""
    fitting = checksum(record.kind, record.key, record.content)
    if (record.checksum ^ fitting).bit_count() == 1:
        return record._replace(checksum=fitting)
    if len(record.content) > _MOST:
        return None
    candidates = (
        *(record._replace(kind=kind) for kind in KINDS),
        *(record._replace(key=key) for key in _neighbours(record.key)),
    )
    with_content = (
        record._replace(content=content) for content in _neighbours(record.content)
    )
    return next(
        (other for other in chain(candidates, with_content) if other.sound), None
    )


def mended_id(ids: Sequence[bytes], claimed: IdSum) -> tuple[bytes, bytes] | None:
    """An id in which one bit has changed, and what it was before.

    None unless that is all that is wrong with the ids of an epoch.
    """
    there = IdSum().plus(ids)
    high, low = there.high ^ claimed.high, there.low ^ claimed.low
    if there.ids != claimed.ids or high.bit_count() + low.bit_count() != 1:
        return None
    # A row an id, (ids, 2), as they are; and as each would be with that bit put back.
    halves = np.frombuffer(b"".join(ids), dtype="<u8").reshape(-1, 2)
    before = halves ^ np.array([high, low], dtype=np.uint64)
    # By how much putting back each of them would change the sum of products, (ids,),
    # modulo 2^64.
    change = before[:, 0] * before[:, 1] - halves[:, 0] * halves[:, 1]
    missing = np.uint64((claimed.products - there.products) % (1 << 64))
    places = np.flatnonzero(change == missing)
    if len(places) != 1:
        return None
    [place] = places.tolist()
    return ids[place], before[place].astype("<u8").tobytes()


def _neighbours(content: bytes) -> Iterator[bytes]:
    """All contents that differ from it in one bit."""
    for place in range(8 * len(content)):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << place % 8
        yield bytes(changed)
