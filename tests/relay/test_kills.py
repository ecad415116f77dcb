"""A share of what `lab/endurance/relay_kills.py` does at length."""

import pytest
from pools import SIZE, envelope_in, envelopes_of

from lab.endurance.relay_kills import JUMPS, LEAST, Trial, trial
from ldp.wire.sealed import Mixed


def test_a_relay_that_is_killed_loses_nothing_and_sends_nothing_twice():
    """Every acknowledged report is in exactly one batch of at least the least
    number.
    """
    reports, batches, _ = trial(12, seed=7)
    assert reports >= 12
    assert batches >= 1


def test_so_it_is_where_its_clock_jumps():
    """Ahead and back, by days and by more than a year, at every look: it closes no
    epoch.
    """
    reports, batches, _ = trial(8, seed=9, jumps=JUMPS)
    assert reports >= 12
    assert batches >= 1


def test_a_relay_that_does_so_is_found(tmp_path):
    """The check sees a report that is lost, one that comes twice, and a batch that is
    too small.
    """

    def mixed(number, envelopes):
        return Mixed(
            b"f" * 16,
            b"%016d" % number,
            len(envelopes),
            envelopes=b"".join(envelopes),
            batch=b"%016d" % number,
            size=len(envelopes),
            least=LEAST,
        )

    running = Trial(tmp_path, 1)
    running.live(0.0, 2 * LEAST)
    running.acknowledged = set(range(2 * LEAST))
    envelopes = sorted({envelope_in(frame) for frame in running.frames})
    parts = running.collector.parts
    parts[b"1"] = mixed(1, envelopes)
    assert sorted(envelopes_of(parts.values())) == sorted(envelopes)
    assert running.check() == 1
    wrong = {
        "lost": {b"1": mixed(1, envelopes[1:])},
        "twice": {b"1": mixed(1, envelopes), b"2": mixed(2, envelopes[:LEAST])},
        "below": {b"1": mixed(1, envelopes[:-3]), b"2": mixed(2, envelopes[-3:])},
        "no device": {b"1": mixed(1, [*envelopes, bytes(SIZE)])},
    }
    for what, others in wrong.items():
        parts.clear()
        parts.update(others)
        with pytest.raises(AssertionError, match=what):
            running.check()
