"""`ldp serve`: the service as a process, or as several on one database.

Exit codes: 0 when it was told to stop, and finished what it had begun; 1 when it cannot start, or
cannot go on.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ldp.errors import LDPError
from ldp_aggregator.files import read_candidates, read_source
from ldp_aggregator.places.asking import BY
from ldp_aggregator.service.commands.certificates import check_certificate
from ldp_aggregator.service.commands.operating_flags import operating_flags
from ldp_aggregator.service.commands.settings import config_option
from ldp_aggregator.service.commands.token import TOKEN_FILE, write_tokens
from ldp_aggregator.service.commands.workers import cannot_begin, run_workers
from ldp_aggregator.service.logs.events import set_up

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterable, Iterator

    from uvicorn import Config

    from ldp_aggregator.estimates.stop_lists import StopLists
    from ldp_aggregator.geography import Geography
    from ldp_aggregator.service.counting.served import Served
    from ldp_aggregator.service.http.app import Application
    from ldp_aggregator.service.service import Service, Source

_EXTRA = (
    "expected Starlette and uvicorn, found neither; "
    'install them with pip install "ldpkit-aggregator[serve]"'
)
_SWITCH = 0.001
"""Seconds for which a thread may keep the others waiting.

Python's 0.005 would be felt in every answer.
"""


_log = logging.getLogger("ldp.service")


class ServeError(LDPError):
    """A service that cannot be started, or cannot go on."""


@dataclass(frozen=True)
class ServeOptions:
    """What was asked for, as it can be handed to another process."""

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
    confirm_clock: bool = False
    stop_lists: tuple[Path, ...] = ()
    geography_path: Path | None = None
    district_name: str = "name"
    districts_by: str = "area"


@config_option
@click.command()
@click.argument(
    "paths", metavar="SURVEY...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--store",
    default="sqlite:///ldp.db",
    show_default=True,
    help="Where to count: sqlite:///FILE or postgresql://...",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port; 0 for any.",
)
@click.option(
    "--token-file",
    default=TOKEN_FILE,
    show_default=True,
    type=click.Path(path_type=Path),
    help="The hashes of tokens (see `ldp token`). Where there is no such file, it is made, with "
    "two tokens.",
)
@click.option("--open-uploads", is_flag=True, help="Take uploads without a token.")
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    help="An origin whose pages may upload, from browsers.",
)
@click.option(
    "--keep-reports",
    "kept_days",
    default=0,
    type=click.IntRange(0),
    help="Days to keep batches whole.",
)
@click.option(
    "--folder",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A folder of report files to follow.",
)
@click.option("--kafka", "topics", multiple=True, help="A topic to follow, as TOPIC@BROKER:PORT.")
@click.option(
    "--kafka-settings",
    type=click.Path(path_type=Path),
    help="Lines KEY = VALUE for Kafka's client.",
)
@click.option(
    "--tls-certificate", type=click.Path(path_type=Path), help="PEM file, to serve HTTPS."
)
@click.option(
    "--tls-key", type=click.Path(path_type=Path), help="PEM file of the certificate's key."
)
@click.option(
    "--stops",
    "stop_lists",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A list of `ldp stops sign` to hand out; read anew at each request.",
)
@click.option(
    "--geography",
    "geography_path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Of maps: show the shares of the districts in a GeoJSON file, and their borders.",
)
@click.option(
    "--district-name",
    metavar="PROPERTY",
    default="name",
    show_default=True,
    help="The property that names these districts.",
)
@click.option(
    "--districts-by",
    type=click.Choice(BY),
    default="area",
    show_default=True,
    help="How cells are counted that borders of districts cut.",
)
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Processes, on PostgreSQL.",
)
@click.option(
    "--debug-tags",
    is_flag=True,
    help="Show uploads with the header LDP-Debug-Tag on the page, and do not count them.",
)
@operating_flags
@click.option(
    "--confirm-clock",
    is_flag=True,
    help="The clock is right, though more than an epoch has passed since the last commit.",
)
def serve(**asked: Any) -> None:
    """Receive reports of each SURVEY, count each once, and show estimates to token holders.

    Two files of one name are two versions of a survey, the newer one last.
    """
    options = ServeOptions(**asked)
    if options.workers > 1 and options.store.startswith("sqlite:"):
        raise click.UsageError(
            "--workers: one process writes to SQLite; several share a store on PostgreSQL"
        )
    if options.workers > 1 and options.debug_tags:
        raise click.UsageError("--debug-tags: one process shows uploads on its page, got several")
    if not options.host:
        raise click.UsageError(
            "--host: expected an address, got an empty one; 0.0.0.0 stands for all of this "
            "machine's"
        )
    if (options.tls_certificate is None) != (options.tls_key is None):
        raise click.UsageError("--tls-certificate and --tls-key: expected both or neither")
    set_up(options.log_format, options.log_level)
    if not options.token_file.exists() and not _given():
        _first_tokens(options.token_file)
    if find_spec("uvicorn") is None or find_spec("starlette") is None:
        raise ServeError(_EXTRA)
    with _listening(options) as listening:
        _serve_at(listening, options)


def _serve_at(listening: socket.socket, options: ServeOptions) -> None:
    check_certificate(options.tls_certificate, options.tls_key)
    if options.workers == 1:
        while _run(options, listening):
            pass
        return
    _say_serving(options, listening)
    run_workers(_config(options, partial(_worker, options)), listening)


def _worker(options: ServeOptions) -> Application:
    """The application of one of several processes."""
    try:
        return application(options)
    except LDPError as error:
        cannot_begin(error)


def application(
    options: ServeOptions, on_failure: Callable[[LDPError], None] | None = None
) -> Application:
    """The application of a service that is opened for it, and closed with it.

    When nothing can be written any more, this process is told to stop, unless `on_failure` does
    something else.
    """
    from ldp_aggregator.service.http.app import Application
    from ldp_aggregator.service.http.protocol import make_room

    # Also in a process that was started for this.
    set_up(options.log_format, options.log_level)
    _load_slow_libraries()
    make_room()
    sys.setswitchinterval(_SWITCH)
    return Application(_service(options, on_failure or _stop), owned=True)


def _say_serving(options: ServeOptions, listening: socket.socket) -> None:
    host, port = listening.getsockname()[:2]
    scheme = "http" if options.tls_key is None else "https"
    shown_host = f"[{host}]" if ":" in host else host
    click.echo(f"serving {scheme}://{shown_host}:{port}", err=True)


def _renewable(options: ServeOptions) -> bool:
    """Whether a service that is begun anew would find what it needs; the log says what not."""
    try:
        check_certificate(options.tls_certificate, options.tls_key)
        served = _served(options)
        _stop_lists(options, served)
        _geography(options, served)
    except LDPError as error:
        _log.error("%s\nthe service goes on with what it had before", error)
        return False
    _log.info("certificates and surveys are read anew")
    return True


def _load_slow_libraries() -> None:
    """Import what a first download would import, while no upload waits for it."""
    with suppress(ImportError):
        import_module("pyarrow.parquet")


def _run(options: ServeOptions, listening: socket.socket) -> bool:
    """Serve in this process until told to stop; whether to begin anew. Raises `LDPError`."""
    from ldp_aggregator.service.http.server import Server

    failures: list[LDPError] = []
    applications: list[Application] = []

    def make() -> Application:
        applications.append(application(options, stop))
        return applications[-1]

    def leave() -> None:
        applications[-1].service.leaving = True

    def stop(failure: LDPError) -> None:
        failures.append(failure)
        server.should_exit = True

    server = Server(
        _config(options, make),
        partial(_say_serving, options, listening),
        leave,
        renew=partial(_renewable, options),
        drain=options.drain,
    )
    # The server finishes what it has begun when it is told to stop, and then raises the signal
    # again: that is no error.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # A copy, which the server closes: who connects while it is begun anew waits.
    with listening.dup() as copy:
        server.run([copy])
    if failures:
        raise failures[0]
    return server.renewing


def _stop(_: LDPError) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def _service(options: ServeOptions, on_failure: Callable[[LDPError], None]) -> Service:
    from ldp_aggregator.service.counting.admission import Rules
    from ldp_aggregator.service.counting.publication import Publication
    from ldp_aggregator.service.logs.audit_log import AuditLog
    from ldp_aggregator.service.service import Service, Settings
    from ldp_aggregator.service.uploads.given_tokens import given_tokens
    from ldp_aggregator.service.uploads.token_use import TokenUse
    from ldp_aggregator.service.uploads.tokens import TokenFile

    served = _served(options)
    use = TokenUse(options.token_file)
    audit = None if options.audit_log is None else AuditLog(options.audit_log)
    settings = Settings(
        tokens=TokenFile(
            options.token_file,
            given_tokens(os.environ),
            use.note,
            **({} if audit is None else {"changed": audit.tokens}),
        ),
        audit=audit,
        token_use=use,
        open_uploads=options.open_uploads,
        origins=options.origins,
        rules=Rules(kept_days=options.kept_days, kept_epochs=options.kept_epochs),
        stop_lists=_stop_lists(options, served),
        debug_tags=options.debug_tags,
        publication=Publication(options.least_reports, options.publish_minutes),
        confirm_clock=options.confirm_clock,
        geography=_geography(options, served),
    )
    service = Service(served, options.store, settings, on_failure=on_failure)
    try:
        for source in _sources(options, service):
            service.follow(source)
    except BaseException:
        service.close()
        raise
    return service


def _served(options: ServeOptions) -> list[Served]:
    """The surveys, with what is looked for. Raises `LDPError`."""
    from ldp_aggregator.service.counting.served import Served

    served = []
    for path in options.paths:
        survey, content = read_source(path)
        served.append(Served(survey, content.decode(), read_candidates(survey, path)))
    return served


def _stop_lists(options: ServeOptions, served: Iterable[Served]) -> StopLists:
    """The lists that are handed out. Raises `FileError` and `ServeError`."""
    from ldp_aggregator.estimates.stop_lists import StopLists, stops_in

    names = {version.survey.name for version in served}
    for path in options.stop_lists:
        if (name := stops_in(path).survey) not in names:
            known = ", ".join(sorted(names))
            raise ServeError(f"--stops {path}: expected a list for {known}, got one for {name}")
    return StopLists(options.stop_lists)


def _geography(options: ServeOptions, served: Iterable[Served]) -> Geography | None:
    """The districts whose shares are shown. Raises `EstimateError` and `FileError`."""
    if options.geography_path is None:
        return None
    from ldp_aggregator.distributions.applicable import check_asked
    from ldp_aggregator.options import Options
    from ldp_aggregator.places.geojson import read_geography

    geography = read_geography(options.geography_path, options.district_name, options.districts_by)
    questions = [question for version in served for question in version.survey]
    check_asked(questions, Options(geography=geography))
    return geography


def _sources(options: ServeOptions, service: Service) -> Iterator[Source]:
    """What is followed besides uploads."""
    from ldp_aggregator.service.sources.folder import FolderSource
    from ldp_aggregator.service.sources.kafka import KafkaSource, read_settings
    from ldp_aggregator.service.store.opening import open_snapshot

    read_store = partial(open_snapshot, options.store)
    for folder in options.folders:
        yield FolderSource(folder, service.writer, read_store)
    settings = {} if options.kafka_settings is None else read_settings(options.kafka_settings)
    for topic in options.topics:
        yield KafkaSource(topic, service.writer, read_store, settings=settings)


def _config(options: ServeOptions, make: Callable[[], Application]) -> Config:
    from uvicorn import Config

    from ldp_aggregator.service.http.server import GRACE
    from ldp_aggregator.service.http.upload_protocol import UploadProtocol

    return Config(
        make,
        factory=True,
        workers=options.workers,
        http=UploadProtocol,
        ws="none",
        lifespan="on",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        log_config=None,
        timeout_graceful_shutdown=GRACE,
        ssl_certfile=options.tls_certificate,
        ssl_keyfile=options.tls_key,
    )


def _listening(options: ServeOptions) -> socket.socket:
    import socket

    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((options.host, options.port))
    # The last two for names that are none.
    except (OSError, OverflowError, TypeError, ValueError) as error:
        listening.close()
        raise ServeError(
            f"expected to listen at {options.host}, port {options.port}, got: {error}; "
            "choose another with --host or --port"
        ) from None
    listening.set_inheritable(True)
    return listening


def _given() -> bool:
    """Whether tokens come with the process. Raises `FileError`."""
    from ldp_aggregator.service.uploads.given_tokens import given_tokens

    return bool(given_tokens(os.environ))


def _first_tokens(path: Path) -> None:
    from ldp_aggregator.service.uploads.tokens import ANALYST, UPLOAD, kept, new_token

    tokens = {scope: new_token() for scope in (UPLOAD, ANALYST)}
    write_tokens(path, [kept(token, f"first-{scope}", scope) for scope, token in tokens.items()])
    click.echo(f"{path}: made, with two tokens, which are not shown again", err=True)
    for scope, token in tokens.items():
        click.echo(f"  {scope:7}  {token}", err=True)
