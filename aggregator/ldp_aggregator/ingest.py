"""Ingest: bytes to checked batches to a tally, in bulk.

Rules
- Whatever the bytes, ingest ends with a tally and a count of what was rejected and why; it raises nothing for them.
- A batch is counted whole or not at all: one impossible report rejects its batch, and nothing else.
- A batch id that was accepted before, in the same ingest, is a duplicate.
- Memory: one chunk of reports, and the ids of the batches accepted; nothing grows with the reports in a batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

import numpy as np

from ldp.errors import WireError
from ldp.survey import Envelope, Survey
from ldp.wire import Batch, Damage, FrameReader, decode_batch
from ldp_aggregator.counting import Rows, faults
from ldp_aggregator.joint_counting import parts
from ldp_aggregator.tally import ACCEPTED, DUPLICATE, Tally

CHUNK = 1 << 19
"""Bytes read at a time: enough to count in bulk, little enough to stay in a processor's cache."""


class Ingest:
    """Feeds reports into `tally`. Each file is a stream of its own: end it with `end_of_stream`."""

    def __init__(self, survey: Survey) -> None:
        self.tally = Tally.empty(survey)
        self._envelopes = {envelope.fingerprint: envelope for envelope in survey.envelopes}
        self._seen: set[bytes] = set()
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
        # Checked before they are compared: an impossible batch must not turn a sound one of its id into a duplicate.
        batches = self._unseen(self._possible(self._fitting(payloads)))
        for envelope, alike in self._by_envelope(batches):
            self.tally.add(envelope, _rows(alike, envelope.width))
        self.tally.intake.outcomes[ACCEPTED] += len(batches)

    def _fitting(self, payloads: Iterable[bytes | Damage]) -> list[Batch]:
        """The batches that are of a question or group of the survey and of its width; others count as rejected."""
        outcomes, envelopes = self.tally.intake.outcomes, self._envelopes
        batches = []
        for payload in payloads:
            if isinstance(payload, Damage):
                outcomes["frame-damaged"] += 1
                continue
            try:
                batch = decode_batch(payload)
            except WireError as error:
                outcomes[error.reason] += 1
                continue
            envelope = envelopes.get(batch.fingerprint)
            if envelope is None:
                outcomes["fingerprint"] += 1
            elif len(batch.rows) != batch.size * envelope.width:
                outcomes["report-width"] += 1
            else:
                batches.append(batch)
        return batches

    def _possible(self, batches: list[Batch]) -> list[Batch]:
        """The batches without impossible reports; the others are counted as rejected."""
        impossible: set[Batch] = set()
        for envelope, alike in self._by_envelope(batches):
            split = parts(envelope, _rows(alike, envelope.width))
            wrong = [fault for question, part in split for fault in faults(part, question.layout)]
            if not wrong:
                continue
            reasons: dict[int, str] = {}
            starts = np.cumsum([0, *(batch.size for batch in alike[:-1])])
            for reason, rows in wrong:
                for place in np.flatnonzero(np.logical_or.reduceat(rows, starts)):
                    reasons.setdefault(int(place), reason)
            self.tally.intake.outcomes.update(reasons.values())
            impossible.update(alike[place] for place in reasons)
        return [batch for batch in batches if batch not in impossible] if impossible else batches

    def _unseen(self, batches: list[Batch]) -> list[Batch]:
        """The batches whose id comes for the first time; the others are counted as duplicates."""
        seen, unseen = self._seen, []
        for batch in batches:
            if batch.id not in seen:
                seen.add(batch.id)
                unseen.append(batch)
        self.tally.intake.outcomes[DUPLICATE] += len(batches) - len(unseen)
        return unseen

    def _by_envelope(self, batches: list[Batch]) -> list[tuple[Envelope, list[Batch]]]:
        sorted_out: dict[bytes, list[Batch]] = {}
        for batch in batches:
            sorted_out.setdefault(batch.fingerprint, []).append(batch)
        return [(self._envelopes[fingerprint], alike) for fingerprint, alike in sorted_out.items()]


def _rows(batches: list[Batch], width: int) -> Rows:
    return np.frombuffer(b"".join([batch.rows for batch in batches]), dtype=np.uint8).reshape(-1, width)
