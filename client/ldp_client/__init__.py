"""The device's side: `Client(survey).record(name, answer)` gives a randomized report.

`report_bytes` makes it travel. `EmbeddedClient(...)` is the client that apps embed, with a ledger,
a queue and uploads through a `Transport`. Standard library, xxhash and msgpack only. What not every
device needs is loaded when it is first used: SQLite alone takes longer to load than all the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ldp import __version__, parse_survey
from ldp_client.client import Client
from ldp_client.ledger import Ledger
from ldp_client.reports import Report, batches, frames, report_bytes, row_batches

if TYPE_CHECKING:
    from ldp_client.counts import REASONS
    from ldp_client.embedded import EmbeddedClient
    from ldp_client.outbox import Limits
    from ldp_client.preview import Preview
    from ldp_client.terms import read_survey
    from ldp_client.transport import (
        ACCEPTED,
        REFUSED,
        FolderTransport,
        HTTPTransport,
        Outcome,
        Transport,
        retry,
    )

__all__ = [
    "ACCEPTED",
    "REASONS",
    "REFUSED",
    "Client",
    "EmbeddedClient",
    "FolderTransport",
    "HTTPTransport",
    "Ledger",
    "Limits",
    "Outcome",
    "Preview",
    "Report",
    "Transport",
    "__version__",
    "batches",
    "frames",
    "parse_survey",
    "read_survey",
    "report_bytes",
    "retry",
    "row_batches",
]

_HOMES = {
    "ACCEPTED": "transport",
    "EmbeddedClient": "embedded",
    "FolderTransport": "transport",
    "HTTPTransport": "transport",
    "Limits": "outbox",
    "Outcome": "transport",
    "Preview": "preview",
    "REASONS": "counts",
    "REFUSED": "transport",
    "Transport": "transport",
    "read_survey": "terms",
    "retry": "transport",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
