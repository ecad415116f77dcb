"""Defects that are put in by hand, to see that they are found; and mends that are taken
out again.

None of them is a switch in shipped code: each changes it from outside, while a world
lives.

    early-acknowledgement   an upload is answered before it is committed
    id-forgotten            ids are forgotten at the end of an epoch, and not of its
                            grace
    pause-lost              a device that is opened again does not know for how long it
                            was to wait
    double-turn             a turn whose commit lost its connection is written once more
    epoch-closed-early      an epoch is closed at its end, and not at that of its grace
    shown-early             analysts see each report as it comes
    uncharged               a device does not write down what a report cost
    page-stale              the page remembers its numbers, whatever is counted
                            meanwhile

Mends that are taken out
    shared-fingerprints     questions of surveys of different names have one fingerprint
    jumps-believed          a clock that has jumped closes epochs
    pauses-forgotten        neither a device's pauses nor its due times outlive a
                            process
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from ldp.errors import StateError
from ldp.numbers.epochs import epoch_at
from ldp_client.answering.budget import Budget
from ldp_client.delivery.outbox import Outbox
from ldp_client.delivery.schedule import ATTEMPT, DUE
from ldp_client.embedding import assembly
from ldp_client.keeping.clocks import ClockSpan, now
from ldp_service.analysis.analysis import Analysis
from ldp_service.counting import housekeeping, writer
from ldp_service.counting.books import Books
from ldp_service.counting.pieces import Piece
from ldp_service.counting.publication import Publisher
from ldp_service.counting.served import Catalogue
from ldp_service.counting.submissions import Receipt
from ldp_service.counting.turn import EpochTurn, Turn, begin
from ldp_service.store.errors import StoreLostError
from ldp_service.store.records import Epoch, Record, shard_key
from ldp_service.store.store import Snapshot

Patch = tuple[Any, str, object]


def _answer_early(self: Any, pieces: list[Piece]) -> Any:
    books = self._books = self._books or self._open()
    with begin(books) as turn:
        answers = self._admission.take_pieces(turn, pieces, self._clock())
        whole = [
            (piece.submission, Receipt(tuple(answer)))
            for piece, answer in zip(pieces, answers, strict=True)
            if isinstance(answer, tuple) and piece.is_last and "early" not in answer
        ]
        self._hand_out(whole)
    self._went_well()
    self.turns += 1
    return answers


def _forget_early(close: Callable[..., None]) -> Callable[..., None]:
    def close_more(turn: EpochTurn, length: int, number: int) -> None:
        close(turn, length, number)
        for epoch in turn._books.store.epochs():
            if epoch.length == length and epoch.number == number + 1:
                turn._books.store.forget(epoch)
                _forget_sum(turn, epoch)

    return close_more


def _forget_sum(turn: EpochTurn, epoch: Epoch) -> None:
    """So thoroughly that nothing is missed when the store is opened."""
    books, key = turn._books, epoch.key + shard_key(turn._books.store.shard)
    if ("ids", key) in books.sums:
        turn._changes.dropped.append(
            Record("ids", key, b"", checksum=books.sums["ids", key])
        )
        books.ids.pop(epoch, None)


def _write_again(leave: Callable[..., None]) -> Callable[..., None]:
    def leave_twice(
        turn: Turn, error: type[BaseException] | None, *rest: object
    ) -> None:
        try:
            leave(turn, error, *rest)
        except StoreLostError:
            books = turn._books
            again = Turn(Books(books.store, books.envelopes, sound=True))
            for name in ("counts", "outcomes", "received"):
                setattr(again._changes, name, getattr(turn._changes, name))
            books.store.begin()
            leave(again, None)
            Books.__init__(books, books.store, books.envelopes, sound=True)

    return leave_twice


def _close_early(
    books: Books, catalogue: Catalogue, now: float, **_: bool
) -> dict[int, int]:
    last = {length: epoch_at(now, length) - 1 for length in catalogue.lengths}
    closed = books.closed
    return {
        length: number
        for length, number in last.items()
        if number > closed.get(length, -1)
    }


class _Forgetful(Outbox):
    """A queue whose times are those of a process."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        with suppress(StateError):
            self._store.transact(self._forget)

    def _forget(self) -> None:
        for kind in (ATTEMPT, DUE):
            self._store.drop(kind, self._queue)


class _Hurried(_Forgetful):
    """A queue that forgets what the collector asked for."""

    def _forget(self) -> None:
        last = self.schedule.last()
        if last is not None:
            span = ClockSpan.of(1.0, now())
            self._store.put(
                ATTEMPT, self._queue, (*span, last.failures, last.verdict, last.reason)
            )


class _Nameless:
    """A question that does not say of which survey it is."""

    survey = ""

    def __init__(self, question: object) -> None:
        self._question = question

    def __getattr__(self, name: str) -> object:
        return getattr(self._question, name)


def _once_for_good(
    self: Any, key: object, make: Callable[[Snapshot], object]
) -> object:
    if key not in self._remembered:
        with self._snapshot() as snapshot:
            self._remembered[key] = 0, make(snapshot)
    return self._remembered[key][1]


def _no_jumps(*_: object) -> dict[int, int]:
    return {}


_surveys: Any = import_module("ldp.survey.survey")
_fingerprint = _surveys._fingerprint

BUGS: dict[str, list[Patch]] = {
    "early-acknowledgement": [(writer.Writer, "_turn", _answer_early)],
    "id-forgotten": [(EpochTurn, "close", _forget_early(EpochTurn.close))],
    "pause-lost": [(assembly, "Outbox", _Hurried)],
    "double-turn": [(Turn, "__exit__", _write_again(Turn.__exit__))],
    "epoch-closed-early": [
        (housekeeping, "to_close", _close_early),
        (writer, "to_close", _close_early),
    ],
    "shown-early": [(Publisher, "_due", lambda *_, **__: True)],
    "uncharged": [(Budget, "_keep_charge", lambda *_: None)],
    "page-stale": [(Analysis, "_once", _once_for_good)],
    "shared-fingerprints": [
        (_surveys, "_fingerprint", lambda question: _fingerprint(_Nameless(question)))
    ],
    "jumps-believed": [
        (housekeeping, "jumps_of", _no_jumps),
        (writer, "jumps_of", _no_jumps),
    ],
    "pauses-forgotten": [(assembly, "Outbox", _Forgetful)],
}


@contextmanager
def planted(name: str | None) -> Iterator[None]:
    """Let a defect be there."""
    patches = [] if name is None else BUGS[name]
    before = [
        (place, attribute, getattr(place, attribute)) for place, attribute, _ in patches
    ]
    for place, attribute, changed in patches:
        setattr(place, attribute, changed)
    try:
        yield
    finally:
        for place, attribute, original in before:
            setattr(place, attribute, original)
