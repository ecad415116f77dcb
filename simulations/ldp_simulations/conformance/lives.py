"""Persistence across processes: charges, responses, waiting reports, and draws."""

from __future__ import annotations

from ldp_simulations.conformance.bench import (
    RECORDED,
    Bench,
    Device,
    FailedError,
    rows_of,
)
from ldp_simulations.conformance.specimens import DRAWN, KEPT, TELLING

_DEVICES = 40
"""All of which draw the same of three questions once in 10^18."""


def restarts(bench: Bench) -> str:
    """Charges, permanent responses and what waits are the same for the next process."""
    bench.needs("send", "state")
    state = bench.new_state()
    with bench.own_device(KEPT, state) as device:
        (before,) = device.rows("kept", TELLING[0])
        device.record("beside", TELLING[0])
        spent = None
        if "ledger" in bench.does:
            spent = device.ledger()
    with bench.own_device(KEPT, state) as device:
        if spent is not None and device.ledger() != spent:
            raise FailedError("expected the ledger of the process before, got another")
        if (became := device.record("beside", TELLING[0])) != "answered":
            raise FailedError(
                f"expected what was answered before to be refused, got {became}"
            )
        if len(rows_of(device.wait_for_payloads(), device.survey, "beside")) != 1:
            raise FailedError("expected the report that waited to leave")
        (after,) = device.rows("kept", TELLING[0])
        if before != after:
            raise FailedError("expected the permanent response of the process before")
    return "charges, responses, what waits"


def draws(bench: Bench) -> str:
    """Check that a device answers one of several questions, drawn once, whatever it
    answers.
    """
    bench.needs("draw", "state")
    drawn = set()
    for number in range(_DEVICES):
        device = bench.device(DRAWN)
        names = [question.name for question in device.survey]
        order = names[number % 3 :] + names[: number % 3]
        drawn.add(_find_question(device, order, RECORDED))
    if len(drawn) < 2:
        raise FailedError(
            f"expected devices to draw different questions, got {drawn} alone"
        )
    state = bench.new_state()
    with bench.own_device(DRAWN, state) as device:
        before = _find_question(device, names, RECORDED)
    with bench.own_device(DRAWN, state) as device:
        after = _find_question(device, names, "answered")
    if before != after:
        raise FailedError(
            "expected the question that was drawn before the restart, got another"
        )
    return f"{_DEVICES} devices, and one that restarts"


def _find_question(device: Device, names: list[str], expected: str) -> str:
    """The one question that was drawn, an answer to which becomes what is expected."""
    outcomes = {name: device.record(name, TELLING[0]) for name in names}
    if sorted(outcomes.values()) != sorted([expected, "not-drawn", "not-drawn"]):
        raise FailedError(f"expected one answer to be {expected}, got {outcomes}")
    return next(name for name, became in outcomes.items() if became == expected)
