"""What was acknowledged outlives a loss of power, at any moment."""

import random

import pytest
from durable_work import expected
from lost_power import Disk, Loss
from watched_disk import folder_in_memory

from lab.endurance.power_losses import UPLOADS, lose_power, watched

pytestmark = pytest.mark.needs("linux", "cc")


@pytest.fixture(scope="module")
def disk():
    with folder_in_memory() as folder:
        yield watched(folder)


def test_the_log_tells_everything(disk):
    """All that was recorded, done again, gives the very files that are there."""
    again = Disk(disk.files, random.Random(0))
    for record in disk.records():
        again.happen(record)
    left = again.after(Loss(512, 1, b"\0"))
    assert left == {str(path): path.read_bytes() for path in disk.files.iterdir()}


def test_the_work_is_worth_it():
    """Uploads come again, hold damage, and fall into several epochs."""
    state = expected(UPLOADS)
    assert (
        min(state.outcomes[name] for name in ("accepted", "duplicate", "frame-damaged"))
        > 20
    )
    assert len(state.ids) > 5


def test_power_losses_lose_nothing_acknowledged(disk):
    """In 1,000 states after a loss of power each acknowledged upload is there, once."""
    assert not lose_power(disk, 1000, seed=1)


@pytest.mark.parametrize("setting", ["OFF", "NORMAL"])
def test_without_syncs_acknowledged_uploads_are_lost(setting):
    """The same losses are noticed with a store that syncs less than it should."""
    with folder_in_memory() as folder:
        wrong = lose_power(watched(folder, f"synchronous = {setting}"), 50, seed=1)
    assert any(what.startswith("lost") for what in wrong)
