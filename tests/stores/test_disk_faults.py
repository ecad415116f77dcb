"""A disk that fails, or is full, costs nothing that was acknowledged."""

import errno

import httpx
import pytest
from collecting import wait_for
from running_service import started
from watched_disk import Fault, WatchedDisk
from wire_samples import batch_of, file_of

from lab.endurance.disk_faults import tried

pytestmark = pytest.mark.needs("linux", "cc")

FIRST, SECOND, THIRD = (
    file_of(batch_of("symbol", 3, label)) for label in ("first", "second", "third")
)


def outcome(service, body):
    """What became of the one batch of an upload.

    None where the service refused it, to be sent again.
    """
    answer = httpx.post(f"{service.url}/v1/reports", content=body, timeout=60)
    if answer.status_code == 503:
        assert int(answer.headers["retry-after"]) > 0
        return None
    assert answer.status_code == 202
    return next(name for name in ("accepted", "duplicate") if answer.json()[name])


def test_faults_cost_nothing_acknowledged():
    """Whichever write or sync fails, acknowledged uploads stay, and none is
    acknowledged after.
    """
    well, words = tried(every=32)
    assert well, words


def test_a_service_says_what_its_disk_can_do(tmp_path):
    """503 as long as the disk is full, which is known without uploads, and said in one
    line.

    503 and the end after an error. Afterwards nothing acknowledged is missing.
    """
    disk = WatchedDisk(tmp_path / "disk")
    options = "--open-uploads", "--store", f"sqlite:///{disk.files / 'store'}"
    with started(tmp_path, *options, environment=disk.environment) as service:
        assert outcome(service, FIRST) == "accepted"
        disk.fail(Fault("write", disk.count("write"), errno.ENOSPC))
        wait_for(lambda: service.get("/readyz").status_code == 503)
        assert [outcome(service, SECOND) for _ in range(3)] == [None] * 3
        metrics = service.get("/metrics").text
        assert "ldp_ready 0.0" in metrics
        assert 'ldp_writer_trouble_total{why="full"}' in metrics
        assert len(service.complaints()) == 1
        disk.work("write")
        wait_for(lambda: service.get("/readyz").status_code == 200)
        assert [outcome(service, body) for body in (SECOND, FIRST)] == [
            "accepted",
            "duplicate",
        ]
        failing = disk.count("sync")
        disk.fail(Fault("sync", failing, errno.EIO, until=failing + 1))
        assert outcome(service, THIRD) is None
        assert service.process.wait(60) == 1
    with started(tmp_path, *options) as service:
        assert [outcome(service, body) for body in (FIRST, SECOND)] == ["duplicate"] * 2
        assert outcome(service, THIRD) is not None
