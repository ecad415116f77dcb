"""Delivery by a client: its reports, its retries, and the rest on its device."""

from __future__ import annotations

import base64
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ldp.numbers.epochs import epoch_of
from ldp.wire.wire import Damage, decode_batch, encode_batch, read_frames
from ldp_simulations.conformance.bench import (
    ACCEPTED,
    RECORDED,
    RETRY,
    Bench,
    FailedError,
    batches_of,
    rows_of,
)
from ldp_simulations.conformance.ledger import check_charges
from ldp_simulations.conformance.specimens import EPOCHS, KEPT, RULES, TELLING, TOGETHER

_RETRIES = 2


def wire(bench: Bench) -> str:
    """Check that all output is whole frames of batches in their one encoding, of this
    survey.
    """
    bench.needs("send")
    frames = 0
    for source, names in ((RULES, ("first", "second", "third")), (EPOCHS, ("daily",))):
        device = bench.device(source)
        began = time.time()
        for name in names:
            device.record(name, TELLING[0])
        payloads = device.wait_for_payloads()
        for frame in read_frames(b"".join(payloads)):
            if isinstance(frame, Damage):
                raise FailedError(
                    "expected frames with their checksums, got damage at "
                    f"{frame.offset}"
                )
            frames += 1
            batch = decode_batch(frame)
            if encode_batch(batch) != frame:
                raise FailedError("expected msgpack's shortest forms, got others")
            if batch.fingerprint not in {
                question.fingerprint for question in device.survey
            }:
                raise FailedError(
                    "expected the fingerprint of a question of the survey"
                )
            epoch = device.survey.epoch
            if epoch is not None:
                numbers = {int(at // epoch) for at in (began, time.time())}
                if epoch_of(batch.id) not in numbers:
                    raise FailedError("expected an id of the epoch that it is made in")
        for name in names:
            if len(rows_of(payloads, device.survey, name)) != 1:
                raise FailedError(f"expected one report to {name}")
    return f"{frames} frames"


def groups(bench: Bench) -> str:
    """Questions of a group are answered together or not at all, and travel as one
    row.
    """
    bench.needs("together", "send")
    device = bench.device(TOGETHER)
    first, second, third = TELLING
    for became in (
        device.record("first", first),
        device.together({"first": first}),
        device.together({"first": first, "third": third}),
    ):
        if became != "answer":
            raise FailedError(
                f"expected a part of a group to be refused as answer, got {became}"
            )
    if device.send():
        raise FailedError("expected nothing to leave before a group was answered")
    became = device.together({"second": second, "first": first})
    if became != RECORDED:
        raise FailedError(f"expected a group to be recorded, got {became}")
    (group,) = device.survey.groups
    sent = [
        (batch.fingerprint, len(batch.rows))
        for batch in batches_of(device.wait_for_payloads())
    ]
    if sent != [(group.fingerprint, group.width)]:
        raise FailedError(
            "expected one row, with the fingerprint of the group, to leave"
        )
    if (became := device.together({"first": first, "second": first})) != "answered":
        raise FailedError(f"expected a group to be answered once, got {became}")
    if "ledger" in bench.does:
        check_charges(device.ledger(), Counter(("first", "second")))
    return "one row, and four refusals"


def retries(bench: Bench) -> str:
    """Check that refused reports are sent again with the same bytes, after a restart
    too.
    """
    bench.needs("send", "state")
    state = bench.new_state()
    with bench.own_device(RULES, state) as device:
        device.record("first", TELLING[0])
        attempts = [device.wait_for_payloads(RETRY) for _ in range(_RETRIES)]
    with bench.own_device(RULES, state) as device:
        attempts.append(device.wait_for_payloads(ACCEPTED))
        if device.send():
            raise FailedError("expected nothing more to leave after it was accepted")
    if len({tuple(payloads) for payloads in attempts}) != 1:
        raise FailedError("expected the same bytes on every try, got others")
    if len(batches_of(attempts[0])) != 1:
        raise FailedError("expected one batch for one report")
    return f"{_RETRIES} tries and one after a restart"


def traces(bench: Bench) -> str:
    """No answer is in what a client keeps, sends, or says on its standard error."""
    bench.needs("send", "state")
    state = bench.new_state()
    with bench.own_device(KEPT, state) as device:
        device.record("kept", TELLING[0])
        device.record("beside", TELLING[1])
        device.record("beside", "an unfit answer that tells")
        _expect_none(_contents(state.parent), "in what is kept")
        payloads = device.wait_for_payloads()
    _expect_none(_contents(state.parent), "in what is kept")
    _expect_none(payloads, "in what leaves")
    bench.errors.seek(0)
    _expect_none([bench.errors.read()], "on standard error")
    return "neither kept, nor sent, nor said"


def _contents(folder: Path) -> Iterator[bytes]:
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.read_bytes()


def _expect_none(contents: Iterator[bytes] | list[bytes], where: str) -> None:
    for content in contents:
        for answer in (*TELLING, "an unfit answer that tells"):
            plain = answer.encode()
            encoded = base64.b64encode(plain).rstrip(b"=")[:-1]
            wide = answer.encode("utf-16-le")
            if any(
                form in content for form in (plain, wide, plain.hex().encode(), encoded)
            ):
                raise FailedError(f"expected no answer {where}, got one")
