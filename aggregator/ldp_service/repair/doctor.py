"""Examining any store, and repairing one in SQLite.

Rules
- Examining changes nothing, and may be done while a service writes. Repairing takes the
  lock of a service.
- A repair writes what is sound, and what `Diagnosis` found a remedy for, into a new
  file, checks that as a service does, and only then puts it in the place of the damaged
  one, which is kept beside it, with its log and its witness.
- Whatever happens in between, the next look finds the damaged store or the new one, or
  that commits are missing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ldp_aggregator.output.files import hand_over, sync_folder
from ldp_service.repair.census import Census, StoredRecords
from ldp_service.repair.diagnosis import Diagnosis, Trouble
from ldp_service.repair.header import changed_places, with_sound_header
from ldp_service.repair.lost_ids import look_at_ids
from ldp_service.repair.lost_records import (
    look_at_commits,
    look_at_outcomes,
    look_at_records,
)
from ldp_service.repair.lost_tallies import look_at_tallies
from ldp_service.repair.salvage import salvaging
from ldp_service.store.errors import StoreDamagedError, StoreError
from ldp_service.store.opening import file_of, open_snapshot
from ldp_service.store.records import (
    KINDS,
    Record,
    Root,
    read_outcomes,
    seal,
    shard_key,
    shard_of,
)
from ldp_service.store.sqlite import ROWS, SQLiteStore, reading
from ldp_service.store.store import Snapshot, Store
from ldp_service.store.verification import check
from ldp_service.store.witness import WITNESS, Witness, noted_commits

_ENDINGS = ("", "-wal", WITNESS)
_WITNESS_DAMAGED = Trouble(
    "the number of commits that were acknowledged is damaged: it cannot be seen "
    "whether the last of them are missing",
    "it is written anew, from what is there",
)
_WITNESS_MISSING = Trouble(
    "the number of commits that were acknowledged is not there, as in a copy of the "
    "database file alone: it cannot be seen whether the last of them are missing",
    "it is written anew, from what is there",
)


class Examination(NamedTuple):
    """Findings; and after a repair, the place of the damaged store."""

    troubles: tuple[Trouble, ...]
    kept_as: Path | None = None

    @property
    def lost(self) -> bool:
        """Whether something cannot be brought back."""
        return any(trouble.lost for trouble in self.troubles)

    def text(self) -> str:
        """In plain words."""
        if not self.troubles:
            return "sound: every checksum fits, nothing is missing, and all sums add up"
        lines = []
        for number, trouble in enumerate(self.troubles, 1):
            cost = "loss" if trouble.lost else "no loss"
            lines += [f"{number}. {trouble.problem}", f"   {cost}: {trouble.remedy}"]
        if self.kept_as is None:
            verdict = "with loss" if self.lost else "without loss"
            lines.append(
                f"damaged; ldp store doctor --repair repairs it {verdict}, as said "
                "above, and keeps what is there now"
            )
        else:
            verdict = "with loss, as said above" if self.lost else "without loss"
            lines.append(
                f"repaired {verdict}; the damaged store is kept as {self.kept_as}"
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "sound": not self.troubles,
            "repaired": self.kept_as is not None,
            "lost": self.lost,
            "kept_as": None if self.kept_as is None else str(self.kept_as),
            "troubles": [trouble._asdict() for trouble in self.troubles],
        }


def examine(url: str, surveys: Mapping[bytes, str]) -> Examination:
    """Examine a store; `surveys` are files by fingerprint, should it lack them.

    Raises `StoreError`.
    """
    if file_of(url) is None:
        with open_snapshot(url) as snapshot:
            evidence = _Readable(snapshot)
            return Examination(tuple(_diagnose(evidence, surveys, None).troubles))
    path = _file(url)
    commits, witness = _read_witness(path)
    with with_sound_header(path) as readable, salvaging(readable) as salvage:
        diagnosis = _diagnose(salvage, surveys, commits)
    return Examination(_all(diagnosis, path, commits, witness=witness))


def repair(url: str, surveys: Mapping[bytes, str]) -> Examination:
    """Examine a store and repair all of it.

    Raises `StoreError` if that fails, or if a service has the store.
    """
    path = _file(url)
    fresh = path.with_name(f"{path.name}.repairing")
    with closing(Witness(path)) as witness:
        commits, noted = _read_witness(path)
        try:
            with with_sound_header(path) as readable, salvaging(readable) as evidence:
                diagnosis = _diagnose(evidence, surveys, commits)
                troubles = _all(diagnosis, path, commits, witness=noted)
                if not troubles:
                    return Examination(())
                _remove(fresh)
                commits = _rebuild(
                    fresh, evidence, diagnosis, acknowledged=commits or 0
                )
            hand_over(fresh, path.stat())
            copy = _keep(path)
            for ending in ("-wal", "-shm"):
                Path(f"{path}{ending}").unlink(missing_ok=True)
            fresh.replace(path)
            sync_folder(path.parent)
            witness.write(commits)
        except OSError as error:
            raise StoreError(
                f"expected to write files beside {path}, got {error.strerror}; repair "
                "it again"
            ) from None
        finally:
            _remove(fresh)
    return Examination(troubles, copy)


def _diagnose(
    evidence: StoredRecords, surveys: Mapping[bytes, str], commits: int | None
) -> Diagnosis:
    """The diagnosis of a store of which that many commits are known to have been
    acknowledged.
    """
    diagnosis = Diagnosis(Census.of(evidence, surveys))
    look_at_records(diagnosis)
    look_at_tallies(diagnosis, evidence)
    look_at_outcomes(diagnosis)
    look_at_ids(diagnosis, evidence)
    look_at_commits(diagnosis, commits)
    for line in evidence.complaints():
        diagnosis.note(
            f"the structure of the database: {line}",
            "every row is copied into a new file",
        )
    return diagnosis


class _Readable:
    """The evidence of a store whose database reads what it wrote."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.complaints = snapshot.complaints
        self.epochs = snapshot.epochs
        self.ids = snapshot.ids

    def records(self, kind: str | None = None) -> Iterator[Record]:
        """Yield the records of known kinds."""
        kinds = (kind,) if kind else KINDS
        for name in kinds:
            yield from self._snapshot.scan(name)


def _file(url: str) -> Path:
    path = file_of(url)
    if path is None:
        raise StoreError(
            "expected a store in SQLite to repair, got one in PostgreSQL: restore it "
            "from a backup of the database"
        )
    if not Path(path).exists():
        raise StoreError(f"expected a store at {path}, found no such file")
    return Path(path).absolute()


def _read_witness(path: Path) -> tuple[int | None, Trouble | None]:
    """The commits that are known to have been acknowledged; what is wrong with who
    knows them.
    """
    try:
        commits = noted_commits(path)
    except StoreDamagedError:
        return None, _WITNESS_DAMAGED
    return commits, _WITNESS_MISSING if commits is None else None


def _all(
    diagnosis: Diagnosis, path: Path, commits: int | None, witness: Trouble | None
) -> tuple[Trouble, ...]:
    """Everything that is wrong, whatever keeps a service from opening the store among
    it.
    """
    troubles = diagnosis.troubles
    if witness is not None and diagnosis.census.roots:
        troubles = [witness, *troubles]
    if places := changed_places(path):
        problem = (
            f"the header of the file has changed, at byte {', '.join(map(str, places))}"
        )
        remedy = "it is put back: it is the same in every store"
        troubles = [Trouble(problem, remedy), *troubles]
    if troubles:
        return tuple(troubles)
    # Nothing was found by our own way through the file: then a service's has to be
    # clear as well.
    try:
        with reading(path) as snapshot:
            check(snapshot, commits)
    except StoreError as error:
        return (Trouble(str(error), "every row is copied into a new file"),)
    return ()


def _rebuild(
    path: Path, evidence: StoredRecords, diagnosis: Diagnosis, acknowledged: int
) -> int:
    """Write all that is sound and all that is changed into a new store, and check it.

    How many commits it has.
    """
    with closing(SQLiteStore(path)) as store:
        store.begin()
        sound = _sound(evidence, diagnosis.census)
        while records := list(islice(sound, ROWS)):
            store.put(records)
        for epoch in evidence.epochs():
            for ids in evidence.ids(epoch) if epoch not in diagnosis.forget else ():
                store.claim(epoch, [diagnosis.ids.get(id_, id_) for id_ in ids])
        for kind, key in diagnosis.drop:
            store.drop(kind, [key])
        for epoch in diagnosis.forget:
            store.drop(
                "ids", [record.key for record in list(store.scan("ids", epoch.key))]
            )
        store.put(diagnosis.put)
        roots = list(_roots(store, diagnosis.census, acknowledged))
        store.put(seal("root", shard_key(shard), root.pack()) for shard, root in roots)
        store.commit()
        commits = max((root.commits for _, root in roots), default=0)
        store.acknowledge(commits)
        with store.snapshot() as snapshot:
            check(snapshot, commits)
    return commits


def _sound(evidence: StoredRecords, census: Census) -> Iterator[Record]:
    for raw in evidence.records():
        record = census.mended.get(raw, raw)
        if record.sound and record.kind != "root":
            yield record


def _roots(
    store: Store, census: Census, acknowledged: int
) -> Iterator[tuple[int, Root]]:
    """A root for each shard that has records, or had a root."""
    roots = {
        shard: Root(max(root.commits, acknowledged) + 1)
        for shard, root in census.roots.items()
    }
    for kind in KINDS:
        for record in store.scan(kind):
            shard = shard_of(record)
            root = roots.get(shard, Root(acknowledged + 1))
            batches = 0
            if kind == "intake":
                batches = read_outcomes(record.content).total()
            roots[shard] = root._replace(
                records=root.records + 1,
                digest=root.digest ^ record.checksum,
                received=root.received + batches,
            )
    return iter(sorted(roots.items()))


def _keep(path: Path) -> Path:
    """Copy the damaged store with all that belongs to it, under a name that says
    when.
    """
    place = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    for ending in _ENDINGS:
        source = Path(f"{path}{ending}")
        if source.exists():
            with Path(shutil.copy2(source, f"{place}{ending}")).open("rb") as copy:
                os.fsync(copy.fileno())
    sync_folder(path.parent)
    return place


def _remove(path: Path) -> None:
    for ending in (*_ENDINGS, "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
