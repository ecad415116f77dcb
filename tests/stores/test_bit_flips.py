"""No bit that turns over in a store changes an estimate, thanks to our own checks."""

import re
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from lab.endurance.bit_flips import (
    HARMLESS,
    REFUSED,
    SILENT,
    STORE,
    UNTYPED,
    became_of,
    left,
    turn_bits,
)
from ldp_service.counting import books
from ldp_service.store.errors import StoreDamagedError
from ldp_service.store.records import Record
from ldp_service.store.witness import Witness

FLIPS = 1000


@pytest.fixture(scope="module")
def states():
    return left()


def fates(states, times):
    counts = Counter()
    for (_, fate), count in turn_bits(states, times, seed=5).items():
        counts[fate] += count
    return counts


def test_no_bit_changes_an_estimate(states):
    """Of a thousand bits none changes an estimate, then or later: it is refused or
    harmless.
    """
    counts = fates(states, FLIPS)
    assert counts[SILENT] == counts[UNTYPED] == 0
    assert counts[REFUSED] > FLIPS / 3
    assert counts[HARMLESS] > FLIPS / 10


def test_no_bit_renames_a_record(states):
    """SQLite takes a renamed record for a neighbour's, and is led astray by it in its
    search.
    """
    closed, counts = states[1], Counter()
    content = closed.files[STORE]
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("root", "survey", "tally", "intake", "ids", "closed"):
            for place in (
                match.start() for match in re.finditer(kind.encode(), content)
            ):
                for bit in range(8):
                    changed = bytearray(content)
                    changed[place] ^= 1 << bit
                    counts[
                        became_of(
                            closed.files | {STORE: bytes(changed)}, closed, Path(folder)
                        )
                    ] += 1
    assert counts.keys() <= {REFUSED, HARMLESS}
    assert counts[REFUSED] > 100


def test_what_sqlite_sees_is_not_enough(states, monkeypatch):
    """Without our checksums bits change estimates unseen: SQLite looks at structure,
    not rows.
    """

    def structure(snapshot, _, ids=True):
        if snapshot.complaints():
            raise StoreDamagedError

    monkeypatch.setattr(books, "check", structure)
    monkeypatch.setattr(Record, "sound", True)
    assert fates(states, FLIPS // 5)[SILENT] > 10


def test_the_end_of_a_log_needs_a_witness(states, monkeypatch):
    """Without the witness a bit of the log takes commits with it, unseen."""
    monkeypatch.setattr(Witness, "read", lambda _: None)
    assert fates(states[:1], FLIPS // 10)[SILENT] > 10
