"""Reports, and the bytes that they travel as.

Where a survey has epochs, the id of a batch tells in which one the batch was made, so
every report says how long they are. Make batches when they are about to be sent: what a
collector gets after their epoch's grace is lost.

A report that is made once and has a mark travels alone. The id of its batch comes from
the mark and the epoch, so that it is the same when the report is made again after a
rollback.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, cast

from ldp.numbers.epochs import batch_id, epoch_at
from ldp.numbers.randomness import Random, shuffle, system
from ldp.wire.wire import MOST_PAYLOAD, MOST_REPORTS, Batch, encode_batch, encode_frame

MARK_SIZE = 16

Clock = Callable[[], float]
"""A source of the time, in seconds since 1970."""


class Report(NamedTuple):
    """One randomized answer, or those to a group: the bytes that may leave the device.

    `fingerprint` is of the question or group; `row` has the bytes.

    `epoch` is the length of its survey's epochs in seconds; None if it has none. `mark`
    is what the id of its batch is made from; None if that is drawn. `combination` is
    what is said openly of the device (`ldp.survey.attributes`), as it was when the
    answer was recorded.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> report = ldp_client.Client(survey).record("mode", "bus")
    >>> len(report.row)
    1
    """

    fingerprint: bytes
    row: bytes
    epoch: int | None = None
    mark: bytes | None = None
    combination: int = 0

    def record(self) -> tuple[bytes | int, ...]:
        """Record that a store keeps."""
        if self.combination:
            where = self.epoch or 0, self.mark or b"", self.combination
            return self.fingerprint, self.row, *where
        if self.mark is not None:
            return self.fingerprint, self.row, self.epoch or 0, self.mark
        return tuple(part for part in self[:3] if part is not None)

    @classmethod
    def of_record(cls, record: tuple[object, ...]) -> Report:
        """The report that a store kept."""
        fingerprint, row, epoch, mark, combination = cast(
            "tuple[bytes, bytes, int | None, bytes | None, int | None]",
            (*record, None, None, None)[:5],
        )
        return cls(
            fingerprint,
            row,
            epoch or None,
            mark=mark or None,
            combination=combination or 0,
        )

    @property
    def alike(self) -> Alike:
        """Common part of reports that travel in one batch."""
        return Alike(
            self.fingerprint, self.epoch, self.mark, combination=self.combination
        )


class Alike(NamedTuple):
    """Common part of the reports of a batch: their question, and all that is said
    beside them.
    """

    fingerprint: bytes
    epoch: int | None
    mark: bytes | None
    combination: int


def batches(
    reports: Iterable[Report],
    *,
    size: int = 1000,
    random: Random = system,
    clock: Clock = time.time,
) -> list[Batch]:
    """Reports grouped by question into batches, each under a fresh id, all in random
    order.

    A batch has at most `size`, and one combination of attributes.

    Group only reports that may be seen together: the collector of a batch learns that
    its reports travelled together, and nothing of the order in which they were made.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> report = ldp_client.Client(survey).record("mode", "bus")
    >>> [batch] = ldp_client.batches([report])
    >>> len(batch.id)
    16
    """
    together: dict[Alike, list[bytes]] = {}
    for report in shuffle(reports, random):
        together.setdefault(report.alike, []).append(report.row)
    return [
        batch
        for (fingerprint, epoch, mark, combination), rows in together.items()
        for batch in row_batches(
            fingerprint,
            b"".join(rows),
            len(rows[0]),
            epoch=epoch,
            combination=combination,
            size=size,
            random=random if mark is None else batch_random(mark, epoch, clock),
            clock=clock,
        )
    ]


def batch_random(mark: bytes, epoch: int | None, clock: Clock) -> Random:
    """Return the randomness of a batch's id: another id in each epoch.

    So ids do not tell that batches of two epochs hold the same report.
    """
    import hashlib

    number = b""
    if epoch is not None:
        number = b"%d" % epoch_at(clock(), epoch)
    return lambda size: hashlib.blake2b(number, key=mark, digest_size=size).digest()


def row_batches(
    fingerprint: bytes,
    rows: bytes,
    width: int,
    epoch: int | None,
    *,
    combination: int = 0,
    size: int = 1000,
    random: Random = system,
    clock: Clock = time.time,
) -> Iterator[Batch]:
    """Batches of reports to one question, given as rows of `width` bytes, end to end.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> report = ldp_client.Client(survey).record("mode", "bus")
    >>> rows = report.row * 3
    >>> made = ldp_client.row_batches(report.fingerprint, rows, width=1, epoch=None)
    >>> len(list(made))
    1
    """
    step = width * max(1, min(size, MOST_REPORTS, (MOST_PAYLOAD - 256) // width))
    for start in range(0, len(rows), step):
        chunk = rows[start : start + step]
        id_ = batch_id(random, epoch, clock())
        reports = len(chunk) // width
        yield Batch(fingerprint, id_, size=reports, rows=chunk, combination=combination)


def report_bytes(
    reports: Iterable[Report],
    *,
    size: int = 1000,
    random: Random = system,
    clock: Clock = time.time,
) -> bytes:
    """Reports as the bytes of a report file or an upload: one frame for each batch.

    Files may be concatenated.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> report = ldp_client.Client(survey).record("mode", "bus")
    >>> ldp_client.report_bytes([report])[:4]
    b'LDPR'
    """
    return frames(batches(reports, size=size, random=random, clock=clock))


def frames(made: Iterable[Batch]) -> bytes:
    """Batches as the bytes of a report file.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> report = ldp_client.Client(survey).record("mode", "bus")
    >>> ldp_client.frames(ldp_client.batches([report]))[:4]
    b'LDPR'
    """
    return b"".join(encode_frame(encode_batch(batch)) for batch in made)
