"""Reports, and the bytes that they travel as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ldp.randomness import Random, system
from ldp.wire import ID_SIZE, MOST_PAYLOAD, MOST_REPORTS, Batch, encode_batch, encode_frame


class Report(NamedTuple):
    """One randomized answer, or those to a group: its fingerprint, and the bytes that may leave the device."""

    fingerprint: bytes
    row: bytes


def batches(reports: Iterable[Report], *, size: int = 1000, random: Random = system) -> list[Batch]:
    """Reports grouped by question into batches of at most `size`, each under a fresh random id.

    Group only reports that may be seen together: whoever receives a batch learns that its reports travelled together.
    """
    by_question: dict[bytes, list[bytes]] = {}
    for report in reports:
        by_question.setdefault(report.fingerprint, []).append(report.row)
    return [
        batch
        for fingerprint, rows in by_question.items()
        for batch in row_batches(fingerprint, b"".join(rows), len(rows[0]), size=size, random=random)
    ]


def row_batches(
    fingerprint: bytes, rows: bytes, width: int, *, size: int = 1000, random: Random = system
) -> Iterator[Batch]:
    """Batches of reports to one question, given as rows of `width` bytes, end to end."""
    step = width * max(1, min(size, MOST_REPORTS, (MOST_PAYLOAD - 256) // width))
    for start in range(0, len(rows), step):
        chunk = rows[start : start + step]
        yield Batch(fingerprint, random(ID_SIZE), len(chunk) // width, chunk)


def report_bytes(reports: Iterable[Report], *, size: int = 1000, random: Random = system) -> bytes:
    """Reports as the bytes of a report file or an upload: one frame for each batch. Files may be concatenated."""
    return frames(batches(reports, size=size, random=random))


def frames(made: Iterable[Batch]) -> bytes:
    """Batches as the bytes of a report file."""
    return b"".join(encode_frame(encode_batch(batch)) for batch in made)
