"""A service as a process: what listens, what answers, and how it ends or is begun
anew.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from importlib import import_module
from socket import gethostname
from typing import TYPE_CHECKING

from ldp.errors import LDPError
from ldp_aggregator.output.files import check_writable
from ldp_aggregator.output.web_addresses import AddressError, web_address
from ldp_service.commands.assembly import check_files, service_of
from ldp_service.commands.certificates import check_certificate
from ldp_service.commands.serve_options import ServeError, ServeOptions
from ldp_service.commands.tokens import write_first_tokens
from ldp_service.commands.workers import cannot_begin, drain, is_first, run_workers
from ldp_service.logs.events import JSON, say, set_up

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from uvicorn import Config

    from ldp_service.http.app import Application

_SWITCH = 0.001
"""Seconds for which a thread may keep the others waiting.

Python's 0.005 would be felt in every answer.
"""

_NOBODY = (
    "nobody can answer there, as pages that come by http from another machine ask "
    "nothing: --tls-certificate and --tls-key, or a proxy and --public-address "
    "https://..., mend that"
)
ANSWERING = 15
"""Seconds within which a worker answers its parent, or is taken for hung.

On a busy machine it takes some until it can.
"""

_log = logging.getLogger("ldp.service")


def run(options: ServeOptions) -> None:
    """Serve until told to stop. Raises `LDPError`."""
    with listening_at(options.http.host, options.http.port) as listening:
        _serve_at(listening, options)


def check(options: ServeOptions) -> None:
    """Try all that a start needs, with nothing served or written. Raises `LDPError`."""
    from ldp_service.store.opening import check_store
    from ldp_service.uploads.given_tokens import given_tokens
    from ldp_service.uploads.tokens import TokenFile

    check_certificate(options.http.tls_certificate, options.http.tls_key)
    check_files(options)
    given = given_tokens(os.environ)
    if options.uploads.token_file.exists() or given:
        TokenFile(options.uploads.token_file, given)
    else:
        check_writable(options.uploads.token_file)
    check_store(options.counting.store)


def _serve_at(listening: socket.socket, options: ServeOptions) -> None:
    check_certificate(options.http.tls_certificate, options.http.tls_key)
    _make_first_tokens(options)
    if options.http.workers == 1:
        while _run(options, listening):
            options = _later(options)
        return
    run_workers(
        _config(options, partial(_worker, options)),
        listening,
        partial(_say_serving, options, listening),
        renewable=partial(_renewable, options),
    )


def _make_first_tokens(options: ServeOptions) -> None:
    """Make a file of tokens where there are none, once all else that a start needs is
    there.

    They are shown once: a start that fails afterwards would have shown them for
    nothing.
    """
    from ldp_service.store.opening import open_store
    from ldp_service.uploads.given_tokens import given_tokens

    if options.uploads.token_file.exists() or given_tokens(os.environ):
        return
    check_files(options)
    check_writable(options.uploads.token_file)
    open_store(options.counting.store).close()
    write_first_tokens(options.uploads.token_file)


def _later(options: ServeOptions) -> ServeOptions:
    """Return the options for a restart: the clock was right at the first start."""
    return options._replace(counting=options.counting._replace(confirm_clock=False))


def _worker(options: ServeOptions) -> Application:
    """The application of one of several processes."""
    try:
        own = application(options if is_first() else _later(options))
    except LDPError as error:
        cannot_begin(error)

    drain(own, options.http.drain)
    return own


def application(
    options: ServeOptions, on_failure: Callable[[LDPError], None] | None = None
) -> Application:
    """The application of a service that is opened for it, and closed with it.

    When nothing can be written any more, this process is told to stop, unless
    `on_failure` does something else.
    """
    from ldp_service.http.app import Application
    from ldp_service.http.protocol import make_room

    # Also in a process that was started for this.
    set_up(options.logs.log_format, options.logs.log_level)
    _load_slow_libraries()
    make_room()
    sys.setswitchinterval(_SWITCH)
    serving = Application(service_of(options, on_failure or _stop), owned=True)
    # What was loaded so far stays: a collection that looked through it would keep
    # everyone waiting.
    gc.collect()
    gc.freeze()
    return serving


def _say_serving(options: ServeOptions, listening: socket.socket) -> None:
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 (nobody can go there)
        host = gethostname()
    scheme = "http" if options.http.tls_key is None else "https"
    shown_host = host
    if ":" in host:
        shown_host = f"[{host}]"
    words = f"serving {scheme}://{shown_host}:{port}"
    if options.logs.log_format == JSON:
        _log.info(words)
    else:
        say(words)
    if options.respondents.has_pages:
        _say_public(
            options,
            options.respondents.public_address or f"{scheme}://{shown_host}:{port}",
        )


def _say_public(options: ServeOptions, base: str) -> None:
    """The links of pages for respondents, with their QR codes."""
    from ldp_aggregator.output.files import read_survey
    from ldp_service.page.markup.qr_codes import CodeError, in_terminal
    from ldp_service.respondents.presentation import page_file, read_presentation
    from ldp_service.uploads.public import link_of

    try:
        web_address(base, secure=True)
    except AddressError:
        _log.warning("%s: %s", base, _NOBODY)
    surveys = {}
    for path in options.paths:
        survey, beside = read_survey(path), page_file(path)
        surveys[survey.name] = read_presentation(
            survey, beside if beside.exists() else None
        )
    for name, shown in surveys.items():
        for warning in shown.warnings():
            _log.warning("the page of %s: %s", name, warning)
        address = link_of(base.rstrip("/"), name)
        say(f"{name} is answered at {address}")
        try:
            if sys.stderr.isatty():
                say(in_terminal(address))
        except CodeError as error:
            say(str(error))


def _renewable(options: ServeOptions) -> bool:
    """Whether a service that is begun anew would find what it needs; the log says what
    not.
    """
    try:
        check_certificate(options.http.tls_certificate, options.http.tls_key)
        check_files(options)
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
    """Serve in this process until told to stop; whether to begin anew. Raises
    `LDPError`.
    """
    from ldp_service.http.server import Server

    failures: list[LDPError] = []
    applications: list[Application] = []

    def make() -> Application:
        applications.append(application(options, stop))
        return applications[-1]

    def leave() -> None:
        applications[-1].leave()

    def stop(failure: LDPError) -> None:
        failures.append(failure)
        server.should_exit = True

    server = Server(
        _config(options, make),
        partial(_say_serving, options, listening),
        leave,
        renew=partial(_renewable, options),
        drain=options.http.drain,
    )
    # The server finishes what it has begun when it is told to stop, and then raises the
    # signal again: that is no error.
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


def _config(options: ServeOptions, make: Callable[[], Application]) -> Config:
    from uvicorn import Config

    from ldp_service.http.server import GRACE
    from ldp_service.http.upload_protocol import UploadProtocol

    return Config(
        make,
        factory=True,
        workers=options.http.workers,
        timeout_worker_healthcheck=ANSWERING,
        http=UploadProtocol,
        ws="none",
        lifespan="on",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        log_config=None,
        timeout_graceful_shutdown=GRACE,
        ssl_certfile=options.http.tls_certificate,
        ssl_keyfile=options.http.tls_key,
    )


def listening_at(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises `ServeError`."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    # The last two for names that are none.
    except (OSError, OverflowError, TypeError, ValueError) as error:
        listening.close()
        raise ServeError(
            f"expected to listen at {host}, port {port}, got: {error}; choose another "
            "with --host or --port"
        ) from None
    listening.set_inheritable(True)
    return listening
