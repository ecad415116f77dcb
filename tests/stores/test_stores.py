"""What every store does, whatever it is made of: SQLite here, PostgreSQL where there is
one.
"""

from hashlib import sha256

import pytest

from ldp_service.store.opening import open_snapshot, open_store
from ldp_service.store.records import EVER, TOKENS, Epoch, seal

TODAY = Epoch(86_400, 20_000)
TOMORROW = Epoch(86_400, 20_001)
IDS = [number.to_bytes(16, "big") for number in range(0, 1 << 128, 1 << 124)] + [
    b"\xff" * 16
]


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgresql", marks=pytest.mark.needs("psycopg", "postgresql")),
    ]
)
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    return request.getfixturevalue("postgres_server").emptied()


@pytest.fixture
def store(url):
    store = open_store(url)
    yield store
    store.close()


def in_turn(store, work):
    """What some work returns, in a transaction that is committed."""
    store.begin()
    done = work()
    store.commit()
    return done


def ids_of(snapshot, epoch):
    """All ids of an epoch, in their order."""
    return sorted(id_ for some in snapshot.ids(epoch) for id_ in some)


def test_records_come_back_whole_in_the_order_of_their_keys(store):
    """Any bytes are kept as they are, and a scan gives any number of a kind in order of
    keys.
    """
    keys = [
        bytes([high, low]) for high in (0, 1, 0x7F, 0xFF) for low in range(0, 256, 3)
    ]
    records = [seal("kept", key, key * 50) for key in keys]
    in_turn(
        store, lambda: store.put([*reversed(records), seal("mark", b"other", b"\0")])
    )
    assert list(store.scan("kept")) == records
    with store.snapshot() as snapshot:
        assert list(snapshot.scan("kept")) == records
        assert list(snapshot.scan("mark")) == [seal("mark", b"other", b"\0")]
        assert list(snapshot.scan("tally")) == []


@pytest.mark.parametrize(
    "prefix", [b"", b"\x01", b"\xff", b"\xff\xff", b"\x01\xff", b"none"]
)
def test_a_scan_gives_what_begins_with_its_prefix(store, prefix):
    """Nothing else, and all of it, at the ends of the range of bytes too."""
    keys = [
        b"\0",
        b"\x01",
        b"\x01\0",
        b"\x01\xfe\xff",
        b"\x01\xff",
        b"\x01\xff\xff",
        b"\x02",
        b"\xff",
        b"\xff\xff\x01",
    ]
    in_turn(store, lambda: store.put(seal("kept", key, b"") for key in keys))
    assert [record.key for record in store.scan("kept", prefix)] == [
        key for key in keys if key.startswith(prefix)
    ]


def test_a_record_takes_the_place_of_the_one_before(store):
    """There is one record of a kind and key, the last that was put."""
    for content in (b"first", b"", b"x" * 100_000, b"last"):
        in_turn(
            store, lambda content=content: store.put([seal("tally", b"key", content)])
        )
        assert list(store.scan("tally")) == [seal("tally", b"key", content)]


def test_dropped_records_are_gone_and_no_others(store):
    """Of one kind, by their keys; keys that are not there do no harm."""
    records = [
        seal(kind, key, b"") for kind in ("aside", "kept") for key in (b"a", b"b", b"c")
    ]
    in_turn(store, lambda: store.put(records))
    in_turn(store, lambda: store.drop("kept", [b"a", b"c", b"d"]))
    assert [
        (record.kind, record.key)
        for kind in ("aside", "kept")
        for record in store.scan(kind)
    ] == [
        ("aside", b"a"),
        ("aside", b"b"),
        ("aside", b"c"),
        ("kept", b"b"),
    ]


def test_nothing_can_be_put_dropped_and_claimed(store):
    """Empty lists change nothing."""
    in_turn(store, lambda: (store.put([]), store.drop("kept", [])))
    assert in_turn(store, lambda: store.claim(TODAY, [])) == set()


def test_an_id_is_claimed_once_in_each_epoch(store):
    """A claim gives what was not there, in one transaction or in many; any 16 bytes are
    an id.
    """

    def twice():
        return store.claim(TODAY, IDS[:5]), store.claim(TODAY, IDS[3:7])

    assert in_turn(store, twice) == (set(IDS[:5]), set(IDS[5:7]))
    assert in_turn(store, lambda: store.claim(TODAY, IDS[::-1])) == set(IDS[7:])
    assert in_turn(store, lambda: store.claim(TODAY, IDS)) == set()
    assert in_turn(store, lambda: store.claim(EVER, IDS[:1])) == {IDS[0]}
    with store.snapshot() as snapshot:
        assert snapshot.epochs() == [EVER, TODAY]
        assert ids_of(snapshot, TODAY) == sorted(IDS)


def test_ids_of_tokens_are_claimed_once(store):
    """In as many turns and as large a number as they come; beside those of batches."""
    ids = [sha256(b"%d" % number).digest()[:16] for number in range(1000)]
    before = 0
    for end in (1, 2, 60, 70, 400, 1000):
        fresh = in_turn(store, lambda end=end: store.claim(TOKENS, ids[:end]))
        assert fresh == {*ids[before:end]}
        before = end
    assert in_turn(store, lambda: store.claim(TOKENS, ids)) == set()
    assert in_turn(store, lambda: store.claim(EVER, ids[:1])) == {ids[0]}
    with store.snapshot() as snapshot:
        assert snapshot.epochs() == [EVER, TOKENS]
        assert ids_of(snapshot, TOKENS) == sorted(ids)


def test_a_forgotten_epoch_is_gone_with_its_ids(store):
    """Others keep theirs."""
    in_turn(store, lambda: [store.claim(epoch, IDS) for epoch in (TODAY, TOMORROW)])
    store.begin(alone=True)
    store.forget(TODAY)
    store.forget(EVER)  # which was never there
    store.commit()
    assert store.epochs() == [TOMORROW]
    with store.snapshot() as snapshot:
        assert ids_of(snapshot, TOMORROW) == sorted(IDS)


def test_what_is_rolled_back_never_was(store):
    """Records, ids and epochs; and the next transaction begins as after any other."""
    in_turn(
        store,
        lambda: (
            store.put([seal("tally", b"key", b"before")]),
            store.claim(TODAY, IDS[:3]),
        ),
    )
    store.begin(alone=True)
    store.put([seal("tally", b"key", b"after"), seal("root", b"\0\0", b"")])
    store.drop("tally", [b"key"])
    store.claim(TODAY, IDS)
    store.claim(TOMORROW, IDS)
    store.forget(TODAY)
    store.roll_back()
    store.roll_back()
    assert list(store.scan("tally")) == [seal("tally", b"key", b"before")]
    assert list(store.scan("root")) == []
    assert store.epochs() == [TODAY]
    assert in_turn(store, lambda: store.claim(TOMORROW, IDS)) == set(IDS)
    assert in_turn(store, lambda: store.claim(TODAY, IDS)) == set(IDS[3:])


def test_a_snapshot_is_of_one_moment(store):
    """It has nothing of a transaction open when it is taken, and keeps what others
    change.
    """
    in_turn(
        store,
        lambda: (
            store.put([seal("tally", b"key", b"before")]),
            store.claim(TODAY, IDS),
        ),
    )
    store.begin()
    store.put([seal("tally", b"key", b"after")])
    with store.snapshot() as snapshot:
        store.claim(TOMORROW, IDS)
        store.commit()
        store.begin(alone=True)
        store.forget(TODAY)
        store.commit()
        assert list(snapshot.scan("tally")) == [seal("tally", b"key", b"before")]
        assert snapshot.epochs() == [TODAY]
        assert ids_of(snapshot, TODAY) == sorted(IDS)
    with store.snapshot() as snapshot:
        assert list(snapshot.scan("tally")) == [seal("tally", b"key", b"after")]
        assert snapshot.epochs() == [TOMORROW]


def test_what_is_committed_is_there_for_the_next_to_open_it(url):
    """And what was not is not, when a store is closed in the middle of a
    transaction.
    """
    store = open_store(url)
    in_turn(
        store,
        lambda: (
            store.put([seal("tally", b"key", b"kept")]),
            store.claim(TODAY, IDS[:3]),
        ),
    )
    store.begin()
    store.put([seal("tally", b"other", b"lost")])
    store.claim(TODAY, IDS)
    store.close()
    with open_snapshot(url) as snapshot:
        assert list(snapshot.scan("tally")) == [seal("tally", b"key", b"kept")]
        assert ids_of(snapshot, TODAY) == sorted(IDS[:3])
