"""Tutorials work from the first line to the last, in a folder with nothing in it."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from pages import TOKEN
from places import ROOT
from running_service import request, started

from ldp_client import Client, parse_survey, report_bytes

PROGRAMS = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def page(name):
    """The text of a tutorial."""
    return (ROOT / "docs" / "tutorials" / f"{name}.md").read_text(encoding="utf-8")


def commands(text):
    """The lines of its console blocks."""
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]


def typed(line, folder, **variables):
    """What a shell prints that is given the line."""
    environment = os.environ | {"PATH": PROGRAMS} | variables
    done = subprocess.run(
        ("sh", "-c", line),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    return done.stdout


def flags_of(line):
    """Those of a service's command."""
    program, verb, _, *flags = shlex.split(line)
    assert (program, verb) == ("ldp", "serve")
    return flags


def test_a_question_in_two_minutes(tmp_path):
    """A file and two commands: the page is there, and an answer of it is counted and
    shown.
    """
    text = page("two-minutes")
    (survey,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    simulated, served = commands(text)
    (tmp_path / "smoking.toml").write_text(survey)
    assert "1,000 reports" in typed(simulated, tmp_path)
    with started(tmp_path, *flags_of(served), survey=survey) as service:
        link = f"{service.url}/s/smoking/"
        assert f"smoking is answered at {link}" in service.log.read_text()
        assert service.get("/s/smoking/").status_code == 200
        report = Client(parse_survey(survey)).record("smoker", True)
        # As the page does: without a token.
        upload = request(report_bytes([report]), token="")
        assert service.exchange(upload).status == 202
        estimates = service.get("/v1/surveys/smoking/estimates?format=json").json()
    assert estimates["questions"]["smoker"]["reports"] == 1


def test_telemetry_of_a_command_line(tmp_path):
    """The survey stands in Python there. All but the audit, which takes half a
    minute.
    """
    text = page("telemetry")
    (survey,) = re.findall(r'SURVEY = """\n(.*?)"""', text, re.DOTALL)
    served, *lines = [line for line in commands(text) if "ldp client test" not in line]
    (tmp_path / "telemetry.toml").write_text(survey)
    with started(tmp_path, *flags_of(served), survey=survey) as service:
        report = Client(parse_survey(survey)).record("command", "build")
        assert service.exchange(request(report_bytes([report]), token="")).status == 202
        for line in lines:
            typed(
                line.replace("http://127.0.0.1:8000", service.url),
                tmp_path,
                TOKEN=TOKEN,
            )
    assert "How mytool is used" in (tmp_path / "public" / "index.html").read_text()
    for line in re.findall(r"`(ldp (?:plan|explain) telemetry[^`]*)`", text):
        assert typed(line, tmp_path)


def test_the_sheet_of_a_class(tmp_path):
    """Its survey can be asked with two coins."""
    text = page("coins")
    (survey,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "copying.toml").write_text(survey)
    (printed,) = commands(text)
    typed(printed, tmp_path)
    assert "Have you ever copied" in (tmp_path / "sheet.html").read_text(
        encoding="utf-8"
    )
