"""The study of docs/analysis.md: what its made-up people are like."""

import runpy

from places import ROOT


def test_weeks_differ_where_they_should():
    """Each has as many readers, and more of those from the eighth on have had an
    affair.
    """
    study = runpy.run_path(str(ROOT / "examples" / "analysis.py"))
    shares = [
        float(week["affair"].mean()) for week in study["weeks"](study["people"]())
    ]
    assert len(shares) == 12
    assert max(shares[:7]) < min(shares[7:]) - 0.1
