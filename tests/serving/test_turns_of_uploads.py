"""Heavy uploads are cut, and everyone has a turn: counted in turns and batches, not in
seconds.
"""

import os
import struct
from concurrent.futures import Future
from contextlib import closing
from threading import Event, Thread

import pytest
from collecting import wait_for
from hostile_http import fresh
from wire_samples import SURVEY, TEXT, file_of

from ldp.wire.wire import Batch, encode_frame
from ldp_service.counting.admission import Admission
from ldp_service.counting.pieces import LEAST_FRAMES, LIGHT
from ldp_service.counting.served import Catalogue, Served
from ldp_service.counting.submission_queue import MOST_MIXED
from ldp_service.counting.submissions import OverloadError, Submission, to_futures
from ldp_service.counting.writer import Writer
from ldp_service.store.opening import open_store

HEAVY = {
    "batches of one": b"".join(fresh() for _ in range(5000)),
    "small frames": encode_frame(bytes(36)) * 5000,
    "nothing but beginnings": b"LDPR" * 50_000,
    "garbage between": (encode_frame(bytes(36)) + b"LDPR") * 5000,
}
_INSIDE = b"".join(fresh() for _ in range(2000))
HEAVY["what says that it is one frame"] = (
    struct.pack("<4sIQ", b"LDPR", len(_INSIDE), 0) + _INSIDE
)


class Turns(list):
    """What every turn takes: the pieces. None goes on unless they may."""

    def __init__(self):
        super().__init__()
        self.may_go_on = Event()
        self.may_go_on.set()


@pytest.fixture
def turns(monkeypatch):
    """All that are taken."""
    taken, genuine = Turns(), Admission.take_pieces

    def take_pieces(admission, turn, pieces, now):
        taken.append(list(pieces))
        assert taken.may_go_on.wait(60)
        return genuine(admission, turn, pieces, now)

    monkeypatch.setattr(Admission, "take_pieces", take_pieces)
    monkeypatch.setattr("ldp_service.counting.pieces.MOMENT", 0.0)
    return taken


@pytest.fixture
def writer(tmp_path, turns):
    catalogue = Catalogue([Served(SURVEY, TEXT)])
    with closing(
        Writer(lambda: open_store(f"sqlite:///{tmp_path}/s.db"), catalogue)
    ) as writer:
        yield writer


def send(writer, body):
    """The future of a receipt."""
    future = Future()
    writer.submit(Submission(body, future, to_futures, waits=True))
    return future


@pytest.mark.parametrize("name", HEAVY)
def test_a_heavy_upload_is_taken_in_turns(writer, turns, name):
    """No turn takes more than a piece of it, and who comes later does not wait for its
    end.
    """
    turns.may_go_on.clear()
    heavy = send(writer, HEAVY[name])
    wait_for(lambda: turns)
    before = len(turns)
    light = send(writer, fresh())
    turns.may_go_on.set()
    assert light.result(60).outcomes == {"accepted": 1}
    waited = next(
        number
        for number, pieces in enumerate(turns)
        if any(len(piece.submission.body) < LIGHT for piece in pieces)
    )
    assert waited <= before
    outcomes = heavy.result(60).told
    assert len(outcomes) == sum(
        len(piece.payloads)
        for pieces in turns
        for piece in pieces
        if piece.submission.body == HEAVY[name]
    )
    assert all(
        len(piece.payloads) <= LEAST_FRAMES for pieces in turns for piece in pieces
    )
    assert len(turns) > len(outcomes) / LEAST_FRAMES


def test_heavy_uploads_share_one_piece_a_turn(writer, turns):
    """However many there are: by turns, and none waits for another's end."""
    bodies = [b"".join(fresh() for _ in range(3 * LEAST_FRAMES)) for _ in range(3)]
    futures = [send(writer, body) for body in bodies]
    for future in futures:
        assert future.result(60).outcomes == {"accepted": 3 * LEAST_FRAMES}
    assert all(len(pieces) == 1 for pieces in turns)
    order = [bodies.index(pieces[0].submission.body) for pieces in turns]
    assert order.index(1) < len(order) - 1 - order[::-1].index(0)


def test_light_uploads_of_many_batches_fill_a_turn(writer, turns):
    """A turn takes so many bytes of them that no one waits for seconds, then the next
    begins.
    """
    bodies = [b"".join(fresh() for _ in range(100)) for _ in range(60)]
    assert LIGHT > len(bodies[0]) > LIGHT // 2
    futures = [send(writer, body) for body in bodies]
    assert {future.result(60).outcomes["accepted"] for future in futures} == {100}
    sizes = [sum(len(piece.submission.body) for piece in pieces) for pieces in turns]
    assert max(sizes) < MOST_MIXED + LIGHT


def test_a_large_frame_is_taken_whole(writer, turns):
    """Beside what is light: it waits for no piece of a heavy one."""
    rows = bytes(1 + LIGHT)
    batch = Batch(SURVEY["symbol"].fingerprint, os.urandom(16), len(rows), rows=rows)
    assert send(writer, file_of(batch)).result(60).told == ("accepted",)
    assert [piece.is_last for pieces in turns for piece in pieces] == [True]


def test_a_piece_is_as_large_as_is_counted_in_a_moment(writer, turns, monkeypatch):
    """Where a moment is long, many small frames wait for few commits."""
    monkeypatch.setattr("ldp_service.counting.pieces.MOMENT", 60.0)
    assert send(writer, HEAVY["batches of one"]).result(60).outcomes == {
        "accepted": 5000
    }
    assert [len(pieces[0].payloads) for pieces in turns] == [
        LEAST_FRAMES,
        5000 - LEAST_FRAMES,
    ]


@pytest.mark.parametrize("stopped", [True, False])
def test_a_heavy_upload_is_not_counted_to_its_end_for_no_one(writer, turns, stopped):
    """Where its sender has gone, or the writer is closed: it was not acknowledged."""
    turns.may_go_on.clear()
    heavy = Submission(HEAVY["batches of one"], Future(), to_futures, waits=True)
    writer.submit(heavy)
    wait_for(lambda: turns)
    light = send(writer, fresh())
    if stopped:
        Thread(target=writer.close).start()
        wait_for(lambda: writer.trouble)
    heavy.wanted = stopped
    turns.may_go_on.set()
    assert light.result(60).outcomes == {"accepted": 1}
    with pytest.raises(OverloadError):
        heavy.ticket.result(60)
    assert len(turns) <= 3
    assert not writer.waiting
