"""The relay as a process: what it is made of, what listens, and how it ends."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ldp.errors import LDPError
from ldp_aggregator.output.files import read_source
from ldp_service.commands.certificates import check_certificate
from ldp_service.commands.running import listening_at
from ldp_service.counting.served import Catalogue, Served
from ldp_service.logs.events import say
from ldp_service.relay.batching import Terms
from ldp_service.relay.forwarding import CollectorClient, Forwarder
from ldp_service.relay.gateway import read_gateway_key
from ldp_service.relay.pool import Pool
from ldp_service.relay.writer import RelayWriter
from ldp_service.uploads.tokens import Token, Tokens

_log = logging.getLogger("ldp.relay")


@dataclass(frozen=True)
class RelayOptions:
    """The flags of `ldp relay serve`, by the names of their parameters."""

    paths: tuple[Path, ...]
    collector: str
    terms: Terms
    store: Path
    host: str = "127.0.0.1"
    port: int = 8001
    every: float = 60.0
    confirm_clock: bool = False
    origins: tuple[str, ...] = ()
    oblivious_keys: tuple[Path, ...] = ()
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    token: str | None = None
    """What the collector knows the relay by."""
    tokens: tuple[Token, ...] = ()
    """What may be shown to this relay."""

    @classmethod
    def of(cls, *, least: int, wait: str, unripe: str, **others: Any) -> RelayOptions:
        """Return the options from the values of parameters, by their names."""
        return cls(terms=Terms(least, wait, unripe), **others)


def run(options: RelayOptions) -> None:
    """Relay until told to stop. Raises `LDPError`."""
    from uvicorn import Config

    from ldp_service.http.protocol import StrictProtocol, make_room
    from ldp_service.http.server import GRACE, Server
    from ldp_service.relay.app import RelayApplication

    check_certificate(options.tls_certificate, options.tls_key)
    collector = CollectorClient(options.collector, options.token)
    gateway_keys = [read_gateway_key(path) for path in options.oblivious_keys]
    catalogue = Catalogue(_load_survey(path) for path in options.paths)
    failures: list[LDPError] = []

    def stop(failure: LDPError) -> None:
        failures.append(failure)
        server.should_exit = True

    with listening_at(options.host, options.port) as listening:
        make_room()
        writer = writer_of(options, catalogue, stop)
        application = RelayApplication(
            writer,
            Forwarder(writer, collector),
            Tokens(options.tokens),
            clock=time.time,
            origins=options.origins,
            gateway_keys=gateway_keys,
        )

        def leave() -> None:
            application.leaving = True

        config = Config(
            application,
            http=StrictProtocol,
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
        host, port = listening.getsockname()[:2]
        scheme = "http" if options.tls_key is None else "https"
        tell = partial(say, f"relaying at {scheme}://{host}:{port}")
        server = Server(config, tell, leave, renew=ignore_reload)
        # What was begun is finished; the server raises the signal again, which is no
        # error.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        server.run([listening])
    if failures:
        raise failures[0]


def ignore_reload() -> bool:
    """Handle SIGHUP: nothing is renewed, and the log says so."""
    _log.warning(
        "expected SIGTERM and another start: a relay reads nothing anew at SIGHUP"
    )
    return False


def writer_of(
    options: RelayOptions, catalogue: Catalogue, on_failure: Callable[[LDPError], None]
) -> RelayWriter:
    """The writer of a relay. Raises `StoreError`."""
    return RelayWriter(
        partial(Pool, options.store),
        catalogue,
        options.terms,
        every=options.every,
        confirm_clock=options.confirm_clock,
        on_failure=on_failure,
    )


def _load_survey(path: Path) -> Served:
    survey, content = read_source(path)
    return Served(survey, content.decode())
