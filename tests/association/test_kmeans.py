"""examples/kmeans.py: its algorithm, and what it prints, on made-up people and on
Adult.
"""

import re
import runpy
import subprocess
import sys

import numpy as np
import pytest
from places import DATA, EXAMPLES, ROOT

PROGRAM = EXAMPLES / "kmeans.py"
ADULT = DATA / "adult.data"
EXAMPLE = runpy.run_path(str(PROGRAM))


def medians(*words):
    """Of a run, what private centres cost over plain ones, by epsilon and cells."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        check=True,
    )
    shares = [
        float(share) for share in re.findall(r"hours: (-?[0-9.]+) %", done.stdout)
    ]
    assert len(shares) == 4
    # Everyone is about one of the centres, and shares are rounded.
    assert sum(shares) == pytest.approx(100, abs=0.21)
    costs = re.findall(
        r"epsilon ([0-9.]+), ([0-9]+) x .* median ([0-9.]+)", done.stdout
    )
    return {(epsilon, int(cells)): float(median) for epsilon, cells, median in costs}


def test_centres_of_four_crowds():
    """The weighted mean of each, whatever else weighs nothing."""
    crowds = np.array(
        [(0.1, 0.1), (0.2, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9), (0.5, 0.5)]
    )
    centres = EXAMPLE["k_means"](crowds, np.array([3.0, 1, 2, 2, 2, 0]))
    expected = [(0.1, 0.9), (0.125, 0.1), (0.9, 0.1), (0.9, 0.9)]
    assert sorted(map(tuple, centres.tolist())) == [
        pytest.approx(centre) for centre in expected
    ]
    assert EXAMPLE["cost"](crowds[2:5], centres) == pytest.approx(0)


def test_made_up_people():
    """6,000 of them: noise costs less at epsilon 4, and there not much."""
    costs = medians("-c", "import kmeans; kmeans.main(people=6_000, surveys=5)")
    assert len(costs) == 8
    assert min(costs.values()) > 0.99
    assert costs["4", 8] < costs["0.5", 8]
    assert costs["4", 8] < 1.5


@pytest.mark.needs("adult.data")
def test_adult():
    """The same of 32,561 people: medians of nine, so within a fifth of those in
    docs/tables.md.
    """
    page = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    assert "examples/kmeans.py" in page
    costs = medians(str(PROGRAM), str(ADULT))
    for cells in (8, 16):
        row = next(
            line
            for line in page.splitlines()
            if line.startswith(f"| {cells} x {cells}")
        )
        stated = [float(median) for median in re.findall(r"\| ([0-9.]+) \(", row)]
        assert [costs[epsilon, cells] for epsilon in ("0.5", "1", "2", "4")] == [
            pytest.approx(median, rel=0.2) for median in stated
        ]
