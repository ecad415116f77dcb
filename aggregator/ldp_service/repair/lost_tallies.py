"""Tallies that may lack a part: counted anew from batches that were kept whole, or set
aside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ldp.numbers.epochs import epoch_of
from ldp.survey.survey import Envelope
from ldp.wire.wire import decode_batch
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.counting.joint_counting import count_parts
from ldp_aggregator.tallies.intake.screening import rows_of
from ldp_aggregator.tallies.tally import ACCEPTED
from ldp_service.repair.census import Census, Statistic, StoredRecords, statistics_of
from ldp_service.repair.diagnosis import LOST, Diagnosis, many, when
from ldp_service.store.combinations import of_combination
from ldp_service.store.records import (
    EVER,
    NO_QUESTION,
    PART,
    SHOWN,
    TALLY,
    Epoch,
    Record,
    intake_key,
    pack_outcomes,
    seal,
    shard_of,
    tally_key,
)


def look_at_tallies(diagnosis: Diagnosis, evidence: StoredRecords) -> None:
    """Count anew, or set aside, what may lack a part."""
    census = diagnosis.census
    blamed = census.suspects
    suspects: dict[tuple[Epoch, int], set[bytes]] = {}
    for fingerprint, epoch, shard in (*census.outcomes, *census.parts):
        if shard not in census.torn:
            continue
        envelope = census.envelopes.get(fingerprint)
        statistic = fingerprint, epoch, shard
        accepted = census.outcomes.get(statistic, Counter())[ACCEPTED]
        if fingerprint == NO_QUESTION or not (accepted or statistic in census.parts):
            continue
        statistics = {fingerprint} if envelope is None else statistics_of(envelope)
        if blamed is not None:
            statistics = (
                census.with_combinations(statistics & census.tally_parts.keys())
                & blamed
            )
        incomplete = {
            name for name in statistics if not census.complete((name, epoch, shard))
        }
        suspects.setdefault((epoch, shard), set()).update(
            census.shares_batches_with(incomplete)
        )
    # What was shown may lack a part as well, or show what is set aside: all of it is
    # shown anew.
    for record in evidence.records(SHOWN) if census.torn else ():
        if shard_of(record) in census.torn:
            diagnosis.drop.append((SHOWN, record.key))
    counted = _kept_whole(evidence, census, suspects)
    for (epoch, shard), fingerprints in sorted(suspects.items()):
        if fingerprints:
            _renew(diagnosis, epoch, shard, fingerprints=fingerprints, counted=counted)


def _renew(
    diagnosis: Diagnosis,
    epoch: Epoch,
    shard: int,
    fingerprints: set[bytes],
    counted: dict[Statistic, _Kept],
) -> None:
    """Replace tallies by what batches that are kept whole add up to, or by nothing."""
    census = diagnosis.census
    for fingerprint in fingerprints:
        parts = census.parts.get((fingerprint, epoch, shard), ())
        for part in parts:
            diagnosis.drop.append(
                (TALLY, tally_key(fingerprint, epoch, shard, part=part))
            )
    senders = fingerprints | {
        envelope.fingerprint
        for envelope in census.envelopes.values()
        if statistics_of(envelope) & fingerprints
    }
    outcomes_of = {
        sender: census.outcomes[sender, epoch, shard]
        for sender in senders
        if census.outcomes.get((sender, epoch, shard), Counter())[ACCEPTED]
    }
    batches = sum(outcomes[ACCEPTED] for outcomes in outcomes_of.values())
    problem = (
        f"the tally of {_names(census, fingerprints)} ({when(epoch)}) may lack a part"
    )
    none = _Kept()
    all_kept = all(
        counted.get((sender, epoch, shard), none).batches == outcomes[ACCEPTED]
        for sender, outcomes in outcomes_of.items()
    )
    if outcomes_of and all_kept:
        totals: dict[bytes, Counts] = {}
        for sender in outcomes_of:
            for fingerprint, counts in counted[sender, epoch, shard].counts.items():
                totals[fingerprint] = counts + totals.get(
                    fingerprint, np.zeros_like(counts)
                )
        for fingerprint, counts in totals.items():
            diagnosis.put += _parts_of(fingerprint, epoch, shard, counts=counts)
        diagnosis.note(
            problem,
            (
                f"it is counted anew: its {many(batches, 'batch', 'batches')} were "
                "kept whole"
            ),
        )
        return
    for sender, outcomes in outcomes_of.items():
        moved = outcomes.copy()
        moved[LOST] += moved.pop(ACCEPTED)
        census.outcomes[sender, epoch, shard] = moved
        key = intake_key(sender, epoch, shard)
        diagnosis.put.append(seal("intake", key, pack_outcomes(moved)))
    diagnosis.note(
        f"{problem}, and not all of its batches were kept whole",
        "it is set aside: estimates are as if its reports had not come; its "
        f"{many(batches, 'batch', 'batches')} are counted as {LOST}",
        lost=True,
    )


@dataclass
class _Kept:
    """Sums of batches that were kept whole."""

    batches: int = 0
    counts: dict[bytes, Counts] = field(default_factory=dict)

    def add(self, envelope: Envelope, content: bytes) -> None:
        """Count one more."""
        self.batches += 1
        batch = decode_batch(content)
        for statistic, counts in count_parts(
            envelope, rows_of([batch], envelope.width)
        ):
            self._add(statistic.fingerprint, counts)
            if statistic.attributes:
                self._add(
                    of_combination(statistic.fingerprint, batch.combination), counts
                )

    def _add(self, fingerprint: bytes, counts: Counts) -> None:
        sofar = self.counts.get(fingerprint)
        self.counts[fingerprint] = counts if sofar is None else sofar + counts


def _kept_whole(
    evidence: StoredRecords,
    census: Census,
    suspects: Mapping[tuple[Epoch, int], set[bytes]],
) -> dict[Statistic, _Kept]:
    """Return the sums of suspects from whole batches, by question or group."""
    batches_of: dict[Statistic, _Kept] = {}
    for raw in evidence.records("kept") if suspects else ():
        record = census.mended.get(raw, raw)
        if not record.sound:
            continue
        batch = decode_batch(record.content)
        envelope = census.envelopes.get(batch.fingerprint)
        if envelope is None:
            continue
        epoch = EVER
        if envelope.epoch is not None:
            epoch = Epoch(envelope.epoch, epoch_of(batch.id))
        shard = shard_of(record)
        if suspects.get((epoch, shard), set()) & statistics_of(envelope):
            statistic = batch.fingerprint, epoch, shard
            batches_of.setdefault(statistic, _Kept()).add(envelope, record.content)
    return batches_of


def _parts_of(
    fingerprint: bytes, epoch: Epoch, shard: int, counts: Counts
) -> Iterator[Record]:
    """The records of a tally."""
    # Flattened, (cells,), and cut into records of PART cells; those of zeros alone are
    # not kept.
    flat = counts.reshape(-1).astype("<i8")
    for part in np.unique(np.flatnonzero(flat) // PART).tolist():
        content = flat[part * PART : (part + 1) * PART].tobytes()
        yield seal(TALLY, tally_key(fingerprint, epoch, shard, part=part), content)


def _names(census: Census, fingerprints: Iterable[bytes]) -> str:
    names = {
        envelope.fingerprint: envelope.name for envelope in census.tally_parts.values()
    }
    # A combination of attributes goes with its question or group, which has a name.
    shown = [
        names.get(item) or item.hex()
        for item in fingerprints
        if not census.is_part(item)
    ]
    return ", ".join(sorted(shown))
