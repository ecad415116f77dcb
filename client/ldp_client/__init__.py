"""The device's side: `Client(survey).record(name, answer)` gives a randomized report.

`report_bytes` makes it travel. `Client.open(...)` gives the client that apps embed, with a ledger,
a queue and uploads. Standard library, xxhash and msgpack only.
"""

from ldp import parse_survey
from ldp_client.client import Client
from ldp_client.ledger import Ledger
from ldp_client.reports import Report, batches, frames, report_bytes, row_batches

__all__ = [
    "Client",
    "Ledger",
    "Report",
    "batches",
    "frames",
    "parse_survey",
    "report_bytes",
    "row_batches",
]
