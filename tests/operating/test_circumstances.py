"""What `ldp store doctor` says of a sound store besides: a clock that jumped, a full
disk.
"""

import os
import time

from calling import run
from collecting import wait_for
from pages import COMMUTE, TOKEN, answers, service_of, visitor

from ldp import parse_survey
from ldp_service.repair import circumstances


def test_page_and_doctor_say_that_the_clock_has_jumped(tmp_path, monkeypatch):
    """And so with the disk, which is full for the doctor where it is nearly so."""
    monkeypatch.setattr(circumstances, "LEAST_ROOM", 0)
    store = f"sqlite:///{tmp_path}/store.db"

    def before():
        return time.time() - 400 * 86_400

    with service_of(COMMUTE, folder=tmp_path, clock=before) as service:
        service.writer.write(answers(parse_survey(COMMUTE), 1, clock=before))
    with service_of(COMMUTE, folder=tmp_path) as service:
        service.writer.write(b"")
        wait_for(lambda: service.writer.clock_trouble is not None)
        words = service.writer.clock_trouble
        assert words.partition(";")[0] in visitor(service, TOKEN).get("/").text
        assert "ldp_clock_in_order 0.0" in visitor(service, TOKEN).get("/metrics").text
    assert f"besides: {words}" in run("store", "doctor", store).output
    room = os.statvfs(tmp_path)
    monkeypatch.setattr(circumstances, "LEAST_ROOM", room.f_blocks * room.f_frsize + 1)
    assert (
        "besides: expected room on the store's disk"
        in run("store", "doctor", store).output
    )
