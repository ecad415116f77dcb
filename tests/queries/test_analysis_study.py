"""The study of docs/analysis.md from files: its commands, as a reader would type them."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

PAGE = ROOT / "docs" / "analysis.md"


def commands():
    """The lines of the page's console blocks."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]


@pytest.mark.needs("bash")
def test_the_study_runs_from_files(tmp_path):
    """Every command succeeds, and leaves the pictures and the page that it promises."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    lines = commands()
    assert len(lines) >= 12
    for line in lines:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
    files = {path.name for path in (tmp_path / "study").iterdir()}
    assert {"children.svg", "weeks.svg", "report.html", "people.tally"} <= files


def test_weeks_differ_where_they_should():
    """Each has as many readers, and more of those from the eighth on have had an affair."""
    study = runpy.run_path(str(ROOT / "examples" / "analysis.py"))
    shares = [float(week["affair"].mean()) for week in study["weeks"](study["people"]())]
    assert len(shares) == 12
    assert max(shares[:7]) < min(shares[7:]) - 0.1
