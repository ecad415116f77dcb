"""Ledger of a client: its charges, and when it stops."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import islice

from ldp_simulations.conformance.bench import (
    RECORDED,
    Bench,
    Device,
    FailedError,
    Spent,
)
from ldp_simulations.conformance.specimens import (
    KEPT,
    LIMITED,
    RULES,
    STOPPED,
    TELLING,
    later_version,
)

_REPEATS = 6
_TIMES = 4


def once(bench: Bench) -> str:
    """A question whose budget one report spends is answered once, whatever is
    answered.
    """
    bench.needs("send")
    device = bench.device(RULES)
    device.rows("first", TELLING[0])
    for answer in (TELLING[0], TELLING[1], TELLING[0]):
        if (became := device.record("first", answer)) != "answered":
            raise FailedError(
                f"expected a second answer to be refused as answered, got {became}"
            )
    if payloads := device.send():
        raise FailedError(f"expected nothing to leave, got {len(payloads)} payloads")
    device.rows("second", TELLING[0])
    return "one report, and three refusals"


def memo(bench: Bench) -> str:
    """A value that was met before is reported by the permanent response that was drawn
    for it.
    """
    bench.needs("send")
    device = bench.device(KEPT)
    responses: dict[str, bytes] = {}
    for answer in islice((*TELLING[:2], *TELLING[:2]) * _REPEATS, 2 * _REPEATS):
        (row,) = device.rows("kept", answer)
        if responses.setdefault(answer, row) != row:
            raise FailedError(
                "expected the same permanent response to the same value, got another"
            )
    if "ledger" in bench.does and device.ledger().charges.get("kept", 0) > 2:
        raise FailedError("expected no more than 2 charges for 2 values")
    return f"{2 * _REPEATS} reports of two values"


def limits(bench: Bench) -> str:
    """No more is spent than the lifetime epsilon, the app's cap, and what was agreed
    to.
    """
    device = bench.device(LIMITED)
    _expect(device, ["first", "second", "third"], [RECORDED, RECORDED, "budget"])
    device = bench.device(RULES, cap="2")
    _expect(device, ["first", "second", "third"], [RECORDED, RECORDED, "budget"])
    state = bench.new_state()
    names = ["first", "second", "third"]
    _expect(bench.device(RULES, state), names, [RECORDED] * 3)
    _expect(bench.device(later_version(RULES), state), names, ["budget"] * 3)
    return "lifetime epsilon, cap, and a later version that costs more"


def silence(bench: Bench) -> str:
    """Whether there is a report depends on what was asked before, and on no answer."""
    first, second, third = TELLING
    sequences = (
        [first] * _TIMES,
        [first, second, third, first],
        [third, second, second, first],
    )
    for source in (KEPT, STOPPED):
        patterns = set()
        for answers in sequences:
            device = bench.device(source)
            outcomes = [device.record("kept", answer) for answer in answers]
            outcomes.append(device.record("beside", answers[-1]))
            patterns.add(tuple(outcomes))
        if len(patterns) > 1:
            raise FailedError(
                f"expected one pattern of reports, got {sorted(patterns)}"
            )
        (pattern,) = patterns
        if set(pattern[:_TIMES]) != {RECORDED}:
            raise FailedError(f"expected a report for every answer, got {pattern}")
    return f"{len(sequences)} sequences of answers, within two limits"


def ledger(bench: Bench) -> str:
    """Everything that was reported is in the ledger, at its price."""
    bench.needs("ledger", "send")
    for source, names in (
        (RULES, ("first", "third")),
        (KEPT, ("kept", "kept", "beside")),
    ):
        device = bench.device(source)
        for name, answer in zip(names, TELLING, strict=False):
            device.rows(name, answer)
        spent = device.ledger()
        check_charges(spent, Counter(names))
        prices = (
            device.survey[name].price ** number
            for name, number in spent.charges.items()
        )
        if spent.ratio < math.prod(prices, start=Fraction(1)):
            raise FailedError(
                "expected the ratio that was spent to cover all charges, got less"
            )
    return "charges and their ratio"


def check_charges(spent: Spent, reports: Mapping[str, int]) -> None:
    """Raise `FailedError` unless there is a charge for each of these reports."""
    for name, number in reports.items():
        charges = spent.charges.get(name, 0)
        if charges < number:
            raise FailedError(
                f"{name}: expected {number} charges or more for {number} reports, got "
                f"{charges}"
            )


def _expect(device: Device, names: list[str], expected: list[str]) -> None:
    outcomes = [device.record(name, TELLING[0]) for name in names]
    if outcomes != expected:
        raise FailedError(f"expected {', '.join(expected)}, got {', '.join(outcomes)}")
