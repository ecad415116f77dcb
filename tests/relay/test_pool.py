"""The pool on disk: no order, no remains, nothing that was acknowledged is lost."""

import os
import random
import sqlite3
import statistics
from contextlib import closing

import pytest
from pools import SIZE

from ldp_service.relay.pool import Crowd, Pool
from ldp_service.store.errors import StoreError
from ldp_service.store.records import EVER, Epoch

CROWD = Crowd(b"f" * 16, EVER)
RUNS, REPORTS = 60, 100
LIMIT = 4.892
"""Standard errors that a statistic under the null passes with probability 1e-6, on
either side.
"""


def marked(number):
    """An envelope that can be found again, and tells of nothing in its bytes but its
    number.
    """
    return b"<%06d>" % number + os.urandom(SIZE - 8)


def places(path):
    """Where in the file each envelope lies, by the order of arrival."""
    content = path.read_bytes()
    return [content.index(b"<%06d>" % number) for number in range(REPORTS)]


def score(order):
    """Spearman's correlation with the order of arrival, in standard errors."""
    ranks = {place: rank for rank, place in enumerate(sorted(order))}
    correlation = statistics.correlation(
        range(len(order)), [ranks[place] for place in order]
    )
    return correlation * (len(order) - 1) ** 0.5


def arrivals(folder, turns, **others):
    """The scores of many pools: where reports lie in the file, and the order they are
    read in.
    """
    on_disk, as_read = [], []
    for run in range(RUNS):
        path = folder / f"{run}.db"
        pool = Pool(path, **others)
        for start in range(0, REPORTS, turns):
            with pool.changing():
                pool.add(CROWD, [marked(start + number) for number in range(turns)])
        on_disk.append(score(places(path)))
        with pool.changing():
            read = pool.take_out(CROWD)
        numbers = [int(envelope[1:7]) for envelope in read]
        as_read.append(score(sorted(range(REPORTS), key=numbers.__getitem__)))
        pool.close()
        for file in folder.iterdir():
            file.unlink()
    return [sum(scores) / RUNS**0.5 for scores in (on_disk, as_read)]


@pytest.fixture
def quick(monkeypatch):
    """Without waiting for disks: what is written is the same."""
    monkeypatch.setattr(
        "ldp_service.relay.pool._SETTINGS",
        (
            "journal_mode = TRUNCATE",
            "synchronous = OFF",
            "secure_delete = ON",
            "user_version = 1",
        ),
    )


@pytest.mark.parametrize("turns", [4, 20])
def test_the_file_does_not_tell_who_came_first(tmp_path, quick, turns):
    """Places in the file and orders of reading are independent of the order of arrival.

    60 pools of 100 reports, which grow once; false alarms 1e-6. A correlation of .064
    is found with probability .5, one of .13 with probability 1 - 1e-6.
    """
    for total in arrivals(tmp_path, turns):
        assert abs(total) < LIMIT


def test_a_pool_that_keeps_the_order_is_found(tmp_path, quick, monkeypatch):
    """Mutants take the next empty slot, or one of the next 48: the same test sees
    both.
    """
    monkeypatch.setattr("ldp_service.relay.pool.shuffle", lambda items, _: list(items))
    drawn = random.Random(1)
    for near in (1, 48):

        def mutant(number, near=near):
            return number - 1 - drawn.randrange(min(number, near))

        for total in arrivals(tmp_path, 20, place=mutant):
            assert abs(total) > LIMIT


def test_reports_overwrite_empty_slots_where_they_stand(tmp_path, quick):
    """Every slot of a pool is at the same place before and after: no page is written
    anew.
    """
    path = tmp_path / "p.db"
    pool = Pool(path)
    with pool.changing():
        pool.add(CROWD, [marked(0)])
    before, size = path.read_bytes(), path.stat().st_size
    with pool.changing():
        pool.add(CROWD, [marked(1)])
    after = path.read_bytes()
    place = after.index(b"<000001>")
    changed = [number for number in range(size) if before[number] != after[number]]
    inside = [
        number for number in changed if place - 1 <= number < place - 1 + 1 + SIZE
    ]
    # Besides the report: the file's change counter, and how many commits there were.
    assert path.stat().st_size == size
    assert len(inside) > SIZE * 0.9
    assert len(changed) - len(inside) < 16
    pool.close()


def test_nothing_remains_of_what_was_taken_out(tmp_path):
    """Not in the file, nor in a journal: what was forwarded is overwritten."""
    path = tmp_path / "p.db"
    pool = Pool(path)
    with pool.changing():
        pool.add(CROWD, [marked(number) for number in range(500)])
        pool.keep_part(b"p" * 16, b"<part>" * 4000)
    with pool.changing():
        pool.take_out(CROWD)
        pool.drop_part(b"p" * 16)
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert b"<0" not in content, file
        assert b"<part>" not in content, file
    assert (tmp_path / "p.db-journal").stat().st_size == 0
    pool.close()


def test_what_is_rolled_back_was_never_there(tmp_path):
    """A transaction that fails changes neither the file nor what is known of it."""
    pool = Pool(tmp_path / "p.db")
    with pool.changing():
        pool.add(CROWD, [marked(number) for number in range(40)])
        assert pool.claim(EVER, [(b"i" * 16,)]) == [True]

    def fail():
        with pool.changing():
            pool.add(CROWD, [marked(number) for number in range(40, 400)])
            pool.take_out(CROWD)
            pool.claim(EVER, [(b"j" * 16,)])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert pool.waiting() == {CROWD: 40}
    with pool.changing():
        assert pool.claim(EVER, [(b"i" * 16,), (b"j" * 16,)]) == [False, True]
        assert len(pool.take_out(CROWD)) == 40
    pool.close()


def test_a_pool_is_as_it_was_when_it_is_opened_again(tmp_path):
    """Reports, ids, parts, counts and epochs; and of several crowds each its own."""
    other = Crowd(b"g" * 16, Epoch(60, 7))
    pool = Pool(tmp_path / "p.db")
    with pool.changing():
        pool.add(CROWD, [marked(1), marked(2)])
        pool.add(other, [b"x" * (SIZE + 9)] * 3)
        pool.claim(Epoch(60, 7), [(b"i" * 16,)])
        pool.keep_part(b"p" * 16, b"frame")
        pool.note_epochs(60, 5, 7)
        pool.count("mixed", 3)
    pool.close()
    pool = Pool(tmp_path / "p.db")
    assert pool.waiting() == {CROWD: 2, other: 3}
    assert (pool.parts(), pool.part(b"p" * 16)) == ([b"p" * 16], b"frame")
    assert (pool.closed_epochs(), pool.latest_epochs(), pool.counts()["mixed"]) == (
        {60: 5},
        {60: 7},
        3,
    )
    with pool.changing():
        assert pool.claim(Epoch(60, 7), [(b"i" * 16,)]) == [False]
        pool.forget(Epoch(60, 7))
        assert pool.epochs() == []
        assert pool.take_out(other) == [b"x" * (SIZE + 9)] * 3
    pool.close()


def test_two_processes_do_not_share_a_pool_and_an_old_copy_is_found(tmp_path):
    """The witness keeps others out, and knows how many commits were acknowledged."""
    path = tmp_path / "p.db"
    pool = Pool(path)
    with pytest.raises(StoreError, match="only one"):
        Pool(path)
    old = path.read_bytes()
    with pool.changing():
        pool.add(CROWD, [marked(1)])
    pool.close()
    path.write_bytes(old)
    with pytest.raises(StoreError, match="old copy"):
        Pool(path)


def test_a_pool_takes_nothing_from_a_file_but_its_own_tables(tmp_path):
    """A trigger could note when each report came."""
    path = tmp_path / "p.db"
    pool = Pool(path)
    with pool.changing():
        pool.add(CROWD, [marked(1)])
    pool.close()
    Pool(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TRIGGER noting AFTER UPDATE ON slots_1 BEGIN DELETE FROM counts; "
            "END"
        )
    with pytest.raises(StoreError, match="trigger noting"):
        Pool(path)
