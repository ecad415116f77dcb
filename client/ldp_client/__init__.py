"""The device's side: `Client(survey).record(name, answer)` gives a randomized report; `report_bytes` makes it travel.

Standard library, xxhash and msgpack only.
"""

from ldp import parse_survey
from ldp_client.client import Client, Report, batches, report_bytes

__all__ = ["Client", "Report", "batches", "parse_survey", "report_bytes"]
