"""What is PostgreSQL's own in a store on it: locks, tables, connections, and what is
refused.
"""

import random
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from shared_store import end_sessions

from ldp_service.store.errors import StoreError, StoreLostError
from ldp_service.store.opening import open_store
from ldp_service.store.records import Epoch, seal

HOUR = Epoch(3600, 500_000)


@pytest.fixture
def url(postgres_server):
    return postgres_server.emptied()


def test_a_commit_that_no_one_confirms_is_not_acknowledged(url, postgres_server):
    """A session that ends before the commit is an error, and nothing of it is found
    later.
    """
    store = open_store(url)
    store.begin()
    store.put([seal("tally", b"key", b"lost")])
    end_sessions(postgres_server)
    with pytest.raises(StoreLostError):
        store.commit()
    store.roll_back()
    with pytest.raises(StoreLostError):
        store.begin()
    store.close()
    with closing(open_store(url)) as again:
        assert list(again.scan("tally")) == []


def test_closing_epochs_waits_for_open_turns_and_no_turn_begins_before_it_ends(url):
    """So no batch is taken into an epoch that is closed in between.

    Two that close at once come one after the other.
    """
    with (
        closing(open_store(url)) as one,
        closing(open_store(url)) as other,
        ThreadPoolExecutor(2) as pool,
    ):
        one.begin()
        closer = pool.submit(other.begin, alone=True)
        time.sleep(0.2)
        assert not closer.done()
        one.commit()
        closer.result(60)
        again = pool.submit(one.begin, alone=True)
        time.sleep(0.2)
        assert not again.done()
        other.commit()
        again.result(60)
        one.commit()


def test_a_claim_waits_for_what_becomes_of_anothers(url):
    """An id of an open transaction is neither fresh nor known before that lasts or
    fails.
    """
    ids = [bytes([number]) * 16 for number in range(9)]
    with (
        closing(open_store(url)) as one,
        closing(open_store(url)) as other,
        ThreadPoolExecutor(1) as pool,
    ):
        for end, fresh in (
            (one.commit, set(ids[6:])),
            (one.roll_back, {bytes(16)[:-1] + b"\1"}),
        ):
            one.begin()
            one.claim(HOUR, ids[:6] if end == one.commit else list(fresh))
            other.begin()
            claim = pool.submit(
                other.claim, HOUR, ids if end == one.commit else [*ids, *fresh]
            )
            time.sleep(0.2)
            assert not claim.done()
            end()
            assert claim.result(60) == fresh
            other.commit()


def test_claims_of_the_same_ids_never_wait_in_a_circle(url):
    """Two processes claim the same ids in different orders, again and again.

    Each is fresh for one of them.
    """
    # Were ids claimed in the order in which they came, one of 2 x 25 claims of 400
    # would end as a deadlock.
    every = [number.to_bytes(16, "big") for number in range(25 * 400)]

    def claim(seed):
        fresh = Counter()
        with closing(open_store(url)) as store:
            for start in range(0, len(every), 400):
                store.begin()
                fresh.update(
                    store.claim(
                        HOUR,
                        random.Random(seed + start).sample(
                            every[start : start + 400], 400
                        ),
                    )
                )
                store.commit()
        return fresh

    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(claim, range(2)), Counter()) == Counter(every)


def test_tables_of_forgotten_epochs_go_once_no_one_reads_them(url, postgres_server):
    """At once where no snapshot is open, and else at a later closing.

    A snapshot keeps what it saw.
    """

    def tables():
        return postgres_server.run(
            "SELECT tablename FROM pg_tables WHERE tablename LIKE 'ids%' ORDER BY 1"
        )

    def forget(epoch):
        store.begin(alone=True)
        store.forget(epoch)
        store.commit()

    with closing(open_store(url)) as store:
        store.begin()
        for number in range(3):
            store.claim(Epoch(60, number), [bytes(16)])
        store.commit()
        forget(Epoch(60, 0))
        assert tables() == [("ids_60_1",), ("ids_60_2",)]
        with store.snapshot() as snapshot:
            forget(Epoch(60, 1))
            assert list(snapshot.ids(Epoch(60, 1))) == [[bytes(16)]]
            assert len(tables()) == 2
        end = time.monotonic() + 90
        while (
            tables() and time.monotonic() < end
        ):  # the server's own cleaning may read the table of epochs as well
            forget(Epoch(60, 2))
        assert tables() == []


def test_sums_that_are_written_again_and_again_take_no_more_room(url, postgres_server):
    """A hundred more commits of a tally leave the table at its size after thirty."""

    def commit(times):
        for _ in range(times):
            store.begin()
            cells = (draw.getrandbits(20).to_bytes(8, "little") for _ in range(512))
            content = b"".join(cells)
            store.put([seal("tally", bytes([part]), content) for part in range(4)])
            store.commit()
        return postgres_server.run("SELECT pg_total_relation_size('ldp.sums')")[0][0]

    draw = random.Random(6)
    with closing(open_store(url)) as store:
        after_thirty = commit(30)
        assert commit(100) <= after_thirty


def test_the_url_decides_nothing_about_durability(url, postgres_server):
    """Even where the role asks for less, a commit is on the server's disk before its
    answer.
    """
    mark = "&" if "?" in url else "?"
    with closing(open_store(f"{url}{mark}options=-csynchronous_commit%3Doff")) as store:
        assert store._run("SHOW synchronous_commit") == [("on",)]


def test_a_server_that_does_not_sync_is_refused(url, postgres_server):
    """A store on it would acknowledge what a loss of power takes away."""
    if not hasattr(postgres_server, "stop"):
        pytest.skip("expected a server of our own to change")
    try:
        postgres_server.set("fsync", "off")
        with pytest.raises(
            StoreError, match="expected a server that syncs, got one with fsync = off"
        ):
            open_store(url)
    finally:
        postgres_server.set("fsync", "on")
    open_store(url).close()


def test_a_role_needs_no_more_than_a_schema_of_its_own(url, postgres_server):
    """One that may make nothing in the database finds the schema that it was given."""
    if not hasattr(postgres_server, "administrator"):
        pytest.skip("expected a server of our own to make roles on")
    postgres_server.administrator.run("CREATE ROLE guest LOGIN")
    postgres_server.run("CREATE SCHEMA ldp")
    administrator = postgres_server.administrator.database
    there = administrator.replace("//postgres@/postgres", "//postgres@/ldp")
    type(postgres_server.administrator)(there).run("ALTER SCHEMA ldp OWNER TO guest")
    with closing(open_store(url.replace("//ldp@", "//guest@"))) as store:
        store.begin()
        assert store.claim(HOUR, [bytes(16)]) == {bytes(16)}
        store.commit()
    type(postgres_server.administrator)(there).run("DROP OWNED BY guest CASCADE")


def test_a_role_without_a_schema_is_told_what_it_needs(url, postgres_server):
    """And who gives it that."""
    if not hasattr(postgres_server, "administrator"):
        pytest.skip("expected a server of our own to make roles on")
    postgres_server.administrator.run("CREATE ROLE stranger LOGIN")
    with pytest.raises(StoreError, match="CREATE SCHEMA ldp AUTHORIZATION"):
        open_store(url.replace("//ldp@", "//stranger@"))


def test_a_store_of_another_version_is_refused(url, postgres_server):
    """The error says both versions, and nothing is changed."""
    open_store(url).close()
    postgres_server.run("COMMENT ON TABLE ldp.records IS 'ldp store 9'")
    with pytest.raises(
        StoreError,
        match=r"expected a store of version 'ldp store 2' .* got version 'ldp store 9'",
    ):
        open_store(url)


@pytest.mark.needs("psycopg")
@pytest.mark.parametrize(
    "there",
    [
        "postgresql://ada:{}@127.0.0.1:1/ldp",
        "postgresql://ada:{}@127.0.0.1:none/ldp",
        "postgresql://ada:{}@[::1/ldp",
        "postgresql://ada:{}%zz@127.0.0.1:1/ldp",
        "postgresql://ada:{}@x@127.0.0.1:1/ldp",
        "postgresql://ada:x@{}@127.0.0.1:1/ldp",
        "postgresql://ada:{}/x@127.0.0.1:1/ldp",
        "postgresql://ada:x/{}@127.0.0.1:1/ldp",
        "postgresql://127.0.0.1:1/ldp?password={}",
        "postgresql://127.0.0.1:1/ldp?user=ada&passwd={}",
    ],
)
def test_a_password_is_in_no_error(there, caplog):
    """Whatever is wrong with a URL, the error shows no part of a password."""
    with pytest.raises(StoreError, match="expected") as refused:
        open_store(there.format("geheim"))
    assert "geheim" not in f"{refused.value} {refused.value.__cause__} {caplog.text}"


def test_a_missing_driver_is_told_with_the_extra_that_has_it(monkeypatch):
    """For those who installed the aggregator alone."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for name in ("postgres", "postgres_connection"):
        monkeypatch.delitem(sys.modules, f"ldp_service.store.{name}", raising=False)
    with pytest.raises(StoreError, match=r"ldpkit-aggregator\[postgres\]"):
        open_store("postgresql://ada@127.0.0.1/ldp")
