"""Ingest: bytes to checked batches to a tally, in bulk.

Rules
- Whatever the bytes, ingest ends with a tally and a count of what was rejected and why; it raises nothing for them.
- A batch is counted whole or not at all: one impossible report rejects its batch, and nothing else.
- A batch id that was accepted before, in the same ingest, is a duplicate.
- Memory: one chunk of pending rows, and the ids of the batches accepted; nothing grows with the number of reports.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ldp.errors import WireError
from ldp.survey import Question, Survey
from ldp.wire import Batch, Damage, FrameReader, decode_batch
from ldp_aggregator.counting import Rows, faults
from ldp_aggregator.tally import ACCEPTED, DUPLICATE, Tally

CHUNK = 1 << 22


class Ingest:
    """Feeds reports into `tally`. Each file is a stream of its own: end it with `end_of_stream`."""

    def __init__(self, survey: Survey) -> None:
        self.tally = Tally.empty(survey)
        self._questions = {question.fingerprint: question for question in survey}
        self._seen: set[bytes] = set()
        self._pending: dict[bytes, list[Batch]] = {fingerprint: [] for fingerprint in self._questions}
        self._reader = FrameReader()

    def feed(self, chunk: bytes) -> None:
        """Take in the next bytes of a stream of frames, in chunks of any size."""
        self._take(self._reader.feed(chunk))

    def end_of_stream(self) -> None:
        """Take in what a stream ends with; the next `feed` starts another."""
        self._take(self._reader.close())
        self._reader = FrameReader()

    def file(self, file: BinaryIO) -> None:
        """Take in a whole file."""
        while chunk := file.read(CHUNK):
            self.feed(chunk)
        self.end_of_stream()

    def _take(self, payloads: Iterable[bytes | Damage]) -> None:
        outcomes, questions, pending, seen = self.tally.intake.outcomes, self._questions, self._pending, self._seen
        for payload in payloads:
            if isinstance(payload, Damage):
                outcomes["frame-damaged"] += 1
                continue
            try:
                batch = decode_batch(payload)
            except WireError as error:
                outcomes[error.reason] += 1
                continue
            question = questions.get(batch.fingerprint)
            if question is None:
                outcomes["fingerprint"] += 1
            elif len(batch.rows) != batch.size * question.width:
                outcomes["report-width"] += 1
            elif batch.id in seen:
                outcomes[DUPLICATE] += 1
            else:
                seen.add(batch.id)
                pending[batch.fingerprint].append(batch)
        for fingerprint, waiting in pending.items():
            if waiting:
                self._count(questions[fingerprint], waiting)
                waiting.clear()

    def _count(self, question: Question, batches: list[Batch]) -> None:
        rows = _rows(batches, question.width)
        wrong = faults(rows, question.layout)
        if wrong:
            batches = self._without(batches, wrong)
            rows = _rows(batches, question.width)
        self.tally.intake.outcomes[ACCEPTED] += len(batches)
        self.tally.add(question, rows)

    def _without(self, batches: list[Batch], wrong: list[tuple[str, NDArray[np.bool_]]]) -> list[Batch]:
        """The batches without impossible reports; the others are counted as rejected."""
        starts = np.cumsum([0, *(batch.size for batch in batches[:-1])])
        reasons: dict[int, str] = {}
        for reason, rows in wrong:
            for index in np.flatnonzero(np.logical_or.reduceat(rows, starts)):
                reasons.setdefault(int(index), reason)
        for place, reason in reasons.items():
            self.tally.intake.outcomes[reason] += 1
            self._seen.discard(batches[place].id)
        return [batch for place, batch in enumerate(batches) if place not in reasons]


def _rows(batches: list[Batch], width: int) -> Rows:
    return np.frombuffer(b"".join([batch.rows for batch in batches]), dtype=np.uint8).reshape(-1, width)
