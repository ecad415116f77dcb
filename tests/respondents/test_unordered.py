"""Ids of tokens: a table whose bytes do not tell in which order they came, and no log
that does.
"""

from contextlib import closing
from hashlib import sha256
from random import Random

from ldp_service.store.records import EVER, TOKENS
from ldp_service.store.sqlite import PAGE, SQLiteStore

TOGETHER = 200


def id_of(number, kind):
    """An id, as one that is a hash."""
    return sha256(f"{kind} {number}".encode()).digest()[:16]


def came(path, order, tokens=TOKENS):
    """What lies in the file once tokens have come with batches, one at a time; and in
    its log.
    """
    with closing(SQLiteStore(path)) as store:
        for number in order:
            store.begin()
            assert store.claim(tokens, [id_of(number, "token")])
            assert store.claim(EVER, [id_of(number, "batch")])
            store.commit()
        log = path.with_name(f"{path.name}-wal").read_bytes()
        return path.read_bytes(), log


def in_pages(content, ids):
    """The ids that lie in each page of a file, in the order in which they lie there."""
    arranged = []
    for start in range(0, len(content), PAGE):
        page = content[start : start + PAGE]
        there = sorted((page.index(id_), id_) for id_ in ids if id_ in page)
        arranged.append([id_ for _, id_ in there])
    return arranged


def test_where_ids_of_tokens_lie_tells_no_order(tmp_path):
    """Pages have the same ids at the same places whatever it was; each id once, none in
    a log.
    """
    arranged = []
    for seed in range(3):
        order = Random(seed).sample(range(TOGETHER), TOGETHER)
        ids = [id_of(number, "token") for number in order]
        content, log = came(tmp_path / f"{seed}.db", order)
        assert log == b""
        assert sum(map(content.count, ids)) == TOGETHER
        arranged.append(sorted(there for there in in_pages(content, ids) if there))
    assert arranged[0] == arranged[1] == arranged[2]


def test_ids_of_batches_would_tell_it(tmp_path):
    """The same looked for where there is no such table: they lie in the order of
    arrival.
    """
    order = Random(1).sample(range(100), 100)
    with closing(SQLiteStore(tmp_path / "store.db")) as store:
        for number in order:
            store.begin()
            store.claim(EVER, [id_of(number, "token")])
            store.commit()
    content = (tmp_path / "store.db").read_bytes()
    ids = [id_of(number, "token") for number in order]
    assert ids[::-1] in in_pages(content, ids)


def test_a_turn_that_is_taken_back_leaves_nothing(tmp_path):
    """And what was kept is there for the next to open it."""
    ids = [id_of(number, "token") for number in range(300)]
    path = tmp_path / "store.db"
    with closing(SQLiteStore(path)) as store:
        store.begin()
        store.claim(TOKENS, ids[:10])
        store.commit()
        store.begin()
        assert store.claim(TOKENS, ids) == {*ids[10:]}
        store.roll_back()
    with closing(SQLiteStore(path)) as store:
        store.begin()
        assert store.claim(TOKENS, ids) == {*ids[10:]}
        store.roll_back()


def test_a_reader_keeps_the_log_only_until_the_next_commit(tmp_path):
    """Who looks is not waited for."""
    path = tmp_path / "store.db"
    log = tmp_path / "store.db-wal"
    with closing(SQLiteStore(path)) as store:
        for number, reads in enumerate((False, True, False)):
            store.begin()
            store.claim(TOKENS, [id_of(number, "token")])
            if not reads:
                store.commit()
                assert log.stat().st_size == 0
                continue
            with store.snapshot():
                store.commit()
                assert log.stat().st_size > 0
