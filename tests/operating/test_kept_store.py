"""A store that an earlier build wrote, whose bytes are kept: later builds have to go on
with it.

It has 60 respondents of two questions, uploaded twice. Whoever changes the form of a
store makes the next one read this one, or refuse it by name and give a way to take it
over; a store of a later form than is known is refused by name as well, with nothing
changed.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ldp import parse_survey
from ldp_aggregator import aggregate
from ldp_service.counting.served import Served
from ldp_service.repair.doctor import examine
from ldp_service.service import Service, Settings
from ldp_service.store.errors import StoreError
from ldp_service.upkeep.backup import restore

KEPT = Path(__file__).parent / "kept"
REPORTS = (KEPT / "kept.reports").read_bytes()
TEXT = (KEPT / "kept.toml").read_text(encoding="utf-8")
SURVEY = parse_survey(TEXT)
WRITTEN = 1_795_473_131.0
"""When it was, in its only epoch."""


@pytest.fixture
def path(tmp_path):
    """A copy, with what stands beside it."""
    for beside in ("", "-acknowledged"):
        shutil.copy(f"{KEPT}/kept.store{beside}", f"{tmp_path}/store.db{beside}")
    return tmp_path / "store.db"


def service_at(path):
    url = path if isinstance(path, str) else f"sqlite:///{path}"
    return Service([Served(SURVEY, TEXT)], url, Settings(), clock=lambda: WRITTEN)


def test_it_is_sound_and_says_what_was_counted(path):
    """The doctor finds nothing, and the tally is that of the reports."""
    assert examine(f"sqlite:///{path}", {}).troubles == ()
    with closing(service_at(path)) as service:
        tally = service.analysis.tally(service.catalogue.all[0])
    expected = aggregate(SURVEY, REPORTS)
    assert tally.counts.keys() == expected.counts.keys()
    for name, counts in expected.counts.items():
        assert (tally.counts[name] == counts).all(), name


def test_what_it_knows_is_no_news_and_it_goes_on(path):
    """The same upload once more is two duplicates."""
    with closing(service_at(path)) as service:
        assert service.writer.write(REPORTS).outcomes == {"duplicate": 2}
    # Programs that know nothing of the newest kinds of records refuse it from now on.
    with closing(sqlite3.connect(path)) as connection:
        assert [*connection.execute("PRAGMA user_version")] == [(2,)]


def test_it_moves_to_postgres_and_goes_on(path, postgres_server):
    """As a backup of the last release does; what it knew is known there."""
    url = postgres_server.emptied()
    restore(path, url, replaces=False)
    assert examine(url, {}).troubles == ()
    with closing(service_at(url)) as service:
        assert service.writer.write(REPORTS).outcomes == {"duplicate": 2}
        assert service.analysis.accounts().received == 6


def test_a_later_form_is_refused_by_name(path):
    """A store of version 3 is left as it is."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 3")
    before = path.read_bytes()
    with pytest.raises(
        StoreError, match=r"expected a store of version 2.* got version 3: a later rel"
    ):
        service_at(path)
    assert path.read_bytes() == before
