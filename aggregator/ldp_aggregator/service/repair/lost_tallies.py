"""Tallies that may lack a part: counted anew from batches that were kept whole, or set aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ldp.epochs import epoch_of
from ldp.survey import Envelope
from ldp.wire import decode_batch
from ldp_aggregator.arrays import Counts
from ldp_aggregator.service.repair.census import Census, Evidence, Statistic, statistics_of
from ldp_aggregator.service.repair.diagnosis import LOST, Diagnosis, many, when
from ldp_aggregator.service.store.records import (
    EVER,
    NO_QUESTION,
    PART,
    Epoch,
    Record,
    intake_key,
    pack_outcomes,
    sealed,
    shard_of,
    tally_key,
)
from ldp_aggregator.tallies.joint_counting import counted
from ldp_aggregator.tallies.screening import rows_of
from ldp_aggregator.tallies.tally import ACCEPTED


def look_at_tallies(diagnosis: Diagnosis, evidence: Evidence) -> None:
    """Count anew, or set aside, what may lack a part."""
    census, blamed = diagnosis.census, diagnosis.census.blamed
    suspects: dict[tuple[Epoch, int], set[bytes]] = {}
    for fingerprint, epoch, shard in (*census.outcomes, *census.parts):
        if shard not in census.torn:
            continue
        envelope = census.envelopes.get(fingerprint)
        accepted = census.outcomes.get((fingerprint, epoch, shard), Counter())[ACCEPTED]
        if fingerprint == NO_QUESTION or not (
            accepted or (fingerprint, epoch, shard) in census.parts
        ):
            continue
        statistics = {fingerprint} if envelope is None else statistics_of(envelope)
        if blamed is not None:
            statistics &= blamed
        found = {each for each in statistics if not census.complete((each, epoch, shard))}
        suspects.setdefault((epoch, shard), set()).update(census.entangled(found))
    kept = _kept_whole(evidence, census, suspects)
    for (epoch, shard), fingerprints in sorted(suspects.items()):
        if fingerprints:
            _renew(diagnosis, epoch, shard, fingerprints, kept)


def _renew(
    diagnosis: Diagnosis,
    epoch: Epoch,
    shard: int,
    fingerprints: set[bytes],
    kept: dict[Statistic, _Kept],
) -> None:
    """Replace tallies by what batches that are kept whole add up to, or by nothing."""
    census = diagnosis.census
    for fingerprint in fingerprints:
        parts = census.parts.get((fingerprint, epoch, shard), ())
        diagnosis.drop += [("tally", tally_key(fingerprint, epoch, shard, part)) for part in parts]
    sent = {
        each: census.outcomes[each, epoch, shard]
        for each in fingerprints
        | {e.fingerprint for e in census.envelopes.values() if statistics_of(e) & fingerprints}
        if census.outcomes.get((each, epoch, shard), Counter())[ACCEPTED]
    }
    batches = sum(outcomes[ACCEPTED] for outcomes in sent.values())
    problem = f"the tally of {_names(census, fingerprints)} ({when(epoch)}) may lack a part"
    none = _Kept()
    if sent and all(
        kept.get((each, epoch, shard), none).batches == sent[each][ACCEPTED] for each in sent
    ):
        totals: dict[bytes, Counts] = {}
        for each in sent:
            for fingerprint, counts in kept[each, epoch, shard].counts.items():
                totals[fingerprint] = counts + totals.get(fingerprint, np.zeros_like(counts))
        for fingerprint, counts in totals.items():
            diagnosis.put += _parts_of(fingerprint, epoch, shard, counts)
        diagnosis.note(
            problem,
            f"it is counted anew: its {many(batches, 'batch', 'batches')} were kept whole",
        )
        return
    for each, outcomes in sent.items():
        census.outcomes[each, epoch, shard] = moved = outcomes.copy()
        moved[LOST] += moved.pop(ACCEPTED)
        diagnosis.put.append(sealed("intake", intake_key(each, epoch, shard), pack_outcomes(moved)))
    diagnosis.note(
        f"{problem}, and not all of its batches were kept whole",
        "it is set aside: estimates are as if its reports had not come; "
        f"its {many(batches, 'batch', 'batches')} are counted as {LOST}",
        lost=True,
    )


@dataclass
class _Kept:
    """What batches that were kept whole add up to."""

    batches: int = 0
    counts: dict[bytes, Counts] = field(default_factory=dict)

    def add(self, envelope: Envelope, content: bytes) -> None:
        """Count one more."""
        self.batches += 1
        for each, counts in counted(envelope, rows_of([decode_batch(content)], envelope.width)):
            sofar = self.counts.get(each.fingerprint)
            self.counts[each.fingerprint] = counts if sofar is None else sofar + counts


def _kept_whole(
    evidence: Evidence, census: Census, suspects: Mapping[tuple[Epoch, int], set[bytes]]
) -> dict[Statistic, _Kept]:
    """The batches that were kept whole and count for what is suspected, by what
    they were sent for.
    """
    found: dict[Statistic, _Kept] = {}
    for raw in evidence.records("kept") if suspects else ():
        record = census.mended.get(raw, raw)
        if not record.sound:
            continue
        batch = decode_batch(record.content)
        envelope = census.envelopes.get(batch.fingerprint)
        if envelope is None:
            continue
        epoch = EVER if envelope.epoch is None else Epoch(envelope.epoch, epoch_of(batch.id))
        shard = shard_of(record)
        if suspects.get((epoch, shard), set()) & statistics_of(envelope):
            found.setdefault((batch.fingerprint, epoch, shard), _Kept()).add(
                envelope, record.content
            )
    return found


def _parts_of(fingerprint: bytes, epoch: Epoch, shard: int, counts: Counts) -> Iterator[Record]:
    """The records of a tally."""
    flat = counts.reshape(-1).astype("<i8")
    for part in np.unique(np.flatnonzero(flat) // PART).tolist():
        content = flat[part * PART : (part + 1) * PART].tobytes()
        yield sealed("tally", tally_key(fingerprint, epoch, shard, part), content)


def _names(census: Census, fingerprints: Iterable[bytes]) -> str:
    known = {each.fingerprint: each.name for each in census.tallied.values()}
    return ", ".join(sorted(known.get(each, each.hex()) for each in fingerprints))
