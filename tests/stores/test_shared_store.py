"""Several processes on one PostgreSQL store: what is acknowledged is counted, and
once.
"""

import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import chain

import pytest
from children import forked
from durable_work import CATALOGUE, expected, upload
from shared_store import (
    NOW,
    UPLOADS,
    assert_each_once,
    end_sessions,
    held,
    send,
    send_all,
    sessions,
    shards,
    writing,
)

from ldp.wire.wire import Batch, encode_batch, encode_frame
from ldp_service.counting import writer as writer_module
from ldp_service.counting.admission import Admission, Rules
from ldp_service.counting.books import Books
from ldp_service.counting.housekeeping import look_around, tidy
from ldp_service.counting.publication import Publication
from ldp_service.counting.turn import begin
from ldp_service.counting.writer import Writer
from ldp_service.store.opening import open_snapshot, open_store
from ldp_service.store.reading import outcomes_in_all, tally_of
from ldp_service.store.records import last_closed_epochs, shard_of
from ldp_service.upkeep.ending import close_survey

ONCE = {"accepted": 1}


@pytest.fixture
def url(postgres_server):
    return postgres_server.emptied()


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(writer_module, "_PAUSE", 0.02)


def test_processes_that_share_a_store_count_every_batch_once(url):
    """Three processes are sent the same uploads, each in an order of its own.

    The sums are those of one.
    """
    # 3 x 40 uploads of 1 to 4 batches: were ids claimed by each process for itself,
    # accepted would be thrice as many.
    together = multiprocessing.get_context("fork").Barrier(3)
    children = [
        forked(lambda seed=seed: send_all(url, seed, together)) for seed in range(3)
    ]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    outcomes = assert_each_once(url)
    assert outcomes.total() == 3 * expected(UPLOADS).outcomes.total()
    assert shards(url) == [0, 1, 2]


def test_a_survey_that_one_closes_is_closed_for_all(url, monkeypatch):
    """Each process rejects what comes from its next turn on, and shows what it has at a
    look.
    """
    monkeypatch.setattr("ldp_service.counting.publication.PACE", 0)
    reports = [encode_frame(encode_batch(batch)) for batch in batches("timeless", 4)]
    opened = partial(
        Writer, partial(open_store, url), CATALOGUE, publication=Publication(20)
    )
    with closing(opened()) as one, closing(opened()) as two:
        assert [w.write(reports[n]).outcomes for n, w in enumerate((one, two))] == [
            ONCE,
            ONCE,
        ]
        close_survey(url, "timeless")
        for number, writer in enumerate((one, two), 2):
            assert writer.write(reports[number]).outcomes == {"late": 1}
            writer.confirm_clock()
            writer.write(b"")
        with Publication().view(open_snapshot(url)) as snapshot:
            shown = tally_of(snapshot, CATALOGUE.by_name["timeless"][0].survey)
            assert shown.reports("smoker") == 2


def batches(name, number):
    """So many, of one report to the first question of a survey."""
    question = CATALOGUE.by_name[name][0].survey.questions[0]
    return [
        Batch(question.fingerprint, os.urandom(16), 1, rows=b"\1")
        for _ in range(number)
    ]


def test_ids_that_each_process_knows_for_itself_are_not_enough(url, monkeypatch):
    """The test above can fail: with a second process ids and sums are wrong."""
    from ldp_service.store.postgres import PostgresStore

    honest, mine = PostgresStore.claim, {}

    def claim(store, epoch, ids):
        honest(store, epoch, ids)
        known = mine.setdefault(store, set())
        fresh = set(ids) - known
        known |= fresh
        return fresh

    monkeypatch.setattr(PostgresStore, "claim", claim)
    send_all(url, 0)
    assert_each_once(url)
    send_all(url, 1)
    with pytest.raises(AssertionError):
        assert_each_once(url)


def test_a_killed_process_loses_nothing_and_its_shard_goes_on(url, postgres_server):
    """A process is killed at any moment.

    What it acknowledged is there, and the next has its shard and its books.
    """
    cut_short = 0
    with writing(url) as other:  # has a shard, and goes on
        for life in range(8):
            done = _killed(url, life)
            while (
                len(sessions(postgres_server)) > 1
            ):  # the server notices a moment later
                time.sleep(0.01)
            for number in done:
                assert send(other, number)["accepted"] == 0, (
                    "acknowledged, but not there"
                )
            cut_short += len(done) < UPLOADS - 4 * life
        assert cut_short, "no process was killed at its work"
        for number in range(UPLOADS):
            send(other, number)
    assert_each_once(url)
    assert shards(url) == [0, 1]


def _killed(url, life):
    """The uploads that a process had acknowledged when it was killed."""
    reading, writing_end = os.pipe()

    def work():
        with writing(url) as writer:
            for number in range(life * 4, UPLOADS):
                send(writer, number)
                os.write(writing_end, bytes([number]))

    child = forked(work)
    os.close(writing_end)
    done = os.read(reading, 1)
    time.sleep(random.Random(life).uniform(0, 0.01))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(reading, "rb") as rest:  # noqa: PTH123  # a pipe
        return set(done + rest.read())


def test_a_lost_connection_loses_and_doubles_nothing(url, postgres_server):
    """Sessions are ended again and again while uploads are sent.

    Each is answered in the end, and counted once.
    """
    answers = Counter()
    with writing(url) as writer:
        for number in range(UPLOADS):
            ending = threading.Thread(target=end_sessions, args=[postgres_server])
            if number % 4 == 0:
                ending.start()
            answers += send(writer, number)
            if number % 4 == 0:
                ending.join()
    outcomes = assert_each_once(url)
    assert answers.total() == expected(UPLOADS).outcomes.total()
    # What was counted although its answer was lost was a duplicate when it came again.
    assert answers["accepted"] <= outcomes["accepted"]


def test_a_server_that_stops_at_once_keeps_what_was_acknowledged(url, postgres_server):
    """Under load it ends as if its power failed, and recovers.

    Nothing acknowledged is lost, or counted twice.
    """
    if not hasattr(postgres_server, "stop"):
        pytest.skip("expected a server of our own to stop")

    def fall():
        postgres_server.stop()
        postgres_server.start()

    acknowledged = []
    with writing(url) as writer, ThreadPoolExecutor(1) as pool:
        for number in range(UPLOADS):
            if number == 10:
                falling = pool.submit(fall)
            send(writer, number)
            acknowledged.append(number)
        falling.result()
        for number in acknowledged:
            assert send(writer, number)["accepted"] == 0
    assert_each_once(url)


def test_epochs_that_one_process_closes_are_closed_for_all(url):
    """Another process, with batches for them, takes no more, lets go of ids, and is in
    order.
    """
    with closing(open_store(url)) as one, closing(open_store(url)) as other:
        mine = Books(one, CATALOGUE.tally_parts)
        others = Books(other, CATALOGUE.tally_parts)
        admission = Admission(CATALOGUE, Rules())
        for books, numbers in ((mine, range(0, 30, 2)), (others, range(1, 30, 2))):
            with begin(books) as turn:
                admission.take(turn, [upload(number).body for number in numbers], NOW)
        assert [epoch for epoch in one.epochs() if epoch.length]
        late = NOW + 86_400
        tidy(mine, CATALOGUE, Rules(), now=late, confirmed=True)
        with begin(others) as turn:
            answers = admission.take(
                turn, [upload(number).body for number in range(30, UPLOADS)], late
            )
        outcomes = Counter(chain.from_iterable(answers))
        new = sum((upload(number).outcomes for number in range(30, UPLOADS)), Counter())
        assert outcomes["late"] > 0
        assert outcomes["accepted"] < new["accepted"]
        assert [epoch for epoch in one.epochs() if epoch.length] == []
        assert [epoch for epoch in others.ids if epoch.length] == []
        tidy(others, CATALOGUE, Rules(), now=late, confirmed=True)
        with one.snapshot() as snapshot:
            assert last_closed_epochs(snapshot) == mine.closed == others.closed
    held(url)


def test_what_a_process_kept_goes_though_it_never_comes_back(url):
    """Another one stands in for its shard when its time is over, but not while it
    lives.

    All books stay in order.
    """
    rules = Rules(kept_days=1)
    admission = Admission(CATALOGUE, rules)

    def look_after(days):
        look_around(
            Books(one, CATALOGUE.tally_parts),
            admission,
            CATALOGUE,
            rules=rules,
            now=NOW + days * 86_400,
            back=True,
            confirmed=True,
        )
        held(url)
        return {shard_of(record) for record in one.scan("kept")}

    with closing(open_store(url)) as one:
        with closing(open_store(url)) as other:
            for store in (one, other):
                with begin(Books(store, CATALOGUE.tally_parts)) as turn:
                    admission.take(
                        turn, [upload(store.shard).body, b"", unknown(store.shard)], NOW
                    )
            assert look_after(1) == {0, 1}
            assert look_after(2) == {1}
        assert look_after(2) == set()
        assert {shard_of(record) for record in one.scan("aside")} == {0, 1}
        assert one.shard == 0
        look_after(40)
        assert list(one.scan("aside")) == []
        assert outcomes_in_all(one)["fingerprint"] == 2


def unknown(number):
    """The body of a batch of no question that is served."""
    return encode_frame(
        encode_batch(Batch(bytes(16), bytes([number]) * 16, 1, rows=b"\0"))
    )


def test_epochs_are_claimed_in_their_order(url):
    """Batches in any order: processes with several epochs in a turn do not wait in a
    circle.
    """
    with closing(open_store(url)) as store:
        claimed, claim = [], store.claim
        store.claim = lambda epoch, ids: [claimed.append(epoch), claim(epoch, ids)][1]
        with begin(Books(store, CATALOGUE.tally_parts)) as turn:
            Admission(CATALOGUE, Rules()).take(
                turn, [upload(number).body for number in reversed(range(UPLOADS))], NOW
            )
    assert len(claimed) >= 3
    assert claimed == sorted(claimed)
