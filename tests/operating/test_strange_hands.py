"""What an operator, a neighbour or a file may do to a service, and what becomes of
it.
"""

import asyncio
import csv
import json
import logging
import os
import signal
import ssl
import stat
import time
from contextlib import closing
from datetime import UTC, datetime
from types import SimpleNamespace

import httpx
import pytest
from calling import run
from collecting import collecting, frame, running, wait_for
from pages import TOKEN, UPLOADING, service_of, visitor
from running_service import request, running_service
from wire_samples import BATCHES, SURVEY, TEXT, file_of

from ldp import parse_survey
from ldp_aggregator import Tally, estimate
from ldp_aggregator.output.files import FileError, read_candidates
from ldp_aggregator.output.safe_cells import printable, safe_cell
from ldp_service.commands import running as process
from ldp_service.http.server import GRACE
from ldp_service.sources.folder import FolderSource
from ldp_service.store.sqlite import SQLiteStore
from ldp_service.upkeep.backup import back_up, restore
from ldp_service.uploads.given_tokens import given_tokens
from ldp_service.uploads.token_use import TokenUse, path_of, read_days
from ldp_service.uploads.tokens import TokenFile

SECRET = "s" * 40
NAMED = """
[survey]
name = "named"
[[question]]
name = "word"
type = "text"
mechanism = "rappor"
cohorts = 2
bloom_bits = 16
hashes = 2
p = "0.5"
q = "0.75"
f = "0.5"
candidates = "{path}"
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A service that all of these may ask."""
    with running_service(tmp_path_factory.mktemp("served")) as service:
        yield service


@pytest.mark.parametrize(
    "line",
    [
        b"GET  /livez HTTP/1.1",
        b"GET /livez  HTTP/1.1",
        b"GET\t/livez HTTP/1.1",
        b"GET /livez#x HTTP/1.1",
        b"POST /v1/reports#x HTTP/1.1",
        b"POST  /v1/reports HTTP/1.1",
    ],
)
def test_a_request_line_that_readers_may_take_otherwise(served, line):
    """Two spaces and fragments are refused, in one piece or in several."""
    before = served.accounts()
    whole = request(b"", line=line)
    assert served.exchange(whole).status == 400
    assert served.exchange(whole[:4], whole[4:5], whole[5:], pause=0.02).status == 400
    assert served.accounts() == before


def test_what_every_answer_says(served):
    """Nothing is sniffed or kept by anyone in between, whatever the answer is."""
    bearer = {"authorization": f"Bearer {UPLOADING}"}
    body = file_of(BATCHES["symbol"])
    answers = [
        served.get(path)
        for path in ("/livez", "/v1/surveys", "/nothing", "/metrics", "/")
    ]
    answers.append(
        httpx.post(f"{served.url}/v1/reports", content=body, headers=bearer, timeout=60)
    )
    answers.append(httpx.post(f"{served.url}/v1/reports", content=body, timeout=60))
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "strict-transport-security" not in answer.headers
    assert served.get("/page/page.css").headers["cache-control"] == "no-cache"


def test_over_tls_browsers_stay_with_it(tmp_path):
    """HSTS is said where TLS is ours, and nowhere else."""
    from ldp_service.http.app import Application

    with service_of(TEXT, folder=tmp_path) as service:
        for scheme, said in (("http", None), ("https", "max-age=31536000")):
            transport = httpx.ASGITransport(Application(service))
            client = httpx.AsyncClient(
                transport=transport, base_url=f"{scheme}://service"
            )
            answer = asyncio.run(client.get("/livez"))
            assert answer.headers.get("strict-transport-security") == said


def test_an_epoch_of_a_survey_without_epochs(tmp_path):
    """It is refused: what is there would be shown as that of an epoch."""
    with service_of(TEXT, folder=tmp_path) as service:
        looker = visitor(service, TOKEN)
        for what in ("tally", "estimates"):
            assert looker.get(f"/v1/surveys/example/{what}?epoch=5").status_code == 400
            assert looker.get(f"/v1/surveys/example/{what}?epoch=0").status_code == 200


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("=1+2", "'=1+2"),
        ("+cmd", "'+cmd"),
        ("-2+3", "'-2+3"),
        ("@x", "'@x"),
        ("\t=1", "'\\t=1"),
        ("\uff1d1", "'\uff1d1"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("a\u202eb", "a\\u202eb"),
        ("-5", "-5"),
        ("+5.5e3", "+5.5e3"),
        ("a = b", "a = b"),
        (-5.5, -5.5),
        (None, None),
    ],
)
def test_cells_that_no_program_runs(cell, safe):
    """Texts that begin a formula, and control characters, are written so that they are
    text.
    """
    assert safe_cell(cell) == safe


def test_values_in_csv_are_safe():
    """What a survey or a respondent calls something reaches no spreadsheet as a
    formula.
    """
    survey = parse_survey(
        '[survey]\nname = "s"\n[[question]]\nname = "q"\ntype = "category"\n'
        'values = ["=1+2", "b"]\nmechanism = "grr"\nepsilon = 1\n'
    )
    tally = Tally.empty(survey)
    tally.counts["q"] += 50
    rows = list(csv.reader(estimate(tally).to_csv().splitlines()))
    cells = {cell for row in rows for cell in row}
    assert "'=1+2" in cells
    assert "=1+2" not in cells


def test_files_of_a_store_are_for_its_owner(tmp_path):
    """The database, its log and its witness, whatever the umask is."""
    before = os.umask(0)
    try:
        with closing(SQLiteStore(tmp_path / "s.db")):
            modes = {
                path.name: stat.S_IMODE(path.stat().st_mode)
                for path in tmp_path.iterdir()
            }
    finally:
        os.umask(before)
    assert len(modes) >= 3
    assert set(modes.values()) == {0o600}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of others")
def test_what_root_makes_belongs_to_who_has_the_folder(tmp_path):
    """The service runs as a user, and root changes its tokens and restores its
    store.
    """
    os.chown(tmp_path, *SERVICE)
    tokens, audit = tmp_path / "tokens.toml", tmp_path / "audit.log"
    words = ["--token-file", tokens, "--audit-log", audit]
    run("store", "tokens", "new", "--name", "a", "--scope", "upload", *words)
    with closing(SQLiteStore(tmp_path / "s.db")) as store:
        store.begin()
        store.commit()
        owners = {path.name: owner_of(path) for path in tmp_path.iterdir()}
    assert len(owners) >= 5
    assert set(owners.values()) == {(*SERVICE, 0o600)}
    # What root's files replace keeps its owner and its permissions.
    for path in (tokens, tmp_path / "s.db"):
        os.chown(path, 4243, 4243)
        path.chmod(0o640)
    run("store", "tokens", "new", "--name", "b", "--scope", "upload", *words)
    run("store", "tokens", "remove", "a", *words)
    back_up(f"sqlite:///{tmp_path}/s.db", tmp_path / "copy")
    restore(tmp_path / "copy", f"sqlite:///{tmp_path}/s.db", replaces=True)
    assert {owner_of(tokens), owner_of(tmp_path / "s.db")} == {(4243, 4243, 0o640)}
    assert owner_of(audit) == owner_of(tmp_path / "copy") == (*SERVICE, 0o600)


SERVICE = 4242, 4244
"""A user and a group."""


def owner_of(path):
    status = path.stat()
    return status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)


def test_links_and_holes_in_a_folder(tmp_path, caplog):
    """Links lead nowhere, holes are waited for, and names write no lines of the log."""
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "circle.ldp").symlink_to("circle.ldp")
    (tmp_path / "outside").write_bytes(frame(7))
    (folder / "link.ldp").symlink_to(tmp_path / "outside")
    (folder / "good.ldp").write_bytes(frame(1))
    with (folder / "sparse.ldp").open("wb") as file:
        file.write(frame(2))
        file.truncate(1 << 40)
    with (folder / "bridged.ldp").open("wb") as file:
        file.seek(1 << 40)
        file.write(frame(4))
    unreadable = folder / "a\nERROR forged.ldp"
    unreadable.write_bytes(frame(3))
    with collecting(f"sqlite:///{tmp_path}/s.db") as collector:
        source = FolderSource(folder, collector, collector.read, every=0.05)
        genuine = source._read

        def read(path):
            if path == unreadable:
                raise PermissionError(13, "Permission denied")
            genuine(path)

        source._read = read
        with running(source), caplog.at_level(logging.ERROR):
            wait_for(lambda: collector.outcomes.get("accepted") == 3)
            wait_for(lambda: source.failure is not None)
    assert "a\\nERROR forged.ldp" in caplog.text
    assert "\nERROR forged" not in caplog.text
    assert printable("\ud800") == "\\ud800"


def test_candidates_stay_in_the_folder_of_the_survey(tmp_path, monkeypatch):
    """A survey of a stranger names no file of ours, by dots, by root or by links."""
    folder = tmp_path / "survey"
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("password")
    (folder / "link").symlink_to(secret)
    (folder / "words").write_text("a\nb\n")
    for path in ("../secret", str(secret), "link"):
        survey = parse_survey(NAMED.format(path=path))
        with pytest.raises(FileError, match="leads out of it"):
            read_candidates(survey, folder / "survey.toml")
    assert read_candidates(
        parse_survey(NAMED.format(path="words")), folder / "survey.toml"
    )
    monkeypatch.setenv("LDPKIT_FILES_ANYWHERE", "1")
    assert read_candidates(survey, folder / "survey.toml") == {"word": ("password",)}


def test_tokens_come_with_the_process(tmp_path):
    """By environment, by a secret's file or a folder of them; beside a token file, or
    without.
    """
    (tmp_path / "secret").write_text(f"{SECRET}a\n")
    environment = {
        "LDP_TOKEN_UPLOAD": SECRET,
        "LDP_TOKEN_ANALYST_FILE": str(tmp_path / "secret"),
    }
    tokens = TokenFile(tmp_path / "none.toml", given_tokens(environment))
    assert tokens.check(SECRET, "upload", 0) == "granted"
    assert tokens.check(f"{SECRET}a", "metrics", 0) == "granted"
    assert tokens.check(SECRET, "analyst", 0) == "wrong-scope"
    (tmp_path / "ldp_token_metrics").write_text(f"{SECRET}m\n")
    [from_folder, _] = given_tokens(
        {**environment, "CREDENTIALS_DIRECTORY": str(tmp_path)}
    )[1:]
    assert (from_folder.name, from_folder.scope) == ("environment-analyst", "analyst")
    [only] = given_tokens({"CREDENTIALS_DIRECTORY": str(tmp_path)})
    assert only.scope == "metrics"
    for wrong in (
        {"LDP_TOKEN_UPLOAD": "short"},
        {"LDP_TOKEN_UPLOAD": SECRET, "LDP_TOKEN_UPLOAD_FILE": "x"},
        {"LDP_TOKEN_UPLOAD_FILE": str(tmp_path / "none")},
    ):
        with pytest.raises(FileError, match=r"LDP_TOKEN_UPLOAD|none") as refused:
            given_tokens(wrong)
        assert SECRET not in str(refused.value)


def test_the_last_use_of_a_token_is_kept_by_day(tmp_path):
    """Beside the token file, and in what `ldp store tokens list` says; a broken file is
    none.
    """
    path = tmp_path / "tokens.toml"
    run(
        "store",
        "tokens",
        "new",
        "--name",
        "app",
        "--scope",
        "upload",
        "--token-file",
        path,
    )
    assert "never used" in run("store", "tokens", "list", "--token-file", path).output
    use = TokenUse(path)
    moment = datetime(2026, 11, 23, 9, 30, tzinfo=UTC).timestamp()
    use.note("app", moment)
    use.note("app", moment + 5)
    assert use.times == {"app": 2}
    assert json.loads(path_of(path).read_text()) == {"app": "2026-11-23"}
    assert (
        "last used 2026-11-23"
        in run("store", "tokens", "list", "--token-file", path).output
    )
    path_of(path).write_text("[1]")
    assert read_days(path) == {}


def certificate(folder, name):
    """A certificate for this machine, and its key; made by openssl."""
    import subprocess

    paths = folder / f"{name}.pem", folder / f"{name}.key"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
    ]
    command += ["-nodes", "-subj", f"/CN={name}", "-days", "2"]
    command += [
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-out",
        paths[0],
        "-keyout",
        paths[1],
    ]
    subprocess.run(command, check=True, capture_output=True)
    return paths


def test_a_certificate_that_cannot_be_used_is_one_line(tmp_path, monkeypatch):
    """No traceback: which files, and what was expected of them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(TEXT)
    (tmp_path / "none.pem").write_text("none")
    for name in ("none.pem", "absent.pem"):
        tls = ["--tls-certificate", name, "--tls-key", name]
        said = run("serve", "survey.toml", "--port", "0", *tls, code=1).stderr
        assert f"expected a certificate in {name}" in said
        assert "Traceback" not in said
        assert "serving" not in said


def test_certificates_and_surveys_are_renewed_and_the_end_is_orderly(tmp_path):
    """SIGHUP: a new certificate and a new survey, on the same socket; a bad one is
    nothing.

    SIGTERM: first not ready, while uploads go on, then closed: within ten seconds, or,
    on a machine that is busy, a minute.
    """
    served, key = certificate(tmp_path, "first")
    newer, newer_key = certificate(tmp_path, "second")
    trusted = ssl.create_default_context()
    trusted.load_verify_locations(served)
    trusted.load_verify_locations(newer)
    (tmp_path / "tls.pem").write_bytes(served.read_bytes())
    (tmp_path / "tls.key").write_bytes(key.read_bytes())
    bearer = {"authorization": f"Bearer {TOKEN}"}
    tls = ["--tls-certificate", "tls.pem", "--tls-key", "tls.key", "--drain", "3"]
    with started_over_tls(tmp_path, tls, trusted) as (process, url, log):

        def names():
            try:
                with httpx.Client(verify=trusted, headers=bearer, timeout=60) as client:
                    surveys = client.get(f"{url}/v1/surveys").json()["surveys"]
            except (
                httpx.TransportError
            ):  # taken up as the service began anew: try again
                return []
            return [survey["name"] for survey in surveys]

        first = names()
        (tmp_path / "survey.toml").write_text("no survey")
        process.send_signal(signal.SIGHUP)
        wait_for(lambda: "goes on with what it had before" in log.read_text())
        assert names() == first
        (tmp_path / "tls.pem").write_bytes(newer.read_bytes())
        (tmp_path / "tls.key").write_bytes(newer_key.read_bytes())
        (tmp_path / "survey.toml").write_text(TEXT.replace("example", "renewed"))
        process.send_signal(signal.SIGHUP)
        wait_for(lambda: names() == ["renewed"])
        host, port = url.removeprefix("https://").split(":")
        assert ssl.get_server_certificate((host, int(port))) == newer.read_text()
        began = time.monotonic()
        process.terminate()
        with httpx.Client(verify=trusted, timeout=60) as client:
            wait_for(lambda: client.get(f"{url}/readyz").status_code == 503)
            upload = {"authorization": f"Bearer {UPLOADING}"}
            body = file_of(BATCHES["symbol"])
            answer = client.post(f"{url}/v1/reports", content=body, headers=upload)
            assert answer.status_code == 202
        assert process.wait(90) == 0
        assert time.monotonic() - began < 60
        assert 3 + GRACE < 10
    assert SURVEY.name == "example"


def started_over_tls(folder, options, trusted):
    """A service over TLS: its process, its address and its log."""
    import re
    import subprocess
    from contextlib import contextmanager

    from pages import write_tokens
    from running_service import LDP

    @contextmanager
    def started():
        (folder / "survey.toml").write_text(TEXT)
        write_tokens(folder)
        log = folder / "log"
        command = [LDP, "serve", "survey.toml", "--port", "0", *options]
        with (
            log.open("w") as file,
            subprocess.Popen(command, cwd=folder, stderr=file) as process,
        ):
            try:
                wait_for(lambda: "serving" in log.read_text())
                url = re.search(r"serving (\S+)", log.read_text())[1]
                # What is said is so: no waiting for it.
                httpx.get(
                    f"{url}/readyz", verify=trusted, timeout=60
                ).raise_for_status()
                yield process, url, log
            finally:
                process.kill()

    return started()


def test_the_first_parquet_download_finds_its_library_loaded(monkeypatch):
    """It is imported before the store is opened; where it is not there, nothing is
    said.
    """
    done = []

    def imported(name):
        done.append(name)
        raise ImportError

    monkeypatch.setattr(process, "import_module", imported)
    monkeypatch.setattr(process, "set_up", lambda *_: None)
    monkeypatch.setattr(process.sys, "setswitchinterval", lambda _: None)
    monkeypatch.setattr(
        process, "service_of", lambda *_: done.append("opened") or 1 / 0
    )
    options = SimpleNamespace(logs=SimpleNamespace(log_format="text", log_level="info"))
    with pytest.raises(ZeroDivisionError):
        process.application(options)
    assert done == ["pyarrow.parquet", "opened"]
