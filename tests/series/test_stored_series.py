"""`ldp analyze trend` reads the epochs of a service's store, while that may go on."""

import json
import time
from contextlib import contextmanager

import numpy as np
import pytest
from calling import run
from pages import visitor

from ldp import parse_survey
from ldp.numbers.epochs import batch_id
from ldp.numbers.randomness import system
from ldp.wire.wire import Batch, encode_batch, encode_frame
from ldp_aggregator import Tally, estimate, follow
from ldp_aggregator.analyses.series.changes import ALARM_RATE, POPULATION, changes_in
from ldp_aggregator.commands.analyses.trend import CHANGED
from ldp_service.counting.publication import LIVE
from ldp_service.counting.served import Served
from ldp_service.service import Service, Settings
from ldp_service.store.records import last_closed_epochs
from ldp_simulations import Holders
from ldp_simulations.sampling.table import sample_counts

HOUR = 3600
TEXT = """
[survey]
name = "hours"
epoch = "1h"
grace = "2h"
[[question]]
name = "mood"
type = "category"
values = ["bad", "fair", "good"]
mechanism = "grr"
epsilon = "3"
"""
REPORTS = 1_000


@pytest.fixture
def store(tmp_path):
    """The URL of a store with eight hours, of which the fourth has no reports."""
    survey, clock = parse_survey(TEXT), [100.0 * HOUR]
    url = f"sqlite:///{tmp_path}/s.db"
    service = Service(
        [Served(survey, TEXT)], url, Settings(publication=LIVE), clock=lambda: clock[0]
    )
    question, generator = survey["mood"], np.random.default_rng(4)
    for hour in range(8):
        clock[0] = (100.5 + hour) * HOUR
        if hour == 3:
            continue
        shares = (0.5, 0.3, 0.2) if hour < 5 else (0.2, 0.3, 0.5)
        rows = generator.choice(3, REPORTS, p=shares).astype(np.uint8).tobytes()
        id_ = batch_id(system, question.epoch, clock[0])
        batch = Batch(question.fingerprint, id_, REPORTS, rows=rows)
        answer = visitor(service).post(
            "/v1/reports", content=encode_frame(encode_batch(batch))
        )
        assert answer.json()["accepted"] == 1
    service.close()
    return url


def test_epochs_of_a_store(store, tmp_path):
    """All hours with their numbers, the one without reports as well; a change, and no
    epochs.
    """
    path = tmp_path / "survey.toml"
    path.write_text(TEXT)
    record = json.loads(run("analyze", "trend", path, store, "--format", "json").stdout)
    epochs = record["values"][0]["epochs"]
    assert [epoch["epoch"] for epoch in epochs] == list(range(100, 108))
    assert [epoch["reports"] for epoch in epochs] == [
        REPORTS * (hour != 3) for hour in range(8)
    ]
    assert record["values"][0]["since"] == [105]
    run("analyze", "trend", path, store, "--alert", "--value", "good", code=CHANGED)
    run(
        "analyze", "trend", path, store, "--alert", "--value", "good", "--still-open", 3
    )
    path.write_text(TEXT.replace('epsilon = "3"', 'epsilon = "2"'))
    assert "got none" in run("analyze", "trend", path, store, code=1).output


@contextmanager
def reopened(store, hour):
    """A service on the store at an hour, when it has closed all epochs that it may."""
    served = [Served(parse_survey(TEXT), TEXT)]
    settings = Settings(confirm_clock=True)
    service = Service(served, store, settings, clock=lambda: hour * HOUR)
    try:
        for _ in range(200):
            with service.analysis._snapshot() as snapshot:
                if last_closed_epochs(snapshot).get(HOUR, 0) > hour - 5:
                    break
            time.sleep(0.05)
        yield service
    finally:
        service.close()


@pytest.mark.parametrize(("hour", "changed"), [(107.9, False), (200.0, True)])
def test_a_service_tells_of_a_change(store, hour, changed):
    """In health, metrics and on its page, of closed epochs, with the rate of false
    alarms.
    """
    with reopened(store, hour) as service:
        served, analyst = service.catalogue.all[0], visitor(service)
        known = analyst.get("/v1/surveys/hours/health").json()["changes"]["mood"]
        assert known["alarm"] is changed
        assert known["alarm_rate"] == ALARM_RATE
        metrics = analyst.get("/metrics").text
        labels = f'{{question="mood",survey="hours",version="{served.fingerprint}"}}'
        assert f"ldp_changed{labels} {float(changed)}" in metrics
        assert "false alarms ever: at most 0.01" in metrics
        page = analyst.get("/").text
        assert ("changed by epoch" in page) is changed
        if changed:
            assert known["evidence"] > 100
            assert known["by"] >= 105
            assert {"value": "good", "since": [105]} in known["values"]


def test_changes_are_those_of_trends():
    """The same evidence; what cannot be tested says why, and is no alarm."""
    survey, generator = parse_survey(TEXT), np.random.default_rng(5)
    history = []
    for hour in range(8):
        tally = Tally.empty(survey)
        shares = (0.5, 0.3, 0.2) if hour < 5 else (0.2, 0.3, 0.5)
        holders = Holders(
            ("bad", "fair", "good"), generator.multinomial(REPORTS, shares)
        )
        tally.counts["mood"] += sample_counts(survey["mood"], holders, generator)
        history.append((hour, estimate(tally, options=POPULATION)["mood"]))
    changes, trends = changes_in(history), follow(history)
    assert changes.evidence == pytest.approx(trends.evidence.max())
    assert changes.values == {
        course.value: course.since for course in trends.changed if course.has_evidence
    }
    assert "bad (since 5)" in str(changes)
    assert not changes_in(history, still_open=3).alarm
    for some in ([], history[:1]):
        assert not changes_in(some).alarm
        assert "not tested" in str(changes_in(some))
    assert changes_in(history[:4]).to_dict()["values"] == []
