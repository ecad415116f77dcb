"""The service is killed under load, and loses and doubles nothing that it
acknowledged.
"""

import pytest

from lab.endurance.service_kills import acknowledging_early, kill_often


@pytest.mark.parametrize(
    "kills",
    [pytest.param(2, marks=pytest.mark.fast("kills of a service")), 25],
)
def test_kills(tmp_path, kills):
    """After some kills the store holds each acknowledged batch once, and accounts add
    up.
    """
    problems, acknowledged = kill_often(tmp_path, kills, seed=2)
    assert problems == []
    assert acknowledged > kills


def test_kills_find_early_acknowledgements(tmp_path):
    """A service that answers before it commits is found by a few kills, at telling
    moments.
    """
    problems, _ = kill_often(tmp_path, 8, seed=3, altered=acknowledging_early)
    assert any("acknowledged" in problem for problem in problems)
