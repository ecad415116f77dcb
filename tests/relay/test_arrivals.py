"""What a relay forwards does not tell in which order, under which ids or when reports
came.

Spearman's rank correlation with the order of arrival, over many batches; its variance
under a uniform permutation of n is exactly 1/(n - 1), and a sum of dozens of them is as
good as normal. The mean distance of neighbours finds what a correlation does not, such
as a rotation; its law is that of permutations which are drawn here. Seven statistics at
a false-alarm rate of 1e-6 together.
"""

import itertools
import random
import statistics
import time

import pytest
from pools import (
    EVER,
    SIZE,
    Collector,
    envelopes_of,
    forwarder,
    give,
    look,
    message,
    relay_at,
)

from ldp.numbers.randomness import randbelow, shuffle
from ldp.wire.sealed import decode_sealed_report
from ldp.wire.wire import read_frames
from ldp_service.relay import batching, forwarding, pool

RUNS, REPORTS, IN_PART, IN_TURN = 40, 120, 20, 10
PARTS = REPORTS // IN_PART
LIMIT = 5.27
"""Standard errors that one of seven statistics passes with probability 1e-6, on either
side.
"""
QUESTION = EVER.questions[0]


def marked(number):
    """A device's frame whose envelope says when it came."""
    return message(QUESTION, envelope=b"%04d" % number + bytes(SIZE - 4))


def forwarded(path):
    """The order of arrival of what was forwarded, part by part; the parts' ids, and
    devices'.
    """
    writer, collector = relay_at(path, REPORTS), Collector()
    forwarding = forwarder(writer, collector)
    frames = [marked(number) for number in range(REPORTS)]
    for start in range(0, REPORTS, IN_TURN):
        give(writer, b"".join(frames[start : start + IN_TURN]))
    look(writer)
    end = time.monotonic() + 90
    while len(collector.parts) < PARTS:
        assert time.monotonic() < end
        time.sleep(0.002)
    forwarding.close()
    writer.close()
    arrivals = [
        [int(envelope[:4]) for envelope in envelopes_of([part])]
        for part in collector.parts.values()
    ]
    devices = [decode_sealed_report(read_frames(frame)[0]).id for frame in frames]
    return arrivals, list(collector.parts), devices


def score(first, second):
    """Spearman's correlation of two sequences, in standard errors."""
    ranks = [
        [sorted(values).index(value) for value in values] for values in (first, second)
    ]
    if len(set(map(tuple, ranks))) == 1:
        return (len(first) - 1) ** 0.5
    return statistics.correlation(*ranks) * (len(first) - 1) ** 0.5


def distance(order):
    """How far neighbours in a batch were apart when they came, on average."""
    return statistics.fmean(
        abs(one - other) for one, other in itertools.pairwise(order)
    )


def scores(folder):
    """Each statistic over all runs, in standard errors; and whether an id came
    through.
    """
    drawn = random.Random(1)
    usual = [distance(drawn.sample(range(REPORTS), REPORTS)) for _ in range(4000)]
    mean, deviation = statistics.fmean(usual), statistics.stdev(usual)
    runs = {name: [] for name in ("order", "neighbours", "parts", "ids", "devices")}
    ids, passed = [], False
    for run in range(RUNS):
        arrivals, parts, devices = forwarded(folder / f"{run}.db")
        order = [number for part in arrivals for number in part]
        assert sorted(order) == list(range(REPORTS))
        means = [statistics.fmean(part) for part in arrivals]
        runs["order"].append(score(range(REPORTS), order))
        runs["neighbours"].append((distance(order) - mean) / deviation)
        runs["parts"].append(score(range(PARTS), means))
        runs["ids"].append(score(parts, means))
        runs["devices"].append(
            score(range(REPORTS), [devices[number] for number in order])
        )
        passed |= bool({*parts} & {*devices})
        ids += parts
    totals = {name: sum(values) / RUNS**0.5 for name, values in runs.items()}
    # From one batch to the next, and among the ids of one batch as they were forwarded.
    totals["batches"] = score(range(len(ids)), ids)
    within = [
        score(range(PARTS), ids[at : at + PARTS]) for at in range(0, len(ids), PARTS)
    ]
    totals["within"] = sum(within) / RUNS**0.5
    return totals, passed


@pytest.fixture
def quick(monkeypatch):
    """Without waiting for disks, and with batches of several parts."""
    settings = [setting for setting in pool._SETTINGS if "synchronous" not in setting]
    monkeypatch.setattr(pool, "_SETTINGS", (*settings, "synchronous = OFF"))
    monkeypatch.setattr(batching, "MOST_IN_PART", IN_PART)


def test_batches_tell_neither_order_nor_ids_nor_times(tmp_path, quick):
    """40 batches of 120 reports in 6 parts: order, neighbours, parts, ids, one batch
    and the next.

    A correlation of .076 between order of arrival and order in a batch is found with
    probability .5, one of .15 with probability 1 - 1e-6.
    """
    totals, passed = scores(tmp_path)
    assert max(map(abs, totals.values())) < LIMIT, totals
    assert not passed


def rotated(items, draw):
    """Items from some place on, then those before it."""
    place = randbelow(len(items), draw)
    return [*items[place:], *items[:place]]


def near(items, draw):
    """Items near to where they were."""
    blocks = [items[at : at + IN_PART] for at in range(0, len(items), IN_PART)]
    return [item for block in blocks for item in shuffle(block, draw)]


def kept(items, _):
    """Items where they were."""
    return list(items)


@pytest.mark.parametrize(
    ("broken", "found"), [(kept, "order"), (near, "order"), (rotated, "neighbours")]
)
def test_a_relay_that_mixes_badly_is_found(tmp_path, quick, monkeypatch, broken, found):
    """One that does not mix, one that mixes what came together, one that rotates."""
    by_arrival = lambda items, draw: broken(sorted(items), draw)  # noqa: E731
    monkeypatch.setattr(batching, "shuffle", by_arrival)
    monkeypatch.setattr(forwarding, "shuffle", kept)
    monkeypatch.setattr(batching, "batch_id", _counter())
    monkeypatch.setitem(globals(), "RUNS", 10)
    totals, _ = scores(tmp_path)
    assert abs(totals[found]) > LIMIT, totals
    # Ids that count tell one batch from the next, whatever is in them.
    assert totals["batches"] > LIMIT


def test_a_relay_that_hands_ids_on_is_found(tmp_path, quick, monkeypatch):
    """One that names a part as a device had named its report."""
    devices = []
    claim = pool.Pool.claim

    def noted(self, epoch, names):
        devices.extend(id_ for id_, _ in names)
        return claim(self, epoch, names)

    monkeypatch.setattr(pool.Pool, "claim", noted)
    monkeypatch.setattr(batching, "batch_id", lambda *_: devices.pop())
    monkeypatch.setitem(globals(), "RUNS", 2)
    assert scores(tmp_path)[1]


def test_looks_do_not_wait_for_reports(tmp_path, monkeypatch):
    """They come when they are due, also where no report comes: batches follow on
    none.
    """
    monkeypatch.setattr("ldp_service.relay.writer._IDLE", 600.0)
    looks = []
    monkeypatch.setattr(
        "ldp_service.relay.writer.RelayWriter._look", lambda _: looks.append(1)
    )
    writer = relay_at(tmp_path / "relay.db", every=0.01)
    end = time.monotonic() + 90
    while len(looks) < 5:
        assert time.monotonic() < end
        time.sleep(0.002)
    writer.close()


def _counter():
    """Ids that count."""
    numbers = itertools.count()
    return lambda *_: next(numbers).to_bytes(16, "big")
