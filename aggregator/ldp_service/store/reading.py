"""Reading tallies out of a snapshot: over all shards and epochs, or epoch by epoch.

Rules
- A record that does not fit its checksum is an error, never a number. (That none is
  missing was seen when the store was opened, and `ldp store doctor` sees it at any
  time.)
- One tally is held at a time, however many epochs there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ldp.survey.survey import Envelope, Question, Survey
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.counting.counting import total_reports
from ldp_aggregator.tallies.counting.joint_counting import empty_counts_of
from ldp_aggregator.tallies.identity import EVER_ENDS, Identity
from ldp_aggregator.tallies.mixing.batches import (
    MixedBatch,
    MixedPart,
    join_parts,
    read_part,
)
from ldp_aggregator.tallies.tally import ACCEPTED, Intake, Tally, sum_by_combination
from ldp_service.store.combinations import PREFIX, combination_in
from ldp_service.store.errors import StoreDamagedError
from ldp_service.store.records import (
    PART,
    Epoch,
    Least,
    Record,
    Scanned,
    read_intake_key,
    read_least,
    read_mixed_key,
    read_outcomes,
    read_root,
    read_tally_key,
)

Outcomes = dict[tuple[bytes, Epoch], Counter[str]]


@dataclass(frozen=True)
class EpochRange:
    """The epochs from the number of the first to that of the last."""

    first: int
    last: int

    def has(self, epoch: Epoch) -> bool:
        """Whether an epoch is one of them."""
        return self.first <= epoch.number <= self.last


def includes_epoch(asked: Epoch | EpochRange | None, at: Epoch) -> bool:
    """Whether an epoch is the one, or one of those, that are asked for; None asks for
    all.
    """
    if isinstance(asked, EpochRange):
        return asked.has(at)
    return asked in (None, at)


def tally_of(
    snapshot: Scanned, survey: Survey, epoch: Epoch | EpochRange | None = None
) -> Tally:
    """The tally of a survey, over all epochs or some, with the intake of its
    questions.
    """
    tally = Tally.empty(survey)
    epochs: set[Epoch] = set()
    for envelope in survey.tally_parts:
        for at, counts in history(snapshot, envelope):
            if includes_epoch(epoch, at):
                tally.counts[envelope.name] += counts
                epochs.add(at)
                if isinstance(envelope, Question):
                    reports = total_reports(counts, envelope.layout)
                    tally.add_epoch(envelope, at.number, reports)
        for (_, number), counts in by_combination(snapshot, envelope, epoch).items():
            known = tally.combinations.get(envelope.name, {})
            tally.combinations[envelope.name] = sum_by_combination(
                known, {number: counts}
            )
    totals: Counter[str] = Counter()
    for at, outcomes in outcomes_by_epoch(snapshot, survey).items():
        if includes_epoch(epoch, at):
            totals += outcomes
    tally.intake = Intake(totals)
    store = store_id(snapshot)
    if store is not None:
        tally.identity = Identity.of_store(store, map(_interval, epochs))
    return tally


def store_id(snapshot: Scanned) -> bytes | None:
    """Return the id of the store; None if no service has opened it since it has one."""
    return min((record.content for record in _sound(snapshot, "store")), default=None)


def _interval(epoch: Epoch) -> tuple[int, int]:
    """From when to when, in seconds since 1970; what has no epochs is of all times."""
    if not epoch.length:
        return 0, EVER_ENDS
    return epoch.start, epoch.start + epoch.length


def history(snapshot: Scanned, envelope: Envelope) -> Iterator[tuple[Epoch, Counts]]:
    """The counts of a question or group in each epoch, in the order of time."""
    present: Epoch | None = None
    counts = empty_counts_of(envelope)
    for record in _sound(snapshot, "tally", envelope.fingerprint):
        _, epoch, _, part = read_tally_key(record.key)
        if present is not None and present != epoch:
            yield present, counts
            counts = empty_counts_of(envelope)
        present = epoch
        # A record holds one part of the flattened array: (PART,), the last one shorter.
        cells = slice(part * PART, (part + 1) * PART)
        counts.reshape(-1)[cells] += np.frombuffer(record.content, dtype="<i8")
    if present is not None:
        yield present, counts


def by_combination(
    snapshot: Scanned, envelope: Envelope, epoch: Epoch | EpochRange | None = None
) -> dict[tuple[Epoch, int], Counts]:
    """The counts of a question or group by epoch and combination of attributes.

    Of one epoch, of some or of all.
    """
    counted: dict[tuple[Epoch, int], Counts] = {}
    if not envelope.attributes:
        return counted
    for record in _sound(snapshot, "tally", envelope.fingerprint[:PREFIX]):
        fingerprint, at, _, part = read_tally_key(record.key)
        number = combination_in(fingerprint, envelope)
        if number is None or not includes_epoch(epoch, at):
            continue
        counts = counted.setdefault((at, number), empty_counts_of(envelope))
        cells = slice(part * PART, (part + 1) * PART)
        counts.reshape(-1)[cells] += np.frombuffer(record.content, dtype="<i8")
    return counted


def least_groups(snapshot: Scanned, fingerprint: bytes) -> Least | None:
    """The reports that groups of a question need; None where no service has noted
    that.
    """
    noted = [
        read_least(record.content) for record in _sound(snapshot, "least", fingerprint)
    ]
    return max(noted, default=None)


def outcomes_by_question(snapshot: Scanned) -> Outcomes:
    """How many batches had which outcome, by question or group and epoch.

    Batches of no known question stand under a fingerprint of zeros.
    """
    outcomes: Outcomes = {}
    for record in _sound(snapshot, "intake"):
        fingerprint, epoch, _ = read_intake_key(record.key)
        outcomes.setdefault((fingerprint, epoch), Counter()).update(
            read_outcomes(record.content)
        )
    return outcomes


def outcomes_by_epoch(snapshot: Scanned, survey: Survey) -> dict[Epoch, Counter[str]]:
    """How many batches of a survey's questions had which outcome, in the order of
    time.
    """
    fingerprints = {envelope.fingerprint for envelope in survey.envelopes}
    by_epoch: dict[Epoch, Counter[str]] = {}
    for (fingerprint, epoch), outcomes in outcomes_by_question(snapshot).items():
        if fingerprint in fingerprints:
            by_epoch.setdefault(epoch, Counter()).update(outcomes)
    return dict(sorted(by_epoch.items()))


def accepted_by_epoch(
    snapshot: Scanned, names: Mapping[bytes, str]
) -> dict[Epoch, Counter[str]]:
    """How many batches were counted under each name, by epoch; `names` are by
    fingerprint.
    """
    by_epoch: dict[Epoch, Counter[str]] = {}
    for (fingerprint, epoch), outcomes in outcomes_by_question(snapshot).items():
        if fingerprint in names:
            by_epoch.setdefault(epoch, Counter())[names[fingerprint]] += outcomes[
                ACCEPTED
            ]
    return dict(sorted(by_epoch.items()))


def outcomes_in_all(snapshot: Scanned) -> Counter[str]:
    """How many batches had which outcome."""
    return sum(outcomes_by_question(snapshot).values(), Counter())


def count_received(snapshot: Scanned) -> int:
    """Batches received, by all shards; counted apart from what became of them."""
    return sum(
        read_root(record.content).received for record in _sound(snapshot, "root")
    )


def commits(snapshot: Scanned) -> int:
    """Commits so far, by all shards.

    Whatever was read at one number is the same at the next reading of it.
    """
    return sum(read_root(record.content).commits for record in _sound(snapshot, "root"))


def sent_on(snapshot: Scanned, day: int) -> Counter[str]:
    """Reports that were accepted on a day, by the token's name, over all shards."""
    reports: Counter[str] = Counter()
    for record in _sound(snapshot, "sent", day.to_bytes(4, "big")):
        reports[record.key[4:-3].decode()] += int.from_bytes(record.content, "big")
    return reports


def mixed_batches(
    snapshot: Scanned, survey: Survey, epoch: Epoch | EpochRange | None = None
) -> list[MixedBatch]:
    """The batches that relays had mixed, of all epochs or some, in the order of
    time.
    """
    batches: list[MixedBatch] = []
    for envelope in survey.envelopes:
        parts: dict[tuple[Epoch, bytes], list[MixedPart]] = {}
        for record in _sound(snapshot, "mixed", envelope.fingerprint):
            _, at, batch = read_mixed_key(record.key)
            if includes_epoch(epoch, at):
                parts.setdefault((at, batch), []).append(read_part(record.content))
        batches += [
            join_parts(envelope.name, those, at.number if at.length else None)
            for (at, _), those in parts.items()
        ]
    return batches


def marks(snapshot: Scanned) -> dict[str, bytes]:
    """How far each source has been read, by the shard that read furthest.

    Places compare like numbers.
    """
    furthest: dict[str, bytes] = {}
    for record in _sound(snapshot, "mark"):
        source = record.key[:-2].decode()
        furthest[source] = max(record.content, furthest.get(source, b""))
    return furthest


def _sound(snapshot: Scanned, kind: str, prefix: bytes = b"") -> Iterator[Record]:
    for record in snapshot.scan(kind, prefix):
        if not record.sound:
            raise StoreDamagedError(
                f"expected sound records, got one of kind {kind} with damage; run ldp "
                "store doctor"
            )
        yield record
