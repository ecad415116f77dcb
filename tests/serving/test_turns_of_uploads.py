"""Heavy uploads are cut, and everyone has a turn: counted in turns and batches, not in seconds."""

import os
import struct
from concurrent.futures import Future
from contextlib import closing
from threading import Event

import pytest
from collecting import wait_for
from hostile_http import fresh
from wire_samples import SURVEY, TEXT, file_of

from ldp.wire import Batch, encode_frame
from ldp_aggregator.service.counting.admission import Admission
from ldp_aggregator.service.counting.line import MOST_MIXED
from ldp_aggregator.service.counting.pieces import LIGHT, MOST_FRAMES
from ldp_aggregator.service.counting.served import Catalogue, Served
from ldp_aggregator.service.counting.submissions import Submission, to_futures
from ldp_aggregator.service.counting.writer import Writer
from ldp_aggregator.service.store.opening import open_store

HEAVY = {
    "batches of one": b"".join(fresh() for _ in range(5000)),
    "tiny frames": encode_frame(b"") * 20_000,
    "nothing but beginnings": b"LDPR" * 50_000,
    "garbage between": (encode_frame(b"x") + b"LDPR") * 5000,
}
_INSIDE = b"".join(fresh() for _ in range(2000))
HEAVY["what says that it is one frame"] = struct.pack("<4sIQ", b"LDPR", len(_INSIDE), 0) + _INSIDE


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
    return taken


@pytest.fixture
def writer(tmp_path, turns):
    catalogue = Catalogue([Served(SURVEY, TEXT)])
    with closing(Writer(lambda: open_store(f"sqlite:///{tmp_path}/s.db"), catalogue)) as writer:
        yield writer


def send(writer, body):
    """The future of a receipt."""
    future = Future()
    writer.submit(Submission(body, future, to_futures, waits=True))
    return future


@pytest.mark.parametrize("name", HEAVY)
def test_a_heavy_upload_is_taken_in_turns(writer, turns, name):
    """No turn takes more than a piece of it, and who comes later does not wait for its end."""
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
    assert all(len(piece.payloads) <= MOST_FRAMES for pieces in turns for piece in pieces)
    assert len(turns) > len(outcomes) / MOST_FRAMES


def test_heavy_uploads_share_one_piece_a_turn(writer, turns):
    """However many there are: by turns, and none waits for another's end."""
    bodies = [b"".join(fresh() for _ in range(3 * MOST_FRAMES)) for _ in range(3)]
    futures = [send(writer, body) for body in bodies]
    for future in futures:
        assert future.result(60).outcomes == {"accepted": 3 * MOST_FRAMES}
    assert all(len(pieces) == 1 for pieces in turns)
    order = [bodies.index(pieces[0].submission.body) for pieces in turns]
    assert order.index(1) < len(order) - 1 - order[::-1].index(0)


def test_light_uploads_of_many_batches_fill_a_turn(writer, turns):
    """A turn takes so many bytes of them that no one waits for seconds, then the next begins."""
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


def test_what_waits_when_a_writer_is_closed_is_counted(writer):
    """Down to the last piece."""
    heavy = send(writer, HEAVY["batches of one"])
    writer.close()
    assert heavy.result(0).outcomes == {"accepted": 5000}
