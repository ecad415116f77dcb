"""A census of a damaged store: which records are sound, and what else those say there
should be.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from ldp.errors import LDPError
from ldp.survey.survey import FINGERPRINT_SIZE, Envelope, Group, Survey
from ldp.survey.survey_file import parse_survey
from ldp_aggregator.tallies.counting.joint_counting import empty_counts_of
from ldp_service.repair.mending import mend
from ldp_service.store.combinations import KnownQuestions
from ldp_service.store.records import (
    KINDS,
    PART,
    TALLY,
    Epoch,
    IdSum,
    Record,
    Root,
    read_id_sum,
    read_intake_key,
    read_outcomes,
    read_root,
    read_tally_key,
    seal,
    shard_key,
    shard_of,
)

Statistic = tuple[bytes, Epoch, int]
"""A question or group, an epoch, a shard."""


class StoredRecords(Protocol):
    """Records that can be read of a store, whether or not it is sound."""

    def complaints(self) -> list[str]:
        """Return the complaints of the database about itself."""

    def records(self, kind: str | None = None) -> Iterator[Record]:
        """All records, or those of a kind, as they are."""

    def epochs(self) -> list[Epoch]:
        """Return the epochs that have ids."""

    def ids(self, epoch: Epoch) -> Iterator[list[bytes]]:
        """The ids of an epoch."""


@dataclass
class Census:
    """Contents of sound records, those among them that were mended.

    And which records are broken for good.
    """

    roots: dict[int, Root] = field(default_factory=dict)
    sums: dict[int, tuple[int, int]] = field(
        default_factory=lambda: defaultdict(lambda: (0, 0))
    )
    parts: dict[Statistic, set[int]] = field(default_factory=lambda: defaultdict(set))
    outcomes: dict[Statistic, Counter[str]] = field(default_factory=dict)
    claimed: dict[Epoch, dict[int, IdSum]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    closed: dict[int, int] = field(default_factory=dict)
    aside: Counter[int] = field(default_factory=Counter)
    surveys: dict[bytes, Survey] = field(default_factory=dict)
    mended: dict[Record, Record] = field(default_factory=dict)
    broken: list[Record] = field(default_factory=list)
    given: list[Record] = field(default_factory=list)
    """Survey files that were not there."""

    @classmethod
    def of(cls, evidence: StoredRecords, surveys: Mapping[bytes, str]) -> Census:
        """The census of a store.

        `surveys` are files by fingerprint, for those that it should have and has not.
        """
        census = cls()
        for record in evidence.records():
            whole = record if record.sound else mend(record)
            if whole is None:
                census.broken.append(record)
                continue
            if whole is not record:
                census.mended[record] = whole
            census._take(whole)
        census.given = [
            seal("survey", fingerprint + shard_key(shard), source.encode())
            for fingerprint, source in surveys.items()
            for shard in census.torn
            if fingerprint not in census.surveys
        ]
        for record in census.given:
            census._take(record)
        return census

    @property
    def torn(self) -> list[int]:
        """The shards that lack records, or have others than their roots say."""
        return [
            shard
            for shard in sorted(self.roots.keys() | self.sums.keys())
            if shard not in self.roots
            or self.sums[shard] != (self.roots[shard].records, self.roots[shard].digest)
        ]

    @property
    def suspects(self) -> set[bytes] | None:
        """The questions and groups whose tallies may lack a part; None if that may be
        any.

        Where as many records are broken as are missing, they are those. What kind and
        question a broken one is of is believed if it makes sense, as no damage turns
        one fingerprint into another by chance. Nothing else of it is.
        """
        missing = sum(
            root.records - self.sums[shard][0] for shard, root in self.roots.items()
        )
        if self.sums.keys() - self.roots.keys() or missing != len(self.broken):
            return None
        if not all(record.kind in KINDS for record in self.broken):
            return None
        tallies = {
            record.key[:FINGERPRINT_SIZE]
            for record in self.broken
            if record.kind == TALLY
        }
        known = KnownQuestions.of(self.tally_parts)
        if all(known.get(name) is not None for name in tallies):
            return tallies
        return None

    @property
    def envelopes(self) -> dict[bytes, Envelope]:
        """Envelopes of the reports, in the surveys that are known."""
        return {
            envelope.fingerprint: envelope
            for survey in self.surveys.values()
            for envelope in survey.envelopes
        }

    @property
    def tally_parts(self) -> dict[bytes, Envelope]:
        """All that is counted by itself."""
        return {
            envelope.fingerprint: envelope
            for survey in self.surveys.values()
            for envelope in survey.tally_parts
        }

    def complete(self, statistic: Statistic) -> bool:
        """Whether all parts of a tally are there, those that may be zero included."""
        envelope = self.tally_parts.get(statistic[0])
        if envelope is None or envelope.attributes:
            # Which combinations there were is not known.
            return False
        return len(self.parts.get(statistic, ())) == -(
            -empty_counts_of(envelope).size // PART
        )

    def shares_batches_with(self, fingerprints: Iterable[bytes]) -> set[bytes]:
        """All that shares batches with one of these, or with another that does so."""
        reached = set(fingerprints)
        together = [
            self.with_combinations(statistics_of(own))
            for own in self.envelopes.values()
        ]
        while True:
            touched = [statistics for statistics in together if statistics & reached]
            more = set().union(*touched) - reached
            if not more:
                return reached
            reached |= more

    def with_combinations(self, fingerprints: Iterable[bytes]) -> set[bytes]:
        """Questions and groups, and the combinations of theirs that were counted."""
        own = set(fingerprints)
        return own.union(*(self._combinations.get(name, ()) for name in own))

    def is_part(self, fingerprint: bytes) -> bool:
        """Whether it is that of a combination."""
        return any(fingerprint in parts for parts in self._combinations.values())

    @cached_property
    def _combinations(self) -> dict[bytes, set[bytes]]:
        """Return the counted combinations, by the question or group."""
        known = KnownQuestions.of(self.tally_parts)
        combinations: dict[bytes, set[bytes]] = defaultdict(set)
        for name, _, _ in self.parts:
            envelope = known.get(name)
            if envelope is not None and name != envelope.fingerprint:
                combinations[envelope.fingerprint].add(name)
        return combinations

    def _take(self, record: Record) -> None:
        shard = shard_of(record)
        key = record.key
        if record.kind == "root":
            self.roots[shard] = read_root(record.content)
            return
        records, digest = self.sums[shard]
        self.sums[shard] = records + 1, digest ^ record.checksum
        if record.kind == TALLY:
            fingerprint, epoch, _, part = read_tally_key(key)
            self.parts[fingerprint, epoch, shard].add(part)
        elif record.kind == "intake":
            self.outcomes[read_intake_key(key)] = read_outcomes(record.content)
        elif record.kind == "ids":
            self.claimed[Epoch.read(key)][shard] = read_id_sum(record.content)
        elif record.kind == "closed":
            length = int.from_bytes(key[:4], "big")
            number = int.from_bytes(record.content, "big")
            self.closed[length] = max(number, self.closed.get(length, -1))
        elif record.kind == "aside":
            self.aside[shard] += 1
        elif record.kind == "survey":
            # Of a later version, perhaps: then its questions are not known.
            with suppress(LDPError):
                survey = parse_survey(record.content, largest=len(record.content))
                self.surveys[key[:FINGERPRINT_SIZE]] = survey


def statistics_of(envelope: Envelope) -> set[bytes]:
    """The fingerprints of all that a batch counts for."""
    members = {member.fingerprint for member in envelope.members}
    if isinstance(envelope, Group):
        return members | {envelope.fingerprint}
    return members
