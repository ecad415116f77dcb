"""The first start of an app: its state file is made once, whole, whoever else makes it
too.
"""

import subprocess
import sys
import threading

import pytest
from surveys import DEVICE_SURVEY
from watched_disk import WatchedDisk, folder_in_memory

from ldp_client import EmbeddedClient
from ldp_client.testing import RecordingTransport


@pytest.mark.parametrize("threads", [2, 8])
def test_threads_that_open_one_new_file_share_it(threads, tmp_path):
    """A client for each thread, as web frameworks have it: one of them records, and
    once.
    """
    state, collector, clients = tmp_path / "state", RecordingTransport(), []
    barrier = threading.Barrier(threads)

    def start():
        barrier.wait()
        client = EmbeddedClient(
            DEVICE_SURVEY, state=state, transport=collector, interval=None
        )
        client.record("once", "red")
        clients.append(client)

    running = [threading.Thread(target=start) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    for client in clients:
        client.flush(30)
        client.close()
    with EmbeddedClient(
        DEVICE_SURVEY, state=state, transport=collector, interval=None
    ) as client:
        assert len(client.ledger().charges) == 1
        assert client.status().state == "sound"
    assert len(collector.reports(DEVICE_SURVEY, "once")) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["state"]


STARTS = """
import errno, shutil, sys
from watched_disk import Fault, WatchedDisk
from surveys import DEVICE_SURVEY
from ldp_client import EmbeddedClient

disk = WatchedDisk(sys.argv[1])

def start():
    with EmbeddedClient(DEVICE_SURVEY, state=disk.files / "state", interval=None) as client:
        return client.record("once", "red"), client.status().state

def start_anew(fault):
    for file in disk.files.iterdir():
        file.unlink()
    disk.restart()
    if fault is not None:
        disk.fail(fault)
    start()
    writes = disk.count("write")
    disk.work("write")
    return writes

for number in range(start_anew(None)):
    for error in errno.ENOSPC, errno.EIO:
        for until in number + 1, number + 9, number + 1000:
            start_anew(Fault("write", number, error, until=until))
            _, state = start()
            with EmbeddedClient(DEVICE_SURVEY, state=disk.files / "state") as client:
                assert client.ledger().charges, (number, error, until, state)
print(number)
"""


@pytest.mark.needs("linux", "cc")
def test_a_disk_that_is_full_at_the_first_start_can_be_used_once_it_has_room():
    """Whichever write fails, once or from then on, the next start records."""
    with folder_in_memory() as folder:
        disk = WatchedDisk(folder)
        path = f"import sys; sys.path[:] = {sys.path!r}\n"
        command = [sys.executable, "-c", path + STARTS, folder]
        done = subprocess.run(
            command, check=False, env=disk.environment, capture_output=True, text=True
        )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 5
