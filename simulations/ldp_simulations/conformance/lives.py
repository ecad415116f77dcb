"""What outlives a process: of one that ends, and of one that is killed at any moment."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable

from ldp.survey_file import parse_survey
from ldp_simulations.conformance.bench import (
    ACCEPTED,
    RECORDED,
    Bench,
    Device,
    FailedError,
    batches_of,
    rows_of,
)
from ldp_simulations.conformance.ledger import covered
from ldp_simulations.conformance.lines import Answer
from ldp_simulations.conformance.specimens import DRAWN, KEPT, MANY, TELLING

_DEVICES = 40
"""All of which draw the same of three questions once in 10^18."""
_MOMENTS = 0.02
"""Seconds, up to which a client that is killed lives on after it was asked."""


def restarts(bench: Bench) -> str:
    """Charges, permanent responses and what waits are the same for the next process."""
    bench.needs("send", "state")
    state = bench.new_state()
    with bench.own_device(KEPT, state) as device:
        (before,) = device.rows("kept", TELLING[0])
        device.record("beside", TELLING[0])
        spent = device.ledger() if "ledger" in bench.does else None
    with bench.own_device(KEPT, state) as device:
        if spent is not None and device.ledger() != spent:
            raise FailedError("expected the ledger of the process before, got another")
        if (became := device.record("beside", TELLING[0])) != "answered":
            raise FailedError(f"expected what was answered before to be refused, got {became}")
        if len(rows_of(device.sent(), device.survey, "beside")) != 1:
            raise FailedError("expected the report that waited to leave")
        (after,) = device.rows("kept", TELLING[0])
        if before != after:
            raise FailedError("expected the permanent response of the process before")
    return "charges, responses, what waits"


def draws(bench: Bench) -> str:
    """Of several questions a device answers one, which it draws once, whatever it answers."""
    bench.needs("draw", "state")
    drawn = set()
    for number in range(_DEVICES):
        device = bench.device(DRAWN)
        names = [question.name for question in device.survey]
        order = names[number % 3 :] + names[: number % 3]
        drawn.add(_drawn(device, order, RECORDED))
    if len(drawn) < 2:
        raise FailedError(f"expected devices to draw different questions, got {drawn} alone")
    state = bench.new_state()
    with bench.own_device(DRAWN, state) as device:
        before = _drawn(device, names, RECORDED)
    with bench.own_device(DRAWN, state) as device:
        after = _drawn(device, names, "answered")
    if before != after:
        raise FailedError("expected the question that was drawn before the restart, got another")
    return f"{_DEVICES} devices, and one that restarts"


def _drawn(device: Device, names: list[str], expected: str) -> str:
    """The one question that was drawn, an answer to which becomes what is expected."""
    outcomes = {name: device.record(name, TELLING[0]) for name in names}
    if sorted(outcomes.values()) != sorted([expected, "not-drawn", "not-drawn"]):
        raise FailedError(f"expected one answer to be {expected}, got {outcomes}")
    return next(name for name, became in outcomes.items() if became == expected)


def kills(bench: Bench) -> str:
    """However it is killed, it was charged for all that left, and nothing left twice."""
    bench.needs("send", "state", "ledger")
    state = bench.new_state()
    survey = parse_survey(MANY)
    draw = random.Random(1)  # noqa: S311  # when to kill, and nothing else
    names = [question.name for question in survey]
    payloads: list[bytes] = []
    for number in range(bench.kills):
        process = bench.start()
        bench.device(survey, state, process=process)
        process.tell("record", question=names[2 * number % len(names)], answer=TELLING[0])
        process.tell("record", question=draw.choice(names), answer=TELLING[1])
        process.tell("send", verdict=ACCEPTED)
        if number % 2:
            time.sleep(draw.random() * _MOMENTS)
        else:
            # As soon as something has left, as far as anyone can tell.
            payloads += _first_payload(process.answer() for _ in range(4))
        process.kill()
        payloads += _payloads(process.left())
    with bench.own_device(survey, state) as device:
        payloads += device.send()
        by_id = {batch.id: batch for batch in batches_of(payloads)}
        reports = Counter[str]()
        for question in survey:
            reports[question.name] = sum(
                batch.size for batch in by_id.values() if batch.fingerprint == question.fingerprint
            )
        if not reports.total():
            raise FailedError("expected some reports to leave, got none")
        twice = [name for name, number in reports.items() if number > 1]
        if twice:
            raise FailedError(f"expected one report to {twice[0]}, got {reports[twice[0]]}")
        covered(device.ledger(), reports)
    return f"{bench.kills} kills, {reports.total()} reports"


def _payloads(answers: Iterable[Answer]) -> list[bytes]:
    return [bytes.fromhex(answer["payload"]) for answer in answers if "payload" in answer]


def _first_payload(answers: Iterable[Answer]) -> list[bytes]:
    """The first of them; nothing if the request came to its end without."""
    for number, answer in enumerate(answers):
        if "payload" in answer:
            return _payloads([answer])
        if number == 2:
            break
    return []
