"""Fuzzing the service: whatever is sent, it stays well and gives answers of its own."""

import pytest
from running_service import running_service

from lab.endurance.http_fuzz import FuzzingError, fuzz_bodies, fuzz_requests, resident
from ldp_service.counting.admission import Admission

REQUESTS, BODIES, MOST_GROWTH = 4000, 200_000, 64


def test_requests(tmp_path):
    """Mutated requests get known answers, leave nothing in the log, and little in
    memory.
    """
    with running_service(tmp_path) as service:
        before = service.resident()
        statuses = fuzz_requests(service, REQUESTS, seed=2)
        assert service.resident() - before < MOST_GROWTH
        assert statuses[202] > REQUESTS // 10 < statuses[400]


def test_bodies():
    """Mutated bodies are counted, each batch under a known outcome, and leave nothing
    in memory.
    """
    before = resident()
    outcomes = fuzz_bodies(BODIES, seed=2)
    assert resident() - before < MOST_GROWTH
    assert len(outcomes) >= 10
    assert outcomes["accepted"] > BODIES // 100


def test_fuzzing_finds_unequal_books(monkeypatch):
    """An admission that says nothing of the last batch of a turn is found out."""
    whole = Admission._outcomes

    def short(self, turn, entries, now):
        return [*whole(self, turn, entries[:-1], now=now), "accepted"]

    monkeypatch.setattr(Admission, "_outcomes", short)
    with pytest.raises(FuzzingError, match="as many outcomes as batches"):
        fuzz_bodies(100, seed=2)
