"""The device's side: `Client(survey).record(name, answer)` gives a randomized report.

`report_bytes` makes it travel. `EmbeddedClient(...)` is the client that apps embed, with a ledger,
a queue and uploads through a `Transport`. Standard library, xxhash and msgpack only. What not every
device needs is loaded when it is first used: SQLite alone takes longer to load than all the rest.
"""

from typing import TYPE_CHECKING

try:
    from ldp import __version__, parse_survey
    from ldp.lazy import lazily
except ImportError as error:
    from ldpkit_core import clash

    raise clash(error) from None
from ldp_client.client import Client
from ldp_client.ledger import Ledger
from ldp_client.reports import Report, batches, frames, report_bytes, row_batches

if TYPE_CHECKING:
    from ldp_client.asking import StopRule
    from ldp_client.asynchronous import AsyncClient
    from ldp_client.consent import SAID
    from ldp_client.counts import REASONS, RecordOutcome
    from ldp_client.embedded import EmbeddedClient
    from ldp_client.keyrings import keyring_secret
    from ldp_client.limits import QueueLimits
    from ldp_client.oblivious import ObliviousTransport
    from ldp_client.outcomes import ACCEPTED, HELD, OFFLINE, REFUSED, Outcome, retry
    from ldp_client.preview import Preview
    from ldp_client.recovery import Recovered, recover
    from ldp_client.sealing import Relay, RelayTransport
    from ldp_client.status import Status
    from ldp_client.terms import read_survey
    from ldp_client.transport import FolderTransport, HTTPTransport, Transport

__all__ = [
    "ACCEPTED",
    "HELD",
    "OFFLINE",
    "REASONS",
    "REFUSED",
    "SAID",
    "AsyncClient",
    "Client",
    "EmbeddedClient",
    "FolderTransport",
    "HTTPTransport",
    "Ledger",
    "ObliviousTransport",
    "Outcome",
    "Preview",
    "QueueLimits",
    "RecordOutcome",
    "Recovered",
    "Relay",
    "RelayTransport",
    "Report",
    "Status",
    "StopRule",
    "Transport",
    "__version__",
    "batches",
    "frames",
    "keyring_secret",
    "parse_survey",
    "read_survey",
    "recover",
    "report_bytes",
    "retry",
    "row_batches",
]

_HOMES = {
    "ACCEPTED": "outcomes",
    "AsyncClient": "asynchronous",
    "EmbeddedClient": "embedded",
    "FolderTransport": "transport",
    "HELD": "outcomes",
    "HTTPTransport": "transport",
    "OFFLINE": "outcomes",
    "ObliviousTransport": "oblivious",
    "Outcome": "outcomes",
    "Preview": "preview",
    "QueueLimits": "limits",
    "REASONS": "counts",
    "REFUSED": "outcomes",
    "RecordOutcome": "counts",
    "Recovered": "recovery",
    "Relay": "sealing",
    "RelayTransport": "sealing",
    "SAID": "consent",
    "Status": "status",
    "StopRule": "asking",
    "Transport": "transport",
    "keyring_secret": "keyrings",
    "read_survey": "terms",
    "recover": "recovery",
    "retry": "outcomes",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES, __all__)
