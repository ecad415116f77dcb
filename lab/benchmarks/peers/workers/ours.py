"""Our side: `Client(survey).record`, and from a report file to estimates with
intervals.
"""

from __future__ import annotations

import io
from functools import partial
from typing import Any

from lab.benchmarks.material import QUESTION, closed_survey
from lab.benchmarks.peers.workers.measure import Contender, serve
from ldp import Survey
from ldp_aggregator import Ingest, Tally, estimate
from ldp_aggregator.answers.options import Options
from ldp_client import Client, Report, report_bytes


def build(name: str, options: dict[str, Any], epsilon: str, size: int) -> Contender:
    """A question is answered once, so every report comes from a new client."""
    survey = closed_survey(name, size, epsilon, keys=options["keys"])

    def client(answer: str) -> Report:
        return Client(survey).record(QUESTION, answer)

    return Contender(
        answer="v{}".format,
        client=client,
        server=partial(_server, survey),
        read=_read,
        pack=report_bytes,
        report_bytes=lambda report: len(report.row),
    )


def _server(survey: Survey, file: bytes) -> tuple[Tally, Any]:
    ingest = Ingest(survey)
    ingest.file(io.BytesIO(file))
    return ingest.tally, estimate(ingest.tally)


def _read(result: tuple[Tally, Any]) -> dict[str, Any]:
    """The view that clips and keeps the sum, beside what peers return by default."""
    tally, estimates = result
    clipped = estimate(tally, options=Options(post_process="norm-sub"))
    return {
        "unbiased": estimates[QUESTION].unbiased,
        "returned": clipped[QUESTION].frequency,
    }


if __name__ == "__main__":
    serve(build)
