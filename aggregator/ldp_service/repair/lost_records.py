"""Records that are broken, outcomes of which nothing is known, commits that are
missing.
"""

from __future__ import annotations

from collections import Counter

from ldp_service.counting.submissions import QUARANTINED
from ldp_service.repair.diagnosis import LOST, Diagnosis, many
from ldp_service.store.records import EVER, NO_QUESTION, intake_key, pack_outcomes, seal

_MEANINGS = {
    "root": "it says how many records there should be",
    "store": "what tells the store from others; the service gives it another id, and "
    "tallies that were downloaded before are not known to be of it any more",
    "survey": "the service writes it anew when it serves the survey; ldp store doctor "
    "--survey FILE does so too",
    "least": "how many reports groups need; the service writes it anew, as the surveys "
    "that it serves say, and may show groups that it did not show before",
    "ended": (
        "that a survey was closed; it takes reports again until ldp store close-survey"
    ),
    "tally": "a part of a tally",
    "shown": (
        "what may be looked at of a tally; it is shown anew, with what has come since"
    ),
    "intake": "what became of batches",
    "ids": "what the ids of an epoch add up to",
    "closed": "which epochs are closed",
    "seen": (
        "in which epoch the clock was last; it is written anew, when the service has a "
        "look"
    ),
    "sent": (
        "how many reports a token has sent on a day; from now on it may send as many "
        "again"
    ),
    "mark": "how far a source was read; it is read again from its beginning, and its "
    "batches are known by their ids",
    "kept": "a batch that was kept whole; it was counted, but cannot be decoded anew",
    "mixed": "how many reports a relay had mixed; they were counted, but what that was "
    "worth is not known",
    "aside": "a batch of a question that is not known; it cannot be counted any more",
}
_SINGLE = ("survey", "ended", "mark", "kept", "aside", "mixed")
"""Kinds whose records are missed by nothing else."""
_RENEWED = ("store", "least", "seen", "sent")
"""Kinds that are written anew, of which no estimate depends."""


def look_at_records(diagnosis: Diagnosis) -> None:
    """Name what is broken, and what one bit changed."""
    census = diagnosis.census
    for record in census.mended.values():
        diagnosis.note(
            (
                f"one bit has changed in a record of kind {record.kind} "
                f"({_MEANINGS[record.kind]})"
            ),
            "it is put back; the checksum says which",
        )
    for record in census.broken:
        meaning = _MEANINGS.get(record.kind, "no kind that there is")
        lost = record.kind in _SINGLE
        is_renewed = record.kind in _RENEWED
        diagnosis.note(
            f"a record of kind {record.kind!r} does not fit its checksum ({meaning})",
            "it is left out"
            + ("" if lost or is_renewed else ", which is dealt with below"),
            lost=lost,
        )
    diagnosis.put += census.given
    for _ in census.given:
        diagnosis.note(
            "the file of a survey is missing",
            "it is written anew, as given by --survey",
        )
    for shard in census.torn if census.suspects is None else ():
        has, _ = census.sums[shard]
        root = census.roots.get(shard)
        should = "nothing says how many it should have"
        if root is not None:
            should = f"it should have {root.records:,}, or others"
        diagnosis.note(
            f"shard {shard} has {many(has, 'sound record')}; {should}",
            (
                "no one knows what was in those that are missing: what may be "
                "incomplete is set aside"
            ),
            lost=True,
        )


def look_at_outcomes(diagnosis: Diagnosis) -> None:
    """Say of batches of which nothing is known that they are lost."""
    census = diagnosis.census
    for shard, root in census.roots.items():
        accounted = sum(
            counter.total()
            for (_, _, of), counter in census.outcomes.items()
            if of == shard
        )
        place = NO_QUESTION, EVER, shard
        outcomes = Counter(census.outcomes.get(place, {}))
        without_outcome = max(0, root.received - accounted)
        not_aside = max(0, outcomes[QUARANTINED] - census.aside[shard])
        missing = without_outcome + not_aside
        if not missing:
            continue
        outcomes[LOST] += missing
        outcomes[QUARANTINED] -= not_aside
        diagnosis.put.append(
            seal("intake", intake_key(*place), pack_outcomes(outcomes))
        )
        diagnosis.note(
            f"nothing is known any more of {many(missing, 'batch', 'batches')} that "
            f"shard {shard} received",
            f"they are counted as {LOST}; estimates stay as they are",
            lost=True,
        )


def look_at_commits(diagnosis: Diagnosis, acknowledged: int | None) -> None:
    """Say how many commits are missing of those that were acknowledged."""
    commits = max((root.commits for root in diagnosis.census.roots.values()), default=0)
    if acknowledged is not None and acknowledged > commits:
        diagnosis.note(
            f"{acknowledged:,} commits were acknowledged, {commits:,} are there: the "
            "end of the log is gone",
            f"what the last {acknowledged - commits:,} took in is gone with its ids; "
            "the rest is as it was",
            lost=True,
        )
