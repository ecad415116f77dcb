"""Ingest: bytes to checked batches to a tally, in bulk.

Rules
- Whatever the bytes, ingest ends with a tally and a count of what was rejected and why;
  it raises nothing for them.
- A batch id that was accepted before, in the same ingest, is a duplicate.
- Memory: one chunk of reports, and the ids of the batches accepted; nothing grows with
  the reports in a batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from ldp.numbers.epochs import epoch_of
from ldp.survey.survey import Survey
from ldp.wire.wire import Batch, Damage, FrameReader
from ldp_aggregator.tallies.intake.screening import (
    Rejection,
    by_combination,
    rows_of,
    screen,
)
from ldp_aggregator.tallies.tally import ACCEPTED, DUPLICATE, Tally

CHUNK = 1 << 19
"""Bytes read at a time: enough to count in bulk, little enough to stay in a processor's
cache.
"""

_HASHED_AT_ONCE = 1 << 14


class Ingest:
    """Feeds reports into `tally`. Each file is a stream of its own: end it with
    `end_of_stream`.

    `seen` are the ids that have been accepted, those accepted elsewhere included that
    it begins with.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> ingest = ldp_aggregator.Ingest(survey)
    >>> ingest.feed(reports)
    >>> ingest.end_of_stream()
    >>> ingest.tally.intake.outcomes["accepted"] > 0
    True
    """

    def __init__(self, survey: Survey, seen: Iterable[bytes] = ()) -> None:
        self._tally = Tally.empty(survey)
        self._unhashed: list[bytes] = []
        self.seen = set(seen)
        self._envelopes = {
            envelope.fingerprint: envelope for envelope in survey.envelopes
        }
        self._reader = FrameReader()

    @property
    def tally(self) -> Tally:
        """Tally of all reports so far."""
        self._hash()
        return self._tally

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
        # Screened before they are compared: an impossible batch must not turn a sound
        # one of its id into a duplicate.
        items = screen(payloads, self._envelopes)
        outcomes = self._tally.intake.outcomes
        outcomes.update(item.reason for item in items if isinstance(item, Rejection))
        batches = self._unseen([item for item in items if isinstance(item, Batch)])
        for (fingerprint, combination), alike in by_combination(batches).items():
            envelope = self._envelopes[fingerprint]
            self._tally.add(envelope, rows_of(alike, envelope.width), combination)
            # Most surveys have nothing to count by epoch, and many batches.
            if envelope.epoch is not None:
                for batch in alike:
                    self._tally.add_epoch(envelope, epoch_of(batch.id), batch.size)
        self._unhashed += [batch.id for batch in batches]
        if len(self._unhashed) >= _HASHED_AT_ONCE:
            self._hash()
        outcomes[ACCEPTED] += len(batches)

    def _hash(self) -> None:
        """Let the tally know which batches it has: in bulk, since a few cost as much as
        many.
        """
        self._tally.identity = self._tally.identity.plus(self._unhashed)
        self._unhashed.clear()

    def _unseen(self, batches: list[Batch]) -> list[Batch]:
        """The batches whose id comes for the first time; the others are counted as
        duplicates.
        """
        unseen = []
        for batch in batches:
            if batch.id not in self.seen:
                self.seen.add(batch.id)
                unseen.append(batch)
        self._tally.intake.outcomes[DUPLICATE] += len(batches) - len(unseen)
        return unseen
