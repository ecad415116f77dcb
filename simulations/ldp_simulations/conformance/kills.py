"""Devices that are killed, in the middle of recording and of sending.

A device has two lives that end by a kill. In each it is asked several questions and
then to send, without anyone waiting for its answers; it is killed at a random line of
what it says, and a random moment later: in the first life while it records, in the
second while it sends. Then it is left in peace until nothing more arrives, for as long
as it may pause.

    what it said was recorded    arrives, once
    what arrives                 was asked, once, and is charged for
    what is charged              was asked, and is charged for once
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ldp.survey.survey import Survey
from ldp.survey.survey_file import parse_survey
from ldp_simulations.conformance.bench import (
    ACCEPTED,
    LONGEST_PAUSE,
    RECORDED,
    Bench,
    FailedError,
    batches_of,
    outcome,
)
from ldp_simulations.conformance.ledger import check_charges
from ldp_simulations.conformance.lines import Answer, Process
from ldp_simulations.conformance.specimens import MANY, TELLING

_LIVES = 2
_ASKED = 12
"""Questions in each life, of which some were asked in the one before."""
_MOMENT = 0.01
"""Seconds, up to which a client lives on after the line at which it is to be killed."""
_NAP = 0.2


class KilledDevice:
    """Record of a device that is killed: its questions, answers and reports."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.asked: set[str] = set()
        self.recorded: set[str] = set()
        self.payloads: list[bytes] = []


def kills(bench: Bench) -> str:
    """However it is killed, all that was recorded arrives once, and was charged for
    once.
    """
    bench.needs("send", "state", "ledger")
    survey = parse_survey(MANY)
    draw = random.Random(1)  # noqa: S311  # when to kill, and nothing else
    devices = [
        KilledDevice(bench.new_state()) for _ in range(-(-bench.kills // _LIVES))
    ]
    in_flight = 0
    for number in range(bench.kills):
        device = devices[number // _LIVES]
        in_flight += _life(
            bench, survey, device, draw=draw, is_sending=number % _LIVES == 1
        )
    reports = sum(_peace(bench, survey, device) for device in devices)
    waiting = in_flight / max(bench.kills, 1)
    return (
        f"{bench.kills} kills, each with {waiting:.0f} reports on their way, and "
        f"{reports} arrived"
    )


def _life(
    bench: Bench,
    survey: Survey,
    device: KilledDevice,
    *,
    draw: random.Random,
    is_sending: bool,
) -> int:
    """How many reports waited, or were on their way, when a process was killed."""
    names = draw.sample([question.name for question in survey], _ASKED)
    process = bench.start()
    bench.device(survey, device.state, process=process)
    for name in names:
        process.tell("record", question=name, answer=draw.choice(TELLING))
    process.tell("send", verdict=ACCEPTED)
    device.asked.update(names)
    lines = _ASKED if is_sending else draw.randrange(_ASKED)
    answers = [process.answer() for _ in range(lines)]
    if is_sending:
        answers += _payloads_of(process, most=draw.randrange(1, _ASKED // 2))
    time.sleep(draw.random() * _MOMENT)
    process.kill()
    answers += process.left()
    _note(device, names, answers)
    return max(len(device.recorded) - _reports(survey, device.payloads).total(), 0)


def _payloads_of(process: Process, most: int) -> list[Answer]:
    """The lines that are written while it sends, up to so many; fewer where it
    pauses.
    """
    answers: list[Answer] = []
    while len(answers) < most:
        answers.append(process.answer())
        if "payload" not in answers[-1]:
            break
    return answers


def _note(device: KilledDevice, names: list[str], answers: list[Answer]) -> None:
    """Note the output of a process: an answer for each question, then its reports."""
    for name, answer in zip(names, answers, strict=False):
        if outcome(answer) == RECORDED:
            device.recorded.add(name)
    device.payloads += _payloads(answers)


def _peace(bench: Bench, survey: Survey, killed: KilledDevice) -> int:
    """How many reports of a device arrived in the end, each of which had to."""
    until = time.monotonic() + LONGEST_PAUSE
    with bench.own_device(survey, killed.state) as device:
        while True:
            killed.payloads += device.send()
            reports = _reports(survey, killed.payloads)
            missing = killed.recorded - reports.keys()
            if not missing or time.monotonic() > until:
                break
            time.sleep(_NAP)
        spent = device.ledger()
    if missing:
        raise FailedError(
            f"expected all {len(killed.recorded)} reports that were recorded to arrive "
            f"within {LONGEST_PAUSE:.0f} s, got {len(reports)}: {len(missing)} are lost"
        )
    for what, numbers in (("report", reports), ("charge", spent.charges)):
        twice = [name for name, number in numbers.items() if number > 1]
        if twice:
            raise FailedError(
                f"expected one {what} for {twice[0]}, got {numbers[twice[0]]}"
            )
        if not numbers.keys() <= killed.asked:
            raise FailedError(
                f"expected no {what} for a question that was not asked, got one"
            )
    check_charges(spent, reports)
    return reports.total()


def _reports(survey: Survey, payloads: list[bytes]) -> Counter[str]:
    """By question, each batch counted once, however often it came."""
    names = {question.fingerprint: question.name for question in survey}
    reports = Counter[str]()
    for batch in set(batches_of(payloads)):
        if batch.fingerprint not in names:
            raise FailedError("expected the fingerprint of a question of the survey")
        reports[names[batch.fingerprint]] += batch.size
    return reports


def _payloads(answers: Iterable[Answer]) -> list[bytes]:
    return [
        bytes.fromhex(answer["payload"]) for answer in answers if "payload" in answer
    ]
