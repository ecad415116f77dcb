"""Admission of batches to a turn.

    rejected      for a reason in `wire.REASONS`, of an epoch or a survey that is
                  closed, or of an epoch that has not begun, among them
    quarantined   sound, but of no question that is served: kept whole for a while, as
                  far as there is room, and counted when a survey is served that knows
                  it and asks for no invitations
    duplicate     its id was claimed before, in this turn or in any
    accepted      the rest: claimed and counted

A one-time token is spent in the turn that counts its batch, or not at all: what is kept
of it lies in a table of its own, which tells no order, and says nothing of the batch. A
batch that was counted before is a duplicate, whoever sends it.

Every batch has one outcome, so what was received is their sum. Outcomes are told by
question and epoch; those of a batch that says it is of some other time, by the epoch
that the collector's clock is in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

from ldp.errors import LDPError
from ldp.numbers.epochs import epoch_at, epoch_of
from ldp.wire.wire import (
    MOST_REPORTS,
    Batch,
    Damage,
    decode_batch,
    encode_batch,
    read_frames,
)
from ldp_aggregator.tallies.counting.joint_counting import count_parts
from ldp_aggregator.tallies.intake.screening import (
    UNKNOWN,
    Rejection,
    by_combination,
    rows_of,
    screen,
)
from ldp_aggregator.tallies.tally import ACCEPTED, DUPLICATE
from ldp_service.counting.permissions import Permissions
from ldp_service.counting.pieces import Piece
from ldp_service.counting.served import Catalogue
from ldp_service.counting.submissions import EARLY, QUARANTINED, Submission
from ldp_service.counting.turn import Turn
from ldp_service.store.combinations import of_combination
from ldp_service.store.records import DAY, EVER, TOKENS, Epoch, kept_key

SPENT = "token-spent"
AHEAD = 3600
"""Seconds by which the clock of a device may be ahead of the collector's."""


class Rules(NamedTuple):
    """Rules of a turn: records besides sums, and limits.

    Days for which batches are kept whole, if at all; days and bytes of batches that are
    put aside; the reports that a batch of an upload may have, those that the queue of a
    device can hold; closed epochs whose tallies are kept, all if it is 0; and surveys
    to which people are invited: nothing that was put aside is taken back for them, as
    no one knows who sent it.
    """

    kept_days: int = 0
    aside_days: int = 30
    aside_bytes: int = 64 << 20
    most_reports: int = 10_000
    kept_epochs: int = 0
    invited: frozenset[str] = frozenset()


Spends = Callable[[bytes], bytes]
"""The key under which a token is spent on a question."""
_Entry = tuple[bytes | Damage, Batch | Rejection, bool, Spends | None]
"""A payload, what it is, whether it is sent again if it is early, and how its token is
spent.
"""


class Admission:
    """Takes batches into turns, by the questions of a catalogue."""

    def __init__(self, catalogue: Catalogue, rules: Rules) -> None:
        self._catalogue = catalogue
        self._rules = rules

    def take(
        self, turn: Turn, bodies: Sequence[bytes], now: float
    ) -> list[tuple[str, ...]]:
        """Count the batches of bodies, each a sequence of frames; outcomes, body by
        body.
        """
        submissions = [Submission(body, None, lambda _: None) for body in bodies]
        pieces = [
            Piece(submission, read_frames(submission.body))
            for submission in submissions
        ]
        answers = self.take_pieces(turn, pieces, now)
        return [answer for answer in answers if isinstance(answer, tuple)]

    def take_pieces(
        self, turn: Turn, pieces: Sequence[Piece], now: float
    ) -> list[tuple[str, ...] | LDPError]:
        """Count the batches of pieces; outcomes, piece by piece, or why one is not
        taken.

        Early batches of a submission that waits for them are not counted as received.
        """
        payloads = [payload for piece in pieces for payload in piece.payloads]
        limits = [self._most(piece) for piece in pieces for _ in piece.payloads]
        items = screen(payloads, self._catalogue.envelopes, limits)
        answers: list[tuple[str, ...] | LDPError] = []
        taken: list[_Entry] = []
        spans: list[slice | None] = []
        permissions = Permissions(turn, self._catalogue, now)
        start = 0
        for submission, frames, _ in pieces:
            end = start + len(frames)
            refusal = permissions.refusal(submission.sender, items[start:end])
            answers.append(refusal or ())
            spans.append(
                None if refusal else slice(len(taken), len(taken) + len(frames))
            )
            if refusal is None:
                waits, spends = repeat(submission.waits), repeat(_spends(submission))
                taken += zip(
                    payloads[start:end], items[start:end], waits, spends, strict=False
                )
            start = end
        outcomes = self._outcomes(turn, taken, now)
        for place, span in enumerate(spans):
            if span is not None:
                answers[place] = tuple(outcomes[span])
                mixed = pieces[place].submission.mixed
                if mixed is not None and outcomes[span][:1] == [ACCEPTED]:
                    turn.write("mixed", *mixed)
                own = [item for _, item, _, _ in taken[span]]
                permissions.note(pieces[place].submission.sender, own, outcomes[span])
        permissions.count()
        early = 0
        if EARLY in outcomes:
            both = zip(taken, outcomes, strict=True)
            early = sum(
                waits and outcome == EARLY for (_, _, waits, _), outcome in both
            )
        turn.receive(len(taken) - early)
        return answers

    def _most(self, piece: Piece) -> int:
        """How many reports a batch may have: what sources bring is the operator's to
        judge.
        """
        sender = piece.submission.sender
        if sender is not None and sender.most_reports is not None:
            return sender.most_reports
        if piece.submission.waits:
            return self._rules.most_reports
        return MOST_REPORTS

    def release(self, turn: Turn, payloads: Sequence[bytes], now: float) -> None:
        """Take batches that were put aside. They have been received already."""
        turn.tell(None, EVER, QUARANTINED, batches=-len(payloads))
        items = screen(payloads, self._catalogue.envelopes)
        both = zip(payloads, items, strict=True)
        entries = [(payload, item, False, None) for payload, item in both]
        self._outcomes(turn, entries, now)

    def _outcomes(self, turn: Turn, entries: Sequence[_Entry], now: float) -> list[str]:
        """Return the outcome of each payload."""
        outcomes = [""] * len(entries)
        totals: Counter[tuple[bytes | None, Epoch, str]] = Counter()
        candidates: dict[Epoch, dict[bytes, tuple[int, Batch]]] = {}
        for place, (payload, item, waits, _) in enumerate(entries):
            if isinstance(item, Rejection):
                epoch = self._present(item.fingerprint, now)
                outcome = self._refuse(turn, item, payload, now=now)
            else:
                epoch, outcome = self._admit(turn, item, now)
                if not outcome:
                    # The first of an id may be new; what comes behind it in this turn
                    # is not.
                    by_id = candidates.setdefault(epoch, {})
                    if item.id not in by_id:
                        by_id[item.id] = place, item
                        continue
                    outcome = DUPLICATE
            outcomes[place] = outcome
            if waits and outcome == EARLY:
                continue
            totals[item.fingerprint, epoch, outcome] += 1
        spent = _spent(turn, entries, candidates)
        # In ascending order, as in every process, so that none waits in a circle.
        for epoch, by_id in sorted(candidates.items()):
            fresh = turn.claim(epoch, list(by_id))
            for id_, (place, _) in by_id.items():
                outcomes[place] = DUPLICATE
                if id_ in fresh:
                    outcomes[place] = SPENT if place in spent else ACCEPTED
            accepted = [
                batch for place, batch in by_id.values() if outcomes[place] == ACCEPTED
            ]
            totals.update(
                (b.fingerprint, epoch, outcomes[place]) for place, b in by_id.values()
            )
            self._count(turn, epoch, accepted, now=now)
        for (fingerprint, epoch, outcome), batches in totals.items():
            turn.tell(fingerprint, epoch, outcome, batches=batches)
        return outcomes

    def _count(
        self, turn: Turn, epoch: Epoch, batches: list[Batch], now: float
    ) -> None:
        for (fingerprint, combination), alike in by_combination(batches).items():
            envelope = self._catalogue.envelopes[fingerprint]
            for part, counts in count_parts(envelope, rows_of(alike, envelope.width)):
                turn.count(part.fingerprint, epoch, counts)
                if part.attributes:
                    turn.count(
                        of_combination(part.fingerprint, combination), epoch, counts
                    )
        if self._rules.kept_days:
            for batch in batches:
                payload = encode_batch(batch)
                turn.write(
                    "kept",
                    kept_key(int(now // DAY), batch.fingerprint, batch.id),
                    payload,
                )

    def _refuse(
        self, turn: Turn, refusal: Rejection, payload: bytes | Damage, now: float
    ) -> str:
        """The reason; or that the batch was put aside, or is there already."""
        if refusal.reason != UNKNOWN or not isinstance(payload, bytes):
            return refusal.reason
        if turn.aside + len(payload) > self._rules.aside_bytes:
            return UNKNOWN
        is_new = turn.put_aside(int(now // DAY), decode_batch(payload).id, payload)
        if is_new:
            return QUARANTINED
        return DUPLICATE

    def _admit(self, turn: Turn, batch: Batch, now: float) -> tuple[Epoch, str]:
        """The epoch of a batch, if it can be counted there; or the present one, and why
        not.
        """
        if turn.is_ended(batch.fingerprint):
            return self._present(batch.fingerprint, now), "late"
        length = self._catalogue.envelopes[batch.fingerprint].epoch
        if length is None:
            return EVER, ""
        number = epoch_of(batch.id)
        if number <= turn.epochs.last_closed(length):
            # A clock that went back may have closed the epoch by mistake: that can be
            # mended.
            is_back = turn.epochs.furthest(length) > epoch_at(now, length)
            return self._present(batch.fingerprint, now), EARLY if is_back else "late"
        if number > epoch_at(now + AHEAD, length):
            return self._present(batch.fingerprint, now), EARLY
        return Epoch(length, number), ""

    def _present(self, fingerprint: bytes | None, now: float) -> Epoch:
        envelope = self._catalogue.envelopes.get(fingerprint or b"")
        if envelope is None or envelope.epoch is None:
            return EVER
        return Epoch(envelope.epoch, epoch_at(now, envelope.epoch))


def _spends(submission: Submission) -> Spends | None:
    """How the token behind a submission is spent, if it is good once."""
    if submission.sender is None:
        return None
    return submission.sender.spent_as


def _spent(
    turn: Turn,
    entries: Sequence[_Entry],
    candidates: Mapping[Epoch, Mapping[bytes, tuple[int, Batch]]],
) -> set[int]:
    """Spend the tokens of what may be counted; the places of those that were spent
    before.
    """
    keys: dict[int, bytes] = {}
    for by_id in candidates.values():
        for place, batch in by_id.values():
            spent_as = entries[place][3]
            if spent_as is not None:
                keys[place] = spent_as(batch.fingerprint)
    if not keys:
        return set()
    fresh = turn.claim(TOKENS, sorted(set(keys.values())))
    first = {key: place for place, key in sorted(keys.items(), reverse=True)}
    return {
        place for place, key in keys.items() if key not in fresh or first[key] != place
    }
