"""The device's side: `Client(survey).record(name, answer)` gives a randomized report.

`report_bytes` makes it travel. `EmbeddedClient(...)` is the client that apps embed,
with a ledger, a queue and uploads through a `Transport`. Standard library, xxhash and
msgpack only. What not every device needs is loaded when it is first used: SQLite alone
takes longer to load than all the rest.
"""

from typing import TYPE_CHECKING

try:
    from ldp import __version__, parse_survey
    from ldp.lazy import lazily
except ImportError as error:
    from ldpkit_core import clash

    raise clash(error) from None
from ldp_client.answering.client import Client
from ldp_client.answering.ledger import Ledger
from ldp_client.answering.reports import (
    Report,
    batches,
    frames,
    report_bytes,
    row_batches,
)

if TYPE_CHECKING:
    from ldp_client.answering.consent import SAID
    from ldp_client.answering.terms import read_survey
    from ldp_client.delivery.counts import REASONS, RecordOutcome
    from ldp_client.delivery.limits import QueueLimits
    from ldp_client.delivery.oblivious import ObliviousTransport
    from ldp_client.delivery.outcomes import (
        ACCEPTED,
        HELD,
        OFFLINE,
        REFUSED,
        Outcome,
        retry,
    )
    from ldp_client.delivery.sealing import Relay, RelayTransport
    from ldp_client.delivery.transport import FolderTransport, HTTPTransport, Transport
    from ldp_client.embedding.asynchronous import AsyncClient
    from ldp_client.embedding.embedded import EmbeddedClient
    from ldp_client.embedding.preview import Preview
    from ldp_client.embedding.status import Status
    from ldp_client.embedding.stop_lists import StopRule
    from ldp_client.keeping.keyrings import keyring_secret
    from ldp_client.tools.recovery import Recovered, recover

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
    "ACCEPTED": "delivery.outcomes",
    "AsyncClient": "embedding.asynchronous",
    "EmbeddedClient": "embedding.embedded",
    "FolderTransport": "delivery.transport",
    "HELD": "delivery.outcomes",
    "HTTPTransport": "delivery.transport",
    "OFFLINE": "delivery.outcomes",
    "ObliviousTransport": "delivery.oblivious",
    "Outcome": "delivery.outcomes",
    "Preview": "embedding.preview",
    "QueueLimits": "delivery.limits",
    "REASONS": "delivery.counts",
    "REFUSED": "delivery.outcomes",
    "RecordOutcome": "delivery.counts",
    "Recovered": "tools.recovery",
    "Relay": "delivery.sealing",
    "RelayTransport": "delivery.sealing",
    "SAID": "answering.consent",
    "Status": "embedding.status",
    "StopRule": "embedding.stop_lists",
    "Transport": "delivery.transport",
    "keyring_secret": "keeping.keyrings",
    "read_survey": "answering.terms",
    "recover": "tools.recovery",
    "retry": "delivery.outcomes",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES, __all__)
