"""Ids that are missing, or are others than were claimed.

And epochs that were closed without a note of it.
"""

from __future__ import annotations

from ldp_service.repair.census import StoredRecords
from ldp_service.repair.diagnosis import Diagnosis, when
from ldp_service.repair.mending import mended_id
from ldp_service.store.records import EVER, TOKENS, Epoch, IdSum, seal, shard_key

_IDS_LOST = (
    "those that are there go on being known; a batch whose id is lost is counted twice "
    "if it is sent again, as a survey without epochs takes batches for ever"
)
_TOKENS_LOST = (
    "those that are there stay spent; one of which nothing is left can be used again"
)


def look_at_ids(diagnosis: Diagnosis, evidence: StoredRecords) -> None:
    """Put back what one bit changed, and close epochs whose ids are not all there."""
    census = diagnosis.census
    tables = evidence.epochs()
    counted_in = {epoch for _, epoch, _ in census.parts} - {EVER}
    for epoch in sorted(counted_in - set(tables) - census.claimed.keys()):
        if epoch.number > census.closed.get(epoch.length, -1):
            diagnosis.note(
                f"{when(epoch)} was closed, and is not noted as closed",
                "it is closed again",
            )
            diagnosis.close(epoch)
    for epoch in sorted({*tables, *census.claimed}):
        if epoch in diagnosis.forget:
            continue
        there = IdSum()
        for ids in evidence.ids(epoch) if epoch in tables else ():
            there = there.plus(ids)
        over = epoch.number <= census.closed.get(epoch.length, -1)
        claimed = IdSum()
        for of_shard in () if over else census.claimed.get(epoch, {}).values():
            claimed = claimed.join(of_shard)
        if there == claimed:
            continue
        if over:
            diagnosis.note(
                f"ids of {when(epoch)} are there, which is closed", "they are forgotten"
            )
            diagnosis.forget.add(epoch)
        elif there.ids == claimed.ids and (
            change := mended_id(_all_ids(evidence, epoch), claimed)
        ):
            diagnosis.ids |= [change]
            diagnosis.note(
                f"one bit has changed in an id of {when(epoch)}",
                "it is put back; their sums say which",
            )
        else:
            _without_ids(diagnosis, epoch, claimed, there=there)


def _without_ids(
    diagnosis: Diagnosis, epoch: Epoch, claimed: IdSum, there: IdSum
) -> None:
    problem = (
        f"{when(epoch)} should have {claimed.ids:,} ids, and has {there.ids:,}, or "
        "others"
    )
    if epoch not in diagnosis.census.claimed:
        problem = (
            f"nothing says how many ids {when(epoch)} should have; it has {there.ids:,}"
        )
    if not epoch.length:
        shard, *others = sorted(diagnosis.census.claimed.get(epoch, {0: there}))
        diagnosis.drop += [("ids", epoch.key + shard_key(other)) for other in others]
        diagnosis.put.append(seal("ids", epoch.key + shard_key(shard), there.pack()))
        diagnosis.note(
            problem,
            _TOKENS_LOST if epoch == TOKENS else _IDS_LOST,
            lost=True,
        )
        return
    diagnosis.close(epoch)
    diagnosis.note(
        problem,
        "the epoch is closed, with all before it: what was counted stays, and nothing "
        "is counted twice; batches of it that still come are refused as late",
        lost=True,
    )


def _all_ids(evidence: StoredRecords, epoch: Epoch) -> list[bytes]:
    return [id_ for ids in evidence.ids(epoch) for id_ in ids]
