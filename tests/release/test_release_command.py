"""`python -m release`, called as people call it."""

import subprocess
import sys

from places import ROOT


def test_help_is_no_traceback():
    """It was taken for the name of a folder."""
    words = [sys.executable, "-m", "release", "--help"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "python -m release" in done.stdout
    assert not done.stderr
