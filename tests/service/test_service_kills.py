"""The service is killed under load, and loses and doubles nothing that it acknowledged."""

from service_kills import acknowledging_early, kill_often

KILLS = 25


def test_kills(tmp_path):
    """After twenty-five kills the store holds each acknowledged batch once, and accounts add up."""
    problems, acknowledged = kill_often(tmp_path, KILLS, seed=2)
    assert problems == []
    assert acknowledged > KILLS


def test_kills_find_early_acknowledgements(tmp_path):
    """A service that answers before it commits is found by a few kills, at telling moments."""
    problems, _ = kill_often(tmp_path, 8, seed=3, altered=acknowledging_early)
    assert any("acknowledged" in problem for problem in problems)
