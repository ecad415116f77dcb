"""A share of `python -m lab.model_coverage`: every case runs, and one is held to it."""

import numpy as np
import pytest
from click.testing import CliRunner

from lab.model_coverage import regressions, weightings
from lab.model_coverage.__main__ import main
from lab.model_coverage.measuring import Measured, measure

CASES = [*regressions.cases(), *weightings.cases()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.what}: {case.name}")
def test_every_case(case):
    """Two runs: errors of the size of standard errors, within seven of them."""
    generator = np.random.default_rng(2)
    for _ in range(2):
        for seen in case.run(generator):
            assert seen.standard_error > 0
            assert abs(seen.error) < 7 * seen.standard_error


@pytest.mark.parametrize(
    "name", ["linear, epsilon 4", "raked, epsilon 1", "logit, equations, epsilon 2"]
)
def test_coverage(name):
    """600 runs: .95 within 4.9 Monte-Carlo errors and the band, as claimed of
    10,000.
    """
    case = next(case for case in CASES if case.name == name)
    measured = measure(case, 600)
    assert not measured.broken
    assert measured.ratio == pytest.approx(1, abs=0.16)


def test_errors_that_are_too_small_are_noticed():
    """Intervals of half the width hold the truth in two of three runs: a broken
    claim.
    """
    case = CASES[0]
    assert Measured(case, 10_000, coverage=0.67, bias=0, ratio=0.5, size=None).broken
    assert Measured(case, 10_000, coverage=0.95, bias=0, ratio=1, size=0.2).broken
    assert not Measured(
        case, 10_000, coverage=0.957, bias=0, ratio=1, size=0.049
    ).broken


def test_the_command(tmp_path):
    """It writes a row for each case, and says what does not hold by its exit code."""
    page = tmp_path / "page.md"
    words = ["--runs", "20", "--cases", "of a frame*", str(page)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0
    assert "| design weights, epsilon 2 | of a frame | 2,000 | 20 |" in page.read_text()
