"""The files of docs/operating.md name what is there: metrics, flags, variables,
paths.
"""

import json
import re
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from calling import run
from click.testing import CliRunner
from places import ROOT
from running_service import LDP, running_service

from ldp_aggregator.commands.main import main
from ldp_service.alerts.flags import SECRET
from ldp_service.commands.serve import serve
from ldp_service.commands.serve_options import ServeOptions
from ldp_service.commands.settings import PREFIX, settings_of
from ldp_service.relay.command import SETTINGS, TOKEN
from ldp_service.relay.command import serve as relay_serve

FILES = ROOT / "aggregator/ldp_service/operating/files"
PAGE = ROOT / "docs" / "operating.md"
TEXTS = {
    path.name: path.read_text(encoding="utf-8") for path in [*FILES.iterdir(), PAGE]
}
_METRIC = re.compile(r"(?<!/)\b(?:ldp|process)_[a-z_]+\b(?!/)")
_SUFFIX = re.compile(r"_(total|bucket|count|sum)$")
_NO_METRICS = {"ldp_requests", "ldp_connections", "ldp_token_upload"}
"""Zones of nginx."""
_TOKENS = {f"LDP_TOKEN_{scope}" for scope in ("UPLOAD", "ANALYST", "METRICS")} | {
    "LDP_DATABASE_PASSWORD"
}

USUAL = {
    'up{job="ldp"}': "1x2000",
    "ldp_ready": "1x2000",
    "ldp_clock_in_order": "1x2000",
    "ldp_disk_free_bytes": "5e10x2000",
    "ldp_batches_received_total": "0+60x2000",
    'ldp_batches_total{outcome="accepted",reason=""}': "0+60x2000",
    "ldp_batches_early_total": "0x2000",
    "ldp_batches_quarantined": "0x2000",
    'ldp_uploads_total{status="202"}': "0+60x2000",
    'ldp_upload_seconds_bucket{le="1.0"}': "0+60x2000",
    'ldp_upload_seconds_bucket{le="5.0"}': "0+60x2000",
    'ldp_upload_seconds_bucket{le="+Inf"}': "0+60x2000",
    'ldp_source_ready{source="folder"}': "1x2000",
    "ldp_check_p_value": "0.3x2000",
}
"""What is scraped on a usual day, a minute after the other."""
GOING_OFF = {
    "LdpDown": ({'up{job="ldp"}': "1x90 0x10"}, 95),
    "LdpNotReady": ({"ldp_ready": "1x90 0x10"}, 95),
    "LdpDiskNearFull": ({"ldp_disk_free_bytes": "5e10x90 9e8x10"}, 99),
    "LdpReportsDrop": ({"ldp_batches_received_total": "0+60x1500 90000+10x300"}, 1680),
    "LdpClock": ({"ldp_clock_in_order": "1x90 0x10"}, 99),
    "LdpLate": (
        {'ldp_batches_total{outcome="rejected",reason="late"}': "0+3.1x200"},
        90,
    ),
    "LdpEarly": ({"ldp_batches_early_total": "0+1x200"}, 90),
    "LdpRejects": (
        {'ldp_batches_total{outcome="rejected",reason="rows"}': "0+4x200"},
        120,
    ),
    "LdpQuarantine": ({"ldp_batches_quarantined": "3x200"}, 90),
    "LdpRefusals": ({'ldp_uploads_total{status="503"}': "0+2x200"}, 90),
    "LdpWrongTokens": ({'ldp_uploads_total{status="401"}': "0+6x200"}, 150),
    "LdpSlow": ({'ldp_upload_seconds_bucket{le="1.0"}': "0+50x200"}, 90),
    "LdpSourceStands": ({'ldp_source_ready{source="folder"}': "0x200"}, 90),
    "LdpNoise": ({"ldp_check_p_value": "1e-7x200"}, 90),
}
"""By alarm: what is otherwise then, and the minute in which it has gone off."""


@pytest.fixture(scope="module")
def scraped(tmp_path_factory):
    """The names of all metrics of a service that runs, without their endings."""
    folder = tmp_path_factory.mktemp("scraped")
    (folder / "reports").mkdir()
    with running_service(folder, "--folder", "reports") as service:
        text = service.get("/metrics").text
    names = re.findall(r"^# TYPE (\S+)", text, re.MULTILINE)
    return {_SUFFIX.sub("", name) for name in names}


@pytest.mark.parametrize("name", ["rules.yaml", "board.json", "operating.md"])
def test_metrics_are_there(name, scraped):
    """Every one that is asked for is one that a service has."""
    named = set(_METRIC.findall(TEXTS[name])) - _NO_METRICS
    assert named
    assert {
        metric for metric in named if _SUFFIX.sub("", metric) not in scraped
    } == set()


def test_files_parse():
    """Each by its own grammar; alarms and panels have what they need."""
    manifests = list(yaml.safe_load_all(TEXTS["kubernetes.yaml"]))
    kinds = [manifest["kind"] for manifest in manifests]
    assert kinds == ["ConfigMap", "Deployment", "Service", "PodDisruptionBudget"]
    [container] = manifests[1]["spec"]["template"]["spec"]["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert container["livenessProbe"]["httpGet"]["path"] == "/livez"
    compose = yaml.safe_load(TEXTS["compose.yaml"])
    asked = {
        secret
        for one in compose["services"].values()
        for secret in one.get("secrets", ())
    }
    assert asked == compose["secrets"].keys()
    mounted = {
        volume.partition(":")[0].removeprefix("./")
        for one in compose["services"].values()
        for volume in one.get("volumes", ())
        if volume.startswith("./")
    }
    assert {name for name in mounted if "secrets/" not in name} - {
        "survey.toml"
    } <= TEXTS.keys()
    assert all(
        one["restart"] == "unless-stopped" for one in compose["services"].values()
    )
    [source] = yaml.safe_load(TEXTS["grafana-source.yaml"])["datasources"]
    assert (
        source["url"].removeprefix("http://").partition(":")[0] in compose["services"]
    )
    [boards] = yaml.safe_load(TEXTS["grafana-boards.yaml"])["providers"]
    place = boards["options"]["path"]
    assert any(
        f":{place}/" in volume for volume in compose["services"]["grafana"]["volumes"]
    )
    assert yaml.safe_load(TEXTS["prometheus.yaml"])["rule_files"] == ["rules.yaml"]
    board = json.loads(TEXTS["board.json"])
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    assert all(
        target["expr"] for panel in board["panels"] for target in panel["targets"]
    )


def test_every_alarm_is_in_the_runbook():
    """And the runbook names no other."""
    [group] = yaml.safe_load(TEXTS["rules.yaml"])["groups"]
    alarms = {rule["alert"] for rule in group["rules"]}
    assert set(re.findall(r"\bLdp[A-Z]\w+", TEXTS["operating.md"])) == alarms
    for rule in group["rules"]:
        assert rule["annotations"]["summary"]
        assert rule["labels"]["severity"] in ("page", "ticket")


def test_flags_and_variables_are_those_of_commands():
    """Whatever a file or the page names; a name of a file's table as well."""
    variables = {PREFIX + name.upper().replace("-", "_") for name in settings_of(serve)}
    variables |= {
        SETTINGS + name.upper().replace("-", "_") for name in settings_of(relay_serve)
    }
    secrets = {*_TOKENS, SECRET, TOKEN}
    variables |= {
        f"{PREFIX}CONFIG",
        f"{SETTINGS}CONFIG",
        *secrets,
        *(f"{name}_FILE" for name in secrets),
    }
    commands = (
        "serve",
        "store",
        "store test-alert",
        "store init",
        "store backup",
        "store restore",
        "store doctor",
        "store export",
        "store tokens new",
        "store remove-survey",
    )
    helps = [
        CliRunner().invoke(main, [*name.split(), "--help"]).output for name in commands
    ]
    flags = set(re.findall(r"--[a-z][a-z-]+", "".join(helps)))
    for name, text in TEXTS.items():
        named = set(re.findall(r"\bLDP_[A-Z_]+[A-Z]\b", text)) - {"LDP_TOKEN"}
        assert named <= variables, name
        if name in ("operating.md", "ldp.service", "ldp-backup.service"):
            lines = re.sub(r"(?m)^systemctl.*$", "", text)
            assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", lines)) <= flags, name
    manifest = next(yaml.safe_load_all(TEXTS["kubernetes.yaml"]))
    for table in (TEXTS["ldp.toml"], manifest["data"]["ldp.toml"]):
        assert tomllib.loads(table).keys() <= settings_of(serve).keys()


@pytest.mark.parametrize("kind", ["--systemd", "--compose"])
def test_a_domain_gets_files_with_the_same_names(kind, tmp_path):
    """Nothing of the examples' is left in them; what is there already is not written
    over.
    """
    folder = tmp_path / "here"
    run("store", "init", folder, kind, "--domain", "collect.test")
    texts = {
        path.name: path.read_text() for path in folder.rglob("*") if path.is_file()
    }
    assert "server_name collect.test;" in texts["nginx.conf"]
    assert "example.org" not in "".join(texts.values())
    [scraped] = yaml.safe_load(texts["prometheus.yaml"])["scrape_configs"]
    [target] = scraped["static_configs"][0]["targets"]
    assert f"server {target};" in texts["nginx.conf"]
    token = scraped["authorization"]["credentials_file"]
    if kind == "--systemd":
        assert target == f"127.0.0.1:{tomllib.loads(texts['ldp.toml'])['port']}"
        assert (
            f"LoadCredential=ldp:{token.rpartition('/')[0]}\n" in texts["ldp.service"]
        )
        assert Path(token).name in texts
    else:
        compose = yaml.safe_load(texts["compose.yaml"])
        assert target.partition(":")[0] in compose["services"]
        files = [Path(secret["file"]) for secret in compose["secrets"].values()]
        assert all((folder / file).read_text().strip() for file in files)
        assert Path(token).name in compose["secrets"]
    assert stat.S_IMODE((folder / "secrets" / "token_upload").stat().st_mode) == 0o600
    before = sorted(tmp_path.rglob("*"))
    run("store", "init", folder, kind, "--domain", "other.test", code=1)
    run("store", "init", tmp_path / "none", kind, "--domain", "a b", code=1)
    run("store", "init", tmp_path / "none", "--domain", "other.test", code=2)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_file_is_understood(monkeypatch):
    """`ldp serve --config` takes it as it is."""
    understood = []
    monkeypatch.setattr(
        serve, "callback", lambda **given: understood.append(ServeOptions.of(given))
    )
    result = CliRunner().invoke(serve, ["--config", str(FILES / "ldp.toml")])
    assert result.exit_code == 0, result.output
    [options] = understood
    assert (options.counting.store, options.page.least_reports) == (
        "sqlite:////var/lib/ldp/ldp.db",
        20,
    )


def test_the_file_of_a_relay_is_understood(monkeypatch):
    """`ldp relay serve --config` takes it as it is."""
    understood = []
    monkeypatch.setattr(
        relay_serve, "callback", lambda **given: understood.append(given)
    )
    result = CliRunner().invoke(relay_serve, ["--config", str(FILES / "relay.toml")])
    assert result.exit_code == 0, result.output
    [options] = understood
    assert (options["collector"], options["least"]) == ("https://collect.example", 1000)


def checked(folder, *command):
    """What a tool that checks a file says."""
    result = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


@pytest.mark.needs("systemd-analyze")
@pytest.mark.parametrize(
    "name", ["ldp.service", "ldp-backup.service", "ldp-backup.timer"]
)
def test_systemd_takes_the_units(tmp_path, name):
    """With the command where it is here."""
    for unit in ("ldp.service", "ldp-backup.service", "ldp-backup.timer"):
        (tmp_path / unit).write_text(TEXTS[unit].replace("/opt/ldp/bin/ldp", LDP))
    said = checked(tmp_path, "systemd-analyze", "verify", f"./{name}")
    assert not [line for line in said.splitlines() if line.startswith("ldp")]


@pytest.mark.needs("promtool")
def test_prometheus_takes_the_rules():
    """As promtool reads them."""
    checked(FILES, "promtool", "check", "rules", "rules.yaml")


@pytest.mark.needs("promtool")
def test_alarms_go_off(tmp_path):
    """Each for what it is for, and none of the others; as promtool works them out."""
    tests = []
    for alarm, (series, minutes) in GOING_OFF.items():
        given = [
            {"series": name, "values": values}
            for name, values in (USUAL | series).items()
        ]
        asked = [
            {
                "expr": (
                    f'count(ALERTS{{alertstate="firing",alertname="{name}"}}) or '
                    "vector(0)"
                ),
                "eval_time": f"{minutes}m",
                "exp_samples": [{"labels": "{}", "value": float(name == alarm)}],
            }
            for name in GOING_OFF
        ]
        tests.append(
            {"interval": "1m", "input_series": given, "promql_expr_test": asked}
        )
    assert GOING_OFF.keys() == set(re.findall(r"alert: (\w+)", TEXTS["rules.yaml"]))
    (tmp_path / "rules.yaml").write_text(TEXTS["rules.yaml"])
    rules = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": tests}
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump(rules))
    checked(tmp_path, "promtool", "test", "rules", "tests.yaml")


@pytest.mark.parametrize("header", ["X-Forwarded-User", "X-Forwarded-Groups"])
def test_proxies_take_no_name_from_a_client(header):
    """A stranger who sends the header that the page trusts would be anyone."""
    assert header in TEXTS["operating.md"]
    assert f'proxy_set_header {header} "";' in TEXTS["nginx.conf"]
    assert f"header_up -{header}\n" in TEXTS["Caddyfile"]


@pytest.mark.needs("caddy")
def test_caddy_takes_its_file():
    """As `caddy validate` reads it."""
    checked(
        FILES, "caddy", "validate", "--adapter", "caddyfile", "--config", "Caddyfile"
    )


@pytest.mark.needs("nginx", "openssl")
def test_nginx_takes_its_file(tmp_path):
    """Within a server of ours: names that it looks up are of this machine."""
    key = ["-newkey", "rsa:2048", "-nodes", "-keyout", tmp_path / "tls.key"]
    subject = ["-subj", "/CN=localhost", "-out", tmp_path / "tls.pem"]
    subprocess.run(
        ["openssl", "req", "-x509", *key, *subject], check=True, capture_output=True
    )
    text = TEXTS["nginx.conf"].replace("ldp:8000", "127.0.0.1:8000")
    (tmp_path / "ldp.conf").write_text(text.replace("/etc/nginx", str(tmp_path)))
    temporary = "".join(
        f"{name}_temp_path {tmp_path};"
        for name in ("proxy", "client_body", "fastcgi", "uwsgi")
    )
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid; error_log stderr; events {{}}\n"
        f"http {{ {temporary} scgi_temp_path {tmp_path}; include {tmp_path}/ldp.conf; "
        "}\n"
    )
    checked(tmp_path, "nginx", "-t", "-p", tmp_path, "-c", tmp_path / "nginx.conf")
