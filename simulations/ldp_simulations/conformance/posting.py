"""Replies of a collector over HTTP: which reports a client drops, holds, or tries
again.

The rules are those of `docs/client-options.md`, under *Sending*.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from ldp_simulations.conformance.bench import (
    LONGEST_PAUSE,
    RECORDED,
    Bench,
    Device,
    FailedError,
    batches_of,
)
from ldp_simulations.conformance.collector import (
    REPORTS_PATH,
    Collector,
    CollectorReply,
    collecting,
)
from ldp_simulations.conformance.specimens import RULES, TELLING

GONE, HELD, LATER = "done with", "held", "tried again"
LEAST_HELD = 3600.0 - 60.0
"""Seconds for which a batch is held that someone has to mend something for, with some
leeway.
"""

_PAGE = b"<html>Who are you?</html>"
_RETRY_AFTER = 120
_LEEWAY = 5.0


class PostingCase(NamedTuple):
    """An answer, and what becomes of the batch."""

    fate: str
    reply: CollectorReply
    least: float = 0.0
    """The shortest pause after it."""


def _receipt(**outcomes: object) -> CollectorReply:
    return CollectorReply(202, json.dumps({"accepted": 0, **outcomes}).encode())


def _reason(status: int, reason: str) -> CollectorReply:
    return CollectorReply(
        status, json.dumps({"error": "expected another", "reason": reason}).encode()
    )


CASES = (
    PostingCase(GONE, _receipt(accepted=1)),
    PostingCase(GONE, CollectorReply(202)),
    PostingCase(GONE, _receipt(duplicate=1)),
    PostingCase(GONE, _receipt(quarantined=1)),
    *(
        PostingCase(GONE, _receipt(rejected={reason: 1}))
        for reason in ("late", "early", "width")
    ),
    *(
        PostingCase(GONE, _reason(status, reason))
        for status, reason in ((400, "empty"), (413, "too-large"), (415, "encoded"))
    ),
    # The same from something in between, and what a person can mend.
    *(PostingCase(HELD, CollectorReply(status, _PAGE)) for status in (400, 413, 415)),
    PostingCase(HELD, _reason(400, "too-large")),
    *(
        PostingCase(HELD, _reason(status, "empty"))
        for status in (401, 403, 404, 405, 410)
    ),
    # What is no answer of a collector, or says later.
    *(
        PostingCase(LATER, CollectorReply(status, _PAGE))
        for status in (200, 408, 425, 429, 500, 503)
    ),
    PostingCase(LATER, CollectorReply(204)),
    *(
        PostingCase(LATER, CollectorReply(status, b"", {"Location": "/elsewhere"}))
        for status in (302, 307)
    ),
    PostingCase(
        LATER,
        CollectorReply(503, b"", {"Retry-After": str(_RETRY_AFTER)}),
        _RETRY_AFTER - _LEEWAY,
    ),
    PostingCase(LATER, CollectorReply(0)),
)


def statuses(bench: Bench) -> str:
    """Each status has a batch dropped, held or tried again, as the service means it."""
    bench.needs("http", "state")
    with collecting() as collector:
        for case in CASES:
            _try(bench.device(RULES, collector=collector.address), collector, case)
        _check_retry(bench, collector)
    return f"{len(CASES)} answers, and a token that is mended"


def _try(device: Device, collector: Collector, case: PostingCase) -> None:
    what = "no answer"
    if case.reply.status:
        what = f"status {case.reply.status}"
    _answer(device)
    left = _post(device, collector, case.reply)
    if len(collector.uploads) != 1:
        raise FailedError(
            f"expected one upload before {what}, got {len(collector.uploads)}"
        )
    fate = LATER
    if not left.waiting:
        fate = GONE
    elif left.pause >= LEAST_HELD:
        fate = HELD
    if fate != case.fate:
        raise FailedError(
            f"expected a batch to be {case.fate} after {what}, got one {fate}"
        )
    if left.pause < case.least:
        raise FailedError(
            f"expected a pause of {case.least:.0f} s after {what}, got {left.pause}"
        )
    if fate == LATER and not case.least and left.pause > LONGEST_PAUSE:
        raise FailedError(
            f"expected a pause of seconds after {what}, got {left.pause:.0f}"
        )
    if fate == LATER:
        return
    device.post()
    if len(collector.uploads) != 1:
        raise FailedError(
            f"expected nothing more to leave after {what}, got another upload"
        )


def _check_retry(bench: Bench, collector: Collector) -> None:
    """Check that a reopened client sends rejected reports again with the same bytes."""
    state = bench.new_state()
    uploads: list[bytes] = []
    for reply in (CollectorReply(401), CollectorReply(202)):
        device = bench.device(RULES, state, collector=collector.address)
        if not uploads:
            _answer(device)
        left = _post(device, collector, reply)
        uploads += [upload.body for upload in collector.uploads]
    if left.waiting != (len(uploads) == 1):
        raise FailedError("expected what was held to wait, or to be sent, got neither")
    if len(set(uploads)) != 1:
        raise FailedError(
            "expected the same bytes after a token was mended, got others"
        )


class _Left(NamedTuple):
    """Waiting reports, and the pause before the next sending."""

    waiting: int
    pause: float


def _answer(device: Device) -> None:
    if (became := device.record("first", TELLING[0])) != RECORDED:
        raise FailedError(f"expected an answer to be recorded, got {became}")


def _post(device: Device, collector: Collector, reply: CollectorReply) -> _Left:
    """Return the waiting reports after an upload with this reply."""
    collector.reply = reply
    collector.uploads.clear()
    answer = device.post()
    for method, path, body in collector.uploads:
        if (method, path) != ("POST", REPORTS_PATH):
            raise FailedError(f"expected POST {REPORTS_PATH}, got {method} {path}")
        if [batch.size for batch in batches_of([body])] != [1]:
            raise FailedError(
                "expected an upload of one batch with one report, got another"
            )
    return _Left(int(answer["waiting"]), float(answer["pause"]))
