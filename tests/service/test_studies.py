"""examples/studies.py: three studies through real clients and a real service, beside
the truth.
"""

import math
import runpy

import pytest
from places import EXAMPLES, ROOT

import ldp

PEOPLE = 2_000
EXAMPLE = runpy.run_path(str(EXAMPLES / "studies.py"))
STUDIES, EPSILONS = EXAMPLE["STUDIES"], EXAMPLE["EPSILONS"]


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_what_is_collected_is_near_the_truth(name, epsilon):
    """Of 2,000 people, within one and a half lengths of the interval: six standard
    errors.

    Intervals that are cut at 0 or 1, or at the range of minutes, say less and are left
    out.
    """
    study = STUDIES[name](PEOPLE)
    survey = ldp.survey(name, study.question(epsilon))
    lines = list(
        study.results(EXAMPLE["collected"](survey, study.answers), study.answers)
    )
    assert len(lines) >= 3
    whole = [line for line in lines if 0 < line.interval[0] < line.interval[1] < 1]
    for line in whole:
        low, high = line.interval
        assert abs(line.estimate - line.truth) < 1.5 * (high - low)
    assert whole or epsilon == 1
    assert all(math.isfinite(line.truth) for line in lines)


def test_it_prints_all_studies(capsys):
    """Plan, simulation, estimates and truth, at both epsilons."""
    EXAMPLE["main"](people=500)
    printed = capsys.readouterr().out
    for name in STUDIES:
        for epsilon in EPSILONS:
            assert f"{name}, epsilon {epsilon}:" in printed
    assert printed.count("of the intervals of shares hold the truth") == 6
    assert "in truth" in printed


def test_the_page_names_the_program():
    """Those who read of it find it."""
    assert "examples/studies.py" in (ROOT / "docs" / "studies.md").read_text(
        encoding="utf-8"
    )
