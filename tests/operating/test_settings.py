"""How a service is told what to do, what it logs, and who is seen to have looked."""

import json
import logging
import os
import stat
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from socket import gethostname
from types import SimpleNamespace

import click
import pytest
from calling import run
from click.testing import CliRunner
from pages import TOKEN, UPLOADING, visitor, write_tokens
from wire_samples import SURVEY, TEXT

from ldp_service.commands import running
from ldp_service.commands.serve import serve
from ldp_service.commands.serve_options import ServeOptions
from ldp_service.commands.settings import PREFIX, settings_of
from ldp_service.counting.publication import Publication
from ldp_service.counting.served import Served
from ldp_service.logs import events as logs
from ldp_service.logs.audit_log import AuditLog
from ldp_service.relay.command import SETTINGS
from ldp_service.relay.command import serve as relay_serve
from ldp_service.relay.running import RelayOptions
from ldp_service.service import Service, Settings
from ldp_service.uploads.tokens import TokenFile


def asking(folder, monkeypatch, command, *, prefix, options_of):
    """What a command understands, without serving."""
    monkeypatch.chdir(folder)
    for variable in [name for name in os.environ if name.startswith(prefix)]:
        monkeypatch.delenv(variable)
    understood = []

    def options(**given):
        understood.append(options_of(**given))
        raise click.exceptions.Exit(0)

    monkeypatch.setattr(command, "callback", options)

    def ask(*arguments, config=None, **environment):
        if config is not None:
            (folder / "ldp.toml").write_text(config)
            arguments = ("--config", "ldp.toml", *arguments)
        variables = {prefix + name: value for name, value in environment.items()}
        result = CliRunner().invoke(command, [*map(str, arguments)], env=variables)
        return understood.pop() if understood else result.output + str(result.exception)

    return ask


def serve_options(**given):
    """What `ldp serve` makes of its flags."""
    return ServeOptions.of(given)


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """What `ldp serve` understands."""
    return asking(tmp_path, monkeypatch, serve, prefix=PREFIX, options_of=serve_options)


def relay_options(log_format, log_level, **given):
    """What `ldp relay serve` makes of its flags."""
    return RelayOptions.of(**given)


@pytest.fixture
def asked_of_relay(tmp_path, monkeypatch):
    """What `ldp relay serve` understands."""
    return asking(
        tmp_path, monkeypatch, relay_serve, prefix=SETTINGS, options_of=relay_options
    )


FILE = """
surveys = ["a.toml", "b.toml"]
port = 9000
open-uploads = true
allow-origin = ["https://a.example", "https://b.example"]
folder = "reports"
publish-minutes = 2.5
"""


def test_a_file_the_environment_and_flags(asked):
    """Each sets every flag, and goes before the ones below it."""
    options = asked(config=FILE)
    assert [str(path) for path in options.paths] == ["a.toml", "b.toml"]
    assert (
        options.http.port,
        options.uploads.open_uploads,
        options.page.publish_minutes,
    ) == (
        9000,
        True,
        2.5,
    )
    assert options.uploads.origins == ("https://a.example", "https://b.example")
    assert [str(path) for path in options.sources.folders] == ["reports"]
    options = asked(config=FILE, PORT="9001", SURVEYS="c.toml", OPEN_UPLOADS="0")
    assert (options.http.port, options.uploads.open_uploads) == (9001, False)
    assert [str(path) for path in options.paths] == ["c.toml"]
    options = asked("d.toml", "--port", 9002, config=FILE, PORT="9001")
    assert (options.http.port, [str(path) for path in options.paths]) == (
        9002,
        ["d.toml"],
    )


def test_what_is_usual(asked):
    """Reports are shown together as in Python, unless it is said how many."""
    options = asked("a.toml")
    assert (options.page.least_reports, options.page.publish_minutes) == Publication()
    assert options.page.least_reports > 1


RELAY_FILE = """
surveys = ["a.toml", "b.toml"]
collector = "https://collect.example"
least-reports = 500
wait = "epoch"
every = 2.5
allow-origin = ["https://a.example", "https://b.example"]
confirm-clock = true
"""


def test_a_relay_takes_the_same_three(asked_of_relay):
    """Its file, its environment and its flags, each before the ones below it."""
    options = asked_of_relay(config=RELAY_FILE)
    assert [str(path) for path in options.paths] == ["a.toml", "b.toml"]
    assert (options.collector, options.terms.least) == ("https://collect.example", 500)
    assert (options.terms.wait, options.every, options.confirm_clock) == (
        "epoch",
        2.5,
        True,
    )
    assert options.origins == ("https://a.example", "https://b.example")
    options = asked_of_relay(config=RELAY_FILE, LEAST_REPORTS="600", STORE="b.db")
    assert (options.terms.least, str(options.store)) == (600, "b.db")
    options = asked_of_relay(
        "c.toml", "--least-reports", 700, LEAST_REPORTS="6", COLLECTOR="x"
    )
    assert (options.terms.least, options.collector, len(options.paths)) == (700, "x", 1)


def test_a_relay_names_mistakes_and_passes_over_what_is_not_its_own(
    asked_of_relay, monkeypatch
):
    """Its token is no setting; Kubernetes names variables after a service
    `ldp-relay`.
    """
    for name in ("TOKEN", "TOKEN_FILE", "PORT", "SERVICE_HOST", "PORT_8001_TCP"):
        monkeypatch.setenv(f"LDP_RELAY_{name}", "tcp://127.0.0.1:8001")
    assert asked_of_relay(config=RELAY_FILE).port == 8001
    for config, environment, word in (
        ("least-report = 3", {}, "did you mean least-reports?"),
        ("least-reports = 1", {}, "not in the range"),
        ("wait = 'never'", {}, "ldp.toml: wait"),
        (None, {"COLECTOR": "x"}, "did you mean LDP_RELAY_SERVE_COLLECTOR?"),
        (None, {}, "--collector"),
    ):
        said = asked_of_relay("a.toml", config=config, **environment)
        assert isinstance(said, str)
        assert word in " ".join(said.split())


@pytest.mark.parametrize(
    ("command", "prefix", "some"),
    [
        (serve, PREFIX, {"surveys", "least-reports", "keep-reports", "store"}),
        (
            relay_serve,
            SETTINGS,
            {"surveys", "least-reports", "collector", "oblivious-key"},
        ),
    ],
)
def test_every_flag_has_a_variable(command, prefix, some):
    """By one rule, which help shows; so has the file itself."""
    names = settings_of(command)
    assert some <= names.keys()
    for name, parameter in names.items():
        assert parameter.envvar == prefix + name.upper().replace("-", "_")
    text = CliRunner().invoke(command, ["--help"]).output
    assert f"{prefix}LEAST_REPORTS" in text
    assert "--config" in text


@pytest.mark.parametrize(
    ("config", "environment", "words"),
    [
        ("prot = 1", {}, ["ldp.toml: prot", "did you mean port?"]),
        ("port = 'x'", {}, ["ldp.toml: port", "'x' is not a valid integer"]),
        ("port = 99999", {}, ["ldp.toml: port", "not in the range"]),
        ("port = true", {}, ["ldp.toml: port", "expected a text or a number"]),
        ("open-uploads = 1", {}, ["ldp.toml: open-uploads", "expected true or false"]),
        ("folder = [['a']]", {}, ["ldp.toml: folder", "expected texts"]),
        ("port = [1]", {}, ["ldp.toml: port", "expected a text or a number"]),
        ("= 1", {}, ["ldp.toml: expected TOML"]),
        (None, {"PROT": "1"}, ["LDP_SERVE_PROT: no such setting", "LDP_SERVE_PORT?"]),
        (None, {"PORT": "x"}, ["LDP_SERVE_PORT", "not a valid integer"]),
        (None, {"CONFIG": "none.toml"}, ["none.toml"]),
    ],
)
def test_mistakes_are_named(asked, config, environment, words):
    """The file, the name and the value; nothing that is misspelled is left out in
    silence.
    """
    said = asked("a.toml", config=config, **environment)
    assert isinstance(said, str)
    for word in words:
        assert word in " ".join(said.split())


def test_an_event_is_a_line(capsys):
    """Whatever is in it, in text and in JSON; with the request that it belongs to."""
    kept = logging.getLogger().handlers[:]
    try:
        for form in logs.FORMATS:
            logs.set_up(form, "warning")
            logging.getLogger("ldp.service").info("not this")
            token = logs.request_id.set("abc")
            logging.getLogger("ldp.service").error("a\nERROR forged \x1b[2J %s", "b")
            logs.request_id.reset(token)
    finally:
        logging.getLogger().handlers[:] = kept
    first, second, third = capsys.readouterr().err.splitlines()
    assert first.endswith("ldp.service: a [abc]")
    assert second == "    ERROR forged \\x1b[2J b"
    event = json.loads(third)
    assert event["message"] == "a\nERROR forged \x1b[2J b"
    assert (event["level"], event["request"]) == ("error", "abc")


@pytest.mark.parametrize("form", logs.FORMATS)
@pytest.mark.parametrize(
    ("host", "shown"),
    [("::1", "[::1]"), ("::", gethostname()), ("0.0.0.0", gethostname())],  # noqa: S104
)
def test_where_it_listens_is_an_event_as_any_other(form, host, shown, capsys):
    """Whoever reads objects finds no other line among them.

    The address is one that browsers can open.
    """
    kept = logging.getLogger().handlers[:]
    try:
        logs.set_up(form, "info")
        options = SimpleNamespace(
            http=SimpleNamespace(tls_key=None),
            logs=SimpleNamespace(log_format=form),
            respondents=SimpleNamespace(has_pages=False),
        )
        listening = SimpleNamespace(getsockname=lambda: (host, 8000))
        running._say_serving(options, listening)
    finally:
        logging.getLogger().handlers[:] = kept
    said = capsys.readouterr().err
    words = json.loads(said)["message"] if form == "json" else said.rstrip()
    assert words == f"serving http://{shown}:8000"


@pytest.fixture
def service(tmp_path):
    """A service with an audit log."""
    audit = AuditLog(tmp_path / "audit.log")
    tokens = TokenFile(write_tokens(tmp_path), changed=audit.tokens)
    settings = Settings(tokens, audit=audit)
    service = Service(
        [Served(SURVEY, TEXT)], f"sqlite:///{tmp_path}/store.db", settings
    )
    yield service
    service.close()


def test_who_looked_at_what(service, tmp_path):
    """Names of tokens, paths and answers; no token, no address, no upload."""
    looker = visitor(service, TOKEN)
    looked = looker.get(
        "/v1/surveys/example/estimates?level=.9", headers={"x-request-id": "mine"}
    )
    assert looked.headers["x-request-id"] == "mine"
    own = visitor(service, UPLOADING).get(
        "/v1/surveys", headers={"x-request-id": "a b"}
    )
    assert own.headers["x-request-id"] != "a b"
    visitor(service, "wrong").get("/v1/surveys/example/tally")
    visitor(service).post("/login", data={"token": TOKEN})
    for unwatched in ("/metrics", "/livez", "/page/page.css", "/v1/surveys/example"):
        assert looker.get(unwatched).status_code == 200
    looker.post(
        "/v1/reports", content=b"x", headers={"authorization": f"Bearer {UPLOADING}"}
    )
    path = tmp_path / "audit.log"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    seen = [(event["token"], event["path"], event["status"]) for event in events]
    assert seen[:4] == [
        ("looks", "/v1/surveys/example/estimates", 200),
        ("sends", "/v1/surveys", 403),
        (None, "/v1/surveys/example/tally", 401),
        ("looks", "/login", 303),
    ]
    assert [path for _, path, _ in seen[4:]] == ["/"]
    assert events[0]["query"] == "level=.9"
    assert (events[0]["request"], events[1]["request"]) == (
        "mine",
        own.headers["x-request-id"],
    )
    service.settings = replace(service.settings, metrics_estimates=True)
    looker.get("/metrics")
    assert json.loads(path.read_text().splitlines()[-1])["path"] == "/metrics"
    assert TOKEN not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_one_fills_the_disk_with_refusals(tmp_path, monkeypatch):
    """Of those who show no good token 60 a minute have a line; the rest are counted."""
    now = [6000.0]
    monkeypatch.setattr("ldp_service.logs.audit_log.time.time", lambda: now[0])
    audit = AuditLog(tmp_path / "audit.log")
    for number in range(1000):
        audit.refuse(path=f"/{number}", status=401)
    now[0] += 60
    audit.refuse(path="/last", status=401)
    events = [
        json.loads(line) for line in (tmp_path / "audit.log").read_text().splitlines()
    ]
    assert len(events) == 62
    assert events[60]["more"] == 940
    assert events[61]["path"] == "/last"


def test_who_changed_tokens(service, tmp_path):
    """The command says who; the service says what, also of a file that is written by
    hand.
    """
    log, path = tmp_path / "audit.log", tmp_path / "tokens.toml"
    arguments = ["--token-file", path, "--audit-log", log]
    run("store", "tokens", "new", "--name", "app", "--scope", "upload", *arguments)
    run("store", "tokens", "remove", "sends", *arguments)
    service.settings.tokens.check(TOKEN, "analyst", 1e12)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(event["added"], event["removed"]) for event in events] == [
        (["app"], []),
        ([], ["sends"]),
        (["app"], ["sends"]),
    ]
    assert [event["by"] is None for event in events] == [False, False, True]


def test_a_full_disk_of_the_log_ends_no_service(monkeypatch):
    """What is said at a start, and at each renewal, is lost then, and nothing else."""
    goes_on = False
    # What is left in the file's buffer has no room either when it is closed.
    with suppress(OSError), Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stderr", full)
        with pytest.raises(OSError, match="No space"):
            click.echo("serving", err=True)
        logs.say("serving")
        goes_on = True
    assert goes_on


def test_an_audit_log_that_cannot_be_written(tmp_path, caplog):
    """It is said once, and the service goes on."""
    audit = AuditLog(tmp_path / "none" / "audit.log")
    audit.write(event="a")
    audit.write(event="b")
    assert caplog.text.count("expected to write the audit log") == 1
