"""Embedded clients of the TypeScript package against the real service.

Skipped where node or the built client is missing.
"""

import json

import pytest
from pages import TOKEN, UPLOADING
from running_service import running_service
from test_js_client import run_js

from ldp import parse_survey
from ldp.survey.compiled import compile_survey
from ldp_client import EmbeddedClient

pytestmark = pytest.mark.needs("node", "built client")

TEXT = """
[survey]
name = "embedded"
joint = [["car", "bike"]]

[[question]]
name = "car"
text = "Do you have a car?"
type = "boolean"
mechanism = "warner"
epsilon = "1"

[[question]]
name = "bike"
text = "Do you have a bike?"
type = "boolean"
mechanism = "warner"
epsilon = "2"

[[question]]
name = "mood"
text = "How are you?"
type = "category"
values = ["good", "bad", "neither"]
mechanism = "rappor"
p = "0.1"
q = "0.9"
f = "0.5"
memoized_values = 2
"""
DEVICES = 10


def test_what_devices_were_charged_for_is_counted_once(tmp_path):
    """After a token that was wrong, each batch is counted; the ledger says what
    Python's does.
    """
    survey = parse_survey(TEXT)
    answers = {"mood": "bad"}
    together = {"bike": True, "car": False}
    with running_service(tmp_path, survey=TEXT) as service:
        outcomes = json.loads(
            run_js(
                "embed.js",
                survey=json.dumps(compile_survey(survey)),
                devices=[{"answers": answers, "together": together}] * DEVICES,
                collector=service.url,
                token=UPLOADING,
            )
        )
        accounts = service.accounts()
        estimates = service.get("/v1/surveys/embedded/estimates", TOKEN).json()
    with EmbeddedClient(survey, state=None) as client:
        client.record("mood", "bad")
        client.record_together(together)
        spent = client.ledger().epsilon()
    for outcome in outcomes:
        assert outcome["before"] == [False, "status 401", 2]
        assert outcome["after"] == [True, {"accepted": 2}, 0]
        assert outcome["spent"] == pytest.approx(spent, abs=1e-9)
    counted = {name: count for name, count in accounts.items() if "accepted" in name}
    assert (
        sum(counted.values()) == accounts["ldp_batches_received_total"] == 2 * DEVICES
    )
    for name in ("car", "bike", "mood"):
        assert estimates["questions"][name]["reports"] == DEVICES
