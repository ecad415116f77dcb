"""Several processes of one service: they count as one, and end as one."""

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from collecting import wait_for
from hostile_http import fresh
from pages import TOKEN, UPLOADING, write_tokens
from running_service import LDP, started
from wire_samples import TEXT

from ldp.errors import LDPError
from ldp_service.commands import running
from ldp_service.commands import workers as several
from ldp_service.commands.serve import serve
from ldp_service.commands.serve_options import ServeOptions
from ldp_service.http.metrics import SHARED

SENT = 40


def upload(service):
    """The status of an upload over a connection of its own."""
    headers = {"authorization": f"Bearer {UPLOADING}"}
    answer = httpx.post(
        f"{service.url}/v1/reports", content=fresh(), headers=headers, timeout=60
    )
    return answer.status_code


def told(service, name):
    """The values of a metric, one for each connection that asks."""
    answers = [service.get("/metrics").text for _ in range(6)]
    return [
        float(line.rpartition(" ")[2])
        for answer in answers
        for line in answer.splitlines()
        if line.startswith(name)
    ]


def test_workers_are_scraped_as_one(tmp_path, postgres_server):
    """Whichever of them is asked says what all of them have answered, and whether all
    are ready.
    """
    store = postgres_server.emptied()
    with started(
        tmp_path, "--store", store, "--workers", "2", "--drain", "3"
    ) as service:
        with ThreadPoolExecutor(SENT) as pool:
            # At once, so that no worker takes all of them.
            assert {*pool.map(lambda _: upload(service), range(SENT))} == {202}
        assert told(service, 'ldp_uploads_total{status="202"}') == [SENT] * 6
        assert told(service, "ldp_upload_seconds_count") == [SENT] * 6
        assert told(service, "ldp_batches_received_total") == [SENT] * 6
        assert told(service, "ldp_ready") == [1] * 6
        assert service.get("/readyz", TOKEN).status_code == 200
        assert service.complaints() == []
        one_cannot_begin(service, tmp_path)
        renewed(service, tmp_path)
        told_to_stop(service)
        # Not ready, and still there for those who have not noticed.
        assert upload(service) == 202
        assert service.process.wait(90) == 0


def one_cannot_begin(service, folder):
    """In the place of one that was killed: the other goes on, until a third can."""
    survey = (folder / "survey.toml").rename(folder / "away.toml")
    killed, other = workers(service)
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: "could not begin in the place" in service.log.read_text())
    assert upload(service) == 202
    survey.rename(folder / "survey.toml")
    wait_for(
        lambda: (
            len({*workers(service), other}) == 2
            and told(service, "ldp_ready") == [1] * 6
        )
    )
    # Tried again and again meanwhile, and said once.
    assert service.log.read_text().count("could not begin in the place") == 1
    assert "was ended by signal 9" in service.log.read_text()
    assert upload(service) == 202


def told_to_stop(service):
    """In the middle of a renewal, and workers twice, as by a terminal or systemd."""
    before = workers(service)
    service.process.send_signal(signal.SIGHUP)
    wait_for(lambda: service.log.read_text().count("are read anew") == 2)
    service.process.terminate()
    wait_for(lambda: service.get("/readyz").status_code == 503)
    # Those who have answered all along are the ones that end, and no others were waited
    # for.
    assert {*before} <= {*workers(service)}
    for process in before:
        os.kill(process, signal.SIGTERM)


def workers(service):
    """The processes that serve."""
    children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
    return [
        int(child)
        for child in children.read_text().split()
        if "spawn_main" in line_of(child)
    ]


def line_of(process):
    """Its command line; none of one that has just ended, as those do that cannot
    begin.
    """
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""


def renewed(service, folder):
    """A survey with a mistake changes nothing; one that is new reaches all workers."""

    def names():
        answers = [service.get("/v1/surveys").json()["surveys"] for _ in range(6)]
        return {survey["name"] for answer in answers for survey in answer}

    (folder / "survey.toml").write_text("[survey")
    service.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "goes on with what it had" in service.log.read_text())
    assert names() == {"example"}
    (folder / "survey.toml").write_text(TEXT.replace('"example"', '"renewed"', 1))
    before = workers(service)
    service.process.send_signal(signal.SIGHUP)

    def all_are_new():
        # Whoever is asked meanwhile is ready: the service is.
        try:
            assert service.get("/readyz").status_code == 200
        except (
            httpx.TransportError
        ):  # it came later than a worker that ends waits for: try again
            return False
        return not {*before} & {*workers(service)}

    wait_for(all_are_new)
    assert names() == {"renewed"}


def test_workers_end_with_their_parent(tmp_path, postgres_server):
    """Also where it was killed: nobody would begin them anew, or tell them to end."""
    store = postgres_server.emptied()
    with started(
        tmp_path, "--store", store, "--workers", "2", "--drain", "0"
    ) as service:
        left = workers(service)
        assert len(left) == 2
        service.process.kill()
        wait_for(lambda: not any("spawn_main" in line_of(process) for process in left))


@pytest.fixture
def options(tmp_path):
    """What a service was asked for that was told that its clock is right."""
    asked = dict.fromkeys(parameter.name for parameter in serve.params)
    return ServeOptions.of(asked | {"workers": 1, "confirm_clock": True})


def test_a_clock_is_confirmed_for_a_start_alone(options, monkeypatch, tmp_path):
    """SIGHUP renews certificates, a worker follows one that died: neither looked at a
    clock.
    """
    asked = []

    def run(options, _):
        asked.append(options.counting.confirm_clock)
        return len(asked) < 3

    monkeypatch.setattr(running, "_run", run)
    monkeypatch.setattr(running, "_make_first_tokens", lambda _: None)
    running._serve_at(None, options)
    assert asked == [True, False, False]

    def begin(options):
        asked.append(options.counting.confirm_clock)
        raise LDPError("cannot begin")

    monkeypatch.setattr(running, "application", begin)
    monkeypatch.setattr(several, "AGAIN", 0)
    monkeypatch.setenv(SHARED, str(tmp_path))
    codes = []
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            running._worker(options)
        codes.append(ended.value.code)
        (tmp_path / "served").touch()
    assert asked[3:] == [True, False]
    # The first is that at which a parent ends; after the second it tries again.
    assert codes == [3, 1]


@pytest.mark.needs("psycopg")
def test_workers_that_cannot_open_the_store_end_their_parent(tmp_path):
    """In one line, with exit code 1: started again and again they would fail in the
    same way.
    """
    (tmp_path / "survey.toml").write_text(TEXT)
    write_tokens(tmp_path)
    command = [LDP, "serve", "survey.toml", "--port", "0", "--workers", "2", "--store"]
    nowhere = f"postgresql://ldp@/ldp?host={tmp_path}"
    ended = subprocess.run(
        [*command, nowhere], cwd=tmp_path, capture_output=True, text=True, timeout=240
    )
    said = ended.stderr.splitlines()
    assert ended.returncode == 1
    assert len(said) == 1
    assert said[0].startswith("Error: expected to use the store at postgresql://")
