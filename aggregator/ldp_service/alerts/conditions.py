"""Alarm conditions on observations: kinds, thresholds and words.

    kind         begins when
    not-ready    uploads have been refused for a minute, or the token file cannot be
                 read (`/readyz` says why)
    clock        the clock has jumped: nothing is closed until it is confirmed
    disk         less than 1 GB is left for the store, where its disk is known
    drop         far fewer batches come than usual (`volume_drop`)
    late         more than 5 % of an hour's batches are late, of 20 or more
    early        more than 1 % of them are early: this clock is behind
    rejected     more than 5 % of them are refused for another reason
    tokens       more than 5 % of an hour's uploads (to this process, 20 or more) had no
                 good one
    noise        reports that are shown do not look as their mechanism draws them, at
                 1e-6

These are the thresholds of the rules for Prometheus (`operating/files/rules.yaml`).
What does not last but happens is an event: an epoch that closes, tokens that are
changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

NOT_READY, CLOCK, DISK, DROP = "not-ready", "clock", "disk", "drop"
LATE, EARLY, REJECTED = "late", "early", "rejected"
TOKENS, NOISE = "tokens", "noise"
EPOCH, CHANGED = "epoch", "tokens-changed"
KINDS = (NOT_READY, CLOCK, DISK, DROP, LATE, EARLY, REJECTED, TOKENS, NOISE)

LEAST_ROOM = 1_000_000_000
LEAST_BATCHES = 20
SHARES = {LATE: 0.05, EARLY: 0.01, REJECTED: 0.05}
WRONG_SHARE = 0.05
UNLIKELY = 1e-6
_COUNTED = ("accepted", "duplicate", "quarantined")
_WORDS = {
    LATE: (
        "epochs closed before they came: this clock was ahead, or the grace is too "
        "short"
    ),
    EARLY: "this clock is behind",
    REJECTED: "the metrics and the page say for which reasons",
}


class Condition(NamedTuple):
    """Something that is wrong now, or has happened."""

    kind: str
    subject: str
    words: str


class Observation(NamedTuple):
    """State of a service at a time.

    Outcomes of batches, and statuses of uploads, are those of the last hour. `noise`
    are checks of reports that failed.
    """

    trouble: str | None = None
    clock: str | None = None
    room: int | None = None
    outcomes: Mapping[str, int] = {}
    uploads: Mapping[int, int] = {}
    drop: str | None = None
    noise: tuple[Condition, ...] = ()
    closed: Mapping[int, int] = {}
    tokens: tuple[str, ...] = ()


def conditions(seen: Observation) -> Iterator[Condition]:
    """All that is wrong."""
    if seen.trouble is not None:
        yield Condition(NOT_READY, "", f"not ready for uploads: {seen.trouble}")
    if seen.clock is not None:
        yield Condition(CLOCK, "", seen.clock)
    if seen.room is not None and seen.room < LEAST_ROOM:
        yield Condition(
            DISK, "", f"{seen.room / 1e6:,.0f} MB are left on the store's disk"
        )
    if seen.drop is not None:
        yield Condition(DROP, "", seen.drop)
    yield from _shares(seen.outcomes)
    answered = sum(seen.uploads.values())
    wrong = seen.uploads.get(401, 0) + seen.uploads.get(403, 0)
    if answered >= LEAST_BATCHES and wrong > WRONG_SHARE * answered:
        words = f"{wrong:,} of {answered:,} uploads in an hour showed no good token"
        yield Condition(TOKENS, "", words)
    yield from seen.noise


def events(before: Observation, seen: Observation) -> Iterator[Condition]:
    """All that has happened between two observations."""
    for length, number in sorted(seen.closed.items()):
        if number > before.closed.get(length, number):
            end = datetime.fromtimestamp(length * (number + 1), UTC)
            words = f"epochs that ended by {end:%Y-%m-%d %H:%M} UTC are closed"
            yield Condition(EPOCH, f"epochs of {length:,} s", words)
    added = sorted(set(seen.tokens) - set(before.tokens))
    removed = sorted(set(before.tokens) - set(seen.tokens))
    parts = []
    if added:
        parts = [f"{', '.join(added)} added"]
    parts += [f"{', '.join(removed)} removed"] if removed else []
    if parts:
        yield Condition(CHANGED, "", f"tokens: {'; '.join(parts)}")


def _shares(outcomes: Mapping[str, int]) -> Iterator[Condition]:
    total = sum(outcomes.values())
    if total < LEAST_BATCHES:
        return
    late, early = outcomes.get(LATE, 0), outcomes.get(EARLY, 0)
    others = total - late - early - sum(outcomes.get(name, 0) for name in _COUNTED)
    for kind, batches in ((LATE, late), (EARLY, early), (REJECTED, others)):
        if batches > SHARES[kind] * total:
            words = (
                f"{batches:,} of {total:,} batches in an hour were {kind}: "
                f"{_WORDS[kind]}"
            )
            yield Condition(kind, "", words)
