"""Options of `ldp serve` by room, as they can be handed to another process.

Fields are called like the parameters of the command, each of which belongs to one
record.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ldp.errors import LDPError
from ldp_service.people.flags import PeopleOptions


class ServeError(LDPError):
    """A service that cannot be started, or cannot go on."""


class HttpOptions(NamedTuple):
    """Where and how the service listens."""

    host: str
    port: int
    tls_certificate: Path | None
    tls_key: Path | None
    workers: int
    drain: float


class UploadOptions(NamedTuple):
    """Uploads: tokens, origins, relays, lists and registers."""

    token_file: Path
    open_uploads: bool
    origins: tuple[str, ...]
    debug_tags: bool
    relay_keys: tuple[Path, ...]
    stop_lists: tuple[Path, ...]
    register_path: Path | None


class CountingOptions(NamedTuple):
    """The store, and how long it keeps batches."""

    store: str
    kept_days: int
    kept_epochs: int
    confirm_clock: bool


class SourceOptions(NamedTuple):
    """Folders and topics to follow."""

    folders: tuple[Path, ...]
    topics: tuple[str, ...]
    kafka_settings: Path | None


class PageOptions(NamedTuple):
    """The analysts' page."""

    least_reports: int
    publish_minutes: float | None
    metrics_estimates: bool
    geography_path: Path | None
    district_name: str
    districts_by: str
    notes_path: Path | None
    frame_ancestors: tuple[str, ...]
    shared_surveys: tuple[str, ...]


class RespondentOptions(NamedTuple):
    """Pages on which people answer."""

    public: bool
    invitations: tuple[Path, ...]
    public_address: str
    words: tuple[Path, ...]

    @property
    def has_pages(self) -> bool:
        """Whether respondents get a page."""
        return self.public or bool(self.invitations)


class LogOptions(NamedTuple):
    """Logs."""

    log_format: str
    log_level: str
    audit_log: Path | None


class AlertOptions(NamedTuple):
    """Alerts."""

    alert_webhook: str
    alert_name: str


class ServeOptions(NamedTuple):
    """Options of `ldp serve`, by room."""

    paths: tuple[Path, ...]
    http: HttpOptions
    uploads: UploadOptions
    counting: CountingOptions
    sources: SourceOptions
    page: PageOptions
    respondents: RespondentOptions
    people: PeopleOptions
    logs: LogOptions
    alerts: AlertOptions
    check: bool

    @classmethod
    def of(cls, asked: Mapping[str, Any]) -> ServeOptions:
        """Return the options from the values of parameters, by their names."""

        def taken(record: Any) -> Any:
            return record(*(asked[name] for name in record._fields))

        return cls(
            asked["paths"],
            http=taken(HttpOptions),
            uploads=taken(UploadOptions),
            counting=taken(CountingOptions),
            sources=taken(SourceOptions),
            page=taken(PageOptions),
            respondents=taken(RespondentOptions),
            people=taken(PeopleOptions),
            logs=taken(LogOptions),
            alerts=taken(AlertOptions),
            check=asked["check"],
        )
