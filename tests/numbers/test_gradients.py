"""examples/gradients.py: what it prints, on made-up people, and on Adult where that is
there.
"""

import re
import subprocess
import sys

import pytest
from places import DATA, EXAMPLES, ROOT

PROGRAM = EXAMPLES / "gradients.py"
ADULT = DATA / "adult.data"

MADE_UP = "import gradients; gradients.main(people=6_000)"


def printed(*words):
    """The lines of a run."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def check(lines):
    """Each epoch is spent for; learning without being seen comes near to learning in
    the clear.
    """
    assert len(lines) == 7
    losses = [float(loss) for loss in re.findall(r"loss ([0-9.]+)", "\n".join(lines))]
    spent = [
        float(epsilon)
        for epsilon in re.findall(r"epsilon ([0-9.]+) spent", "\n".join(lines))
    ]
    assert spent == [1.0, 2.0, 4.0, 8.0]
    clear, at_four = losses[1], losses[5]
    # ln 2 is the loss of knowing nothing.
    assert clear < 0.55
    assert at_four < 0.62


def test_made_up_people():
    """6,000 people: the lines are there, and something is learned."""
    check(printed("-c", MADE_UP))


@pytest.mark.needs("adult.data")
def test_adult():
    """The same of 26,048 people, as docs/vectors.md tells it."""
    check(printed(str(PROGRAM), str(ADULT)))


def test_the_page_names_the_program():
    """Those who read of it find it."""
    assert "examples/gradients.py" in (ROOT / "docs" / "vectors.md").read_text(
        encoding="utf-8"
    )
