"""Our side: `Client(survey).record`, and from a report file to a mean with its
interval.
"""

from __future__ import annotations

import io
from typing import Any

from lab.benchmarks.means.workers.surveying import Asked, serve
from ldp import parse_survey
from ldp_aggregator import Ingest, estimate
from ldp_client import Client, Report, report_bytes

_QUESTION = "x"


def build(name: str, options: dict[str, Any], epsilon: str, steps: int) -> Asked:
    """A question is answered once, so every report comes from a new client."""
    survey = parse_survey(
        f'[survey]\nname = "means"\n[[question]]\nname = "{_QUESTION}"\nmechanism = '
        f'"{name}"\n'
        f'type = "integer"\nlow = 0\nhigh = {steps}\nepsilon = '
        f'"{epsilon}"\n{options["keys"]}'
    )

    def client(number: int) -> Report:
        return Client(survey).record(_QUESTION, number)

    def mean(reports: list[Report]) -> float:
        ingest = Ingest(survey)
        ingest.file(io.BytesIO(report_bytes(reports)))
        estimated = estimate(ingest.tally)[_QUESTION].mean
        if estimated is None:
            raise TypeError(f"expected a mechanism that has a mean, got {name}")
        return estimated.estimate

    return Asked(int, client, mean)


if __name__ == "__main__":
    serve(build)
