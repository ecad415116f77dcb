"""Parts of the shipped files that belong together, with one domain and one set of
names.

The files are as they run in containers, where processes are called by the names of
services. On a host with systemd they are on the same machine, and secrets lie below
/etc/ldp.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from secrets import token_urlsafe

from ldp_aggregator.output.files import FileError, check_writable, written_whole

FILES = Path(__file__).parent / "files"
SYSTEMD = (
    "ldp.service",
    "ldp-backup.service",
    "ldp-backup.timer",
    "ldp.toml",
    "nginx.conf",
    "prometheus.yaml",
    "rules.yaml",
)
COMPOSE = (
    "compose.yaml",
    "Containerfile",
    "ldp.toml",
    "nginx.conf",
    "prometheus.yaml",
    "rules.yaml",
    "board.json",
    "grafana-source.yaml",
    "grafana-boards.yaml",
)
_DOMAIN = "reports.example.org"
_ON_A_HOST = {"ldp:8000": "127.0.0.1:8000", "/run/secrets/ldp_": "/etc/ldp/secrets/"}
"""What stands for the names of containers."""
_HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.(?!-)[a-z0-9-]{1,63})+", re.ASCII)
_TOKENS = ("token_upload", "token_analyst", "token_metrics")


def files_for(domain: str, *, compose: bool) -> dict[str, str]:
    """The files of a service at a domain, by their names. Raises `FileError` for what
    is none.
    """
    if not _HOST.fullmatch(domain):
        raise FileError(f"--domain: expected a name such as {_DOMAIN}, got {domain!r}")
    names: Mapping[str, str] = {_DOMAIN: domain} | ({} if compose else _ON_A_HOST)
    texts = {}
    for name in COMPOSE if compose else SYSTEMD:
        text = (FILES / name).read_text(encoding="utf-8")
        for old, new in names.items():
            text = text.replace(old, new)
        texts[name] = text
    return texts


def write_files(folder: Path, domain: str, *, compose: bool) -> list[Path]:
    """Write them, and new secrets beside them; the paths. Raises `FileError`.

    Nothing is written where one of them is there already.
    """
    texts = {
        folder / name: text for name, text in files_for(domain, compose=compose).items()
    }
    secrets = {
        folder / "secrets" / name: f"ldp_{token_urlsafe(32)}\n" for name in _TOKENS
    }
    if compose:
        secrets[folder / "secrets" / "database_password"] = f"{token_urlsafe(32)}\n"
    for path in (*texts, *secrets):
        if path.exists():
            raise FileError(f"{path} is there already; choose an empty folder")
    (folder / "secrets").mkdir(mode=0o700, parents=True, exist_ok=True)
    for path, text in {**texts, **secrets}.items():
        check_writable(path)
        with written_whole(path, mode=0o600 if path in secrets else 0o644) as file:
            file.write(text.encode())
    return [*texts, *secrets]
