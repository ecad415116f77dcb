"""Fuzzing the service, as far as there is time for: whatever is sent, it stays well and gives answers of its own."""

import pytest
from http_fuzz import FuzzingError, fuzz_bodies, fuzz_requests, resident
from running_service import running_service

from ldp_aggregator.service import intake

REQUESTS, BODIES, MOST_GROWTH = 4000, 200_000, 64


def test_requests(tmp_path):
    """Mutated requests get answers that there are, leave nothing in the log, and little in memory."""
    with running_service(tmp_path) as service:
        before = service.resident()
        statuses = fuzz_requests(service, REQUESTS, seed=2)
        assert service.resident() - before < MOST_GROWTH
        assert statuses[202] > REQUESTS // 10 < statuses[400]


def test_bodies():
    """Mutated bodies are counted, each batch under one of the outcomes that there are, and leave nothing in memory."""
    before = resident()
    outcomes = fuzz_bodies(BODIES, seed=2)
    assert resident() - before < MOST_GROWTH
    assert len(outcomes) >= 10
    assert outcomes["accepted"] > BODIES // 100


def test_fuzzing_finds_unequal_books(monkeypatch):
    """An intake that forgets to count damaged frames is found out."""
    monkeypatch.setattr(intake.FrameReader, "close", lambda _: [object()])
    with pytest.raises((FuzzingError, TypeError, AttributeError)):
        fuzz_bodies(100, seed=2)
