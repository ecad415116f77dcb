"""Options of `ldp serve`, as they can be handed to another process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ldp.errors import LDPError


class ServeError(LDPError):
    """A service that cannot be started, or cannot go on."""


@dataclass(frozen=True)
class ServeOptions:
    """The flags, by the names of their parameters."""

    paths: tuple[Path, ...]
    store: str
    host: str
    port: int
    token_file: Path
    open_uploads: bool
    origins: tuple[str, ...]
    kept_days: int
    folders: tuple[Path, ...]
    topics: tuple[str, ...]
    kafka_settings: Path | None
    tls_certificate: Path | None
    tls_key: Path | None
    workers: int
    debug_tags: bool
    kept_epochs: int
    drain: float
    log_format: str
    log_level: str
    audit_log: Path | None
    least_reports: int
    publish_minutes: float | None
    metrics_estimates: bool = False
    confirm_clock: bool = False
    stop_lists: tuple[Path, ...] = ()
    geography_path: Path | None = None
    district_name: str = "name"
    districts_by: str = "area"
    notes_path: Path | None = None
    frame_ancestors: tuple[str, ...] = ()
    shared_surveys: tuple[str, ...] = ()
    register_path: Path | None = None
    public: bool = False
    invitations: tuple[Path, ...] = ()
    public_address: str = ""
    words: tuple[Path, ...] = ()
    alert_webhook: str = ""
    alert_name: str = "ldp"
    people_path: Path | None = None
    trusted_header: str = ""
    trusted_groups_header: str = ""
    trusted_proxies: tuple[str, ...] = ()
    proxy_removes_headers: str = ""
    relay_keys: tuple[Path, ...] = ()
    check: bool = False

    @property
    def has_pages(self) -> bool:
        """Whether respondents get a page."""
        return self.public or bool(self.invitations)
