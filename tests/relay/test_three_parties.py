"""The walk of docs/relay.md: devices, a hop, a relay and a collector, each a process of
its own.
"""

import subprocess
import sys

from places import EXAMPLES


def test_from_a_device_to_a_page_and_a_certificate():
    """Through the commands that the parties would run; the page says both figures."""
    walk = [sys.executable, EXAMPLES / "three_parties.py", "--hop"]
    done = subprocess.run(
        walk, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "reports, mixed by relay.example: (0." in done.stdout
    assert "if relay and collector are apart, epsilon 1.1 if not" in done.stdout
    assert done.stdout.count("worked out: ") == 9
    assert "NOT SO" not in done.stdout
