"""The walk of the service's page: apps, and a service that is killed while they
send.
"""

import os
import subprocess
import sys

from calling import run
from pages import UPLOADING
from places import EXAMPLES
from running_service import started

from ldp import parse_survey
from ldp_aggregator.tallies.counting.counting import total_reports
from ldp_aggregator.tallies.tally_file import decode_tally

EXAMPLE = EXAMPLES / "notes"
SURVEY = EXAMPLE / "survey.toml"
PEOPLE = 8


def use(home, collector):
    """Somebody uses the app, having agreed to take part."""
    environment = {
        "NOTES_HOME": str(home),
        "NOTES_COLLECTOR": collector,
        "NOTES_TOKEN": UPLOADING,
    }
    command = [sys.executable, EXAMPLE / "notes.py", "privacy", "on"]
    return subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.DEVNULL
    )


def served_tally(service, survey):
    """The service's tally."""
    return decode_tally(
        service.get("/v1/surveys/notes-2026/tally").raise_for_status().content, survey
    )


def test_nothing_is_lost_on_the_way(tmp_path):
    """Apps send while the service is killed, and to the next one: each report counts
    once.
    """
    survey = parse_survey(SURVEY.read_bytes())
    homes = [tmp_path / str(number) for number in range(PEOPLE)]
    options = {"survey": SURVEY.read_text()}
    with started(tmp_path, "--keep-reports", "30", **options) as service:
        assert [use(home, service.url).wait(60) for home in homes[: PEOPLE // 2]] == [
            0
        ] * (PEOPLE // 2)
        before = served_tally(service, survey)
        sending = [use(home, service.url) for home in homes[PEOPLE // 2 :]]
        service.process.kill()
        assert [sender.wait(60) for sender in sending] == [0] * len(sending)
    # At the same address: a device gives nothing more to another one within a lifetime.
    port = int(service.url.rpartition(":")[2])
    with started(tmp_path, "--keep-reports", "30", port=port, **options) as service:
        again = served_tally(service, survey)
        for name, counts in before.counts.items():
            assert (again.counts[name] >= counts).all()
        assert [use(home, service.url).wait(60) for home in homes] == [0] * PEOPLE
        tally = served_tally(service, survey)
    # Memoized questions are answered at every use; the other one once by a device, if
    # its person wants to.
    assert (
        total_reports(tally.counts["sensitive"], survey["sensitive"].layout) <= PEOPLE
    )
    assert (
        PEOPLE
        <= total_reports(tally.counts["kept"], survey["kept"].layout)
        <= 2 * PEOPLE
    )
    store = f"sqlite:///{tmp_path}/ldp.db"
    run("store", "export", store, "-o", tmp_path / "kept", "-q")
    [exported] = (tmp_path / "kept").glob("*.ldp")
    run("aggregate", SURVEY, exported, "-o", tmp_path / "one.tally", "-q")
    elsewhere = decode_tally((tmp_path / "one.tally").read_bytes(), survey)
    assert {name: counts.tolist() for name, counts in elsewhere.counts.items()} == {
        name: counts.tolist() for name, counts in tally.counts.items()
    }
    assert elsewhere.intake.accepted == tally.intake.accepted
    run("store", "doctor", store)
