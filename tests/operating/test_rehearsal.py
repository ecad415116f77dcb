"""What an operator lives through, from the shipped files: five troubles, one truth.

`LDPKIT_REHEARSAL=1 pytest -s -n 0 tests/operating/test_rehearsal.py` runs PostgreSQL
with an ordinary role, two workers of `ldp serve`, nginx with the file of the example in
front, and Prometheus with its rules. Then a token leaks, a backup is restored, a clock
jumps, and, with SQLite on a disk of 3 MB, that disk fills. Each time it is printed what
the page, the metrics and `ldp store doctor` say, and checked that it is the same. It
needs initdb, nginx, prometheus, promtool, libfaketime and the right to mount.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from browser import free_port
from hostile_http import fresh
from own_certificate import certificate_in
from pages import TOKEN, UPLOADING
from running_service import LDP, started
from wire_samples import TEXT, file_of

from ldp import parse_survey
from ldp.numbers.epochs import batch_id, parse_length
from ldp.wire.wire import Batch

FILES = Path(__file__).parents[2] / "aggregator/ldp_service/operating/files"
EPOCHS = TEXT.replace('name = "example"', 'name = "example"\nepoch = "1h"', 1)
OWN = False
"""The certificate is made here, and known to no one."""
_PATIENCE = 60


pytestmark = pytest.mark.skipif(
    "LDPKIT_REHEARSAL" not in os.environ,
    reason="a rehearsal is asked for by LDPKIT_REHEARSAL=1",
)


def test_operated_on_postgres(postgres_server):
    """A normal day, a token that leaks, a backup that is restored."""
    store = postgres_server.emptied()
    normal_day(store)
    backup_restored(store, postgres_server)


def test_a_clock_that_jumps():
    """Nothing closes until it is confirmed."""
    clock_jumps()


def test_a_disk_that_fills():
    """Nothing is lost, and it goes on when there is room."""
    disk_fills()


def normal_day(store):
    """Uploads through nginx, a leak, and what Prometheus has of it."""
    with (
        folder() as place,
        service(place, "--store", store, "--workers", "2") as serving,
    ):
        port = serving.port
        with nginx(place, port) as url, prometheus(place, port) as ask:
            statuses = [upload(url) for _ in range(30)]
            check("30 uploads through nginx are taken", statuses == [202] * 30)
            same(serving, store, received=30)
            rules = ask("rules")["groups"][0]["rules"]
            check("Prometheus has all rules", len(rules) == alarms())
            wait_for(lambda: value(ask, "sum(ldp_batches_received_total)") == 30)
            check("Prometheus has scraped 30 batches", True)
            token_leaks(place, url, serving)


def token_leaks(place, url, serving):
    """Revoked while it is served: within two seconds it is good for nothing."""
    headers = {"authorization": f"Bearer {TOKEN}"}

    def look():
        return httpx.get(f"{url}/v1/surveys", headers=headers, verify=OWN).status_code

    check("the leaked token looks", look() == 200)
    new = command(
        place, "store", "tokens", "new", "--name", "next", "--scope", "analyst"
    ).stdout.strip()
    command(place, "store", "tokens", "remove", "looks")
    begun = time.monotonic()
    # Each worker reads the file for itself.
    wait_for(lambda: [look() for _ in range(6)] == [401] * 6)
    check(
        f"revoked after {time.monotonic() - begun:.1f} s", time.monotonic() - begun < 10
    )
    metrics = serving.get("/metrics", new).text
    check("metrics count its uses", 'ldp_token_uses_total{token="looks"}' in metrics)
    check(
        "the list has it no more",
        "looks" not in command(place, "store", "tokens", "list").stdout,
    )
    check("the page refuses it", serving.get("/").status_code == 401)


def backup_restored(store, server):
    """30 batches in the backup, 10 after it: these are lost, and all say so."""
    with folder() as place:
        command(place, "store", "backup", store, "backup.db")
        with service(place, "--store", store) as serving:
            for _ in range(10):
                upload(serving.url)
            same(serving, store, received=40)
        server.emptied()
        said = command(place, "store", "restore", "backup.db", store).stdout
        check(f"the restore says: {said.strip()}", "30 batches received" in said)
        with service(place, "--store", store) as serving:
            same(serving, store, received=30)


def clock_jumps():
    """400 days ahead, at a start: nothing closes, and all say why; confirmed, all is
    well.
    """
    with folder() as place:
        store = f"sqlite:///{place}/store.db"
        with service(place, "--store", store, survey=EPOCHS) as serving:
            check("an upload before", upload(serving.url, of_now) == 202)
        [library] = Path("/usr/lib").glob("*/faketime/libfaketime.so.1")
        # Only what asks for the time of day is fooled.
        fake = {
            "LD_PRELOAD": str(library),
            "FAKETIME": "+400d",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        ahead = {**os.environ, **fake}
        options = {"survey": EPOCHS, "environment": ahead}
        with service(place, "--store", store, **options) as serving:
            wait_for(lambda: "ldp_clock_in_order 0.0" in serving.get("/metrics").text)
            words = "expected a clock that goes on"
            check("the page says so", words in serving.get("/").text)
            check("the metric says so", True)
            doctor = command(place, "store", "doctor", store, environment=ahead, code=0)
            check("ldp store doctor says so", words in doctor.stdout)
            check("uploads go on", upload(serving.url, of_now) in (202, 503))
            check("it is ready", serving.get("/readyz").status_code == 200)
        with service(place, "--store", store, "--confirm-clock", **options) as serving:
            wait_for(lambda: "ldp_clock_in_order 1.0" in serving.get("/metrics").text)
            check(
                "confirmed: the page says nothing", words not in serving.get("/").text
            )
            said = command(place, "store", "doctor", store, environment=ahead).stdout
            check("confirmed: ldp store doctor says nothing", words not in said)


def disk_fills():
    """3 MB: not ready, by page, probe, metric and doctor; then there is room, and it
    goes on.
    """
    with folder() as place:
        disk = place / "disk"
        disk.mkdir()
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], check=True
        )
        try:
            store = f"sqlite:///{disk}/store.db"
            with service(place, "--store", store) as serving:
                check("an upload while there is room", upload(serving.url) == 202)
                ballast = disk / "ballast"
                with ballast.open("wb", buffering=0) as file:
                    try:
                        while True:
                            file.write(bytes(4096))
                    except OSError:
                        pass
                wait_for(lambda: serving.get("/readyz").status_code == 503)
                words = "expected room on the disk"
                check("/readyz says so", words in serving.get("/readyz").text)
                wait_for(lambda: words in serving.get("/").text)
                check("the page says so", True)
                check(
                    "the metric says so",
                    "ldp_ready 0.0" in serving.get("/metrics").text,
                )
                check("an upload waits", upload(serving.url) == 503)
                doctor = command(place, "store", "doctor", store, code=0).stdout
                check(
                    "ldp store doctor says so",
                    "expected room on the store's disk, got 0 MB" in doctor,
                )
                ballast.unlink()
                wait_for(lambda: serving.get("/readyz").status_code == 200)
                check("room again: uploads go on", upload(serving.url) == 202)
                same(serving, store, received=2)
        finally:
            subprocess.run(["umount", disk], check=True)


def same(serving, store, received):
    """The page, the metrics and `ldp store doctor` agree on what came, and nothing is
    wrong.
    """
    metrics = serving.get("/metrics").text
    counted = float(
        re.search(r"^ldp_batches_received_total (\S+)", metrics, re.MULTILINE)[1]
    )
    text = re.sub(r"<[^>]+>", " ", serving.get("/").text)
    shown = int(re.search(r"([\d,]+)\s+batches", text)[1].replace(",", ""))
    check(f"the page has {shown}, metrics {counted:.0f}", shown == counted == received)
    check("/readyz is 200", serving.get("/readyz").status_code == 200)
    examination = json.loads(
        command(Path(), "store", "doctor", store, "--format", "json").stdout
    )
    check("ldp store doctor finds a sound store", examination["sound"])


def check(words, holds):
    """Say what was seen, and that it is so."""
    print(("  " if holds else "NOT SO: ") + words, flush=True)  # noqa: T201
    assert holds, words


def wait_for(condition):
    """Until it holds."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > end:
            check("expected to wait a minute at most", holds=False)
        time.sleep(0.2)


def of_now():
    """The bytes of a batch of the epoch that it is."""
    question = parse_survey(EPOCHS).questions[0]
    id_ = batch_id(os.urandom, parse_length("1h"), time.time())
    return file_of(Batch(question.fingerprint, id_, 1, rows=b"\x01"))


def upload(url, body=fresh):
    """The status of an upload."""
    headers = {"authorization": f"Bearer {UPLOADING}"}
    answer = httpx.post(
        f"{url}/v1/reports", content=body(), headers=headers, verify=OWN
    )
    return answer.status_code


def command(place, *words, environment=None, code=None):
    """What an `ldp` command said."""
    done = subprocess.run(
        [LDP, *words], cwd=place, env=environment, capture_output=True, text=True
    )
    if code is not None:
        check(f"ldp {words[0]} ends with {code}", done.returncode == code)
    return done


@contextmanager
def folder():
    """A folder for one scene, by whose line it is begun."""
    with tempfile.TemporaryDirectory() as name:
        print(sys._getframe(2).f_code.co_name.replace("_", " "), flush=True)  # noqa: T201
        yield Path(name)


@contextmanager
def service(place, *options, survey=TEXT, **others):
    """`ldp serve`, stopped as systemd stops it."""
    with started(place, *options, survey=survey, **others) as serving:
        yield serving
        serving.process.terminate()
        serving.process.wait(_PATIENCE)


@contextmanager
def nginx(place, port):
    """The example's file in front of a port."""
    own = free_port()
    certificate_in(place)
    text = (FILES / "nginx.conf").read_text().replace("ldp:8000", f"127.0.0.1:{port}")
    text = text.replace("/etc/nginx", str(place)).replace(
        "listen 8443", f"listen 127.0.0.1:{own}"
    )
    (place / "ldp.conf").write_text(text)
    kinds = ("proxy", "client_body", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {place}/{kind};" for kind in kinds)
    (place / "nginx.conf").write_text(
        f"pid {place}/pid; error_log stderr; daemon off; events {{}}\n"
        f"http {{ {paths} include {place}/ldp.conf; }}\n"
    )
    place.chmod(0o755)
    with subprocess.Popen(
        ["nginx", "-p", place, "-c", place / "nginx.conf"]
    ) as process:
        try:
            wait_for(lambda: answers(f"https://127.0.0.1:{own}/livez"))
            yield f"https://127.0.0.1:{own}"
        finally:
            process.terminate()


@contextmanager
def prometheus(place, port):
    """Prometheus on the example's file and rules, and what answers questions to it."""
    own = free_port()
    (place / "token").write_text(TOKEN)
    shutil.copy(FILES / "rules.yaml", place)
    text = (
        (FILES / "prometheus.yaml").read_text().replace("ldp:8000", f"127.0.0.1:{port}")
    )
    text = text.replace("/run/secrets/metrics_token", f"{place}/token").replace(
        "15s", "1s"
    )
    (place / "prometheus.yaml").write_text(text)
    subprocess.run(
        ["promtool", "check", "config", place / "prometheus.yaml"], check=True
    )
    command = [
        "prometheus",
        f"--config.file={place}/prometheus.yaml",
        f"--storage.tsdb.path={place}/data",
        f"--web.listen-address=127.0.0.1:{own}",
        "--log.level=error",
    ]
    with subprocess.Popen(command) as process:
        try:
            wait_for(lambda: answers(f"http://127.0.0.1:{own}/-/ready"))
            url = f"http://127.0.0.1:{own}/api/v1"
            yield lambda path, **asked: httpx.get(f"{url}/{path}", params=asked).json()[
                "data"
            ]
        finally:
            process.terminate()


def value(ask, query):
    """One number of Prometheus."""
    result = ask("query", query=query)["result"]
    return float(result[0]["value"][1]) if result else None


def alarms():
    """How many there are in the example's rules."""
    return (FILES / "rules.yaml").read_text().count("- alert:")


def answers(url):
    """Whether anyone is there."""
    try:
        return httpx.get(url, verify=OWN).status_code == 200
    except httpx.HTTPError:
        return False
