"""The example app: offline for a while, killed a few times, back again.

Its reports decode and its ledger explains.
"""

import os
import random
import subprocess
import sys
import time

import pytest
from calling import run
from places import EXAMPLES

from ldp import parse_survey
from ldp_aggregator import Ingest, estimate
from ldp_client.testing import assert_nothing_told
from ldp_client.tools.codegen import module

EXAMPLE = EXAMPLES / "notes"
SURVEY = parse_survey((EXAMPLE / "survey.toml").read_bytes())


@pytest.fixture
def app(tmp_path):
    """Starts the app; its notes, its state and its collector lie in folders of their
    own.
    """
    environment = {
        **os.environ,
        "NOTES_HOME": str(tmp_path / "home"),
        "NOTES_COLLECTOR": str(tmp_path / "collector"),
    }

    def start(*words, program=(sys.executable, EXAMPLE / "notes.py")):
        command = [*program, *words]
        return subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


def finished(process):
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return output


def arrived(reports):
    """The tally of what has come so far."""
    ingest = Ingest(SURVEY)
    if reports.exists():
        with reports.open("rb") as file:
            ingest.file(file)
    return ingest.tally


def test_generated_module_is_current():
    """The example's typed module is what `ldp client codegen` writes."""
    assert (EXAMPLE / "answers.py").read_text() == module(SURVEY)


def test_the_app_takes_part(app, tmp_path):
    """Nothing before consent; then reports wait, survive kills, arrive once, and
    decode.
    """
    finished(app("add", "before anybody agreed"))
    finished(app("privacy", "on"))
    draw = random.Random(4)
    for _ in range(6):
        process = app("add", "a note that is killed, perhaps")
        time.sleep(draw.random() * 0.3)
        process.kill()
        process.communicate()
    finished(app("passwords"))
    finished(app("passwords", "yes"))
    assert not (tmp_path / "collector").exists()

    (tmp_path / "collector").mkdir()
    reports = tmp_path / "collector" / "reports.ldp"
    end = time.monotonic() + 180
    # Each run sends for a second at most, which is not enough for all of it on every
    # machine.
    while (tally := arrived(reports)).reports("sensitive") < 1 or tally.reports(
        "kept"
    ) < 4:
        assert time.monotonic() < end
        time.sleep(0.5)
        output = finished(app("privacy"))
    assert tally.intake.rejected == {}
    assert tally.reports("sensitive") == 1
    assert set(estimate(tally)["kept"].values) == set(SURVEY["kept"].domain.values)

    assert "sensitive: epsilon 1.000000, charged once" in output
    assert "would be sent" in output
    assert (
        "Survey notes-2026: epsilon"
        in run("client", "ledger", tmp_path / "home" / "ldp.db").output
    )
    assert_nothing_told(
        ["rather not say", "1 to 9", "never chosen"],
        tmp_path / "collector",
        tmp_path / "home" / "ldp.db",
    )


def test_forgetting_stops_everything(app, tmp_path):
    """After `forget` the app keeps working, and reports nothing."""
    finished(app("privacy", "on"))
    finished(app("privacy", "forget"))
    (tmp_path / "collector").mkdir()
    finished(app("add", "a note"))
    assert finished(app("list")) == "a note\n"
    assert list((tmp_path / "collector").iterdir()) == []


@pytest.mark.needs("PyInstaller")
def test_the_app_is_frozen(app, tmp_path):
    """PyInstaller builds an app that records and sends, without a word about this
    package.
    """
    command = [
        sys.executable,
        "-m",
        "PyInstaller",
        "--noconfirm",
        "--log-level",
        "ERROR",
    ]
    command += ["--add-data", f"{EXAMPLE / 'survey.toml'}:.", "--paths", EXAMPLE]
    command += [
        "--distpath",
        tmp_path,
        "--workpath",
        tmp_path / "work",
        "--specpath",
        tmp_path,
    ]
    subprocess.run([*command, EXAMPLE / "notes.py"], check=True, timeout=300)
    frozen = [tmp_path / "notes" / "notes"]
    (tmp_path / "collector").mkdir()
    finished(app("privacy", "on", program=frozen))
    finished(app("passwords", "no", program=frozen))
    assert arrived(tmp_path / "collector" / "reports.ldp").reports("sensitive") == 1
