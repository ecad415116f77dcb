"""`ldp trend` reads the epochs of a service's store, while that may go on."""

import json

import numpy as np
import pytest
from calling import run
from pages import visitor

from ldp import parse_survey
from ldp.epochs import batch_id
from ldp.randomness import system
from ldp.wire import Batch, encode_batch, encode_frame
from ldp_aggregator.commands.analyses.trend import CHANGED
from ldp_aggregator.service.counting.publication import LIVE
from ldp_aggregator.service.counting.served import Served
from ldp_aggregator.service.service import Service, Settings

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
        answer = visitor(service).post("/v1/reports", content=encode_frame(encode_batch(batch)))
        assert answer.json()["accepted"] == 1
    service.close()
    return url


def test_epochs_of_a_store(store, tmp_path):
    """All hours with their numbers, the one without reports as well; a change, and no epochs."""
    path = tmp_path / "survey.toml"
    path.write_text(TEXT)
    record = json.loads(run("trend", path, store, "--format", "json").stdout)
    epochs = record["values"][0]["epochs"]
    assert [epoch["epoch"] for epoch in epochs] == list(range(100, 108))
    assert [epoch["reports"] for epoch in epochs] == [REPORTS * (hour != 3) for hour in range(8)]
    assert record["values"][0]["since"] == [105]
    run("trend", path, store, "--alert", "--value", "good", code=CHANGED)
    run("trend", path, store, "--alert", "--value", "good", "--still-open", 3)
    path.write_text(TEXT.replace('epsilon = "3"', 'epsilon = "2"'))
    assert "got none" in run("trend", path, store, code=1).output
