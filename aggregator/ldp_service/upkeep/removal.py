"""Forgetting a survey: all that a store has of it, whichever process wrote it.

What goes are its files, tallies, what is shown of them, what became of its batches,
batches that were kept whole, and what relays mixed. What stays are the ids of its
batches, until their epoch closes: they are of no question, and keep a batch that is
sent again from being counted. A question that a survey which stays has as well, under
one fingerprint, stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from ldp.survey.survey import FINGERPRINT_SIZE, Survey
from ldp.survey.survey_file import parse_survey
from ldp_service.counting.books import Books
from ldp_service.counting.turn import begin
from ldp_service.store.combinations import PREFIX
from ldp_service.store.errors import StoreError
from ldp_service.store.opening import open_store
from ldp_service.store.records import (
    SHOWN,
    TALLY,
    Record,
    read_intake_key,
    read_kept_key,
    read_outcomes,
    shard_of,
)
from ldp_service.store.store import Store


def remove_survey(url: str, name: str) -> tuple[int, int]:
    """Forget all versions of the survey; how many records, and batches, that were.

    Raises `StoreError` if it is not there, or if a process writes to the store.
    """
    with closing(open_store(url)) as store:
        going, staying = surveys_in(store, name)
        goes = _fingerprints(going) - _fingerprints(staying)
        records = batches = 0
        for shard in sorted({shard_of(record) for record in store.scan("root")}):
            with store.standing_in(shard) as free:
                if not free:
                    raise StoreError(
                        "expected no process that writes to the store, found one; stop "
                        "the service"
                    )
                own = [
                    record
                    for record in _of(store, going, goes)
                    if shard_of(record) == shard
                ]
                counted = _batches(own)
                with begin(Books(store, {}, sound=True)) as turn:
                    turn.drop(own)
                    turn.receive(-counted)
            records, batches = records + len(own), batches + counted
    return records, batches


def surveys_in(store: Store, name: str) -> tuple[list[Survey], list[Survey]]:
    """The versions of a survey, and all other surveys. Raises `StoreError` if it is not
    there.
    """
    surveys = [
        parse_survey(record.content, "a survey in the store", len(record.content))
        for record in store.scan("survey")
    ]
    going = [survey for survey in surveys if survey.name == name]
    if not going:
        names = ", ".join(sorted({survey.name for survey in surveys})) or "none"
        raise StoreError(
            f"expected the name of a survey in the store ({names}), got {name!r}"
        )
    return going, [survey for survey in surveys if survey.name != name]


def _fingerprints(surveys: list[Survey]) -> set[bytes]:
    return {
        envelope.fingerprint
        for survey in surveys
        for envelope in (*survey.tally_parts, *survey.envelopes)
    }


def _of(
    store: Store, surveys: list[Survey], fingerprints: set[bytes]
) -> Iterator[Record]:
    """The records of surveys, and of questions and groups with their combinations."""
    own = {survey.fingerprint for survey in surveys}
    prefixes = {fingerprint[:PREFIX] for fingerprint in fingerprints}
    for record in store.scan("survey"):
        if record.key[:FINGERPRINT_SIZE] in own:
            yield record
    for kind in (TALLY, SHOWN):
        yield from (
            record for record in store.scan(kind) if record.key[:PREFIX] in prefixes
        )
    for record in store.scan("intake"):
        if read_intake_key(record.key)[0] in fingerprints:
            yield record
    for kind in ("least", "ended", "mixed"):
        for record in store.scan(kind):
            if record.key[:FINGERPRINT_SIZE] in fingerprints:
                yield record
    for record in store.scan("kept"):
        if read_kept_key(record.key)[1] in fingerprints:
            yield record


def _batches(records: list[Record]) -> int:
    outcomes = [
        read_outcomes(record.content) for record in records if record.kind == "intake"
    ]
    return sum(counter.total() for counter in outcomes)
